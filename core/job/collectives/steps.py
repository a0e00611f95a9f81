"""Steps of collectives, in which each task sends at most one message and receives at most one.

Step names write a task as r, as MPI's literature does. If the number of tasks is not a power of two, algorithms that
pair tasks bit by bit *fold*: with q the largest power of two not above the number, task q + i first sends to task i,
and receives its result in the end (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations
in MPICH", 2005).
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
from core.text import plural

MAX_STEPS = 1 << 14
"""Maximum number of steps of a job; for larger jobs there are algorithms with fewer steps."""

Partners = Callable[[Tasks], Tasks]
"""Maps tasks to the tasks they send to, or receive from; -1 for none."""
Blocks = Callable[[Tasks], NDArray[np.float64]]
"""Maps sending tasks to the number of blocks in their messages."""


class MessageStep(Phase):
    """Simultaneous messages, at most one from each task and at most one to it."""

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
    """The steps of an operation, created on demand, since there may be a million."""

    count: int
    make: Callable[[int], Phase]
    """Creates the step with a given number, from 0."""

    @classmethod
    def listed(cls, steps: Iterable[Phase]) -> "Steps":
        """Wrap a few existing steps."""
        listed = tuple(steps)
        return cls(len(listed), listed.__getitem__)

    @property
    def words(self) -> str:
        """Return ``31 steps``."""
        return plural(self.count, "step")

    def phases(self, tasks: int) -> tuple[Phase, ...]:
        """Return all steps, with their numbers in their names, or an empty phase if there are none.

        Raises SpecError: beyond the limit on steps.
        """
        if self.count > MAX_STEPS:
            message = (
                f"makes {self.count:,} steps; the limit is {MAX_STEPS:,} (choose fewer tasks or another algorithm)"
            )
            raise SpecError("job.tasks", message)
        return tuple(self._numbered(number) for number in range(self.count)) or (empty_phase(tasks),)

    def _numbered(self, number: int) -> Phase:
        step = self.make(number)
        step.name = f"step {number + 1}: {step.name}"
        return step


def shift(tasks: int, by: int, volume: float) -> MessageStep:
    """Return the step in which every task r sends to r + by, modulo the number of tasks."""
    name = f"r -> r {'+' if by > 0 else '-'} {abs(by)}"
    return MessageStep(name, tasks, lambda r: (r + by) % tasks, lambda r: (r - by) % tasks, volume)


def exchange_step(name: str, tasks: int, partner: Partners, volume: float, blocks: Blocks | None = None) -> MessageStep:
    """Return the step in which partners exchange messages; `partner` is its own inverse."""
    return MessageStep(name, tasks, partner, partner, volume, blocks)


def exchange_bit(tasks: int, bit: int, below: int, volume: float, blocks: Blocks | None = None) -> MessageStep:
    """Return the step in which tasks below `below` exchange messages with tasks that differ in one bit."""
    return exchange_step(f"r <-> r XOR {bit}", tasks, lambda r: np.where(r < below, r ^ bit, -1), volume, blocks)


def handover(tasks: int, senders: range, by: int, volume: float) -> MessageStep:
    """Return the step in which the tasks in `senders` send to the tasks at distance `by`."""
    first, last = senders.start, senders.stop
    return MessageStep(
        f"r -> r {'+' if by > 0 else '-'} {abs(by)}",
        tasks,
        lambda r: np.where((r >= first) & (r < last), r + by, -1),
        lambda r: np.where((r - by >= first) & (r - by < last), r - by, -1),
        volume,
    )


def empty_phase(tasks: int) -> MessageStep:
    """Return a phase without messages, for a single task or a pause."""
    return MessageStep("no messages", tasks, no_partner, no_partner, 0.0)


def no_partner(tasks: Tasks) -> Tasks:
    """Return -1 for all tasks."""
    return np.full(tasks.shape, -1, np.int32)


def power_below(tasks: int) -> int:
    """Return the largest power of two up to the number of tasks."""
    return 1 << (tasks.bit_length() - 1)


def ceil_log2(tasks: int) -> int:
    """Return ``ceil(log2(tasks))``."""
    return ceil(log2(tasks)) if tasks > 1 else 0


def ring_steps(tasks: int, volume: float, rounds: int = 1) -> Steps:
    """Return the steps in which every task forwards to the next, `rounds` times around the ring."""
    return Steps(rounds * (tasks - 1), lambda number: shift(tasks, 1, volume))


def doubling(tasks: int) -> list[int]:
    """Return the bits by which tasks are paired, ascending, among the tasks that remain after folding."""
    return [1 << k for k in range(ceil_log2(power_below(tasks)))]


def folded(tasks: int, into: float, exchanges: Callable[[int], Iterator[MessageStep]], out: float) -> Steps:
    """Return the exchanges among the largest power of two of the tasks, given by `exchanges`, with folding.

    Every other task first sends a message of volume `into`, and finally receives one of volume `out`.
    """
    q = power_below(tasks)
    if q == tasks:
        return Steps.listed(exchanges(q))
    before, after = handover(tasks, range(q, tasks), -q, into), handover(tasks, range(tasks - q), q, out)
    return Steps.listed((before, *exchanges(q), after))


def blocks_near(r: Tasks, size: int, tasks: int) -> NDArray[np.float64]:
    """Return the number of blocks of the `size` tasks that agree with each task in `r` except in the lowest bits.

    `size` is a power of two. Each task has one block, and one more if another task is folded into it.
    """
    first = r // size * size
    return size + np.clip(tasks - power_below(tasks) - first, 0, size).astype(np.float64)


class Collective(JobSpec, frozen=True):
    """A collective operation of all tasks; `steps` returns the messages of the chosen algorithm."""

    tasks: Annotated[int, declare("Tasks", "number of tasks n", ge=1, le=1 << 20)] = 64
    message_bytes: MessageBytes = 1e6

    @abstractmethod
    def steps(self) -> Steps:
        """Return the steps."""

    @property
    def parts(self) -> int:
        """Return the maximum number of equal parts into which a message is split."""
        return 1

    @property
    def volume(self) -> float:
        """Return the size of a message in GB."""
        return self.message_bytes / BYTES_PER_GB

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: a phase for each step.

        Raises SpecError: beyond the limit on steps, or if the algorithm does not fit the number of tasks.
        """
        quantum = Fraction(self.message_bytes) / BYTES_PER_GB / self.parts
        phases = self.steps().phases(self.tasks)
        return Job(self, self.tasks, phases, None, unit=False, quantum=quantum, measure=MEASURES["MB"])

    def resized(self, slots: int) -> "Collective":
        """Return the collective with as many tasks as slots, within the limit on steps."""
        spec = replace(self, tasks=min(slots, 1 << 20))
        return spec if spec.steps().count <= MAX_STEPS else replace(self, tasks=min(slots, MAX_STEPS // 2))

    def summary(self) -> str:
        """Return the numbers of tasks and of steps."""
        return f"{self.tasks:,} tasks, {self.steps().words}"
