"""Tables of group-minimal routes for searches (`core.routing.route_tables`), for networks without failed links."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.routing.flows import Flags, Hops, Nodes
from core.routing.group_minimal.wiring import GroupWiring
from core.routing.hop_list import HopListRouter
from core.routing.route_tables import ANY, OTHER, SAME, RouteTable, RouteTables, concatenated, rectangular_table

MAX_HOPS = 1 << 24
"""Approximate limit on hops in all tables."""


class Routed(NamedTuple):
    """A router of an intact network."""

    router: HopListRouter
    wiring: GroupWiring
    denominator: int | None
    """Common denominator of all shares, or None if shares are floats."""


def tables_by_pair(routed: Routed) -> RouteTables | None:
    """Return a table with a row for each pair of places, or None if too large."""
    places = routed.wiring.vertex.size
    if places * places * routed.router.updates(1) > MAX_HOPS:
        return None
    every, node = np.arange(places, dtype=np.int32), routed.wiring.place[: routed.router.network.nodes]
    hops = _hops(routed, np.repeat(every, places), np.tile(every, places))
    return _with_cables(routed, [_table(routed, ANY, node, node, (places, places), hops)])


def tables_by_group(routed: Routed, inside: int, last: int) -> RouteTables | None:
    """Return three tables, if the shares of direct links depend on the two groups only, or None if too large.

    Hops inside a group have a row for each pair of its places, hops up to the direct link for each place and target
    group, and hops after it for each source group and place. `inside` and `last` are the roles of the first and third.
    """
    wiring, node = routed.wiring, routed.wiring.place[: routed.router.network.nodes]
    zone, zones, places = wiring.zone, wiring.zones, wiring.vertex.size
    count = np.bincount(zone)
    most = int(count.max())
    if places * (most + 2 * zones) * routed.router.updates(1) > MAX_HOPS:
        return None
    start, order = np.cumsum(count) - count, np.argsort(zone, kind="stable").astype(np.int32)
    rank = np.empty(places, np.int32)
    rank[order] = np.arange(places) - start[zone[order]]
    every, some = np.arange(places, dtype=np.int32), order[start]
    near, turn = np.repeat(every, most), np.tile(np.arange(most), places)
    # In groups of fewer places the last place fills the row.
    mate = order[start[zone[near]] + np.minimum(turn, count[zone[near]] - 1)]
    inner = _hops(routed, near, mate)
    outer = _hops(routed, np.repeat(every, zones), np.tile(some, places))
    final = _hops(routed, np.repeat(some, places), np.tile(every, zones))
    group = zone[node]
    return _with_cables(
        routed,
        [
            _table(routed, SAME, node, rank[node], (places, most), _some(inner, inner.role == inside)),
            _table(routed, OTHER, node, group, (places, zones), _some(outer, ~np.isin(outer.role, (inside, last)))),
            _table(routed, OTHER, group, node, (zones, places), _some(final, final.role == last)),
        ],
    )


def _some(hops: Hops, which: Flags) -> Hops:
    return Hops(hops.flow[which], hops.link[which], hops.share[which], hops.role[which])


def _hops(routed: Routed, begin: Nodes, end: Nodes) -> Hops:
    vertex = routed.wiring.vertex
    return routed.router.hops_of(vertex[begin], vertex[end])


def _table(routed: Routed, when: int, first: Nodes, second: Nodes, shape: tuple[int, int], hops: Hops) -> RouteTable:
    # The flow of a hop is its row.
    rows, columns = shape
    order, denominator = np.argsort(hops.flow, kind="stable"), routed.denominator
    start = np.append(0, np.cumsum(np.bincount(hops.flow, minlength=rows * columns)))
    share = hops.share[order]
    shares = share if denominator is None else np.rint(share * denominator).astype(np.int64)
    return RouteTable(when, first, second, columns, start, hops.link[order], shares)


def _with_cables(routed: Routed, tables: list[RouteTable]) -> RouteTables:
    wiring, nodes = routed.wiring, routed.router.network.nodes
    return concatenated([*tables, *_cables(routed)], routed.denominator or 1, wiring.zone[wiring.place[:nodes]])


def _cables(routed: Routed) -> Iterator[RouteTable]:
    trunk, nodes = routed.wiring.trunk, routed.router.network.nodes
    if trunk is not None:
        node, same, denominator = np.arange(nodes, dtype=np.int32), np.zeros(nodes, np.int32), routed.denominator or 1
        yield rectangular_table(ANY, node, same, 1, trunk.up[:nodes, None], denominator)
        yield rectangular_table(ANY, same, node, nodes, trunk.down[:nodes, None], denominator)
