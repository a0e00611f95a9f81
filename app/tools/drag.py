"""Dragging tasks onto places of the machine, and places onto each other."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from PySide6.QtCore import QPointF, Qt

from app.model.changes import ChangeSet
from app.model.places import Base, counted, fitting_level, node_at, place_at, seen_level
from app.model.pointing import Spot
from app.model.state import State
from app.session.session import Session
from app.tools.tool import PointerEvent, Tool
from core.job.job import Tasks
from core.mapping.edit import no_edit
from core.mapping.targets import Target

CLICK_PX = 4
"""How far the pointer may move between press and release of a click."""


@dataclass(slots=True)
class Load:
    """What was pressed on, and once it moves, what is dragged."""

    pressed: PointerEvent
    last: PointerEvent
    base: Base | None = None
    """None: not moved yet."""
    tasks: Tasks = field(default_factory=lambda: np.zeros(0, np.int32))
    place: Target | None = None
    """The place that is dragged; None: tasks are."""
    level: int | None = None
    """The session's, as it was when the place was aimed at."""


class DragTool(Tool):
    """Tasks from the job grid go onto a node, drawer or supernode; places change with others of their level.

    Which level is meant: the session's, if one is chosen; else for tasks the finest that holds them, and for places
    what is seen at the press: a node, or the frame around it. Shift takes the next coarser.
    """

    name: ClassVar[str] = "drag"
    cursor: ClassVar[Qt.CursorShape] = Qt.CursorShape.OpenHandCursor
    wants: ClassVar[str] = "Nothing to drag here: press on a task, and drag it onto a place of the machine."

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._load: Load | None = None
        session.changed.connect(self._on_session_changed)

    def press(self, event: PointerEvent) -> bool:
        """Take hold of a task, a node or a box; leave the rest to the view."""
        state = self.session.state
        self._load = None
        # In the machine the second press of a double click is the view's: it opens what is there.
        if node_at(event.spot, state.evaluation.case.mapping) is None or (event.double and event.spot.task is None):
            return False
        self._load = Load(event, event)
        return True

    def move(self, event: PointerEvent) -> None:
        """Show what would come of a release here."""
        load = self._load
        if load is None:
            return
        load.last = event
        if load.base is None:
            if _near(load.pressed, event) or not self._pick_up(load):
                return
        elif not self.session.editing.active:
            self._load = None
            return
        self._aim(load)

    def release(self, event: PointerEvent) -> None:
        """Commit what is shown; a press that did not move is a click, and selects."""
        load = self._load
        if load is None:
            return
        self.move(event)
        self._load = None
        if load.base is None:
            self.session.select(event.spot.item, self)
        elif self.session.editing.active:
            if self.session.state.drop_target is None:
                self.session.editing.cancel()
            else:
                self.session.editing.commit()

    def cancel(self) -> bool:
        """Put everything back."""
        load, self._load = self._load, None
        if load is None or load.base is None:
            return load is not None
        self.session.editing.cancel()
        return True

    def hover(self, event: PointerEvent) -> None:
        """Light what a press here would take hold of."""
        state = self.session.state
        place = None
        if event.spot.task is None:
            place = place_at(event.spot, _level(state, event.spot), _coarser(event), state.evaluation.case)
        self.session.set_drop_target(place)

    def _pick_up(self, load: Load) -> bool:
        """Begin the gesture: from here on all edits are of the mapping as it is now."""
        session, pressed = self.session, load.pressed
        if not session.editing.begin("Drag"):
            self._load = None
            return False
        state = session.state
        load.base, load.level = Base(state.evaluation), state.level
        if pressed.spot.task is not None:
            load.tasks = self._grasped(load.base, pressed.spot.task)
        else:
            level = _level(state, pressed.spot)
            load.place = place_at(pressed.spot, level, _coarser(pressed), load.base.case)
            if load.place is not None:
                load.tasks = load.base.tasks_on(load.place)
        session.set_grabbed(load.tasks, load.place)
        return True

    def _grasped(self, base: Base, task: int) -> Tasks:
        """Return the tasks that are dragged with one: those marked, else those on its place of the chosen level."""
        state = self.session.state
        if np.isin(task, state.marked):
            return state.marked
        if state.level is None:
            return np.array([task], np.int32)
        place = Target.around(int(base.case.mapping.nodes[task]), state.level, base.case.network)
        return base.tasks_on(place)

    def _aim(self, load: Load) -> None:
        """Let the gesture be what a release here would do."""
        base, spot, session = load.base, load.last.spot, self.session
        assert base is not None
        load.level = session.state.level
        if load.place is not None:
            aim = place_at(spot, load.place.level, 0, base.case)
            edit, name = no_edit(), f"Swap {base.name(load.place)} with …"
            aim = aim if aim != load.place else None
            if aim is not None:
                edit, name = base.exchange(load.place, aim)
        else:
            level = load.level if load.level is not None else fitting_level(base.case.network, load.tasks.size)
            aim = place_at(spot, level, _coarser(load.last), base.case)
            edit, name = no_edit(), f"Put {counted(load.tasks)} on …"
            if aim is not None:
                edit, name = base.put(load.tasks, aim)
        if name != session.state.gesture or aim != session.state.drop_target:
            session.editing.replace_edit(edit, name, drop_target=aim)

    def _on_session_changed(self, changes: ChangeSet, initiator: object) -> None:
        load = self._load
        if ChangeSet.TOOL not in changes or load is None or load.base is None:
            return
        if not self.session.editing.active:
            self._load = None
        elif self.session.state.level != load.level:
            # Another level by its key: the place under the resting pointer is another.
            self._aim(load)


def _level(state: State, spot: Spot) -> int | None:
    return state.level if state.level is not None else seen_level(spot, state.evaluation.case.network)


def _coarser(event: PointerEvent) -> int:
    return int(bool(event.modifiers & Qt.KeyboardModifier.ShiftModifier))


def _near(pressed: PointerEvent, event: PointerEvent) -> bool:
    apart: QPointF = event.at - pressed.at
    return event.ground is pressed.ground and apart.manhattanLength() <= CLICK_PX
