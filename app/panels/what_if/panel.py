"""The What-if panel: every failure of a component as a table, percentiles, and a curve of random failures."""

from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from app.model.changes import COLOURS, ChangeSet
from app.model.priority import Priority
from app.model.state import State
from app.model.what_if import FailureChoice, FailureEvaluation, slowdown
from app.session.faults import declare_fault
from app.session.session import Session
from app.style.theme import DARK, Theme
from app.views.charts.host import ChartHolder
from app.widgets.array_table import ArrayTable, Column
from app.widgets.combo_box import ComboBox
from app.widgets.labels import message_label, say
from app.widgets.layouts import STRETCH, column, row
from app.widgets.outdated_cover import OutdatedCover
from app.widgets.progress_bar import ActivityBar
from app.widgets.segmented_control import SegmentedControl
from app.widgets.session_widget import SessionWidget
from app.widgets.wrapped import WrappedRow
from app.wording.errors import error_text
from app.wording.names import short_name
from app.wording.numbers import gbs, signed, significant
from core.figures.resilience import COMPONENTS, CurvePoint, Resilience
from core.network.network import Network
from core.text import as_sentence, enumerated

if TYPE_CHECKING:
    from app.panels.what_if.chart import CurveChart

MIN_SIZE = QSize(420, 120)
WIDE_PX = 640
"""Width from which table and curve are side by side, at type scale 1."""
FAILURES, CURVE = range(2)
"""Pages of a narrow panel."""
CURVE_PX = 200, 110
"""Minimum size of the curve."""
SAMPLES = 256, 1024, 4096
"""Sizes of random samples."""
NONE = "—"
INTRODUCTION = (
    "Evaluate the failure of every component, one at a time: which must not fail, and which make the job faster."
)
STALE = "These failures are of an earlier state of the scenario."
APPLY_TIP = "Declare the selected component as failed, as one step that undo reverts; or double-click its row"


class WhatIfPanel(SessionWidget):
    """A table of failures, worst first; a click selects the component, a double click makes it fail."""

    title: ClassVar[str] = "What if"
    subtitle_changed = Signal(str)
    """The number of failures, and how many of each effect."""
    refresh_priority = Priority.CHARTS
    shows_loads_together = False

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._made = False
        """Whether the contents were made: only once they are shown."""
        self._network: Network | None = None
        self._shown: FailureEvaluation | None = None

    def _make(self) -> None:
        self._made, session = True, self.session
        self.what, self.sample = ComboBox(), ComboBox()
        self.what.setAccessibleName("Components that fail")
        self.what.setToolTip("Components that fail, one at a time")
        self.sample.setAccessibleName("Number of failures")
        self.sample.setToolTip("Evaluate all components, or a random sample of them")
        self.what.activated.connect(self._on_chosen)
        self.sample.activated.connect(self._on_chosen)
        self.start, self.apply, self.bar = QPushButton("Start"), QPushButton("Apply"), ActivityBar()
        self.apply.setToolTip(APPLY_TIP)
        self.start.clicked.connect(self._on_start_clicked)
        self.apply.clicked.connect(self._on_apply_clicked)
        self.message, self.summary, self.percentiles = (message_label(role) for role in ("dim", "plain", "dim"))
        self.table, self.curve = ArrayTable(), CurvePlot()
        self.table.setAccessibleName("Failures")
        self.table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.table.selectionModel().currentRowChanged.connect(self._on_row_changed)
        self.table.doubleClicked.connect(self._on_apply_clicked)
        self.pages = SegmentedControl("Failures", "Curve")
        self.pages.choose(FAILURES)
        self.pages.group.idClicked.connect(self._share_room)
        self.results, self.right = QWidget(), QWidget()
        column(self.percentiles, (self.curve, 1), of=self.right, spacing=4)
        tables = row((self.table, 3), (self.right, 2), spacing=14)
        column(self.summary, (tables, 1), of=self.results, spacing=4)
        head = WrappedRow(self.what, self.sample, self.start, self.pages, self.apply, spacing=8)
        column(
            head, self.bar, self.message, (self.results, 1), STRETCH, of=self, margins=(12, 2, 12, 8), spacing=4
        )  # fmt: skip
        self.cover = OutdatedCover(session, self.results, lambda: self._stale)

    def minimumSizeHint(self) -> QSize:
        """Return a minimum with a few rows."""
        return MIN_SIZE

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show table and curve side by side if there is room."""
        super().resizeEvent(event)
        if self._made:
            self._share_room()

    def _share_room(self) -> None:
        wide, page = self.width() >= self.state.style.theme.px(WIDE_PX), self.pages.group.checkedId()
        self.pages.setVisible(not wide and self._shown is not None)
        self.table.setVisible(wide or page == FAILURES)
        self.right.setVisible(wide or page == CURVE)

    @property
    def _stale(self) -> bool:
        return self.state.what_if.failures is not None and self.state.failures is None

    def refresh(self, changes: ChangeSet) -> None:
        """Show the failures evaluated last."""
        if not self._made:
            self._make()
            changes = ChangeSet.ALL
        if changes & (COLOURS | ChangeSet.WHAT_IF | ChangeSet.ANALYSIS):
            self._show(self.state)

    def _show(self, state: State) -> None:
        if state.evaluation.case.network is not self._network:
            self._network = state.evaluation.case.network
            self._offer_components(self._network)
        self._show_sizes()
        what_if, failures = state.what_if, state.what_if.failures
        busy = what_if.progress is not None
        self.bar.setVisible(busy)
        if busy:
            self.bar.show_fraction(what_if.progress or 0.0, state.style.theme)
        self.start.setText("Cancel" if busy else "Start")
        refused = as_sentence(error_text(what_if.refused)) if what_if.refused is not None else ""
        say(self.message, refused or (STALE if self._stale else "" if failures is not None else INTRODUCTION))
        self.results.setVisible(failures is not None)
        if failures is not None:
            self._show_failures(failures, state)
        self.apply.setVisible(failures is not None)
        self._share_room()
        self._offer_apply()
        self.cover.follow()

    def _show_failures(self, failures: FailureEvaluation, state: State) -> None:
        if failures is not self._shown:
            self._shown = failures
            self.table.set_columns(failure_columns(failures))
            self.table.scrollToTop()
            say(self.summary, summary_text(failures.figures))
            say(self.percentiles, percentiles_text(failures.figures))
            self.subtitle_changed.emit(subtitle_text(failures.figures))
        self.curve.show_curve(failures.curve, state.style.theme)

    def _offer_components(self, network: Network) -> None:
        self.what.clear()
        self._counts = {what: len(of(network)) for what, of in COMPONENTS.items()}
        for what, count in self._counts.items():
            if count:
                self.what.addItem(what.capitalize(), what)
        self.what.setCurrentIndex(max(self.what.findData(self.state.what_if.choice.what), 0))

    def _show_sizes(self) -> None:
        total, sample = self._counts[self.what.currentData()], self.state.what_if.choice.sample
        sizes = [None, *(size for size in SAMPLES if size < total)]
        texts = [f"All {total:,}", *(f"{size:,} at random" for size in sizes if size is not None)]
        if texts != [self.sample.itemText(place) for place in range(self.sample.count())]:
            self.sample.clear()
            for text, size in zip(texts, sizes, strict=True):
                self.sample.addItem(text, size)
        self.sample.setCurrentIndex(sizes.index(sample) if sample in sizes else 0)

    def _on_chosen(self) -> None:
        self.session.what_if.choose(FailureChoice(self.what.currentData(), self.sample.currentData()))

    def _on_start_clicked(self) -> None:
        if self.state.what_if.progress is not None:
            self.session.what_if.cancel()
        else:
            self._on_chosen()
            self.session.what_if.start()

    def _on_row_changed(self, index: QModelIndex) -> None:
        if index.isValid() and self._fits:
            assert self._shown is not None
            self.session.select(self._shown.items[self.table.source_row(index)])
        self._offer_apply()

    @property
    def _fits(self) -> bool:
        """Return whether the failures shown are of the network on screen."""
        return self._shown is not None and self._shown.report.case.network is self.state.evaluation.case.network

    def _offer_apply(self) -> None:
        self.apply.setEnabled(self._fits and self.table.currentIndex().isValid())

    def _on_apply_clicked(self) -> None:
        if self._fits and self._shown is not None and self.table.currentIndex().isValid():
            declare_fault(self.session, self._shown.faults[self.table.source_row(self.table.currentIndex())])


class CurvePlot(ChartHolder["CurveChart"], QWidget):
    """Shows the throughput against the number of random failures."""

    def __init__(self) -> None:
        super().__init__()
        self.points: tuple[CurvePoint, ...] = ()
        self._theme = DARK
        self.setMinimumSize(*CURVE_PX)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Throughput after random failures")

    def show_curve(self, points: tuple[CurvePoint, ...], theme: Theme) -> None:
        """Show other points, at least one."""
        self.points, self._theme = points, theme
        first, last = points[0], points[-1]
        self.setAccessibleDescription(
            f"{first.mean_gbs:g} GB/s without a failure, {last.mean_gbs:g} GB/s on average after {last.failures:,}"
        )
        self.show_chart()

    def make_chart(self, parent: QWidget | None) -> "CurveChart":
        """Return a new chart."""
        from app.panels.what_if.chart import CurveChart

        return CurveChart(parent)

    def fill(self, chart: "CurveChart") -> None:
        """Show the points."""
        chart.dress(self._theme, self.font())
        if self.points:
            chart.show_curve(self.points)

    def background(self) -> str:
        """Return the colour of the widget while there is no chart."""
        return self._theme.panel


def failure_columns(failures: FailureEvaluation) -> tuple[Column, ...]:
    """Return the columns of the table of failures."""
    figures = failures.figures
    rows = figures.rows
    bare = [slowdown(figures.base_gbs, row) for row in rows]
    times = [row.time_per_unit or 0.0 for row in rows]
    time = Column("s per unit", "Time for a unit of 1 GB", times, _figure, spare=True)
    cut = Column("disconnected", "Flows without a path", [row.disconnected_flows for row in rows], _count)
    return (
        Column("failure", "Component that fails", [row.failure for row in rows], short_name, number=False, elides=True),
        Column("GB/s", "Throughput after the failure", [row.throughput_gbs or 0.0 for row in rows], _gbs),
        Column("Slow-down", "Increase of the job's time; negative: the failure makes it faster", bare, _slowdown),
        *((time,) if any(times) else ()),
        Column("limited by", "Link class that limits the throughput", [row.bottleneck or "" for row in rows],
               short_name, number=False, spare=True),
        *((cut,) if figures.disconnecting else ()),
    )  # fmt: skip


def summary_text(figures: Resilience) -> str:
    """Return how many failures have each effect."""
    effects = {
        "slow the job": figures.slower,
        "make it faster": figures.faster,
        "change nothing": figures.unchanged,
        "disconnect flows": figures.disconnecting,
    }
    parts = [f"{count:,} {effect}" for effect, count in effects.items() if count]
    return f"Of {figures.failures:,} {figures.what}, {enumerated(parts)} if they fail."


def percentiles_text(figures: Resilience) -> str:
    """Return the percentiles of the throughput after one failure; empty if every failure disconnects flows."""
    values = [value for value in figures.quantiles.values() if value is not None]
    if not values or figures.base_gbs is None:
        return ""
    low, middle, high = map(gbs, values)
    after = f"after one failure {low}, {middle} and {high} GB/s (5th, 50th and 95th percentile)"
    return f"{gbs(figures.base_gbs)} GB/s without a failure, {after}."


def subtitle_text(figures: Resilience) -> str:
    """Return the number of failures, and of slower and faster ones."""
    return f"{figures.failures:,} {figures.what} · {figures.slower:,} slower, {figures.faster:,} faster"


@cache
def _gbs(value: float) -> str:
    return gbs(value) if value else NONE


@cache
def _figure(value: float) -> str:
    return significant(value) if value else NONE


@cache
def _slowdown(value: float) -> str:
    return NONE if not np.isfinite(value) else signed(value)


@cache
def _count(flows: int) -> str:
    return f"{flows:,}" if flows else NONE
