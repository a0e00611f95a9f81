"""The throughput after each step: its values, and the ranges in which they are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.model.performance import Performance
from app.views.drawing import padded
from core.job.measure import UNITS, strictest

MAX_PX = 44
"""Maximum distance of two steps, unless the chart is zoomed."""
INSET_PX = 10
"""Distance of the first and the last step from the ends of the axis."""
PAD = 0.08
"""Padding above and below, as part of the range."""
EQUAL_RANGE = 1e-9
"""Relative range below which all throughputs count as equal."""

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Course:
    """The throughput along the history."""

    gbs: Values
    """(steps + 1,) GB/s per node at the beginning and after each step; NaN if nothing is loaded."""
    done: int
    """Index of the state on screen."""
    first: int = 0
    """Number of the first state kept: the number of steps dropped before it."""
    pending: float | None = None
    """Throughput of the gesture under way, GB/s."""
    unit: str = UNITS.rate
    """The unit of the throughputs (`Measure.rate`)."""
    cut: Values | None = None
    """(steps + 1,) volume of disconnected flows; None if there are none."""

    @classmethod
    def of(cls, states: Sequence[Performance], done: int, first: int) -> "Course":
        """Return the course over the performances at the beginning and after each step."""
        gbs = np.array([reached.gbs for reached in states], np.float64)
        cut = np.array([reached.cut for reached in states], np.float64)
        return cls(gbs, done, first, unit=strictest(reached.measure for reached in states).rate, cut=cut)

    @property
    def steps(self) -> int:
        """Return the number of steps."""
        return self.gbs.size - 1

    @property
    def last(self) -> int:
        """Return the number of the last state."""
        return self.first + self.steps

    @property
    def throughputs(self) -> Values:
        """Return the throughputs of all states and of the gesture under way."""
        return self.gbs if self.pending is None else np.append(self.gbs, self.pending)

    @property
    def best(self) -> int | None:
        """Return the first state with the highest throughput; None if no state has load or all are equal.

        States with more disconnected flows than others do not count.
        """
        # A higher throughput of the remaining flows is not a gain.
        gbs = self.gbs if self.cut is None else np.where(self.cut > self.cut.min(), np.nan, self.gbs)
        finite = gbs[np.isfinite(gbs)]
        if finite.size < 2 or np.ptp(finite) <= EQUAL_RANGE * finite.max():
            return None
        return int(np.nanargmax(gbs))


def step_range(course: Course, width: float) -> tuple[float, float]:
    """Return the numbers of steps at the ends of an axis of `width` pixels on which a course is shown in full."""
    last = max(course.steps, course.done + (course.pending is not None), 1)
    spacing = min(max(width - 2 * INSET_PX, 1.0) / last, MAX_PX)
    return course.first - INSET_PX / spacing, course.first + (max(width, 2 * INSET_PX + 1.0) - INSET_PX) / spacing


def throughput_range(values: Values) -> tuple[float, float]:
    """Return the throughputs at the ends of an axis for some throughputs, GB/s per node."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    return padded(low, high, PAD * (high - low) if high - low > EQUAL_RANGE * high else 0.05 * (high or 1.0))
