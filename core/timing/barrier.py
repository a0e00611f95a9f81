"""Barrier: a phase starts when the previous one has ended.

A step takes (most hops in it + 1) latencies, plus the time that the busiest link needs for its load.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job, Phase
from core.load.phases import PhaseSums, phase_loads
from core.load.scenario import Case
from core.routing.router import Router
from core.spec import Progress, no_progress, subprogress
from core.timing.messages import MessageCount
from core.timing.step import Step
from core.timing.timeline import INJECTION, Timeline
from core.timing.timing import TimingSpec

LOADS = 0.2
"""Fraction of a phase's progress spent on its loads; the rest is spent on counting messages."""


class BarrierTiming(TimingSpec, frozen=True, tag="barrier"):
    """Barrier: each step waits for the previous one, and lasts its longest latency plus its busiest link's time."""

    title: ClassVar[str] = "Barrier"
    counts_others: ClassVar[bool] = True

    def summary(self) -> str:
        """Return the model in words."""
        return "each step waits for the previous one"

    def timeline(self, case: Case, progress: Progress = no_progress, routers: list[Router] | None = None) -> Timeline:
        """Return when each phase runs; a phase that is run several times is evaluated once.

        `routers`, if given, receives the router of each of the job's `runs`, as planned for it.
        Raises Cancelled: when `progress` does.
        """
        runs, sums, steps = case.job.runs, PhaseSums(case), []
        for number, (_, phase, _) in enumerate(runs):
            counting = number + LOADS
            loads, router = phase_loads(case, phase, subprogress(progress, number, counting, len(runs)))
            counted = MessageCount.of(case, phase, router, subprogress(progress, counting, number + 1, len(runs)))
            contention = counted.contention(case, phase, router, loads)
            if routers is not None:
                routers.append(router)
            steps.append(self.step(case, phase, counted, contention, sums.add(loads)))
        return Timeline(case, in_turn(case.job, steps), sums.load, sums.busy, sums.sent)

    def step(
        self, case: Case, phase: Phase, counted: MessageCount, contention: float | None, busy: NDArray[np.float64]
    ) -> Step:
        """Return the step of a phase, starting at 0, from `busy`: seconds that each class's busiest link needs."""
        longest, name = float(busy.max(initial=0.0)), None
        if longest > 0:
            name = case.network.classes[int(busy.argmax())].name
        if self.injection_gbs is not None and counted.injected > longest * self.injection_gbs:
            longest, name = counted.injected / self.injection_gbs, INJECTION
        waits = self.hop_seconds * (counted.max_hops + 1) if counted.messages else 0.0
        seconds = phase.pause_seconds + waits + longest
        figures = seconds, counted.messages, counted.hops, counted.max_hops, contention
        return Step("", 0.0, *figures, name)


def in_turn(job: Job, steps: Sequence[Step]) -> list[Step]:
    """Return one step per phase, from the steps of the job's `runs`, each starting when the previous one ends."""
    placed, start = [], 0.0
    for number, run in enumerate(job.run_of):
        placed.append(replace(steps[run], name=job.step_name(number), start=start))
        start += steps[run].seconds
    return placed
