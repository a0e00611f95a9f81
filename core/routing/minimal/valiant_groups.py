"""Valiant's routing over groups: every flow goes over a random group, entered at its nearest vertices.

A random group of the coarsest level is drawn, possibly the group of the source or the destination. All shortest paths
to the nearest of its vertices carry the same volume, and so do all shortest paths from there. So a flow that draws its
source's group goes directly; flows within one switch stay there. On dragonflies most paths are l-g-l-g-l, local and
global links alternating. Source: Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology",
2008.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import FAR
from core.network.network import Network
from core.routing.flows import Flags, Hops, NodeFlows, Nodes, Volumes
from core.routing.hop_list import HopListRouter
from core.routing.minimal.demand import portions, too_many_paths
from core.routing.minimal.kernel import IncidentLinks, carry_dense, count_rows, room_for
from core.routing.minimal.scheme import EqualRouter
from core.routing.minimal.trunk import Entering, trunk_of
from core.routing.minimal.turns import ROLES, parts_of
from core.routing.node_pairs import DENSE_NODES, fits_matrix, pair_matrix
from core.spec import Progress, SpecError, no_progress


class GroupValiantRouter(HopListRouter):
    """Tabulates where flows enter each group; both halves are then minimal."""

    roles = ROLES

    def __init__(self, network: Network, failed: Flags | None = None, islands: Nodes | None = None) -> None:
        super().__init__(network)
        self.failed = failed
        self.islands = parts_of(network) if islands is None else islands
        """(vertices,) island of each; no flow leaves it."""
        # Any vertex can be an end here, so symmetries of the nodes do not apply.
        all_vertices = replace(network, nodes=network.vertices, symmetry=None, find_alike=None)
        self._minimal = EqualRouter(all_vertices, failed)
        self._trunk = trunk_of(network, failed)
        self._incident: IncidentLinks = self._minimal.incident if self._trunk is None else self._trunk.incident
        vertex = np.arange(network.vertices, dtype=np.int32)
        at, number = (vertex, vertex) if self._trunk is None else (self._trunk.at, self._trunk.number)
        self._vertex: Nodes = np.flatnonzero(number >= 0).astype(np.int32)
        """(places,) the vertices of the trunk."""
        self._place: Nodes = number[at]
        """(vertices,) index into these vertices."""
        if not fits_matrix(self._vertex.size):
            words = f"group supports at most {DENSE_NODES:,} vertices, not {self._vertex.size:,}; choose node"
            raise SpecError("routing.through", words)
        self._away, self._enters = self._entries()

    def _entries(self) -> tuple[NDArray[np.int32], Volumes]:
        """Return distances between places (from column to row), and the probability of each place as intermediate."""
        count, group = self._vertex.size, self.network.group_of[self._vertex]
        away, paths = np.empty((count, count), np.int32), np.empty((count, count))
        room = room_for(count, self._incident.in_links.link.size)
        count_rows(np.arange(count, dtype=np.int32), self._incident.in_links, room, away, paths)
        enters = np.zeros((count, count))
        far = np.where(away == FAR, np.iinfo(np.int32).max, away)
        for target in range(self.network.node_groups):
            inside = np.flatnonzero(group == target)
            if inside.size:
                nearest = far[inside].min(axis=0)
                shortest = np.where((far[inside] == nearest) & (away[inside] != FAR), paths[inside], 0.0)
                enters[inside] = shortest / np.maximum(shortest.sum(axis=0), 1.0)
        # Each reachable group has the same probability.
        enters /= np.maximum(enters.sum(axis=0), 1.0)
        return away, enters

    @property
    def entry_vertices(self) -> Nodes | None:
        """Return the vertex through which all traffic of a node passes, ``(nodes,)``, or None if some lack one."""
        nodes = self.network.nodes
        return None if self._trunk is None or np.ptp(self.islands[:nodes]) else self._trunk.at[:nodes]

    def _goes(self, src: Nodes, dst: Nodes) -> Flags:
        return np.asarray((src != dst) & (self.islands[src] == self.islands[dst]))

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link.

        Raises SpecError: if there are more shortest paths between two nodes than can be counted.
        """
        entering = None if self._trunk is None else Entering(self._trunk)
        going = (block.some(self._goes(block.src, block.dst)) for block in flows)
        through = going if entering is None else map(entering.through, going)
        received = pair_matrix(through, self._vertex.size)
        # First halves to the intermediates, then second halves to the destinations.
        bound = self._enters * received.sum(axis=0) + received @ self._enters.T
        loads, room = np.zeros(self.network.links), room_for(self._vertex.size, self._incident.in_links.link.size)
        for first, last in portions(self.network, progress, self._vertex.size):
            if not carry_dense(bound, first, last, self._incident.in_links, True, room, loads):
                raise too_many_paths()
        if entering is not None:
            entering.load(loads)
        return loads

    def hops_of(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows. Roles: to and from the intermediate; cables of nodes count towards either."""
        goes = np.flatnonzero(self._goes(src, dst))
        start, end = self._place[src[goes]], self._place[dst[goes]]
        apart = np.flatnonzero(start != end)
        flow, turn = np.nonzero(self._enters[:, start[apart]].T)
        share = self._enters[turn, start[apart[flow]]]
        flow = goes[apart[flow]]
        hops_found = list(self._cables(goes, src[goes], dst[goes]))
        begins, turns, ends = (self._vertex[place] for place in (self._place[src[flow]], turn, self._place[dst[flow]]))
        for role, (u, v) in enumerate(((begins, turns), (turns, ends))):
            moves = np.flatnonzero(u != v)
            for hops in self._minimal.hop_portions(u[moves], v[moves]):
                which = moves[hops.flow]
                roles = np.full(which.size, role, np.int8)
                hops_found.append(Hops(flow[which], hops.link, share[which] * hops.share, roles))
        return Hops.joined(hops_found)

    def _cables(self, flow: NDArray[np.intp], src: Nodes, dst: Nodes) -> Iterator[Hops]:
        if self._trunk is not None:
            for role, (cable, node) in enumerate(((self._trunk.up, src), (self._trunk.down, dst))):
                hung = np.flatnonzero(cable[node] >= 0)
                yield Hops(flow[hung], cable[node[hung]], np.ones(hung.size), np.full(hung.size, role, np.int8))

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the mean lengths of paths; 0 if there is no path."""
        start, end, goes = self._place[src], self._place[dst], self._goes(src, dst)
        hops_of_flow = (self._cable_hops[src] + self._cable_hops[dst]) * goes
        for i in np.flatnonzero(goes & (start != end)).tolist():
            turns = np.flatnonzero(self._enters[:, start[i]])
            away = self._away[turns, start[i]] + self._away[end[i], turns]
            hops_of_flow[i] += float(self._enters[turns, start[i]] @ away)
        return hops_of_flow

    @property
    def _cable_hops(self) -> Volumes:
        hung = np.zeros(self.network.vertices) if self._trunk is None else self._trunk.up >= 0
        return hung.astype(float)

    def updates(self, flows: int) -> int:
        """Return for each flow the estimated number of links of its paths over all groups."""
        return flows * 4 * self.network.node_groups
