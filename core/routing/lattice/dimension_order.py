"""Dimension-order routing on tori, meshes and hypercubes (there: e-cube): first along X, then Y, and so on.

A tie (exactly half way round a ring) is split half each way; other tools break it at random or always
upwards.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.families.torus import Lattice, link_table, stride
from core.network.network import Network
from core.routing.flows import FixedPoint, Flags, NodeFlows, Nodes, Traced, Volumes
from core.routing.lattice.tables import Sizes, both_ways, dimension_table
from core.routing.route_tables import MAX_ENTRIES, RouteTables, concatenated
from core.routing.router import Partition, Route, Router, RoutingSpec
from core.spec import Progress, SpecError, no_progress

MINIMAL, TIE = range(2)
ROLES = ("on the only shortest way", "half of a tie")
TABLE_LIMIT = 1 << 26
"""Entries of the table of (node, coordinate) sums; larger dimensions are walked hop by hop."""


class DimensionOrder(RoutingSpec, frozen=True, tag="dimension-order"):
    """Dimension order: along X, then Y, then Z, the shorter way round; ties split half each way."""

    title: ClassVar[str] = "Dimension order"

    def router(self, network: Network) -> Router:
        """Return the router.

        Raises SpecError: on networks other than lattices.
        """
        return DimensionOrderRouter(network, lattice_of(network, "dimension-order"))

    def check(self, network: Network) -> None:
        """Refuse networks other than lattices."""
        lattice_of(network, "dimension-order")

    def summary(self) -> str:
        """Return the tie rule."""
        return "X, then Y, then Z; ties split half each way"


def lattice_of(network: Network, scheme: str) -> Lattice:
    """Return the network's spec.

    Raises SpecError: on networks other than lattices.
    """
    if not isinstance(network.spec, Lattice):
        raise SpecError(
            "routing.type",
            f"{scheme} routes torus, mesh and hypercube networks only, not {network.spec.tag()}; minimal routes any",
        )
    return network.spec


class LatticeRouter(Router):
    """What routers on tori, meshes and hypercubes share: coordinates, the link table and signed distances."""

    roles, shifts = ROLES, True

    def __init__(self, network: Network, spec: Lattice) -> None:
        super().__init__(network)
        self.dims = np.array(spec.dims, np.int64)
        self.wraps = np.array(spec.wraps, np.bool_)
        self.strides = np.array([stride(spec.dims, d) for d in range(len(spec.dims))], np.int64)
        self.table = link_table(spec)
        """(dims, 2, nodes) link along each dimension, + and -."""
        nodes = np.arange(network.nodes)[:, None]
        self.coordinates = (nodes // self.strides % self.dims).astype(np.int32)

    def place(self, link: int) -> tuple[int, int, int]:
        """Return the node a link leaves, its dimension and its side (0 for +, 1 for -)."""
        node = int(self.network.src[link])
        d, side = np.argwhere(self.table[:, :, node] == link)[0]
        return node, int(d), int(side)

    def ways(self, d: int, start: int, end: int) -> list[tuple[int, int, float]]:
        """Return (side, hops, share) for each shortest way along dimension d between two coordinates."""
        size, up = int(self.dims[d]), end - start
        if not self.wraps[d]:
            return [(0 if up > 0 else 1, abs(up), 1.0)] if up else []
        up %= size
        if up == 0:
            return []
        if 2 * up == size:
            return [(0, up, 0.5), (1, up, 0.5)]
        return [(0, up, 1.0)] if 2 * up < size else [(1, size - up, 1.0)]

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the distances: all schemes on lattices are minimal."""
        away = np.abs(self.coordinates[dst] - self.coordinates[src])
        hops: Volumes = np.where(self.wraps, np.minimum(away, self.dims - away), away).sum(axis=1).astype(float)
        return hops

    def partitions(self) -> tuple[tuple[Partition, ...], ...]:
        """Return for each dimension the slices across it: a unit between two of them moves along it."""
        sizes = [int(size) for size in self.dims if size > 1]
        slices = zip(self.network.classes, sizes, strict=True)
        return tuple(
            (Partition(f"{c.name} slice", self.network.nodes // size, size, {c.name: 1.0}),) for c, size in slices
        )

    def nearest(self) -> NDArray[np.int64]:
        """Return the distances from the middle node, ascending: no other node has more nodes within any distance.

        Proof. Seen from the middle, the distance along each dimension to a node drawn at random is the least
        possible in distribution, the dimensions are independent, and sums keep that order.
        """
        counts = np.ones(1)
        for size, ring in zip(self.dims.tolist(), self.wraps, strict=True):
            away = np.abs(np.arange(size) - size // 2)
            counts = np.convolve(counts, np.bincount(np.minimum(away, size - away) if ring else away))
        return np.repeat(np.arange(counts.size), np.rint(counts).astype(np.int64))[1:]


class DimensionOrderRouter(LatticeRouter):
    """Flows are summed per (node, coordinate to reach) in each dimension, then carried round all rings."""

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> NDArray[np.float64]:
        """Return the load of every link."""
        loads = np.zeros(self.network.links)
        if self.network.nodes * int(self.dims.sum()) > TABLE_LIMIT:
            for block in flows:
                _walk(*block, self.coordinates, self.dims, self.wraps, self.strides, self.table, loads)
            return loads
        first = np.concatenate([[0], np.cumsum(self.network.nodes * self.dims)]).astype(np.int64)
        sums = np.zeros(int(first[-1]))
        for block in flows:
            _sum_by_dimension(*block, self.coordinates, self.dims, self.strides, first, sums)
        for d, size in enumerate(self.dims):
            wanted = sums[first[d] : first[d + 1]].reshape(-1, int(size))
            _carry(
                wanted,
                self.coordinates[:, d],
                int(self.strides[d]),
                bool(self.wraps[d]),
                self.table[d],
                loads,
            )
        return loads

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair, hop by hop."""
        hops: list[tuple[int, float, int]] = []
        node = u
        for d, step in enumerate(self.strides):
            start, end = int(self.coordinates[node, d]), int(self.coordinates[v, d])
            for side, count, share in self.ways(d, start, end):
                at = start
                for _ in range(count):
                    here = node + (at - start) * int(step)
                    hops.append((int(self.table[d, side, here]), share, MINIMAL if share == 1 else TIE))
                    at = (at + (1, -1)[side]) % int(self.dims[d])
            node += (end - start) * int(step)
        links, shares, roles = zip(*hops, strict=True) if hops else ((), (), ())
        return Route(np.array(links, np.int64), np.array(shares, np.float64), np.array(roles, np.int64))

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> NDArray[np.float64]:
        """Return the share of each flow that crosses `link`: all, half of a tie, or nothing."""
        node, d, side = self.place(link)
        here, start, end = self.coordinates[node], self.coordinates[src], self.coordinates[dst]
        on_line = (end[:, :d] == here[:d]).all(axis=1) & (start[:, d + 1 :] == here[d + 1 :]).all(axis=1)
        sign = (1, -1)[side]
        size = int(self.dims[d])
        ahead, gone = (end[:, d] - start[:, d]) * sign, (here[d] - start[:, d]) * sign
        tie = np.zeros(src.size, bool)
        if self.wraps[d]:
            ahead, gone = ahead % size, gone % size
            tie = 2 * ahead == size
            on_line &= 2 * ahead <= size
        passes = on_line & (gone >= 0) & (gone < ahead)
        return np.stack([passes & ~tie, (passes & tie) / 2])

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow, hop by hop."""
        return Traced(
            *_trace(src, dst, volume, self.coordinates, self.dims, self.wraps, self.strides, self.table),
        )

    def route_tables(self) -> RouteTables | None:
        """Return a table for each dimension; None where the tables would be too large."""
        if self.network.nodes * int((self.dims * self.dims).sum()) // 4 > MAX_ENTRIES:
            return None
        shape = (self.dims, self.wraps, self.strides)
        tables = [dimension_table(d, *shape, self.table[d], self.coordinates) for d in range(self.dims.size)]
        return concatenated(tables, 2, np.zeros(self.network.nodes, np.int32))

    def updates(self, flows: int) -> int:
        """Return the mean distance, near enough."""
        return flows * max(int(self.dims.sum()) // 3, 1)

    def share_quantum(self, name: str) -> Fraction:
        """Return 1/2: only ties are split."""
        return Fraction(1, 2)


@kernel
def _sum_by_dimension(
    src: Nodes,
    dst: Nodes,
    volume: Volumes,
    coordinates: Nodes,
    dims: Sizes,
    strides: Sizes,
    first: Sizes,
    sums: Volumes,
) -> None:
    # sums[first[d] + node * dims[d] + c]: volume that is at `node` when its turn in dimension d comes, bound
    # for c.
    for i in range(src.size):
        here, target = np.int64(src[i]), dst[i]
        for d in range(dims.size):
            start, end = coordinates[src[i], d], coordinates[target, d]
            if start != end:
                sums[first[d] + here * dims[d] + end] += volume[i]
                here += (end - start) * strides[d]


@kernel
def _carry(wanted: Volumes, coordinate: Nodes, step: int, ring: bool, table: Nodes, loads: Volumes) -> None:
    # Longest way first: what has r hops to go moves on and joins what starts with r - 1. Only sums, never
    # differences.
    nodes, size = wanted.shape
    longest = size // 2 if ring else size - 1
    moving, arrived = np.zeros(nodes), np.zeros(nodes)
    for side in range(2):
        sign = 1 - 2 * side
        moving[:] = 0.0
        for r in range(longest, 0, -1):
            arrived[:] = 0.0
            for n in range(nodes):
                c = coordinate[n]
                end = c + sign * r
                volume = moving[n]
                if ring:
                    volume += wanted[n, end % size] * (0.5 if 2 * r == size else 1.0)
                elif 0 <= end < size:
                    volume += wanted[n, end]
                if volume != 0.0:
                    loads[table[side, n]] += volume
                    arrived[n + ((c + sign) % size - c) * step] = volume
            moving, arrived = arrived, moving


@kernel
def _walk(
    src: Nodes,
    dst: Nodes,
    volume: Volumes,
    coordinates: Nodes,
    dims: Sizes,
    wraps: Flags,
    strides: Sizes,
    table: Nodes,
    loads: Volumes,
) -> None:
    for i in range(src.size):
        here = np.int64(src[i])
        for d in range(dims.size):
            size, start, end = dims[d], coordinates[src[i], d], coordinates[dst[i], d]
            if start == end:
                continue
            up = (end - start) % size if wraps[d] else end - start
            for side in range(2):
                hops = up if side == 0 else (size - up if wraps[d] else -up)
                if hops <= 0 or (wraps[d] and 2 * hops > size):
                    continue
                share = volume[i] * (0.5 if wraps[d] and 2 * hops == size else 1.0)
                at, c = here, np.int64(start)
                for _ in range(hops):
                    loads[table[d, side, at]] += share
                    after = (c + 1 - 2 * side) % size
                    at += (after - c) * strides[d]
                    c = after
            here += (end - start) * strides[d]


@kernel
def _count_hops(src: Nodes, dst: Nodes, coordinates: Nodes, dims: Sizes, wraps: Flags) -> int:
    count = 0
    for i in range(src.size):
        for d in range(dims.size):
            up, down = both_ways(coordinates[src[i], d], coordinates[dst[i], d], dims[d], wraps[d])
            count += up + down
    return count


@kernel
def _trace(
    src: Nodes,
    dst: Nodes,
    volume: FixedPoint,
    coordinates: Nodes,
    dims: Sizes,
    wraps: Flags,
    strides: Sizes,
    table: Nodes,
) -> tuple[Nodes, FixedPoint]:
    count = _count_hops(src, dst, coordinates, dims, wraps)
    links, parts, at = np.empty(count, np.int32), np.empty(count, np.int64), 0
    for i in range(src.size):
        turn = np.int64(src[i])
        for d in range(dims.size):
            start, end = coordinates[src[i], d], coordinates[dst[i], d]
            hops = both_ways(start, end, dims[d], wraps[d])
            share = volume[i] // 2 if hops[0] > 0 and hops[1] > 0 else volume[i]
            for side in range(2):
                here, c = turn, start
                for _ in range(hops[side]):
                    links[at], parts[at] = table[d, side, here], share
                    at += 1
                    after = (c + 1 - 2 * side) % dims[d]
                    here += (after - c) * strides[d]
                    c = after
            turn += (end - start) * strides[d]
    return links, parts
