"""Collects flows by destination, block by block, until they are carried together along shortest paths."""

from collections.abc import Iterable, Iterator

import numpy as np

from core.network.network import Network
from core.routing.flows import NodeFlows, Nodes, Volumes
from core.routing.minimal.kernel import MAX_PATHS, IncidentLinks, carry_dense, carry_listed, room_for
from core.routing.minimal.trunk import Entering, Trunk
from core.routing.node_pairs import fits_matrix, pair_matrix
from core.spec import Progress, SpecError

MAX_LISTED = 1 << 24
"""Flows listed at once if they do not fit a matrix (0.5 GB with room to sort them); more are carried in batches."""
VISITS_AT_ONCE = 1 << 24
"""Approximate number of links visited between two calls of progress: some tens of milliseconds."""


class Carrier:
    """Shortest paths of a network, and the loads of the flows carried along them."""

    def __init__(self, network: Network, incident: IncidentLinks, equal: bool, trunk: Trunk | None = None) -> None:
        self._network, self._equal = network, equal
        self._entering = None if trunk is None else Entering(trunk)
        self._incident, self._places = (incident, network.nodes) if trunk is None else (trunk.incident, trunk.vertices)
        self._room = room_for(self._incident.in_links.start.size - 1, self._incident.in_links.link.size)
        self.loads: Volumes = np.zeros(network.links)
        """(links,)"""

    def carry(self, flows: Iterable[NodeFlows], progress: Progress) -> None:
        """Carry flows between nodes; with a trunk, between any vertices.

        Raises SpecError: if there are too many paths to split a flow.
        """
        if self._entering is None:
            self._carry(flows, progress)
        else:
            self._carry(map(self._entering.through, flows), progress)
            self._entering.load(self.loads)

    def _carry(self, flows: Iterable[NodeFlows], progress: Progress) -> None:
        if fits_matrix(self._places):
            self._carry_matrix(pair_matrix(flows, self._places), progress)
            return
        listed, count = [], 0
        for block in flows:
            listed.append(block)
            count += block.src.size
            if count > MAX_LISTED:
                # The number of flows to come is unknown, so progress stays at 0.
                self._carry_list(listed, lambda _: progress(0.0))
                listed, count = [], 0
        self._carry_list(listed, progress)

    def _carry_matrix(self, matrix: Volumes, progress: Progress) -> None:
        for first, last in portions(self._network, progress, self._places):
            if not carry_dense(matrix, first, last, self._incident.in_links, self._equal, self._room, self.loads):
                raise too_many_paths()

    def _carry_list(self, blocks: list[NodeFlows], progress: Progress) -> None:
        if not blocks:
            return
        src, dst, volume = (np.concatenate(arrays) for arrays in zip(*blocks, strict=True))
        adjacency = self._incident.in_links
        if self._equal and _kinds(src, self._places) < _kinds(dst, self._places):
            # From every source instead, over the same paths in reverse.
            src, dst, adjacency = dst, src, self._incident.out_links
        order = np.argsort(dst, kind="stable")
        start = np.append(0, np.cumsum(np.bincount(dst, minlength=self._places)))
        for first, last in portions(self._network, progress, self._places):
            if not carry_listed(start, order, src, volume, first, last, adjacency, self._equal, self._room, self.loads):
                raise too_many_paths()


def portions(network: Network, progress: Progress, places: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of places, from each of which all links are visited, calling `progress` before each range."""
    step = max(VISITS_AT_ONCE // max(network.links, 1), 1)
    for first in range(0, places, step):
        progress(first / places)
        yield first, min(first + step, places)


def too_many_paths() -> SpecError:
    """Return the error for equal shares that cannot be computed."""
    problem = f"two nodes have over {MAX_PATHS:g} shortest paths, too many for equal shares"
    return SpecError("routing.type", f"{problem}; choose minimal with spread single")


def _kinds(nodes: Nodes, most: int) -> int:
    return int(np.count_nonzero(np.bincount(nodes, minlength=most)))
