"""The command palette: every command, preset and recent file, found by a few letters."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout

from app.presets import preset_names

if TYPE_CHECKING:
    from app.window import Window

SIZE = (520, 380)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the palette."""

    text: str
    hint: str
    run: Callable[[], None]


class Palette(QDialog):
    """A search field over a list; Enter runs the chosen line, Esc closes."""

    def __init__(self, window: "Window") -> None:
        super().__init__(window, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window = window
        self._entries = entries(window)
        self.field = QLineEdit(placeholderText="Search commands, presets and recent files")
        self.list = QListWidget()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.addWidget(self.field)
        layout.addWidget(self.list)
        self.field.textChanged.connect(self._fill)
        self.field.installEventFilter(self)
        self.list.itemActivated.connect(lambda item: self._run())
        self.list.itemClicked.connect(lambda item: self._run())
        self._fill("")

    def popup(self) -> None:
        """Show it near the top of the window, ready to type."""
        self.resize(*SIZE)
        corner = self._window.mapToGlobal(self._window.rect().topLeft())
        self.move(corner.x() + (self._window.width() - SIZE[0]) // 2, corner.y() + 60)
        self.show()
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the arrow keys move in the list and Enter run while the field has the focus."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
            if event.key() in steps:
                row = self.list.currentRow() + steps[Qt.Key(event.key())]
                self.list.setCurrentRow(max(0, min(row, self.list.count() - 1)))
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._run()
                return True
        return super().eventFilter(watched, event)

    def _fill(self, text: str) -> None:
        self.list.clear()
        for entry in ranked(self._entries, text):
            item = QListWidgetItem(f"{entry.text}    {entry.hint}".rstrip())
            item.setData(Qt.ItemDataRole.UserRole, entry)
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _run(self) -> None:
        item = self.list.currentItem()
        self.close()
        if item is not None:
            item.data(Qt.ItemDataRole.UserRole).run()


def entries(window: "Window") -> list[Entry]:
    """Return every line the palette can offer now."""
    found = [
        Entry(action.text().rstrip(" …"), action.shortcut().toString(), action.trigger)
        for action in window.menus.actions.values()
        if action.isEnabled()
    ]
    for name in preset_names():
        found.append(Entry(f"Preset: {name.replace('-', ' ')}", "", partial(window.files.open_preset, name)))
    for path in window.settings.recent:
        found.append(Entry(f"Recent: {path.name}", str(path.parent), partial(window.files.open, path)))
    for view in window.views:
        found.append(Entry(f"Export picture: {view.title}", "", partial(window.files.ask_picture, view)))
    return found


def ranked(found: list[Entry], text: str) -> list[Entry]:
    """Return the entries that hold the letters of `text` in order, best first: starts, then words, then the rest."""
    wanted = text.lower().strip()
    scored = [(score, index) for index, entry in enumerate(found) if (score := _score(entry.text.lower(), wanted)) >= 0]
    return [found[index] for _, index in sorted(scored)]


def _score(text: str, wanted: str) -> int:
    # The smaller the better; -1: does not match.
    if wanted in text:
        return 0 if text.startswith(wanted) else 1 if f" {wanted}" in text else 2
    place = -1
    for letter in wanted.replace(" ", ""):
        place = text.find(letter, place + 1)
        if place < 0:
            return -1
    return 3
