"""Failures of components: a table with the worst first, percentiles, and a curve of random failures."""

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.model.failure_curves import several_machines, shown_curves
from app.model.state import State
from app.model.what_if import FailureChoice, FailureEvaluation, WhatIfState, slowdown
from app.panels.what_if.answers import Answers
from app.session.faults import declare_fault
from app.session.session import Session
from app.session.what_if import FailureAnalyst
from app.style.theme import DARK, Theme
from app.views.charts.host import ChartHolder
from app.widgets.array_table import Column
from app.widgets.labels import message_label, say
from app.widgets.layouts import column, row
from app.wording.failures import percentiles_text, summary_text
from app.wording.names import short_name
from app.wording.numbers import gbs, signed, significant
from core.figures.resilience import COMPONENTS, FailureCurve, Resilience
from core.network.network import Network

if TYPE_CHECKING:
    from app.panels.what_if.chart import CurveChart

CURVE_PX = 200, 90
"""Minimum size of the curve."""
SAMPLES = 256, 1024, 4096
"""Sizes of random samples."""
NONE = "—"
INTRODUCTION = (
    "Evaluate the failure of every component, one at a time: which must not fail, and which make the job faster. "
    "Or choose Add cables to search for the cables that help most."
)
STALE = "These failures are of an earlier state of the scenario."


class FailureAnswers(Answers):
    """A table of failures, worst first; a double click makes a component fail."""

    introduction, stale_words, verb = INTRODUCTION, STALE, "Start"
    sizes_name = "Number of failures"
    sizes_tip = "Evaluate all components, or a random sample of them"
    apply_tip = "Declare the selected component as failed, as one step that undo reverts; or double-click its row"

    def __init__(self, session: Session) -> None:
        super().__init__(session, "Failures")
        self.what = session.state.what_if.choice.what
        """The kind of component."""
        self.counts = dict.fromkeys(COMPONENTS, 0)
        """Number of components by kind."""
        self._shown: FailureEvaluation | None = None
        self.percentiles, self.curve, self.right = message_label("dim"), CurvePlot(), QWidget()
        column(self.percentiles, (self.curve, 1), of=self.right, spacing=4)
        tables = row((self.table, 3), (self.right, 2), spacing=14)
        column(self.summary, (tables, 1), of=self, spacing=4)

    def count(self, network: Network) -> None:
        """Count the components of another network."""
        self.counts = {what: len(of(network)) for what, of in COMPONENTS.items()}

    @property
    def asked(self) -> WhatIfState:
        """Return the state of the evaluation."""
        return self.session.state.what_if

    @property
    def analyst(self) -> FailureAnalyst:
        """Return the part of the session that evaluates failures."""
        return self.session.what_if

    @property
    def answered(self) -> bool:
        """Return whether failures were evaluated."""
        return self.asked.failures is not None

    @property
    def stale(self) -> bool:
        """Return whether the failures are of another scenario."""
        return self.answered and self.session.state.failures is None

    @property
    def apply_text(self) -> str:
        """Return the text of the button."""
        return "Apply"

    @property
    def applicable(self) -> bool:
        """Return whether a row is current, of the network on screen."""
        return self._fits and self.row is not None

    @property
    def subtitle(self) -> str:
        """Return the number of failures, and how many of each effect."""
        return "" if self.asked.failures is None else subtitle_text(self.asked.failures.figures)

    def sizes(self) -> tuple[Sequence[tuple[str, Any]], Any]:
        """Return all components, and random samples of fewer."""
        total = self.counts[self.what]
        samples = [(f"{size:,} at random", size) for size in SAMPLES if size < total]
        return [(f"All {total:,}", None), *samples], self.asked.choice.sample

    def choose(self, size: Any) -> None:
        """Choose the size of a random sample, or None for all."""
        self.session.what_if.choose(FailureChoice(self.what, size))

    def show_state(self, state: State) -> None:
        """Show the failures evaluated last."""
        failures = state.what_if.failures
        if failures is None:
            return
        if failures is not self._shown:
            self._shown = failures
            self.table.set_columns(failure_columns(failures))
            self.table.scrollToTop()
            say(self.summary, summary_text(failures.figures))
            say(self.percentiles, percentiles_text(failures.figures))
        self.curve.show_curves(shown_curves(failures, state), several_machines(state), state.style.theme)

    def apply(self) -> None:
        """Declare the component of the current row as failed."""
        if self.applicable and self._shown is not None and self.row is not None:
            declare_fault(self.session, self._shown.faults[self.row])

    def select(self, row: int) -> None:
        """Select the component of a row."""
        if self._fits and self._shown is not None:
            self.session.select(self._shown.items[row])

    @property
    def _fits(self) -> bool:
        """Return whether the failures shown are of the network on screen."""
        evaluation = self.session.state.evaluation
        return self._shown is not None and self._shown.report.case.network is evaluation.case.network


class CurvePlot(ChartHolder["CurveChart"], QWidget):
    """Shows the throughput against the number of random failures."""

    def __init__(self) -> None:
        super().__init__()
        self.curves: tuple[FailureCurve, ...] = ()
        self._relative, self._theme = False, DARK
        self.setMinimumSize(*CURVE_PX)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Throughput after random failures")

    def show_curves(self, curves: tuple[FailureCurve, ...], relative: bool, theme: Theme) -> None:
        """Show other curves, at least one, the last in the accent colour; `relative` for different machines."""
        self.curves, self._relative, self._theme = curves, relative and len(curves) > 1, theme
        texts = map(curve_text, curves)
        self.setAccessibleDescription("; ".join(
            f"{curve.name}: {text}" if len(curves) > 1 else text for curve, text in zip(curves, texts, strict=True)
        ))  # fmt: skip
        self.show_chart()

    def make_chart(self, parent: QWidget | None) -> "CurveChart":
        """Return a new chart."""
        from app.panels.what_if.chart import CurveChart

        return CurveChart(parent)

    def fill(self, chart: "CurveChart") -> None:
        """Show the curves."""
        chart.dress(self._theme, self.font())
        if self.curves:
            chart.show_curves(self.curves, relative=self._relative, main=len(self.curves) - 1)

    def background(self) -> str:
        """Return the colour of the widget while there is no chart."""
        return self._theme.panel


def curve_text(curve: FailureCurve) -> str:
    """Return the ends of a curve in words."""
    first, last = curve.points[0], curve.points[-1]
    return f"{first.mean_gbs:g} GB/s without a failure, {last.mean_gbs:g} GB/s on average after {last.failures:,}"


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
