"""What collectives are made of: steps in which a task sends at most one message and receives at most one.

Step names write a task as r, as MPI's literature does. Where the tasks are no power of two, algorithms that pair tasks
bit by bit *fold*: with q the largest power of two not above their number, task q + i first hands over to task i, and
gets what it is due in the end (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
MPICH", 2005).
"""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log2
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.job import FlowBlock, Job, JobSpec, Phase, Tasks
from core.job.measure import MEASURES
from core.job.message import BYTES_PER_GB, MessageBytes
from core.spec import SpecError, declare

MAX_STEPS = 1 << 14
"""Beyond it a job is refused: an algorithm of fewer steps does the same."""

Partners = Callable[[Tasks], Tasks]
"""For each of some tasks the one it sends to, or receives from; -1: none."""
Blocks = Callable[[Tasks], NDArray[np.float64]]
"""For each of some tasks that send, how many blocks its message carries."""


class MessageStep(Phase):
    """Messages that are sent at once: at most one from a task, and at most one to it."""

    fan_out = 1

    def __init__(
        self, name: str, tasks: int, target: Partners, source: Partners, volume: float, blocks: Blocks | None = None
    ) -> None:
        self.name, self.tasks = name, tasks
        self._target, self._source, self._volume, self._blocks = target, source, volume, blocks

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the messages that tasks send."""
        return self._messages(tasks, self._target(tasks))

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the messages that tasks receive."""
        return self._messages(self._source(tasks), tasks)

    def _messages(self, src: Tasks, dst: Tasks) -> FlowBlock:
        both = (src >= 0) & (dst >= 0)
        src, dst = src[both].astype(np.int32), dst[both].astype(np.int32)
        blocks = np.ones(src.size) if self._blocks is None else self._blocks(src)
        return FlowBlock(src, dst, blocks * self._volume)


@dataclass(frozen=True)
class Steps:
    """The steps of an operation, each made when it is needed: there may be a million of them."""

    count: int
    make: Callable[[int], Phase]
    """Gives the step of a number, from 0 on."""

    @classmethod
    def listed(cls, steps: Iterable[Phase]) -> "Steps":
        """Return these steps, which are few."""
        found = tuple(steps)
        return cls(len(found), found.__getitem__)

    @property
    def words(self) -> str:
        """Return ``31 steps``."""
        return f"{self.count:,} step{'' if self.count == 1 else 's'}"

    def phases(self, tasks: int) -> tuple[Phase, ...]:
        """Return all of them, named by their numbers; if there are none, one in which nothing is sent.

        Raises SpecError: beyond the limit on steps.
        """
        if self.count > MAX_STEPS:
            message = f"makes {self.count:,} steps; at most {MAX_STEPS:,} fit, choose fewer tasks or another algorithm"
            raise SpecError("job.tasks", message)
        return tuple(self._numbered(number) for number in range(self.count)) or (empty_phase(tasks),)

    def _numbered(self, number: int) -> Phase:
        step = self.make(number)
        step.name = f"step {number + 1}: {step.name}"
        return step


def shift(tasks: int, by: int, volume: float) -> MessageStep:
    """Return the step in which every task r sends to r + by, around."""
    name = f"r -> r {'+' if by > 0 else '-'} {abs(by)}"
    return MessageStep(name, tasks, lambda r: (r + by) % tasks, lambda r: (r - by) % tasks, volume)


def exchange(name: str, tasks: int, partner: Partners, volume: float, blocks: Blocks | None = None) -> MessageStep:
    """Return the step in which partners send each other a message; `partner` is its own inverse."""
    return MessageStep(name, tasks, partner, partner, volume, blocks)


def exchange_bit(tasks: int, bit: int, below: int, volume: float, blocks: Blocks | None = None) -> MessageStep:
    """Return the step in which those of the tasks below a number exchange messages that differ in one bit, or some."""
    return exchange(f"r <-> r XOR {bit}", tasks, lambda r: np.where(r < below, r ^ bit, -1), volume, blocks)


def handover(tasks: int, senders: range, by: int, volume: float) -> MessageStep:
    """Return the step in which the tasks of a range send to those that are `by` further on."""
    first, last = senders.start, senders.stop
    return MessageStep(
        f"r -> r {'+' if by > 0 else '-'} {abs(by)}",
        tasks,
        lambda r: np.where((r >= first) & (r < last), r + by, -1),
        lambda r: np.where((r - by >= first) & (r - by < last), r - by, -1),
        volume,
    )


def empty_phase(tasks: int) -> MessageStep:
    """Return the step of a task that is alone, and of all that pause."""
    return MessageStep("nothing to send", tasks, no_partner, no_partner, 0.0)


def no_partner(tasks: Tasks) -> Tasks:
    """Return that these tasks have no partner."""
    return np.full(tasks.shape, -1, np.int32)


def power_below(tasks: int) -> int:
    """Return the largest power of two that is not above the number of tasks."""
    return 1 << (tasks.bit_length() - 1)


def rounds_of(tasks: int) -> int:
    """Return how often a number of tasks that doubles from 1 on must double to reach all."""
    return ceil(log2(tasks)) if tasks > 1 else 0


def ring(tasks: int, volume: float, rounds: int = 1) -> Steps:
    """Return the steps in which everybody sends to the next what came last, until all has gone round so often."""
    return Steps(rounds * (tasks - 1), lambda number: shift(tasks, 1, volume))


def doubling(tasks: int) -> list[int]:
    """Return the bits by which tasks are paired, from the lowest on: of those that are left when tasks are folded."""
    return [1 << k for k in range(rounds_of(power_below(tasks)))]


def folded(tasks: int, into: float, exchanges: Callable[[int], Iterator[MessageStep]], out: float) -> Steps:
    """Return the exchanges among a power of two of the tasks, which `exchanges` gives from it.

    Before, each of the others hands over a message of the volume `into`, and gets one of the volume `out` after.
    """
    q = power_below(tasks)
    if q == tasks:
        return Steps.listed(exchanges(q))
    before, after = handover(tasks, range(q, tasks), -q, into), handover(tasks, range(tasks - q), q, out)
    return Steps.listed((before, *exchanges(q), after))


def blocks_near(r: Tasks, size: int, tasks: int) -> NDArray[np.float64]:
    """Return how many blocks those `size` tasks have together that agree with each of r but for the lowest bits.

    `size` is a power of two. Each has one, and one more if another task is folded into it.
    """
    first = r // size * size
    return size + np.clip(tasks - power_below(tasks) - first, 0, size).astype(np.float64)


class Collective(JobSpec, frozen=True):
    """A collective operation of all tasks; `steps` says what each algorithm sends."""

    tasks: Annotated[int, declare("Tasks", "number of tasks n", ge=1, le=1 << 20)] = 64
    message_bytes: MessageBytes = 1e6

    @abstractmethod
    def steps(self) -> Steps:
        """Return the steps."""

    @property
    def parts(self) -> int:
        """Return into how many equal parts a message is cut at most."""
        return 1

    @property
    def volume(self) -> float:
        """Return the size of a message, GB."""
        return self.message_bytes / BYTES_PER_GB

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: a phase for each step.

        Raises SpecError: beyond the limit on steps, or if the algorithm does not fit the number of tasks.
        """
        quantum = Fraction(self.message_bytes) / BYTES_PER_GB / self.parts
        phases = self.steps().phases(self.tasks)
        return Job(self, self.tasks, phases, None, unit=False, quantum=quantum, measure=MEASURES["MB"])

    def resized(self, slots: int) -> "Collective":
        """Return the collective of as many tasks as there are slots, or as its steps allow."""
        spec = replace(self, tasks=min(slots, 1 << 20))
        return spec if spec.steps().count <= MAX_STEPS else replace(self, tasks=min(slots, MAX_STEPS // 2))

    def summary(self) -> str:
        """Return the numbers of tasks and of steps."""
        return f"{self.tasks:,} tasks, {self.steps().words}"
