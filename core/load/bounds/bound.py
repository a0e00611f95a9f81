"""A lower bound on the time, and how far a mapping is from it."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from core.job.measure import Measure
from core.load.scenario import Case

FACTOR = 90
"""Percentage from which the gap is given as a factor: within 100 % would be within a factor of 2."""
CLEARLY = 1e-9
"""Smallest relative difference that counts as one."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on t: no mapping of the job is faster."""

    time: float
    link_class: str | None
    """The class it bounds; None if several share it."""
    reason: str
    """Why, in one sentence, with the figures."""


@dataclass(frozen=True, slots=True)
class Gap:
    """How far a mapping is from a proved lower bound."""

    bound: Bound
    time: float
    """t of the mapping."""

    @property
    def reached(self) -> float:
        """Return bound / t, the part of the highest throughput not ruled out that is reached, at most 1."""
        return min(self.bound.time / self.time, 1.0)

    @property
    def left(self) -> float:
        """Return by what part of its throughput the mapping could be beaten at most; 0 if by nothing."""
        return self.time / self.bound.time - 1 if not self.closed else 0.0

    @property
    def closed(self) -> bool:
        """Return whether no mapping is better: bound and t are one."""
        return self.time <= self.bound.time * (1 + CLEARLY)

    @property
    def words(self) -> str:
        """Return a phrase with the figure: ``within 4.3 % of what the job allows``."""
        if self.closed:
            return "as good as the job allows"
        percent = 100 * self.left
        if percent < FACTOR:
            return f"within {percent:.{1 if percent < 10 else 0}f} % of what the job allows"
        return f"within a factor of {1 + self.left:,.{1 if self.left < 99 else 0}f} of what the job allows"


def gap(found: tuple[Bound, ...], time: float) -> Gap | None:
    """Return how far a mapping with this t is from the strongest bound; None without one, or if nothing is loaded."""
    strongest = max(found, key=lambda bound: bound.time, default=None)
    return Gap(strongest, time) if strongest is not None and time > 0 else None


def load_quantum(case: Case, link_class: str) -> float | None:
    """Return the load of which every link's load in a class is a whole multiple, if one is known."""
    quantum, share = case.job.quantum, case.router.share_quantum(link_class)
    return float(Fraction(quantum * share)) if quantum is not None and share is not None else None


def rounded_up(mean: float, case: Case, link_class: str) -> float:
    """Return the least load of the busiest link of a class, if the mean is `mean` at least."""
    part = load_quantum(case, link_class)
    # A little below, so that rounding in the mean never lifts the bound by a whole part.
    return mean if part is None else max(mean, ceil(mean / part * (1 - CLEARLY)) * part)


def lifted(mean: float, least: float, measure: Measure) -> str:
    """Return the end of a reason, where `rounded_up` gave `least`."""
    # Figures that read the same are not repeated.
    differs = least > mean * (1 + CLEARLY) and measure.number(least) != measure.number(mean)
    return f", in whole parts {measure.number(least)} on the busiest" if differs else ""
