"""Menus and shortcuts, built from the table of actions and kept in step with the session's state."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from app.actions import MENUS, ActionSpec
from app.presets import preset_names
from app.session import ChangeSet

if TYPE_CHECKING:
    from app.window import Window


class Menus:
    """The menu bar of a window."""

    def __init__(self, window: "Window", specs: Sequence[ActionSpec]) -> None:
        self._window, self._specs = window, specs
        self.actions: dict[str, QAction] = {}
        self._menus: dict[str, QMenu] = {}
        for name in MENUS:
            self._menu(name)
        self._file_menus()
        for spec in specs:
            self._add(spec)
        window.session.changed.connect(self._on_session_changed)
        self._update()

    def _menu(self, path: str) -> QMenu:
        if path not in self._menus:
            parent, _, name = path.rpartition("/")
            owner = self._menu(parent) if parent else self._window.menuBar()
            menu = QMenu(f"&{name}", self._window)
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
            action.setShortcut(QKeySequence(spec.shortcut))
        if spec.tip:
            action.setToolTip(spec.tip)
        action.setCheckable(spec.checked is not None)
        action.triggered.connect(partial(self._on_triggered, spec))
        self.actions[spec.id] = action
        self._window.addAction(action)
        if spec.menu:
            self._menu(spec.menu).addAction(action)

    def _on_triggered(self, spec: ActionSpec, checked: bool = False) -> None:
        spec.run(self._window)
        self._update()

    def _on_session_changed(self, changes: ChangeSet, initiator: object) -> None:
        if changes & (ChangeSet.STYLE | ChangeSet.LOADS | ChangeSet.STATUS | ChangeSet.SELECTION):
            self._update()

    def _update(self) -> None:
        state = self._window.session.state
        for spec in self._specs:
            action = self.actions[spec.id]
            action.setEnabled(spec.enabled(state))
            if spec.checked is not None:
                action.setChecked(spec.checked(state))
