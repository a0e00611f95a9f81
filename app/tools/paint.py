"""Painting tasks onto a place of the machine, with a square brush on the task grid."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt

from app.model.places import edit_error, level_meant, target_at
from app.model.pointing import Hit
from app.session.session import Session
from app.tools.grid_cells import Place, grid_place
from app.tools.tool import PointerEvent, Tool
from app.views.heatmaps.task_grid import JobGridView
from core.load.scenario import Case
from core.mapping.brush import brushed
from core.mapping.edit import occupants
from core.mapping.mapping import Slots
from core.mapping.rearrange import put
from core.mapping.targets import level_names
from core.text import plural

TAKING = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
"""Modifiers of a click that picks the target. Many window managers keep clicks with Alt for themselves."""


@dataclass(slots=True)
class PaintStroke:
    """The running stroke."""

    case: Case
    """The case at the press."""
    onto: str
    """Name of the target."""
    slots: Slots
    """Slots of the target."""
    seen: NDArray[np.bool_]
    """(tasks,) whether the brush has touched each task: such tasks displace others and are not displaced."""
    last: Place
    placed: int = 0
    unplaced: int = 0

    @property
    def name(self) -> str:
        """Return its name."""
        return f"Paint {plural(self.placed, 'task')} onto {self.onto}"

    @property
    def progress(self) -> str:
        """Return its name with its effect so far, and whether the target is full."""
        return f"{self.name} (full)" if self.unplaced else self.name

    @property
    def complaint(self) -> str:
        """Return the part it could not do; empty if it did everything."""
        if not self.unplaced:
            return ""
        holds = plural(self.slots.size, "task")
        return f"{self.onto} holds {holds}; {self.unplaced:,} painted tasks did not fit"


class PaintTool(Tool):
    """Moves the tasks under the brush to the target. Ctrl+click, or a click in the machine, sets the target.

    Without a target a press sets the place of the task under it, and then paints. A full target swaps: tasks that
    leave it get the slots of the tasks that arrive. A stroke is one step of the history.
    """

    name: ClassVar[str] = "paint"
    cursor: ClassVar[Qt.CursorShape] = Qt.CursorShape.CrossCursor
    wants: ClassVar[str] = "Nothing to paint here. Press on a task and draw over others."

    def __init__(self, session: Session, grid: JobGridView) -> None:
        super().__init__(session)
        self._grid = grid
        self._stroke: PaintStroke | None = None

    def press(self, event: PointerEvent) -> bool:
        """Begin a stroke in the task grid, or set the target."""
        self.session.clear_transient_error()
        if event.surface is not self._grid or event.modifiers & TAKING:
            return self.take(event.hit)
        return self.start(event.hit)

    def move(self, event: PointerEvent) -> None:
        """Continue painting, including the cells between the last point and this one."""
        place = grid_place(self._grid, event)
        self._grid.show_pointer(place)
        if place is not None:
            self.draw_to(place)

    def release(self, event: PointerEvent) -> None:
        """Finish the stroke."""
        self.move(event)
        self.end()

    def cancel(self) -> bool:
        """Undo the stroke."""
        stroke, self._stroke = self._stroke, None
        if stroke is not None:
            self.session.editing.cancel()
        return stroke is not None

    def hover(self, event: PointerEvent) -> None:
        """Show the brush at the pointer."""
        super().hover(event)
        self._grid.show_pointer(event.hit.place if event.surface is self._grid else None)

    def take(self, hit: Hit) -> bool:
        """Make the place at a hit the target; return whether there is one, and hint if there is no target."""
        state = self.session.state
        target = target_at(hit, state)
        if target is not None:
            self.session.set_target(target)
        elif state.edit.target is None:
            level = level_names(state.evaluation.case.network)[level_meant(state)]
            self.session.hint(f"No target yet. Press on a task to paint onto its {level}.")
        return target is not None

    def start(self, hit: Hit) -> bool:
        """Begin a stroke at a cell of the grid, onto the place there if there is no target; return whether it began."""
        if self.session.state.edit.target is None and not self.take(hit):
            return False
        return hit.place is not None and self.begin(hit.place)

    def begin(self, place: Place) -> bool:
        """Begin a stroke at a place of the grid; return whether there is a target and a mapping to paint."""
        target, editing = self.session.state.edit.target, self.session.editing
        if target is None or not editing.begin("Paint"):
            return False
        evaluation = self.session.state.evaluation
        network, job = evaluation.case.network, evaluation.case.job
        seen = np.zeros(job.tasks, np.bool_)
        self._stroke = PaintStroke(
            evaluation.case, target.name(network), evaluation.case.own(target.slots(network)), seen, place
        )
        self._draw([place])
        return True

    def draw_to(self, place: Place) -> None:
        """Paint from the last place to this one."""
        if self._stroke is not None:
            self._draw([self._stroke.last, place])

    def end(self) -> None:
        """Commit the stroke, and report tasks that found no place."""
        stroke, self._stroke = self._stroke, None
        if stroke is None or not self.session.editing.active:
            return
        self.session.editing.commit(stroke.name)
        if stroke.complaint:
            self.session.report_error(edit_error(stroke.complaint))

    def _draw(self, path: list[Place]) -> None:
        stroke, editing = self._stroke, self.session.editing
        assert stroke is not None
        if not editing.active:
            # Undone, or replaced by another state, during the stroke.
            self._stroke = None
            return
        stroke.last = path[-1]
        tasks = brushed(path, self.session.state.edit.brush, stroke.case.job)
        fresh = tasks[~stroke.seen[tasks]]
        if not fresh.size:
            return
        stroke.seen[fresh] = True
        # Not the mapping on screen, which lags behind large edits.
        mapping = editing.gesture_edit.applied(stroke.case.mapping)
        occupant = occupants(mapping, stroke.case.network.slots)
        placement = put(mapping, fresh, stroke.slots, occupant, np.flatnonzero(stroke.seen))
        stroke.placed += placement.placed.size
        stroke.unplaced += placement.unplaced.size
        editing.append_edit(placement.edit, stroke.progress)
