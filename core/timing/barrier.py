"""Barrier: a phase starts when the one before is over.

A step takes (most hops in it + 1) latencies, and what the busiest link needs for its load.
"""

from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.job.job import Phase
from core.load.phases import Loads, PhaseSums, phase_loads
from core.load.scenario import Case
from core.routing.router import Router
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
        phases, sums, start, steps = case.job.phases, PhaseSums(case), 0.0, []
        for number, phase in enumerate(phases):
            loads, router = phase_loads(case, phase, subprogress(progress, number, number + 1, len(phases)))
            step = self._step(case, phase, router, loads, sums.add(loads))._replace(start=start)
            start += step.seconds
            steps.append(step._replace(name=phase.name or f"phase {number + 1}"))
        return Timeline(case, steps, sums.load, sums.busy, sums.sent)

    def _step(self, case: Case, phase: Phase, router: Router, loads: Loads, busy: NDArray[np.float64]) -> Step:
        counted = MessageCount.of(case, phase, router)
        longest, name = float(busy.max(initial=0.0)), None
        if longest > 0:
            name = case.network.classes[int(busy.argmax())].name
        if self.injection_gbs is not None and counted.injected > longest * self.injection_gbs:
            longest, name = counted.injected / self.injection_gbs, INJECTION
        waits = self.hop_seconds * (counted.max_hops + 1) if counted.messages else 0.0
        contention = counted.contention(case, phase, router, loads)
        seconds = phase.pause_seconds + waits + longest
        return Step("", 0.0, seconds, counted.messages, counted.hops, counted.max_hops, contention, name)
