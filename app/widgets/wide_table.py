"""A table of many columns, each as wide as its texts, up to a limit: it scrolls to both sides, and may grow."""

from collections.abc import Sequence

from PySide6.QtCore import Qt

from app.widgets.array_table import PAD, SORT_MARK, Column
from app.widgets.pick_table import PickTable

MEASURED = 500
"""Of so many rows, all over what has come, the texts are measured to find how wide a column must be; about."""
ROOM_PX = 14
"""Pixels between two columns."""


class WideTable(PickTable):
    """Shows columns of at most `most` pixels; longer texts are elided."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._widths: list[int] = []
        """What the texts measured so far need."""
        self._measured = 0
        super().__init__()
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(self.ScrollMode.ScrollPerPixel)

    def set_columns(self, columns: Sequence[Column]) -> None:
        """Show other values."""
        self._widths, self._measured = [], 0
        super().set_columns(columns)

    def grow_columns(self, columns: Sequence[Column]) -> None:
        """Show more rows after those that are there, which stay as they are; or other columns, anew."""
        kinds = [[(one.title, one.number) for one in both] for both in (columns, self.source.columns)]
        if kinds[0] != kinds[1] or len(columns[0].values) < self._measured:
            self.set_columns(columns)
            return
        self.source.grow(columns)
        self._fit_columns()

    def _fit_columns(self) -> None:
        # Only what is new is measured: there may be thousands of rows, and more with every blink.
        columns, head = self.source.columns, self.horizontalHeader()
        self._widths = self._widths or [0] * len(columns)
        for index, column in enumerate(columns):
            new = column.values[self._measured :]
            texts = {column.write(value) for value in new[:: 1 + len(new) // MEASURED]}
            needed = max(map(self.fontMetrics().horizontalAdvance, texts), default=0)
            self._widths[index] = max(self._widths[index], needed)
            mark = SORT_MARK if head.sortIndicatorSection() == index else 0
            title = head.fontMetrics().horizontalAdvance(column.title) + mark
            self.setColumnWidth(index, min(max(self._widths[index], title), self._most) + 2 * PAD + ROOM_PX)
        self._measured = self.source.rowCount()
