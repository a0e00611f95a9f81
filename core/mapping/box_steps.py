"""Reorderings of the cells of a box. Each step takes a box of numbers and returns a box of the same shape.

The result, read row by row, is the order. After Bhatele et al., "Mapping Applications with Collectives over
Sub-communicators on Torus Networks", SC 2012, whose tool Rubik has tilts and zigzags.
"""

from abc import abstractmethod
from math import prod
from typing import Annotated, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.spec import Spec, SpecError, declare

Box = NDArray[np.int64]
MAX_DIMENSIONS = 8
Axis = Annotated[int, declare("", "", ge=0, lt=MAX_DIMENSIONS)]


class BoxStep(Spec, frozen=True):
    """A reordering of the cells of a box."""

    @abstractmethod
    def summary(self) -> str:
        """Return a short line for the form."""

    @abstractmethod
    def ordered(self, box: Box) -> Box:
        """Return a box of the same shape with the same numbers in other cells.

        Raises SpecError: if the box lacks a dimension.
        """


class Zigzag(BoxStep, frozen=True, tag="zigzag"):
    """Zigzag: every second layer runs backwards, so that each layer begins next to the end of the previous layer."""

    title: ClassVar[str] = "Zigzag"

    along: Annotated[Axis, declare("Along", "reversed dimension, counted from 0")] = 1
    across: Annotated[Axis, declare("Across", "dimension of the layers")] = 0

    def summary(self) -> str:
        """Return the two dimensions."""
        return f"dimension {self.along} reversed in every second layer of dimension {self.across}"

    def ordered(self, box: Box) -> Box:
        """Return the box with odd layers reversed."""
        _check("along", self.along, box)
        _check_other(self.across, self.along, box)
        flipped = box.copy()
        odd = (slice(None),) * self.across + (slice(1, None, 2),)
        flipped[odd] = np.flip(box, self.along)[odd]
        return flipped


class Tilt(BoxStep, frozen=True, tag="tilt"):
    """Tilt: each layer is shifted cyclically by `slope` cells more than the previous layer (Rubik)."""

    title: ClassVar[str] = "Tilt"

    along: Annotated[Axis, declare("Along", "dimension of the shift, counted from 0")] = 1
    across: Annotated[Axis, declare("Across", "dimension of the layers")] = 0
    slope: Annotated[int, declare("Slope", "additional shift per layer, in cells", ge=-1024, le=1024)] = 1

    def summary(self) -> str:
        """Return the slope and the two dimensions."""
        return f"shift by {self.slope} along dimension {self.along} per layer of dimension {self.across}"

    def ordered(self, box: Box) -> Box:
        """Return the box with layer i rolled by i times the slope."""
        _check("along", self.along, box)
        _check_other(self.across, self.along, box)
        return _rolled(box, self.along, self.across, np.arange(box.shape[self.across]) * self.slope)


class Shear(BoxStep, frozen=True, tag="shear"):
    """Shear: after every n layers all further layers are shifted cyclically by one cell, a tilt with slope 1/n."""

    title: ClassVar[str] = "Shear"

    along: Annotated[Axis, declare("Along", "dimension of the shift, counted from 0")] = 1
    across: Annotated[Axis, declare("Across", "dimension of the layers")] = 0
    layers: Annotated[int, declare("Layers", "layers with the same shift (n)", ge=1, le=1 << 20)] = 2

    def summary(self) -> str:
        """Return the number of layers per shift, and the two dimensions."""
        return f"shift by 1 along dimension {self.along} per {self.layers} layers of dimension {self.across}"

    def ordered(self, box: Box) -> Box:
        """Return the box with layer i rolled by i over the number of layers, rounded down."""
        _check("along", self.along, box)
        _check_other(self.across, self.along, box)
        return _rolled(box, self.along, self.across, np.arange(box.shape[self.across]) // self.layers)


class Tiles(BoxStep, frozen=True, tag="tiles"):
    """Tiles: tile by tile, row by row within each; tiles at the far borders may be smaller."""

    title: ClassVar[str] = "Tiles"

    sides: Annotated[
        tuple[Annotated[int, declare("", "", ge=1, le=1 << 20)], ...],
        declare(
            "Sides",
            "sides of a tile by dimension (default for missing dimensions: 1)",
            min_length=1,
            max_length=MAX_DIMENSIONS,
        ),
    ] = (2, 2)

    def summary(self) -> str:
        """Return the sides."""
        return f"tiles of {' × '.join(map(str, self.sides))}"

    def ordered(self, box: Box) -> Box:
        """Return the box read tile by tile."""
        if len(self.sides) > box.ndim:
            raise SpecError("sides", f"has {len(self.sides)} sides; the box has {box.ndim} dimensions")
        sides = np.array(self.sides + (1,) * (box.ndim - len(self.sides)))[:, None]
        at = _coordinates(box.shape)
        tile, within = np.divmod(at, sides)
        # The last key of lexsort is the primary key: the first dimension of the tiles is the slowest.
        return _in_order(box, np.lexsort((*within[::-1], *tile[::-1])))


class ZOrder(BoxStep, frozen=True, tag="z-order"):
    """Z-order: along Morton's curve, which interleaves the bits of all coordinates (Morton 1966)."""

    title: ClassVar[str] = "Z-order"

    def summary(self) -> str:
        """Return the rule of the curve."""
        return "bits of all coordinates interleaved"

    def ordered(self, box: Box) -> Box:
        """Return the box read along the curve, skipping cells outside it if sides are not powers of two."""
        at, bits = _coordinates(box.shape), _bits(box.shape)
        return _in_order(box, np.argsort(_interleaved(at, bits), kind="stable"))


class Hilbert(BoxStep, frozen=True, tag="hilbert"):
    """Hilbert: along Hilbert's curve, whose steps go to a neighbour if all sides are equal powers of two.

    Source: J. Skilling, "Programming the Hilbert curve", AIP Conference Proceedings 707, 2004.
    """

    title: ClassVar[str] = "Hilbert"

    def summary(self) -> str:
        """Return the rule of the curve."""
        return "from neighbour to neighbour, in a cube whose side is a power of two"

    def ordered(self, box: Box) -> Box:
        """Order the cells of the box along the curve of the smallest enclosing cube, skipping cells outside the box."""
        at, bits = _coordinates(box.shape), _bits(box.shape)
        return _in_order(box, np.argsort(_interleaved(_transposed(at, bits), bits), kind="stable"))


AnyBoxStep: TypeAlias = Zigzag | Tilt | Shear | Tiles | ZOrder | Hilbert


def _coordinates(shape: tuple[int, ...]) -> Box:
    # (dimensions, cells) coordinates of all cells, row by row.
    return np.indices(shape).reshape(len(shape), -1).astype(np.int64)


def _in_order(box: Box, order: NDArray[np.intp]) -> Box:
    return box.ravel()[order].reshape(box.shape)


def _rolled(box: Box, along: int, across: int, shift: Box) -> Box:
    at, size = _coordinates(box.shape), box.shape[along]
    at[along] = (at[along] - shift[at[across]]) % size
    return np.asarray(box[tuple(at)].reshape(box.shape), np.int64)


def _bits(shape: tuple[int, ...]) -> int:
    return max(int(max(shape) - 1).bit_length(), 1)


def _interleaved(at: Box, bits: int) -> Box:
    # The first dimension has the highest of each group of bits.
    key = np.zeros(at.shape[1], np.int64)
    for bit in range(bits - 1, -1, -1):
        for row in at:
            key = key << 1 | row >> bit & 1
    return key


def _transposed(at: Box, bits: int) -> Box:
    # Skilling's AxestoTranspose: coordinates become the interleaved bits of the place on the curve.
    x = at.copy()
    for bit in range(bits - 1, 0, -1):
        mask = (1 << bit) - 1
        for row in x:
            turned = row >> bit & 1 == 1
            swapped = np.where(turned, 0, (x[0] ^ row) & mask)
            x[0] ^= np.where(turned, mask, swapped)
            row ^= swapped
    for i in range(1, len(x)):
        x[i] ^= x[i - 1]
    flips = np.zeros(x.shape[1], np.int64)
    for bit in range(bits - 1, 0, -1):
        flips ^= np.where(x[-1] >> bit & 1, (1 << bit) - 1, 0)
    return x ^ flips


def _check(field: str, axis: int, box: Box) -> None:
    if axis >= box.ndim:
        shape = " × ".join(map(str, box.shape))
        raise SpecError(field, f"is {axis}; dimensions of the {shape} box are 0 to {box.ndim - 1}")


def _check_other(axis: int, other: int, box: Box) -> None:
    _check("across", axis, box)
    if axis == other:
        raise SpecError("across", f"is {axis}, the same as along; give two different dimensions")


def numbered(shape: tuple[int, ...]) -> Box:
    """Return the box whose cells are numbered row by row."""
    return np.arange(prod(shape), dtype=np.int64).reshape(shape)
