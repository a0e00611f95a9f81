"""Route tables of dimension-order routing (see `core.routing.route_tables`): one for each dimension.

When a unit's turn in dimension d comes, it stands at the destination's coordinates in the dimensions before, and at
the source's in those from d on; it is bound for the destination's in d. So the row depends on the source's coordinates
from d on, and on the destination's up to d.
"""

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.flows import FixedPoint, Flags, Nodes
from core.routing.route_tables import ANY, RouteTable

Sizes = NDArray[np.int64]

WHOLE = 2
"""Shares are halves: ties go half each way."""


def dimension_table(d: int, dims: Sizes, wraps: Flags, strides: Sizes, table: Nodes, coordinates: Nodes) -> RouteTable:
    """Return the table of dimension d; `table` is (2, nodes), the links along it."""
    sources, first = np.unique(coordinates[:, d:], axis=0, return_inverse=True)
    targets, second = np.unique(coordinates[:, : d + 1], axis=0, return_inverse=True)
    stand = (sources @ strides[d:])[:, None] + (targets[:, :d] @ strides[:d])[None, :]
    entries = _entries(stand, sources[:, 0], targets[:, d], int(dims[d]), bool(wraps[d]), int(strides[d]), table)
    return RouteTable(ANY, first.ravel(), second.ravel(), len(targets), *entries)


@kernel
def both_ways(start: int, end: int, size: int, ring: bool) -> tuple[int, int]:
    """Return the hops on + and on -; the longer way has none, a tie the same on both."""
    up = end - start
    if not ring:
        return max(up, 0), max(-up, 0)
    up %= size
    down = (size - up) % size
    return up if 2 * up <= size else 0, down if 2 * down <= size else 0


@kernel
def _entries(
    stand: FixedPoint, start: Nodes, end: Nodes, size: int, ring: bool, stride: int, table: Nodes
) -> tuple[FixedPoint, Nodes, FixedPoint]:
    rows, columns = stand.shape
    first = np.zeros(rows * columns + 1, np.int64)
    for i in range(rows):
        for j in range(columns):
            up, down = both_ways(start[i], end[j], size, ring)
            first[i * columns + j + 1] = first[i * columns + j] + up + down
    links, shares = np.empty(first[-1], np.int32), np.empty(first[-1], np.int64)
    at = 0
    for i in range(rows):
        for j in range(columns):
            hops = both_ways(start[i], end[j], size, ring)
            share = 1 if hops[0] > 0 and hops[1] > 0 else WHOLE
            for side in range(2):
                c, here = np.int64(start[i]), np.int64(stand[i, j])
                for _ in range(hops[side]):
                    links[at], shares[at] = table[side, here], share
                    at += 1
                    after = (c + 1 - 2 * side) % size
                    here += (after - c) * stride
                    c = after
    return first, links, shares
