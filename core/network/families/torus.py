"""Lattices: tori and meshes of any number of dimensions, and what routes them as such (hypercubes too).

Nodes are numbered row-major, the last dimension fastest. A dimension of size 2 with wrap-around has two
parallel links per node (+ and -); one of size 1 has none. Source:
Chakaravarthy, Jain and Sabharwal, "Optimizing matrix transpose on torus interconnects", 2010, section 2.
"""

from abc import abstractmethod
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.network.layout import Layout, axes_of
from core.network.layouts.nested import any_lattice
from core.network.network import (
    Cut,
    Gbs,
    Ints,
    Level,
    LinkClass,
    Network,
    NetworkSpec,
    SymmetryClasses,
    TasksPerNode,
    check_size,
)
from core.network.sizes import axis_name, even_sides
from core.spec import SpecError, declare
from core.text import counted

MAX_DIMS = 8

Size = Annotated[int, declare("", "", ge=1, le=65536)]
Dims = Annotated[tuple[Size, ...], declare("Dimensions", "nodes along X, Y, Z ...", min_length=1, max_length=MAX_DIMS)]


class Lattice(NetworkSpec, frozen=True):
    """Nodes at all places of a grid, joined to those one step away along each dimension."""

    @property
    @abstractmethod
    def dims(self) -> tuple[int, ...]:
        """Return the number of nodes along each dimension."""

    @property
    @abstractmethod
    def wraps(self) -> tuple[bool, ...]:
        """Return for each dimension whether it is a ring."""


class Torus(Lattice, frozen=True, tag="torus"):
    """A torus: every node has a link each way along every dimension, the ends joined by wrap-around links."""

    title: ClassVar[str] = "Torus"

    dims: Dims = (8, 8, 8)
    wrap: Annotated[
        bool | tuple[bool, ...], declare("Wrap-around", "join the ends; one value, or one per dimension")
    ] = True
    gbs: Gbs = 0.425
    slots_per_node: TasksPerNode = 1

    @property
    def wraps(self) -> tuple[bool, ...]:
        """Return for each dimension whether it is a ring.

        Raises SpecError: when the number of values is not that of the dimensions.
        """
        if isinstance(self.wrap, bool):
            return (self.wrap,) * len(self.dims)
        if len(self.wrap) != len(self.dims):
            raise SpecError(
                "network.wrap", f"has {len(self.wrap)} values for {len(self.dims)} dimensions; give one each"
            )
        return self.wrap

    def summary(self) -> str:
        """Return the number of nodes."""
        return lattice_summary(self.dims)

    def sized(self, nodes: int) -> Self:
        """Return the one of as many dimensions, as even as can be, nearest to so many nodes."""
        return msgspec.structs.replace(self, dims=resized(self.dims, nodes))

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the one with a dimension for every two links, if all dimensions are rings, or none is."""
        count, rings = degree // 2, set(self.wraps)
        if degree % 2 or not 1 <= count <= MAX_DIMS or len(rings) > 1:
            return ()
        sides = even_sides(max(nodes, 2), count, 2 if rings == {True} else 3)
        return (msgspec.structs.replace(self, dims=sides, wrap=rings == {True}),)

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are X, Y, Z, W, D5 ..., one per dimension."""
        return build_lattice(self, self.dims, self.wraps, self.gbs, self.slots_per_node)


class Mesh(Lattice, frozen=True, tag="mesh"):
    """A mesh: a torus without wrap-around links."""

    title: ClassVar[str] = "Mesh"

    dims: Dims = (8, 8)
    gbs: Gbs = 0.425
    slots_per_node: TasksPerNode = 1

    @property
    def wraps(self) -> tuple[bool, ...]:
        """Return for each dimension that it is no ring."""
        return (False,) * len(self.dims)

    def summary(self) -> str:
        """Return the number of nodes."""
        return lattice_summary(self.dims)

    def sized(self, nodes: int) -> Self:
        """Return the one of as many dimensions, as even as can be, nearest to so many nodes."""
        return msgspec.structs.replace(self, dims=resized(self.dims, nodes))

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the one with a dimension of three nodes or more for every two links, and one of two for an odd one."""
        count, odd = divmod(degree, 2)
        if not 1 <= count + odd <= MAX_DIMS:
            return ()
        sides = even_sides(max(nodes >> odd, 2), count, 3) if count else ()
        return (msgspec.structs.replace(self, dims=(2,) * odd + sides),)

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are X, Y, Z, W, D5 ..., one per dimension."""
        return build_lattice(self, self.dims, self.wraps, self.gbs, self.slots_per_node)


def lattice_summary(dims: tuple[int, ...]) -> str:
    """Return ``8 × 8 × 8 = 512 nodes``."""
    nodes = 1
    for size in dims:
        nodes *= size
    return f"{' × '.join(map(str, dims))} = {counted(nodes)} nodes"


def resized(dims: tuple[int, ...], nodes: int) -> tuple[int, ...]:
    """Return sides for about so many nodes; those of 1 stay, and all do if they make exactly so many."""
    long = sum(size > 1 for size in dims)
    if not long or prod(dims) == nodes:
        return dims
    sides = iter(even_sides(max(nodes, 2), long))
    return tuple(next(sides) if size > 1 else 1 for size in dims)


def link_table(spec: Lattice) -> NDArray[np.int32]:
    """Return the id of the link that leaves each node along each dimension, shape ``(dims, 2, nodes)``.

    The middle index is 0 for + and 1 for -; -1 where there is no such link.
    """
    nodes = int(np.prod(spec.dims))
    table = np.full((len(spec.dims), nodes, 2), -1, np.int32)
    first = 0
    for d, (size, ring) in enumerate(zip(spec.dims, spec.wraps, strict=True)):
        if size == 1:
            continue
        coordinate = np.arange(nodes) // stride(spec.dims, d) % size
        exists = np.stack([coordinate < size - 1, coordinate > 0], axis=1) | ring
        count = int(exists.sum())
        table[d][exists] = np.arange(first, first + count)
        first += count
    return np.ascontiguousarray(table.transpose(0, 2, 1))


def stride(dims: tuple[int, ...], d: int) -> int:
    """Return how far apart the numbers of neighbours along dimension d are."""
    step = 1
    for size in dims[d + 1 :]:
        step *= size
    return step


def build_lattice(spec: Lattice, dims: tuple[int, ...], wraps: tuple[bool, ...], gbs: float, slots: int) -> Network:
    """Return the built torus, mesh or hypercube.

    Raises SpecError: beyond the limit on links, or for a single node.
    """
    nodes = 1
    for size in dims:
        nodes *= size
    if nodes < 2:
        raise SpecError("network.dims", "has a single node; give at least one dimension of 2 or more")
    counts = [_links_along(nodes, size, ring) for size, ring in zip(dims, wraps, strict=True)]
    check_size("network.dims", " × ".join(map(str, dims)), max(sum(counts), nodes))
    ends = np.cumsum([0, *counts])
    src, dst = _ends(spec, dims)
    return Network(
        spec=spec,
        nodes=nodes,
        vertices=nodes,
        src=src,
        dst=dst,
        classes=tuple(
            LinkClass(axis_name(d), gbs, slice(int(ends[d]), int(ends[d + 1]))) for d in range(len(dims)) if counts[d]
        ),
        slots_per_node=slots,
        levels=_levels(dims),
        cuts=tuple(_cut(dims, wraps, d) for d in range(len(dims)) if dims[d] > 1),
        symmetry=_symmetry(dims, wraps),
        label=lambda node: "(" + ",".join(str(int(x)) for x in np.unravel_index(node, dims)) + ")",
        _layout=lambda: _layout(dims, wraps, ends),
        _alike=(lambda: _alike(dims, wraps, counts)) if _all_alike(dims, wraps) else None,
    )


def _all_alike(dims: tuple[int, ...], wraps: tuple[bool, ...]) -> bool:
    # Shifts go round rings, and over two places to and fro.
    return all(ring or size <= 2 for size, ring in zip(dims, wraps, strict=True))


def _alike(dims: tuple[int, ...], wraps: tuple[bool, ...], counts: list[int]) -> Ints:
    # On a ring + and - take turns.
    found = [
        np.tile([2 * d, 2 * d + ring], count // 2) for d, (ring, count) in enumerate(zip(wraps, counts, strict=True))
    ]
    return np.concatenate(found).astype(np.int32)


def _symmetry(dims: tuple[int, ...], wraps: tuple[bool, ...]) -> SymmetryClasses:
    # On a ring all places are alike, on a line each and its mirror image.
    node, count = np.zeros(1, np.int64), np.ones(1, np.int64)
    for size, ring in zip(dims, wraps, strict=True):
        place = np.arange(1 if ring else (size + 1) // 2)
        share = np.full(place.size, size if ring else 2)
        share[2 * place + 1 == size] = 1 if not ring else size
        node = (node[:, None] * size + place).ravel()
        count = (count[:, None] * share).ravel()
    return SymmetryClasses(node.astype(np.int32), count.astype(np.int32))


def _layout(dims: tuple[int, ...], wraps: tuple[bool, ...], ends: NDArray[Any]) -> Layout:
    axes = axes_of(dims, [axis_name(dim) for dim in range(len(dims))])
    return replace(any_lattice(dims, wraps, ends.astype(np.intp), boxed=True), axes=axes)


def _links_along(nodes: int, size: int, ring: bool) -> int:
    if size == 1:
        return 0
    return 2 * nodes if ring else 2 * (nodes // size) * (size - 1)


def _ends(spec: Lattice, dims: tuple[int, ...]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    table = link_table(spec)
    links = int(table.max()) + 1
    src, dst = np.empty(links, np.int32), np.empty(links, np.int32)
    node = np.arange(table.shape[2])
    for d, size in enumerate(dims):
        step = stride(dims, d)
        coordinate = node // step % size
        for side, move in enumerate((1, -1)):
            there = table[d, side] >= 0
            ids = table[d, side][there]
            src[ids] = node[there]
            dst[ids] = (node + ((coordinate + move) % size - coordinate) * step)[there]
    return src, dst


def _levels(dims: tuple[int, ...]) -> tuple[Level, ...]:
    # Leading dimensions of size 1 or 2-D rows: a group holds the nodes that agree in the first coordinates.
    names = {2: ("row",), 3: ("plane", "row")}.get(
        len(dims), tuple(f"{axis_name(d)} slice" for d in range(len(dims) - 1))
    )
    nodes = int(np.prod(dims))
    node = np.arange(nodes)
    found, count = [], 1
    for d, name in enumerate(names):
        count *= dims[d]
        found.append(Level(name, (node // (nodes // count)).astype(np.int32), count))
    return tuple(found)


def _cut(dims: tuple[int, ...], wraps: tuple[bool, ...], d: int) -> Cut:
    across = int(np.prod(dims)) // dims[d]
    return Cut(
        f"bisection along {axis_name(d)}",
        across * (dims[d] // 2),
        {axis_name(d): across * (2 if wraps[d] else 1)},
    )
