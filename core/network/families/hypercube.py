"""Hypercubes: 2^n nodes numbered in binary, linked if one bit differs. A mesh of two nodes per dimension.

Dimension-order routing on it is e-cube routing: bits are corrected from the first (X) to the last.
"""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, ClassVar, Self

import msgspec
import numpy as np

from core.network.families.torus import Lattice, build_lattice
from core.network.layout import axes_of
from core.network.layouts.cube import nested_squares
from core.network.network import Gbs, Level, Network, TasksPerNode
from core.spec import declare

MAX_DIMENSIONS = 16
"""Dimensions at most: 65,536 nodes, a million directed links."""


class Hypercube(Lattice, frozen=True, tag="hypercube"):
    """2^n nodes, two of which are linked if their binary numbers differ in exactly one bit."""

    title: ClassVar[str] = "Hypercube"

    dimensions: Annotated[
        int, declare("Dimensions", "number of dimensions, equal to the links per node (n)", ge=1, le=MAX_DIMENSIONS)
    ] = 6
    gbs: Gbs = 12.5
    slots_per_node: TasksPerNode = 1

    @property
    def dims(self) -> tuple[int, ...]:
        """Return 2 for each dimension."""
        return (2,) * self.dimensions

    def summary(self) -> str:
        """Return the number of nodes and their degree."""
        return f"{1 << self.dimensions:,} nodes of degree {self.dimensions}"

    def sized(self, nodes: int) -> Self:
        """Return the hypercube whose number of nodes is closest to `nodes`."""
        nearest = min(range(1, MAX_DIMENSIONS + 1), key=lambda n: abs((1 << n) - nodes))
        return msgspec.structs.replace(self, dimensions=nearest)

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the hypercube of `degree` dimensions; `nodes` is ignored."""
        return (msgspec.structs.replace(self, dimensions=degree),) if 1 <= degree <= MAX_DIMENSIONS else ()

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are X, Y, Z, W, D5 ..., one per dimension; X is the first bit."""
        count, network = self.dimensions, build_lattice(self, self.gbs, self.slots_per_node)
        starts = np.array([c.links.start for c in network.classes] + [network.links])
        return replace(
            network,
            levels=_levels(count),
            label=lambda node: f"{node:0{count}b}",
            lay_out=lambda _: replace(nested_squares(count, starts), axes=axes_of(self.dims)),
        )


def _levels(count: int) -> tuple[Level, ...]:
    # Subcubes of nodes with equal first bits: about as many subcubes as nodes in each, then halves of their bits.
    node = np.arange(1 << count, dtype=np.int32)
    inner = sorted({count // 2, count // 4} - {0, count}, reverse=True)
    return tuple(Level(f"{bits}-cube", node >> np.int32(bits), 1 << (count - bits)) for bits in inner)
