"""The command palette: every command, machine, choice, setting, preset, tour and recent file, searched by words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from app.style.theme import Theme
from app.widgets.layouts import column
from app.widgets.popup import ENTER, Popup
from app.wording.word_search import WordSearch

WIDTH, MAX_HEIGHT = 44, 26
"""Size of the palette, in line heights."""
EDGE_PX = 24
"""Minimum distance of the palette from the edges of its window."""
KIND_WIDTH = 5
"""Width of the column of kinds, in line heights."""
ROUNDING_PX = 2
"""Room for the rounding of advances."""
NOTHING_FOUND = "No match."
ENTRY = Qt.ItemDataRole.UserRole
SELECTABLE = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """A line of the palette."""

    text: str
    kind: str
    run: Callable[[], object]
    detail: str = ""
    """Its menu or description."""
    keys: str = ""
    more: str = ""
    """Further text that is searched."""
    refusal: str = ""
    """Why it cannot be chosen now."""

    @property
    def line(self) -> str:
        """Return the text of the line."""
        parts = self.text, self.refusal or self.detail, self.keys, self.kind
        return "    ".join(part for part in parts if part)


class Palette(Popup):
    """A search field over a list; Enter runs the chosen line, Esc closes."""

    def __init__(self, entries: Sequence[PaletteEntry], theme: Theme, window: QWidget) -> None:
        super().__init__("palette", window)
        self._entries, self._search = entries, search_of(entries)
        self.field.setPlaceholderText("Search commands, machines, jobs, mappings, routings, settings and files")
        self.field.setAccessibleName("Search")
        self.list = QListWidget()
        self.list.setItemDelegate(EntryDelegate(theme, self.list))
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column(self.field, self.list, of=self, margins=(8, 8, 8, 8))
        self.field.textChanged.connect(self._fill)
        self.list.itemActivated.connect(lambda item: self._run())
        self.list.itemClicked.connect(lambda item: self._run())
        self._fill("")

    def place(self, window: QWidget) -> None:
        """Move to its place over the window, no wider than that."""
        self._fit(window.width() - 2 * EDGE_PX)
        super().place(window)

    def take_key(self, event: QKeyEvent) -> bool:
        """Move in the list by the arrow keys, and run the current line by Enter."""
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if step:
            self.list.setCurrentRow(max(0, min(self.list.currentRow() + step, self.list.count() - 1)))
        elif event.key() in ENTER:
            self._run()
        return bool(step) or event.key() in ENTER

    def _fill(self, text: str) -> None:
        self.list.clear()
        for number in self._search.ranked(text):
            entry = self._entries[number]
            item = QListWidgetItem(entry.line, self.list)
            item.setData(ENTRY, entry)
            if entry.refusal:
                item.setFlags(Qt.ItemFlag.ItemIsSelectable)
        if not self.list.count():
            QListWidgetItem(NOTHING_FOUND, self.list).setFlags(Qt.ItemFlag.NoItemFlags)
        self.list.setCurrentRow(0)
        self._fit(self.width())

    def _fit(self, widest: int) -> None:
        # As tall as its entries.
        rows = self.list.count() * max(self.list.sizeHintForRow(0), 1) + 2 * self.list.frameWidth()
        field = self.sizeHint().height() - self.list.sizeHint().height()
        line = self.fontMetrics().height()
        self.resize(min(WIDTH * line, widest), min(rows + field, MAX_HEIGHT * line))

    def _run(self) -> None:
        item = self.list.currentItem()
        entry = item.data(ENTRY) if item is not None else None
        if isinstance(entry, PaletteEntry) and not entry.refusal:
            self.close()
            entry.run()


class EntryDelegate(QStyledItemDelegate):
    """Draws an entry: its text, its detail in a dim colour, and at the right its keys and its kind."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Draw the line."""
        entry = index.data(ENTRY)
        if not isinstance(entry, PaletteEntry):
            super().paint(painter, option, index)
            return
        plain = QStyleOptionViewItem(option)
        self.initStyleOption(plain, index)
        plain.text = ""
        plain.widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, plain, painter, plain.widget)
        self._write(painter, plain, entry)

    def _write(self, painter: QPainter, option: QStyleOptionViewItem, entry: PaletteEntry) -> None:
        metrics, line = option.fontMetrics, option.fontMetrics.height()
        room = option.rect.adjusted(line // 2, 0, -line // 2, 0)
        painter.save()
        painter.setFont(option.font)
        right = _right_of(room, KIND_WIDTH * line)
        _draw(painter, right, entry.kind, self._theme.dim, Qt.AlignmentFlag.AlignRight)
        room.setRight(right.left() - line // 2)
        keys = _right_of(room, metrics.horizontalAdvance(entry.keys) + ROUNDING_PX)
        _draw(painter, keys, entry.keys, self._theme.text, Qt.AlignmentFlag.AlignRight)
        room.setRight(keys.left() - line)
        _draw(painter, room, entry.text, self._theme.dim if entry.refusal else self._theme.text)
        room.setLeft(room.left() + metrics.horizontalAdvance(entry.text) + line)
        if room.width() > 3 * line:
            _draw(painter, room, entry.refusal or entry.detail, self._theme.dim)
        painter.restore()


def _right_of(rect: QRect, width: int) -> QRect:
    return rect.adjusted(rect.width() - width, 0, 0, 0)


def _draw(
    painter: QPainter, rect: QRect, text: str, colour: str, side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft
) -> None:
    painter.setPen(QColor(colour))
    shown = QFontMetrics(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, rect.width())
    painter.drawText(rect, side | Qt.AlignmentFlag.AlignVCenter, shown)


def search_of(entries: Sequence[PaletteEntry]) -> WordSearch:
    """Return the search of entries, by their texts first."""
    return WordSearch([(entry.text, f"{entry.kind} {entry.detail} {entry.keys}", entry.more) for entry in entries])
