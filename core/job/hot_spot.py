"""Hot spots: a share of all traffic goes to a few tasks. A share of 1 is incast.

Source: Pfister and Norton, "'Hot spot' contention and combining in multistage interconnection networks", 1985.
"""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from msgspec.structs import replace

from core.job.job import MAX_TASKS, FlowBlock, Job, Phase, TaskCount, Tasks, check_tasks
from core.job.message import common_quantum
from core.job.ranks import RankedJob
from core.spec import SpecError, declare
from core.text import plural

HotTask = Annotated[int, declare("", "", ge=0, lt=MAX_TASKS)]


class HotSpot(RankedJob, frozen=True, tag="hot-spot"):
    """Hot spot: each task sends a share of its unit to the hot tasks and the rest in equal parts to all tasks."""

    title: ClassVar[str] = "Hot spot"

    tasks: TaskCount = 512
    hot: Annotated[
        tuple[HotTask, ...], declare("Hot tasks", "tasks that receive the share", min_length=1, max_length=64)
    ] = (0,)
    share: Annotated[
        float, declare("Hot share", "share of a task's unit that goes to the hot tasks, in equal parts", ge=0, le=1)
    ] = 1.0

    def summary(self) -> str:
        """Return the number of tasks, and of hot tasks."""
        return f"{self.tasks:,} tasks, {self.share * 100:.4g} % to {plural(len(self.hot), 'hot task')}"

    def resized(self, slots: int) -> "HotSpot":
        """Return the pattern with as many tasks as slots; hot tasks beyond them move to the last tasks."""
        tasks = min(slots, MAX_TASKS)
        kept = [hot for hot in self.hot if hot < tasks]
        return replace(self, tasks=tasks, hot=tuple(kept) or (0,))

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: one phase, with a flow to each task that receives something.

        Raises SpecError: if a hot task does not exist or is repeated, or beyond the limit on flows.
        """
        for k, hot in enumerate(self.hot):
            if hot >= self.tasks:
                raise SpecError("job.hot", f"refers to task {hot:,}; tasks are 0 to {self.tasks - 1:,}")
            if hot in self.hot[:k]:
                raise SpecError("job.hot", f"lists task {hot:,} twice; list each task once")
        phase = HotSpotPhase(self)
        check_tasks("job.tasks", self.tasks, self.tasks * phase.fan_out)
        # The decimal value, so that 0.1 is exactly a tenth.
        share = Fraction(repr(self.share))
        quantum = common_quantum(share / len(self.hot), (1 - share) / self.tasks)
        return Job(self, self.tasks, (phase,), None, unit=True, quantum=quantum)


class HotSpotPhase(Phase):
    """Volumes to every task, the same for all senders."""

    def __init__(self, spec: HotSpot) -> None:
        self.tasks = spec.tasks
        self._volume = np.full(spec.tasks, (1 - spec.share) / spec.tasks)
        self._volume[list(spec.hot)] += spec.share / len(spec.hot)
        self._targets = np.flatnonzero(self._volume).astype(np.int32)
        self.fan_out = self._targets.size

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return a flow to each task that receives something."""
        return self._flows(np.repeat(tasks, self.fan_out), np.tile(self._targets, tasks.size))

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return a flow from every task to each of the given tasks that receive something."""
        some = tasks[self._volume[tasks] > 0]
        return self._flows(np.tile(np.arange(self.tasks, dtype=np.int32), some.size), np.repeat(some, self.tasks))

    def _flows(self, src: Tasks, dst: Tasks) -> FlowBlock:
        return FlowBlock(src, dst, self._volume[dst])
