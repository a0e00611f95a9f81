"""Dimension-order routing around failed links, and what all schemes on lattices share for it.

Dimension order has one way along each dimension, two in a tie; if only one side of a tie is left it takes all.
"""

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.faulty import DISCONNECTED, INTACT, REROUTED, FaultyRouter, Hops, States
from core.routing.flows import FixedPoint, Flags, Nodes, Volumes
from core.routing.lattice.adaptive import Grid
from core.routing.lattice.dimension_order import MINIMAL, TIE, LatticeRouter
from core.routing.lattice.tables import both_ways
from core.routing.router import Partition


def _grid_of(base: LatticeRouter) -> Grid:
    return Grid(base.coordinates, base.dims, base.wraps, base.strides, base.table)


class FaultyLatticeRouter(FaultyRouter):
    """What the schemes share: how far one can go from every node along every dimension."""

    def __init__(self, base: LatticeRouter, failed: Flags) -> None:
        super().__init__(base, failed)
        self.grid = _grid_of(base)
        self.clear = _clear_hops(self.grid, failed)

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the scheme's own: paths are still shortest."""
        return self.base.partitions()

    def nearest(self) -> NDArray[np.int64] | None:
        """Return the scheme's own: paths are still shortest."""
        return self.base.nearest()


class FaultyDimensionOrderRouter(FaultyLatticeRouter):
    """The side of a tie that is left takes all; whatever else needs a failed link is cut."""

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return for every flow whether it has all its ways, lost sides of ties, or is cut."""
        return np.asarray(ordered_state(src, dst, self.grid, self.clear, False))

    def rerouted_hops(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops, dimension by dimension."""
        return Hops(*_ordered_hops(src, dst, self.grid, self.clear))


@kernel
def _moved(node: int, d: int, side: int, grid: Grid) -> int:
    c, size = int(grid.coordinates[node, d]), int(grid.dims[d])
    return node + ((c + 1 - 2 * side) % size - c) * int(grid.strides[d])


@kernel
def _clear_hops(grid: Grid, failed: Flags) -> Nodes:
    # clear[d, side, node]: links in a row without a failed one, from the node on; no more than a ring has.
    count, _, nodes = grid.table.shape
    clear = np.zeros((count, 2, nodes), np.int32)
    for d in range(count):
        size = grid.dims[d]
        for side in range(2):
            for node in range(nodes):
                if grid.coordinates[node, d] != 0:
                    continue
                at = node
                # Upstream, twice round: the first time a ring's end is not yet known.
                for _ in range(2 * size):
                    link, after = grid.table[d, side, at], _moved(at, d, side, grid)
                    sound = link >= 0 and not failed[link]
                    clear[d, side, at] = min(clear[d, side, after] + 1, size) if sound else 0
                    at = _moved(at, d, 1 - side, grid)
    return clear


@kernel
def ordered_state(src: Nodes, dst: Nodes, grid: Grid, clear: Nodes, backwards: bool) -> States:
    """Return the states of dimension order: along the first dimension first or, `backwards`, along the last."""
    state = np.full(src.size, INTACT, np.int8)
    count = grid.dims.size
    for i in range(src.size):
        here = int(src[i])
        for k in range(count):
            d = count - 1 - k if backwards else k
            start, end = int(grid.coordinates[src[i], d]), int(grid.coordinates[dst[i], d])
            hops = both_ways(start, end, grid.dims[d], grid.wraps[d])
            ways, left = 0, 0
            for side in range(2):
                if hops[side] > 0:
                    ways += 1
                    left += clear[d, side, here] >= hops[side]
            if left < ways:
                state[i] = REROUTED if left > 0 else DISCONNECTED
                if left == 0:
                    break
            here += (end - start) * grid.strides[d]
    return state


@kernel
def _ordered_hops(
    src: Nodes, dst: Nodes, grid: Grid, clear: Nodes
) -> tuple[FixedPoint, FixedPoint, Volumes, FixedPoint]:
    room = src.size * grid.dims.sum()
    flow, link, role = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    share, at = np.empty(room), 0
    for i in range(src.size):
        turn, first = int(src[i]), at
        for d in range(grid.dims.size):
            start, end = int(grid.coordinates[src[i], d]), int(grid.coordinates[dst[i], d])
            hops = both_ways(start, end, grid.dims[d], grid.wraps[d])
            tie, left = hops[0] > 0 and hops[1] > 0, 0
            for side in range(2):
                left += hops[side] > 0 and clear[d, side, turn] >= hops[side]
            if left == 0 and start != end:
                at = first
                break
            for side in range(2):
                here = turn
                for _ in range(hops[side] if clear[d, side, turn] >= hops[side] else 0):
                    flow[at], link[at] = i, grid.table[d, side, here]
                    share[at], role[at] = 1 / left, TIE if tie else MINIMAL
                    at += 1
                    here = _moved(here, d, side, grid)
            turn += (end - start) * grid.strides[d]
    return flow[:at], link[:at], share[:at], role[:at]
