"""Routes as tables, since a search that evaluates a hundred thousand mappings per second cannot compute paths.

The route of a pair is split into parts. The load of a part on links depends only on some property of the source and
some of the destination (the source's node and the destination's supernode, for example), so a table has a row for each
combination; a few small tables give the routes of all pairs of nodes. Volumes are summed by row before rows are read:
tasks that are exchanged within a supernode do not change the sums of D-links, which then are not read.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.routing.flows import FixedPoint, Ints, Nodes, Volumes

ANY, SAME, OTHER = range(3)
"""Scope of a table: all pairs of nodes, pairs within one group, or pairs in different groups."""
MAX_ENTRIES = 1 << 26
"""Limit on entries of all tables: 0.5 GB."""
NO_DETOURS = np.zeros((0, 0, 0), np.int32)


@dataclass(frozen=True, eq=False)
class RouteTable:
    """A part of all routes: row ``first[u] * columns + second[v]`` has the shares of a unit from u to v on links."""

    when: int
    """`ANY`, `SAME` or `OTHER`."""
    first: Ints
    """(nodes,) property of the source."""
    second: Ints
    """(nodes,) property of the destination, 0 .. columns - 1."""
    columns: int
    start: Ints
    """(rows + 1,) start of the entries of each row."""
    links: Ints
    shares: Ints | Volumes
    """In multiples of 1 / `RouteTables.denominator`; or as floats."""


class RouteTables(NamedTuple):
    """All tables of a router, concatenated, for kernels."""

    denominator: int
    """Denominator of the shares."""
    group: Nodes
    """(nodes,) groups for `SAME` and `OTHER`."""
    when: FixedPoint
    """(tables,)"""
    first: Nodes
    """(tables, nodes)"""
    second: Nodes
    """(tables, nodes)"""
    columns: FixedPoint
    """(tables,)"""
    base: FixedPoint
    """(tables,) the first row of each table."""
    start: FixedPoint
    """(rows + 1,)"""
    links: Nodes
    shares: FixedPoint
    """Empty if shares have no common denominator; then they are in `fluid`, and `denominator` is 1."""
    hops: Volumes
    """(rows,) links that a unit crosses."""
    fluid: Volumes
    """Shares as floats, or empty. Products with fixed-point volumes are then rounded."""
    detour: Nodes
    """(failures + 1, nodes, nodes) the only row of a pair that a failure reroutes, or -1; empty for none."""


def concatenated(tables: Sequence[RouteTable], denominator: int, group: Ints) -> RouteTables:
    """Concatenate tables; `denominator` is the denominator of their shares, 1 for floats."""
    rows = [table.start.size - 1 for table in tables]
    entries = np.cumsum([0, *(table.links.size for table in tables)])
    fluid = any(np.issubdtype(table.shares.dtype, np.floating) for table in tables)
    shares = _joined([table.shares for table in tables], np.float64 if fluid else np.int64)
    start = np.concatenate([table.start[:-1] + at for table, at in zip(tables, entries, strict=False)] + [entries[-1:]])
    summed = np.zeros(shares.size + 1, shares.dtype)
    np.cumsum(shares, out=summed[1:])
    return RouteTables(
        denominator=denominator,
        group=group.astype(np.int32),
        when=np.array([table.when for table in tables], np.int64),
        first=np.stack([table.first for table in tables]).astype(np.int32),
        second=np.stack([table.second for table in tables]).astype(np.int32),
        columns=np.array([table.columns for table in tables], np.int64),
        base=np.cumsum([0, *rows[:-1]]).astype(np.int64),
        start=start.astype(np.int64, copy=False),
        links=_joined([table.links for table in tables], np.int32),
        shares=np.zeros(0, np.int64) if fluid else shares,
        hops=np.diff(summed[start]) / denominator,
        fluid=shares if fluid else np.zeros(0),
        detour=NO_DETOURS,
    )


Rows = tuple[Ints, Ints, Ints | Volumes]
"""Of a table with a row for each node: `start`, `links` and `shares` of `RouteTable`."""


def tables_by_ends(by_source: Rows, by_target: Rows) -> RouteTables:
    """Return the tables of paths whose first part depends on the source alone, and the second on the target alone.

    Shares are floats.
    """
    nodes = by_source[0].size - 1
    node, same = np.arange(nodes, dtype=np.int32), np.zeros(nodes, np.int32)
    tables = RouteTable(ANY, node, same, 1, *by_source), RouteTable(ANY, same, node, nodes, *by_target)
    return concatenated(tables, 1, same)


def _joined(parts: Sequence[Any], kind: type) -> NDArray[Any]:
    # A single table may have tens of millions of entries: it is not copied.
    return parts[0].astype(kind, copy=False) if len(parts) == 1 else np.concatenate(parts, dtype=kind)


def empty_tables(nodes: int) -> RouteTables:
    """Return empty tables, for routers without tables."""
    none, ends = np.zeros(0, np.int64), np.zeros((0, nodes), np.int32)
    group, start = np.zeros(nodes, np.int32), np.zeros(1, np.int64)
    links, shares = np.zeros(0, np.int32), np.zeros(0)
    return RouteTables(1, group, none, ends, ends, none, none, start, links, none, shares, shares, NO_DETOURS)


def rectangular_table(
    when: int, first: Ints, second: Ints, columns: int, links: Ints, shares: Ints | int
) -> RouteTable:
    """Return a table whose rows have one length, shape ``(rows, length)``; entries without a link are -1.

    `shares` has the shape of `links`, or one that broadcasts to it.
    """
    real = links >= 0
    start = np.append(0, np.cumsum(real.sum(axis=1)))
    return RouteTable(when, first, second, columns, start, links[real], np.broadcast_to(shares, links.shape)[real])


@inlined
def row_of(routes: RouteTables, k: int, u: int, v: int) -> int:
    """Return the row of table k for a pair of nodes, or -1 if the pair is outside the table's scope."""
    when = routes.when[k]
    if when != ANY and (routes.group[u] == routes.group[v]) != (when == SAME):
        return -1
    return int(routes.base[k] + routes.first[k, u] * routes.columns[k] + routes.second[k, v])


@inlined
def hops_between(routes: RouteTables, u: int, v: int) -> float:
    """Return the links that a unit from node u to node v crosses."""
    hops = 0.0
    if u == v:
        return hops
    for k in range(routes.when.size):
        row = row_of(routes, k, u, v)
        if row >= 0:
            hops += routes.hops[row]
    return hops


@kernel
def all_hops(routes: RouteTables, src: Nodes, dst: Nodes) -> Volumes:
    """Return the links that a unit crosses, for each pair of nodes; 0 from a node to itself."""
    hops = np.zeros(src.size)
    for i in range(src.size):
        hops[i] = hops_between(routes, src[i], dst[i])
    return hops


@kernel
def all_squares(routes: RouteTables, src: Nodes, dst: Nodes, links: int) -> Volumes:
    """Return the sum over `links` links of the squared share of a unit, for each pair of nodes."""
    shares, squares, fluid = np.zeros(links), np.zeros(src.size), routes.fluid.size > 0
    for i in range(src.size):
        if src[i] == dst[i]:
            continue
        # Added in the first pass, squared and cleared in the second, since a link may be in two rows.
        for add in (True, False):
            for k in range(routes.when.size):
                row = row_of(routes, k, src[i], dst[i])
                if row < 0:
                    continue
                for e in range(routes.start[row], routes.start[row + 1]):
                    link = routes.links[e]
                    if add:
                        shares[link] += routes.fluid[e] if fluid else routes.shares[e]
                    else:
                        squares[i] += (shares[link] / routes.denominator) ** 2
                        shares[link] = 0.0
    return squares
