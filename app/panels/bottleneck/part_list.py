"""Short lists of the parts of a load, and the stacked bar above them."""

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from app.model.load_parts import LoadPart
from app.model.pointing import Item
from app.style.theme import DARK, Theme
from app.widgets.array_table import LEFT, RIGHT
from app.widgets.menu_parts import copy_rows
from app.widgets.painting import painter_on
from app.wording.names import short_name
from app.wording.numbers import percent, significant

PAD = 4
SWATCH = 9
GAP = 8
SHARE_SAMPLE, LOAD_SAMPLE = "99.9 %", "0.03125"
"""Widest usual figures: all lists reserve the same width, so that figures align."""


class RoleBar(QWidget):
    """Parts side by side, as wide as their fraction."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: tuple[LoadPart, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the height of a line."""
        return QSize(0, self.fontMetrics().height())

    def set_parts(self, parts: tuple[LoadPart, ...]) -> None:
        """Show other parts."""
        self.parts = parts
        self.setToolTip("\n".join(f"{part.text}: {percent(part.share)}" for part in parts))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the parts."""
        with painter_on(self) as painter:
            left = 0.0
            for part in self.parts:
                width = self.width() * part.share
                painter.fillRect(QRectF(left, 0, max(1.0, width - 1), self.height()), QColor(part.colour))
                left += width


def part_texts(parts: tuple[LoadPart, ...]) -> list[list[str]]:
    """Return the texts of the head and of the rows of parts."""
    rows = [[part.text, significant(part.load), percent(part.share)] for part in parts]
    return [["part", "load", "share"], *rows]


class PartList(QWidget):
    """Rows of text, load and share. Rows with an item can be hovered and selected."""

    chosen = Signal(object)
    """Item of the row that was clicked, or reached by the arrow keys."""
    hovered = Signal(object)
    """Item under the pointer, or None."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.parts: tuple[LoadPart, ...] = ()
        self._theme = DARK
        self._selected: Item | None = None
        self._under = -1
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_parts(self, parts: tuple[LoadPart, ...], theme: Theme) -> None:
        """Show other rows; the pointer stays on an unchanged row."""
        under = slice(self._under, self._under + 1)
        if self._under >= 0 and [part.item for part in parts[under]] != [self.parts[self._under].item]:
            self._point_at(-1)
        self._theme = theme
        if len(parts) != len(self.parts):
            self.updateGeometry()
        self.parts = parts
        choosable = any(part.item is not None for part in parts)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if choosable else Qt.FocusPolicy.NoFocus)
        self.setAccessibleDescription("; ".join(f"{part.text} {percent(part.share)}" for part in parts))
        self.update()

    def set_selected(self, item: Item | None) -> None:
        """Mark the row of the selected item."""
        if item != self._selected:
            self._selected = item
            self.update()

    def row_rect(self, row: int) -> QRect:
        """Return the rectangle of a row."""
        return QRect(0, row * self._row_height(), self.width(), self._row_height())

    def row_texts(self, room: int) -> tuple[list[str], bool]:
        """Return the text of each row, and whether loads are shown, given the width for both.

        Names that do not fit are shortened. If they still do not fit, the loads are omitted.
        """
        texts = [part.text for part in self.parts]
        short = [short_name(text) for text in texts]
        left = room - self._load_px()
        fitting = next((some for some in (texts, short) if self._widest(some) <= left), None)
        if fitting is not None or not any(part.item for part in self.parts):
            return fitting or texts, True
        return (texts if self._widest(texts) <= room else short), False

    def sizeHint(self) -> QSize:
        """Return the room for all rows."""
        return QSize(160, self._row_height() * len(self.parts))

    def minimumSizeHint(self) -> QSize:
        """Return the room for all rows."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint all rows."""
        with painter_on(self) as painter:
            for row, part in enumerate(self.parts):
                self._paint_row(painter, row, part)
            if self.hasFocus() and self._selected not in [part.item for part in self.parts if part.item is not None]:
                painter.setPen(QPen(QColor(self._theme.accent), 1))
                painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def menu_item(self, at: QPoint) -> Item | None:
        """Return the item of the row at a point."""
        row = self._row_at(at)
        return self.parts[row].item if row >= 0 else None

    def menu_spot(self) -> QPoint:
        """Return the middle of the selected row, or of the first."""
        selected = [row for row, part in enumerate(self.parts) if part.item is not None and part.item == self._selected]
        return self.row_rect(selected[0] if selected else 0).center()

    def fill_menu(self, menu: QMenu, at: QPoint) -> None:
        """Offer to copy the row at a point, or the list."""
        row, count = at.y() // self._row_height(), len(self.parts)
        copying = menu.addAction("Copy row", lambda: copy_rows(part_texts(self.parts[row : row + 1])))
        copying.setEnabled(0 <= row < count)
        menu.addAction("Copy table", lambda: copy_rows(part_texts(self.parts))).setEnabled(count > 0)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Hover the row's item."""
        self._point_at(self._row_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the hover highlight."""
        self._point_at(-1)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the row's item."""
        row = self._row_at(event.position().toPoint())
        if row >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(self.parts[row].item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select the row below or above."""
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        items = [part.item for part in self.parts if part.item is not None]
        if not step or not items:
            super().keyPressEvent(event)
            return
        place = items.index(self._selected) + step if self._selected is not None and self._selected in items else 0
        self.chosen.emit(items[min(max(place, 0), len(items) - 1)])

    def _row_height(self) -> int:
        return self.fontMetrics().height() + 4

    def _row_at(self, where: QPoint) -> int:
        row = where.y() // self._row_height()
        return row if 0 <= row < len(self.parts) and self.parts[row].item is not None else -1

    def _point_at(self, row: int) -> None:
        if row == self._under:
            return
        self._under = row
        self.setCursor(Qt.CursorShape.PointingHandCursor if row >= 0 else Qt.CursorShape.ArrowCursor)
        self.setToolTip(self.parts[row].text if row >= 0 else "")
        self.update()
        self.hovered.emit(self.parts[row].item if row >= 0 else None)

    def _widest(self, texts: list[str]) -> int:
        return max(self.fontMetrics().horizontalAdvance(text) for text in texts)

    def _paint_row(self, painter: QPainter, row: int, part: LoadPart) -> None:
        theme, rect, metrics = self._theme, self.row_rect(row), self.fontMetrics()
        chosen = part.item is not None and part.item == self._selected
        if chosen or row == self._under:
            painter.fillRect(rect, QColor(theme.selected if chosen else theme.hovered))
        if chosen and self.hasFocus():
            painter.setPen(QPen(QColor(theme.accent), 1))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        rect = rect.adjusted(PAD, 0, -PAD, 0)
        if part.colour:
            side = theme.px(SWATCH)
            top = rect.top() + (rect.height() - side) // 2
            painter.fillRect(QRect(rect.left(), top, side, side), QColor(part.colour))
            rect.setLeft(rect.left() + side + 6)
        painter.setPen(QColor(theme.dim))
        painter.drawText(rect, RIGHT, percent(part.share))
        rect.setRight(rect.right() - self._widest([SHARE_SAMPLE, *(percent(p.share) for p in self.parts)]) - GAP)
        texts, with_load = self.row_texts(rect.width())
        if with_load:
            painter.drawText(rect, RIGHT, significant(part.load))
            rect.setRight(rect.right() - self._load_px())
        painter.setPen(QColor(theme.text))
        text = metrics.elidedText(texts[row], Qt.TextElideMode.ElideMiddle, rect.width())
        painter.drawText(rect, LEFT, text)

    def _load_px(self) -> int:
        return self._widest([LOAD_SAMPLE, *(significant(part.load) for part in self.parts)]) + GAP
