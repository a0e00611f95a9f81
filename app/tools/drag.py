"""Dragging tasks onto places of the machine, and places onto each other."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from PySide6.QtCore import Qt

from app.model.changes import ChangeSet
from app.model.places import EditBase, fitting_level, node_of_hit, place_at, seen_level, tasks_text
from app.model.pointing import CLICK_PX, Hit
from app.model.state import State
from app.session.session import Session
from app.tools.tool import PointerEvent, Tool
from core.job.job import NO_TASKS, Tasks
from core.mapping.edit import no_edit
from core.mapping.targets import Target


@dataclass(slots=True)
class Drag:
    """The pressed item, and, once it moves, the dragged items."""

    pressed: PointerEvent
    last: PointerEvent
    base: EditBase | None = None
    """None if not moved yet."""
    tasks: Tasks = field(default_factory=lambda: NO_TASKS)
    place: Target | None = None
    """The place being dragged; None if tasks are."""
    level: int | None = None
    """The session's level when the drop target was determined."""


class DragTool(Tool):
    """Moves tasks from the job grid to a node, drawer or supernode; swaps places with other places of their level.

    The level is the session's, if one is chosen; otherwise for tasks the finest level with room for them, and for
    places the visible level at the press: a node, or the frame around it. Shift selects the next coarser level.
    """

    name: ClassVar[str] = "drag"
    cursor: ClassVar[Qt.CursorShape] = Qt.CursorShape.OpenHandCursor
    wants: ClassVar[str] = "Nothing to drag here. Press on a task and drag it to a node or group of the machine."

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._drag: Drag | None = None
        session.changed.connect(self._on_session_changed)

    def press(self, event: PointerEvent) -> bool:
        """Grab a task, a node or a box; other presses are left to the view."""
        state = self.session.state
        self._drag = None
        # In the machine a double click belongs to the view: it opens a box.
        if node_of_hit(event.hit, state.evaluation.case.mapping) is None or (event.double and event.hit.task is None):
            return False
        self._drag = Drag(event, event)
        return True

    def move(self, event: PointerEvent) -> None:
        """Show the effect of a release here."""
        drag = self._drag
        if drag is None:
            return
        drag.last = event
        if drag.base is None:
            if _resting(drag.pressed, event) or not self._pick_up(drag):
                return
        elif not self.session.editing.active:
            self._drag = None
            return
        self._aim(drag)

    def release(self, event: PointerEvent) -> None:
        """Commit the preview; a press that did not move is a click, and selects."""
        drag = self._drag
        if drag is None:
            return
        self.move(event)
        self._drag = None
        if drag.base is None:
            self.session.select(event.hit.item)
        elif self.session.editing.active:
            if self.session.state.edit.drop_target is None:
                self.session.editing.cancel()
            else:
                self.session.editing.commit()

    def cancel(self) -> bool:
        """Undo the gesture."""
        drag, self._drag = self._drag, None
        if drag is None or drag.base is None:
            return drag is not None
        self.session.editing.cancel()
        return True

    def hover(self, event: PointerEvent) -> None:
        """Highlight the item that a press here would grab."""
        state = self.session.state
        place = None
        if event.hit.task is None:
            place = place_at(event.hit, _level(state, event.hit), event.coarser, state.evaluation.case)
        self.session.set_drop_target(place)

    def _pick_up(self, drag: Drag) -> bool:
        """Begin the gesture: all its edits refer to the current mapping."""
        session, pressed = self.session, drag.pressed
        if not session.editing.begin("Drag"):
            self._drag = None
            return False
        state = session.state
        drag.base, drag.level = EditBase(state.evaluation.case), state.edit.level
        if pressed.hit.task is not None:
            drag.tasks = self._grasped(drag.base, pressed.hit.task)
        else:
            level = _level(state, pressed.hit)
            drag.place = place_at(pressed.hit, level, pressed.coarser, drag.base.case)
            if drag.place is not None:
                drag.tasks = drag.base.tasks_on(drag.place)
        session.set_grabbed(drag.tasks, drag.place)
        return True

    def _grasped(self, base: EditBase, task: int) -> Tasks:
        """Return the tasks dragged with a task: the selected tasks, or the tasks on its place of the chosen level."""
        state = self.session.state
        if np.isin(task, state.marked):
            return state.marked
        if state.edit.level is None:
            return np.array([task], np.int32)
        place = Target.containing(int(base.case.mapping.nodes[task]), state.edit.level, base.case.network)
        return base.tasks_on(place)

    def _aim(self, drag: Drag) -> None:
        """Set the gesture to the effect of a release here."""
        base, hit, session = drag.base, drag.last.hit, self.session
        assert base is not None
        drag.level = session.state.edit.level
        if drag.place is not None:
            aim = place_at(hit, drag.place.level, 0, base.case)
            if aim is None or aim == drag.place:
                aim, edit, name = None, no_edit(), f"Swap {base.name(drag.place)} with …"
            else:
                edit, name = base.exchange(drag.place, aim)
        else:
            level = drag.level if drag.level is not None else fitting_level(base.case.network, drag.tasks.size)
            aim = place_at(hit, level, drag.last.coarser, base.case)
            if aim is None:
                edit, name = no_edit(), f"Put {tasks_text(drag.tasks)} on …"
            else:
                edit, name = base.put(drag.tasks, aim)
        if name != session.state.edit.gesture or aim != session.state.edit.drop_target:
            session.editing.replace_edit(edit, name, drop_target=aim)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        drag = self._drag
        if ChangeSet.TOOL not in changes or drag is None or drag.base is None:
            return
        if not self.session.editing.active:
            self._drag = None
        elif self.session.state.edit.level != drag.level:
            # The level was changed by its key, and with it the place under the resting pointer.
            self._aim(drag)


def _level(state: State, hit: Hit) -> int | None:
    return state.edit.level if state.edit.level is not None else seen_level(hit, state.evaluation.case.network)


def _resting(pressed: PointerEvent, event: PointerEvent) -> bool:
    return event.surface is pressed.surface and (event.at - pressed.at).manhattanLength() <= CLICK_PX
