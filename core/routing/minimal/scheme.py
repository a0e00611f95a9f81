"""Minimal routing on any network: every flow takes shortest paths, by number of links.

Single: one path; each vertex forwards to the nearer vertex with the lowest number (over the first of parallel links).
Equal: every shortest path carries the same volume; paths over parallel links are different paths. Links are directed,
and any vertex may forward, except vertices below `Network.closed`; a host with one link is never on a path between
others.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import FAR, distinct
from core.network.network import Network, NetworkSpec
from core.routing.flows import FixedPoint, Flags, Hops, NodeFlows, Nodes, Traced, Volumes
from core.routing.minimal.demand import MAX_LISTED, Carrier, too_many_paths
from core.routing.minimal.kernel import (
    MAX_PATHS,
    IncidentLinks,
    Marks,
    choose_rows,
    count_hops,
    count_paths,
    count_rows,
    crossed_shares,
    incident_links,
    most_within,
    path_scratch,
    spread,
    walk,
)
from core.routing.minimal.rows import Rows
from core.routing.minimal.trunk import Trunk, trunk_of
from core.routing.node_pairs import fits_matrix
from core.routing.route_tables import ANY, MAX_ENTRIES, RouteTable, RouteTables, concatenated
from core.routing.router import Route, Router, RoutingSpec
from core.spec import Progress, SpecError, declare, no_progress

MAX_ROWS = 1 << 22
"""Pairs of nodes up to which a search gets their paths as a table."""
MAX_VISITS = 1 << 29
"""Links times nodes up to which the number of nodes by distance is counted: some seconds."""
MAX_PARTS = 1 << 20
"""Limit on the parts into which volumes are split so that all shares are integers; more would cost precision."""
PAIRS_AT_ONCE = 1 << 17
"""Pairs whose paths are listed at once for such a table: about 0.1 GB."""
AHEAD = 1 << 26
"""Links times nodes up to which all paths are computed before the first edit (0.2 s), not during pointer moves."""
SAMPLES = 16
"""Routes from which the mean number of hops is estimated."""


class GeneralRouting(RoutingSpec, frozen=True):
    """Common parts of schemes that route any network; flows between its connected components are disconnected."""

    around_closed: ClassVar[bool] = False
    """Whether it routes around vertices that do not forward."""

    def check(self, network: Network) -> NetworkSpec:
        """Return the network's spec; refuse aggregated networks."""
        if network.aggregation > 1:
            words = f"does not support aggregated networks, such as this one with {network.real_links:,} links"
            raise SpecError("routing.type", f"{words}; choose {network.spec.tag()}, or a smaller network")
        if network.closed and not self.around_closed:
            words = "needs nodes that forward, but nodes of this network do not"
            raise SpecError("routing.type", f"{words}; choose minimal or congestion-aware")
        return network.spec


class Minimal(GeneralRouting, frozen=True, tag="minimal"):
    """Shortest paths by number of hops on any network: one path per pair of nodes, or all of them in equal shares.

    No InfiniBand fabric or other real machine routes by the single paths of this scheme: ties to the lowest ID put all
    flows of a fat tree on the same top switch. In an all-to-all on XGFT(3; 8,8,4; 1,8,4), 12,288 flows then share a
    link, but only 384 under d-mod-k or with equal shares. Choose one of these, or the forwarding tables of a fabric.

    On a dragonfly, a path of two global links through a third group is shorter than a path of a local, a global and a
    local link. Choose group-minimal for at most one global link.
    """

    title: ClassVar[str] = "Minimal"
    around_closed: ClassVar[bool] = True

    spread: Annotated[
        Literal["single", "equal"],
        declare(
            "Spread",
            "single (one shortest path per pair, ties to the next vertex of lowest ID, unlike real machines) or equal "
            "(equal shares on all)",
        ),
    ] = "single"

    def router(self, network: Network) -> Router:
        """Return the router."""
        self.check(network)
        return SingleRouter(network) if self.spread == "single" else EqualRouter(network)

    def summary(self) -> str:
        """Return the spread in words."""
        if self.spread == "single":
            better = "prefer equal shares, or d-mod-k on fat trees"
            return f"one shortest path per pair, with ties to the lowest ID, unlike on real machines: {better}"
        return "equal shares on all shortest paths"


class MinimalRouter(Router):
    """Common parts of both spreads. It may be given failed links; flows without a path then load nothing."""

    read_share = 0.05
    equal: bool

    def __init__(self, network: Network, failed: Flags | None = None) -> None:
        super().__init__(network)
        self.failed = failed
        self._last: tuple[int, Ends] | None = None

    @cached_property
    def incident(self) -> IncidentLinks:
        """Return the links of all vertices, without failed ones."""
        network = self.network
        if self.failed is None:
            return IncidentLinks(
                *(adjacency._replace(closed=network.closed) for adjacency in (network.in_links, network.out_links))
            )
        left = np.flatnonzero(~self.failed).astype(np.int32)
        return incident_links(network.src[left], network.dst[left], left, network.vertices, network.closed)

    @cached_property
    def trunk(self) -> Trunk | None:
        """Return the network without nodes on single cables, or None if there are no such nodes."""
        return trunk_of(self.network, self.failed)

    def read_share_of(self, flows: int) -> float:
        """Return the read share: too many flows for one batch are carried while they are read."""
        return self.read_share if fits_matrix(self.network.nodes) or flows <= MAX_LISTED else 1.0

    @property
    def entry_vertices(self) -> Nodes | None:
        """Return the vertex through which all traffic of a node passes, ``(nodes,)``, or None if some lack one."""
        trunk, nodes = self.trunk, self.network.nodes
        if trunk is None or (trunk.island is not None and np.ptp(trunk.island[:nodes])):
            return None
        return trunk.at[:nodes]

    @cached_property
    def rows(self) -> Rows:
        """Return tables of the paths to every node: distances and numbers of paths, or chosen links."""
        kernel = (count_rows, (np.int32, np.float64)) if self.equal else (choose_rows, (np.int32,))
        return Rows(self.incident.in_links, self.network, *kernel)

    @property
    @abstractmethod
    def denominator(self) -> int | None:
        """Return the common denominator of all shares, or None if there is none, or it is too large or unknown."""

    @abstractmethod
    def hop_portions(self, src: Nodes, dst: Nodes) -> Iterator[Hops]:
        """Yield all hops of flows, in batches."""

    @abstractmethod
    def distance(self, src: Nodes, dst: Nodes) -> FixedPoint:
        """Return the distance of each pair of nodes, -1 if there is no path."""

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link; `progress` is called after some destinations.

        Raises SpecError: if equal shares need more paths than can be counted.
        """
        carrier = Carrier(self.network, self.incident, self.equal, self.trunk)
        carrier.carry(flows, progress)
        return carrier.loads

    def prepare_traces(self) -> None:
        """Compute all paths, if they are cached and that is fast."""
        if self.rows.complete and self.network.nodes * self.network.links <= AHEAD:
            self.rows.fill()

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair; empty if there is no path."""
        src, dst = np.array([u], np.int32), np.array([v], np.int32)
        hops = next(self.hop_portions(src, dst))
        return Route.of(hops.link, hops.share, hops.role)

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow; non-integer shares are rounded one by one."""
        return Traced.joined(in_parts(hops, volume, self.denominator) for hops in self.hop_portions(src, dst))

    def route_tables(self) -> RouteTables | None:
        """Return one table with a row per pair, or None if too large."""
        nodes, denominator = self.network.nodes, self.denominator
        if nodes * nodes > MAX_ROWS or not self.rows.complete:
            return None
        if nodes * nodes * self._mean_hops > MAX_ENTRIES:
            return None  # far too large to start
        node, total = np.arange(nodes, dtype=np.int32), 0
        counts, links = [np.zeros(1, np.int64)], []
        shares: list[NDArray[Any]] = []
        step = max(PAIRS_AT_ONCE // nodes, 1)
        for some in (node[first : first + step] for first in range(0, nodes, step)):
            hops = next(self.hop_portions(np.repeat(some, nodes), np.tile(node, some.size)))
            total += hops.link.size
            if total > MAX_ENTRIES // 4:
                return None
            counts.append(np.bincount(hops.flow, minlength=some.size * nodes))
            links.append(hops.link)
            shares.append(hops.share if denominator is None else _whole_shares(hops, denominator))
        start = np.cumsum(np.concatenate(counts))
        table = RouteTable(ANY, node, node, nodes, start, np.concatenate(links), np.concatenate(shares))
        return concatenated([table], denominator or 1, np.zeros(nodes, np.int32))

    def share_quantum(self, name: str) -> Fraction | None:
        """Return a common divisor of all shares."""
        return None if self.denominator is None else Fraction(1, self.denominator)

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`."""
        shares, marks = np.zeros(src.size), np.zeros(src.size, np.int8)
        ends = self.ends(link)
        if ends is not None:
            might = np.flatnonzero(ends.may_cross(src, dst))
            shares[might], marks[might] = self._crossed(link, ends, src[might], dst[might])
        return np.stack([np.where(marks == mark, shares, 0.0) for mark in range(len(self.roles))])

    @abstractmethod
    def _crossed(self, link: int, ends: "Ends", src: Nodes, dst: Nodes) -> tuple[Volumes, Marks]:
        """Return share and mark of flows that may cross a link."""

    def ends(self, link: int) -> "Ends | None":
        """Return the distances from and to the ends of a link, or None if it has failed."""
        if self.failed is not None and self.failed[link]:
            return None
        last = self._last
        if last is None or last[0] != link:
            last = self._last = link, Ends.of(link, self.incident, self.network)
        return last[1]

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the distances; 0 if there is no path."""
        # Nodes of one switch differ only in their own cables, so a row for each switch is enough.
        entries = None if self.rows.complete else self.entry_vertices
        if entries is None:
            return np.maximum(self.distance(src, dst), 0).astype(float)
        begin, end = entries[src], entries[dst]
        between = self.distance(begin, end)
        cables = (begin != src).astype(np.int64) + (end != dst)
        return np.where((src == dst) | (between < 0), 0, between + cables).astype(float)

    def squares(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the sums of the squared shares of a unit: paths of a flow cross a link at most once."""
        if not self.equal:
            return self.hops(src, dst)
        squares = np.zeros(src.size)
        for hops in self.hop_portions(src, dst):
            squares += np.bincount(hops.flow, hops.share**2, src.size)
        return squares

    def nearest(self) -> NDArray[np.int64] | None:
        """Return lower bounds on the distance of any node to its j-th nearest other node, or None if too expensive.

        It assumes that, within each distance, a node has as many nodes as the node with most.
        """
        return self._nearest

    @cached_property
    def _nearest(self) -> NDArray[np.int64] | None:
        network, alike = self.network, self.network.symmetry
        # Failed links may break symmetries.
        if alike is None or self.failed is not None:
            seen = np.arange(network.nodes, dtype=np.int32)
        else:
            seen = alike.representative
        if seen.size * (network.links + network.vertices) > MAX_VISITS:
            return None
        if self.trunk is not None:
            # Nodes on single cables to one vertex have equally many nodes within any distance.
            seen = seen[np.unique(self.trunk.at[seen], return_index=True)[1]]
        within = most_within(seen, network.nodes, self.incident.out_links, path_scratch(network))
        reached = np.flatnonzero(within == within[-1])[0] + 1
        nearest = np.repeat(np.arange(1, reached), np.diff(within[:reached]))
        # In a disconnected network further nodes are out of reach, and so at least as far away.
        return np.append(nearest, np.full(network.nodes - 1 - nearest.size, reached))

    def updates(self, flows: int) -> int:
        """Return the mean number of links of a few routes, for each flow; more if paths must be recomputed."""
        return max(int(flows * (self._mean_hops + self._search)), flows)

    @property
    def _search(self) -> int:
        # Visiting a link takes about a quarter of the time of updating its load.
        return 0 if self.rows.complete else self.network.links // 4

    @cached_property
    def _mean_hops(self) -> float:
        nodes = self.network.nodes
        src = (np.arange(SAMPLES) * nodes // SAMPLES).astype(np.int32)
        dst = ((src + 1 + np.arange(SAMPLES) * (nodes - 2) // (SAMPLES - 1)) % nodes).astype(np.int32)
        return sum(hops.link.size for hops in self.hop_portions(src, dst)) / SAMPLES


class Ends(NamedTuple):
    """Distances that decide which flows may cross a link; arrays of shape ``(vertices,)``."""

    end: int
    to_begin: Nodes
    to_end: Nodes
    from_begin: Nodes
    from_end: Nodes
    paths: Volumes
    """Number of shortest paths to the link's tail."""

    @classmethod
    def of(cls, link: int, incident: IncidentLinks, network: Network) -> "Ends":
        """Compute the distances for a link."""
        begin, end = int(network.src[link]), int(network.dst[link])
        rooms = [path_scratch(network) for _ in range(4)]
        for room, (adjacency, vertex) in zip(rooms, product(incident, (begin, end)), strict=True):
            count_paths(vertex, adjacency, room, -1)
        to_begin, to_end, from_begin, from_end = (room.distance for room in rooms)
        for distance, vertex in ((to_begin, begin), (from_end, end)):
            if vertex < network.closed:
                distance[np.arange(network.vertices) != vertex] = FAR
        return cls(end, to_begin, to_end, from_begin, from_end, rooms[0].paths)

    def may_cross(self, src: Nodes, dst: Nodes) -> Flags:
        """Return which flows may cross: the link leads away from the source and towards the destination."""
        farther = (self.to_begin[src] != FAR) & (self.to_end[src] == self.to_begin[src] + 1)
        nearer = (self.from_end[dst] != FAR) & (self.from_begin[dst] == self.from_end[dst] + 1)
        return np.asarray(farther & nearer & (src != dst))


class SingleRouter(MinimalRouter):
    """One path for each pair."""

    roles = ("only next hop", "lowest ID of several next hops")
    equal = False
    denominator = 1

    def hop_portions(self, src: Nodes, dst: Nodes) -> Iterator[Hops]:
        """Yield all hops of flows, hop after hop."""
        for which, row, (chosen,) in self.rows.portions(dst):
            hops = walk(src[which], dst[which], row, chosen, self.network.dst)
            yield hops._replace(flow=which[hops.flow])

    def distance(self, src: Nodes, dst: Nodes) -> FixedPoint:
        """Return the distance of each pair of nodes, -1 if there is no path."""
        hops = np.zeros(src.size, np.int64)
        for which, row, (chosen,) in self.rows.portions(dst):
            hops[which] = count_hops(src[which], dst[which], row, chosen, self.network.dst)
        return hops

    def _crossed(self, link: int, ends: Ends, src: Nodes, dst: Nodes) -> tuple[Volumes, Marks]:
        shares, marks = np.zeros(src.size), np.zeros(src.size, np.int8)
        for hops in self.hop_portions(src, dst):
            crosses = hops.link == link
            flow = hops.flow[crosses]
            shares[flow], marks[flow] = 1.0, hops.role[crosses]
        return shares, marks


class EqualRouter(MinimalRouter):
    """Every shortest path carries the same volume."""

    roles = ("on every shortest path", "on some shortest paths")
    equal = shift_invariant = memoryless = True

    @cached_property
    def denominator(self) -> int | None:
        """Return the least common multiple of the numbers of paths, on networks where these are quickly known."""
        network = self.network
        if not self.rows.complete or network.nodes * network.links > AHEAD:
            return None
        node = np.arange(network.nodes, dtype=np.int32)
        _, _, (_, paths) = next(self.rows.portions(node))
        counts = distinct(paths[:, : network.nodes])
        return _common(counts[counts > 0].tolist())

    def hop_portions(self, src: Nodes, dst: Nodes) -> Iterator[Hops]:
        """Yield all hops of flows, from the source on.

        Raises SpecError: if there are more paths than can be counted.
        """
        for which, row, (distance, paths) in self.rows.portions(dst):
            self._check(paths, row, src[which])
            hops = spread(src[which], dst[which], row, distance, paths, self.incident.out_links)
            yield hops._replace(flow=which[hops.flow])

    def distance(self, src: Nodes, dst: Nodes) -> FixedPoint:
        """Return the distance of each pair of nodes, -1 if there is no path."""
        distances = np.zeros(src.size, np.int64)
        for which, row, (distance, _) in self.rows.portions(dst):
            hops = distance[row, src[which]]
            distances[which] = np.where(hops == FAR, -1, hops)
        return distances

    def _crossed(self, link: int, ends: Ends, src: Nodes, dst: Nodes) -> tuple[Volumes, Marks]:
        shares, marks = np.zeros(src.size), np.zeros(src.size, np.int8)
        for which, row, (distance, paths) in self.rows.portions(dst):
            self._check(paths, row, src[which])
            shares[which], marks[which] = crossed_shares(
                ends.end, src[which], dst[which], row, distance, paths, ends.to_begin, ends.paths
            )
        return shares, marks

    def _check(self, paths: Volumes, row: FixedPoint, src: Nodes) -> None:
        if (paths[row, src] > MAX_PATHS).any():
            raise too_many_paths()


def _common(counts: list[float]) -> int | None:
    common = 1
    for count in counts:
        common = lcm(common, int(count)) if count <= MAX_PARTS else MAX_PARTS + 1
        if common > MAX_PARTS:
            return None
    return common


def in_parts(hops: Hops, volume: FixedPoint, parts: int | None) -> Traced:
    """Return the loads of flows whose shares are multiples of 1 / `parts`, or, if None, rounded one by one."""
    if parts is None:
        return hops.traced(volume)
    return Traced(hops.link.astype(np.int32, copy=False), _whole_shares(hops, parts) * (volume // parts)[hops.flow])


def _whole_shares(hops: Hops, denominator: int) -> FixedPoint:
    return np.rint(hops.share * denominator).astype(np.int64)
