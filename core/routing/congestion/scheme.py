"""Congestion-aware: all flows of a phase share the links so as to minimise the longest link time.

The ideal of routing that adapts to congestion: volumes take any paths, split arbitrarily, in steady state. The solver,
and its bound on the distance from the optimum: `core.routing.congestion.solver`.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import FAR, distances_from
from core.network.network import Network
from core.routing.congestion.kernel import DestinationFlow, UsableLinks
from core.routing.congestion.solver import Demand, MinCongestionFlow, MinCongestionSolver
from core.routing.congestion.split_ratios import carry_by_ratios, crossed, shares
from core.routing.faulty import FaultyRouter
from core.routing.flows import Flags, NodeFlows, Nodes, Volumes
from core.routing.minimal.faults import FaultyMinimalRouter
from core.routing.minimal.kernel import IncidentLinks
from core.routing.minimal.scheme import EqualRouter, GeneralRouting
from core.routing.node_pairs import NodePairDemand
from core.routing.planned import PlanningRouter, Tolerance, demand_of
from core.routing.router import Route, Router
from core.spec import Progress, SpecError, declare, no_progress
from core.text import plural

NEARER, AROUND = range(2)
ROLES = ("nearer to the destination", "on a detour")
MAX_LINK_VISITS = 1 << 28
"""Limit on links times destinations in a round: some ten seconds per round."""


class CongestionAware(GeneralRouting, frozen=True, tag="congestion-aware"):
    """Congestion-aware: splits the flows of each phase over all paths to minimise the longest link time."""

    title: ClassVar[str] = "Congestion-aware"
    around_closed: ClassVar[bool] = True

    tolerance: Tolerance = 2.0
    rounds: Annotated[
        int, declare("Rounds", "maximum number of rounds, each of which moves flows to cheaper paths", ge=1, le=10_000)
    ] = 60

    def router(self, network: Network) -> Router:
        """Return the router."""
        self.check(network)
        return CongestionAwareRouter(network, self.tolerance / 100, self.rounds)

    def summary(self) -> str:
        """Return the model in words."""
        return "optimum of adapting to congestion, for all flows of a phase together"


class SolverRouter(PlanningRouter):
    """Plans with a solver that begins with minimal routing, and ends within a tolerance or after a number of rounds."""

    def __init__(self, network: Network, tolerance: float, rounds: int) -> None:
        super().__init__(network)
        self._tolerance, self._rounds = tolerance, rounds
        self._minimal = EqualRouter(network)

    def with_faults(self, failed: Flags) -> FaultyRouter:
        """Return shortest paths on the remaining network; a pair without such a path has no path at all."""
        return FaultyMinimalRouter(self._minimal, failed)

    def nearest(self) -> NDArray[np.int64] | None:
        """Return the distances of minimal routing, since no path is shorter."""
        return self._minimal.nearest()


class CongestionAwareRouter(SolverRouter):
    """Plans a minimum-congestion flow, beginning with equal shares on all shortest paths."""

    roles = ROLES

    def planned(self, flows: Iterable[NodeFlows], gbs: Volumes, progress: Progress = no_progress) -> Router:
        """Return the minimum-congestion flow; disconnected pairs have no path.

        Raises SpecError: if there are too many destinations and links.
        """
        pairs = demand_of(flows, self.network.nodes, "congestion-aware")
        graph, incident = self._graph(gbs)
        targets = np.flatnonzero(np.diff(pairs.start))
        if targets.size * self.network.links > MAX_LINK_VISITS:
            sizes = f"{plural(targets.size, 'destination')} on {self.network.links:,} links"
            raise SpecError("routing.type", f"congestion-aware is too slow for {sizes}; choose minimal")
        hops = self._hops(targets, incident)
        demands = [_demand(int(v), pairs, distance) for v, distance in zip(targets, hops, strict=True)]
        kept = [k for k, demand in enumerate(demands) if demand.src.size]
        demands, hops = [demands[k] for k in kept], [hops[k] for k in kept]
        flow = (
            MinCongestionSolver(demands, graph).solve(self._tolerance, self._rounds, progress) if demands else NO_FLOW
        )
        return MinCongestionRouter(self.network, graph, demands, flow, hops)

    def _graph(self, gbs: Volumes) -> tuple[UsableLinks, IncidentLinks]:
        network = self.network
        incident = self._minimal.incident if gbs.all() else EqualRouter(network, gbs == 0).incident
        seconds_per_unit = np.divide(1.0, gbs, out=np.zeros(network.links), where=gbs > 0)
        distance = incident.in_links
        graph = UsableLinks(
            distance.start,
            distance.vertex,
            distance.link,
            network.src,
            network.dst,
            seconds_per_unit,
            network.closed,
        )
        return graph, incident

    def _hops(self, targets: NDArray[np.intp], incident: IncidentLinks) -> list[Nodes]:
        queue, distances = np.empty(self.network.vertices, np.int32), []
        for v in targets.tolist():
            distance = np.empty(self.network.vertices, np.int32)
            distances_from(v, incident.in_links, distance, queue)
            distances.append(distance)
        return distances


NO_FLOW = MinCongestionFlow(0.0, 0.0, 0, [])


def _demand(v: int, pairs: NodePairDemand, distance: Nodes) -> Demand:
    mine = slice(int(pairs.start[v]), int(pairs.start[v + 1]))
    reached = distance[pairs.src[mine]] != FAR
    return Demand(v, pairs.src[mine][reached], pairs.volume[mine][reached])


class MinCongestionRouter(Router):
    """Routes by the split ratios of a minimum-congestion flow, by vertex and destination. Other pairs have no path."""

    roles, memoryless = ROLES, True

    def __init__(
        self, network: Network, graph: UsableLinks, demands: list[Demand], flow: MinCongestionFlow, hops: list[Nodes]
    ) -> None:
        super().__init__(network)
        self.flow, self._graph = flow, graph
        rows, targets = flow.rows, [demand.target for demand in demands]
        counts = np.zeros(network.nodes, np.int64)
        counts[targets] = [row.link.size for row in rows]
        self._first = np.append(0, np.cumsum(counts))
        """(nodes + 1,) start of the links to each destination, in topological order."""
        self._link: Nodes = np.concatenate([np.zeros(0, np.int32), *(row.link for row in rows)])
        self._share: Volumes = np.concatenate([np.zeros(0), *(shares(row, graph.src) for row in rows)])
        """Fraction of the volume at the link's tail."""
        roles = [_roles(row, distance, graph) for row, distance in zip(rows, hops, strict=True)]
        self._role: NDArray[np.int8] = np.concatenate([np.zeros(0, np.int8), *roles])
        self.note = flow.note() if rows else None

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link."""
        loads, pairs = np.zeros(self.network.links), demand_of(flows, self.network.nodes, "congestion-aware")
        carry_by_ratios(pairs.start, pairs.src, pairs.volume, self._first, self._link, self._share, self._graph, loads)
        return loads

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair."""
        arrived: dict[int, float] = {u: 1.0}
        hops: list[tuple[int, float, int]] = []
        for k in range(int(self._first[v]), int(self._first[v + 1]) if u != v else 0):
            link = int(self._link[k])
            part = arrived.get(int(self.network.src[link]), 0.0) * float(self._share[k])
            if part > 0:
                hops.append((link, part, int(self._role[k])))
                end = int(self.network.dst[link])
                arrived[end] = arrived.get(end, 0.0) + part
        return Route.of(*np.reshape(hops, (-1, 3)).T)

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`."""
        shares = np.zeros(src.size)
        uses = np.flatnonzero(self._link == link)
        to = np.searchsorted(self._first, uses, side="right") - 1
        role = np.full(self.network.nodes, -1, np.int8)
        role[to] = self._role[uses]
        might = np.flatnonzero(role[dst] >= 0)
        order = might[np.argsort(dst[might], kind="stable")]
        crossed(link, src, dst, order, self._first, self._link, self._share, self._graph, shares)
        return np.stack([np.where(role[dst] == of_role, shares, 0.0) for of_role in range(len(ROLES))])


def _roles(row: DestinationFlow, distance: Nodes, graph: UsableLinks) -> NDArray[np.int8]:
    nearer = distance[graph.dst[row.link]] < distance[graph.src[row.link]]
    return np.where(nearer, NEARER, AROUND).astype(np.int8)
