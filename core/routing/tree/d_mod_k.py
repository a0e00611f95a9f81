"""D-mod-k: one path for each pair on fat trees, determined on the way up by the destination alone.

A vertex of level l with w parents, and p cables to each, sends data for node d over port ``floor(d / W) mod (w p)``,
where W is the number of vertices of the level above the same nodes: to parent ``port mod w`` by its cable ``port div
w``, and down again by the cables of the same numbers. So flows of a shift of all nodes never share a cable. Source:
Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees", 2010.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.network.families.xgft import TreeFamily
from core.network.network import Network
from core.network.tree_shape import Tree
from core.routing.closed_form import ClosedFormRouter, HopBatch
from core.routing.flows import Nodes
from core.routing.minimal.scheme import EqualRouter
from core.routing.router import Router, RoutingSpec

UP, DOWN = range(2)


class DModK(RoutingSpec, frozen=True, tag="d-mod-k"):
    """D-mod-k: one path per pair on fat trees, chosen by the destination's number."""

    title: ClassVar[str] = "D-mod-k"

    def check(self, network: Network) -> TreeFamily:
        """Return the spec of a fat tree."""
        return self.of_family(network, TreeFamily, "fat-tree and xgft")  # type: ignore[type-abstract]

    def router(self, network: Network) -> Router:
        """Return the router."""
        return DModKRouter(network, self.check(network).tree)

    def summary(self) -> str:
        """Return the rule in words."""
        return "one path per pair, with upward ports chosen by the destination's number"


class DModKRouter(ClosedFormRouter):
    """Paths follow level by level from the numbers of their ends."""

    roles = ("up", "down")

    def __init__(self, network: Network, tree: Tree) -> None:
        super().__init__(network)
        self._tree = tree

    def _ports(self, level: int, dst: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        # The vertex, among those above the same nodes, on each destination's path, and its port upwards.
        tree, root = self._tree, np.zeros(dst.size, np.int64)
        for low in range(level):
            root += dst // tree.roots[low] % tree.up[low] * tree.roots[low]
        port: NDArray[np.int64] = dst // tree.roots[level] % (tree.up[level] * tree.parallel[level])
        return root, port

    def hop_batches(self, src: Nodes, dst: Nodes) -> Iterator[HopBatch]:
        """Yield the hops upwards and downwards, level by level."""
        tree, start, target = self._tree, src.astype(np.int64), dst.astype(np.int64)
        for level, link_class in enumerate(self.network.classes):
            goes = start // tree.leaves[level] != target // tree.leaves[level]
            root, port = self._ports(level, target)
            for role, end in ((UP, start), (DOWN, target)):
                below = root + tree.roots[level] * (end // tree.leaves[level])
                cable = below * (tree.up[level] * tree.parallel[level]) + port
                yield HopBatch(role, goes, (link_class.links.start + 2 * cable + role).astype(np.int32), 1.0)

    def nearest(self) -> NDArray[np.int64] | None:
        """Return the distances of minimal routing, which are equal."""
        return EqualRouter(self.network).nearest()

    def updates(self, flows: int) -> int:
        """Return twice the height for each flow."""
        return 2 * self._tree.height * flows

    def share_quantum(self, name: str) -> Fraction:
        """Return 1: nothing is split."""
        return Fraction(1)
