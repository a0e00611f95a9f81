"""The steps of the history as a table; a click goes to a step."""

from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QHeaderView

from app.model.history import History
from app.model.performance import Performance
from app.style.theme import DARK, Theme
from app.views.scale_text import NO_LOAD
from app.widgets.array_table import ArrayTableModel, Column, Index, RowTable
from app.wording.numbers import gbs, rate
from core.job.measure import strictest
from core.text import duration, plural

NAME = 1
"""The column of names."""
BEST = "★ "
TIME = "Time"
PAD = 10
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class StepModel(ArrayTableModel):
    """A row for the beginning and for each step."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), parent)
        self._history = History()
        self._best: int | None = None
        self._theme = DARK

    def show_history(self, history: History, best: int | None, theme: Theme) -> None:
        """Show a history; with a column of times only for traced flows."""
        self._history, self._best, self._theme = history, best, theme
        rows = range(len(self._history.steps) + 1)
        columns = [
            Column("Step", "", rows, lambda row: f"{row + self._history.forgotten:,}"),
            Column("Change", "", rows, lambda row: step_name(self._history, row), number=False),
            Column("GB/s", "", rows, self._throughput),
            Column(TIME, "", rows, self._time),
        ]
        timed = any(reached.seconds is not None for reached in self._history.states)
        self.set_columns(columns if timed else columns[:-1])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, or its appearance."""
        row, done = index.row(), self._history.done
        if not index.isValid() or row > len(self._history.steps):
            return None
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{step_name(self._history, row)}\n{step_change(self._history, row)}"
        if role == Qt.ItemDataRole.ForegroundRole and row >= done:
            return QColor(self._theme.accent if row == done else self._theme.dim)
        return bold(QFont()) if role == Qt.ItemDataRole.FontRole and row == done else super().data(index, role)

    def _throughput(self, row: int) -> str:
        value = reached_at(self._history, row).gbs
        return (BEST if row == self._best else "") + ("—" if value is None else gbs(value))

    def _time(self, row: int) -> str:
        seconds = reached_at(self._history, row).seconds
        return "—" if seconds is None else duration(seconds)


class StepTable(RowTable):
    """Shows the model; a click or Enter on a row goes to its step."""

    chosen = Signal(int)
    """Number of the state to go to."""
    pointed = Signal(object)
    """Number of the state under the pointer, or None."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = StepModel(self)
        self.setModel(self.steps)
        self.setMouseTracking(True)
        self.setAccessibleName("Steps")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.clicked.connect(lambda index: self.chosen.emit(index.row()))
        self.entered.connect(lambda index: self.pointed.emit(index.row()))
        self.viewport().installEventFilter(self)

    @property
    def timed(self) -> bool:
        """Return whether there is a column of times."""
        return self.steps.columns[-1].title == TIME

    def show_history(self, history: History, best: int | None, theme: Theme) -> None:
        """Show a history, scrolled to the state on screen."""
        self.steps.show_history(history, best, theme)
        self._fit_columns()
        index = self.steps.index(history.done, 0)
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the state of the current row."""
        if event.key() in ENTER and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Clear the hover highlight once the pointer has left the rows."""
        if event.type() == QEvent.Type.Leave:
            self.pointed.emit(None)
        return super().eventFilter(watched, event)

    def _fit_columns(self) -> None:
        # Numbers are shown in full; names get the remaining width.
        widths = {column: self._needed(column) for column in range(self.steps.columnCount()) if column != NAME}
        widths[NAME] = max(self.viewport().width() - sum(widths.values()), 20)
        for column, width in widths.items():
            self.setColumnWidth(column, width)

    def _needed(self, column: int) -> int:
        shown = self.steps.columns[column]
        texts = {shown.write(row) for row in shown.values}
        return max(map(QFontMetrics(bold(self.font())).horizontalAdvance, (shown.title, *texts))) + PAD


def bold(font: QFont) -> QFont:
    """Return the bold font."""
    other = QFont(font)
    other.setWeight(QFont.Weight.DemiBold)
    return other


def reached_at(history: History, row: int) -> Performance:
    """Return the performance of a state."""
    return history.steps[row - 1].reached if row else history.first


def step_name(history: History, row: int) -> str:
    """Return the name of the step that led to a state."""
    if row:
        return history.steps[row - 1].name
    if history.forgotten:
        return dropped_text(history.forgotten)
    return "Start"


def dropped_text(steps: int) -> str:
    """Return ``3 earlier steps discarded to save memory``."""
    return f"{plural(steps, 'earlier step')} discarded to save memory"


def step_change(history: History, row: int) -> str:
    """Return ``64.0 → 67.2 GB/s per node``, with times if known; for the beginning a single figure."""
    after, before = reached_at(history, row), reached_at(history, row - 1) if row else Performance()
    if after.gbs is None:
        return NO_LOAD
    both = [before, after] if before.gbs is not None else [after]
    times = [reached.seconds for reached in both] if after.seconds is not None else []
    return rate([reached.gbs for reached in both], times, strictest(reached.measure for reached in both).rate)
