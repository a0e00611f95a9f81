"""Painting the nodes of the job on the machine."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt

from app.model.nodes import allocation_wanted, with_allocated
from app.model.places import place_at, seen_level
from app.model.pointing import Hit
from app.session.session import Session
from app.tools.tool import PointerEvent, Tool
from core.load.scenario import Case
from core.mapping.targets import Target
from core.network.network import Ints
from core.spec import SpecError
from core.text import plural

STEP_PX = 4.0
"""Distance between points of a stroke that are tested."""


@dataclass(slots=True)
class AllocationStroke:
    """The stroke under way."""

    case: Case
    before: Ints
    """The job's nodes before it, in order."""
    after: NDArray[np.bool_]
    """(nodes,) whether each node is the job's now."""
    adds: bool
    """Whether it adds nodes to the job; else it removes them."""
    last: QPointF

    @property
    def nodes(self) -> Ints:
        """Return the nodes of the job: those kept in their order, then the new ones."""
        kept = self.before[self.after[self.before]]
        return np.concatenate([kept, np.setdiff1d(np.flatnonzero(self.after), kept)]).astype(np.int32)

    @property
    def name(self) -> str:
        """Return its name, with its effect so far."""
        return f"Give the job {plural(int(self.after.sum()), 'node')}"


class AllocateTool(Tool):
    """Adds nodes to the job, or removes them if the press is on one of its nodes; with Shift whole places.

    If the job has all nodes, the first stroke gives it only those under it. A stroke is one step of the history.
    """

    name: ClassVar[str] = "allocate"
    cursor: ClassVar[Qt.CursorShape] = Qt.CursorShape.CrossCursor
    wants: ClassVar[str] = "Nothing to allocate here: press on a node of the machine, and draw over others."

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._stroke: AllocationStroke | None = None

    def press(self, event: PointerEvent) -> bool:
        """Begin a stroke on a node of the machine."""
        self.session.clear_transient_error()
        case = self.session.state.evaluation.case
        place = self._place(event.hit, event, case)
        if place is None or event.hit.task is not None or self.session.editing.obstacle:
            self.session.hint(self.session.editing.obstacle or self.wants)
            return False
        if case.network.aggregation > 1:
            words = f"is of single nodes, and of {case.network.real_nodes:,} only bundles are kept"
            self.session.report_error(SpecError("allocation", f"{words}; choose a smaller network"))
            return False
        held = allocation_wanted(self.session.state)
        before = np.zeros(0, np.int32) if held is None else held.nodes
        after = np.zeros(case.network.nodes, np.bool_)
        after[before] = True
        adds = not after[place.nodes(case.network)].all()
        self._stroke = AllocationStroke(case, before, after, adds, event.at)
        self.session.set_drop_target(None)
        self._cover(place)
        return True

    def move(self, event: PointerEvent) -> None:
        """Continue, including what lies between the last point and this."""
        stroke = self._stroke
        if stroke is None or event.surface is None or self.session.state.evaluation.case is not stroke.case:
            return
        way = event.at - stroke.last
        steps = max(int(np.hypot(way.x(), way.y()) // STEP_PX), 1)
        for step in range(1, steps + 1):
            hit = event.surface.hit_at(stroke.last + way * (step / steps))
            place = self._place(hit, event, stroke.case)
            if place is not None:
                stroke.after[place.nodes(stroke.case.network)] = stroke.adds
        stroke.last = event.at
        self._show()

    def release(self, event: PointerEvent) -> None:
        """Request the scenario with these nodes."""
        self.move(event)
        stroke, self._stroke = self._stroke, None
        if stroke is None:
            return
        self.session.set_allocated(None)
        if not stroke.after.any():
            self.session.report_error(SpecError("allocation", "leaves no node to the job; leave it at least one"))
            return
        wanted = self.session.state.wanted
        self.session.propose(with_allocated(wanted, stroke.case, stroke.nodes), stroke.name)

    def cancel(self) -> bool:
        """Restore the job's nodes."""
        stroke, self._stroke = self._stroke, None
        self.session.set_allocated(None)
        return stroke is not None

    def hover(self, event: PointerEvent) -> None:
        """Highlight the place that a press would begin with."""
        self.session.set_drop_target(self._place(event.hit, event, self.session.state.evaluation.case))

    def _place(self, hit: Hit, event: PointerEvent, case: Case) -> Target | None:
        level = self.session.state.edit.level
        return place_at(hit, level if level is not None else seen_level(hit, case.network), event.coarser, case)

    def _cover(self, place: Target) -> None:
        assert self._stroke is not None
        self._stroke.after[place.nodes(self._stroke.case.network)] = self._stroke.adds
        self._show()

    def _show(self) -> None:
        assert self._stroke is not None
        self.session.set_allocated(self._stroke.after.copy())
