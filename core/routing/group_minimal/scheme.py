"""Minimal routing on networks with direct links between all groups, such as dragonflies.

A flow inside a group takes the shortest paths inside it. A flow between groups goes to a router with a link to the
target group, over that link, and on inside the target group: local, global, local. So it takes at most one global link,
while a path with the fewest hops may take two, through a third group.

Equal: all direct links between two groups carry the same share of each flow. Single: each flow takes the direct link
nearest to its source (ties: the lowest ID). On both sides of the direct link the paths follow `minimal` with the same
spread.

With failed links, a direct link serves the places that reach it inside their group. Flows that no direct link serves,
and flows inside a disconnected group, take the shortest paths of the remaining network.

Source: Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", 2008, minimal routing.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Annotated, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.linked_groups import LinkedGroups
from core.network.network import Network, NetworkSpec
from core.routing.flows import FixedPoint, Flags, Hops, NodeFlows, Nodes, Traced, Volumes
from core.routing.group_minimal.tables import Routed, tables_by_group, tables_by_pair
from core.routing.group_minimal.wiring import NONE, Fan, GroupWiring, Shares
from core.routing.hop_list import HopListRouter
from core.routing.minimal.scheme import (
    MAX_PARTS,
    SAMPLES,
    EqualRouter,
    GeneralRouting,
    Minimal,
    MinimalRouter,
    SingleRouter,
    in_parts,
)
from core.routing.route_tables import RouteTables
from core.routing.router import LinkSet, Partition
from core.spec import Progress, SpecError, declare, no_progress

ROLES = ("within the group", "to a global link", "global link", "from the global link", "around failed global links")
INSIDE, TO, ACROSS, FROM, AROUND = range(len(ROLES))
DISTANCES_AT_ONCE = 1 << 22
"""Distances to direct links computed at once."""


class GroupMinimal(GeneralRouting, frozen=True, tag="group-minimal"):
    """Minimal by groups: at most one global link per path, with shortest paths inside the source and target groups.

    For networks with a link between every two groups. With failed links, flows use the remaining links to the target
    group. If none remains, or if a group is disconnected, flows take the shortest paths of the remaining network.
    """

    title: ClassVar[str] = "Group-minimal"

    spread: Annotated[
        Literal["single", "equal"],
        declare(
            "Spread",
            "single (nearest link to the target group, ties to the lowest ID) or equal (equal shares on all)",
        ),
    ] = "equal"

    def check(self, network: Network) -> NetworkSpec:
        """Return the network's spec; refuse networks without direct links between all groups."""
        if not network.spec.groups_joined:
            needed = "needs a direct link between every two groups, as in dragonfly and dragonfly-plus"
            raise SpecError("routing.type", f"group-minimal {needed}, not in {network.spec.tag()}; choose minimal")
        return super().check(network)

    def router(self, network: Network) -> "GroupRouter":
        """Return the router."""
        self.check(network)
        return SingleGroupRouter(network) if self.spread == "single" else EqualGroupRouter(network)

    def alternative(self) -> Minimal:
        """Return minimal routing with the same spread."""
        return Minimal(spread=self.spread)

    def summary(self) -> str:
        """Return the spread in words."""
        where = "the nearest link" if self.spread == "single" else "all links"
        return f"at most one global link, over {where} to the target group"


class Crossing(NamedTuple):
    """The shares of flows between groups."""

    tails: Shares
    """Shares at the places where direct links begin."""
    links: Shares
    """Shares on the direct links."""
    heads: Shares
    """Shares at the places where direct links end."""


class Totals(NamedTuple):
    """Volumes between groups, summed before they are carried; arrays of shape ``(places, zones)``."""

    sent: Volumes
    """From each place to each zone."""
    received: Volumes
    """To each place from each zone."""


class Sorted(NamedTuple):
    """Flows by kind: arrays of indices."""

    inside: NDArray[np.intp]
    across: NDArray[np.intp]
    around: NDArray[np.intp]


class GroupRouter(HopListRouter):
    """Common parts of both spreads. It may be given failed links; flows without a path then load nothing."""

    roles = ROLES
    lane_of_role = (0, 0, 0, 1, 0)
    read_share = 0.5
    minimal: ClassVar[type[MinimalRouter]]
    """The class of the router for paths inside groups."""

    def __init__(self, network: Network, failed: Flags | None = None) -> None:
        super().__init__(network)
        self.failed = failed
        self.wiring = GroupWiring(network, failed)
        self._local = self.minimal(self.wiring.local)

    @cached_property
    def around(self) -> MinimalRouter:
        """Return shortest paths between any vertices of the remaining network."""
        all_vertices = replace(self.network, nodes=self.network.vertices, symmetry=None, find_alike=None)
        return self.minimal(all_vertices, self.failed)

    @abstractmethod
    def _split(self, begin: Nodes, end: Nodes) -> Crossing:
        """Return the shares of flows from place to place, all between zones with direct links."""

    @property
    def linked_groups(self) -> LinkedGroups | None:
        """Return the groups if all their places have direct links to others, and no link has failed or was added."""
        plain = self.failed is None and self.network.plain is None
        return self.network.spec.linked_groups() if plain else None

    @property
    def entry_vertices(self) -> Nodes | None:
        """Return the vertex through which all traffic of a node passes, ``(nodes,)``, or None if some lack one."""
        trunk, nodes = self.wiring.trunk, self.network.nodes
        if trunk is None or (trunk.island is not None and np.ptp(trunk.island[:nodes])):
            return None
        return trunk.at[:nodes]

    def _sorted(self, src: Nodes, dst: Nodes) -> Sorted:
        wiring = self.wiring
        begin, end = (wiring.zone[wiring.place[ends]] for ends in (src, dst))
        goes, joined = src != dst, wiring.pair[begin, end] != NONE
        kinds = begin == end, joined, (begin != end) & ~joined
        return Sorted(*(np.flatnonzero(goes & kind) for kind in kinds))

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link.

        Raises SpecError: if there are more shortest paths inside a group than can be counted.
        """
        loads, around = np.zeros(self.network.links), list[NodeFlows]()
        inside = self._local.loads(self._inside(flows, loads, around), progress)
        loads[self.wiring.local_links] += inside
        if around:
            loads += self.around.loads(around)
        return loads

    def _inside(self, flows: Iterable[NodeFlows], loads: Volumes, around: list[NodeFlows]) -> Iterator[NodeFlows]:
        """Yield flows inside groups, by place; add the loads of other links, and collect flows that go around."""
        place, trunk, totals = self.wiring.place, self.wiring.trunk, self.no_totals()
        for block in flows:
            kinds = self._sorted(block.src, block.dst)
            if kinds.around.size:
                around.append(block.some(kinds.around))
            for which in (kinds.inside, kinds.across):
                some = block.some(which) if which.size < block.src.size else block
                if trunk is not None:
                    add_cables(trunk.up, some.src, some.volume, loads)
                    add_cables(trunk.down, some.dst, some.volume, loads)
                placed = NodeFlows(place[some.src], place[some.dst], some.volume)
                yield from [placed] if which is kinds.inside else self._legs(placed, totals, loads)
        yield from self.summed_legs(totals, loads)

    def no_totals(self) -> Totals:
        """Return empty totals."""
        return Totals(np.zeros((0, 0)), np.zeros((0, 0)))

    def _legs(self, flows: NodeFlows, totals: Totals, loads: Volumes) -> Iterator[NodeFlows]:
        """Yield the flows inside groups of flows between groups, by place, or add them to `totals`."""
        begin, end, volume = flows
        tails, links, heads = self._split(begin, end)
        loads += np.bincount(links.at, links.share * volume[links.flow], loads.size)
        yield NodeFlows(begin[tails.flow], tails.at, tails.share * volume[tails.flow])
        yield NodeFlows(heads.at, end[heads.flow], heads.share * volume[heads.flow])

    def summed_legs(self, totals: Totals, loads: Volumes) -> Iterator[NodeFlows]:
        """Yield the flows inside groups of `totals`; add the loads of direct links."""
        return iter(())

    def hops_of(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows."""
        kinds, place = self._sorted(src, dst), self.wiring.place
        begin, end = place[src], place[dst]
        across = kinds.across
        tails, links, heads = self._split(begin[across], end[across])
        return Hops.joined(
            (
                *self._cables(kinds.inside, src, dst, INSIDE, INSIDE),
                *self._cables(across, src, dst, TO, FROM),
                *self._leg(Shares(kinds.inside, end[kinds.inside], np.ones(kinds.inside.size)), begin, INSIDE),
                *self._leg(tails._replace(flow=across[tails.flow]), begin, TO),
                Hops(across[links.flow], links.at, links.share, np.full(links.flow.size, ACROSS, np.int8)),
                *self._leg(heads._replace(flow=across[heads.flow]), end, FROM),
                *self._detours(kinds.around, src, dst),
            )
        )

    def _cables(self, flow: NDArray[np.intp], src: Nodes, dst: Nodes, first: int, last: int) -> Iterator[Hops]:
        trunk = self.wiring.trunk
        if trunk is not None:
            for cable, node, role in ((trunk.up, src, first), (trunk.down, dst, last)):
                hung = flow[cable[node[flow]] >= 0]
                yield Hops(hung, cable[node[hung]], np.ones(hung.size), np.full(hung.size, role, np.int8))

    def _leg(self, ends: Shares, place: Nodes, role: int) -> Iterator[Hops]:
        # From the place of each flow to some others in its zone, or back for traffic from the global link.
        there = place[ends.flow]
        begin, end = (ends.at, there) if role == FROM else (there, ends.at)
        moves = np.flatnonzero(begin != end)
        for hops in self._local.hop_portions(begin[moves], end[moves]):
            which = moves[hops.flow]
            link, share = self.wiring.local_links[hops.link], ends.share[which] * hops.share
            yield Hops(ends.flow[which], link, share, np.full(which.size, role, np.int8))

    def _detours(self, flow: NDArray[np.intp], src: Nodes, dst: Nodes) -> Iterator[Hops]:
        if flow.size:
            for hops in self.around.hop_portions(src[flow], dst[flow]):
                yield hops._replace(flow=flow[hops.flow], role=np.full(hops.flow.size, AROUND, np.int8))

    def hop_portions(self, src: Nodes, dst: Nodes) -> Iterator[Hops]:
        """Yield all hops of flows, in batches; ends may be any vertices."""
        for first, hops in self._portions(src, dst):
            yield hops._replace(flow=first + hops.flow)

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow; non-integer shares are rounded one by one."""
        return Traced.joined(in_parts(hops, volume, self.denominator) for hops in self.hop_portions(src, dst))

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`."""
        shares = np.zeros((len(self.roles), src.size))
        might = np.flatnonzero(self._may_cross(link, src, dst))
        shares[:, might] = super().crossing(link, src[might], dst[might])
        return shares

    def _may_cross(self, link: int, src: Nodes, dst: Nodes) -> Flags:
        # Flows between other zones do not cross a link, unless they go around.
        network, wiring = self.network, self.wiring
        begin, end = (wiring.zone[wiring.place[ends]] for ends in (src, dst))
        around = (begin != end) & (wiring.pair[begin, end] == NONE)
        u, v = int(network.src[link]), int(network.dst[link])
        if wiring.trunk is not None and link in (wiring.trunk.up[u], wiring.trunk.down[v]):
            return np.asarray((src == u) | (dst == v) | around)
        a, b = wiring.zone[wiring.place[[u, v]]]
        crosses = (begin == a) | (end == a) if a == b else (begin == a) & (end == b)
        return np.asarray(crosses | around)

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the mean lengths of paths; 0 if there is no path."""
        hops_of_flow, wiring, kinds = np.zeros(src.size), self.wiring, self._sorted(src, dst)
        begin, end = wiring.place[src], wiring.place[dst]
        direct = np.concatenate([kinds.inside, kinds.across])
        if wiring.trunk is not None:
            hops_of_flow[direct] += wiring.trunk.up[src[direct]] >= 0
            hops_of_flow[direct] += wiring.trunk.down[dst[direct]] >= 0
        hops_of_flow[kinds.inside] += self._local.hops(begin[kinds.inside], end[kinds.inside])
        step = max(DISTANCES_AT_ONCE // self._most_links, 1)
        for first in range(0, kinds.across.size, step):
            some = kinds.across[first : first + step]
            tails, _, heads = self._split(begin[some], end[some])
            to, on = (
                self._local.hops(begin[some][tails.flow], tails.at),
                self._local.hops(heads.at, end[some][heads.flow]),
            )
            hops_of_flow[some] += 1.0 + np.bincount(tails.flow, tails.share * to, some.size)
            hops_of_flow[some] += np.bincount(heads.flow, heads.share * on, some.size)
        if kinds.around.size:
            hops_of_flow[kinds.around] = self.around.hops(src[kinds.around], dst[kinds.around])
        return hops_of_flow

    @property
    def _most_links(self) -> int:
        return int(np.diff(self.wiring.start).max(initial=1))

    def distance(self, src: Nodes, dst: Nodes) -> FixedPoint:
        """Return the mean lengths, rounded down; -1 if there is no path."""
        hops = self.hops(src, dst)
        return np.where((hops == 0) & (src != dst), -1, hops).astype(np.int64)

    def squares(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the sums of the squared shares of a unit; paths over several direct links may share others."""
        squares, links = np.zeros(src.size), self.network.links
        for hops in self.hop_portions(src, dst):
            keys, where = np.unique(hops.flow.astype(np.int64) * links + hops.link, return_inverse=True)
            squares += np.bincount(keys // links, np.bincount(where, hops.share) ** 2, src.size)
        return squares

    def nearest(self) -> NDArray[np.int64] | None:
        """Return lower bounds on the distance of any node to its j-th nearest other node: no path is shorter."""
        return self._nearest

    @cached_property
    def _nearest(self) -> NDArray[np.int64] | None:
        return EqualRouter(self.network).nearest()

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the groups: a unit between two of them crosses one of their direct links, all of one class."""
        if self.network.plain is not None:
            return ()
        level, name = self.network.levels[0], self._direct_class
        gates = LinkSet(name, self._most_links)
        return ((Partition(level.name, level.nodes_per_group, level.count, {name: 1.0}, gates),),)

    @cached_property
    def _direct_class(self) -> str:
        """Return the name of the class of the direct links, which has no other links."""
        name: str = self.network.classes[self.network.class_of[self.wiring.link[0]]].name
        return name

    @cached_property
    def denominator(self) -> int | None:
        """Return the common denominator of all shares, or None if too large or unknown."""
        inside = self._local.denominator
        if inside is None or self.around_denominator is None:
            return None
        common = lcm(inside * self._link_parts, self.around_denominator)
        return common if common <= MAX_PARTS else None

    @property
    def around_denominator(self) -> int | None:
        """Return the common denominator of flows that go around; 1 if there are none."""
        return 1 if self.failed is None else self.around.denominator

    @property
    def _link_parts(self) -> int:
        """Return the common denominator of the shares of direct links."""
        return 1

    def share_quantum(self, name: str) -> Fraction | None:
        """Return a common divisor of all shares on the class's links."""
        if self.failed is None and name == self._direct_class:
            return Fraction(1, self._link_parts)
        return None if self.denominator is None else Fraction(1, self.denominator)

    def route_tables(self) -> RouteTables | None:
        """Return one table with a row for each pair of places, and one for the cables, or None if too large."""
        return tables_by_pair(Routed(self, self.wiring, self.denominator))

    def prepare_traces(self) -> None:
        """Compute the paths inside groups, if they are cached and that is fast."""
        self._local.prepare_traces()

    def updates(self, flows: int) -> int:
        """Return the mean number of links of a few routes, for each flow; more if paths must be recomputed."""
        return max(int(flows * self._mean_links), flows)

    @cached_property
    def _mean_links(self) -> float:
        nodes = self.network.nodes
        src = (np.arange(SAMPLES) * nodes // SAMPLES).astype(np.int32)
        dst = ((src + 1 + np.arange(SAMPLES) * (nodes - 2) // (SAMPLES - 1)) % nodes).astype(np.int32)
        return self.hops_of(src, dst).link.size / SAMPLES


class SingleGroupRouter(GroupRouter):
    """Every flow takes the nearest link to the target group."""

    minimal = SingleRouter

    def _split(self, begin: Nodes, end: Nodes) -> Crossing:
        flow, share = np.arange(begin.size), np.ones(begin.size)
        link = self._chosen[begin, self.wiring.zone[end]]
        ends = self.wiring.tail, self.wiring.link, self.wiring.head
        return Crossing(*(Shares(flow, ends_of_link[link], share) for ends_of_link in ends))

    @cached_property
    def _chosen(self) -> NDArray[np.int64]:
        """(places, zones) the chosen direct link, as an index into the links of the wiring; `NONE` inside a zone."""
        wiring = self.wiring
        chosen = np.full((wiring.vertex.size, wiring.zones), NONE, np.int64)
        least = np.full(chosen.shape, np.iinfo(np.int64).max)
        member = np.argsort(wiring.zone, kind="stable").astype(np.int32)
        count = np.bincount(wiring.zone, minlength=wiring.zones)
        members = Fan(np.append(0, np.cumsum(count)), member, np.ones(member.size))
        step = max(DISTANCES_AT_ONCE * wiring.zones // wiring.vertex.size, 1)
        # Links of a pair are in ascending order, so the first of equally near links is kept.
        for first in range(0, wiring.link.size, step):
            some = np.arange(first, min(first + step, wiring.link.size))
            place = members.of(wiring.zone[wiring.tail[some]])
            link = some[place.flow]
            _choose(
                place.at,
                wiring.zone[wiring.head[link]],
                self._local.distance(place.at, wiring.tail[link]),
                link,
                least,
                chosen,
            )
        return chosen


class EqualGroupRouter(GroupRouter):
    """Every link to the target group carries the same share.

    So the share of a link depends on the two groups only, and flows are summed by place and group before they are
    carried.
    """

    minimal = EqualRouter
    shift_invariant = True

    @cached_property
    def fans(self) -> tuple[Fan, Fan, Fan]:
        """Return the shares of each pair of zones at the tails of their direct links, on these, and at their heads."""
        return self.wiring.fans()

    def _split(self, begin: Nodes, end: Nodes) -> Crossing:
        pair = self.wiring.pair[self.wiring.zone[begin], self.wiring.zone[end]]
        return Crossing(*(fan.of(pair) for fan in self.fans))

    def no_totals(self) -> Totals:
        """Return empty totals."""
        shape = self.wiring.vertex.size, self.wiring.zones
        return Totals(np.zeros(shape), np.zeros(shape))

    def _legs(self, flows: NodeFlows, totals: Totals, loads: Volumes) -> Iterator[NodeFlows]:
        add_totals(flows, self.wiring.zone, totals)
        return iter(())

    def summed_legs(self, totals: Totals, loads: Volumes) -> Iterator[NodeFlows]:
        """Yield the flows inside groups of `totals`; add the loads of direct links."""
        zone, (at_tail, on_link, at_head) = self.wiring.zone, self.fans
        step = max(DISTANCES_AT_ONCE // max(self.wiring.link.size // self.wiring.zones, 1), 1)
        for first in range(0, zone.size, step):
            place, other, volume = _nonzero(totals.sent, first, first + step)
            pair = self.wiring.pair[zone[place], other]
            links, tails = on_link.of(pair), at_tail.of(pair)
            loads += np.bincount(links.at, links.share * volume[links.flow], loads.size)
            yield NodeFlows(place[tails.flow], tails.at, tails.share * volume[tails.flow])
            place, other, volume = _nonzero(totals.received, first, first + step)
            heads = at_head.of(self.wiring.pair[other, zone[place]])
            yield NodeFlows(heads.at, place[heads.flow], heads.share * volume[heads.flow])

    def route_tables(self) -> RouteTables | None:
        """Return tables of hops inside groups, up to direct links, after them, and of cables, or None if too large."""
        return tables_by_group(Routed(self, self.wiring, self.denominator), INSIDE, FROM)

    @property
    def _link_parts(self) -> int:
        return lcm(*np.unique(np.diff(self.wiring.start)).tolist())


def _nonzero(totals: Volumes, first: int, last: int) -> tuple[Nodes, Nodes, Volumes]:
    # Some rows: place, zone, and volume of each non-zero entry.
    place, zone = np.nonzero(totals[first:last])
    place += first
    return place.astype(np.int32), zone.astype(np.int32), totals[place, zone]


@kernel
def add_cables(cable: Nodes, node: Nodes, volume: Volumes, loads: Volumes) -> None:
    """Add the volumes that nodes send, or receive, to the loads of their cables; -1 for no cable."""
    for i in range(node.size):
        if cable[node[i]] >= 0:
            loads[cable[node[i]]] += volume[i]


@kernel
def add_totals(flows: NodeFlows, zone: Nodes, totals: Totals) -> None:
    """Add flows from place to place to totals."""
    for i in range(flows.src.size):
        u, v = flows.src[i], flows.dst[i]
        totals.sent[u, zone[v]] += flows.volume[i]
        totals.received[v, zone[u]] += flows.volume[i]


@kernel
def _choose(
    place: Nodes, zone: Nodes, distance: FixedPoint, link: FixedPoint, least: FixedPoint, chosen: FixedPoint
) -> None:
    for i in range(place.size):
        if distance[i] < least[place[i], zone[i]]:
            least[place[i], zone[i]], chosen[place[i], zone[i]] = distance[i], link[i]
