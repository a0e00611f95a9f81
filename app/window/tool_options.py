"""The pointer tools in the toolbar: their buttons, and the options level, target and brush."""

from collections.abc import Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QComboBox, QSizePolicy, QToolButton, QWidget

from app.actions.edit_commands import EditCommands
from app.actions.keys import with_keys
from app.model.changes import ChangeSet
from app.model.places import level_meant
from app.model.state_groups import BRUSHES, TOOLS
from app.session.session import Session
from app.views.heatmaps.task_grid import target_colour
from app.widgets.field_text import Refusal, number_field
from app.widgets.labels import PartsLabel, with_role
from app.widgets.layouts import row
from app.widgets.number_box import NumberBox
from app.widgets.refusals import show_refusal
from app.widgets.swatch import Swatch
from core.mapping.targets import Target, level_names, target_count, target_names

INDEX_PX = 84
"""Minimum width of the field of the target, at scale 1."""
NO_TARGET = "click a task to make its place the target"
BUTTONS = (*(f"tool.{name}" for name in TOOLS), "edit.undo", "edit.redo", "optimise.start")

LEVEL_TIP = "Level of the places that tools use; Auto follows the pointer ({key:level.next}: next level)"
TARGET_TIP = (
    "Place that tasks are painted onto "
    "({key:paint.previous}: previous, {key:paint.next}: next, {key:paint.take}: the place under the pointer)"
)


class ToolOptions(QWidget):
    """Buttons of the tools, undo and redo, and the level; `chosen` has the options of the chosen tool."""

    def __init__(self, session: Session, actions: Mapping[str, QAction], edits: EditCommands) -> None:
        super().__init__()
        self._session, self._actions, self._edits = session, actions, edits
        self._levels: tuple[str, ...] = ()
        self.buttons = {name: self._button(name) for name in BUTTONS}
        self.level = QComboBox(sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.level.setAccessibleName("Level of places")
        self.level.setToolTip(with_keys(LEVEL_TIP))
        self.index = NumberBox(number_field("Target", 0, 0, optional=True), "none")
        self.index.setAccessibleName("Target")
        self.index.setToolTip(with_keys(TARGET_TIP))
        self.swatch, self.name = Swatch(), PartsLabel()
        self.brush = QComboBox()
        self.brush.addItems([f"{side} × {side}" for side in BRUSHES])
        self.brush.setAccessibleName("Brush")
        self.brush.setToolTip(
            with_keys("Brush size in tasks ({key:paint.smaller}: smaller, {key:paint.larger}: larger)")
        )
        *tools, undo, redo, start = self.buttons.values()
        row(*tools, 8, undo, redo, 8, start, 8, self.level, of=self, spacing=4)
        self.chosen = QWidget()
        """Takes the spare room of the toolbar, so that nothing moves when another tool is chosen."""
        self.chosen.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        for option in (self.brush, self.index, self.swatch):
            policy = option.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            option.setSizePolicy(policy)
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row(self.brush, self.index, self.swatch, (self.name, 1), of=self.chosen, spacing=4)
        self.level.activated.connect(self._on_level_activated)
        self.index.edited.connect(self._on_index_edited)
        self.brush.activated.connect(self._on_brush_activated)
        self._session.changed.connect(self._on_session_changed)
        self._update()

    def _button(self, name: str) -> QToolButton:
        button = with_role(QToolButton(), "tool")
        button.setDefaultAction(self._actions[name])
        return button

    def _on_level_activated(self, index: int) -> None:
        self._edits.set_level(index - 1 if index > 0 else None)

    def _on_index_edited(self, index: int | Refusal | None, final: bool) -> None:
        show_refusal(self.index, index.message if isinstance(index, Refusal) else "")
        if isinstance(index, Refusal):
            return
        state = self._session.state
        level = state.edit.target.level if state.edit.target is not None else level_meant(state)
        self._session.set_target(Target(level, index) if index is not None else None)

    def _on_brush_activated(self, index: int) -> None:
        self._session.set_brush(BRUSHES[index])

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if changes & (ChangeSet.TOOL | ChangeSet.MARKED | ChangeSet.TOPOLOGY | ChangeSet.STYLE):
            self._update()

    def _update(self) -> None:
        state = self._session.state
        names = level_names(state.evaluation.case.network)
        if names != self._levels:
            self._levels = names
            self.level.clear()
            self.level.addItems(["Auto", *(name.capitalize() for name in names)])
        self.index.setMinimumWidth(state.style.theme.px(INDEX_PX))
        self.level.setCurrentIndex(0 if state.edit.level is None else state.edit.level + 1)
        self.brush.setCurrentIndex(BRUSHES.index(state.edit.brush))
        self._show_target()

    def _show_target(self) -> None:
        state = self._session.state
        network, target = state.evaluation.case.network, state.edit.target
        level = target.level if target is not None else level_meant(state)
        self.index.set_bounds(0, target_count(network, level) - 1)
        self.index.set_names(target_names(network, level))
        self.index.set_value(target.index if target is not None else None)
        self.swatch.show_colour(target_colour(target, network, state.style.theme) if target is not None else None)
        text = target.name(network) if target is not None else NO_TARGET
        self.name.setText(text)
        self.name.setToolTip(text)
        self.swatch.setToolTip(text)
        self._show_used()

    def _show_used(self) -> None:
        """Show the options of the chosen tool only."""
        state = self._session.state
        painting = state.edit.tool == "paint"
        targeting = painting or state.targeted is not None
        self.brush.setVisible(painting)
        self.index.setVisible(targeting)
        self.name.setVisible(targeting)
        self.swatch.setVisible(targeting and state.edit.target is not None)
