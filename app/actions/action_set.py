"""The commands of a window as Qt actions, which follow the session's state."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.actions.context import ActionContext
from app.actions.spec import ActionSpec, Toggle
from app.model.changes import ChangeSet
from app.style.icons import icon
from app.style.theme import Theme

CONCERNED = (
    ChangeSet.STYLE | ChangeSet.LOADS | ChangeSet.STATUS | ChangeSet.SELECTION | ChangeSet.EXPLANATION
    | ChangeSet.MARKED | ChangeSet.TOOL | ChangeSet.HISTORY | ChangeSet.COMPARISON | ChangeSet.SEARCH
    | ChangeSet.TIME | ChangeSet.TOUR | ChangeSet.PANELS
)  # fmt: skip
"""Changes that may enable or disable a command."""


class ActionSet(Mapping[str, QAction]):
    """The actions by the ids of their commands."""

    def __init__(self, specs: Sequence[ActionSpec], context: ActionContext, parent: QWidget) -> None:
        self.specs, self._context = specs, context
        self._actions = {spec.id: self._made(spec, parent) for spec in specs}
        parent.addActions(list(self._actions.values()))
        self._theme: Theme | None = None
        """The theme of the icons."""
        self.follow()

    def __getitem__(self, name: str) -> QAction:
        """Return the action of a command."""
        return self._actions[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the ids, in the order of the table."""
        return iter(self._actions)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(self._actions)

    def follow(self) -> None:
        """Follow the session from now on."""
        self._context.session.changed.connect(self._on_session_changed)
        self._update()
        self._draw_icons()

    def rest(self) -> None:
        """Stop following until `follow`, while the window is not visible."""
        self._context.session.changed.disconnect(self._on_session_changed)

    def _made(self, spec: ActionSpec, parent: QWidget) -> QAction:
        action = QAction(spec.title, parent)
        action.setObjectName(spec.id)
        if spec.shortcut:
            action.setShortcuts(QKeySequence.listFromString(spec.shortcut))
        action.setIconVisibleInMenu(False)
        _explain(action, spec)
        action.setCheckable(isinstance(spec.run, Toggle))
        action.triggered.connect(partial(self._on_triggered, spec))
        return action

    def _on_triggered(self, spec: ActionSpec, checked: bool = False) -> None:
        spec.run(self._context)
        self._update()

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if changes & CONCERNED:
            self._update()
            self._draw_icons()

    def _update(self) -> None:
        state = self._context.session.state
        for spec in self.specs:
            action = self[spec.id]
            action.setEnabled(spec.enabled(state))
            if spec.text is not None and action.text() != spec.text(state):
                action.setText(spec.text(state))
                _explain(action, spec)
            if isinstance(spec.run, Toggle):
                action.setChecked(spec.run.is_on(state))

    def _draw_icons(self) -> None:
        theme = self._context.session.state.style.theme
        if theme is self._theme:
            return
        self._theme = theme
        for spec in self.specs:
            if spec.icon:
                self[spec.id].setIcon(icon(spec.icon, theme))


def _explain(action: QAction, spec: ActionSpec) -> None:
    # A toolbar button shows its icon only; title and shortcut are in its tool tip.
    keys = " or ".join(keys.toString(QKeySequence.SequenceFormat.NativeText) for keys in action.shortcuts())
    head = f"{action.text()} ({keys})" if keys else action.text()
    if spec.icon:
        action.setToolTip(f"{head}\n{spec.tip}".rstrip())
    elif spec.tip:
        action.setToolTip(spec.tip)
