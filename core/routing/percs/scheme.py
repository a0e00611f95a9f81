"""Direct and indirect routing on PERCS; the wiring is described in `core.network.families.percs`.

Source: Chakaravarthy et al., "Mapping strategies for the PERCS architecture", 2012, section 2.

Flows are summed before they are expanded. Which node of supernode a a D-link towards b leaves depends only on b mod W,
so flows are summed by (node, partner supernode mod W) and by pair of supernodes; the loads of all links follow from
these sums with a few array operations, for any number of flows.
"""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np

from core.kernels import kernel, plain
from core.network.families.percs import Percs, local_links, remote_pairs
from core.network.linked_groups import LinkedGroups
from core.network.network import Network
from core.routing.flows import FixedPoint, Flags, Ints, NodeFlows, Nodes, Traced, Volumes
from core.routing.percs.least_loads import (
    bucket_load,
    bucket_sets,
    coarse_groups,
    direct_load,
    indirect_load,
    inside_load,
    with_middle,
)
from core.routing.percs.tables import direct_tables, indirect_tables, inside_tables
from core.routing.percs.trace import trace_direct, trace_indirect
from core.routing.percs.wiring import d_link, l_link, wiring_of
from core.routing.route_tables import MAX_ENTRIES, RouteTable, RouteTables, all_hops, concatenated
from core.routing.router import LinkSet, Partition, Route, Router, RoutingSpec
from core.spec import Progress, declare, no_progress

ROLES = (
    "intra-supernode, first hop",
    "intra-supernode, second hop",
    "first L-hop",
    "first D-hop",
    "middle L-hop",
    "second D-hop",
    "last L-hop",
)
INTRA_FIRST, INTRA_SECOND, L_FIRST, D_FIRST, L_MIDDLE, D_SECOND, L_LAST = range(len(ROLES))


class PercsRouting(RoutingSpec, frozen=True):
    """Common parts of direct and indirect routing."""

    intra: Annotated[
        Literal["striped", "single-hop"],
        declare("In supernodes", "striped over the nodes of the source's drawer, or a single hop over the direct link"),
    ] = "striped"

    def check(self, network: Network) -> Percs:
        """Return the spec of a PERCS network."""
        return self.of_family(network, Percs, "percs")


class PercsDirect(PercsRouting, frozen=True, tag="percs-direct"):
    """Direct: L-D-L paths, spread over the D links between the two supernodes."""

    title: ClassVar[str] = "Direct"

    def router(self, network: Network) -> Router:
        """Return the router."""
        return DirectRouter(network, self.check(network), self.intra == "striped")

    def summary(self) -> str:
        """Return the paths in words."""
        return f"L-D-L over all buckets, {self.intra} within supernodes"


class PercsIndirect(PercsRouting, frozen=True, tag="percs-indirect"):
    """Indirect: L-D-L-D-L paths, spread over all D links that leave the source's supernode."""

    title: ClassVar[str] = "Indirect"

    count_middle_hop: Annotated[
        bool, declare("Count the middle L-hop", "whether the hop inside the intermediate supernode adds load")
    ] = True

    def router(self, network: Network) -> Router:
        """Return the router."""
        return IndirectRouter(network, self.check(network), self.intra == "striped", self.count_middle_hop)

    def summary(self) -> str:
        """Return the paths in words."""
        return f"over all intermediate supernodes, {self.intra} within supernodes"


class SupernodeTally(NamedTuple):
    """Flows summed as far as PERCS routing does not distinguish them."""

    intra: Volumes
    """(supernodes, n, n) from node to node of one supernode."""
    out: Volumes
    """(supernodes, n, W) from a node to supernodes equal mod W."""
    into: Volumes
    """(supernodes, n, W) to a node from supernodes equal mod W."""
    between: Volumes
    """(supernodes, supernodes)"""


@kernel
def _add(src: Nodes, dst: Nodes, volume: Volumes, size: int, tally: SupernodeTally) -> None:
    # Unpacked before the loop: numba counts references for each read of a tuple.
    intra, out, into, between = tally
    w = out.shape[2]
    for i in range(src.size):
        s, d = src[i], dst[i]
        a, b = s // size, d // size
        u, v = s - a * size, d - b * size
        if a != b:
            out[a, u, b % w] += volume[i]
            into[b, v, a % w] += volume[i]
            between[a, b] += volume[i]
        elif u != v:
            intra[a, u, v] += volume[i]


class PercsRouter(Router):
    """Common parts of both routers: the wiring, and the paths inside a supernode."""

    roles = ROLES
    lane_of_role = (0, 1, 0, 0, 1, 1, 1)  # after a hop of each kind the next lane
    indirect = False

    def __init__(self, network: Network, spec: Percs, striped: bool, count_middle: bool = False) -> None:
        super().__init__(network)
        self.striped = striped
        self.ns, self.nd, self.w = spec.supernodes, spec.d_links, spec.bucket
        self.size, self.mates = spec.nodes_per_supernode, spec.nodes_per_drawer
        self._local, self._pairs = local_links(spec), remote_pairs(spec.supernodes)
        self.wiring = wiring_of(spec, striped, self.indirect, count_middle)

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link."""
        shapes = (self.size, self.size), (self.size, self.w), (self.size, self.w), (self.ns,)
        tally = SupernodeTally(*(np.zeros((self.ns, *shape)) for shape in shapes))
        for block in flows:
            _add(*block, self.size, tally)
        local, far = self._remote(tally)
        local = local.reshape(self.ns, self.size, self.size)
        local += self._inside(tally.intra)
        flat, far_flat = local.reshape(self.ns, -1), far.reshape(-1, self.nd)
        parts = [*(flat.take(links, axis=1) for links in self._local), far_flat.take(self._pairs, axis=0)]
        return np.concatenate([part.ravel() for part in parts])

    def route_tables(self) -> RouteTables | None:
        """Return the tables inside a supernode, and between two, or None on machines larger than any built."""
        if self.network.nodes * self.ns * self.nd > MAX_ENTRIES // 4:
            return None
        denominator = self.parts
        assert denominator is not None
        tables = [*inside_tables(self.wiring, denominator), *self._tables_between(denominator)]
        return concatenated(tables, denominator, np.arange(self.network.nodes) // self.size)

    @abstractmethod
    def _tables_between(self, denominator: int) -> list[RouteTable]:
        """Return the tables of pairs in two supernodes."""

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the number of links that a unit crosses, from the tables."""
        tables = self._hop_tables
        return all_hops(tables, src, dst) if tables is not None else super().hops(src, dst)

    @cached_property
    def _hop_tables(self) -> RouteTables | None:
        """The tables without links, cached because they are read phase by phase."""
        tables, nothing = self.route_tables(), np.zeros(0, np.int64)
        return (
            None if tables is None else tables._replace(start=nothing, links=nothing.astype(np.int32), shares=nothing)
        )

    @abstractmethod
    def _remote(self, tally: SupernodeTally) -> tuple[Volumes, Volumes]:
        """Return the loads between supernodes on ``(ns, n, n)`` L-links and ``(ns, ns, nd)`` D-links."""

    def _inside(self, intra: Volumes) -> Volumes:
        if not self.striped:
            return intra
        mates, drawers = self.mates, self.size // self.mates
        # u -> x for every x of u's drawer, then x -> v; x = u and x = v are on the diagonal, which is not a link.
        passed = intra.reshape(self.ns, drawers, mates, self.size).sum(axis=2) / mates
        loads = np.repeat(passed, mates, axis=1)
        sent = (intra.sum(axis=2) / mates).reshape(self.ns, drawers, mates, 1)
        diagonal = np.arange(drawers)
        by_drawer = loads.reshape(self.ns, drawers, mates, drawers, mates)
        by_drawer[:, diagonal, :, diagonal, :] += sent.transpose(1, 0, 2, 3)
        return loads

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair, path by path."""
        if u == v:
            return Route.of([], [], [])
        ends = *divmod(u, self.size), *divmod(v, self.size)
        hops = self._paths_inside(*ends) if ends[0] == ends[2] else self._paths_between(*ends)
        # (paths, hops)
        links = np.transpose(list(hops.values()))
        path, hop = np.nonzero(links >= 0)
        return Route(links[path, hop], np.full(path.size, 1 / len(links)), np.array(list(hops))[hop], path)

    def _paths_inside(self, a: int, u: int, b: int, v: int) -> dict[int, Ints]:
        """Return by role the link of every path between two nodes of a supernode, -1 for a missing hop."""
        if not self.striped:
            return {INTRA_FIRST: np.array([plain(l_link)(a, u, v, self.wiring)])}
        x = u // self.mates * self.mates + np.arange(self.mates)
        return {INTRA_FIRST: plain(l_link)(a, u, x, self.wiring), INTRA_SECOND: plain(l_link)(a, x, v, self.wiring)}

    @abstractmethod
    def _paths_between(self, a: int, u: int, b: int, v: int) -> dict[int, Ints]:
        """Return by role the link of every path from node u of supernode a to node v of another supernode b."""

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link` in each role."""
        shares = np.zeros((len(ROLES), src.size))
        (a, u), (b, v) = np.divmod(src, self.size), np.divmod(dst, self.size)
        (x, p), (y, q) = (divmod(int(ends[link]), self.size) for ends in (self.network.src, self.network.dst))
        remote = a != b
        if x != y:
            self._cross_d_link(shares, a == x, b == y, remote)
            return shares
        inside = (a == x) & (b == x) & (u != v)
        if self.striped:
            shares[INTRA_FIRST] = inside & (u == p) & (p // self.mates == q // self.mates)
            shares[INTRA_SECOND] = inside & (v == q) & (u // self.mates == p // self.mates)
            shares[: INTRA_SECOND + 1] /= self.mates
        else:
            shares[INTRA_FIRST] = inside & (u == p) & (v == q)
        shares[L_FIRST] = (remote & (a == x) & (u == p)) * self._by_gate(q, b)
        shares[L_LAST] = (remote & (b == x) & (v == q)) * self._by_gate(p, a)
        if self.wiring.middle and p // self.w == q // self.w:
            passes = remote & (a % self.w == p % self.w) & (b % self.w == q % self.w)
            shares[L_MIDDLE] = passes / (self.ns * self.nd)
        return shares

    @abstractmethod
    def _cross_d_link(self, shares: Volumes, leaves: Flags, reaches: Flags, remote: Flags) -> None:
        """Fill in the D-hops over a link from the supernode that flows leave to the one they reach."""

    @abstractmethod
    def _by_gate(self, gate: int, other: Nodes) -> Volumes:
        """Return the share of flows that passes a gate of their supernode; `other` is the gate of their other end."""

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the levels of more than one group, and the single nodes."""
        levels = [(level.name, level.nodes_per_group, level.count) for level in self.network.levels]
        levels.append(("node", 1, self.network.nodes))
        sets = self.link_sets()
        least = [{name: load for name, load in self.least_load(k).items() if name in sets} for k in range(len(levels))]
        return (tuple(Partition(*level, least[k]) for k, level in enumerate(levels) if level[2] > 1),)

    @abstractmethod
    def least_load(self, level: int) -> dict[str, float]:
        """Return the minimum load of a unit whose ends first differ at a level: 0 supernode, 1 drawer, 2 node."""


class DirectRouter(PercsRouter):
    """1/nd of a flow over each bucket: L, D, L."""

    @property
    def linked_groups(self) -> LinkedGroups | None:
        """Return the supernodes, None if there is only one."""
        groups = self.network.spec.linked_groups()
        return None if groups is None else replace(groups, striped=self.striped)

    def _remote(self, tally: SupernodeTally) -> tuple[Volumes, Volumes]:
        shape, square = (self.ns, self.size, self.nd, self.w), (self.ns, self.size, self.size)
        leaving = np.broadcast_to(tally.out[:, :, None, :] / self.nd, shape).reshape(square)
        arriving = np.broadcast_to(tally.into[:, :, None, :] / self.nd, shape).reshape(square)
        far = np.repeat(tally.between / self.nd, self.nd)
        return leaving + arriving.transpose(0, 2, 1), far

    def _paths_between(self, a: int, u: int, b: int, v: int) -> dict[int, Ints]:
        j = np.arange(self.nd)
        return {
            L_FIRST: plain(l_link)(a, u, j * self.w + b % self.w, self.wiring),
            D_FIRST: plain(d_link)(a, b, j, self.wiring),
            L_LAST: plain(l_link)(b, j * self.w + a % self.w, v, self.wiring),
        }

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow."""
        return Traced(*trace_direct(src, dst, volume, self.wiring))

    def updates(self, flows: int) -> int:
        """Return three hops for each bucket, or the hops inside a supernode."""
        return flows * max(3 * self.nd, 2 * self.mates if self.striped else 1)

    def _cross_d_link(self, shares: Volumes, leaves: Flags, reaches: Flags, remote: Flags) -> None:
        shares[D_FIRST] = (leaves & reaches) / self.nd

    def _by_gate(self, gate: int, other: Nodes) -> Volumes:
        return np.asarray((other % self.w == gate % self.w) / self.nd)

    def _tables_between(self, denominator: int) -> list[RouteTable]:
        return direct_tables(self.wiring, denominator)

    def least_load(self, level: int) -> dict[str, float]:
        """Return the load of a path L, D, L, or of a path inside a supernode."""
        return inside_load(level, self.striped, self.mates) if level else direct_load(self.nd, self.w, self.mates)

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the levels and the nodes; flows between two supernodes share their nd D-links."""
        ((first, *others),) = super().partitions()
        return ((first._replace(gates=LinkSet("D", self.nd)) if self.ns > 1 else first, *others),)

    def share_quantum(self, name: str) -> Fraction:
        """Return 1/nd for D-links; L-links also carry flows in a supernode, split by the nodes of a drawer."""
        return Fraction(1, self.nd if name == "D" or not self.striped else lcm(self.nd, self.mates))


class IndirectRouter(PercsRouter):
    """1/(ns nd) of a flow over each D-link (x, j) of its supernode: L, D to x, L, D, L; one bucket j."""

    lane_of_role = (0, 1, 0, 0, 1, 1, 2)
    indirect = True

    def __init__(self, network: Network, spec: Percs, striped: bool, count_middle: bool) -> None:
        super().__init__(network, spec, striped, count_middle)
        self.share = 1 / (self.ns * self.nd)
        # The supernode and the bucket of every path.
        self._over = np.indices((self.ns, self.nd)).reshape(2, -1)
        self._in_bucket = bucket_sets(self.ns, self.size, self.w, self.mates, striped) if count_middle else {}

    def _remote(self, tally: SupernodeTally) -> tuple[Volumes, Volumes]:
        served = np.tile(self.wiring.served, self.nd) * self.share
        local = tally.out.sum(axis=2)[:, :, None] * served + served[:, None] * tally.into.sum(axis=2)[:, None, :]
        if self.wiring.middle:
            local += self._middle(tally.between)
        sent, received = tally.between.sum(axis=1), tally.between.sum(axis=0)
        far = (sent[:, None] + received[None, :]) * self.share
        return local, np.asarray(np.repeat(far, self.nd), np.float64)

    def _middle(self, between: Volumes) -> Volumes:
        # Volume from supernodes equal w mod W to supernodes equal w' passes every supernode, from gate w to w'.
        mod = np.arange(self.ns) % self.w
        folded = np.zeros((self.w, self.w))
        np.add.at(folded, (mod[:, None], mod[None, :]), between * self.share)
        return np.asarray(np.kron(np.eye(self.nd), folded), np.float64)

    def _paths_between(self, a: int, u: int, b: int, v: int) -> dict[int, Ints]:
        x, j = self._over
        first = j * self.w
        middle = {L_MIDDLE: plain(l_link)(x, first + a % self.w, first + b % self.w, self.wiring)}
        return {
            L_FIRST: plain(l_link)(a, u, first + x % self.w, self.wiring),
            D_FIRST: plain(d_link)(a, x, j, self.wiring),
            **(middle if self.wiring.middle else {}),
            D_SECOND: plain(d_link)(x, b, j, self.wiring),
            L_LAST: plain(l_link)(b, first + x % self.w, v, self.wiring),
        }

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the sums of all flows by node, supernode and pair of gates, on their links, without zero sums."""
        return Traced(*trace_indirect(src, dst, volume, self.wiring))

    def updates(self, flows: int) -> int:
        """Return the gates at both ends, the D-links there and the middle hops, each sum at most once."""
        far = self.ns * self.nd
        each, once = 2 * self.size + 3 * far, 2 * self.network.links
        return min(flows * each, 2 * self.mates * flows + once)

    def _cross_d_link(self, shares: Volumes, leaves: Flags, reaches: Flags, remote: Flags) -> None:
        shares[D_FIRST] = (remote & leaves) * self.share
        shares[D_SECOND] = (remote & reaches) * self.share

    def _by_gate(self, gate: int, other: Nodes) -> Volumes:
        return np.full(other.size, self.wiring.served[gate % self.w] * self.share)

    def _tables_between(self, denominator: int) -> list[RouteTable]:
        return indirect_tables(self.wiring, denominator)

    def least_load(self, level: int) -> dict[str, float]:
        """Return the load of a path L, D, L, D, L without the middle hop, or of a path inside a supernode."""
        load = (
            inside_load(level, self.striped, self.mates)
            if level
            else indirect_load(self.wiring.served, self.ns, self.nd, self.mates)
        )
        return {**load, **(bucket_load(level, self.w, self.size, self.mates) if self._in_bucket else {})}

    def link_sets(self) -> dict[str, LinkSet]:
        """Return the classes, and the L-links that alone carry middle hops."""
        return {**super().link_sets(), **self._in_bucket}

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the levels and the nodes, and before them the groups that the middle L-hop distinguishes."""
        ((first, *others),) = super().partitions()
        if self.ns == 1:
            return ((first, *others),)
        coarse = coarse_groups(self.ns, self.w, self.mates) if self.wiring.middle else []
        return ((*with_middle(first, coarse, self._in_bucket), *others),)

    def share_quantum(self, name: str) -> Fraction:
        """Return 1/(ns nd); L-links also carry flows in a supernode, split by the nodes of a drawer."""
        paths = self.ns * self.nd
        return Fraction(1, paths if name == "D" or not self.striped else lcm(paths, self.mates))
