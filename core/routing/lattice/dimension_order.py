"""Dimension-order routing on tori, meshes and hypercubes (there: e-cube): first along X, then Y, and so on.

A tie (halfway around a ring) is split equally; other tools break ties at random or always upwards.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel, maximum
from core.network.families.hyperx import HyperX
from core.network.families.torus import Lattice
from core.network.network import Network
from core.routing.flows import FixedPoint, Ints, NodeFlows, Nodes, Traced, Volumes
from core.routing.hyperx.dimension_order import HyperXOrderRouter
from core.routing.lattice.grid import Grid, Sizes, both_ways, grid_of, ties, with_coordinate, write_line
from core.routing.route_tables import ANY, MAX_ENTRIES, RouteTable, RouteTables, concatenated
from core.routing.router import Partition, Route, Router, RoutingSpec
from core.spec import Progress, no_progress

MINIMAL, TIE = range(2)
ROLES = ("in the shorter direction", "half of a tie")
SHARE_SCALE = 2
"""Shares are multiples of one half: ties are split equally."""
TABLE_LIMIT = 1 << 26
"""Limit on entries of the table of (node, coordinate) sums; larger dimensions are routed hop by hop."""


class LatticeRouting(RoutingSpec, frozen=True):
    """Common parts of schemes on tori, meshes and hypercubes."""

    def check(self, network: Network) -> Lattice:
        """Return the spec of a lattice."""
        return self.of_family(network, Lattice, "torus, mesh and hypercube")  # type: ignore[type-abstract]


class DimensionOrder(RoutingSpec, frozen=True, tag="dimension-order"):
    """Dimension order: along X, then Y, then Z, in the shorter direction; ties are split equally."""

    title: ClassVar[str] = "Dimension order"

    def check(self, network: Network) -> Lattice | HyperX:
        """Return the spec of a lattice, or of a HyperX."""
        if isinstance(network.spec, HyperX):
            return self.of_family(network, HyperX, "hyperx")
        return self.of_family(network, Lattice, "torus, mesh, hypercube and hyperx")  # type: ignore[type-abstract]

    def router(self, network: Network) -> Router:
        """Return the router."""
        spec = self.check(network)
        return HyperXOrderRouter(network, spec) if isinstance(spec, HyperX) else DimensionOrderRouter(network, spec)

    def summary(self) -> str:
        """Return the tie rule."""
        return "one dimension after the other, with ties split equally"


class LatticeRouter(Router):
    """Common parts of routers on tori, meshes and hypercubes."""

    roles, shift_invariant = ROLES, True

    def __init__(self, network: Network, spec: Lattice) -> None:
        super().__init__(network)
        self.grid = grid_of(network, spec)

    def place(self, link: int) -> tuple[int, int, int]:
        """Return the node that a link leaves, its dimension and its side (0 for +, 1 for -)."""
        node = int(self.network.src[link])
        d, side = np.argwhere(self.grid.table[:, :, node] == link)[0]
        return node, int(d), int(side)

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the distances: all schemes on lattices are minimal."""
        hops: Volumes = self.away(src, dst).sum(axis=1).astype(float)
        return hops

    def away(self, src: Nodes, dst: Nodes) -> FixedPoint:
        """Return the distances along each dimension, shape ``(flows, dimensions)``."""
        grid = self.grid
        away = np.abs(grid.coordinates[dst] - grid.coordinates[src]).astype(np.int64)
        distances: FixedPoint = np.where(grid.wraps, np.minimum(away, grid.dims - away), away)
        return distances

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return for each dimension the slices across it: each unit between two slices moves along it."""
        sizes = [int(size) for size in self.grid.dims if size > 1]
        slices = zip(self.network.classes, sizes, strict=True)
        return tuple(
            (Partition(f"{c.name} slice", self.network.nodes // size, size, {c.name: 1.0}),) for c, size in slices
        )

    def nearest(self) -> NDArray[np.int64]:
        """Return the distances from the middle node, ascending: no node has more nodes within any distance.

        Proof. From the middle, the distance along each dimension to a random node is stochastically smallest, the
        dimensions are independent, and sums preserve that order.
        """
        counts = np.ones(1)
        for size, ring in zip(self.grid.dims.tolist(), self.grid.wraps, strict=True):
            away = np.abs(np.arange(size) - size // 2)
            counts = np.convolve(counts, np.bincount(np.minimum(away, size - away) if ring else away))
        return np.repeat(np.arange(counts.size), np.rint(counts).astype(np.int64))[1:]


class DimensionOrderRouter(LatticeRouter):
    """Sums flows by node and destination coordinate in each dimension, then carries the sums along all lines."""

    memoryless = True

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link."""
        loads, nodes, dims = np.zeros(self.network.links), self.network.nodes, self.grid.dims
        if nodes * int(dims.sum()) > TABLE_LIMIT:
            for block in flows:
                _walk(*block, self.grid, loads)
            return loads
        first = np.cumsum([0, *(nodes * dims)])
        sums = np.zeros(int(first[-1]))
        for block in flows:
            _sum_by_dimension(*block, self.grid, first, sums)
        for d, size in enumerate(dims):
            _carry(sums[first[d] : first[d + 1]].reshape(-1, int(size)), d, self.grid, loads)
        return loads

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair, hop by hop."""
        unit = np.array([SHARE_SCALE])
        links, parts = _trace(np.array([u], np.int32), np.array([v], np.int32), unit, self.grid)
        return Route.of(links, parts / SHARE_SCALE, np.where(parts == SHARE_SCALE, MINIMAL, TIE))

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`: all, half in a tie, or nothing."""
        node, d, side = self.place(link)
        place, start, end = (self.grid.coordinates[some] for some in (node, src, dst))
        on_line = (end[:, :d] == place[:d]).all(axis=1) & (start[:, d + 1 :] == place[d + 1 :]).all(axis=1)
        sign = (1, -1)[side]
        size = int(self.grid.dims[d])
        ahead, gone = (end[:, d] - start[:, d]) * sign, (place[d] - start[:, d]) * sign
        tie = ties(src, dst, d, self.grid)
        if self.grid.wraps[d]:
            ahead, gone = ahead % size, gone % size
            on_line &= 2 * ahead <= size
        passes = on_line & (gone >= 0) & (gone < ahead)
        return np.stack([passes & ~tie, (passes & tie) / 2])

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow, hop by hop."""
        return Traced(*_trace(src, dst, volume, self.grid))

    def squares(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the hops, halved along tied dimensions: there are twice as many links, each with half a share."""
        away = self.away(src, dst)
        squares: Volumes = np.where(self.grid.wraps & (2 * away == self.grid.dims), away / 2, away).sum(axis=1)
        return squares

    def route_tables(self) -> RouteTables | None:
        """Return a table for each dimension, or None if too large."""
        dims = self.grid.dims
        if self.network.nodes * int((dims * dims).sum()) // 4 > MAX_ENTRIES:
            return None
        tables = [dimension_table(d, self.grid) for d in range(dims.size)]
        return concatenated(tables, SHARE_SCALE, np.zeros(self.network.nodes, np.int32))

    @property
    def single_path(self) -> bool:
        """Return whether there are no ties: rings have an odd number of nodes."""
        return not (self.grid.wraps & (self.grid.dims % 2 == 0)).any()

    @property
    def lanes(self) -> int:
        """Return two lanes for rings, as published by Dally and Seitz, 1987."""
        return 2 if self.grid.wraps.any() else 1

    def lane_of(self, link: Ints, role: Ints, dst: Ints) -> Ints:
        """Return 1 for hops that still have the link between the ends of their ring (the dateline) ahead, else 0."""
        at, end = (self.grid.coordinates[nodes] for nodes in (self.network.src[link], dst))
        hop, (d, side) = np.arange(link.size), self._direction[:, link]
        ahead = (end[hop, d] - at[hop, d]) * (1 - 2 * side)
        return np.asarray(self.grid.wraps[d] & (ahead < 0), np.int64)

    @cached_property
    def _direction(self) -> Nodes:
        # (2, links) the dimension and the side of every link.
        direction = np.zeros((2, self.network.links), np.int32)
        for d, sides in enumerate(self.grid.table):
            for side, links in enumerate(sides):
                direction[0, links[links >= 0]], direction[1, links[links >= 0]] = d, side
        return direction

    def updates(self, flows: int) -> int:
        """Return the mean distance, approximately."""
        return flows * max(int(self.grid.dims.sum()) // 3, 1)

    def share_quantum(self, name: str) -> Fraction:
        """Return 1/2: only ties are split."""
        return Fraction(1, 2)


@kernel
def _sum_by_dimension(src: Nodes, dst: Nodes, volume: Volumes, grid: Grid, first: Sizes, sums: Volumes) -> None:
    # sums[first[d] + node * dims[d] + c]: volume at `node` before its hops in dimension d, to coordinate c.
    coordinates, dims, strides = grid.coordinates, grid.dims, grid.strides
    for i in range(src.size):
        node, target = np.int64(src[i]), dst[i]
        for d in range(dims.size):
            start, end = coordinates[src[i], d], coordinates[target, d]
            if start != end:
                sums[first[d] + node * dims[d] + end] += volume[i]
                node += (end - start) * strides[d]


@kernel
def _carry(wanted: Volumes, d: int, grid: Grid, loads: Volumes) -> None:
    # Longest distance first: volume with r hops to go moves on and is added to that with r - 1. Sums only, no
    # differences.
    nodes, size = wanted.shape
    ring, step, coordinates, table = grid.wraps[d], grid.strides[d], grid.coordinates, grid.table
    moving, arrived = np.zeros(nodes), np.zeros(nodes)
    for side in range(2):
        sign = 1 - 2 * side
        moving[:] = 0.0
        for r in range(size // 2 if ring else size - 1, 0, -1):
            arrived[:] = 0.0
            for n in range(nodes):
                c = coordinates[n, d]
                end = c + sign * r
                volume = moving[n]
                if ring:
                    volume += wanted[n, end % size] * (0.5 if 2 * r == size else 1.0)
                elif 0 <= end < size:
                    volume += wanted[n, end]
                if volume != 0.0:
                    loads[table[d, side, n]] += volume
                    arrived[n + ((c + sign) % size - c) * step] = volume
            moving, arrived = arrived, moving


@kernel
def _walk(src: Nodes, dst: Nodes, volume: Volumes, grid: Grid, loads: Volumes) -> None:
    links = np.empty(maximum(grid.dims), np.int32)
    for i in range(src.size):
        node, target = int(src[i]), int(dst[i])
        for d in range(grid.dims.size):
            hops = both_ways(node, target, d, grid)
            share = volume[i] / 2 if hops[0] > 0 and hops[1] > 0 else volume[i]
            for side in range(2):
                for k in range(write_line(node, d, side, hops[side], grid, links, 0)):
                    loads[links[k]] += share
            node = with_coordinate(node, target, d, grid)


@kernel
def _trace(src: Nodes, dst: Nodes, volume: FixedPoint, grid: Grid) -> tuple[Nodes, FixedPoint]:
    count = 0
    for i in range(src.size):
        for d in range(grid.dims.size):
            up, down = both_ways(int(src[i]), int(dst[i]), d, grid)
            count += up + down
    links, parts, at = np.empty(count, np.int32), np.empty(count, np.int64), 0
    for i in range(src.size):
        node, target = int(src[i]), int(dst[i])
        for d in range(grid.dims.size):
            hops = both_ways(node, target, d, grid)
            share = volume[i] // 2 if hops[0] > 0 and hops[1] > 0 else volume[i]
            for side in range(2):
                first, at = at, write_line(node, d, side, hops[side], grid, links, at)
                for k in range(first, at):
                    parts[k] = share
            node = with_coordinate(node, target, d, grid)
    return links, parts


def dimension_table(d: int, grid: Grid) -> RouteTable:
    """Return the route table of dimension d (see `core.routing.route_tables`).

    Before its hops in dimension d, a unit has the destination's coordinates in the earlier dimensions, and the source's
    from d on. So a row depends on the source's coordinates from d on, and on the destination's up to d.
    """
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
