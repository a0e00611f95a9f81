"""Adaptive minimal routing on tori, meshes and hypercubes as a fluid.

Two models. Uniform: every shortest path in the box between source and destination carries the same volume;
equivalently, volume leaves a node along dimension d with share ``r_d / sum r``, r the remaining hops. Hop-local: equal
shares among the dimensions with hops left. In both models the next hop depends on the node and the destination only, so
all volume to one destination is carried together, one orthant around it after the other. A tie (halfway around a ring)
is split equally between both sides.

Source: Chakaravarthy, Jain and Sabharwal, "Optimizing matrix transpose on torus interconnects", 2010, section 2.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import numpy as np

from core.kernels import kernel, maximum, plain
from core.network.families.torus import Lattice
from core.network.network import Network
from core.routing.flows import FixedPoint, Flags, NodeFlows, Nodes, Traced, Volumes
from core.routing.lattice.dimension_order import MINIMAL, TIE, LatticeRouter, LatticeRouting
from core.routing.lattice.grid import Grid, Sizes, both_ways, ties
from core.routing.node_pairs import NodePairDemand, fits_matrix, pair_matrix, sum_by_node_pair
from core.routing.router import Route, Router
from core.spec import Progress, declare, no_progress

MAX_PAIRS = 1 << 26
"""Pairs of nodes that are listed if volumes do not fit a matrix."""
PORTIONS = 256
"""Number of batches of destinations; the work can be stopped between two batches."""


class Adaptive(LatticeRouting, frozen=True, tag="adaptive"):
    """Adaptive minimal: traffic spreads over all shortest paths as a fluid."""

    title: ClassVar[str] = "Adaptive minimal"

    model: Annotated[
        Literal["uniform", "hop-local"],
        declare("Model", "uniform over all shortest paths, or split equally at every hop (hop-local)"),
    ] = "uniform"

    def router(self, network: Network) -> Router:
        """Return the router."""
        return AdaptiveRouter(network, self.check(network), self.model == "uniform")

    def summary(self) -> str:
        """Return the model in words."""
        return "equal shares on all shortest paths" if self.model == "uniform" else "equal shares at every hop"


class AdaptiveRouter(LatticeRouter):
    """Carries the volume to each destination inwards."""

    read_share, memoryless = 0.1, True

    def __init__(self, network: Network, spec: Lattice, uniform: bool) -> None:
        super().__init__(network, spec)
        self.uniform = uniform

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link; `progress` is called for every 1/`PORTIONS` of the destinations.

        Raises SpecError: if the traffic has more than `MAX_PAIRS` pairs on a network too large for a dense matrix.
        """
        nodes, loads = self.network.nodes, np.zeros(self.network.links)
        if fits_matrix(nodes):
            matrix = pair_matrix(flows, nodes)
            for first, last in self.destinations(progress):
                _carry_dense(matrix, first, last, self.grid, self.uniform, loads)
        else:
            demand = self.demand_of(flows)
            for first, last in self.destinations(progress):
                _carry_listed(demand.start, demand.src, demand.volume, first, last, self.grid, self.uniform, loads)
        return loads

    def destinations(self, progress: Progress) -> Iterator[tuple[int, int]]:
        """Yield all destinations in batches, as ranges, calling `progress` before each."""
        nodes = self.network.nodes
        step = -(-nodes // PORTIONS)
        for first in range(0, nodes, step):
            progress(first / nodes)
            yield first, min(first + step, nodes)

    def demand_of(self, flows: Iterable[NodeFlows]) -> NodePairDemand:
        """Return the flows summed by pair of nodes.

        Raises SpecError: as `loads` does.
        """
        nodes = self.network.nodes
        what = f"adaptive routing supports at most {MAX_PAIRS:,} pairs on {nodes:,} nodes"
        return sum_by_node_pair(flows, nodes, MAX_PAIRS, f"{what}; choose dimension-order")

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair, by following its fluid node by node."""
        hops: list[tuple[int, float, int]] = []
        roles = np.where(ties(u, v, np.arange(self.grid.dims.size), self.grid), TIE, MINIMAL)
        fluid = {u: 1.0}
        while fluid:
            after: dict[int, float] = {}
            for node, volume in fluid.items():
                for d, side, share in self._next(node, v):
                    link = int(self.grid.table[d, side, node])
                    hops.append((link, volume * share, roles[d]))
                    end = int(self.network.dst[link])
                    after[end] = after.get(end, 0.0) + volume * share
            fluid = after
        return Route.of(*np.reshape(hops, (-1, 3)).T)

    def _next(self, node: int, target: int) -> list[tuple[int, int, float]]:
        weight: dict[tuple[int, int], float] = {}
        for d in range(self.grid.dims.size):
            hops = plain(both_ways)(node, target, d, self.grid)
            sides = [side for side in range(2) if hops[side]]
            weight |= {(d, side): (hops[side] if self.uniform else 1) / len(sides) for side in sides}
        return [(*hop, share / sum(weight.values())) for hop, share in weight.items()]

    def squares(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the sums of the squared shares of a unit, which depend on the distances along each dimension."""
        away = self.away(src, dst) @ self.grid.strides
        new, first = np.unique(away, return_index=True)
        unknown = np.isnan(self._squares[new])
        self._squares[new[unknown]] = super().squares(src[first[unknown]], dst[first[unknown]])
        squares: Volumes = self._squares[away]
        return squares

    @cached_property
    def _squares(self) -> Volumes:
        # By the node at the same offset from node 0; nan if not computed yet.
        return np.full(self.network.nodes, np.nan)

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow; every hop's share is rounded separately."""
        return Traced(*_trace(src, dst, volume, self.grid, self.uniform))

    def updates(self, flows: int) -> int:
        """Return the number of hops in the box of a pair at the mean distance, approximately."""
        return flows * int(np.prod(self.grid.dims // 4 + 1)) * self.grid.dims.size

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`."""
        node, d, _ = self.place(link)
        share = np.zeros(src.size)
        _share_on(link, node, src, dst, self.grid, self.uniform, share)
        tie = ties(src, dst, d, self.grid)
        return np.stack([np.where(tie, 0.0, share), np.where(tie, share, 0.0)])


@kernel
def distances_to(target: int, grid: Grid) -> Sizes:
    """Return ``distances[d, side, c]``: hops from coordinate c to the target's, counted as by `both_ways`."""
    distances = np.empty((grid.dims.size, 2, maximum(grid.dims)), np.int64)
    for d in range(grid.dims.size):
        for c in range(grid.dims[d]):
            distances[d, 0, c], distances[d, 1, c] = both_ways(c * int(grid.strides[d]), target, d, grid)
    return distances


@kernel
def extent_of(src: Nodes, distances: Sizes, grid: Grid) -> Sizes:
    """Return ``extent[d, side]``: the most hops of any source on that side; ties are on both sides."""
    extent = np.zeros((grid.dims.size, 2), np.int64)
    for i in range(src.size):
        for d in range(grid.dims.size):
            for side in range(2):
                extent[d, side] = max(extent[d, side], distances[d, side, grid.coordinates[src[i], d]])
    return extent


@kernel
def _sides(orthant: int, extent: Sizes, sides: Sizes) -> None:
    # The side of each dimension. Only dimensions with volume from both sides take a bit of the orthant's number; in
    # hypercubes none does.
    bit = 0
    for d in range(extent.shape[0]):
        if extent[d, 0] > 0 and extent[d, 1] > 0:
            sides[d] = (orthant >> bit) & 1
            bit += 1
        else:
            sides[d] = 1 if extent[d, 1] > 0 else 0


@kernel
def _boxes(extent: Sizes) -> Sizes:
    # Start of the box of each orthant in one array for all, and the end of the last one.
    count = extent.shape[0]
    bits = 0
    for d in range(count):
        bits += extent[d, 0] > 0 and extent[d, 1] > 0
    start, sides = np.zeros((1 << bits) + 1, np.int64), np.empty(count, np.int64)
    for orthant in range(1 << bits):
        _sides(orthant, extent, sides)
        box = 1
        for d in range(count):
            box *= extent[d, sides[d]] + 1
        start[orthant + 1] = start[orthant] + box
    return start


@kernel
def _pour(
    src: Nodes,
    volume: Volumes,
    distances: Sizes,
    coordinates: Nodes,
    extent: Sizes,
    start: Sizes,
    fluid: Volumes,
    filled: Flags,
) -> None:
    # Put the volume of every source into its orthant, halved for each tie.
    count = extent.shape[0]
    sides = np.empty(count, np.int64)
    for i in range(src.size):
        place = coordinates[src[i]]
        fixed, ties, share, bit = 0, 0, volume[i], 0
        for d in range(count):
            if extent[d, 0] == 0 or extent[d, 1] == 0:
                continue
            if distances[d, 1, place[d]] > 0:
                if distances[d, 0, place[d]] > 0:
                    ties |= 1 << bit
                    share *= 0.5
                else:
                    fixed |= 1 << bit
            bit += 1
        some = ties
        while True:
            orthant = fixed | some
            _sides(orthant, extent, sides)
            cell = 0
            for d in range(count):
                cell = cell * (extent[d, sides[d]] + 1) + distances[d, sides[d], place[d]]
            fluid[start[orthant] + cell] += share
            filled[orthant] = True
            if some == 0:
                break
            some = (some - 1) & ties


@kernel
def _places(target: int, extent: Sizes, grid: Grid) -> Sizes:
    # places[d, side, k]: offset in node numbers of the node k hops upstream of the target on that side.
    count = grid.dims.size
    places = np.zeros((count, 2, maximum(extent) + 1), np.int64)
    for d in range(count):
        for side in range(2):
            for k in range(extent[d, side] + 1):
                c = (grid.coordinates[target, d] - (1 - 2 * side) * k) % grid.dims[d]
                places[d, side, k] = c * grid.strides[d]
    return places


@kernel
def count_down(left: Sizes, size: Sizes, digits: int) -> None:
    """Decrement a number with digits `left`, last digit lowest, each below its `size`."""
    for d in range(digits - 1, -1, -1):
        if left[d] > 0:
            left[d] -= 1
            break
        left[d] = size[d] - 1


@kernel
def _carry_inwards(
    fluid: Volumes, orthant: int, extent: Sizes, places: Sizes, table: Nodes, uniform: bool, loads: Volumes
) -> None:
    # Cells of the box in descending order: every hop leads to a smaller cell, so each is complete in its turn. Row by
    # row: within a row only the hops along the last dimension change.
    count = extent.shape[0]
    last = count - 1
    sides = np.empty(count, np.int64)
    _sides(orthant, extent, sides)
    size, step, left = np.empty(count, np.int64), np.ones(count, np.int64), np.empty(count, np.int64)
    for d in range(last, -1, -1):
        left[d] = extent[d, sides[d]]
        size[d] = left[d] + 1
        if d < last:
            step[d] = step[d + 1] * size[d + 1]
    for row in range(fluid.size // size[last] - 1, -1, -1):
        start, outer = 0, 0
        for d in range(last):
            start += places[d, sides[d], left[d]]
            outer += left[d] if uniform else min(left[d], 1)
        for k in range(size[last] - 1, -1, -1):
            cell = row * size[last] + k
            own = k if uniform else min(k, 1)
            if fluid[cell] == 0.0 or outer + own == 0:
                continue
            volume = fluid[cell] / (outer + own)
            node = start + places[last, sides[last], k]
            for d in range(last):
                if left[d] > 0:
                    part = volume * left[d] if uniform else volume
                    loads[table[d, sides[d], node]] += part
                    fluid[cell - step[d]] += part
            if k > 0:
                loads[table[last, sides[last], node]] += volume * own
                fluid[cell - 1] += volume * own
        count_down(left, size, last)


@kernel
def _carry_to(target: int, src: Nodes, volume: Volumes, grid: Grid, uniform: bool, loads: Volumes) -> None:
    distances = distances_to(target, grid)
    extent = extent_of(src, distances, grid)
    start, places = _boxes(extent), _places(target, extent, grid)
    fluid, filled = np.zeros(start[-1]), np.zeros(start.size - 1, np.bool_)
    _pour(src, volume, distances, grid.coordinates, extent, start, fluid, filled)
    for orthant in range(filled.size):
        if filled[orthant]:
            box = fluid[start[orthant] : start[orthant + 1]]
            _carry_inwards(box, orthant, extent, places, grid.table, uniform, loads)


@kernel
def _carry_dense(matrix: Volumes, first: int, last: int, grid: Grid, uniform: bool, loads: Volumes) -> None:
    # Row v of the matrix: the volume from each node to node v.
    nodes = matrix.shape[0]
    src, volume = np.empty(nodes, np.int32), np.empty(nodes)
    for target in range(first, last):
        count = 0
        for u in range(nodes):
            if matrix[target, u] != 0.0:
                src[count], volume[count] = u, matrix[target, u]
                count += 1
        if count:
            _carry_to(target, src[:count], volume[:count], grid, uniform, loads)


@kernel
def _carry_listed(
    start: Sizes, src: Nodes, volume: Volumes, begin: int, end: int, grid: Grid, uniform: bool, loads: Volumes
) -> None:
    # Sources and volumes of destination v are at start[v] .. start[v + 1].
    for target in range(begin, end):
        first, last = start[target], start[target + 1]
        if first < last:
            _carry_to(target, src[first:last], volume[first:last], grid, uniform, loads)


@kernel
def _may_pass(node: int, u: int, v: int, grid: Grid) -> bool:
    # Whether the node is in the box of the shortest paths from u to v.
    for d in range(grid.dims.size):
        direct, gone, left = both_ways(u, v, d, grid), both_ways(u, node, d, grid), both_ways(node, v, d, grid)
        if gone[0] + left[0] != direct[0] and gone[1] + left[1] != direct[1]:
            return False
    return True


@kernel
def _share_on(link: int, node: int, src: Nodes, dst: Nodes, grid: Grid, uniform: bool, share: Volumes) -> None:
    # The share of each flow on `link`, one flow at a time; loads of other links are ignored.
    loads = np.zeros(maximum(grid.table) + 1)
    unit = np.ones(1)
    for i in range(src.size):
        if src[i] != dst[i] and _may_pass(node, int(src[i]), int(dst[i]), grid):
            loads[link] = 0.0
            _carry_to(int(dst[i]), src[i : i + 1], unit, grid, uniform, loads)
            share[i] = loads[link]


@kernel
def _trace(src: Nodes, dst: Nodes, volume: FixedPoint, grid: Grid, uniform: bool) -> tuple[Nodes, FixedPoint]:
    count = 0
    for i in range(src.size):
        count += _trace_size(int(src[i]), int(dst[i]), grid)
    links, parts, at = np.empty(count, np.int32), np.empty(count, np.int64), 0
    for i in range(src.size):
        if src[i] != dst[i]:
            at = _trace_flow(int(src[i]), int(dst[i]), volume[i], grid, uniform, links, parts, at)
    return links[:at], parts[:at]


@kernel
def _trace_size(u: int, v: int, grid: Grid) -> int:
    # Buffers for the hops of one flow: every cell of its box, in every dimension; for ties, boxes on both sides.
    cells = 1
    for d in range(grid.dims.size):
        up, down = both_ways(u, v, d, grid)
        cells *= (1 + max(up, down)) * (2 if up > 0 and down > 0 else 1)
    return cells * grid.dims.size


@kernel
def _trace_flow(
    u: int, v: int, volume: int, grid: Grid, uniform: bool, links: Nodes, parts: FixedPoint, at: int
) -> int:
    fixed, tied, share = 0, 0, 1.0
    for d in range(grid.dims.size):
        up, down = both_ways(u, v, d, grid)
        if up > 0 and down > 0:
            tied |= 1 << d
            share *= 0.5
        elif down > 0:
            fixed |= 1 << d
    some = tied
    while True:
        at = _trace_orthant(u, v, fixed | some, share, volume, grid, uniform, links, parts, at)
        if some == 0:
            return at
        some = (some - 1) & tied


@kernel
def _trace_orthant(
    u: int,
    v: int,
    orthant: int,
    share: float,
    volume: int,
    grid: Grid,
    uniform: bool,
    links: Nodes,
    parts: FixedPoint,
    at: int,
) -> int:
    # As in `_carry_inwards`: cells in descending order, each complete in its turn.
    count, dims, end = grid.dims.size, grid.dims, grid.coordinates[v]
    sides = np.array([(orthant >> d) & 1 for d in range(count)])
    left = np.array([both_ways(u, v, d, grid)[sides[d]] for d in range(count)])
    size, step = left + 1, np.ones(count, np.int64)
    for d in range(count - 2, -1, -1):
        step[d] = step[d + 1] * size[d + 1]
    fluid = np.zeros(step[0] * size[0])
    fluid[-1] = share
    for cell in range(fluid.size - 1, 0, -1):
        choices, node = 0, 0
        for d in range(count):
            choices += left[d] if uniform else min(left[d], 1)
            node += (end[d] - (1 - 2 * sides[d]) * left[d]) % dims[d] * grid.strides[d]
        for d in range(count):
            if left[d] > 0:
                part = fluid[cell] / choices * (left[d] if uniform else 1)
                fluid[cell - step[d]] += part
                links[at], parts[at] = grid.table[d, sides[d], node], np.int64(np.rint(volume * part))
                at += 1
        count_down(left, size, count)
    return at
