"""UGAL in steady state: every flow is split between minimal paths and paths over intermediates, like Valiant's.

Each packet of UGAL takes the minimal path or one over a random node, depending on which it estimates to be less
congested. In steady state volume moves between paths as long as others are faster. That state is computed here for all
flows of a phase: no flow gains by moving, and a bound shows how far the slowest link may be from the best split.

Intermediates are chosen as in `core.routing.minimal.valiant`: any node or, if nodes are attached to switches, any
node's switch. On both halves all shortest paths carry the same volume. Source: Singh, "Load-balanced routing in
interconnection networks", 2005 (UGAL); Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly
topology", 2008.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.network.network import Network, NetworkSpec
from core.routing.congestion.scheme import SolverRouter
from core.routing.flows import Flags, Hops, NodeFlows, Nodes, Volumes
from core.routing.group_minimal.legs import Legs, has_group_legs
from core.routing.hop_list import HopListRouter
from core.routing.minimal.scheme import GeneralRouting
from core.routing.node_pairs import NodePairDemand
from core.routing.planned import Tolerance, demand_of
from core.routing.router import Router
from core.routing.ugal.kernel import NONE, add_loads
from core.routing.ugal.minimal_paths import MinimalPaths
from core.routing.ugal.solver import AdaptiveFlow, AdaptiveSolver
from core.spec import Progress, SpecError, declare, no_progress
from core.text import plural

MINIMAL, TO, FROM = range(3)
ROLES = ("minimal", "to the intermediate", "from the intermediate")
MAX_CANDIDATES = 1 << 32
"""Limit on pairs times intermediates in a round: some ten seconds."""


class Ugal(GeneralRouting, frozen=True, tag="ugal"):
    """UGAL: splits every flow between minimal and Valiant paths until neither is cheaper (equilibrium).

    On networks with a link between every two groups, such as dragonflies, minimal paths and both legs of Valiant paths
    are group-minimal unless `legs` is shortest.
    """

    title: ClassVar[str] = "UGAL"

    tolerance: Tolerance = 2.0
    rounds: Annotated[
        int,
        declare("Rounds", "maximum number of rounds, each of which moves flows to cheaper paths", ge=1, le=10_000),
    ] = 200
    legs: Legs = "automatic"

    def check(self, network: Network) -> NetworkSpec:
        """Return the network's spec; refuse group-minimal legs without links between all groups."""
        spec = super().check(network)
        has_group_legs(self.legs, network)
        return spec

    def router(self, network: Network) -> Router:
        """Return the router."""
        self.check(network)
        return UgalRouter(network, self.tolerance / 100, self.rounds, has_group_legs(self.legs, network))

    def summary(self) -> str:
        """Return the model in words."""
        return "minimal and Valiant paths, split until no flow gains by moving"


class UgalRouter(SolverRouter):
    """Plans the split for all flows of a phase."""

    roles = ROLES

    def __init__(self, network: Network, tolerance: float, rounds: int, group_legs: bool) -> None:
        super().__init__(network, tolerance, rounds)
        self._group_legs = group_legs

    @cached_property
    def _intact(self) -> MinimalPaths:
        # For the network without faults: its table is the same for all phases and mappings.
        return MinimalPaths(self.network, None, self._group_legs)

    def planned(self, flows: Iterable[NodeFlows], gbs: Volumes, progress: Progress = no_progress) -> Router:
        """Return the split; disconnected pairs have no path.

        Raises SpecError: if there are too many pairs and intermediates.
        """
        pairs = demand_of(flows, self.network.nodes, "ugal")
        paths = self._intact if gbs.all() else MinimalPaths(self.network, np.asarray(gbs == 0), self._group_legs)
        _check(pairs, paths)
        # A disconnected pair loads nothing, so it must not count towards the bound of the plan either.
        pairs = paths.connected(pairs)
        between = paths.between(pairs)
        seconds = np.divide(1.0, gbs, out=np.zeros(gbs.size), where=gbs > 0)
        flow = AdaptiveSolver(between, paths, seconds, paths.cable_time(pairs, seconds)).solve(
            self._tolerance, self._rounds, progress
        )
        return SplitRouter(self.network, paths, between, flow)


def _check(pairs: NodePairDemand, paths: MinimalPaths) -> None:
    # Checked before the table is made, so with an upper bound on the pairs of ends.
    ends = paths.ends.size
    most = min(pairs.src.size, ends * ends)
    if most * paths.turns.size > MAX_CANDIDATES:
        sizes = f"{plural(most, 'pair')} with {paths.turns.size:,} intermediates each"
        raise SpecError("routing.type", f"ugal is too slow for {sizes}; choose valiant or minimal")


class SplitRouter(HopListRouter):
    """Routes by the split of each pair of ends. Pairs that were not planned have no path."""

    roles = ROLES

    def __init__(self, network: Network, paths: MinimalPaths, pairs: NodePairDemand, flow: AdaptiveFlow) -> None:
        super().__init__(network)
        self.flow, self._paths, self._pairs = flow, paths, pairs
        self._key = pairs.dst.astype(np.int64) * paths.ends.size + pairs.src
        """(pairs,) ascending."""
        self.note = flow.note(" over minimal and Valiant paths") if pairs.src.size else None

    def _pair_of(self, src: Nodes, dst: Nodes) -> tuple[NDArray[np.int64], Flags]:
        # The pair of ends of every flow, -1 within one end; and whether each flow has a path.
        start, end = self._paths.entry[src], self._paths.entry[dst]
        key = end.astype(np.int64) * self._paths.ends.size + start
        place = np.minimum(np.searchsorted(self._key, key), max(self._key.size - 1, 0))
        planned = self._key[place] == key if self._key.size else np.zeros(src.size, np.bool_)
        return np.where(planned, place, -1), np.asarray((src != dst) & (planned | (start == end)))

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link."""
        loads, volume = np.zeros(self.network.links), np.zeros(self._pairs.src.size + 1)
        for block in flows:
            pair, goes = self._pair_of(block.src, block.dst)
            volume += np.bincount(pair[goes] + 1, block.volume[goes], volume.size)
            for cable, node in self._paths.cables(block.src, block.dst):
                hung = np.flatnonzero(goes & (cable[node] >= 0))
                loads += np.bincount(cable[node[hung]], block.volume[hung], loads.size)
        pairs = self._pairs._replace(volume=volume[1:])
        add_loads(self._paths.ends.size, pairs, self._paths.segments, self.flow.choices, loads)
        return loads

    def hops_of(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows; cables by which nodes enter and leave are minimal."""
        pair, goes = self._pair_of(src, dst)
        hops = []
        for cable, node in self._paths.cables(src, dst):
            hung = np.flatnonzero(goes & (cable[node] >= 0))
            hops.append(Hops(hung, cable[node[hung]], np.ones(hung.size), np.full(hung.size, MINIMAL)))
        flow = np.flatnonzero(pair >= 0)
        for via, share in zip(self.flow.choices.via.T, self.flow.choices.share.T, strict=True):
            used = flow[via[pair[flow]] != NONE]
            if used.size == 0:
                continue
            hops.extend(self._by(used, via[pair[used]], share[pair[used]], pair[used]))
        return Hops.joined(hops)

    def _by(self, flow: NDArray[np.int64], via: Nodes, share: Volumes, pair: NDArray[np.int64]) -> Iterator[Hops]:
        # The hops of flows over one intermediate each.
        ends, segments = self._paths.ends.size, self._paths.segments
        start, end = self._pairs.src[pair].astype(np.int64), self._pairs.dst[pair]
        straight = via == start
        for row, role in ((start * ends + via, TO), (via.astype(np.int64) * ends + end, FROM)):
            first, count = segments.start[row], segments.start[row + 1] - segments.start[row]
            at = np.repeat(first - np.cumsum(count) + count, count) + np.arange(count.sum())
            roles = np.repeat(np.where(straight, MINIMAL, role), count)
            yield Hops(np.repeat(flow, count), segments.link[at], np.repeat(share, count) * segments.share[at], roles)

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the number of links that a unit crosses, for each pair of nodes."""
        hops_of_flow = np.zeros(src.size)
        for first, hops in self._portions(src, dst):
            hops_of_flow += np.bincount(first + hops.flow, hops.share, src.size)
        return hops_of_flow
