"""The commands of a window as Qt actions, kept in step with the session's state."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from app.actions.context import ActionContext
from app.actions.spec import ActionSpec, Toggle
from app.model.changes import ChangeSet

CONCERNED = (
    ChangeSet.STYLE | ChangeSet.LOADS | ChangeSet.STATUS | ChangeSet.SELECTION | ChangeSet.MARKED | ChangeSet.TOOL
    | ChangeSet.HISTORY | ChangeSet.COMPARISON | ChangeSet.SEARCH | ChangeSet.TIME
)  # fmt: skip
"""Changes after which a command may apply, or no longer."""


class ActionSet:
    """The actions by the ids of their commands."""

    def __init__(self, specs: Sequence[ActionSpec], context: ActionContext, parent: QWidget) -> None:
        self.specs, self._context = specs, context
        self._actions = {spec.id: self._made(spec, parent) for spec in specs}
        parent.addActions(list(self._actions.values()))
        context.session.changed.connect(self._on_session_changed)
        self._update()

    def __getitem__(self, name: str) -> QAction:
        """Return the action of a command."""
        return self._actions[name]

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


def _explain(action: QAction, spec: ActionSpec) -> None:
    # A button of the toolbar has no room for more than its icon: the rest stands in its tool tip.
    keys = " or ".join(keys.toString(QKeySequence.SequenceFormat.NativeText) for keys in action.shortcuts())
    head = f"{action.text()} ({keys})" if keys else action.text()
    if spec.icon:
        action.setToolTip(f"{head}\n{spec.tip}".rstrip())
    elif spec.tip:
        action.setToolTip(spec.tip)
