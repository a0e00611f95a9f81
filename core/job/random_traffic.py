"""Random traffic: every task sends messages to random tasks."""

from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.job import MAX_TASKS, FlowBlock, Job, Phase, TaskCount, Tasks, check_tasks
from core.job.ranks import RankedJob
from core.spec import Seed, SpecError, declare

MAX_MESSAGES = 1 << 27
"""Maximum number of messages of all tasks, whose targets are stored in 0.5 GB."""


class RandomTraffic(RankedJob, frozen=True, tag="random"):
    """Random traffic: each task sends its unit in equal messages to random tasks."""

    title: ClassVar[str] = "Random traffic"

    tasks: TaskCount = 512
    messages: Annotated[int, declare("Messages per task", "messages that each task sends", ge=1, le=1 << 20)] = 1
    draw: Annotated[
        Literal["independent", "permutation"],
        declare("Draw", "independent targets, or permutations (every task receives as many messages as it sends)"),
    ] = "independent"
    seed: Seed = 0

    def summary(self) -> str:
        """Return the numbers of tasks and of flows."""
        return f"{self.tasks:,} tasks, {self.tasks * self.messages:,} flows, seed {self.seed}"

    def resized(self, slots: int) -> "RandomTraffic":
        """Return the pattern with as many tasks as slots."""
        return replace(self, tasks=min(slots, MAX_TASKS))

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: one phase. A task may send to itself, which is free, and to another task more than once.

        Raises SpecError: beyond the limit on messages.
        """
        check_tasks("job.tasks", self.tasks, self.tasks * self.messages)
        if self.tasks * self.messages > MAX_MESSAGES:
            message = (
                f"{self.tasks:,} tasks make {self.tasks * self.messages:,} messages; the limit is {MAX_MESSAGES:,}"
            )
            raise SpecError("job.messages", message)
        phase = DrawnPhase(self._targets())
        return Job(self, self.tasks, (phase,), None, unit=True, quantum=Fraction(1, self.messages))

    def _targets(self) -> Tasks:
        random, shape = np.random.default_rng(self.seed), (self.tasks, self.messages)
        if self.draw == "independent":
            return random.integers(0, self.tasks, shape).astype(np.int32)
        return np.stack([random.permutation(self.tasks) for _ in range(self.messages)], axis=1).astype(np.int32)


class DrawnPhase(Phase):
    """Messages of one size; `targets` has shape ``(tasks, messages)``."""

    def __init__(self, targets: Tasks) -> None:
        self.tasks, self.fan_out = targets.shape
        self._targets = targets

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the messages that tasks send."""
        return self._flows(np.repeat(tasks, self.fan_out), self._targets[tasks].ravel())

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the messages that tasks receive."""
        start, order = self._by_target
        counts = start[tasks + 1] - start[tasks]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        messages = order[np.repeat(start[tasks], counts) + within]
        return self._flows((messages // self.fan_out).astype(np.int32), np.repeat(tasks, counts))

    @cached_property
    def _by_target(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        # Where the messages to each task begin, in the order of targets.
        reached = self._targets.ravel()
        start = np.append(0, np.cumsum(np.bincount(reached, minlength=self.tasks)))
        return start, np.argsort(reached, kind="stable")

    def _flows(self, src: Tasks, dst: Tasks) -> FlowBlock:
        return FlowBlock(src, dst, np.full(src.size, 1 / self.fan_out))
