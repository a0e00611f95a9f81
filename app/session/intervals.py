"""Rows of counters over their intervals, and the counters of one interval. No Qt."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.model.evaluation import Evaluation
from app.model.measured_series import MeasuredInterval, MeasuredSeries, Strongest, strongest
from app.model.measurement import Counters, CounterScale, LinkSource, Measurement, quantity, top_of, unit_of
from app.model.pointing import Item, exists
from app.model.subject import Ids, links_of_flow_or_item
from core.load.measured import Comparison
from core.spec import Progress, no_progress
from core.timing.measured import measured_timeline

HOTTEST = 6
"""Maximum number of links that have rows besides link classes and pinned items."""


def measured_interval(evaluation: Evaluation, number: int, scales: dict[LinkSource, CounterScale]) -> MeasuredInterval:
    """Return the counters of an interval compared with the loads of an evaluation, in colours of some scales."""
    assert evaluation.case.measured is not None
    intervals = evaluation.case.measured.intervals
    lengths = [links.seconds for links in intervals[:number]]
    start = None if None in lengths else float(sum(filter(None, lengths)))
    measurement = Measurement(Comparison(evaluation.report, intervals[number]), scales)
    measurement.prepare()
    return MeasuredInterval(number, measurement, start, len(intervals))


def measured_series(
    evaluation: Evaluation, source: LinkSource, pinned: Sequence[Item], progress: Progress = no_progress
) -> MeasuredSeries:
    """Return a quantity of the counters of an evaluation in all intervals, with rows for some pinned items.

    Raises Cancelled: when `progress` does.
    """
    case, measured = evaluation.case, evaluation.case.measured
    assert measured is not None
    values, top = np.empty((len(measured.intervals), case.network.links), np.float32), 0.0
    for number, links in enumerate(measured.intervals):
        comparison = Comparison(evaluation.report, links)
        values[number] = quantity(comparison, source)
        top = max(top, top_of(comparison, source))
        progress((number + 1) / len(measured.intervals))
    peaks = strongest(values.T).values
    scale = CounterScale.of(top, peaks)
    items = [item for item in pinned if exists(item, case)]
    order = np.argsort(-np.nan_to_num(np.abs(peaks)), kind="stable")[:HOTTEST]
    hottest = [Item("link", link) for link in order[np.abs(peaks[order]) > 0].tolist()]
    items += [item for item in hottest if item not in items]
    sets = [np.arange(case.network.links)[of.links] for of in case.network.classes]
    rows = [_strongest_in(values, links) for links in (*sets, *(links_of_flow_or_item(i, evaluation) for i in items))]
    relative = np.stack([row.values for row in rows], axis=1) / (scale.top or 1.0)
    counters = Counters(source, peaks / (scale.top or 1.0), scale, unit_of(source, measured))
    return MeasuredSeries(
        evaluation.report,
        measured_timeline(case, measured),
        counters,
        (*(None for _ in case.network.classes), *items),
        Strongest(relative, np.stack([row.links for row in rows], axis=1)),
    )


def _strongest_in(values: NDArray[np.float32], links: Ids) -> Strongest:
    row = strongest(values[:, links])
    return row._replace(links=np.where(row.links < 0, -1, np.append(links, -1)[row.links]))
