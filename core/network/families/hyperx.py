"""HyperX: switches on a grid, each linked to all switches that differ from it in one coordinate.

Regular (L, S, K, T): dimensions, sides, cables between two switches, nodes per switch. In flattened butterflies all
sides and the nodes per switch are equal. Switches are numbered row-major, the last dimension fastest. Sources: Ahn et
al., "HyperX: topology, routing, and packaging of efficient large-scale networks", 2009; Kim, Dally and Abts, "Flattened
butterfly: a cost-efficient topology for high-radix networks", 2007.
"""

from itertools import combinations
from math import prod
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.box_sides import evened
from core.network.layouts.groups import groups_on_a_circle
from core.network.network import (
    Cut,
    Gbs,
    Ints,
    Level,
    Network,
    NetworkSpec,
    TasksPerNode,
    check_size,
    vertex_transitive,
)
from core.network.sizes import axis_name
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError, declare
from core.text import counted, plural

MAX_DIMS = 8

Side = Annotated[int, declare("", "", ge=1, le=4096)]
Cables = Annotated[int, declare("", "", ge=1, le=1024)]


class HyperX(NetworkSpec, frozen=True, tag="hyperx"):
    """A grid of switches in which all switches along a line of any dimension are fully connected."""

    title: ClassVar[str] = "HyperX"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "4 × 4 switches as nodes": {"dims": (4, 4), "nodes_per_switch": 1},
        "8-ary 2-flat, 64 nodes": {"dims": (8,), "nodes_per_switch": 8},
        "8-ary 3-flat, 512 nodes": {"dims": (8, 8), "nodes_per_switch": 8},
        "16-ary 3-flat, 4,096 nodes": {"dims": (16, 16), "nodes_per_switch": 16},
        "8 × 8 × 8 switches, 4,096 nodes": {"dims": (8, 8, 8), "nodes_per_switch": 8},
    }

    dims: Annotated[
        tuple[Side, ...], declare("Dimensions", "switches along X, Y, Z ...", min_length=1, max_length=MAX_DIMS)
    ] = (8, 8)
    parallel: (
        Annotated[
            tuple[Cables, ...],
            declare(
                "Parallel cables",
                "cables between two switches (one value, or one per dimension)",
                min_length=1,
                max_length=MAX_DIMS,
            ),
        ]
        | Cables
    ) = (1,)
    nodes_per_switch: Annotated[
        int, declare("Nodes per switch", "nodes per switch (T), where 1 makes the switches the nodes", ge=1, le=256)
    ] = 1
    gbs: Annotated[Gbs, declare("Switch links", "bandwidth of a link between switches, per direction", unit="GB/s")] = (
        12.5
    )
    host_gbs: Annotated[
        Gbs, declare("Node links", "bandwidth of a link between a node and its switch, per direction", unit="GB/s")
    ] = 12.5
    slots_per_node: TasksPerNode = 1

    @property
    def switches(self) -> int:
        """Return the number of switches."""
        return prod(self.dims)

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return self.switches * self.nodes_per_switch

    @property
    def hosted(self) -> bool:
        """Return whether nodes are linked to switches; else the switches are the nodes."""
        return self.nodes_per_switch > 1

    @property
    def cables(self) -> tuple[int, ...]:
        """Return the number of cables between two switches, for each dimension.

        Raises SpecError: unless there is one value, or one per dimension.
        """
        given = (self.parallel,) if isinstance(self.parallel, int) else self.parallel
        if len(given) not in (1, len(self.dims)):
            counts = f"{plural(len(given), 'value')} for {plural(len(self.dims), 'dimension')}"
            raise SpecError("network.parallel", f"has {counts}; give one for all, or one per dimension")
        return given if len(given) > 1 else given * len(self.dims)

    def summary(self) -> str:
        """Return the numbers of nodes and switches, and the ports that a switch needs."""
        ports = sum((side - 1) * k for side, k in zip(self.dims, self.cables, strict=True))
        grid = f"{' × '.join(map(str, self.dims))} switches"
        ports += self.nodes_per_switch * self.hosted
        return f"{counted(self.nodes)} nodes, {grid} with {ports} ports" if self.hosted else f"{grid} of degree {ports}"

    def sized(self, nodes: int) -> Self:
        """Return the HyperX of the same dimensions, as equal as possible, nearest to `nodes` nodes; size 1 is kept."""
        if self.nodes == nodes:
            return self
        return msgspec.structs.replace(self, dims=evened(self.dims, round(nodes / self.nodes_per_switch)))

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the HyperX with as many dimensions, all of one size, if its switches can have `degree` links."""
        steps, rest = divmod(degree - self.nodes_per_switch * self.hosted, sum(self.cables))
        return () if rest or steps < 1 else (msgspec.structs.replace(self, dims=(steps + 1,) * len(self.dims)),)

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are X, Y, Z, W, D5 ... and, with several nodes at a switch, host.

        Raises SpecError: for a single switch, or beyond the limit on links.
        """
        if self.switches < 2:
            raise SpecError("network.dims", "has a single switch; give at least one dimension of 2 or more")
        along = [(side - 1) * k for side, k in zip(self.dims, self.cables, strict=True)]
        links = self.switches * sum(along) + 2 * self.nodes * self.hosted
        check_size("network.dims", " × ".join(map(str, self.dims)), links)
        first, *inner = self.dims
        return network_from_edges(
            self,
            self.nodes,
            _edges(self),
            lambda _: groups_on_a_circle(first, prod(inner), self.nodes_per_switch),
            slots=self.slots_per_node,
            switches=self.switches if self.hosted else 0,
            switch_group=_slice_of(self, self.switches) if self.hosted else None,
            levels=_levels(self),
            cuts=tuple(_cut(self, d) for d in range(len(self.dims)) if self.dims[d] > 1),
            label=lambda vertex: _label(self, vertex),
            symmetry=vertex_transitive(self.nodes),
            find_alike=None if self.hosted else lambda network: _alike(self, network),
        )


def _edges(spec: HyperX) -> list[EdgeList]:
    start = spec.nodes if spec.hosted else 0
    switch = np.arange(spec.switches).reshape(spec.dims)
    edges = []
    for d, (side, cables) in enumerate(zip(spec.dims, spec.cables, strict=True)):
        line = np.moveaxis(switch, d, 0).reshape(side, -1)
        ends = np.array(list(combinations(range(side), 2)), np.intp).reshape(-1, 2)
        u, v = (np.repeat(start + line[end].ravel(), cables).astype(np.int32) for end in ends.T)
        edges.append(EdgeList(axis_name(d), spec.gbs, u, v))
    if spec.hosted:
        node = np.arange(spec.nodes, dtype=np.int32)
        edges.append(EdgeList("host", spec.host_gbs, node, spec.nodes + node // np.int32(spec.nodes_per_switch)))
    return edges


def _slice_of(spec: HyperX, count: int) -> Ints:
    return (np.arange(count) // (count // spec.dims[0])).astype(np.int32)


def _levels(spec: HyperX) -> tuple[Level, ...]:
    # A group has the switches with equal first coordinates.
    levels, groups = [], 1
    for d, side in enumerate(spec.dims[:-1] if spec.nodes_per_switch == 1 else spec.dims):
        groups *= side
        name = "switch" if d + 1 == len(spec.dims) else f"{axis_name(d)} slice"
        group = np.arange(spec.nodes) // (spec.nodes // groups)
        levels.append(Level(name, group.astype(np.int32), groups))
    return tuple(levels)


def _cut(spec: HyperX, d: int) -> Cut:
    side, lines = spec.dims[d], spec.switches // spec.dims[d]
    low = side // 2
    cables = lines * low * (side - low) * spec.cables[d]
    return Cut(f"bisection along {axis_name(d)}", low * lines * spec.nodes_per_switch, {axis_name(d): cables})


def _label(spec: HyperX, vertex: int) -> str:
    switch, place = divmod(vertex, spec.nodes_per_switch)
    if vertex >= spec.nodes:
        switch = vertex - spec.nodes
    name = "(" + ",".join(str(int(x)) for x in np.unravel_index(switch, spec.dims)) + ")"
    return name if vertex >= spec.nodes or not spec.hosted else f"{name} · n{place}"


def _alike(spec: HyperX, network: Network) -> Ints:
    # Links of an orbit go equally far along their dimension, modulo its size; parallel cables are in different orbits.
    orbit, first = np.empty(network.links, np.int32), 0
    for d, (name, cables) in enumerate(zip(map(axis_name, range(len(spec.dims))), spec.cables, strict=True)):
        if spec.dims[d] == 1:
            continue
        links = network.link_class(name).links
        step = prod(spec.dims[d + 1 :])
        ahead = (network.dst[links] // step - network.src[links] // step) % spec.dims[d]
        cable = np.arange(ahead.size) // 2 % cables
        orbit[links] = first + (ahead - 1) * cables + cable
        first += (spec.dims[d] - 1) * cables
    return orbit
