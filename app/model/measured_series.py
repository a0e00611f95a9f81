"""Counters that were read several times: the strongest values in each interval, and single intervals. No Qt."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.model.measurement import Counters, Measurement
from app.model.pointing import Item
from app.wording.names import step_title
from core.counters.measured_links import MeasuredLinks
from core.load.evaluate import LoadReport
from core.text import duration
from core.timing.measured import MeasuredTimeline

Values = NDArray[np.float64]
Links = NDArray[np.intp]


class Strongest(NamedTuple):
    """The values of largest magnitude in some sets of links, one for each interval and set."""

    values: Values
    """NaN if no link of the set has a value."""
    links: Links
    """The first link with this value; -1 for none."""


@dataclass(frozen=True, eq=False)
class MeasuredSeries:
    """A quantity of counters in all intervals."""

    report: LoadReport
    """The loads to which they are compared."""
    timeline: MeasuredTimeline
    counters: Counters
    """The strongest value of every link in any interval, and the colour scale of all intervals."""
    items: tuple[Item | None, ...]
    """The item of each row: None for each link class, then the pinned items, then the links with the strongest values.
    """
    rows: Strongest
    """The values of the rows relative to the top of the scale, shape ``(intervals, rows)``."""

    @property
    def measured(self) -> MeasuredLinks | None:
        """Return the counters."""
        return self.report.case.measured


@dataclass(frozen=True, eq=False)
class MeasuredInterval:
    """The counters of one interval, compared with the loads of the entire job."""

    number: int
    measurement: Measurement
    start: float | None
    """Seconds since the first reading; None if unknown."""
    intervals: int
    """Number of all intervals."""

    @property
    def links(self) -> MeasuredLinks:
        """Return the counters."""
        return self.measurement.comparison.links

    @property
    def words(self) -> str:
        """Return ``interval 3 of 12: 20 s to 30 s``."""
        title = step_title(self.number, self.intervals, f"interval {self.number + 1:,}")
        if self.start is None or self.links.seconds is None:
            return title
        return f"{title}: {duration(self.start)} to {duration(self.start + self.links.seconds)}"


def strongest(values: NDArray[np.floating]) -> Strongest:
    """Return the values of largest magnitude in each row of values, shape ``(rows, links)``."""
    if not values.shape[1]:
        return Strongest(np.full(len(values), np.nan), np.full(len(values), -1))
    magnitude = np.where(np.isnan(values), -1.0, np.abs(values))
    links = magnitude.argmax(axis=1)
    largest = np.take_along_axis(values, links[:, None], axis=1)[:, 0].astype(np.float64)
    return Strongest(largest, np.where(np.isnan(largest), -1, links))
