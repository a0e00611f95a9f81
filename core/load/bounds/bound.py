"""Lower bounds on the time, and the gap between a mapping and a bound."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from core.job.measure import Measure
from core.load.scenario import Case

FACTOR = 90
"""Percentage from which the gap is given as a factor."""
CLEARLY = 1e-9
"""Smallest relative difference that counts."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on the time t of any mapping of the job."""

    time: float
    link_class: str | None
    """The class it holds for; None if for several classes together."""
    reason: str
    """Explanation in one sentence, with figures."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The gap between a mapping and a lower bound."""

    bound: Bound
    time: float
    """The mapping's t."""

    @property
    def reached(self) -> float:
        """Return bound / t, the fraction of the highest possible throughput that is reached, at most 1."""
        return min(self.bound.time / self.time, 1.0)

    @property
    def left(self) -> float:
        """Return the largest possible relative gain in throughput; 0 if the mapping is optimal."""
        return self.time / self.bound.time - 1 if not self.closed else 0.0

    @property
    def closed(self) -> bool:
        """Return whether the mapping is optimal: the bound equals t."""
        return self.time <= self.bound.time * (1 + CLEARLY)

    @property
    def words(self) -> str:
        """Return the gap in words: ``within 4.3 % of what the job allows``."""
        if self.closed:
            return "as good as the job allows"
        percent = 100 * self.left
        if percent < FACTOR:
            return f"within {percent:.{1 if percent < 10 else 0}f} % of what the job allows"
        return f"within a factor of {1 + self.left:,.{1 if self.left < 99 else 0}f} of what the job allows"


def gap(bounds: tuple[Bound, ...], time: float) -> Gap | None:
    """Return the gap between a time and the strongest bound, or None without a bound, or if nothing is loaded."""
    strongest = max(bounds, key=lambda bound: bound.time, default=None)
    return Gap(strongest, time) if strongest is not None and time > 0 else None


def load_quantum(case: Case, link_class: str) -> float | None:
    """Return a load that divides every link's load in a class, if known."""
    quantum, share = case.job.quantum, case.router.share_quantum(link_class)
    return float(Fraction(quantum * share)) if quantum is not None and share is not None else None


def rounded_up(mean: float, case: Case, link_class: str) -> float:
    """Return a lower bound on the largest load of a class, given a lower bound on the mean."""
    part = load_quantum(case, link_class)
    # Slightly lower, so that rounding of the mean never lifts the bound by a quantum.
    return mean if part is None else max(mean, ceil(mean / part * (1 - CLEARLY)) * part)


def rounding_note(mean: float, least: float, measure: Measure) -> str:
    """Return the end of a reason, if `rounded_up` gave `least`."""
    # Figures that look the same are not repeated.
    differs = least > mean * (1 + CLEARLY) and measure.number(least) != measure.number(mean)
    return f", in whole parts {measure.number(least)} on the busiest" if differs else ""
