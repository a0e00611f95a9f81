"""Twisted tori of three dimensions: wrapping around a shorter dimension shifts the longer ones.

Dimensions are k, k, 2k or k, 2k, 2k in any order. Like a torus, but the wrap-around of a dimension of length k adds k
(mod 2k) to every coordinate of length 2k, which reduces the diameter. All nodes are equivalent, by shifts of the
integer lattice. Links from one cube to another are optical: upwards from coordinate c - 1 mod c, where c is the side of
a cube. Sources: Jouppi et al., "TPU v4: an optically reconfigurable supercomputer for machine learning", 2023; Google
Cloud, documentation of TPU v4; Camarero, Martinez and Beivide, "Lattice graphs for high-scale interconnection
topologies", 2015.
"""

from dataclasses import replace
from math import prod
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.network.families.torus import Size, stride
from core.network.layout import Floats, Layout, axes_of, lattice
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
from core.network.sizes import axis_name, off_by
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError, declare
from core.text import counted

Flags = NDArray[np.bool_]

NOTE = "twisted slice of TPU v4 (Google Cloud, documentation of TPU v4); 50 GB/s per link (TPU v4, arXiv 2304.01433)"


class TwistedTorus(NetworkSpec, frozen=True, tag="twisted-torus"):
    """A 3-D torus whose wrap-around links along short dimensions are offset along the long dimensions."""

    title: ClassVar[str] = "Twisted torus"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "2 × 2 × 4, 16 nodes": {"dims": (2, 2, 4)},
        "4 × 4 × 8, 128 chips": {"dims": (4, 4, 8), "cube": 4},
        "4 × 8 × 8, 256 chips": {"dims": (4, 8, 8), "cube": 4},
        "8 × 8 × 16, 1,024 chips": {"dims": (8, 8, 16), "cube": 4},
        "8 × 16 × 16, 2,048 chips": {"dims": (8, 16, 16), "cube": 4},
    }
    preset_notes: ClassVar[dict[str, str]] = {name: NOTE for name in presets if name.endswith("chips")}

    dims: Annotated[
        tuple[Size, ...],
        declare("Dimensions", "nodes along X, Y, Z (k, k, 2k or k, 2k, 2k in any order)", min_length=3, max_length=3),
    ] = (4, 4, 8)
    cube: Annotated[
        int, declare("Cube side", "nodes along each side of a cube of electrical links", ge=1, le=65536)
    ] = 4
    electrical_gbs: Annotated[
        Gbs, declare("Electrical links", "bandwidth of a link within a cube, per direction", unit="GB/s")
    ] = 50
    optical_gbs: Annotated[
        Gbs, declare("Optical links", "bandwidth of a link between cubes, per direction", unit="GB/s")
    ] = 50
    slots_per_node: TasksPerNode = 1

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return prod(self.dims)

    @property
    def axes(self) -> tuple[str, ...]:
        """Return X, Y and Z."""
        return tuple(map(axis_name, range(len(self.dims))))

    def summary(self) -> str:
        """Return ``4 × 4 × 8 = 128 nodes, twisted``."""
        return f"{' × '.join(map(str, self.dims))} = {counted(self.nodes)} nodes, twisted"

    def sized(self, nodes: int) -> Self:
        """Return the twisted torus of the same aspect ratio nearest to `nodes` nodes; whole cubes remain whole."""
        short = min(self.dims)
        shape = tuple(size // short for size in self.dims)
        step = self.cube if short % self.cube == 0 else 1
        least, most = max(2 // step, 1) * step, 32768 // step * step
        below = int((nodes / prod(shape)) ** (1 / 3)) // step * step
        sides = (min(max(side, least), most) for side in (below, below + step))
        side = min(sides, key=lambda side: off_by(prod(shape) * side**3, nodes))
        return msgspec.structs.replace(self, dims=tuple(times * side for times in shape))

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the twisted torus nearest to `nodes` nodes if `degree` is six, which all have."""
        return (self.sized(nodes),) if degree == 6 else ()

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are electrical and optical.

        Raises SpecError: if the dimensions have other proportions, or beyond the limit on links.
        """
        short, *_, long = sorted(self.dims)
        if short < 2 or long != 2 * short or not set(self.dims) <= {short, long}:
            given = f"is {' × '.join(map(str, self.dims))}"
            raise SpecError("network.dims", f"{given}; give k, k, 2k or k, 2k, 2k in any order, with k of at least 2")
        check_size("network.dims", " × ".join(map(str, self.dims)), 6 * self.nodes)
        u, v, optical = _cables(self)
        # Links are numbered by class, then by dimension, up and down alternating.
        along = np.repeat(np.arange(3), self.nodes)
        heading = 2 * np.concatenate([along[~optical], along[optical]]).repeat(2)
        heading[1::2] += 1
        return network_from_edges(
            self,
            self.nodes,
            [
                EdgeList("electrical", self.electrical_gbs, u[~optical], v[~optical]),
                EdgeList("optical", self.optical_gbs, u[optical], v[optical]),
            ],
            lambda _: _layout(self.dims, heading),
            slots=self.slots_per_node,
            levels=_levels(self),
            cuts=_cuts(self, u, v, optical),
            label=lambda node: "(" + ",".join(str(int(x)) for x in np.unravel_index(node, self.dims)) + ")",
            symmetry=vertex_transitive(self.nodes),
            find_alike=lambda _: heading.astype(np.int32),
        )


def _cables(spec: TwistedTorus) -> tuple[Ints, Ints, Flags]:
    """Return the cables upwards along X from all nodes, then Y, then Z: both ends, and whether they are optical."""
    place, short = np.stack(np.unravel_index(np.arange(spec.nodes), spec.dims)), min(spec.dims)
    size = np.array(spec.dims)[:, None]
    ends, optical = [], []
    for d in range(3):
        target = place.copy()
        target[d] += 1
        if spec.dims[d] == short:
            target += np.where((target[d] == short) & (size > short), short, 0)
        ends.append(np.ravel_multi_index(tuple(target % size), spec.dims))
        optical.append(place[d] % spec.cube == spec.cube - 1)
    below = np.tile(np.arange(spec.nodes, dtype=np.int32), 3)
    return below, np.concatenate(ends).astype(np.int32), np.concatenate(optical)


def _levels(spec: TwistedTorus) -> tuple[Level, ...]:
    if spec.cube == 1 or any(size % spec.cube for size in spec.dims):
        return ()
    cubes = tuple(size // spec.cube for size in spec.dims)
    place = np.unravel_index(np.arange(spec.nodes), spec.dims)
    group = np.ravel_multi_index(tuple(x // spec.cube for x in place), cubes)
    return (Level("cube", group.astype(np.int32), prod(cubes)),)


def _cuts(spec: TwistedTorus, u: Ints, v: Ints, optical: Flags) -> tuple[Cut, ...]:
    # A cut across a longer dimension would also cut all links that wrap around a shorter one.
    cuts, short = [], min(spec.dims)
    for d, size in enumerate(spec.dims):
        if size == short:
            low = np.arange(spec.nodes) // stride(spec.dims, d) % size < size // 2
            cuts.append(_cut(f"bisection along {axis_name(d)}", low, u, v, optical))
    for level in _levels(spec):
        cuts.append(_cut(f"one {level.name}", level.group == 0, u, v, optical))
    return tuple(cuts)


def _cut(name: str, inside: Flags, u: Ints, v: Ints, optical: Flags) -> Cut:
    leaves = inside[u] != inside[v]
    counts = {"electrical": int((leaves & ~optical).sum()), "optical": int((leaves & optical).sum())}
    return Cut(name, int(inside.sum()), {name: count for name, count in counts.items() if count})


def _layout(dims: tuple[int, ...], heading: NDArray[np.intp]) -> Layout:
    # The layout of the torus, whose links are numbered by dimension, up and down alternating.
    plain = lattice(dims, (True,) * 3, np.array([0, 2, 4, 6]))

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        return plain.link_curves(heading[ids], src, dst)

    return replace(plain, link_curves=_curves, axes=axes_of(dims))
