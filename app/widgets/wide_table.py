"""A table of many columns, each as wide as its texts up to a limit; it scrolls sideways, and rows can be added.

Remaining width is shared by columns that are elided.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent

from app.widgets.array_table import ROOM_PX, SORT_MARK, Column
from app.widgets.pick_table import PickTable

MAX_MEASURED = 500
"""Approximate number of rows, spread over all, whose texts are measured for the width of a column."""


class WideTable(PickTable):
    """Shows columns of at most `most` pixels, or more if there is room; longer texts are elided."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._widths: list[int] = []
        """Widths of the texts measured so far."""
        self._measured = 0
        super().__init__()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(self.ScrollMode.ScrollPerPixel)

    def set_columns(self, columns: Sequence[Column]) -> None:
        """Show other values."""
        self._widths, self._measured = [], 0
        super().set_columns(columns)

    def grow_columns(self, columns: Sequence[Column]) -> None:
        """Append rows to unchanged ones; columns that differ are replaced."""
        kinds = [[(column.title, column.number) for column in both] for both in (columns, self.source.columns)]
        if kinds[0] != kinds[1] or len(columns[0].values) < self._measured:
            self.set_columns(columns)
            return
        self.source.grow(columns)
        self._fit_columns()

    def _fit_columns(self) -> None:
        # Only new rows are measured: there may be thousands, and more arrive several times a second.
        columns = self.source.columns
        self._widths = self._widths or [0] * len(columns)
        for index, column in enumerate(columns):
            new = column.values[self._measured :]
            texts = {column.write(value) for value in new[:: 1 + len(new) // MAX_MEASURED]}
            needed = max(map(self.fontMetrics().horizontalAdvance, texts), default=0)
            self._widths[index] = max(self._widths[index], needed)
        self._measured = self.source.rowCount()
        self._share_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Distribute the width again."""
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        columns, head, beside = self.source.columns, self.horizontalHeader(), self.beside + ROOM_PX
        marked = head.sortIndicatorSection()
        titles = [head.fontMetrics().horizontalAdvance(column.title) for column in columns]
        needed = [
            max(width, title + (SORT_MARK if index == marked else 0))
            for index, (width, title) in enumerate(zip(self._widths, titles, strict=False))
        ]
        most = max(self._most, level(needed, self.viewport().width() - beside * len(needed)))
        for index, width in enumerate(needed):
            self.setColumnWidth(index, min(width, most) + beside)


def level(needed: Sequence[int], room: int) -> int:
    """Return the largest cap such that the sum of `needed`, capped, is at most `room`."""
    for done, need in enumerate(sorted(needed)):
        share = room // (len(needed) - done)
        if need > share:
            return share
        room -= need
    return max(needed, default=0)
