"""The steps of the history as a list: read, walked through and travelled to."""

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.session.history import History, Reached
from app.style.theme import DARK, Theme
from app.wording.numbers import gbs, rate
from core.job.measure import strictest
from core.text import duration, plural

Index = QModelIndex | QPersistentModelIndex
NOWHERE = QModelIndex()
TITLES = ("step", "what was done", "GB/s", "time")
"""The last one only where a job of traced flows has a time."""
NAME = 1
"""The column of what was done."""
BEST = "★ "
PAD = 10
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class StepModel(QAbstractTableModel):
    """A row for the beginning and for each step; nothing is copied but their number."""

    def __init__(self, history: History, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._rows, self._done, self._columns = 0, 0, len(TITLES) - 1
        self._best: int | None = None
        self._theme = DARK

    def show_history(self, best: int | None, theme: Theme) -> None:
        """Show the history as it is now."""
        self.beginResetModel()
        self._rows, self._done = len(self._history.steps) + 1, self._history.done
        self._best, self._theme = best, theme
        timed = any(reached.seconds is not None for reached in self._history.states)
        self._columns = len(TITLES) if timed else len(TITLES) - 1
        self.endResetModel()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        """Return the number of rows."""
        return 0 if parent.isValid() else self._rows

    def columnCount(self, parent: Index = NOWHERE) -> int:
        """Return the number of columns."""
        return 0 if parent.isValid() else self._columns

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the text of a cell, and how it is written."""
        row = index.row()
        if not index.isValid() or row > len(self._history.steps):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{step_name(self._history, row)}\n{step_change(self._history, row)}"
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if index.column() == NAME else RIGHT
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._colour(row)
        if role == Qt.ItemDataRole.FontRole and row == self._done:
            bold = QFont()
            bold.setWeight(QFont.Weight.DemiBold)
            return bold
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the title of a column."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return LEFT if section == NAME else RIGHT
        return TITLES[section] if role == Qt.ItemDataRole.DisplayRole else None

    def _text(self, row: int, column: int) -> str:
        if column == 0:
            return f"{row + self._history.forgotten:,}"
        if column == NAME:
            return step_name(self._history, row)
        value, seconds, _ = reached_at(self._history, row)
        if column == 3:
            return "—" if seconds is None else duration(seconds)
        return (BEST if row == self._best else "") + (gbs(value) if value is not None else "—")

    def _colour(self, row: int) -> QColor | None:
        if row == self._done:
            return QColor(self._theme.accent)
        return QColor(self._theme.dim) if row > self._done else None


class StepTable(QTableView):
    """Shows the model; a click or Enter on a row asks to go there."""

    chosen = Signal(int)
    """State that is to be gone to."""
    pointed = Signal(object)
    """State under the pointer, or None."""

    def __init__(self, history: History) -> None:
        super().__init__()
        self.steps = StepModel(history, self)
        self.setModel(self.steps)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setAccessibleName("Steps")
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setMinimumSectionSize(20)
        head.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.clicked.connect(lambda index: self.chosen.emit(index.row()))
        self.entered.connect(lambda index: self.pointed.emit(index.row()))
        self.viewport().installEventFilter(self)

    @property
    def timed(self) -> bool:
        """Return whether it has a column of times."""
        return self.steps.columnCount() == len(TITLES)

    def show_history(self, best: int | None, done: int, theme: Theme) -> None:
        """Show the history as it is now, with the state on screen in sight."""
        self.steps.show_history(best, theme)
        self._fit_columns()
        index = self.steps.index(done, 0)
        self.setCurrentIndex(index)
        self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the state of the current row."""
        if event.key() in ENTER and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex().row())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width out again."""
        super().resizeEvent(event)
        self._fit_columns()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Point at nothing once the pointer has left the rows."""
        if event.type() == QEvent.Type.Leave:
            self.pointed.emit(None)
        return super().eventFilter(watched, event)

    def _fit_columns(self) -> None:
        # Numbers are told in full; what was done takes the room that they leave.
        figures = [column for column in range(self.steps.columnCount()) if column != NAME]
        widths = {column: self._needed(column) for column in figures}
        widths[NAME] = max(self.viewport().width() - sum(widths.values()), 20)
        for column, width in widths.items():
            self.setColumnWidth(column, width)

    def _needed(self, column: int) -> int:
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        texts = {str(self.steps.index(row, column).data()) for row in range(self.steps.rowCount())}
        return max(map(QFontMetrics(bold).horizontalAdvance, (TITLES[column], *texts))) + PAD


def reached_at(history: History, row: int) -> Reached:
    """Return what a state comes to."""
    return history.steps[row - 1].reached if row else history.first


def step_name(history: History, row: int) -> str:
    """Return what led to a state."""
    if row:
        return history.steps[row - 1].name
    if history.forgotten:
        return f"{plural(history.forgotten, 'earlier step')} dropped to save memory"
    return "The beginning"


def step_change(history: History, row: int) -> str:
    """Return ``64.0 → 67.2 GB/s per node``, with the times if there are, or what is alone where nothing was before."""
    after, before = reached_at(history, row), reached_at(history, row - 1) if row else Reached()
    if after.gbs is None:
        return "nothing is loaded"
    both = [before, after] if before.gbs is not None else [after]
    times = [reached.seconds for reached in both] if after.seconds is not None else []
    return rate([reached.gbs for reached in both], times, strictest(reached.measure for reached in both).rate)
