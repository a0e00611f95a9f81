"""Dimension-order routing around failed links, and common parts for all schemes on lattices.

Dimension order has one path along each dimension, or two in a tie; if only one side of a tie remains, it carries
everything.
"""

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.faulty import DISCONNECTED, INTACT, REROUTED, FaultyRouter, States
from core.routing.flows import Flags, Hops, Nodes
from core.routing.lattice.dimension_order import MINIMAL, TIE, LatticeRouter
from core.routing.lattice.grid import Grid, both_ways, with_coordinate, write_line
from core.routing.router import Partition


class FaultyLatticeRouter(FaultyRouter):
    """Common parts: the number of hops without a failed link from every node along every dimension."""

    def __init__(self, base: LatticeRouter, failed: Flags) -> None:
        super().__init__(base, failed)
        self.grid, self.clear = base.grid, _clear_hops(base.grid, failed)

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return the base scheme's partitions: paths are still shortest."""
        return self.base.partitions()

    def nearest(self) -> NDArray[np.int64] | None:
        """Return the base scheme's distances: paths are still shortest."""
        return self.base.nearest()


class FaultyDimensionOrderRouter(FaultyLatticeRouter):
    """The remaining side of a tie carries everything; other flows that need a failed link are disconnected."""

    memoryless = True

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return for every flow whether it has all its paths, lost sides of ties, or is disconnected."""
        return np.asarray(ordered_state(src, dst, self.grid, self.clear, False))

    def rerouted_hops(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops, dimension by dimension."""
        return _ordered_hops(src, dst, self.grid, self.clear)


@kernel
def _clear_hops(grid: Grid, failed: Flags) -> Nodes:
    # clear[d, side, node]: consecutive intact links from the node on; at most a ring's length.
    count, _, nodes = grid.table.shape
    clear = np.zeros((count, 2, nodes), np.int32)
    for d in range(count):
        size, step = int(grid.dims[d]), int(grid.strides[d])
        for first in range(nodes):
            if grid.coordinates[first, d] != 0:
                continue
            for side in range(2):
                ahead = 0
                # Upstream, twice round: in the first pass a ring's end is not known yet.
                for k in range(2 * size):
                    node = first + ((2 * size - 1 - k) % size if side == 0 else k % size) * step
                    link = grid.table[d, side, node]
                    ahead = min(ahead + 1, size) if link >= 0 and not failed[link] else 0
                    clear[d, side, node] = ahead
    return clear


@kernel
def ordered_state(src: Nodes, dst: Nodes, grid: Grid, clear: Nodes, backwards: bool) -> States:
    """Return the states of dimension order: along the first dimension first or, `backwards`, along the last."""
    state = np.full(src.size, INTACT, np.int8)
    count = grid.dims.size
    for i in range(src.size):
        node, target = int(src[i]), int(dst[i])
        for k in range(count):
            d = count - 1 - k if backwards else k
            hops = both_ways(node, target, d, grid)
            sides, left = 0, 0
            for side in range(2):
                if hops[side] > 0:
                    sides += 1
                    left += clear[d, side, node] >= hops[side]
            if left < sides:
                state[i] = REROUTED if left > 0 else DISCONNECTED
                if left == 0:
                    break
            node = with_coordinate(node, target, d, grid)
    return state


@kernel
def _ordered_hops(src: Nodes, dst: Nodes, grid: Grid, clear: Nodes) -> Hops:
    room = src.size * grid.dims.sum()
    flow, link, role = np.empty(room, np.int64), np.empty(room, np.int32), np.empty(room, np.int64)
    share, at = np.empty(room), 0
    for i in range(src.size):
        node, target, first = int(src[i]), int(dst[i]), at
        for d in range(grid.dims.size):
            hops = both_ways(node, target, d, grid)
            tie, left = hops[0] > 0 and hops[1] > 0, 0
            for side in range(2):
                left += hops[side] > 0 and clear[d, side, node] >= hops[side]
            if left == 0 and hops[0] + hops[1] > 0:
                at = first
                break
            for side in range(2):
                begin = at
                if clear[d, side, node] >= hops[side]:
                    at = write_line(node, d, side, hops[side], grid, link, at)
                for k in range(begin, at):
                    flow[k], share[k], role[k] = i, 1 / left, TIE if tie else MINIMAL
            node = with_coordinate(node, target, d, grid)
    return Hops(flow[:at], link[:at], share[:at], role[:at])
