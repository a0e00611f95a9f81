"""The command palette: every command, preset and recent file, found by a few letters."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from app.actions.file_commands import FileCommands
from app.storage.presets import preset_names
from app.views.view import View
from app.window.action_set import ActionSet

SIZE = (520, 380)
"""Width, and the greatest height."""
NOTHING = "No command, preset or recent file is called so."


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the palette."""

    text: str
    hint: str
    run: Callable[[], None]
    place: str = ""
    """Menu it stands in, which finds it too."""

    @property
    def line(self) -> str:
        """Return all that is shown."""
        return "    ".join(part for part in (self.text, self.place, self.hint) if part)


class Palette(QDialog):
    """A search field over a list; Enter runs the chosen line, Esc closes."""

    def __init__(self, found: list[Entry], window: QWidget) -> None:
        super().__init__(window, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("palette")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._window = window
        self._entries = found
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
            item = QListWidgetItem(entry.line)
            item.setData(Qt.ItemDataRole.UserRole, entry)
            self.list.addItem(item)
        if not self.list.count():
            nothing = QListWidgetItem(NOTHING, self.list)
            nothing.setFlags(Qt.ItemFlag.NoItemFlags)
        self.list.setCurrentRow(0)
        self._fit()

    def _fit(self) -> None:
        # As tall as what it lists.
        rows = self.list.count() * max(self.list.sizeHintForRow(0), 1) + 2 * self.list.frameWidth()
        around = self.sizeHint().height() - self.list.sizeHint().height()
        self.resize(SIZE[0], min(rows + around, SIZE[1]))

    def _run(self) -> None:
        item = self.list.currentItem()
        entry = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        if isinstance(entry, Entry):
            self.close()
            entry.run()


def entries(actions: ActionSet, files: FileCommands, views: Iterable[View]) -> list[Entry]:
    """Return every line the palette can offer now."""
    found = []
    for spec in actions.specs:
        action = actions[spec.id]
        if action.isEnabled():
            text, keys = action.text().rstrip(" …"), action.shortcut().toString()
            found.append(Entry(text, keys, action.trigger, spec.menu.partition("/")[2]))
    for name in preset_names():
        found.append(Entry(f"Preset: {name.replace('-', ' ')}", "", partial(files.open_preset, name)))
    for path in files.recent:
        found.append(Entry(f"Recent: {path.name}", str(path.parent), partial(files.open, path)))
    for view in views:
        found.append(Entry(f"Export picture: {view.title}", "", partial(files.ask_picture, view)))
    return found


def ranked(found: list[Entry], text: str) -> list[Entry]:
    """Return the entries that hold the letters of `text` in order, best first.

    First what starts so, then what has such a word, then what holds it, then what stands in such a menu, then the rest.
    """
    wanted = text.lower().strip()
    scored = [(score, index) for index, entry in enumerate(found) if (score := _score(entry, wanted)) >= 0]
    return [found[index] for _, index in sorted(scored)]


def _score(entry: Entry, wanted: str) -> int:
    # The smaller the better; -1: does not match.
    text = entry.text.lower()
    if wanted in text:
        return 0 if text.startswith(wanted) else 1 if f" {wanted}" in text else 2
    if wanted in entry.place.lower():
        return 3
    place = -1
    for letter in wanted.replace(" ", ""):
        place = text.find(letter, place + 1)
        if place < 0:
            return -1
    return 4
