"""Paths of many pairs of nodes, as arrays of links."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from core.kernels import kernel
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.routing.route_tables import RouteTables, row_of
from core.routing.router import MAX_SHARE_SCALE, Router
from core.spec import Progress, TooLarge

MAX_ENTRIES = 1 << 25
"""Links of all pairs: 0.4 GB."""
TABLES_FROM = 4
"""Pairs per node from which route tables of the network are used, if available; fewer pairs are traced one by one."""
AT_ONCE = 1 << 10
"""Pairs between two calls of progress."""


class Paths(NamedTuple):
    """The load of a unit of each pair on links: pair p has the entries ``start[p]`` to ``start[p + 1]``."""

    start: FixedPoint
    links: Nodes
    """A link may appear more than once."""
    shares: Volumes


def paths_of(router: Router, src: Nodes, dst: Nodes, timing: str, progress: Progress) -> Paths:
    """Return the paths of pairs of nodes; pairs of one node, and disconnected pairs, have no links.

    Raises TooLarge: naming `timing`, beyond `MAX_ENTRIES` links in all. Raises Cancelled: when `progress` does.
    """
    tables = router.route_tables() if src.size > TABLES_FROM * router.network.nodes and not router.plans else None
    if tables is None:
        return _joined(_traced(router, src, dst, progress), src.size, timing)
    counts = _count(tables, src, dst)
    start = np.append(0, np.cumsum(counts))
    _check(int(start[-1]), timing)
    links, shares = np.empty(start[-1], np.int32), np.empty(start[-1])
    _read(tables, src, dst, start, links, shares)
    progress(1.0)
    return Paths(start, links, shares)


def _traced(router: Router, src: Nodes, dst: Nodes, progress: Progress) -> Iterator[tuple[int, Nodes, Volumes]]:
    parts = router.parts or 1
    scaled = parts * max(MAX_SHARE_SCALE // parts, 1)
    volume = np.array([scaled], np.int64)
    for p in range(src.size):
        if p % AT_ONCE == 0:
            progress(p / src.size)
        if src[p] == dst[p]:
            continue
        links, carried = router.trace(src[p : p + 1], dst[p : p + 1], volume)
        used = carried > 0
        yield p, links[used], carried[used] / scaled


def _joined(traced: Iterator[tuple[int, Nodes, Volumes]], pairs: int, timing: str) -> Paths:
    counts, links, shares, total = np.zeros(pairs + 1, np.int64), [np.zeros(0, np.int32)], [np.zeros(0)], 0
    for p, some, parts in traced:
        counts[p + 1] = some.size
        total += some.size
        _check(total, timing)
        links.append(some)
        shares.append(parts)
    return Paths(np.cumsum(counts), np.concatenate(links), np.concatenate(shares))


def _check(entries: int, timing: str) -> None:
    if entries > MAX_ENTRIES:
        refused = f"{timing} traces at most {MAX_ENTRIES:,} links of all paths, and this job needs more"
        raise TooLarge("timing.type", f"{refused}; choose a smaller job, or barrier")


@kernel
def _count(tables: RouteTables, src: Nodes, dst: Nodes) -> FixedPoint:
    counts = np.zeros(src.size, np.int64)
    for p in range(src.size):
        if src[p] == dst[p]:
            continue
        for k in range(tables.when.size):
            row = row_of(tables, k, src[p], dst[p])
            if row >= 0:
                counts[p] += tables.start[row + 1] - tables.start[row]
    return counts


@kernel
def _read(tables: RouteTables, src: Nodes, dst: Nodes, start: FixedPoint, links: Nodes, shares: Volumes) -> None:
    fluid = tables.fluid.size > 0
    for p in range(src.size):
        if src[p] == dst[p]:
            continue
        at = start[p]
        for k in range(tables.when.size):
            row = row_of(tables, k, src[p], dst[p])
            if row < 0:
                continue
            for e in range(tables.start[row], tables.start[row + 1]):
                links[at] = tables.links[e]
                shares[at] = tables.fluid[e] if fluid else tables.shares[e] / tables.denominator
                at += 1
