"""Lattices: tori and meshes of any number of dimensions, and common parts of hypercubes.

Nodes are numbered row-major, the last dimension fastest. A dimension of size 2 with wrap-around has two parallel links
per node (+ and -); one of size 1 has none. Source: Chakaravarthy, Jain and Sabharwal, "Optimizing matrix transpose on
torus interconnects", 2010, section 2.
"""

from abc import abstractmethod
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.box_sides import even_sides, evened
from core.network.layout import axes_of
from core.network.layouts.nested import any_lattice
from core.network.network import Cut, Gbs, Ints, Level, Network, NetworkSpec, SymmetryClasses, TasksPerNode, check_size
from core.network.sizes import axis_name
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError, declare
from core.text import counted, plural

MAX_DIMS = 8

Size = Annotated[int, declare("", "", ge=1, le=65536)]
Dims = Annotated[tuple[Size, ...], declare("Dimensions", "nodes along X, Y, Z ...", min_length=1, max_length=MAX_DIMS)]


class Lattice(NetworkSpec, frozen=True):
    """Nodes on a grid, linked to those one step away along each dimension."""

    @property
    @abstractmethod
    def dims(self) -> tuple[int, ...]:
        """Return the number of nodes along each dimension."""

    @property
    def wraps(self) -> tuple[bool, ...]:
        """Return for each dimension whether it is a ring; by default, no dimension is."""
        return (False,) * len(self.dims)

    @property
    def unit(self) -> int:
        """Return how many of the last dimensions form a unit of the hardware; 0 by default."""
        return 0

    @property
    def axes(self) -> tuple[str, ...]:
        """Return the names of the dimensions: X, Y, Z ..., and A, B, C ... for the dimensions of a unit, as in Tofu."""
        outer = len(self.dims) - self.unit
        return (*map(axis_name, range(outer)), *"ABCDEFG"[: self.unit])

    def summary(self) -> str:
        """Return ``8 × 8 × 8 = 512 nodes``, and the size of a unit."""
        words = f"{' × '.join(map(str, self.dims))} = {counted(prod(self.dims))} nodes"
        return f"{words}, {counted(prod(self.dims[-self.unit :]))} per unit" if self.unit else words

    def sized(self, nodes: int) -> Self:
        """Return the lattice of the same dimensions, as equal as possible, nearest to `nodes` nodes; size 1 is kept."""
        return self if prod(self.dims) == nodes else msgspec.structs.replace(self, dims=evened(self.dims, nodes))


def _values(dims: tuple[int, ...], gbs: float, unit: int = 0) -> dict[str, Any]:
    # Dimensions of a unit with two nodes have one link.
    first = len(dims) - unit
    wrap = tuple(d < first or size > 2 for d, size in enumerate(dims)) if unit else True
    return {"dims": dims, "wrap": wrap, "gbs": gbs, "unit": unit}


class Torus(Lattice, frozen=True, tag="torus"):
    """A grid with wrap-around links, so that every node has two neighbours in each dimension."""

    title: ClassVar[str] = "Torus"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "8 × 8 × 8, 512 nodes": _values((8, 8, 8), 0.425),
        "Fugaku": _values((24, 23, 24, 2, 3, 2), 6.8, unit=3),
        "Tofu D, 324 nodes": _values((3, 3, 3, 2, 3, 2), 6.8, unit=3),
        "TPU v4 pod": _values((16, 16, 16), 50.0),
    }
    preset_notes: ClassVar[dict[str, str]] = {
        "Fugaku": "Tofu D with 158,976 nodes, 12 per unit, and 10 links of 6.8 GB/s per node (Ajima et al., The Tofu "
        "Interconnect D, 2018; r-ccs.riken.jp, About Fugaku); wrap-around links along X, Y and Z are assumed",
        "Tofu D, 324 nodes": "27 units as in Fugaku; wrap-around links along X, Y and Z are assumed",
        "TPU v4 pod": "4,096 chips, 50 GB/s per link (TPU v4, arXiv 2304.01433); slices of k × k × 2k and k × 2k × 2k "
        "may be twisted tori instead",
    }

    dims: Dims = (8, 8, 8)
    wrap: Annotated[
        bool | tuple[bool, ...],
        declare("Wrap-around", "wrap-around links along each dimension (one value, or one per dimension)"),
    ] = True
    gbs: Gbs = 0.425
    slots_per_node: TasksPerNode = 1
    unit: Annotated[
        int,
        declare(
            "Dimensions per unit",
            "how many of the last dimensions form a hardware unit (three on Tofu)",
            zero="none",
            ge=0,
            lt=MAX_DIMS,
        ),
    ] = 0

    @property
    def wraps(self) -> tuple[bool, ...]:
        """Return for each dimension whether it is a ring.

        Raises SpecError: unless there is one value per dimension.
        """
        if isinstance(self.wrap, bool):
            return (self.wrap,) * len(self.dims)
        if len(self.wrap) != len(self.dims):
            counts = f"{plural(len(self.wrap), 'value')} for {plural(len(self.dims), 'dimension')}"
            raise SpecError("network.wrap", f"has {counts}; give one per dimension")
        return self.wrap

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the torus with a dimension for every two links, if all dimensions are rings or no dimension is."""
        count, rings = degree // 2, set(self.wraps)
        if degree % 2 or not 1 <= count <= MAX_DIMS or len(rings) > 1:
            return ()
        sides = even_sides(max(nodes, 2), count, 2 if rings == {True} else 3)
        return (msgspec.structs.replace(self, dims=sides, wrap=rings == {True}, unit=0),)

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are named after `axes`, one per dimension."""
        return build_lattice(self, self.gbs, self.slots_per_node)


class Mesh(Lattice, frozen=True, tag="mesh"):
    """A grid in which each node is linked to its neighbours in every dimension, without wrap-around links."""

    title: ClassVar[str] = "Mesh"

    dims: Dims = (8, 8)
    gbs: Gbs = 0.425
    slots_per_node: TasksPerNode = 1

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the mesh with a dimension of three or more nodes per two links, and one of two for an odd link."""
        count, odd = divmod(degree, 2)
        if not 1 <= count + odd <= MAX_DIMS:
            return ()
        sides = even_sides(max(nodes >> odd, 2), count, 3) if count else ()
        return (msgspec.structs.replace(self, dims=(2,) * odd + sides),)

    def port_counts(self, network: Network) -> Ints:
        """Return the number of ports: every node has as many as a node inside the mesh has links."""
        return np.full(network.vertices, sum(min(size - 1, 2) for size in self.dims), np.int32)

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are X, Y, Z, W, D5 ..., one per dimension."""
        return build_lattice(self, self.gbs, self.slots_per_node)


def link_table(spec: Lattice) -> NDArray[np.int32]:
    """Return the id of the link that leaves each node along each dimension, shape ``(dims, 2, nodes)``.

    The middle index is 0 for + and 1 for -; -1 where there is no such link.
    """
    nodes = prod(spec.dims)
    table = np.full((len(spec.dims), nodes, 2), -1, np.int32)
    first = 0
    for d in range(len(spec.dims)):
        exists = _exists(spec, d)
        count = int(exists.sum())
        table[d][exists] = np.arange(first, first + count)
        first += count
    return np.ascontiguousarray(table.transpose(0, 2, 1))


def _exists(spec: Lattice, d: int) -> NDArray[np.bool_]:
    # The links that leave each node along a dimension, + and -: shape (nodes, 2), in the order of their ids.
    size, ring = spec.dims[d], spec.wraps[d]
    if size == 1 or ring:
        return np.full((prod(spec.dims), 2), ring and size > 1)
    coordinate = np.arange(prod(spec.dims)) // stride(spec.dims, d) % size
    return np.stack([coordinate < size - 1, coordinate > 0], axis=1)


def stride(dims: tuple[int, ...], d: int) -> int:
    """Return the difference of the numbers of neighbours along dimension d."""
    return prod(dims[d + 1 :])


def build_lattice(spec: Lattice, gbs: float, slots: int) -> Network:
    """Return the built torus, mesh or hypercube.

    Raises SpecError: beyond the limit on links, or for a single node.
    """
    dims, wraps = spec.dims, spec.wraps
    nodes = prod(dims)
    if nodes < 2:
        raise SpecError("network.dims", "has a single node; give at least one dimension of 2 or more")
    if spec.unit >= len(dims):
        raise SpecError("network.unit", f"is {spec.unit}; must be less than the {plural(len(dims), 'dimension')}")
    counts = [_links_along(nodes, size, ring) for size, ring in zip(dims, wraps, strict=True)]
    check_size("network.dims", " × ".join(map(str, dims)), max(sum(counts), nodes))
    ends = np.cumsum([0, *counts])
    edges = [EdgeList(name, gbs, *_ends(spec, d), one_way=True) for d, name in enumerate(spec.axes)]
    # Shifts on rings, and exchanges of two places.
    shifts = all(ring or size <= 2 for size, ring in zip(dims, wraps, strict=True))
    return network_from_edges(
        spec,
        nodes,
        edges,
        lambda _: replace(any_lattice(dims, wraps, ends, boxed=True), axes=axes_of(dims, spec.axes)),
        slots=slots,
        levels=_levels(spec),
        cuts=tuple(_cut(spec, d) for d in range(len(dims)) if dims[d] > 1),
        symmetry=_symmetry(dims, wraps),
        label=lambda node: "(" + ",".join(str(int(x)) for x in np.unravel_index(node, dims)) + ")",
        find_alike=(lambda _: _alike(wraps, counts)) if shifts else None,
    )


def _alike(wraps: tuple[bool, ...], counts: list[int]) -> Ints:
    # On a ring + and - alternate.
    orbits = [np.tile([2 * d, 2 * d + wraps[d]], count // 2) for d, count in enumerate(counts)]
    return np.concatenate(orbits).astype(np.int32)


def _symmetry(dims: tuple[int, ...], wraps: tuple[bool, ...]) -> SymmetryClasses:
    # On a ring all places are equivalent, on a line each to its mirror image.
    node, count = np.zeros(1, np.int64), np.ones(1, np.int64)
    for size, ring in zip(dims, wraps, strict=True):
        place = np.arange(1 if ring else (size + 1) // 2)
        share = np.full(1, size) if ring else np.where(2 * place + 1 == size, 1, 2)
        node = (node[:, None] * size + place).ravel()
        count = (count[:, None] * share).ravel()
    return SymmetryClasses(node.astype(np.int32), count.astype(np.int32))


def _links_along(nodes: int, size: int, ring: bool) -> int:
    if size == 1:
        return 0
    return 2 * nodes if ring else 2 * (nodes // size) * (size - 1)


def _ends(spec: Lattice, d: int) -> tuple[Ints, Ints]:
    # The source and destination nodes of the links along a dimension.
    src, side = (ends.astype(np.int32) for ends in np.nonzero(_exists(spec, d)))
    size, step = spec.dims[d], stride(spec.dims, d)
    coordinate = src // step % size
    there = (coordinate + 1 - 2 * side) % size
    return src, src + (there - coordinate) * step


def _levels(spec: Lattice) -> tuple[Level, ...]:
    # A group has the nodes with equal first coordinates.
    dims, unit = spec.dims, spec.unit
    slices = tuple(f"{name} slice" for name in spec.axes[:-1])
    names = list({2: ("row",), 3: ("plane", "row")}.get(len(dims), slices))
    if unit:
        names[-unit] = "unit"
    node = np.arange(prod(dims))
    counts = [prod(dims[: d + 1]) for d in range(len(names))]
    return tuple(
        Level(name, (node // (node.size // count)).astype(np.int32), count)
        for name, count in zip(names, counts, strict=True)
    )


def _cut(spec: Lattice, d: int) -> Cut:
    size, name = spec.dims[d], spec.axes[d]
    across = prod(spec.dims) // size
    return Cut(f"bisection along {name}", across * (size // 2), {name: across * (2 if spec.wraps[d] else 1)})
