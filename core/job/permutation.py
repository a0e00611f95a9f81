"""Permutation: every task sends its unit, or a message, to one task, and every task receives one."""

from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, cast

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.job import MAX_TASKS, FlowBlock, Job, JobSpec, Phase, TaskCount, Tasks
from core.job.message import MessageSize, OwnBytes
from core.spec import Seed, SpecError, declare

Target = Annotated[int, declare("", "", ge=0, lt=MAX_TASKS)]


class PermutationJob(JobSpec, frozen=True):
    """Jobs of one phase in which every task sends to one task, and receives from one."""

    def min_crossing_volume(self, job: Job, capacity: int, groups: int) -> float:
        """Return the minimum volume of cycles that are too long for one group: one message for each group they need.

        Proof. A cycle of length m > capacity meets at least ``ceil(m / capacity)`` groups, so at least 2, and
        going round it enters each of them at least once.
        """
        phase = _phase(job)
        return phase.volume * sum(-(-m // capacity) for m in phase.cycles if m > capacity)

    def max_external_volume(self, job: Job, capacity: int) -> tuple[float, float]:
        """Return a message if groups are single tasks, otherwise 0, since a task has a single partner."""
        moves = capacity == 1 and self.volume_by_partner_rank(job)[0] > 0
        least = _phase(job).volume if moves else 0.0
        return least, least

    def volume_by_partner_rank(self, job: Job) -> NDArray[np.float64]:
        """Return a message for each task that sends to another."""
        phase = _phase(job)
        return phase.volume * np.array([np.count_nonzero(phase.targets != np.arange(job.tasks))], np.float64)


class Permutation(PermutationJob, frozen=True, tag="permutation"):
    """Permutation: each task sends its unit to one task, drawn at random or given as its target."""

    title: ClassVar[str] = "Permutation"

    tasks: TaskCount = 512
    seed: Seed = 0
    targets: Annotated[
        tuple[Target, ...] | None, declare("Targets", "target of each task (default: random targets)")
    ] = None
    message_bytes: OwnBytes = None

    @property
    def unused(self) -> frozenset[str]:
        """Return the seed, if targets are given."""
        return frozenset(() if self.targets is None else ("seed",))

    def summary(self) -> str:
        """Return the number of tasks and where the permutation comes from."""
        return f"{self.tasks:,} tasks, {'given targets' if self.targets is not None else f'seed {self.seed}'}"

    def resized(self, slots: int) -> "Permutation":
        """Return a random permutation with as many tasks as slots, since given targets fit only their own number."""
        return replace(self, tasks=min(slots, MAX_TASKS), targets=None)

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: one phase, one flow per task.

        Raises SpecError: if the targets are not a permutation of the tasks.
        """
        size = MessageSize.of(self.message_bytes, Fraction(1))
        phase = PermutationPhase(self._targets(), size.volume)
        return Job(self, self.tasks, (phase,), None, size.unit, size.quantum, size.measure)

    def _targets(self) -> Tasks:
        if self.targets is None:
            return np.random.default_rng(self.seed).permutation(self.tasks).astype(np.int32)
        if len(self.targets) != self.tasks:
            raise SpecError(
                "job.targets", f"has {len(self.targets):,} targets for {self.tasks:,} tasks; give one target per task"
            )
        targets = np.array(self.targets, np.int32)
        seen = np.bincount(targets, minlength=self.tasks)
        if seen.size > self.tasks:
            raise SpecError("job.targets", f"refers to task {targets.max():,}; tasks are 0 to {self.tasks - 1:,}")
        if (seen != 1).any():
            raise SpecError(
                "job.targets",
                f"task {int(seen.argmax()):,} is a target twice; every task must be a target exactly once",
            )
        return targets


def _phase(job: Job) -> "PermutationPhase":
    return cast(PermutationPhase, job.phases[0])


class PermutationPhase(Phase):
    """One flow out of, and into, every task."""

    fan_out = 1

    def __init__(self, targets: Tasks, volume: float) -> None:
        self.tasks, self.targets, self.volume = targets.size, targets, volume
        self._sources = np.argsort(targets).astype(np.int32)

    @cached_property
    def cycles(self) -> list[int]:
        """Return the length of every cycle."""
        seen = np.zeros(self.tasks, bool)
        lengths = []
        for first in range(self.tasks):
            length, task = 0, first
            while not seen[task]:
                seen[task] = True
                task = int(self.targets[task])
                length += 1
            if length:
                lengths.append(length)
        return lengths

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return one flow for each task."""
        return FlowBlock(tasks, self.targets[tasks], np.full(tasks.size, self.volume))

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return one flow for each task."""
        return FlowBlock(self._sources[tasks], tasks, np.full(tasks.size, self.volume))
