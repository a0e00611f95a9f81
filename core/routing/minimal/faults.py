"""Minimal routing, and Valiant's based on it, around failed links: shortest paths in the remaining network.

Paths may become longer. Flows without a path are disconnected. Under Valiant's routing the intermediate must be
mutually reachable from source and destination; flows whose ends are not mutually reachable are disconnected.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from core.routing.faulty import DISCONNECTED, INTACT, REROUTED, FaultyRouter, States
from core.routing.flows import FixedPoint, Flags, Hops, NodeFlows, Nodes, Traced, Volumes
from core.routing.group_minimal.scheme import GroupRouter
from core.routing.group_minimal.valiant import GroupLegsRouter
from core.routing.group_minimal.valiant_groups import GroupLegsThroughGroups
from core.routing.minimal.scheme import MinimalRouter
from core.routing.minimal.trunk import islands_of
from core.routing.minimal.valiant import ValiantRouter
from core.routing.minimal.valiant_groups import GroupValiantRouter
from core.routing.router import Route, Router
from core.spec import Progress, no_progress

AnyValiantRouter = ValiantRouter | GroupValiantRouter | GroupLegsRouter | GroupLegsThroughGroups


class ResidualRouter(FaultyRouter):
    """A scheme that routes on the remaining network by itself."""

    def __init__(self, base: Router, failed: Flags, left: Router, islands: Nodes) -> None:
        super().__init__(base, failed)
        self.left = left
        """The scheme on the remaining network."""
        self.memoryless = left.memoryless
        self.islands = islands
        """(vertices,) see `islands_of`."""

    @property
    def entry_vertices(self) -> Nodes | None:
        """Return the entry vertices in the remaining network."""
        return self.left.entry_vertices

    @property
    def disconnects(self) -> bool:
        """Return whether nodes are on several islands."""
        return bool(np.ptp(self.islands[: self.network.nodes]))

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link; flows without a path load nothing.

        Raises SpecError: as the base scheme does.
        """
        return self.left.loads(flows, progress)

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair; empty if it is disconnected."""
        return self.left.route(u, v)

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`."""
        return self.left.crossing(link, src, dst)

    def prepare_traces(self) -> None:
        """Prepare tracing in the remaining network."""
        self.left.prepare_traces()

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow."""
        return self.left.trace(src, dst, volume)

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the distances in the remaining network; 0 for disconnected flows."""
        return self.left.hops(src, dst)

    def squares(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the squares in the remaining network; 0 for disconnected flows."""
        # Tables with a row for each source and each target do not show which pairs are disconnected.
        return np.where(self.disconnected(src, dst), 0.0, self.left.squares(src, dst))

    @property
    def single_path(self) -> bool:
        """Return whether every flow has at most one path in the remaining network."""
        return self.left.single_path

    def updates(self, flows: int) -> int:
        """Return the scheme's number."""
        return self.left.updates(flows)


class FaultyMinimalRouter(ResidualRouter):
    """Shortest paths in the remaining network; single paths follow the scheme's rule."""

    base: MinimalRouter | GroupRouter
    left: MinimalRouter | GroupRouter

    def __init__(self, base: MinimalRouter | GroupRouter, failed: Flags) -> None:
        left = type(base)(base.network, failed)
        super().__init__(base, failed, left, islands_of(base.network, failed))

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return for every flow whether no path has lost a link, some have, or no path is left."""
        state = np.full(src.size, INTACT, np.int8)
        for hops in self.base.hop_portions(src, dst):
            state[hops.flow[self.failed[hops.link]]] = REROUTED
        state[self.disconnected(src, dst)] = DISCONNECTED
        return state

    def disconnected(self, src: Nodes, dst: Nodes) -> Flags:
        """Return whether each flow has no path left."""
        lost: Flags = self.islands[src] != self.islands[dst]
        # Links are directed: there may be a path between islands in one direction only.
        doubtful = np.flatnonzero(lost)
        lost[doubtful] = self.left.distance(src[doubtful], dst[doubtful]) < 0
        return lost

    def rerouted_hops(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows in the remaining network."""
        return Hops.joined(self.left.hop_portions(src, dst))

    def nearest(self) -> NDArray[np.int64] | None:
        """Return the base scheme's distances: without links no distance gets shorter."""
        return self.base.nearest()

    def share_quantum(self, name: str) -> Fraction | None:
        """Return a common divisor of all shares in the remaining network."""
        return self.left.share_quantum(name)

    @property
    def parts(self) -> int | None:
        """Return the common denominator of shares, which changes with the numbers of paths."""
        return self.left.parts


class FaultyValiantRouter(ResidualRouter):
    """Over any node, its switch, or a group, of the island of source and destination."""

    base: AnyValiantRouter
    left: AnyValiantRouter

    def __init__(self, base: AnyValiantRouter, failed: Flags) -> None:
        islands = islands_of(base.network, failed)
        super().__init__(base, failed, type(base)(base.network, failed, islands), islands)

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return for every flow whether no path has lost a link, some have, or it is disconnected."""
        state = np.full(src.size, INTACT, np.int8)
        hops = self.base.hops_of(src, dst)
        state[hops.flow[self.failed[hops.link]]] = REROUTED
        state[self.disconnected(src, dst)] = DISCONNECTED
        return state

    def disconnected(self, src: Nodes, dst: Nodes) -> Flags:
        """Return whether each flow is between different islands."""
        return np.asarray(self.islands[src] != self.islands[dst])

    def rerouted_hops(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows in the remaining network."""
        return self.left.hops_of(src, dst)


def depends_on_shortest_paths(router: MinimalRouter, lost: Sequence[int], src: Nodes, dst: Nodes) -> Flags:
    """Return whether a shortest path of each flow is lost with links: a single path is chosen among all of them."""
    crosses = np.zeros(src.size, np.bool_)
    for link in lost:
        ends = router.ends(link)
        if ends is not None:
            crosses |= ends.may_cross(src, dst)
    return crosses
