"""Direct and indirect routing on PERCS; wiring in `core.network.families.percs`.

Source: Chakaravarthy et al., "Mapping strategies for the PERCS architecture", 2012, section 2.

Traffic is tallied before it is expanded. Which node of supernode a a D-link towards b leaves depends on b mod
W only, so the flows are summed per (node, partner supernode mod W) and per supernode pair; the loads of all
links follow from these sums with a few array operations, whatever the number of flows.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.families.percs import DRAWER, SUPERNODE, Percs, local_links, remote_pairs
from core.network.network import Network
from core.routing.flows import FixedPoint, NodeFlows, Nodes, Traced, Volumes
from core.routing.percs.least_loads import (
    bucket_load,
    bucket_sets,
    coarse_groups,
    direct_load,
    indirect_load,
    inside_load,
    with_middle,
)
from core.routing.percs.tables import Wiring
from core.routing.percs.trace import trace_direct, trace_indirect
from core.routing.route_tables import MAX_ENTRIES, RouteTable, RouteTables, all_hops, concatenated
from core.routing.router import LinkSet, Partition, Route, Router, RoutingSpec
from core.spec import Progress, SpecError, declare, no_progress

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

Intra = Annotated[
    Literal["striped", "single-hop"],
    declare("In a supernode", "striped over the 8 nodes of the source's drawer, or the one direct link"),
]
Hop = tuple[int, float, int]
"""Link, share, role."""


class PercsDirect(RoutingSpec, frozen=True, tag="percs-direct"):
    """Direct: L - D - L, spread over the D-links between the two supernodes."""

    title: ClassVar[str] = "Direct"

    intra: Intra = "striped"

    def router(self, network: Network) -> Router:
        """Return the router.

        Raises SpecError: on networks other than PERCS.
        """
        return DirectRouter(network, percs_of(network, "percs-direct"), self.intra == "striped")

    def check(self, network: Network) -> None:
        """Refuse networks other than PERCS."""
        percs_of(network, "percs-direct")

    def summary(self) -> str:
        """Return the paths in words."""
        return f"L-D-L over every bucket, {self.intra} inside"


class PercsIndirect(RoutingSpec, frozen=True, tag="percs-indirect"):
    """Indirect: L - D - L - D - L, spread over every D-link that leaves the source's supernode."""

    title: ClassVar[str] = "Indirect"

    intra: Intra = "striped"
    count_middle_hop: Annotated[
        bool, declare("Count the middle L-hop", "off: the hop inside the intermediate supernode adds no load")
    ] = True

    def router(self, network: Network) -> Router:
        """Return the router.

        Raises SpecError: on networks other than PERCS.
        """
        spec = percs_of(network, "percs-indirect")
        return IndirectRouter(network, spec, self.intra == "striped", self.count_middle_hop)

    def check(self, network: Network) -> None:
        """Refuse networks other than PERCS."""
        percs_of(network, "percs-indirect")

    def summary(self) -> str:
        """Return the paths in words."""
        return f"over every intermediate supernode, {self.intra} inside"


def percs_of(network: Network, scheme: str) -> Percs:
    """Return the network's spec.

    Raises SpecError: on networks other than PERCS.
    """
    if not isinstance(network.spec, Percs):
        raise SpecError(
            "routing.type",
            f"{scheme} routes percs networks only, not {network.spec.tag()}; minimal routes any",
        )
    return network.spec


class Tally:
    """Flows summed as far as PERCS routing tells them apart."""

    def __init__(self, spec: Percs) -> None:
        ns, w = spec.supernodes, spec.bucket
        self.bucket = w
        self.intra = np.zeros((ns, SUPERNODE, SUPERNODE))
        """Volume from node u to node v of one supernode."""
        self.out = np.zeros((ns, SUPERNODE, w))
        """Volume from a node to supernodes equal mod W."""
        self.into = np.zeros((ns, SUPERNODE, w))
        """Volume to a node from supernodes equal mod W."""
        self.between = np.zeros((ns, ns))
        """Volume from supernode to supernode."""

    def add(self, flows: NodeFlows) -> None:
        """Add flows between nodes."""
        _tally(*flows, self.bucket, self.intra, self.out, self.into, self.between)


@kernel
def _tally(
    src: Nodes,
    dst: Nodes,
    volume: Volumes,
    w: int,
    intra: Volumes,
    out: Volumes,
    into: Volumes,
    between: Volumes,
) -> None:
    for i in range(src.size):
        s, d = src[i], dst[i]
        a, b = s // SUPERNODE, d // SUPERNODE
        u, v = s % SUPERNODE, d % SUPERNODE
        if a != b:
            out[a, u, b % w] += volume[i]
            into[b, v, a % w] += volume[i]
            between[a, b] += volume[i]
        elif u != v:
            intra[a, u, v] += volume[i]


class PercsRouter(Router):
    """What direct and indirect routing share: the wiring and the paths inside a supernode."""

    roles = ROLES

    def __init__(self, network: Network, spec: Percs, striped: bool) -> None:
        super().__init__(network)
        self.spec, self.striped = spec, striped
        self.ns, self.nd, self.w = spec.supernodes, spec.d_links, spec.bucket
        self._ll, self._lr = local_links()
        self.lr_start = int(network.link_class("LR").links.start)
        self.d_start = int(network.link_class("D").links.start)
        self.local = np.zeros(SUPERNODE * SUPERNODE, np.int64)
        """(32 * 32,) the place of link 32 u + v among the LL- or LR-links of a supernode."""
        for flat in (self._ll, self._lr):
            self.local[flat] = np.arange(flat.size)
        self._wiring = (self.ns, self.nd, self.striped, self.local, self.lr_start, self.d_start)

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> NDArray[np.float64]:
        """Return the load of every link."""
        tally = Tally(self.spec)
        for block in flows:
            tally.add(block)
        local, far = self._remote(tally)
        local = local.reshape(self.ns, SUPERNODE, SUPERNODE)
        local += self._inside(tally.intra)
        flat = local.reshape(self.ns, -1)
        far_flat = far.reshape(-1, self.nd)[remote_pairs(self.ns)]
        return np.concatenate([flat[:, self._ll].ravel(), flat[:, self._lr].ravel(), far_flat.ravel()])

    def route_tables(self) -> RouteTables | None:
        """Return the tables inside a supernode, and those between two; None on machines larger than any built."""
        if self.network.nodes * self.ns * self.nd > MAX_ENTRIES // 4:
            return None
        wiring = Wiring(self.ns, self.nd, self.local, self.lr_start, self.d_start)
        whole = self.parts
        assert whole is not None
        return concatenated(
            [*wiring.within(self.striped, whole), *self._tables_between(wiring, whole)], whole, wiring.supernode
        )

    @abstractmethod
    def _tables_between(self, wiring: Wiring, whole: int) -> list[RouteTable]:
        """Return the tables of pairs in two supernodes."""

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return how many links a unit crosses, counted table by table."""
        tables = self.route_tables()
        return all_hops(tables, src, dst) if tables is not None else super().hops(src, dst)

    @abstractmethod
    def _remote(self, tally: Tally) -> tuple[Volumes, Volumes]:
        """Return the loads between supernodes on ``(ns, 32, 32)`` L-links and ``(ns, ns, nd)`` D-links."""

    def _inside(self, intra: Volumes) -> Volumes:
        if not self.striped:
            return intra
        drawers = SUPERNODE // DRAWER
        # u -> x for every x of u's drawer, then x -> v; x = u and x = v fall on the diagonal, which is no
        # link.
        sent = intra.sum(axis=2) / DRAWER
        first = np.zeros_like(intra).reshape(self.ns, drawers, DRAWER, drawers, DRAWER)
        diagonal = np.arange(drawers)
        first[:, diagonal, :, diagonal, :] += sent.reshape(self.ns, drawers, DRAWER, 1).transpose(1, 0, 2, 3)
        passed = intra.reshape(self.ns, drawers, DRAWER, SUPERNODE).sum(axis=2) / DRAWER
        return np.asarray(first.reshape(intra.shape) + np.repeat(passed, DRAWER, axis=1))

    def link_inside(self, a: int, u: int, v: int) -> int:
        """Return the L-link from node u to node v of supernode a, u != v."""
        place = int(self.local[u * SUPERNODE + v])
        if u // DRAWER == v // DRAWER:
            return a * self._ll.size + place
        return self.lr_start + a * self._lr.size + place

    def link_between(self, a: int, b: int, j: int) -> int:
        """Return the D-link of bucket j from supernode a to supernode b, a != b."""
        return self.d_start + (a * (self.ns - 1) + b - (b > a)) * self.nd + j

    def gate(self, j: int, b: int) -> int:
        """Return s(j, b), the node of any supernode that the D-link of bucket j towards b leaves."""
        return j * self.w + b % self.w

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair, path by path."""
        hops = list(self._hops(u, v)) if u != v else []
        links, shares, roles = zip(*hops, strict=True) if hops else ((), (), ())
        return Route(np.array(links, np.int64), np.array(shares, np.float64), np.array(roles, np.int64))

    def _hops(self, src: int, dst: int) -> Iterator[Hop]:
        (a, u), (b, v) = divmod(src, SUPERNODE), divmod(dst, SUPERNODE)
        if a != b:
            yield from self._remote_hops(a, u, b, v)
        elif self.striped:
            first = u // DRAWER * DRAWER
            for x in range(first, first + DRAWER):
                yield from self._l_hop(a, u, x, 1 / DRAWER, INTRA_FIRST)
                yield from self._l_hop(a, x, v, 1 / DRAWER, INTRA_SECOND)
        else:
            yield from self._l_hop(a, u, v, 1.0, INTRA_FIRST)

    def _l_hop(self, a: int, u: int, v: int, share: float, role: int) -> Iterator[Hop]:
        if u != v:
            yield self.link_inside(a, u, v), share, role

    def _d_hop(self, a: int, b: int, j: int, share: float, role: int) -> Iterator[Hop]:
        if a != b:
            yield self.link_between(a, b, j), share, role

    @abstractmethod
    def _remote_hops(self, a: int, u: int, b: int, v: int) -> Iterator[Hop]:
        """Yield the hops between node u of supernode a and node v of another supernode b."""

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> NDArray[np.float64]:
        """Return the share of each flow that crosses `link` in each role."""
        shares = np.zeros((len(ROLES), src.size))
        (a, u), (b, v) = np.divmod(src, SUPERNODE), np.divmod(dst, SUPERNODE)
        (x, p), (y, q) = (
            divmod(int(self.network.src[link]), SUPERNODE),
            divmod(int(self.network.dst[link]), SUPERNODE),
        )
        remote = a != b
        if x != y:
            self._far_crossing(shares, (x, y), a, b, remote)
            return shares
        inside = (a == x) & (b == x) & (u != v)
        if self.striped:
            shares[INTRA_FIRST] = inside & (u == p) & (p // DRAWER == q // DRAWER)
            shares[INTRA_SECOND] = inside & (v == q) & (u // DRAWER == p // DRAWER)
            shares[: INTRA_SECOND + 1] /= DRAWER
        else:
            shares[INTRA_FIRST] = inside & (u == p) & (v == q)
        leaves, reaches = remote & (a == x) & (u == p), remote & (b == x) & (v == q)
        self._near_crossing(shares, (p, q), (a, b), leaves, reaches, remote)
        return shares

    @abstractmethod
    def _far_crossing(
        self, shares: Volumes, ends: tuple[int, int], a: Nodes, b: Nodes, remote: NDArray[np.bool_]
    ) -> None:
        """Fill in the D-hops over a D-link between the supernodes `ends`."""

    @abstractmethod
    def _near_crossing(
        self,
        shares: Volumes,
        ends: tuple[int, int],
        supernodes: tuple[Nodes, Nodes],
        leaves: NDArray[np.bool_],
        reaches: NDArray[np.bool_],
        remote: NDArray[np.bool_],
    ) -> None:
        """Fill in the L-hops over the L-link `ends`; flows that `leaves` start, that `reaches` end at it."""

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the levels, and the nodes themselves."""
        levels = [(level.name, level.nodes_per_group, level.count) for level in self.network.levels]
        levels.append(("node", 1, self.network.nodes))
        return (tuple(Partition(*level, self.least_load(k)) for k, level in enumerate(levels)),)

    @abstractmethod
    def least_load(self, level: int) -> dict[str, float]:
        """Return the least load of a unit whose ends first differ at a level: 0 supernode, 1 drawer, 2 node."""


class DirectRouter(PercsRouter):
    """1/nd of a flow over each bucket: L, D, L."""

    def _remote(self, tally: Tally) -> tuple[Volumes, Volumes]:
        shape = (self.ns, SUPERNODE, self.nd, self.w)
        leaving = np.broadcast_to(tally.out[:, :, None, :] / self.nd, shape).reshape(self.ns, SUPERNODE, SUPERNODE)
        arriving = np.broadcast_to(tally.into[:, :, None, :] / self.nd, shape).reshape(self.ns, SUPERNODE, SUPERNODE)
        far = np.repeat(tally.between / self.nd, self.nd)
        return leaving + arriving.transpose(0, 2, 1), far

    def _remote_hops(self, a: int, u: int, b: int, v: int) -> Iterator[Hop]:
        share = 1 / self.nd
        for j in range(self.nd):
            yield from self._l_hop(a, u, self.gate(j, b), share, L_FIRST)
            yield from self._d_hop(a, b, j, share, D_FIRST)
            yield from self._l_hop(b, self.gate(j, a), v, share, L_LAST)

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow."""
        return Traced(*trace_direct(src, dst, volume, *self._wiring))

    def updates(self, flows: int) -> int:
        """Return three hops for each bucket, or those inside a supernode."""
        return flows * max(3 * self.nd, 2 * DRAWER if self.striped else 1)

    def _far_crossing(
        self, shares: Volumes, ends: tuple[int, int], a: Nodes, b: Nodes, remote: NDArray[np.bool_]
    ) -> None:
        shares[D_FIRST] = ((a == ends[0]) & (b == ends[1])) / self.nd

    def _near_crossing(
        self,
        shares: Volumes,
        ends: tuple[int, int],
        supernodes: tuple[Nodes, Nodes],
        leaves: NDArray[np.bool_],
        reaches: NDArray[np.bool_],
        remote: NDArray[np.bool_],
    ) -> None:
        shares[L_FIRST] = (leaves & (supernodes[1] % self.w == ends[1] % self.w)) / self.nd
        shares[L_LAST] = (reaches & (supernodes[0] % self.w == ends[0] % self.w)) / self.nd

    def _tables_between(self, wiring: Wiring, whole: int) -> list[RouteTable]:
        return wiring.direct(whole)

    def least_load(self, level: int) -> dict[str, float]:
        """Return the load of a path L, D, L, or of one inside a supernode."""
        return inside_load(level, self.striped) if level else direct_load(self.nd)

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the levels and the nodes; what goes from supernode to supernode shares their nd D-links."""
        return tuple((first._replace(gates=LinkSet("D", self.nd)), *others) for first, *others in super().partitions())

    def share_quantum(self, name: str) -> Fraction:
        """Return 1/nd for D-links; L-links also carry eighths of flows inside a supernode."""
        if name == "D":
            return Fraction(1, self.nd)
        return Fraction(1, max(self.nd, DRAWER if self.striped else 1))


class IndirectRouter(PercsRouter):
    """1/(ns nd) of a flow over each D-link (x, j) of its supernode: L, D to x, L, D, L; one bucket j."""

    def __init__(self, network: Network, spec: Percs, striped: bool, count_middle: bool) -> None:
        super().__init__(network, spec, striped)
        self.count_middle = count_middle
        self.share = 1 / (self.ns * self.nd)
        self._served = np.bincount(np.arange(self.ns) % self.w, minlength=self.w)
        """How many supernodes each gate of a bucket serves."""
        self._in_bucket = bucket_sets(self.ns, self.nd, striped) if count_middle else {}

    def _remote(self, tally: Tally) -> tuple[Volumes, Volumes]:
        served = np.tile(self._served, self.nd) * self.share
        local = tally.out.sum(axis=2)[:, :, None] * served + served[:, None] * tally.into.sum(axis=2)[:, None, :]
        if self.count_middle:
            local += self._middle(tally.between)
        sent, received = tally.between.sum(axis=1), tally.between.sum(axis=0)
        far = (sent[:, None] + received[None, :]) * self.share
        return local, np.asarray(np.repeat(far, self.nd), np.float64)

    def _middle(self, between: Volumes) -> Volumes:
        # Volume from supernodes equal w mod W to those equal w' passes every supernode, from gate w to w'.
        mod = np.arange(self.ns) % self.w
        folded = np.zeros((self.w, self.w))
        np.add.at(folded, (mod[:, None], mod[None, :]), between * self.share)
        return np.asarray(np.kron(np.eye(self.nd), folded), np.float64)

    def _remote_hops(self, a: int, u: int, b: int, v: int) -> Iterator[Hop]:
        for x in range(self.ns):
            for j in range(self.nd):
                yield from self._l_hop(a, u, self.gate(j, x), self.share, L_FIRST)
                yield from self._d_hop(a, x, j, self.share, D_FIRST)
                if self.count_middle:
                    yield from self._l_hop(x, self.gate(j, a), self.gate(j, b), self.share, L_MIDDLE)
                yield from self._d_hop(x, b, j, self.share, D_SECOND)
                yield from self._l_hop(b, self.gate(j, x), v, self.share, L_LAST)

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the sums of all flows, per node, supernode and pair of gates, on their links; sums of 0 have none."""
        return Traced(*trace_indirect(src, dst, volume, *self._wiring, self._served, self.count_middle))

    def updates(self, flows: int) -> int:
        """Return the gates at both ends, the D-links there and the middle hops, but no sum more than once."""
        far = self.ns * self.nd
        each, once = 2 * SUPERNODE + 3 * far, 2 * self.network.links
        return min(flows * each, 2 * DRAWER * flows + once)

    def _far_crossing(
        self, shares: Volumes, ends: tuple[int, int], a: Nodes, b: Nodes, remote: NDArray[np.bool_]
    ) -> None:
        shares[D_FIRST] = (remote & (a == ends[0])) * self.share
        shares[D_SECOND] = (remote & (b == ends[1])) * self.share

    def _near_crossing(
        self,
        shares: Volumes,
        ends: tuple[int, int],
        supernodes: tuple[Nodes, Nodes],
        leaves: NDArray[np.bool_],
        reaches: NDArray[np.bool_],
        remote: NDArray[np.bool_],
    ) -> None:
        (p, q), (a, b) = ends, supernodes
        shares[L_FIRST] = leaves * (self._served[q % self.w] * self.share)
        shares[L_LAST] = reaches * (self._served[p % self.w] * self.share)
        if self.count_middle and p // self.w == q // self.w:
            shares[L_MIDDLE] = (remote & (a % self.w == p % self.w) & (b % self.w == q % self.w)) * self.share

    def _tables_between(self, wiring: Wiring, whole: int) -> list[RouteTable]:
        return wiring.indirect(self._served, self.count_middle, whole)

    def least_load(self, level: int) -> dict[str, float]:
        """Return the load of a path L, D, L, D, L, middle hop left out, or of one inside a supernode."""
        load = inside_load(level, self.striped) if level else indirect_load(self._served, self.ns, self.nd)
        return {**load, **(bucket_load(level, self.w) if self._in_bucket else {})}

    def link_sets(self) -> dict[str, LinkSet]:
        """Return the classes, and the L-links that alone carry middle hops."""
        return {**super().link_sets(), **self._in_bucket}

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the levels and the nodes, and before them what the middle L-hop tells apart."""
        ((first, *others),) = super().partitions()
        coarse = coarse_groups(self.ns, self.w) if self.count_middle else []
        return ((*with_middle(first, coarse, self._in_bucket), *others),)

    def share_quantum(self, name: str) -> Fraction:
        """Return 1/(ns nd); L-links also carry eighths of flows inside a supernode."""
        whole = self.ns * self.nd
        return Fraction(1, whole if name == "D" or not self.striped else int(np.lcm(whole, DRAWER)))
