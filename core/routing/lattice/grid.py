"""Coordinates and links of a torus, mesh or hypercube, for kernels."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined
from core.network.families.torus import Lattice, link_table, stride
from core.network.network import Network
from core.routing.flows import Flags, Nodes

Sizes = NDArray[np.int64]


class Grid(NamedTuple):
    """A lattice in arrays. Sides: 0 for +, 1 for -."""

    coordinates: Nodes
    """(nodes, dims)"""
    dims: Sizes
    wraps: Flags
    """(dims,) whether a dimension is a ring."""
    strides: Sizes
    """(dims,) difference of the numbers of neighbours."""
    table: Nodes
    """(dims, 2, nodes) the link along each dimension and side; -1 if none."""


def grid_of(network: Network, spec: Lattice) -> Grid:
    """Return the grid of a lattice."""
    dims = np.array(spec.dims, np.int64)
    strides = np.array([stride(spec.dims, d) for d in range(len(spec.dims))], np.int64)
    coordinates = (np.arange(network.nodes)[:, None] // strides % dims).astype(np.int32)
    return Grid(coordinates, dims, np.array(spec.wraps, np.bool_), strides, link_table(spec))


def ties(u: Any, v: Any, d: Any, grid: Grid) -> Any:
    """Return whether u and v are exactly half a ring apart along dimension d; also for arrays."""
    ahead = (grid.coordinates[v, d] - grid.coordinates[u, d]) % grid.dims[d]
    return grid.wraps[d] & (2 * ahead == grid.dims[d])


@inlined
def both_ways(u: int, v: int, d: int, grid: Grid) -> tuple[int, int]:
    """Return the hops along dimension d from u to v on + and on -; 0 on the longer side; a tie has both."""
    size, up = int(grid.dims[d]), int(grid.coordinates[v, d]) - int(grid.coordinates[u, d])
    if not grid.wraps[d]:
        return max(up, 0), max(-up, 0)
    up %= size
    down = (size - up) % size
    return up if 2 * up <= size else 0, down if 2 * down <= size else 0


@inlined
def with_coordinate(node: int, target: int, d: int, grid: Grid) -> int:
    """Return the node with the target's coordinate along dimension d, and the other coordinates of `node`."""
    return node + (int(grid.coordinates[target, d]) - int(grid.coordinates[node, d])) * int(grid.strides[d])


@inlined
def write_line(node: int, d: int, side: int, hops: int, grid: Grid, links: Nodes, at: int) -> int:
    """Write the links of consecutive hops from a node to ``links[at]`` onwards; return the index after the last."""
    c, size, step = int(grid.coordinates[node, d]), int(grid.dims[d]), int(grid.strides[d])
    table = grid.table
    for k in range(at, at + hops):
        links[k] = table[d, side, node]
        after = (c + 1 - 2 * side) % size
        node += (after - c) * step
        c = after
    return at + hops
