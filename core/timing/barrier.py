"""Barrier: a phase starts when the one before is over.

A step takes (most hops in it + 1) latencies, and what the busiest link needs for its load.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.load.phases import PhaseSums, phase_loads
from core.load.scenario import Case
from core.spec import Progress, declare, no_progress, subprogress
from core.timing.messages import MessageCount
from core.timing.timeline import INJECTION, Step, Timeline
from core.timing.timing import TimingSpec


class BarrierTiming(TimingSpec, frozen=True, tag="barrier"):
    """Barrier: each step waits for the one before; it takes its longest path's latency, and its busiest link's time."""

    title: ClassVar[str] = "Barrier"

    hop_seconds: Annotated[
        float, declare("Latency", "of a hop; a message over h links waits h + 1 times", unit="s", ge=0, le=1e3)
    ] = 0.0

    def summary(self) -> str:
        """Return what counts."""
        return "each step waits for the one before"

    def timeline(self, case: Case, progress: Progress = no_progress) -> Timeline:
        """Return when each phase runs, evaluated one by one.

        Raises Cancelled: when `progress` does.
        """
        phases, sums, steps = case.job.phases, PhaseSums(case), []
        for number, phase in enumerate(phases):
            loads, router = phase_loads(case, phase, subprogress(progress, number, number + 1, len(phases)))
            counted = MessageCount.of(case, phase, router)
            contention = counted.contention(case, phase, router, loads)
            steps.append(self.step(case, number, counted, contention, sums.add(loads)))
        return Timeline(case, in_turn(steps), sums.load, sums.busy, sums.sent)

    def step(
        self, case: Case, number: int, counted: MessageCount, contention: float, busy: NDArray[np.float64]
    ) -> Step:
        """Return a step as if it were the first, from what the busiest link of each class needs."""
        phase = case.job.phases[number]
        longest, name = float(busy.max(initial=0.0)), None
        if longest > 0:
            name = case.network.classes[int(busy.argmax())].name
        if self.injection_gbs is not None and counted.injected > longest * self.injection_gbs:
            longest, name = counted.injected / self.injection_gbs, INJECTION
        waits = self.hop_seconds * (counted.max_hops + 1) if counted.messages else 0.0
        seconds = phase.pause_seconds + waits + longest
        figures = seconds, counted.messages, counted.hops, counted.max_hops, contention
        return Step(phase.name or f"phase {number + 1}", 0.0, *figures, name)


def in_turn(steps: Iterable[Step]) -> list[Step]:
    """Return the steps, each beginning when the one before is over."""
    found, start = [], 0.0
    for step in steps:
        found.append(step._replace(start=start))
        start += step.seconds
    return found
