"""Flows without a path, as links have failed or the network is disconnected: number, volume, list, and description."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.job.job import NO_FLOWS, FlowBlock
from core.job.measure import UNITS, Measure
from core.load.scenario import Case
from core.routing import FaultyRouter
from core.spec import Progress, no_progress
from core.text import plural

MAX_LISTED = 1000
"""Disconnected flows that are listed."""


@dataclass(frozen=True, eq=False)
class DisconnectedFlows:
    """Flows without a path, which load nothing, and tasks on failed nodes."""

    count: int = 0
    """Number of disconnected flows, over all phases."""
    volume: float = 0.0
    """Volume of the disconnected flows."""
    first: FlowBlock = NO_FLOWS
    """The first `MAX_LISTED` disconnected flows, between tasks."""
    stranded: int = 0
    """Tasks on failed nodes."""
    reason: str = ""
    """Explanation: ``direct routing has no path left between supernodes 3 and 7``, or names two tasks."""
    measure: Measure = UNITS
    """The measure of the volumes."""
    room: int = 0
    """Number of stranded tasks that could move to free slots on working nodes."""
    flowing: float | None = None
    """Volume of the other flows; None if no flow is disconnected, or each task sends a unit."""

    def __bool__(self) -> bool:
        """Return whether any flow is disconnected or any task stranded."""
        return bool(self.count or self.stranded)

    @property
    def brief(self) -> str:
        """Return ``12 flows (3 units) are disconnected``, or that tasks are stranded; empty if neither."""
        if self.count:
            verb = "is" if self.count == 1 else "are"
            return f"{plural(self.count, 'flow')} ({self.measure.amount(self.volume)}) {verb} disconnected"
        if self.stranded:
            return f"{plural(self.stranded, 'task')} {'sits' if self.stranded == 1 else 'sit'} on failed nodes"
        return ""

    @property
    def headline(self) -> str:
        """Return ``12 flows disconnected``, or that tasks are on failed nodes; empty if neither."""
        return f"{plural(self.count, 'flow')} disconnected" if self.count else self.brief

    @property
    def both(self) -> str:
        """Return ``12 flows (3 units) are disconnected and 2 tasks sit on failed nodes``, or that nothing is."""
        parts = self.brief, DisconnectedFlows(stranded=self.stranded).brief if self.count else ""
        return " and ".join(filter(None, parts)) or "nothing is disconnected"

    @property
    def sentence(self) -> str:
        """Return everything in one line without a full stop, with the explanation; empty if nothing is disconnected."""
        stranded = DisconnectedFlows(stranded=self.stranded).brief if self.count else ""
        parts = [
            self.brief + (f": {self.reason}" if self.reason else ""),
            f"In addition, {stranded}" if stranded else "",
        ]
        return ". ".join(filter(None, [*parts, self._remedy if self.stranded else ""]))

    @property
    def _remedy(self) -> str:
        if not self.room:
            return "No slot is free on a working node"
        if self.room < self.stranded:
            return f"Optimise can move {self.room:,} of these tasks to free slots"
        return f"Optimise can move {'this task to a free slot' if self.stranded == 1 else 'these tasks to free slots'}"


def find_disconnected(case: Case, progress: Progress = no_progress) -> DisconnectedFlows:
    """Return the flows of a case without a path.

    Raises Cancelled: when `progress` does.
    """
    router = case.router
    if not isinstance(router, FaultyRouter):
        return DisconnectedFlows()
    count, volume, flowing, flows = 0, 0.0, 0.0, NO_FLOWS
    runs = case.job.runs if router.disconnects else ()
    for index, (_, phase, times) in enumerate(runs):
        for done, block in phase.blocks():
            without = _cut(case, router, block)
            lost = block.at(np.flatnonzero(without))
            count, volume = count + times * lost.src.size, volume + times * float(lost.volume.sum())
            # Summed, not subtracted from the total: a small flow would vanish next to large disconnected ones.
            flowing += times * float(block.volume[~without].sum())
            if flows.src.size < MAX_LISTED:
                flows = FlowBlock.joined((flows, lost)).at(slice(MAX_LISTED))
            progress((index + done) / len(runs))
    return describe_disconnected(case, count, volume, flowing, flows)


def describe_disconnected(case: Case, count: int, volume: float, flowing: float, flows: FlowBlock) -> DisconnectedFlows:
    """Return the description, given the number and volume of disconnected flows, and some of them."""
    stranded, room = _stranded(case)
    still = flowing if count and not case.job.unit else None
    return DisconnectedFlows(count, volume, flows, stranded, _reason(case, flows), case.job.measure, room, still)


def _stranded(case: Case) -> tuple[int, int]:
    # Tasks on failed nodes, and how many of them fit on free slots of working nodes.
    if case.faults is None:
        return 0, 0
    nodes, spn = case.network.nodes, case.network.slots_per_node
    stranded = int(case.faults.failed_nodes[case.mapping.nodes].sum())
    running = nodes - int(case.faults.failed_nodes[:nodes].sum())
    return stranded, min(running * spn - (case.job.tasks - stranded), stranded)


def _cut(case: Case, router: FaultyRouter, block: FlowBlock) -> NDArray[np.bool_]:
    node = case.mapping.nodes
    return router.disconnected(node[block.src], node[block.dst]) & (block.volume > 0)


def _reason(case: Case, flows: FlowBlock) -> str:
    if not flows.src.size:
        return ""
    node, network = case.mapping.nodes, case.network
    scheme = case.scenario.routing.title.lower()
    start, end = node[flows.src], node[flows.dst]
    component = network.components
    if component[start[0]] != component[end[0]]:
        sender, receiver = (
            f"task {task:,} on {network.label(int(node[task]))}" for task in (flows.src[0], flows.dst[0])
        )
        return f"{sender} cannot reach {receiver}, in another connected component of the network"
    first = f"from {network.label(int(start[0]))} to {network.label(int(end[0]))}"
    why = case.router.reason(int(start[0]), int(end[0])) if isinstance(case.router, FaultyRouter) else ""
    if why:
        return f"{why}, for example {first} (task {flows.src[0]:,} to {flows.dst[0]:,})"
    if network.levels:
        level = network.levels[0]
        pairs = np.unique(np.sort([level.group[start], level.group[end]], axis=0), axis=1)
        if pairs.shape[1] == 1 and pairs[0, 0] != pairs[1, 0] and flows.src.size < MAX_LISTED:
            between = network.group_pair_names(*pairs[:, 0].tolist())
            return f"{scheme} routing has no path left between {between}"
    return f"{scheme} routing has no path left, for example {first} (task {flows.src[0]:,} to {flows.dst[0]:,})"
