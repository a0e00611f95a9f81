"""Painting the nodes of the job on the machine."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Qt

from app.model.nodes import allocation_wanted, free_nodes, with_allocated
from app.model.places import place_at, seen_level
from app.model.pointing import Hit
from app.session.session import Session
from app.tools.tool import PointerEvent, Tool
from core.load.scenario import Case
from core.mapping.allocation import NO_NODE_LEFT
from core.mapping.targets import Target
from core.network.network import Ints
from core.spec import SpecError
from core.text import plural

STEP_PX = 4.0
"""Distance between points of a stroke that are tested."""


@dataclass(slots=True)
class AllocationStroke:
    """The running stroke."""

    case: Case
    before: Ints
    """The job's nodes before it, in order."""
    after: NDArray[np.bool_]
    """(nodes,) whether each node belongs to the job now."""
    free: NDArray[np.bool_]
    """(nodes,) whether the job may have each node: it is up, and belongs to no other job."""
    adds: bool
    """Whether it adds nodes to the job, or removes them."""
    last: QPointF

    def cover(self, place: Target) -> None:
        """Add or remove the hosts of a place; nodes that the job may not have are unchanged."""
        nodes = _nodes(place, self.case)
        self.after[nodes[self.free[nodes]]] = self.adds

    @property
    def nodes(self) -> Ints:
        """Return the nodes of the job: first the kept ones in their order, then the new ones."""
        kept = self.before[self.after[self.before]]
        return np.concatenate([kept, np.setdiff1d(np.flatnonzero(self.after), kept)]).astype(np.int32)

    @property
    def name(self) -> str:
        """Return its name, with its effect so far."""
        network = self.case.network
        hosts = np.unique(network.host_slots.host_of[self.after]).size
        return f"Allocate {plural(hosts, network.host_word)} to the job"


class AllocateTool(Tool):
    """Adds nodes to the job, or removes them if the press is on one of its nodes; with Shift entire places.

    If the job has all nodes, the first stroke gives it only the nodes under it. A stroke is one step of the history.
    """

    name: ClassVar[str] = "allocate"
    cursor: ClassVar[Qt.CursorShape] = Qt.CursorShape.CrossCursor
    wants: ClassVar[str] = "No node here. Press on a node of the machine and draw over others."
    taken: ClassVar[str] = "These nodes are down or belong to another job."

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
            words = f"does not support aggregated networks, such as this one with {case.network.real_nodes:,} nodes"
            self.session.report_error(SpecError("allocation", f"{words}; choose a smaller network"))
            return False
        held = allocation_wanted(self.session.state)
        before = np.zeros(0, np.int32) if held is None else held.nodes
        after, free = np.zeros((2, case.network.nodes), np.bool_)
        after[before] = True
        free[self._free(case)] = True
        nodes = _nodes(place, case)
        nodes = nodes[free[nodes]]
        if not nodes.size:
            self.session.hint(self.taken)
            return False
        self._stroke = AllocationStroke(case, before, after, free, not after[nodes].all(), event.at)
        self.session.set_drop_target(None)
        self._stroke.cover(place)
        self._show()
        return True

    def move(self, event: PointerEvent) -> None:
        """Continue, including the nodes between the last point and this one."""
        stroke = self._stroke
        if stroke is None or event.surface is None or self.session.state.evaluation.case is not stroke.case:
            return
        moved = event.at - stroke.last
        steps = max(int(np.hypot(moved.x(), moved.y()) // STEP_PX), 1)
        for step in range(1, steps + 1):
            hit = event.surface.hit_at(stroke.last + moved * (step / steps))
            place = self._place(hit, event, stroke.case)
            if place is not None:
                stroke.cover(place)
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
            self.session.report_error(SpecError("allocation", NO_NODE_LEFT))
            return
        wanted = self.session.state.wanted
        self.session.propose(with_allocated(wanted, stroke.case, stroke.nodes), stroke.name)

    def cancel(self) -> bool:
        """Restore the job's nodes."""
        stroke, self._stroke = self._stroke, None
        self.session.set_allocated(None)
        return stroke is not None

    def hover(self, event: PointerEvent) -> None:
        """Highlight the place where a press would begin."""
        self.session.set_drop_target(self._place(event.hit, event, self.session.state.evaluation.case))

    def _free(self, case: Case) -> Ints:
        try:
            return free_nodes(self.session.state.wanted, case)
        except SpecError:  # from text typed as down; the scenario on screen is valid
            return free_nodes(case.scenario, case)

    def _place(self, hit: Hit, event: PointerEvent, case: Case) -> Target | None:
        level = self.session.state.edit.level
        return place_at(hit, level if level is not None else seen_level(hit, case.network), event.coarser, case)

    def _show(self) -> None:
        assert self._stroke is not None
        self.session.set_allocated(self._stroke.after.copy())


def _nodes(place: Target, case: Case) -> Ints:
    # All nodes of the hosts of a place: a host belongs to a job with all its NICs.
    hosts = case.network.host_slots
    return hosts.nodes_of(hosts.hosts_of(place.nodes(case.network)))
