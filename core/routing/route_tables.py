"""Routes as tables: a search that tries a hundred thousand mappings a second has no time to work out paths.

The route of a pair is cut into parts. What a part puts on the links depends on something of the source and something
of the destination only (the source's node and the destination's supernode, say), so a table with a row for each
combination holds it; a few small tables stand for the routes of all pairs of nodes. Volumes are summed by row before
any row is read: tasks that change places within a supernode move nothing on its D-links, and no D-link is looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.routing.flows import FixedPoint, Ints, Nodes, Volumes

ANY, SAME, OTHER = range(3)
"""A table is for all pairs, for those in one group, or for those in two groups."""
MAX_ENTRIES = 1 << 26
"""Entries beyond which tables are not made: 0.5 GB."""


@dataclass(frozen=True, eq=False)
class RouteTable:
    """One part of all routes: row ``first[u] * columns + second[v]`` is what a unit from u to v puts on links there."""

    when: int
    """`ANY`, `SAME` or `OTHER`."""
    first: Ints
    """(nodes,) what of the source counts."""
    second: Ints
    """(nodes,) what of the destination counts, 0 .. columns - 1."""
    columns: int
    start: Ints
    """(rows + 1,) where the entries of each row begin."""
    links: Ints
    shares: Ints | Volumes
    """Of `RouteTables.whole`; of 1 where they are floats."""


class RouteTables(NamedTuple):
    """All tables of a router, one behind the other, for kernels."""

    whole: int
    """What shares are parts of."""
    group: Nodes
    """(nodes,) the groups that `SAME` and `OTHER` mean."""
    when: FixedPoint
    """(tables,)"""
    first: Nodes
    """(tables, nodes)"""
    second: Nodes
    """(tables, nodes)"""
    columns: FixedPoint
    """(tables,)"""
    base: FixedPoint
    """(tables,) the first row of each."""
    start: FixedPoint
    """(rows + 1,)"""
    links: Nodes
    shares: FixedPoint
    """Empty where shares are no whole parts of anything; then they are `fluid`, and `whole` is 1."""
    hops: Volumes
    """(rows,) links that a unit crosses."""
    fluid: Volumes
    """Shares as they are, or empty. What of a volume in whole numbers goes by a link is then rounded."""


def concatenated(tables: Sequence[RouteTable], whole: int, group: Ints) -> RouteTables:
    """Return tables one behind the other; `whole` is what their shares are parts of, 1 if they are floats."""
    rows = [table.start.size - 1 for table in tables]
    entries = np.cumsum([0, *(table.links.size for table in tables)])
    fluid = any(np.issubdtype(table.shares.dtype, np.floating) for table in tables)
    shares = _joined([table.shares for table in tables], np.float64 if fluid else np.int64)
    start = np.concatenate([table.start[:-1] + at for table, at in zip(tables, entries, strict=False)] + [entries[-1:]])
    summed = np.zeros(shares.size + 1, shares.dtype)
    np.cumsum(shares, out=summed[1:])
    return RouteTables(
        whole=whole,
        group=group.astype(np.int32),
        when=np.array([table.when for table in tables], np.int64),
        first=np.stack([table.first for table in tables]).astype(np.int32),
        second=np.stack([table.second for table in tables]).astype(np.int32),
        columns=np.array([table.columns for table in tables], np.int64),
        base=np.cumsum([0, *rows[:-1]]).astype(np.int64),
        start=start.astype(np.int64, copy=False),
        links=_joined([table.links for table in tables], np.int32),
        shares=np.zeros(0, np.int64) if fluid else shares,
        hops=np.diff(summed[start]) / whole,
        fluid=shares if fluid else np.zeros(0),
    )


def _joined(parts: Sequence[Any], kind: type) -> NDArray[Any]:
    # One table may have tens of millions of entries: it is not copied.
    return parts[0].astype(kind, copy=False) if len(parts) == 1 else np.concatenate(parts, dtype=kind)


def empty_tables(nodes: int) -> RouteTables:
    """Return no tables, for routers that have none."""
    none, ends = np.zeros(0, np.int64), np.zeros((0, nodes), np.int32)
    group, start = np.zeros(nodes, np.int32), np.zeros(1, np.int64)
    links, shares = np.zeros(0, np.int32), np.zeros(0)
    return RouteTables(1, group, none, ends, ends, none, none, start, links, none, shares, shares)


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
    """Return the row of table k for a pair of nodes, or -1 if the table is not for it."""
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
    """Return the links that a unit crosses from each node to each; from a node to itself, none."""
    hops = np.zeros(src.size)
    for i in range(src.size):
        hops[i] = hops_between(routes, src[i], dst[i])
    return hops


@kernel
def all_squares(routes: RouteTables, src: Nodes, dst: Nodes, links: int) -> Volumes:
    """Return the sum over `links` links of the square of the share that a unit from each node to each puts there."""
    shares, squares, fluid = np.zeros(links), np.zeros(src.size), routes.fluid.size > 0
    for i in range(src.size):
        if src[i] == dst[i]:
            continue
        # In the end every share is taken once, though a link may stand in two rows.
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
                        squares[i] += (shares[link] / routes.whole) ** 2
                        shares[link] = 0.0
    return squares
