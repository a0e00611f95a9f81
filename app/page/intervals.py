"""Counters that were read several times, as the steps of a view: the values of links in each interval."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.model.measured_series import MeasuredInterval, MeasuredSeries
from app.model.state import State
from app.page.blobs import array_blob, text_blob
from app.page.states import StepRoom, StepsData, look_of
from app.session.intervals import measured_interval, measured_series
from core.spec import Progress, no_progress, subprogress
from core.text import duration, plural
from core.timing.measured import MeasuredTimeline

SHARES = "Highest value of each class, relative to the top of the colour scale"


def interval_steps(state: State, room: StepRoom, progress: Progress = no_progress) -> StepsData | None:
    """Return the intervals of the counters by which a state colours links; None without intervals.

    Raises Cancelled: when `progress` does.
    """
    if state.counters is None or not state.intervals:
        return None
    series = measured_series(state.evaluation, state.source, (), subprogress(progress, 0, 1, 2))
    timeline, classes = series.timeline, len(state.evaluation.case.network.classes)
    intervals = list(_intervals(state, series, subprogress(progress, 1, 2, 2)))
    values = [interval.measurement.counters(state.source).values for interval in intervals]
    first = replace(state, time=replace(state.time, interval=0, measured_interval=intervals[0]))
    return StepsData(
        titles=text_blob(interval.words for interval in intervals),
        facts=text_blob(
            interval.measurement.counters(state.source).range_text(of)
            for interval, of in zip(intervals, values, strict=True)
        ),
        start=array_blob(np.array([step.start for step in timeline.steps]), "f4"),
        seconds=array_blob(np.array([step.seconds for step in timeline.steps]), "f4"),
        busy=array_blob(np.nan_to_num(series.rows.values[:, :classes]).T, "f4"),
        run=array_blob(np.arange(len(intervals)), "i4", delta=True),
        loads=[room.take(array_blob(of, "f4")) for of in values],
        noun=timeline.noun,
        timed=timeline.timed,
        shares=SHARES,
        summary=_summary(timeline),
        look=look_of(first),
    )


def _intervals(state: State, series: MeasuredSeries, progress: Progress) -> Iterator[MeasuredInterval]:
    count, scales = len(state.intervals), {state.source: series.counters.scale}
    for number in range(count):
        progress(number / count)
        yield measured_interval(state.evaluation, number, scales)


def _summary(timeline: MeasuredTimeline) -> str:
    last = timeline.steps[-1]
    total = f", {duration(last.start + last.seconds)}" if timeline.timed else ""
    return f"{plural(len(timeline.steps), timeline.noun)}{total}: the entire measurement"
