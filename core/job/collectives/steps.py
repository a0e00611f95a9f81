"""What collectives are made of: steps in which a task sends at most one message and receives at most one.

Step names write a task as r, as MPI's literature does. Where the tasks are no power of two, algorithms that pair tasks
bit by bit *fold*: with q the largest power of two not above their number, task q + i first hands over to task i, and
gets what it is due in the end (Thakur, Rabenseifner and Gropp, "Optimization of Collective Communication Operations in
MPICH", 2005).
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil, log2
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.job import FlowBlock, Job, JobSpec, Phase, Tasks
from core.job.measure import MEASURES
from core.spec import SpecError, declare

MAX_STEPS = 1 << 14
"""Beyond it a collective is refused: an algorithm of fewer steps does the same."""
BYTES_PER_GB = 10**9

Partners = Callable[[Tasks], Tasks]
"""For each of some tasks the one it sends to, or receives from; -1: none."""
Blocks = Callable[[Tasks], NDArray[np.float64]]
"""For each of some tasks that send, how many blocks its message carries."""

MessageBytes = Annotated[float, declare("Message", "size, in bytes", unit="bytes", gt=0, le=1e18)]
"""The declaration of every message size."""


class Step(Phase):
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


def shift(name: str, tasks: int, by: int, volume: float) -> Step:
    """Return the step in which every task r sends to r + by, around."""
    return Step(name, tasks, lambda r: (r + by) % tasks, lambda r: (r - by) % tasks, volume)


def exchange(name: str, tasks: int, partner: Partners, volume: float, blocks: Blocks | None = None) -> Step:
    """Return the step in which partners send each other a message; `partner` is its own inverse."""
    return Step(name, tasks, partner, partner, volume, blocks)


def handover(name: str, tasks: int, senders: slice, by: int, volume: float, blocks: Blocks | None = None) -> Step:
    """Return the step in which the tasks of a range send to those that are `by` further on."""
    first, last = senders.start, senders.stop

    def target(r: Tasks) -> Tasks:
        return np.where((r >= first) & (r < last), r + by, -1)

    def source(r: Tasks) -> Tasks:
        return np.where((r - by >= first) & (r - by < last), r - by, -1)

    return Step(name, tasks, target, source, volume, blocks)


def silence(tasks: int) -> Step:
    """Return the step of a task that is alone."""
    return handover("nothing to send", tasks, slice(0, 0), 0, 0.0)


def power_below(tasks: int) -> int:
    """Return the largest power of two that is not above the number of tasks."""
    return 1 << (tasks.bit_length() - 1)


def rounds_of(tasks: int) -> int:
    """Return how often a number of tasks that doubles from 1 on must double to reach all."""
    return ceil(log2(tasks)) if tasks > 1 else 0


def bit_partner(bit: int, below: int) -> Partners:
    """Return the partners that differ in one bit, among the tasks from 0 to `below`."""
    return lambda r: np.where(r < below, r ^ bit, -1)


def ring(tasks: int, volume: float, first: int = 1) -> Iterator[Step]:
    """Yield the steps in which everybody sends to the next what came last, until all has gone round.

    `first` is the number of the first of them.
    """
    for number in range(first, first + tasks - 1):
        yield shift(f"step {number}: r -> r + 1", tasks, 1, volume)


def check_steps(count: int) -> None:
    """Refuse a job of too many steps.

    Raises SpecError: naming the limit.
    """
    if count > MAX_STEPS:
        advice = "choose fewer tasks or another algorithm"
        raise SpecError("job.tasks", f"makes {count:,} steps; at most {MAX_STEPS:,} fit, {advice}")


class Collective(JobSpec, frozen=True):
    """A collective operation of all tasks; `steps` says what each algorithm sends."""

    tasks: Annotated[int, declare("Tasks", "number of tasks n", ge=1, le=1 << 20)] = 64
    message_bytes: MessageBytes = 1e6

    @abstractmethod
    def steps(self) -> Iterator[Step]:
        """Yield the steps.

        Raises SpecError: if the algorithm does not fit the number of tasks.
        """

    @abstractmethod
    def count(self) -> int:
        """Return the number of steps."""

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
        if self.count() > MAX_STEPS:
            message = (
                f"makes {self.count():,} steps; at most {MAX_STEPS:,} fit, choose fewer tasks or another algorithm"
            )
            raise SpecError("job.tasks", message)
        quantum = Fraction(self.message_bytes) / BYTES_PER_GB / self.parts
        phases = tuple(self.steps()) or (silence(self.tasks),)
        return Job(self, self.tasks, phases, None, unit=False, quantum=quantum, measure=MEASURES["MB"])

    def resized(self, slots: int) -> "Collective":
        """Return the collective of as many tasks as there are slots, or as its steps allow."""
        spec = replace(self, tasks=min(slots, 1 << 20))
        return spec if spec.count() <= MAX_STEPS else replace(self, tasks=min(slots, MAX_STEPS // 2))

    def summary(self) -> str:
        """Return the numbers of tasks and of steps."""
        return f"{self.tasks:,} tasks, {self.count():,} step{'' if self.count() == 1 else 's'}"
