"""The history view: the throughput after each step; a click travels there."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from app.model.changes import ChangeSet
from app.session.session import Session
from app.views.charts.axes import Axes, ChartView, PointedChart
from app.views.charts.history_plot import Course, HistoryPainter, course_axes, step_at
from app.views.charts.history_table import StepTable, reached_at, step_change, step_name
from app.views.drawing import draw_message
from app.widgets.painting import painter_on
from app.wording.numbers import rate
from core.text import plural

EMPTY = (
    "Nothing has been changed yet. Every step you take appears here with the throughput after it, "
    "and a click on it takes you there."
)
HINT = "point at a step to read it, click to go there"
PLOT_SHARE, TABLE_SHARE, TIMED_SHARE = 7, 6, 9
MIN_PLOT, MIN_TABLE = 200, 170


class HistoryPlot(PointedChart, QWidget):
    """The curve."""

    chosen = Signal(int)
    pointed = Signal(object)
    menu_requested = Signal(int, QPoint)
    """(state, point on the screen)."""

    def __init__(self, view: "HistoryView") -> None:
        super().__init__()
        self._view = view
        self.setMouseTracking(True)
        self.setMinimumSize(MIN_PLOT, 60)

    @property
    def axes(self) -> Axes:
        """Return the axes of steps and throughputs."""
        return course_axes(self._view.course, QSizeF(self.size()), self.font())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the curve."""
        with painter_on(self, smooth=True) as painter:
            painter.setFont(self.font())
            self._view.draw(painter, QSizeF(self.size()))

    def mark_at(self, where: QPointF) -> int | None:
        """Return the step at a point."""
        return None if self._view.empty else step_at(self._view.course, self.axes, where)

    def point_at(self, mark: int | None) -> None:
        """Read out a step, or none."""
        self.setCursor(Qt.CursorShape.ArrowCursor if mark is None else Qt.CursorShape.PointingHandCursor)
        self.pointed.emit(mark)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the step under the pointer."""
        step = self.mark_at(event.position())
        if step is not None and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(step)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the step under the pointer."""
        step = self.mark_at(QPointF(event.pos()))
        if step is not None:
            self.menu_requested.emit(step, event.globalPos())


class HistoryView(ChartView):
    """The curve, and beside it the list of steps."""

    id = "history"
    outdated = False
    """The steps done stay as they are."""

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
        self.plot.update()

    def draw(self, painter: QPainter, size: QSizeF, *, for_file: bool = False) -> None:
        """Draw the curve, or, except for a file, a message why there is none."""
        theme, font = self.state.style.theme, self.font()
        if self.empty and not for_file:
            draw_message(painter, QRectF(QPointF(), size), EMPTY, theme.dim, font)
            return
        pointed = None if for_file else self.pointed
        name, figures = self._readout(pointed) if pointed is not None else ("" if for_file else HINT, "")
        axes = course_axes(self.course, size, font)
        HistoryPainter(painter, self.course, axes, theme, font).draw(pointed, name, figures)

    def menu_for(self, step: int) -> QMenu:
        """Return the menu of a state."""
        menu, best, now = QMenu(self), self.course.best, self.state.history.done
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        number = f"{step + self.course.first:,}"
        menu.addAction(f"Go to step {number}", lambda: self.session.editing.travel(step)).setEnabled(step != now)
        menu.addAction(f"Compare with step {number}", lambda: self.compare_with(step)).setEnabled(step != now)
        if best is not None and best != step:
            menu.addSeparator()
            text = f"Go to the best, step {best + self.course.first:,}"
            menu.addAction(text, lambda: self.session.editing.travel(best)).setEnabled(best != now)
        return menu

    def compare_with(self, step: int) -> None:
        """Pin a state as A, compared with what is on screen, B."""
        evaluation = self.state.evaluation
        self.session.pin_scenario(self.state.history.at(step, evaluation.case).scenario)

    def _pending(self) -> float | None:
        state, editing = self.state, self.session.editing
        if not editing.active or state.edit.lagging or not editing.gesture_edit.count:
            return None
        return state.evaluation.report.throughput_gbs

    def _readout(self, step: int) -> tuple[str, str]:
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
            parts.append(f"best {throughput}, step {best + course.first:,}")
        if course.first:
            parts.append(f"{plural(course.first, 'earlier step')} dropped to save memory")
        return " · ".join(parts)

    def _on_part_chosen(self, step: int) -> None:
        self.session.editing.travel(step)

    def _on_part_pointed(self, step: int | None) -> None:
        step = step if step is not None and step <= self.course.steps else None
        if step != self.pointed:
            self.pointed = step
            self.plot.update()

    def _on_plot_menu_requested(self, step: int, where: QPoint) -> None:
        self.menu_for(step).popup(where)

    def _on_table_menu_requested(self, where: QPoint) -> None:
        index = self.table.indexAt(where)
        if index.isValid():
            self.menu_for(index.row()).popup(self.table.viewport().mapToGlobal(where))
