"""The command palette: every command, preset and recent file, found by a few letters."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from app.actions.action_set import ActionSet
from app.actions.file_commands import FileCommands
from app.actions.tour_commands import TourCommands
from app.storage.presets import preset, preset_names, preset_title
from app.storage.tours import tour_names
from app.views.view import View
from app.widgets.layouts import column
from app.widgets.popup import ENTER, Popup

WIDTH, MAX_HEIGHT = 35, 26
"""Size of the palette, in line heights."""
NOTHING_FOUND = "No command, preset or recent file is called so."


@dataclass(frozen=True, slots=True)
class PaletteEntry:
    """A line of the palette."""

    text: str
    hint: str
    run: Callable[[], None]
    place: str = ""
    """Its menu, or the kind of a preset, which is searched too."""

    @property
    def line(self) -> str:
        """Return the text of the line."""
        return "    ".join(part for part in (self.text, self.place, self.hint) if part)


class Palette(Popup):
    """A search field over a list; Enter runs the chosen line, Esc closes."""

    def __init__(self, entries: list[PaletteEntry], window: QWidget) -> None:
        super().__init__("palette", window)
        self._entries = entries
        self.field.setPlaceholderText("Search commands, presets and recent files")
        self.list = QListWidget()
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column(self.field, self.list, of=self, margins=(8, 8, 8, 8))
        self.field.textChanged.connect(self._fill)
        self.list.itemActivated.connect(lambda item: self._run())
        self.list.itemClicked.connect(lambda item: self._run())
        self._fill("")

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
        for entry in ranked(self._entries, text):
            item = QListWidgetItem(entry.line)
            item.setData(Qt.ItemDataRole.UserRole, entry)
            self.list.addItem(item)
        if not self.list.count():
            QListWidgetItem(NOTHING_FOUND, self.list).setFlags(Qt.ItemFlag.NoItemFlags)
        self.list.setCurrentRow(0)
        self._fit()

    def _fit(self) -> None:
        # As tall as its entries.
        rows = self.list.count() * max(self.list.sizeHintForRow(0), 1) + 2 * self.list.frameWidth()
        field = self.sizeHint().height() - self.list.sizeHint().height()
        line = self.fontMetrics().height()
        self.resize(WIDTH * line, min(rows + field, MAX_HEIGHT * line))

    def _run(self) -> None:
        item = self.list.currentItem()
        entry = item.data(Qt.ItemDataRole.UserRole) if item is not None else None
        if isinstance(entry, PaletteEntry):
            self.close()
            entry.run()


def palette_entries(
    actions: ActionSet, files: FileCommands, tours: TourCommands, views: Iterable[View]
) -> list[PaletteEntry]:
    """Return every entry available now."""
    entries = []
    for spec in actions.specs:
        action = actions[spec.id]
        if action.isEnabled():
            text, keys = action.text().rstrip(" …"), action.shortcut().toString()
            entries.append(PaletteEntry(text, keys, action.trigger, spec.menu.rpartition("/")[2]))
    for name in preset_names():
        title, scenario = f"Preset: {preset_title(name)}", preset(name)
        what = f"{scenario.job.title} on {scenario.network.title}"
        entries.append(PaletteEntry(title, "", partial(files.open_preset, name), what))
    for name in tour_names():
        entries.append(PaletteEntry(f"Tour: {preset_title(name)}", "", partial(tours.open_shipped, name)))
    for path in files.recent:
        entries.append(PaletteEntry(f"Recent: {path.name}", str(path.parent), partial(files.open, path)))
    for offer in files.exchange.offers():
        ask = partial(files.exchange.ask_export, offer.kind, offer.part)
        entries.append(PaletteEntry(f"Export {offer.part}: {offer.kind}", offer.line, ask))
    for view in views:
        entries.append(PaletteEntry(f"Export picture: {view.title}", "", partial(files.ask_picture, view)))
    return entries


def ranked(entries: list[PaletteEntry], text: str) -> list[PaletteEntry]:
    """Return the entries that contain the letters of `text` in order, best first.

    First texts that start with `text`, then those with a word that does, then those that contain it, then those that
    contain each word of it, in their menu or not, then the rest.
    """
    wanted = text.lower().strip()
    scored = [(score, index) for index, entry in enumerate(entries) if (score := _score(entry, wanted)) >= 0]
    return [entries[index] for _, index in sorted(scored)]


def _score(entry: PaletteEntry, wanted: str) -> int:
    # Smaller is better; -1 for no match.
    text = entry.text.lower()
    if wanted in text:
        return 0 if text.startswith(wanted) else 1 if f" {wanted}" in text else 2
    if all(word in text or word in entry.place.lower() for word in wanted.split()):
        return 3
    place = -1
    for letter in wanted.replace(" ", ""):
        place = text.find(letter, place + 1)
        if place < 0:
            return -1
    return 4
