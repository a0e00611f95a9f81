"""Keyboard shortcuts and pointer gestures, grouped and searched by words."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHeaderView, QLineEdit, QTreeWidget, QTreeWidgetItem, QWidget

from app.actions.spec import ActionSpec
from app.actions.table import ACTIONS
from app.widgets.labels import message_label, say
from app.widgets.layouts import column
from app.wording.gestures import GESTURES
from app.wording.stage_keys import STAGE_KEYS
from app.wording.word_search import WordSearch

SIZE = QSize(40, 44)
"""Size of the window, in line heights."""
STAGE = "Keys on the stage"
NO_MATCH = "No match."


def menu_path(spec: ActionSpec) -> str:
    """Return a command with the submenus that lead to it: ``Theme › Dark``."""
    return " › ".join([*spec.menu.split("/")[1:], spec.title.rstrip(" …")])


def view_gestures() -> dict[str, list[tuple[str, str]]]:
    """Return gestures and keys of single views and of the stage with their effects, by the part of the window."""
    stage = [(key.shown, key.meaning[:1].upper() + key.meaning[1:]) for key in STAGE_KEYS]
    return {part: list(rows) for part, rows in GESTURES.items()} | {STAGE: stage}


def shortcut_groups() -> dict[str, list[tuple[str, str]]]:
    """Return keys and gestures with their effects: commands by menu, then `view_gestures`."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for spec in ACTIONS:
        if spec.shortcut:
            sequences = QKeySequence.listFromString(spec.shortcut)
            keys = ", ".join(keys.toString(QKeySequence.SequenceFormat.NativeText) for keys in sequences)
            groups.setdefault(spec.menu.partition("/")[0], []).append((keys, menu_path(spec)))
    return groups | view_gestures()


class ShortcutsWindow(QWidget):
    """A field over a table of shortcuts and gestures; typing filters it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle("Keyboard shortcuts")
        self.resize((SIZE * self.fontMetrics().height()).boundedTo(self.screen().availableSize()))
        self.field = QLineEdit()
        self.field.setPlaceholderText("Filter by command or key")
        self.field.setAccessibleName("Filter")
        self.field.setClearButtonEnabled(True)
        self.tree, self.message = QTreeWidget(), message_label("dim")
        self._groups = dict(self._added(title, rows) for title, rows in shortcut_groups().items())
        self._build()
        texts = [
            (row.text(0), f"{row.text(1)} {group.text(0)}") for group, rows in self._groups.items() for row in rows
        ]
        self._search = WordSearch(texts)
        self.field.textChanged.connect(self._filter)

    def _added(self, title: str, rows: list[tuple[str, str]]) -> tuple[QTreeWidgetItem, list[QTreeWidgetItem]]:
        """Add a group, and return its items."""
        group = QTreeWidgetItem(self.tree, [title])
        group.setFlags(Qt.ItemFlag.ItemIsEnabled)
        font = group.font(0)
        font.setBold(True)
        group.setFont(0, font)
        items = [QTreeWidgetItem(group, [effect, keys]) for keys, effect in rows]
        for item in items:
            item.setToolTip(0, item.text(0))
        return group, items

    def _build(self) -> None:
        self.tree.setHeaderLabels(["Command", "Keys"])
        self.tree.setUniformRowHeights(True)
        self.tree.expandAll()
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        column(self.field, self.message, (self.tree, 1), of=self, margins=(12, 12, 12, 12), spacing=8)

    def _filter(self, text: str) -> None:
        matches, number = set(self._search.ranked(text)), 0
        for group, rows in self._groups.items():
            shown = [number + k in matches for k in range(len(rows))]
            number += len(rows)
            for row, visible in zip(rows, shown, strict=True):
                row.setHidden(not visible)
            group.setHidden(not any(shown))
        say(self.message, "" if matches else NO_MATCH)
