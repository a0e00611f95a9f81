"""The history view: the throughput after each step; a click goes to a step."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QPainter
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from app.model.changes import ChangeSet
from app.model.state import State
from app.session.session import Session
from app.views.charts.chart_view import ChartView
from app.views.charts.history_curve import Course
from app.views.charts.history_table import StepTable, dropped_text, reached_at, step_change, step_name
from app.views.charts.host import ChartHolder
from app.wording.numbers import rate

if TYPE_CHECKING:
    from app.views.charts.history_chart import HistoryChart

EMPTY = "No changes yet. Each step appears here with its throughput. Click a step to return to it."
HINTS = (
    "Point at a step for its values, click to go to it, zoom with Ctrl+wheel",
    "Point at a step for its values, click to go to it",
    "Click a step to go to it",
)
"""Hints on the pointer, longest first."""
PLOT_SHARE, TABLE_SHARE, TIMED_SHARE = 7, 6, 9
MIN_PLOT, MIN_TABLE = 200, 170


class HistoryPlot(ChartHolder["HistoryChart"], QWidget):
    """The curve."""

    chosen = Signal(int)
    pointed = Signal(object)
    menu_requested = Signal(int, QPoint)
    """(state, point on the screen)."""

    def __init__(self, view: "HistoryView") -> None:
        super().__init__()
        self._view = view
        self.setMinimumSize(MIN_PLOT, 60)
        self.setAccessibleName("Throughput after each step")
        # Plus and minus zoom, and Home shows all steps.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def make_chart(self, parent: QWidget | None) -> "HistoryChart":
        """Return a new chart."""
        from app.views.charts.history_chart import HistoryChart

        return HistoryChart(parent)

    def connect_chart(self, chart: "HistoryChart") -> None:
        """Read out the step under the pointer, and go to the step under a click."""
        chart.hovered.connect(self._on_hovered)
        chart.pointer_left.connect(self._on_pointer_left)
        chart.clicked.connect(self._on_clicked)

    def background(self) -> str:
        """Return the colour of the widget while there is no chart."""
        return self._view.state.style.theme.panel

    def fill(self, chart: "HistoryChart") -> None:
        """Show the curve; on the screen also the state pointed at, or why there is no curve."""
        view, on_screen = self._view, chart is self.chart
        chart.dress(view.state.style.theme, view.font())
        chart.show_course(view.course)
        chart.show_message(EMPTY if on_screen and view.empty else "")
        if on_screen:
            self.read_out()

    def read_out(self) -> None:
        """Mark and read out the step under the pointer, or show a hint."""
        pointed = self._view.pointed
        if self.chart is not None:
            name, figures = ("", "") if pointed is None else self._view.readout(pointed)
            self.chart.read_out(pointed, HINTS if pointed is None else (name,), figures)

    def mark_at(self, where: QPointF) -> int | None:
        """Return the step at a point."""
        return None if self._view.empty or self.chart is None else self.chart.state_at(where)

    def point_at(self, mark: int | None) -> None:
        """Read out a step, or none."""
        self.setCursor(Qt.CursorShape.ArrowCursor if mark is None else Qt.CursorShape.PointingHandCursor)
        self.pointed.emit(mark)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the step under the pointer."""
        step = self.mark_at(QPointF(event.pos()))
        if step is not None:
            self.menu_requested.emit(step, event.globalPos())
        else:
            event.ignore()

    def _on_hovered(self, where: QPointF) -> None:
        self.point_at(self.mark_at(where))

    def _on_pointer_left(self) -> None:
        self.point_at(None)

    def _on_clicked(self, where: QPointF) -> None:
        step = self.mark_at(where)
        if step is not None:
            self.chosen.emit(step)


class HistoryView(ChartView):
    """The curve, with the list of steps next to it."""

    id = "history"
    outdated = False
    """The steps done stay valid."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.course = Course(np.full(1, np.nan), 0)
        self.pointed: int | None = None
        self.plot, self.table = HistoryPlot(self), StepTable()
        self.table.setMinimumWidth(MIN_TABLE)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 4, 4)
        row.setSpacing(8)
        row.addWidget(self.plot, PLOT_SHARE)
        row.addWidget(self.table, TABLE_SHARE)
        for part in (self.plot, self.table):
            part.chosen.connect(self._on_part_chosen)
            part.pointed.connect(self._on_part_pointed)
        self.plot.menu_requested.connect(self._on_plot_menu_requested)
        self.table.customContextMenuRequested.connect(self._on_table_menu_requested)

    def pictured(self, state: State) -> State:
        """Return the session's state: A has no history."""
        return state

    @property
    def empty(self) -> bool:
        """Return whether there are no steps yet."""
        return not self.course.steps and self.course.pending is None

    def refresh(self, changes: ChangeSet) -> None:
        """Show other steps, or the throughput of the gesture under way."""
        history = self.state.history
        if changes & (ChangeSet.HISTORY | ChangeSet.STYLE):
            states = history.states
            self.course = Course.of(states, history.done, history.forgotten)
            self.pointed = None
            self.table.show_history(history, self.course.best, self.state.style.theme)
            self._row.setStretchFactor(self.table, TIMED_SHARE if self.table.timed else TABLE_SHARE)
        pending = self._pending()
        if pending != self.course.pending:
            self.course = replace(self.course, pending=pending)
        elif not changes & (ChangeSet.HISTORY | ChangeSet.STYLE):
            return
        self.table.setVisible(self.course.steps > 0)
        self.subtitle_changed.emit(self.subtitle())
        self.plot.show_chart()

    def draw(self, painter: QPainter, size: QSizeF) -> None:
        """Draw another chart of the same content into a file."""
        self.plot.draw_chart(painter, QRectF(QPointF(), size))

    def menu_for(self, step: int) -> QMenu:
        """Return the menu of a state."""
        menu, best, now = QMenu(self), self.course.best, self.state.history.done
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        number = f"{step + self.course.first:,}"
        menu.addAction(f"Go to step {number}", lambda: self.session.editing.travel(step)).setEnabled(step != now)
        menu.addAction(f"Compare with step {number}", lambda: self.compare_with(step)).setEnabled(step != now)
        if best is not None and best != step:
            menu.addSeparator()
            text = f"Go to the best step, {best + self.course.first:,}"
            menu.addAction(text, lambda: self.session.editing.travel(best)).setEnabled(best != now)
        return menu

    def compare_with(self, step: int) -> None:
        """Pin a state as A, compared with the state on screen, B."""
        evaluation = self.state.evaluation
        self.session.pin_scenario(self.state.history.at(step, evaluation.case).scenario)

    def _pending(self) -> float | None:
        state, editing = self.state, self.session.editing
        if not editing.active or state.edit.lagging or not editing.gesture_edit.count:
            return None
        return state.evaluation.report.throughput_gbs

    def readout(self, step: int) -> tuple[str, str]:
        """Return the name of a step, and its changes."""
        history = self.state.history
        return f"{step + self.course.first:,} · {step_name(history, step)}", step_change(history, step)

    def subtitle(self) -> str:
        """Return which step is on screen, and the best."""
        course, best = self.course, self.course.best
        if not course.steps:
            return ""
        parts = [f"step {course.done + course.first:,} of {course.steps + course.first:,}"]
        reached = reached_at(self.state.history, best or 0)
        if best is not None and reached.gbs is not None:
            throughput = rate((reached.gbs,), (reached.seconds,), reached.measure.rate)
            parts.append(f"best {throughput} at step {best + course.first:,}")
        if course.first:
            parts.append(f"{dropped_text(course.first)}")
        return " · ".join(parts)

    def _on_part_chosen(self, step: int) -> None:
        self.session.editing.travel(step)

    def _on_part_pointed(self, step: int | None) -> None:
        step = step if step is not None and step <= self.course.steps else None
        if step != self.pointed:
            self.pointed = step
            self.plot.read_out()

    def _on_plot_menu_requested(self, step: int, where: QPoint) -> None:
        self.menu_for(step).popup(where)

    def _on_table_menu_requested(self, where: QPoint) -> None:
        index = self.table.indexAt(where)
        if index.isValid():
            menu, at = self.menu_for(index.row()), self.table.viewport().mapToGlobal(where)
            menu.addSeparator()
            self.table.fill_menu(menu, self.table.mapFromGlobal(at))
            menu.popup(at)
