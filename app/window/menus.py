"""Menus and shortcuts, built from the table of actions and kept in step with the session's state."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from app.actions.spec import ActionSpec
from app.actions.table import MENUS
from app.model.changes import ChangeSet
from app.storage.presets import preset_names

if TYPE_CHECKING:
    from app.window.main_window import Window


CONCERNED = (
    ChangeSet.STYLE | ChangeSet.LOADS | ChangeSet.STATUS | ChangeSet.SELECTION | ChangeSet.MARKED | ChangeSet.TOOL
    | ChangeSet.HISTORY | ChangeSet.COMPARISON | ChangeSet.SEARCH
)  # fmt: skip
"""Changes after which a command may apply, or no longer."""


class Menus:
    """The menu bar of a window."""

    def __init__(self, window: "Window", specs: Sequence[ActionSpec]) -> None:
        self._window, self._specs = window, specs
        self.actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        for name in MENUS:
            self._menu(name)
        for spec in specs:
            self._add(spec)
        self._file_menus()
        window.session.changed.connect(self._on_session_changed)
        self._update()

    def _menu(self, path: str) -> QMenu:
        if path not in self._menus:
            parent, _, name = path.rpartition("/")
            owner = self._menu(parent) if parent else self._window.menuBar()
            texts = [action.text() for action in owner.actions()]
            taken = {text.partition("&")[2][0].lower() for text in texts if "&" in text}
            menu = QMenu(with_mnemonic(name, taken), self._window)
            menu.setToolTipsVisible(True)
            owner.addMenu(menu)
            self._menus[path] = menu
        return self._menus[path]

    def _file_menus(self) -> None:
        self._presets = self._menu("File/Presets")
        for name in preset_names():
            self._presets.addAction(name.replace("-", " "), partial(self._window.files.open_preset, name))
        self._recent = self._menu("File/Recent files")
        self._recent.aboutToShow.connect(self._fill_recent)
        self._pictures = self._menu("File/Export picture")
        for view in self._window.views:
            self._pictures.addAction(f"{view.title} …", partial(self._window.files.ask_picture, view))
        for menu, follows in (
            (self._presets, "file.save"),
            (self._recent, "file.save"),
            (self._window.snapshots, "file.links"),
            (self._pictures, "file.links"),
        ):
            self._menu("File").insertMenu(self.actions[follows], menu)
        for first in (self.actions["file.save"], self._pictures.menuAction(), self.actions["file.quit"]):
            self._menu("File").insertSeparator(first)

    def _fill_recent(self) -> None:
        self._recent.clear()
        for path in self._window.settings.recent:
            self._recent.addAction(str(path), partial(self._window.files.open, path))
        if self._recent.isEmpty():
            self._recent.addAction("None yet").setEnabled(False)

    def _add(self, spec: ActionSpec) -> None:
        action = QAction(spec.title, self._window)
        action.setObjectName(spec.id)
        if spec.shortcut:
            action.setShortcuts(QKeySequence.listFromString(spec.shortcut))
        action.setIconVisibleInMenu(False)
        self._explain(action, spec)
        action.setCheckable(spec.checked is not None)
        action.triggered.connect(partial(self._on_triggered, spec))
        self.actions[spec.id] = action
        self._window.addAction(action)
        if spec.apart:
            self._menu(spec.menu.partition("/")[0]).addSeparator()
        if spec.menu:
            self._menu(spec.menu).addAction(action)

    def _explain(self, action: QAction, spec: ActionSpec) -> None:
        # A button of the toolbar has no room for more than its icon: the rest stands in its tool tip.
        keys = " or ".join(keys.toString(QKeySequence.SequenceFormat.NativeText) for keys in action.shortcuts())
        head = f"{action.text()} ({keys})" if keys else action.text()
        if spec.icon:
            action.setToolTip(f"{head}\n{spec.tip}".rstrip())
        elif spec.tip:
            action.setToolTip(spec.tip)

    def _on_triggered(self, spec: ActionSpec, checked: bool = False) -> None:
        spec.run(self._window)
        self._update()

    def _on_session_changed(self, changes: ChangeSet, initiator: object) -> None:
        if changes & CONCERNED:
            self._update()

    def _update(self) -> None:
        state = self._window.session.state
        for spec in self._specs:
            action = self.actions[spec.id]
            action.setEnabled(spec.enabled(state))
            if spec.text is not None and action.text() != spec.text(state):
                action.setText(spec.text(state))
                self._explain(action, spec)
            if spec.checked is not None:
                action.setChecked(spec.checked(state))


def with_mnemonic(name: str, taken: set[str]) -> str:
    """Return a name whose first letter that is not taken yet opens it: ``&Select``, then ``S&tudy``."""
    place = next((k for k, letter in enumerate(name) if letter.isalpha() and letter.lower() not in taken), 0)
    return f"{name[:place]}&{name[place:]}"
