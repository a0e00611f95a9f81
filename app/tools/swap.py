"""Swapping by two clicks: tasks, nodes, drawers or supernodes."""

from dataclasses import dataclass
from typing import ClassVar

from PySide6.QtCore import Qt

from app.model.changes import ChangeSet
from app.model.places import EditBase, node_of_hit, place_at, seen_level
from app.model.pointing import Hit
from app.session.session import Session
from app.tools.tool import PointerEvent, Tool
from core.load.scenario import Case
from core.mapping.edit import Edit, no_edit
from core.mapping.targets import Target


@dataclass(frozen=True, eq=False)
class Picked:
    """The item picked by the first click: a task, or a place."""

    base: EditBase
    task: int | None
    place: Target

    @property
    def name(self) -> str:
        """Return its name."""
        return f"task {self.task:,}" if self.task is not None else self.base.name(self.place)


class SwapTool(Tool):
    """The first click picks, the second swaps; in between a preview of the swap is shown.

    In the job grid a click refers to a task, in the machine view to a node, or the frame around it. If a level is
    chosen in the session, it refers to a place of that level; Shift selects the next coarser level. A click inside the
    picked place picks again.
    """

    name: ClassVar[str] = "swap"
    cursor: ClassVar[Qt.CursorShape] = Qt.CursorShape.CrossCursor
    wants: ClassVar[str] = "Nothing to swap here. Click a task, node or group, then another one."

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._picked: Picked | None = None
        session.changed.connect(self._on_session_changed)

    @property
    def picked(self) -> Target | None:
        """Return the picked place, for a task its node, or None if the next click picks."""
        return self._picked.place if self._picked is not None else None

    def press(self, event: PointerEvent) -> bool:
        """Pick, or swap with the picked item; on empty space, cancel."""
        if node_of_hit(event.hit, self.session.state.evaluation.case.mapping) is None:
            return self.cancel()
        return self.pick(event.hit, event.coarser) or self._picked is not None

    def move(self, event: PointerEvent) -> None:
        """Show the effect of a click here."""
        self.hover(event)

    def release(self, event: PointerEvent) -> None:
        """Do nothing: the second click ends the swap."""

    def hover(self, event: PointerEvent) -> None:
        """Show the effect of a click here: the item that the first would pick, or the result of the second."""
        self.point(event.hit, event.coarser)

    def point(self, hit: Hit, coarser: int = 0) -> None:
        """Show the effect at a hit, by pointer or by keyboard."""
        case = self.session.state.evaluation.case
        if self._picked is not None:
            self._attempt(self._picked, hit)
        else:
            self.session.set_drop_target(place_at(hit, self._level(hit, coarser, case), 0, case))

    def follow(self, hit: Hit) -> None:
        """Show the effect at the keyboard cursor, if this tool is chosen."""
        if self._picked is not None or self.session.state.edit.tool == self.name:
            self.point(hit)

    def pick(self, hit: Hit, coarser: int = 0) -> bool:
        """Pick the item at a hit, or swap it with the picked one; return whether either was done."""
        picked = self._picked
        if picked is None:
            return self._take(hit, coarser)
        self._attempt(picked, hit)
        if self.session.state.edit.drop_target is None:
            return self._retake(picked, hit, coarser)
        self._picked = None
        self.session.editing.commit()
        return True

    def pick_place(self, place: Target) -> bool:
        """Pick a place, instead of the previous pick; return whether there is a mapping to edit."""
        self.cancel()
        return self._begin(None, place)

    def cancel(self) -> bool:
        """Drop the pick."""
        picked, self._picked = self._picked, None
        if picked is None:
            return False
        self.session.editing.cancel()
        return True

    def _take(self, hit: Hit, coarser: int) -> bool:
        case = self.session.state.evaluation.case
        place = place_at(hit, self._level(hit, coarser, case), 0, case)
        if place is None:
            return False
        alone = hit.task is not None and self.session.state.edit.level is None and not coarser
        return self._begin(hit.task if alone else None, place)

    def _retake(self, picked: Picked, hit: Hit, coarser: int) -> bool:
        """Pick again at a hit that cannot be swapped with the pick, such as a node inside it."""
        case = picked.base.case
        place = place_at(hit, self._level(hit, coarser, case), 0, case)
        if place is None or place == picked.place:
            return False
        self.cancel()
        return self._take(hit, coarser)

    def _level(self, hit: Hit, coarser: int, case: Case) -> int | None:
        """Return the level that a click refers to; one level coarser than a task is its node."""
        chosen = self.session.state.edit.level
        level = seen_level(hit, case.network) if chosen is None else chosen
        if level is None or (hit.task is not None and chosen is None):
            return level
        return max(level - coarser, 0)

    def _begin(self, task: int | None, place: Target) -> bool:
        session = self.session
        session.set_tool(self.name)
        if not session.editing.begin("Swap"):
            return False
        picked = self._picked = Picked(EditBase(session.state.evaluation.case), task, place)
        tasks = picked.base.tasks_on(place) if task is None else [task]
        session.set_grabbed(tasks, place)
        session.editing.replace_edit(no_edit(), f"Swap {picked.name} with …", drop_target=None)
        return True

    def _attempt(self, picked: Picked, hit: Hit) -> None:
        """Set the gesture to the swap with the item at a hit."""
        aim, edit, name = self._outcome(picked, hit)
        session = self.session
        if aim != session.state.edit.drop_target or name != session.state.edit.gesture:
            session.editing.replace_edit(edit, name, drop_target=aim)

    def _outcome(self, picked: Picked, hit: Hit) -> tuple[Target | None, Edit, str]:
        nothing = None, no_edit(), f"Swap {picked.name} with …"
        aim = place_at(hit, picked.place.level, 0, picked.base.case)
        if aim is None:
            return nothing
        if picked.task is not None:
            if hit.task is None or hit.task == picked.task:
                return nothing
            return aim, *picked.base.exchange_tasks(picked.task, hit.task)
        return nothing if aim == picked.place else (aim, *picked.base.exchange(picked.place, aim))

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if ChangeSet.TOOL in changes and self._picked is not None and not self.session.editing.active:
            self._picked = None
