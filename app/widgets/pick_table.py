"""A table whose rows can be browsed, used and copied."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence

from app.widgets.array_table import ArrayTable, Column


class PickTable(ArrayTable):
    """A click or Enter uses a row, arrow keys make it current, Ctrl+C copies the table."""

    used = Signal(int)
    """Row of the arrays."""
    looked_at = Signal(int)
    """Row of the arrays that has become the current one."""

    def __init__(self, columns: Sequence[Column] = ()) -> None:
        super().__init__(columns)
        self.clicked.connect(self._on_self_used)
        self.activated.connect(self._on_self_used)
        self.selectionModel().currentRowChanged.connect(self._on_current_row_changed)

    @property
    def order(self) -> list[int]:
        """Return the rows of the arrays in their order on screen."""
        return [self.source_row(self.sorted.index(row, 0)) for row in range(self.sorted.rowCount())]

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy the table on Ctrl+C."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def copy(self) -> None:
        """Copy the table as text."""
        QGuiApplication.clipboard().setText(columns_text(self.source.columns, self.order))

    def _on_self_used(self, index: QModelIndex) -> None:
        self.used.emit(self.source_row(index))

    def _on_current_row_changed(self, index: QModelIndex) -> None:
        if index.isValid():
            self.looked_at.emit(self.source_row(index))


def columns_text(columns: Sequence[Column], order: Sequence[int]) -> str:
    """Return the rows, in this order, as text in aligned columns."""
    cells = [[column.title, *(column.write(column.values[row]) for row in order)] for column in columns]
    widths = [max(map(len, column)) for column in cells]
    lines = []
    for row in zip(*cells, strict=True):
        parts = [
            text.rjust(width) if column.number else text.ljust(width)
            for text, width, column in zip(row, widths, columns, strict=True)
        ]
        lines.append("  ".join(parts).rstrip())
    return "\n".join(lines) + "\n"
