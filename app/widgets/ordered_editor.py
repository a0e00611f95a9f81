"""The editor of an ordered list: entries are added, removed and moved, by buttons or by dragging."""

from abc import abstractmethod
from typing import Any, ClassVar

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtWidgets import QAbstractItemView, QBoxLayout, QListWidget, QToolButton, QWidget

from app.widgets.editors import Editor
from app.widgets.labels import label, with_role
from app.widgets.layouts import STRETCH, column, row
from core.spec import Field

MAX_ROWS = 8
"""Maximum number of visible entries; more are scrolled."""


class OrderedList(QListWidget):
    """Lines that begin with the number of their entry; dragging moves an entry."""

    def __init__(self) -> None:
        super().__init__()
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)

    def sizeHint(self) -> QSize:
        """Return the height of the entries, up to `MAX_ROWS` of them."""
        rows = max(min(self.count(), MAX_ROWS), 1)
        return QSize(0, rows * max(self.sizeHintForRow(0), self.fontMetrics().height()) + 2 * self.frameWidth())

    def minimumSizeHint(self) -> QSize:
        """Return the same height: the panel scrolls."""
        return self.sizeHint()


class OrderedEditor(Editor):
    """A tuple of entries as a list with buttons; `noun` names an entry in tool tips."""

    labels_itself: ClassVar[bool] = True
    least: ClassVar[int] = 0
    """Minimum number of entries."""

    def __init__(self, field: Field, noun: str, *below: QWidget | QBoxLayout) -> None:
        self.entries: tuple[Any, ...] = ()
        self.list = OrderedList()
        self.add = _button("+", f"Add a {noun} after the selected {noun}")
        self.remove = _button("×", f"Remove this {noun}")
        self.up, self.down = _button("↑", f"Move this {noun} up"), _button("↓", f"Move this {noun} down")
        buttons = row(self.add, self.remove, self.up, self.down, STRETCH, spacing=4)
        body = QWidget()
        column(label("dim", field.title), with_role(self.list, "parts"), buttons, *below, of=body, spacing=4)
        super().__init__(field, body)
        body.setFocusProxy(self.list)
        self.list.setAccessibleName(field.title)
        self.list.currentRowChanged.connect(self._on_list_current_row_changed)
        self.list.model().rowsMoved.connect(self._on_rows_moved)
        self.remove.clicked.connect(self._on_remove_clicked)
        self.up.clicked.connect(lambda: self._move(-1))
        self.down.clicked.connect(lambda: self._move(1))

    @property
    def tab_stops(self) -> list[QWidget]:
        """Return the list and the buttons."""
        return [self.list, self.add, self.remove, self.up, self.down]

    def show_value(self, value: Any) -> None:
        """Show these entries; the selection is kept."""
        if value != self.entries:
            self.entries = tuple(value)
            self._show(self.list.currentRow())

    @abstractmethod
    def line(self, entry: Any) -> tuple[str, str]:
        """Return the text and the tool tip of an entry."""

    def show_selected(self) -> None:
        """Show the selected entry; here, what can be done with it."""
        selected, count = self.list.currentRow(), len(self.entries)
        self.remove.setEnabled(selected >= 0 and count > self.least)
        self.up.setEnabled(selected > 0)
        self.down.setEnabled(0 <= selected < count - 1)

    def insert(self, *entries: Any) -> None:
        """Add entries after the selected entry, and select the last of them."""
        after = self.list.currentRow() + 1
        self.take((*self.entries[:after], *entries, *self.entries[after:]), after + len(entries) - 1)

    def take(self, entries: tuple[Any, ...], selected: int, *, at_once: bool = True) -> None:
        """Show other entries as edited by the user."""
        self.entries = entries
        self._show(selected)
        self.edited.emit(entries, at_once)

    def _show(self, selected: int) -> None:
        with QSignalBlocker(self.list):
            # Items are reused, since this may be called while one is being dropped.
            while self.list.count() > len(self.entries):
                self.list.takeItem(self.list.count() - 1)
            while self.list.count() < len(self.entries):
                self.list.addItem("")
            for number, entry in enumerate(self.entries):
                item, (text, tip) = self.list.item(number), self.line(entry)
                item.setText(f"{number + 1}  {text}")
                item.setToolTip(tip)
            self.list.setCurrentRow(min(max(selected, 0), len(self.entries) - 1))
        self.list.updateGeometry()
        self.show_selected()

    def _move(self, by: int) -> None:
        selected = self.list.currentRow()
        rest = [*self.entries[:selected], *self.entries[selected + 1 :]]
        rest.insert(selected + by, self.entries[selected])
        self.take(tuple(rest), selected + by)

    def _on_remove_clicked(self) -> None:
        selected = self.list.currentRow()
        self.take((*self.entries[:selected], *self.entries[selected + 1 :]), selected)

    def _on_rows_moved(self) -> None:
        # The number in an item's text is the old position of its entry.
        order = [int(self.list.item(row).text().split()[0]) - 1 for row in range(self.list.count())]
        self.take(tuple(self.entries[number] for number in order), self.list.currentRow())

    def _on_list_current_row_changed(self, selected: int) -> None:
        self.show_selected()


def _button(text: str, tip: str) -> QToolButton:
    button = with_role(QToolButton(), "small")
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(tip)
    return button
