"""Selecting tasks: click, rubber band, double click."""

from dataclasses import dataclass
from typing import ClassVar

from app.model.places import target_at, tasks_at
from app.model.pointing import CLICK_PX
from app.session.session import Session
from app.tools.grid_cells import combined, grid_place, tasks_between
from app.tools.tool import PointerEvent, Tool
from app.views.heatmaps.task_grid import JobGridView
from core.job.job import NO_TASKS, Job, Tasks


@dataclass(slots=True)
class RubberBand:
    """The running press."""

    begin: PointerEvent
    base: Tasks
    """Tasks selected before."""
    job: Job
    pulled: bool = False
    """Whether it is a rubber band: the pointer has moved."""


class SelectTool(Tool):
    """A click selects an item, a drag the tasks under a rubber band, a double click all tasks on the same place.

    Shift adds to the selection, Control toggles, Alt removes. Presses in other views are left to the view.
    """

    name: ClassVar[str] = "select"

    def __init__(self, session: Session, grid: JobGridView) -> None:
        super().__init__(session)
        self._grid = grid
        self._band: RubberBand | None = None

    def press(self, event: PointerEvent) -> bool:
        """Begin a click or a rubber band in the task grid."""
        state = self.session.state
        if event.surface is not self._grid or event.hit.place is None:
            return False
        self.session.clear_transient_error()
        if event.double:
            self._mark_place(event)
        else:
            self._band = RubberBand(event, state.marked, state.evaluation.case.job)
        return True

    def move(self, event: PointerEvent) -> None:
        """Mark the tasks under the rubber band."""
        band = self._band
        if band is None or not (band.pulled or self._left(band, event)):
            return
        band.pulled = True
        begin, end = band.begin.hit.place, grid_place(self._grid, event)
        if begin is None or end is None or self.session.state.evaluation.case.job is not band.job:
            self.cancel()
            return
        self._grid.show_band((begin, end))
        tasks = tasks_between(begin, end, band.job)
        self.session.mark(combined(band.base, tasks, band.begin.modifiers))

    def release(self, event: PointerEvent) -> None:
        """End the rubber band; without one it is a click."""
        self.move(event)
        band, self._band = self._band, None
        self._grid.show_band(None)
        if band is not None and not band.pulled:
            self._click(band)

    def cancel(self) -> bool:
        """Restore the selection from before the rubber band."""
        band, self._band = self._band, None
        self._grid.show_band(None)
        if band is None or not band.pulled:
            return False
        if self.session.state.evaluation.case.job is band.job:
            self.session.mark(band.base)
        return True

    def _click(self, band: RubberBand) -> None:
        event, task = band.begin, band.begin.hit.task
        if event.modifiers:
            tasks = NO_TASKS if task is None else tasks_between(*(event.hit.place or (-1, -1),) * 2, band.job)
            self.session.mark(combined(band.base, tasks, event.modifiers))
        else:
            self.session.mark(())
            self.session.select(event.hit.item)

    def _mark_place(self, event: PointerEvent) -> None:
        state = self.session.state
        target = target_at(event.hit, state)
        if target is not None:
            tasks = tasks_at(target, state.evaluation.case)
            self.session.mark(combined(state.marked, tasks, event.modifiers))

    def _left(self, band: RubberBand, event: PointerEvent) -> bool:
        return event.surface is not self._grid or (event.at - band.begin.at).manhattanLength() > CLICK_PX
