"""All mapping strategies with their throughput for this scenario; a double click chooses one."""

from functools import partial

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QResizeEvent

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.model.priority import Priority
from app.session.session import Session
from app.widgets.array_table import ArrayTable, Column
from app.widgets.labels import label, say
from app.widgets.layouts import column
from app.widgets.outdated_cover import OutdatedCover
from app.widgets.session_widget import SessionWidget
from app.wording.numbers import figure_text, gbs, percent
from core.optimise.strategies import StrategyResult, strategy_results

WORKING = "Evaluating all strategies …"
ALL_PX, SHARE_PX = 400, 290
"""Minimum widths to show all columns, and to show the comparison with the mapping on screen."""
TIP = "Double-click to use this mapping"


class StrategyTable(SessionWidget):
    """Evaluates all strategies while it is visible, off the GUI thread."""

    refresh_priority = Priority.BUNDLES

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.results: tuple[StrategyResult, ...] = ()
        """The results, fastest first."""
        self._asked: tuple[object, ...] = ()
        progressed = self._on_progress
        self._runner = Runner("strategies", self._on_found, progressed=progressed, sync=session.sync, parent=session)
        self.line, self.table = label("dim"), ArrayTable(_columns((), None))
        self.table.setAccessibleName("Strategies")
        self.table.setToolTip(TIP)
        self.table.activated.connect(self._on_activated)
        column(self.line, (self.table, 1), of=self, spacing=2)
        self.cover = OutdatedCover(session, self)
        self.hide()

    def refresh(self, changes: ChangeSet) -> None:
        """Evaluate them again if job, network, routing or faults have changed."""
        case = self.state.evaluation.case
        asked = (case.network, case.job, case.router, case.faults, case.allocation, case.scenario.neighbours)
        if [*map(id, asked)] != [*map(id, self._asked)]:
            self._asked = asked
            self._show((), None)
            say(self.line, WORKING)
            self._runner.request(partial(strategy_results, case))
        elif changes & (ChangeSet.LOADS | ChangeSet.MAPPING):
            self._show(self.results, self.state.evaluation.report.throughput_gbs)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the columns for which there is room."""
        super().resizeEvent(event)
        self._show(self.results, self.state.evaluation.report.throughput_gbs)

    def _show(self, results: tuple[StrategyResult, ...], now: float | None) -> None:
        self.results = results
        columns = _columns(results, now)
        width = self.table.usual_width
        self.table.set_columns(columns[: 4 if width >= ALL_PX else 3 if width >= SHARE_PX else 2])

    def _on_found(self, results: tuple[StrategyResult, ...]) -> None:
        say(self.line, "" if results else "No strategy fits this job and network.")
        self._show(results, self.state.evaluation.report.throughput_gbs)

    def _on_progress(self, done: float) -> None:
        say(self.line, f"{WORKING} {percent(done)}")

    def _on_activated(self, index: QModelIndex) -> None:
        self.session.choose("mapping", self.results[self.table.source_row(index)].strategy)


def _columns(results: tuple[StrategyResult, ...], now: float | None) -> list[Column]:
    values = [result.throughput_gbs or 0.0 for result in results]
    return [
        Column("mapping", TIP, [result.name for result in results], str, False, True),
        Column("GB/s", "Throughput per node", values, gbs),
        Column(
            "relative", "Relative to the current mapping", [value / now if now else 0.0 for value in values], percent
        ),
        Column("volume × hops", "Total load of all links", [result.hops for result in results], figure_text),
    ]
