"""Valiant's routing through nodes or their switches, with group-minimal paths to the intermediate and on.

Intermediates are chosen as in `core.routing.minimal.valiant`. The load of a link depends on the total that every node
sends and receives, not on the pairs.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.network.network import Network
from core.routing.flows import Flags, Hops, NodeFlows, Nodes, Volumes
from core.routing.group_minimal.scheme import EqualGroupRouter
from core.routing.group_minimal.wiring import ranges
from core.routing.hop_list import HopListRouter
from core.routing.minimal.turns import ROLES, parts_of, turning
from core.routing.route_tables import MAX_ENTRIES, RouteTables, Rows, tables_by_ends
from core.spec import Progress, no_progress

PAIRS_AT_ONCE = 1 << 20
"""Pairs of a node or switch and an intermediate that are processed together."""
SAMPLES = 4
"""Nodes from which the number of links loaded by a flow is estimated."""


class GroupLegsRouter(HopListRouter):
    """Every flow goes over a random intermediate of its island; both halves are group-minimal."""

    roles, depends_on_sums = ROLES, True

    def __init__(self, network: Network, failed: Flags | None = None, islands: Nodes | None = None) -> None:
        super().__init__(network)
        self.legs = EqualGroupRouter(network, failed)
        self.islands = parts_of(network) if islands is None else islands
        """(vertices,) island of each vertex: vertices of an island reach each other, and no flow leaves it."""
        weight = turning(network, self.islands, failed)
        self._turns: Nodes = np.flatnonzero(weight).astype(np.int32)
        self._weight: Volumes = weight[self._turns]
        """(turns,) probability of each intermediate, for flows of its island."""
        trunk, vertices = self.legs.wiring.trunk, np.arange(network.vertices, dtype=np.int32)
        self._trunk = None if trunk is None or weight[trunk.number < 0].any() else trunk
        """Where nodes on single cables enter, or None if there are none, or some of them are intermediates."""
        self._entry: Nodes = vertices if self._trunk is None else self._trunk.at
        """(vertices,) the vertex through which the traffic of each vertex passes."""

    def _goes(self, src: Nodes, dst: Nodes) -> Flags:
        return np.asarray((src != dst) & (self.islands[src] == self.islands[dst]))

    def _halves(self, begin: Nodes, role: int) -> Iterator[tuple[NDArray[np.intp], NodeFlows]]:
        """Yield a unit between each of some vertices and the intermediates, with the index of the vertex.

        Role 0: to the intermediates; role 1: from them.
        """
        step = max(PAIRS_AT_ONCE // self._turns.size, 1)
        for first in range(0, begin.size, step):
            some = begin[first : first + step]
            which, turn = np.nonzero(self.islands[some][:, None] == self.islands[self._turns])
            ends = some[which], self._turns[turn]
            yield first + which, NodeFlows(*(ends if role == 0 else ends[::-1]), self._weight[turn])

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link.

        Raises SpecError: if there are more shortest paths inside a group than can be counted.
        """
        sent, received = np.zeros(self.network.vertices), np.zeros(self.network.vertices)
        for block in flows:
            goes = self._goes(block.src, block.dst)
            sent += np.bincount(block.src[goes], block.volume[goes], sent.size)
            received += np.bincount(block.dst[goes], block.volume[goes], received.size)
        return self.legs.loads(self._all_halves(sent, received), progress)

    def _all_halves(self, sent: Volumes, received: Volumes) -> Iterator[NodeFlows]:
        every = np.arange(sent.size, dtype=np.int32)
        for role, volume in enumerate((sent, received)):
            # To and from the vertices where nodes enter, then between these and the intermediates.
            used = np.flatnonzero(volume)
            ends = every[used], self._entry[used]
            yield NodeFlows(*(ends if role == 0 else ends[::-1]), volume[used])
            entered = np.bincount(self._entry, volume, sent.size)
            begin = every[entered > 0]
            for which, units in self._halves(begin, role):
                yield units._replace(volume=units.volume * entered[begin[which]])

    def _half(self, nodes: Nodes, role: int) -> Hops:
        """Return the loads of a unit between each of some nodes and the intermediates, a hop for each link."""
        sums, links = [], self.network.links
        for which, units in self._halves(nodes, role):
            for hops in self.legs.hop_portions(units.src, units.dst):
                key = which[hops.flow].astype(np.int64) * links + hops.link
                keys, place = np.unique(key, return_inverse=True)
                sums.append((keys, np.bincount(place, hops.share * units.volume[hops.flow])))
        key = np.concatenate([np.zeros(0, np.int64), *(keys for keys, _ in sums)])
        share = np.concatenate([np.zeros(0), *(shares for _, shares in sums)])
        keys, place = np.unique(key, return_inverse=True)
        flow, link = np.divmod(keys, links)
        total = np.asarray(np.bincount(place, share, keys.size), np.float64)
        return Hops(flow, link, total, np.full(keys.size, role, np.int8))

    def hops_of(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows; as many as there are intermediates. Roles: to and from the intermediate."""
        goes, hops = np.flatnonzero(self._goes(src, dst)), []
        for role, end in enumerate((src[goes], dst[goes])):
            nodes, row = np.unique(end, return_inverse=True)
            half = self._half(nodes, role)
            start = np.searchsorted(half.flow, np.arange(nodes.size + 1))
            which, at = ranges(start, row)
            hops.append(Hops(goes[which], half.link[at], half.share[at], half.role[at]))
        return Hops.joined(hops)

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`: on its first half, and on its second."""
        shares, goes, trunk = np.zeros((2, src.size)), self._goes(src, dst), self._trunk
        for role, end in enumerate((src[goes], dst[goes])):
            cable = None if trunk is None else (trunk.up, trunk.down)[role][end] == link
            entries, row = np.unique(self._entry[end], return_inverse=True)
            share = np.zeros(entries.size)
            for which, units in self._halves(entries, role):
                crossed = self.legs.crossing(link, units.src, units.dst).sum(axis=0)
                share += np.bincount(which, crossed * units.volume, entries.size)
            shares[role, goes] = share[row] if cable is None else share[row] + cable
        return shares

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the mean distances to and from the intermediate, together; 0 if there is no path."""
        distance: Volumes = np.where(self._goes(src, dst), self._mean_hops[0, src] + self._mean_hops[1, dst], 0.0)
        return distance

    @cached_property
    def _mean_hops(self) -> Volumes:
        # (2, vertices) to the intermediates, and from them.
        means, entries = np.zeros((2, self.network.vertices)), np.unique(self._entry)
        for role, mean in enumerate(means):
            for which, units in self._halves(entries, role):
                hops = self.legs.hops(units.src, units.dst) * units.volume
                mean += np.bincount(entries[which], hops, mean.size)
            cables = 0 if self._trunk is None else (self._trunk.up, self._trunk.down)[role] >= 0
            mean[:] = mean[self._entry] + cables
        return means

    def route_tables(self) -> RouteTables | None:
        """Return a table with a row for every source and one with a row for every target, or None if too large."""
        return self._route_tables

    @cached_property
    def _route_tables(self) -> RouteTables | None:
        nodes = self.network.nodes
        if nodes * self._mean_links > MAX_ENTRIES // 2:
            return None
        by_source, by_target = map(self._rows, (0, 1))
        return tables_by_ends(by_source, by_target)

    def _rows(self, role: int) -> Rows:
        nodes = self.network.nodes
        half = self._half(np.arange(nodes, dtype=np.int32), role)
        return np.searchsorted(half.flow, np.arange(nodes + 1)), half.link, half.share

    def updates(self, flows: int) -> int:
        """Return for each flow the number of links of its paths, from the mean over a few nodes: usually all links."""
        return int(flows * self._mean_links) + flows

    @cached_property
    def _mean_links(self) -> float:
        nodes = np.unique(np.arange(SAMPLES) * self.network.nodes // SAMPLES).astype(np.int32)
        return self.hops_of(nodes, np.roll(nodes, 1)).link.size / nodes.size
