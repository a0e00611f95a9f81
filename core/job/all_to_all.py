"""All-to-all: every task sends an equal share to every task."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.job.job import BLOCK, MAX_TASKS, FlowBlock, Job, JobSpec, SymmetricPhase, Tasks
from core.spec import declare


class AllToAll(JobSpec, frozen=True, tag="all-to-all"):
    """All-to-all: 1/n of a task's unit to each of the n tasks, itself included (that share is free)."""

    title: ClassVar[str] = "All-to-all"

    tasks: Annotated[int, declare("Tasks", "number of tasks n", ge=1, le=MAX_TASKS)] = 512

    def summary(self) -> str:
        """Return the numbers of tasks and of flows."""
        return f"{self.tasks:,} tasks, {self.tasks**2:,} flows"

    def resized(self, slots: int) -> "AllToAll":
        """Return the pattern for as many tasks as there are slots, or as the limit allows."""
        return AllToAll(min(slots, MAX_TASKS))

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: one phase, n flows a task. More than `MAX_FLOWS` are for few nodes with many tasks each."""
        phase = AllToAllPhase(self.tasks)
        return Job(self, self.tasks, (phase,), None, unit=True, quantum=Fraction(1, self.tasks))

    def min_leaving_volume(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return ``k (n - k) / n``, which is exact."""
        return np.asarray(sizes * (self.tasks - sizes) / self.tasks)

    def volume_by_partner_rank(self, job: Job) -> NDArray[np.float64]:
        """Return 1/n from each of n tasks for each of n - 1 partners."""
        return np.ones(self.tasks - 1)


class AllToAllPhase(SymmetricPhase):
    """Every ordered pair of tasks."""

    aggregates_by_node = True

    def __init__(self, tasks: int) -> None:
        self.tasks = self.fan_out = tasks
        self._everyone = np.arange(tasks, dtype=np.int32)

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return n flows for each task."""
        count = tasks.size * self.tasks
        return FlowBlock(
            np.repeat(tasks, self.tasks), np.tile(self._everyone, tasks.size), np.full(count, 1 / self.tasks)
        )

    def node_pair_flows(self, tasks_on: NDArray[np.int64]) -> Iterator[tuple[float, FlowBlock]]:
        """Yield, from u to v, as many n-th parts as there are pairs of a task on u and one on v.

        Node after node that they reach, since paths are looked for from where they end.
        """
        used = np.flatnonzero(tasks_on).astype(np.int32)
        count = tasks_on[used].astype(np.float64)
        step = max(1, BLOCK // used.size)
        for first in range(0, used.size, step):
            some = slice(first, first + step)
            dst, sent = used[some], count[some, None] * count / self.tasks
            done = min(first + step, used.size) / used.size
            yield done, FlowBlock(np.tile(used, dst.size), np.repeat(dst, used.size), sent.ravel())
