"""Measured intervals on the timeline: link classes, pinned items and the hottest links as a heatmap over time."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from app.model.measured_series import MeasuredSeries, strongest
from app.model.measurement import Counters
from app.model.pointing import Item, title
from app.model.state import State
from app.style.colour import ColourScale, DifferenceScale, Shading
from app.views.charts.timeline_lanes import Bands, Values
from app.views.charts.timeline_readout import begin
from app.wording.names import short_name
from core.load.scenario import Case


@dataclass(frozen=True, eq=False, kw_only=True)
class MeasuredBands(Bands):
    """The strongest values of rows in each interval."""

    series: MeasuredSeries
    scale: ColourScale
    """The colour scale of values without a sign."""

    @property
    def content(self) -> tuple[object, ...]:
        """Return what determines the picture."""
        return self.series, self.scale

    @property
    def columns(self) -> dict[str, Values]:
        """Return the strongest values of the rows by interval, by the name of the row and the unit."""
        values, unit = self.series.rows.values * self.counters.top, self.counters.unit
        return {f"{name} {unit}": values[:, row] for row, name in enumerate(self.names)}

    @property
    def counters(self) -> Counters:
        """Return the measured quantity."""
        return self.series.counters

    @property
    def shading(self) -> Shading:
        """Return the colours of its values, the same as in other views while an interval is shown."""
        return DifferenceScale.reaching(self.counters.scale.largest) if self.counters.signed else self.scale

    @cached_property
    def items(self) -> tuple[Item | None, ...]:
        """Return the item of each row: first None for each link class, then pinned items and the hottest links."""
        return self.series.items

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the name of each row."""
        case = self.timeline.case
        classes = (c.name for c in case.network.classes)
        return (*classes, *(_row_name(item, case) for item in self.items if item is not None))

    @cached_property
    def parts(self) -> tuple[Values, Values]:
        """Return the strongest value of each row, twice, relative to the top, ``(intervals, rows)``."""
        return self.series.rows.values, self.series.rows.values

    @cached_property
    def _peaks(self) -> Values:
        return strongest(self.series.rows.values.T).values

    @property
    def ends(self) -> tuple[str, str]:
        """Return the values at both ends of the colour scale."""
        low, high = (self.counters.number(self.shading.relative(place)) for place in (0.0, 1.0))
        return low, high

    def figure_of(self, row: int) -> tuple[str, str]:
        """Return the strongest value of a row in any interval, with its unit or without."""
        peak = float(self._peaks[row])
        if np.isnan(peak):
            return self.counters.no_value, self.counters.no_value
        return f"max {self.counters.text(peak)}", self.counters.number(peak)

    def readout(self, step: int, row: int | None) -> list[str]:
        """Return the readout of an interval, line by line, and of one of its rows if `row` is given."""
        rows = range(len(self.timeline.case.network.classes)) if row is None else (row,)
        return [*begin(self.timeline, step), *(self._line(step, k) for k in rows)]

    def _line(self, step: int, row: int) -> str:
        value, link = float(self.series.rows.values[step, row]), int(self.series.rows.links[step, row])
        value_text = (
            f"{self.counters.source.value} {self.counters.text(value)}" if link >= 0 else self.counters.text(value)
        )
        name = short_name(self.timeline.case.network.link_name(link)) if link >= 0 else self.names[row]
        return f"{name}: {value_text}"


def _row_name(item: Item, case: Case) -> str:
    return short_name(case.network.link_name(item.index) if item.kind == "link" else title(item, case))


def bands_shown(state: State) -> Bands | None:
    """Return the rows of the timeline of a state, of the job or of measured intervals, or None if not known yet."""
    if state.intervals:
        series = state.series
        return None if series is None else MeasuredBands(series.timeline, series=series, scale=state.style.scale)
    timeline = state.time.timeline
    if timeline is None:
        return None
    fitting = (
        watched
        for watched in state.time.watched
        if watched.evaluation.case is timeline.case and len(watched.rows.busy) == len(timeline.steps)
    )
    return Bands(timeline, next(fitting, None))
