"""Adaptive minimal routing on tori and meshes as a fluid (matrix transpose on tori, section 2).

Two models. Uniform: every shortest path of the box between source and destination carries the same;
equivalently, volume leaves a node along dimension d with share ``r_d / sum r``, r the remaining hops.
Hop-local: equal shares among the dimensions with hops left. Either way the next hop depends on the node and
the destination alone, so all volume bound for one destination is carried inwards at once, one orthant around
it after the other. A tie (half way round a ring) goes half each way.
"""

from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from core.network.network import Network
from core.network.torus import Mesh, Torus
from core.routing.dimension_order import MINIMAL, TIE, Flags, LatticeRouter, Sizes, lattice_of
from core.routing.routing import NodeFlows, Nodes, Route, Router, RoutingSpec, Volumes
from core.spec import SpecError, declare

DENSE_NODES = 4096
"""Up to here traffic is summed in a dense matrix (134 MB); beyond, in a list of pairs."""
MAX_PAIRS = 1 << 26


class Adaptive(RoutingSpec, frozen=True, tag="adaptive"):
    """Adaptive minimal: over all shortest paths, as a fluid."""

    title: ClassVar[str] = "Adaptive minimal"

    model: Annotated[
        Literal["uniform", "hop-local"],
        declare("Model", "uniform over all shortest paths, or equal shares at every hop"),
    ] = "uniform"

    def router(self, network: Network) -> Router:
        """Return the router.

        Raises SpecError: on networks other than tori and meshes.
        """
        return AdaptiveRouter(network, lattice_of(network, "adaptive"), self.model == "uniform")

    def check(self, network: Network) -> None:
        """Refuse networks other than tori and meshes."""
        lattice_of(network, "adaptive")

    def summary(self) -> str:
        """Return the model in words."""
        return "equal on all shortest paths" if self.model == "uniform" else "equal shares at every hop"


class AdaptiveRouter(LatticeRouter):
    """Carries the volume bound for each destination inwards."""

    def __init__(self, network: Network, spec: Torus | Mesh, uniform: bool) -> None:
        super().__init__(network, spec)
        self.uniform = uniform

    def loads(self, flows: Iterable[NodeFlows]) -> NDArray[np.float64]:
        """Return the load of every link.

        Raises SpecError: if the traffic has more than `MAX_PAIRS` pairs on a network too large for a dense
        matrix.
        """
        start, src, volume = self._by_destination(flows)
        loads = np.zeros(self.network.links)
        _carry_all(
            start,
            src,
            volume,
            self.coordinates,
            self.dims,
            self.wraps,
            self.strides,
            self.table,
            self.uniform,
            loads,
        )
        return loads

    def _by_destination(self, flows: Iterable[NodeFlows]) -> tuple[NDArray[np.int64], Nodes, Volumes]:
        # Sources and volumes of destination v stand at start[v] .. start[v + 1].
        nodes = self.network.nodes
        if nodes <= DENSE_NODES:
            matrix = np.zeros((nodes, nodes))
            for block in flows:
                _add_pairs(*block, matrix)
            v, u = np.nonzero(matrix)
            return np.searchsorted(v, np.arange(nodes + 1)), u.astype(np.int32), matrix[v, u]
        keys, volumes = np.zeros(0, np.int64), np.zeros(0)
        for block in flows:
            keys, where = np.unique(
                np.append(keys, block.dst.astype(np.int64) * nodes + block.src), return_inverse=True
            )
            volumes = np.asarray(np.bincount(where, np.append(volumes, block.volume), keys.size), np.float64)
            if keys.size > MAX_PAIRS:
                raise SpecError(
                    "routing.type",
                    f"adaptive routing of over {MAX_PAIRS:,} pairs on {nodes:,} nodes does not fit; "
                    "dimension-order does",
                )
        v, u = np.divmod(keys, nodes)
        return np.searchsorted(v, np.arange(nodes + 1)), u.astype(np.int32), volumes

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair, by following the fluid node by node."""
        hops: list[tuple[int, float, int]] = []
        ties = self.wraps & (2 * ((self.coordinates[v] - self.coordinates[u]) % self.dims) == self.dims)
        fluid = {u: 1.0}
        while fluid:
            after: dict[int, float] = {}
            for node, volume in fluid.items():
                for d, side, share in self._next(node, v):
                    link = int(self.table[d, side, node])
                    hops.append((link, volume * share, TIE if ties[d] else MINIMAL))
                    there = int(self.network.dst[link])
                    after[there] = after.get(there, 0.0) + volume * share
            fluid = after
        links, shares, roles = zip(*hops, strict=True) if hops else ((), (), ())
        return Route(np.array(links, np.int64), np.array(shares, np.float64), np.array(roles, np.int64))

    def _next(self, node: int, target: int) -> list[tuple[int, int, float]]:
        here, there = self.coordinates[node], self.coordinates[target]
        ways = [(d, way) for d in range(self.dims.size) for way in self.ways(d, int(here[d]), int(there[d]))]
        weight = [share * (hops if self.uniform else 1) for _, (_, hops, share) in ways]
        return [(d, side, w / sum(weight)) for (d, (side, _, _)), w in zip(ways, weight, strict=True)]

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> NDArray[np.float64]:
        """Return the share of each flow that crosses `link`."""
        _, d, _ = self.place(link)
        share = np.zeros(src.size)
        _share_on(
            link,
            src,
            dst,
            self.coordinates,
            self.dims,
            self.wraps,
            self.strides,
            self.table,
            self.uniform,
            share,
        )
        ahead = (self.coordinates[dst, d] - self.coordinates[src, d]) % self.dims[d]
        tie = self.wraps[d] & (2 * ahead == self.dims[d])
        return np.stack([np.where(tie, 0.0, share), np.where(tie, share, 0.0)])


@njit(cache=True, nogil=True)
def _add_pairs(src: Nodes, dst: Nodes, volume: Volumes, matrix: Volumes) -> None:
    for i in range(src.size):
        if src[i] != dst[i]:
            matrix[dst[i], src[i]] += volume[i]


@njit(cache=True, nogil=True)
def _hops(start: int, end: int, size: int, ring: bool, side: int) -> int:
    # Hops along the shortest way on that side (a tie counts on both), -1 if the other side is shorter; 0
    # counts as +.
    ahead = (end - start) * (1 - 2 * side)
    if ring:
        ahead %= size
        if 2 * ahead > size:
            return -1
    if ahead < 0 or (ahead == 0 and side == 1):
        return -1
    return ahead


@njit(cache=True, nogil=True)
def _extent(
    src: Nodes,
    volume: Volumes,
    target: int,
    orthant: int,
    coordinates: Nodes,
    dims: Sizes,
    wraps: Flags,
    hops: Sizes,
    share: Volumes,
    extent: Sizes,
) -> int:
    # Fill `hops` and `share` of every source in the orthant (share 0: not in it); return the cells of the box
    # they span.
    extent[:] = 0
    for i in range(src.size):
        share[i] = volume[i]
        for d in range(dims.size):
            r = _hops(coordinates[src[i], d], coordinates[target, d], dims[d], wraps[d], (orthant >> d) & 1)
            if r < 0:
                share[i] = 0.0
                break
            if wraps[d] and 2 * r == dims[d]:
                share[i] *= 0.5
            hops[i, d] = r
        if share[i] != 0.0:
            for d in range(dims.size):
                extent[d] = max(extent[d], hops[i, d])
    box = 1
    for d in range(dims.size):
        box *= extent[d] + 1
    return box


@njit(cache=True, nogil=True)
def _carry_inwards(
    fluid: Volumes,
    extent: Sizes,
    target: int,
    orthant: int,
    coordinates: Nodes,
    dims: Sizes,
    strides: Sizes,
    table: Nodes,
    uniform: bool,
    loads: Volumes,
) -> None:
    # Cells of the box in descending order: every hop leads to a smaller cell, so each is complete when its
    # turn comes.
    count = dims.size
    left = extent.copy()
    for cell in range(fluid.size - 1, 0, -1):
        volume = fluid[cell]
        if volume != 0.0:
            fluid[cell] = 0.0
            node, weight = np.int64(target), 0
            for d in range(count):
                c = np.int64(coordinates[target, d])
                sign = 1 - 2 * ((orthant >> d) & 1)
                node += ((c - sign * left[d]) % dims[d] - c) * strides[d]
                weight += left[d] if uniform else min(left[d], 1)
            step = 1
            for d in range(count - 1, -1, -1):
                if left[d] > 0:
                    part = volume * (left[d] if uniform else 1) / weight
                    loads[table[d, (orthant >> d) & 1, node]] += part
                    fluid[cell - step] += part
                step *= extent[d] + 1
        for d in range(count - 1, -1, -1):
            if left[d] > 0:
                left[d] -= 1
                break
            left[d] = extent[d]
    fluid[0] = 0.0


@njit(cache=True, nogil=True)
def _carry_to(
    target: int,
    src: Nodes,
    volume: Volumes,
    coordinates: Nodes,
    dims: Sizes,
    wraps: Flags,
    strides: Sizes,
    table: Nodes,
    uniform: bool,
    loads: Volumes,
) -> None:
    count = dims.size
    extent = np.zeros(count, np.int64)
    hops, share = np.zeros((src.size, count), np.int64), np.zeros(src.size)
    for orthant in range(1 << count):
        box = _extent(src, volume, target, orthant, coordinates, dims, wraps, hops, share, extent)
        if box == 1:
            continue
        fluid = np.zeros(box)
        for i in range(src.size):
            if share[i] != 0.0:
                cell = 0
                for d in range(count):
                    cell = cell * (extent[d] + 1) + hops[i, d]
                fluid[cell] += share[i]
        _carry_inwards(fluid, extent, target, orthant, coordinates, dims, strides, table, uniform, loads)


@njit(cache=True, nogil=True)
def _carry_all(
    start: Sizes,
    src: Nodes,
    volume: Volumes,
    coordinates: Nodes,
    dims: Sizes,
    wraps: Flags,
    strides: Sizes,
    table: Nodes,
    uniform: bool,
    loads: Volumes,
) -> None:
    for target in range(start.size - 1):
        first, last = start[target], start[target + 1]
        if first < last:
            _carry_to(
                target,
                src[first:last],
                volume[first:last],
                coordinates,
                dims,
                wraps,
                strides,
                table,
                uniform,
                loads,
            )


@njit(cache=True, nogil=True)
def _share_on(
    link: int,
    src: Nodes,
    dst: Nodes,
    coordinates: Nodes,
    dims: Sizes,
    wraps: Flags,
    strides: Sizes,
    table: Nodes,
    uniform: bool,
    share: Volumes,
) -> None:
    # One flow at a time: what a unit of it puts on the one link. The other links only gather what nobody
    # reads.
    loads = np.zeros(table.max() + 1)
    one = np.ones(1)
    for i in range(src.size):
        if src[i] != dst[i]:
            loads[link] = 0.0
            _carry_to(dst[i], src[i : i + 1], one, coordinates, dims, wraps, strides, table, uniform, loads)
            share[i] = loads[link]
