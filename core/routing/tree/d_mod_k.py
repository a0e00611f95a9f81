"""D-mod-k: one path for each pair on fat trees, determined on the way up by the destination alone.

A vertex of level l with w parents, and p cables to each, sends data for node d over port ``floor(d / W) mod (w p)``,
where W is the number of vertices of the level above the same nodes: to parent ``port mod w`` by its cable ``port div
w``, and down again by the cables of the same numbers. So flows of a shift of all nodes never share a cable. Source:
Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees", 2010.

On an imported network that is a fat tree (`Network.tree`), d is the number of the node in the tree: nodes are numbered
leaf switch by leaf switch. If a cable is missing or has failed, the next port upwards is used that leads to the
destination, and downwards the next parallel cable. OpenSM's ftree engine does roughly the same: it chooses the least
used among the ports that are left.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.network.network import Network, NetworkSpec
from core.network.tree_embedding import TreeEmbedding, tree_of
from core.routing.closed_form import ClosedFormRouter, HopBatch
from core.routing.faulty import DISCONNECTED, INTACT, REROUTED, States
from core.routing.flows import Flags, Hops, Nodes
from core.routing.minimal.faults import ResidualRouter
from core.routing.minimal.scheme import EqualRouter
from core.routing.minimal.trunk import islands_of
from core.routing.router import Router, RoutingSpec
from core.routing.tree.detours import Detours, Ports
from core.spec import SpecError

UP, DOWN = range(2)


class DModK(RoutingSpec, frozen=True, tag="d-mod-k"):
    """D-mod-k: one path per pair on fat trees, chosen by the destination's number.

    Imported networks may be fat trees, too, even if some cables or nodes are missing. Then the next port replaces the
    port of a missing cable.
    """

    title: ClassVar[str] = "D-mod-k"

    def check(self, network: Network) -> NetworkSpec:
        """Return the spec of a fat tree."""
        self._tree_of(network)
        return network.spec

    def router(self, network: Network) -> Router:
        """Return the router."""
        return DModKRouter(network, self._tree_of(network))

    def summary(self) -> str:
        """Return the rule in words."""
        return "one path per pair, with upward ports chosen by the destination's number"

    def _tree_of(self, network: Network) -> TreeEmbedding:
        tree = tree_of(network)
        if tree is not None:
            return tree
        self.refuse_cables(network)
        if network.source:
            words = "d-mod-k supports fat trees only, and this network is not one; choose minimal with equal shares"
            raise SpecError("routing.type", words)
        supported = "d-mod-k supports fat-tree and xgft networks only"
        raise SpecError("routing.type", f"{supported}, not {network.spec.tag()}; choose minimal")


class DModKRouter(ClosedFormRouter):
    """Paths follow level by level from the places of their ends in the tree; links may have failed."""

    roles = ("up", "down")

    def __init__(self, network: Network, embedding: TreeEmbedding, failed: Flags | None = None) -> None:
        super().__init__(network)
        self.embedding = embedding
        self._place, self._link = embedding.place[: network.nodes].astype(np.int64), embedding.link
        self._detours = None
        if failed is not None or not embedding.exact:
            up, down = embedding.link[::2], embedding.link[1::2]
            present = up >= 0
            if failed is not None:
                present &= ~failed[up] & ~failed[down]
            self._detours = Detours(embedding.tree, present, embedding.place[: network.nodes])

    @property
    def complete(self) -> bool:
        """Return whether there is a path between any two nodes."""
        return self._detours is None or self._detours.complete

    def reaches(self, src: Nodes, dst: Nodes) -> Flags:
        """Return whether there is a path for each flow."""
        if self._detours is None:
            return np.ones(src.size, np.bool_)
        return self._detours.reaches(self._place[src], self._place[dst])

    def hop_batches(self, src: Nodes, dst: Nodes) -> Iterator[HopBatch]:
        """Yield the hops upwards, level by level, then the hops downwards."""
        tree, start, target = self.embedding.tree, self._place[src], self._place[dst]
        reached, root, climbed = self.reaches(src, dst), np.zeros(src.size, np.int64), []
        for level in range(tree.height):
            goes = (start // tree.leaves[level] != target // tree.leaves[level]) & reached
            below = root + tree.roots[level] * (start // tree.leaves[level])
            port = self._upward(level, below, target, goes)
            climbed.append((goes, root, port))
            yield self._batch(UP, level, goes, below, port)
            root = root + np.where(goes, port % tree.up[level] * tree.roots[level], 0)
        for level in reversed(range(tree.height)):
            goes, below, port = climbed[level]
            below = below + tree.roots[level] * (target // tree.leaves[level])
            yield self._batch(DOWN, level, goes, below, self._downward(level, below, port, target, goes))

    def _batch(self, role: int, level: int, goes: Flags, below: Ports, port: Ports) -> HopBatch:
        tree = self.embedding.tree
        cable = tree.first_cable[level] + below * (tree.up[level] * tree.parallel[level]) + port
        return HopBatch(role, goes, self._link[2 * cable + role], 1.0)

    def _rule(self, level: int, target: Ports) -> Ports:
        tree = self.embedding.tree
        port: Ports = target // tree.roots[level] % (tree.up[level] * tree.parallel[level])
        return port

    def _upward(self, level: int, below: Ports, target: Ports, goes: Flags) -> Ports:
        port = self._rule(level, target)
        if self._detours is not None:
            port[goes] = self._detours.upward(level, below[goes], target[goes], port[goes])
        return port

    def _downward(self, level: int, below: Ports, port: Ports, target: Ports, goes: Flags) -> Ports:
        if self._detours is None:
            return port
        port, rule = port.copy(), self._rule(level, target)
        port[goes] = self._detours.downward(level, below[goes], port[goes], rule[goes])
        return port

    def nearest(self) -> NDArray[np.int64] | None:
        """Return the distances of minimal routing, which are equal, or less if cables are missing."""
        return EqualRouter(self.network).nearest()

    def updates(self, flows: int) -> int:
        """Return twice the height for each flow."""
        return 2 * self.embedding.tree.height * flows

    def share_quantum(self, name: str) -> Fraction:
        """Return 1: nothing is split."""
        return Fraction(1)


class FaultyDModKRouter(ResidualRouter):
    """The next port replaces the port of a failed cable."""

    base: DModKRouter
    left: DModKRouter

    def __init__(self, base: DModKRouter, failed: Flags) -> None:
        left = DModKRouter(base.network, base.embedding, failed)
        super().__init__(base, failed, left, islands_of(base.network, failed))

    @property
    def disconnects(self) -> bool:
        """Return whether any two nodes have no path left."""
        return not self.left.complete

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return for every flow whether its path without faults is left, another path is, or none."""
        state = np.full(src.size, INTACT, np.int8)
        # Cables fail as a whole: a flow also leaves a cable if only its other direction has failed.
        links, other = self.base.hops_of(src, dst), self.left.hops_of(src, dst)
        for hops, against in ((links, other), (other, links)):
            gone = ~np.isin(
                hops.flow * self.network.links + hops.link, against.flow * self.network.links + against.link
            )
            state[hops.flow[gone]] = REROUTED
        state[~self.left.reaches(src, dst)] = DISCONNECTED
        return state

    def rerouted_hops(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows around failed cables."""
        return self.left.hops_of(src, dst)

    def nearest(self) -> NDArray[np.int64] | None:
        """Return the base scheme's distances: without links no distance gets shorter."""
        return self.base.nearest()

    def share_quantum(self, name: str) -> Fraction:
        """Return 1: nothing is split."""
        return Fraction(1)
