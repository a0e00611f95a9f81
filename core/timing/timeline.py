"""The result of a timing: the time and messages of each step, and how busy the links are in total.

Each step holds sums over links only; the loads of its links are computed on demand.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.load.phases import neighbours_loads
from core.load.scenario import Case
from core.timing.clex_rounds import ClexRounds
from core.timing.round_steps import RoundSteps
from core.timing.step import Step, StepFigures

INJECTION = "injection"
"""The bottleneck of a step if a node's limit on sending or receiving takes longest."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """When each step runs, and how busy the link classes are."""

    case: Case
    steps: Sequence[Step]
    load: NDArray[np.float64]
    """Load of every link over the whole time, shape ``(links,)``."""
    busy: NDArray[np.float64]
    """Seconds that the busiest link of each class needs in each step, shape ``(steps, classes)``."""
    sent: NDArray[np.float64]
    """Load of all links of each class in each step, shape ``(steps, classes)``."""
    rank_times: NDArray[np.float64] | None = None
    """When each rank begins each step, and ends the last, shape ``(steps + 1, tasks)``; None if all do together."""
    rounds: ClexRounds | None = None
    """Rounds of all steps; None unless timed by rounds."""
    each_round: RoundSteps | None = None
    """Loads in each round, if the steps are rounds; None if the steps are the phases of the job."""

    def retimed(
        self,
        begin: NDArray[np.float64],
        end: NDArray[np.float64],
        rank_times: NDArray[np.float64] | None = None,
        rounds: ClexRounds | None = None,
    ) -> "Timeline":
        """Return the same steps with other begins and ends, both of shape ``(steps,)``."""
        each = zip(self.steps, begin.tolist(), end.tolist(), strict=True)
        steps = [replace(step, start=first, seconds=last - first) for step, first, last in each]
        return replace(self, steps=steps, rank_times=rank_times, rounds=rounds)

    @cached_property
    def seconds(self) -> float:
        """Return the total duration."""
        return max((step.start + step.seconds for step in self.steps), default=0.0)

    def step_at(self, seconds: float) -> int:
        """Return the running step that began last at a moment; if none runs, the last that has begun."""
        start, end = self._times
        begun = np.flatnonzero(start <= seconds)
        running = begun[end[begun] > seconds]
        some = running if running.size else begun
        return int(some[np.flatnonzero(start[some] == start[some].max())[-1]]) if some.size else 0

    @cached_property
    def _times(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        # When each step begins and ends.
        start = np.array([step.start for step in self.steps])
        return start, start + [step.seconds for step in self.steps]

    @property
    def timed(self) -> bool:
        """Return whether steps have times; message counts have none."""
        return self.case.job.measure.timed

    @property
    def noun(self) -> str:
        """Return the noun for a step: ``step`` or ``round``."""
        return "step" if self.each_round is None else "round"

    @property
    def columns(self) -> tuple[str, ...]:
        """Return the names of the figures of a step in tables."""
        return tuple(field.name for field in fields(Step))

    @property
    def total_seconds(self) -> float | None:
        """Return `seconds`, or None without times."""
        return self.seconds if self.timed else None

    def figures(self, steps: int | None = None) -> Sequence[StepFigures]:
        """Return the first `steps` steps, or all if None, without times if they have none."""
        first = self.steps[:steps]
        if self.timed:
            return first
        kept = [field.name for field in fields(StepFigures) if field.name not in ("start", "seconds")]
        return [StepFigures(start=None, seconds=None, **{name: getattr(step, name) for name in kept}) for step in first]

    @property
    def messages(self) -> int:
        """Return the number of messages sent."""
        return sum(step.messages for step in self.steps)

    @property
    def hops(self) -> float:
        """Return the total number of links that they cross."""
        return sum(step.hops for step in self.steps)

    @property
    def contention(self) -> float | None:
        """Return how many pairs of messages meet on a link, in all steps, or None if counting takes too long."""
        counts = [step.contention for step in self.steps if step.contention is not None]
        return sum(counts) if len(counts) == len(self.steps) else None

    @cached_property
    def utilisation(self) -> dict[str, float]:
        """Return, for each class, the load of all jobs as a fraction of the capacity of its links in this time."""
        others = neighbours_loads(self.case)
        return self._utilisation(self.load + others if others.size else self.load)

    @cached_property
    def own_utilisation(self) -> dict[str, float]:
        """Return the same for the job's own load."""
        return self._utilisation(self.load)

    def _utilisation(self, load: NDArray[np.float64]) -> dict[str, float]:
        case = self.case
        could = {c.name: float(case.gbs[c.links].sum()) * self.seconds for c in case.network.classes}
        carried = {c.name: float(load[c.links].sum()) for c in case.network.classes}
        return {name: carried[name] / most if most > 0 else 0.0 for name, most in could.items()}
