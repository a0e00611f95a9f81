"""D-mod-k: one path for each pair on fat trees, which the destination alone chooses on the way up.

From a vertex of level l with w parents, p cables to each, data for node d takes port ``floor(d / W) mod (w p)``, where
W is how many vertices of the level share the nodes below them: to parent ``port mod w`` by its cable ``port div w``,
and down again by the cables of the same numbers. So what shifts of all nodes send does not meet on cables.
Source: Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees", 2010.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.network.families.xgft import Tree, TreeFamily
from core.network.network import Network
from core.routing.flows import FixedPoint, Flags, Hops, NodeFlows, Nodes, Traced, Volumes
from core.routing.minimal.scheme import EqualRouter
from core.routing.route_tables import ANY, RouteTable, RouteTables, concatenated
from core.routing.router import Route, Router, RoutingSpec
from core.spec import Progress, no_progress

UP, DOWN = range(2)
MAX_ROWS = 1 << 22
"""Pairs of nodes up to which a search gets their paths as a table."""


class DModK(RoutingSpec, frozen=True, tag="d-mod-k"):
    """D-mod-k: on fat trees one path each, chosen by the destination's number."""

    title: ClassVar[str] = "D-mod-k"

    def check(self, network: Network) -> TreeFamily:
        """Return the spec of a fat tree."""
        return self.of_family(network, TreeFamily, "fat-tree and xgft")  # type: ignore[type-abstract]

    def router(self, network: Network) -> Router:
        """Return the router."""
        return DModKRouter(network, self.check(network).tree)

    def summary(self) -> str:
        """Return the rule in words."""
        return "one path each, up by the port that the destination's number gives"


class DModKRouter(Router):
    """Where a path is on each level follows from the numbers of its ends."""

    roles = ("up", "down")

    def __init__(self, network: Network, tree: Tree) -> None:
        super().__init__(network)
        self._tree = tree

    def _ports(self, level: int, dst: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        # Which of the vertices above the same nodes the way of each destination passes, and by which port it goes up.
        tree, root = self._tree, np.zeros(dst.size, np.int64)
        for low in range(level):
            root += dst // tree.roots[low] % tree.up[low] * tree.roots[low]
        port: NDArray[np.int64] = dst // tree.roots[level] % (tree.up[level] * tree.parallel[level])
        return root, port

    def _hops(self, src: Nodes, dst: Nodes) -> Iterator[tuple[int, Flags, Nodes]]:
        # Role by role and level by level: which flows make such a hop, and the link of each, of the others any.
        tree, start, target = self._tree, src.astype(np.int64), dst.astype(np.int64)
        for level, link_class in enumerate(self.network.classes):
            goes = start // tree.leaves[level] != target // tree.leaves[level]
            root, port = self._ports(level, target)
            for role, end in ((UP, start), (DOWN, target)):
                below = root + tree.roots[level] * (end // tree.leaves[level])
                cable = below * (tree.up[level] * tree.parallel[level]) + port
                yield role, goes, (link_class.links.start + 2 * cable + role).astype(np.int32)

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link."""
        loads = np.zeros(self.network.links)
        for block in flows:
            for _, goes, link in self._hops(block.src, block.dst):
                loads += np.bincount(link[goes], block.volume[goes], loads.size)
        return loads

    def hops_of(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows."""
        found = []
        for role, goes, link in self._hops(src, dst):
            flow = np.flatnonzero(goes)
            found.append(Hops(flow, link[flow], np.ones(flow.size), np.full(flow.size, role, np.int8)))
        return Hops.joined(found)

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair."""
        hops = self.hops_of(np.array([u], np.int32), np.array([v], np.int32))
        return Route.of(hops.link, hops.share, hops.role)

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`: all or nothing."""
        found = np.zeros((len(self.roles), src.size))
        for role, goes, used in self._hops(src, dst):
            found[role] += goes & (used == link)
        return found

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow."""
        return self.hops_of(src, dst).traced(volume)

    def route_tables(self) -> RouteTables | None:
        """Return one table with a row for every pair; None where it would be too large."""
        nodes = self.network.nodes
        if nodes * nodes > MAX_ROWS:
            return None
        node = np.arange(nodes, dtype=np.int32)
        hops = self.hops_of(np.repeat(node, nodes), np.tile(node, nodes))
        order = np.argsort(hops.flow, kind="stable")
        start = np.append(0, np.cumsum(np.bincount(hops.flow, minlength=nodes * nodes)))
        shares = np.ones(order.size, np.int64)
        table = RouteTable(ANY, node, node, nodes, start, hops.link[order], shares)
        return concatenated([table], 1, np.zeros(nodes, np.int32))

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the distances."""
        found = np.zeros(src.size)
        for leaves in self._tree.leaves[:-1]:
            found += 2 * (src // leaves != dst // leaves)
        return found

    def squares(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the hops: nothing is split."""
        return self.hops(src, dst)

    def nearest(self) -> NDArray[np.int64] | None:
        """Return the distances of minimal routing, which these are."""
        return EqualRouter(self.network).nearest()

    def updates(self, flows: int) -> int:
        """Return twice the height for each flow."""
        return 2 * self._tree.height * flows

    def share_quantum(self, name: str) -> Fraction:
        """Return 1: nothing is split."""
        return Fraction(1)
