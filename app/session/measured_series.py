"""Counters that were read several times: rows over time, and the interval under the cursor, off the GUI thread."""

import time
from dataclasses import replace
from functools import partial

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.model.evaluation import Evaluation
from app.model.measured_series import MeasuredInterval, MeasuredSeries
from app.model.measurement import CounterScale, LinkSource
from app.model.pointing import Item
from app.session.intervals import measured_interval, measured_series
from app.session.store import Store
from core.spec import Progress

MAX_LIVE_SECONDS = 0.1
"""Maximum time to compute the rows for each edit of a gesture."""
SHOWN_BY = ChangeSet.TIME | ChangeSet.LOADS | ChangeSet.STYLE | ChangeSet.COMPARISON | ChangeSet.TOPOLOGY


class SeriesKeeper:
    """Computes the rows of measured intervals, while a view shows them, and the interval under the cursor."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._rows = Runner(
            "series", self._on_rows_found, progressed=self._on_progressed, sync=store.sync, parent=store
        )
        self._intervals = Runner("interval", self._on_interval_found, sync=store.sync, parent=store)
        self._asked: tuple[object, ...] = ()
        """The evaluation, source and items whose rows were requested last, known or not."""
        self._took = 0.0
        """Seconds to compute the last rows."""
        store.changed.connect(self._on_store_changed)

    @property
    def behind(self) -> bool:
        """Return whether the rows shown are of an earlier state, and the next ones take noticeable time."""
        series, state = self._store.state.series, self._store.state
        return series is not None and series.report is not state.evaluation.report and self._took > MAX_LIVE_SECONDS

    def look(self, *, again: bool = False) -> None:
        """Compute the rows of the state on screen, unless already requested, or too slow while tasks are moving.

        With `again`, also compute them after they were stopped.
        """
        state = self._store.state
        asked = (state.evaluation, state.source, state.time.pinned_items)
        if not state.intervals or (asked == self._asked and not again):
            return
        if state.edit.gesture and (self._rows.busy or self._took > MAX_LIVE_SECONDS):
            return
        self._asked = asked
        self._store.show_time(replace(state.time, series_progress=None, series_stopped=False))
        self._rows.request(partial(_timed_series, *asked))

    def cancel(self) -> None:
        """Stop the computation, which is not restarted automatically for this state."""
        if self._rows.busy:
            self._rows.cancel()
            self._store.show_time(replace(self._store.state.time, series_progress=None, series_stopped=True))

    def go_to(self, interval: int | None) -> None:
        """Show one interval, clipped to the existing ones; None for the entire measurement."""
        state = self._store.state
        if interval is None:
            self._intervals.cancel()
            self._store.show_time(replace(state.time, interval=None, measured_interval=None))
        elif state.intervals:
            number = min(max(interval, 0), len(state.intervals) - 1)
            self._store.show_time(replace(state.time, interval=number, step=None, moment=None))

    def _on_store_changed(self, changes: ChangeSet) -> None:
        state = self._store.state
        number = state.time.interval
        if number is None or not state.intervals or not changes & SHOWN_BY:
            return
        if number >= len(state.intervals):
            self.go_to(None)
            return
        self.look()
        if not self._intervals.busy and not self._is_shown(number):
            self._intervals.request(lambda progress: measured_interval(state.evaluation, number, self._scales))

    def _is_shown(self, number: int) -> bool:
        state, shown = self._store.state, self._store.state.interval
        if shown is None or shown.number != number:
            return False
        return (
            shown.measurement.comparison.report is state.evaluation.report and shown.measurement.scales == self._scales
        )

    @property
    def _scales(self) -> dict[LinkSource, CounterScale]:
        series = self._store.state.series
        return {} if series is None else {series.counters.source: series.counters.scale}

    def _on_interval_found(self, interval: MeasuredInterval) -> None:
        # Also an interval that the cursor has left, so that every computed one is visible in a fast scrub.
        if self._store.state.time.interval is not None:
            self._store.show_time(replace(self._store.state.time, measured_interval=interval))

    def _on_rows_found(self, answer: tuple[MeasuredSeries, float]) -> None:
        series, self._took = answer
        self._store.show_time(replace(self._store.state.time, series=series, series_progress=None))

    def _on_progressed(self, fraction: float) -> None:
        self._store.show_time(replace(self._store.state.time, series_progress=fraction))


def _timed_series(
    evaluation: Evaluation, source: LinkSource, pinned: tuple[Item, ...], progress: Progress
) -> tuple[MeasuredSeries, float]:
    started = time.perf_counter()
    return measured_series(evaluation, source, pinned, progress), time.perf_counter() - started
