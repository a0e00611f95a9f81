"""Table of minimal paths between the vertices where nodes enter a network and possible intermediates."""

from dataclasses import replace
from functools import cached_property

import numpy as np

from core.network.network import Network
from core.routing.flows import Flags, Hops, NodeFlows, Nodes, Volumes
from core.routing.group_minimal.scheme import EqualGroupRouter
from core.routing.group_minimal.wiring import trunk_in_groups
from core.routing.minimal.scheme import EqualRouter
from core.routing.minimal.trunk import Trunk, trunk_of
from core.routing.minimal.turns import turning
from core.routing.node_pairs import NodePairDemand, sum_by_node_pair
from core.routing.ugal.kernel import Segments
from core.spec import SpecError

MAX_ENTRIES = 1 << 26
"""Entries of the table: 0.8 GB."""
PAIRS_AT_ONCE = 1 << 17
"""Pairs whose paths are listed at once."""


class MinimalPaths:
    """Minimal paths between *ends*: vertices where nodes enter (or nodes with several), and intermediates."""

    def __init__(self, network: Network, failed: Flags | None, group_legs: bool = False) -> None:
        self._network, self._failed, self._group_legs = network, failed, group_legs
        self.trunk: Trunk | None = (trunk_in_groups if group_legs else trunk_of)(network, failed)
        entry = np.arange(network.nodes, dtype=np.int32) if self.trunk is None else self.trunk.at[: network.nodes]
        turns = np.flatnonzero(turning(network, np.zeros(network.vertices, np.int32), failed))
        self.ends: Nodes = np.union1d(entry, turns).astype(np.int32)
        """(ends,) vertex of each end."""
        self.entry: Nodes = np.searchsorted(self.ends, entry).astype(np.int32)
        """(nodes,) the end where each node enters."""
        self.turns: Nodes = np.searchsorted(self.ends, turns).astype(np.int32)
        """The ends that are intermediates."""

    def connected(self, pairs: NodePairDemand) -> NodePairDemand:
        """Return the pairs of nodes that have a path."""
        start, end = self.entry[pairs.src], self.entry[pairs.dst]
        row, first = start.astype(np.int64) * self.ends.size + end, self.segments.start
        kept = (start == end) | (first[row + 1] > first[row])
        counts = np.bincount(pairs.dst[kept], minlength=pairs.start.size - 1)
        return NodePairDemand(np.append(0, np.cumsum(counts)), pairs.src[kept], pairs.dst[kept], pairs.volume[kept])

    def between(self, pairs: NodePairDemand) -> NodePairDemand:
        """Return the demand of connected pairs of nodes summed by pair of ends."""
        flows = NodeFlows(self.entry[pairs.src], self.entry[pairs.dst], pairs.volume)
        return sum_by_node_pair([flows], self.ends.size, pairs.src.size, "")

    def cables(self, src: Nodes, dst: Nodes) -> tuple[tuple[Nodes, Nodes], ...]:
        """Return the cables by which flows enter and leave, (vertices,), each with the nodes of its flows."""
        return () if self.trunk is None else ((self.trunk.up, src), (self.trunk.down, dst))

    def cable_time(self, pairs: NodePairDemand, seconds_per_unit: Volumes) -> float:
        """Return the longest time of these cables."""
        time = 0.0
        for cable, node in self.cables(pairs.src, pairs.dst):
            carried = np.bincount(node, pairs.volume, self._network.nodes)
            hung = np.flatnonzero(cable[: carried.size] >= 0)
            time = max(time, float((carried[hung] * seconds_per_unit[cable[hung]]).max(initial=0.0)))
        return time

    @cached_property
    def segments(self) -> Segments:
        """Return the paths between all ends; all minimal paths carry the same volume.

        Raises SpecError: if the table would be too large.
        """
        router, count = self._router(), self.ends.size
        counts, links, shares = [np.zeros(1, np.int64)], [np.zeros(0, np.int32)], [np.zeros(0)]
        step, total = max(PAIRS_AT_ONCE // count, 1), 0
        for first in range(0, count, step):
            some = self.ends[first : first + step]
            hops = Hops.joined(router.hop_portions(np.repeat(some, count), np.tile(self.ends, some.size)))
            order = np.argsort(hops.flow, kind="stable")
            counts.append(np.bincount(hops.flow, minlength=some.size * count))
            links.append(hops.link[order].astype(np.int32))
            shares.append(hops.share[order])
            total += order.size
            if total > MAX_ENTRIES:
                words = f"ugal needs too large a table of minimal paths for {count:,} switches or nodes"
                raise SpecError("routing.type", f"{words}; choose valiant or minimal")
        return Segments(np.cumsum(np.concatenate(counts)), np.concatenate(links), np.concatenate(shares))

    def _router(self) -> EqualRouter | EqualGroupRouter:
        if self._group_legs:
            return EqualGroupRouter(self._network, self._failed)
        # Any vertex can be an end here, so symmetries of the nodes do not apply.
        all_vertices = replace(self._network, nodes=self._network.vertices, symmetry=None, find_alike=None)
        return EqualRouter(all_vertices, self._failed)
