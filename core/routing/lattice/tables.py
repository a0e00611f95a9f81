"""Route tables of dimension-order routing (see `core.routing.route_tables`), one per dimension.

Before its hops in dimension d, a unit has the destination's coordinates in the earlier dimensions, and the source's
from d on. So a row depends on the source's coordinates from d on, and on the destination's up to d.
"""

import numpy as np

from core.kernels import kernel
from core.routing.flows import FixedPoint, Nodes
from core.routing.lattice.grid import Grid, both_ways, write_line
from core.routing.route_tables import ANY, RouteTable

SHARE_SCALE = 2
"""Shares are multiples of one half: ties are split equally."""


def dimension_table(d: int, grid: Grid) -> RouteTable:
    """Return the table of dimension d."""
    coordinates, strides = grid.coordinates, grid.strides
    sources, first = np.unique(coordinates[:, d:], axis=0, return_inverse=True)
    targets, second = np.unique(coordinates[:, : d + 1], axis=0, return_inverse=True)
    stand = (sources @ strides[d:])[:, None] + (targets[:, :d] @ strides[:d])[None, :]
    ends = targets @ strides[: d + 1]
    return RouteTable(ANY, first.ravel(), second.ravel(), len(targets), *_entries(stand, ends, d, grid))


@kernel
def _entries(stand: FixedPoint, ends: FixedPoint, d: int, grid: Grid) -> tuple[FixedPoint, Nodes, FixedPoint]:
    # Routes from every node of `stand` along dimension d to the coordinate of each end.
    rows, columns = stand.shape
    first = np.zeros(rows * columns + 1, np.int64)
    for i in range(rows):
        for j in range(columns):
            up, down = both_ways(stand[i, j], ends[j], d, grid)
            first[i * columns + j + 1] = first[i * columns + j] + up + down
    links, shares = np.empty(first[-1], np.int32), np.empty(first[-1], np.int64)
    for i in range(rows):
        for j in range(columns):
            begin, end = first[i * columns + j], first[i * columns + j + 1]
            up, down = both_ways(stand[i, j], ends[j], d, grid)
            write_line(stand[i, j], d, 1, down, grid, links, write_line(stand[i, j], d, 0, up, grid, links, begin))
            for k in range(begin, end):
                shares[k] = 1 if up > 0 and down > 0 else SHARE_SCALE
    return first, links, shares
