"""A row of widgets that continues on further lines where there is too little room."""

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class WrappedRow(QLayout):
    """Widgets of their preferred widths from left to right, line by line. Hidden ones take no room.

    A widget aligned to the right (`setAlignment`) is at the end of its line.

    `spacing` is between widgets in a line; lines follow each other without.
    """

    def __init__(self, *widgets: QWidget, spacing: int) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)
        for widget in widgets:
            self.addWidget(widget)

    def addItem(self, item: QLayoutItem) -> None:
        """Append an item."""
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, or None if there is none."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove an item and return it, or None if there is none."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Return none: spare room stays empty."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Return True: the number of lines depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:
        """Return the size of a single line."""
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        width = sum(size.width() + self.spacing() for size in sizes) - self.spacing()
        return QSize(max(width, 0), max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:
        """Return the size of the widest and highest items."""
        size = QSize(0, 0)
        for item in self._items:
            if not item.isEmpty():
                size = size.expandedTo(item.minimumSize())
        return size

    def setGeometry(self, area: QRect) -> None:
        """Arrange the items."""
        super().setGeometry(area)
        self._arrange(area, move=True)

    def _arrange(self, area: QRect, *, move: bool) -> int:
        """Return the height of the lines."""
        x, y, line = area.left(), area.top(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint()
            if x > area.left() and x + size.width() > area.left() + area.width():
                x, y, line = area.left(), y + line, 0
            if item.alignment() & Qt.AlignmentFlag.AlignRight:
                x = max(x, area.left() + area.width() - size.width())
            if move:
                item.setGeometry(QRect(QPoint(x, y), QSize(min(size.width(), area.width()), size.height())))
            x, line = x + size.width() + self.spacing(), max(line, size.height())
        return y + line - area.top()
