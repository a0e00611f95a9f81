"""Lattices of four and more dimensions: grids inside grids, with a box for each index of the first dimension."""

from collections.abc import Iterator
from itertools import pairwise, product
from math import ceil, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.layout import LANE, NODE, STUB, Floats, Layout, centred, in_plane, lattice, right_of

MAX_SOLID = 3
"""Dimensions up to which a lattice is drawn as one grid."""
GAP = 0.5
"""Additional distance between grids, for every level of nesting along an axis."""
ASPECT = 1.3
"""Preferred width of the picture, relative to its height."""
MAX_LENGTH, LENGTH_COST = 1.8, 20.0
"""Preferred limit of the ratio of length to width, and the cost of exceeding it by a factor e."""
FOLD_COST = 0.5
"""Cost of arranging the boxes in more than one row, in units of the cost of a picture e times too wide."""
MIN_FOLDED_LENGTH = 2.2
"""Ratio of length to width above which the longest dimension inside the boxes is folded too."""
MAX_ROWS = 32
"""Maximum number of rows of a folded dimension."""
BORDER = 0.6
"""Space between the outer nodes of a box and its edge, for the stubs of wrap-around links."""
OPEN_RING_COST = 0.25
"""Cost if the ends of a ring of boxes in several rows are not adjacent."""
BOX_GAP = 0.16
"""Space between two boxes, relative to their mean side, for names and links."""
BOW = 0.4
"""How far links that pass other nodes bow: between their row and the next, for any length."""
MAX_BOXES = 512
"""Largest first dimension whose indices become boxes: more pairs of boxes would take too much memory."""
COLUMN = 0, 1
"""Axes of the last dimension and the one before it: columns, and rows downwards as in the task grid."""

Places = NDArray[np.float64]


class Fold(NamedTuple):
    """A dimension inside the boxes that is laid out in rows of alternating direction."""

    dim: int
    """Index among the dimensions inside a box."""
    columns: int


class Arrangement(NamedTuple):
    """How the dimensions of a lattice are combined."""

    axis: tuple[int, ...]
    """(dimensions - 1,) axis of every dimension after the first: 0 horizontal, 1 vertical."""
    columns: int
    """Number of columns of boxes."""
    fold: Fold | None


def any_lattice(dims: tuple[int, ...], wrap: tuple[bool, ...], starts: NDArray[np.intp], *, boxed: bool) -> Layout:
    """Place the nodes of a torus or mesh: one grid up to three dimensions longer than 1, nested grids beyond.

    `starts` are the first link ids of each dimension, and the end of the last; `boxed`: whether the indices of the
    first dimension are the groups of the network's coarsest level, which may be boxes that can be opened.
    """
    # Dimensions of size 1 have no links and need no space.
    long = [dim for dim, size in enumerate(dims) if size > 1]
    boxed = boxed and long[0] == 0 and dims[0] <= MAX_BOXES
    dims, wrap, starts = tuple(dims[d] for d in long), tuple(wrap[d] for d in long), np.append(starts[long], starts[-1])
    return lattice(dims, wrap, starts) if len(long) <= MAX_SOLID else _nested_grids(dims, wrap, starts, boxed)


def _nested_grids(dims: tuple[int, ...], wrap: tuple[bool, ...], starts: NDArray[np.intp], boxed: bool) -> Layout:
    """Place the nodes of a lattice of at least three dimensions, all longer than 1, in the plane.

    The last two dimensions are columns and rows of a grid. Every further dimension puts such grids side by side or
    below each other, so that the picture is less elongated. The first dimension continues in further rows where
    needed, as does the longest of the others if the picture is still too elongated. `starts` are the first link ids of
    each dimension, and the end of the last; `boxed`: whether the indices of the first dimension are boxes that can be
    opened.
    """
    axis, columns, fold = _arrangement(dims, wrap[0])
    inner = _inner(dims[1:], axis, fold)
    size = np.ptp(inner, axis=0) + 2 * BORDER
    centres = _boxes(dims[0], columns, size)
    positions = in_plane((centres[:, None] + inner).reshape(-1, 2))
    boxes = np.column_stack([centres, np.tile(size, (len(centres), 1))]).astype(np.float32)
    if not boxed:
        boxes = boxes[:0]
    curves = _Curves(dims, wrap, starts, positions, _lanes(axis))
    return Layout(positions, (NODE, NODE), curves, boxes, boxes[:, :2], rows=True)


def _arrangement(dims: tuple[int, ...], ring: bool) -> Arrangement:
    candidates = [*_candidates(dims, ring, None)]
    if min(candidates)[1] > log(MIN_FOLDED_LENGTH):
        for fold in _folds(dims[1:]):
            candidates += _candidates(dims, ring, fold)
    return min(candidates, key=lambda candidate: candidate[:2])[2]


def _folds(dims: tuple[int, ...]) -> list[Fold]:
    longest = max(dims)
    columns = {ceil(longest / rows) for rows in range(2, min(longest, MAX_ROWS) + 1)}
    return [Fold(dims.index(longest), count) for count in sorted(columns)]


def _candidates(dims: tuple[int, ...], ring: bool, fold: Fold | None) -> Iterator[tuple[float, float, Arrangement]]:
    """Yield for each arrangement its cost, the absolute logarithm of its ratio of length to width, and itself."""
    for free in product((1, 0), repeat=len(dims) - 3):
        axis = (*free, *reversed(COLUMN))
        width, height = (_inner_extent(*_digits(dims[1:], axis, fold)) + 2 * BORDER).tolist()
        # Alternating the axis of nested grids makes them less elongated.
        alike = sum(a == b for a, b in pairwise(axis)) / 100
        for columns in _columns(dims[0], width, height):
            # The first box of a ring is adjacent to the last if rows are full and their number is even.
            apart = ring and 1 < columns < dims[0] and dims[0] % (2 * columns) != 0
            shape = _shape(dims[0], columns, width, height)
            against = _badness(dims[0], columns, width, height) + alike + OPEN_RING_COST * apart
            yield against, abs(shape), Arrangement(axis, columns, fold)


def _digits(dims: tuple[int, ...], axis: tuple[int, ...], fold: Fold | None) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return dimensions and their axes with the folded dimension split in two: its rows and the columns inside."""
    if fold is None:
        return dims, axis
    at, rows = fold.dim, ceil(dims[fold.dim] / fold.columns)
    sizes = (*dims[:at], rows, fold.columns, *dims[at + 1 :])
    return sizes, (*axis[:at], 1 - axis[at], *axis[at:])


def _columns(count: int, width: float, height: float) -> list[int]:
    best = round((count * ASPECT * height / width) ** 0.5)
    return sorted({1, count, *(min(max(best + step, 1), count) for step in range(-2, 3))})


def _badness(count: int, columns: int, width: float, height: float) -> float:
    rows, shape = ceil(count / columns), _shape(count, columns, width, height)
    bar = abs(shape - log(ASPECT)) + LENGTH_COST * max(abs(shape) - log(MAX_LENGTH), 0) + abs(log(width / height)) / 4
    return bar + FOLD_COST * (1 < columns < count) + (columns * rows - count) / count


def _shape(count: int, columns: int, width: float, height: float) -> float:
    # The logarithm of the picture's width relative to its height.
    rows, gap = ceil(count / columns), BOX_GAP * (width + height) / 2
    return log((columns * (width + gap) - gap) / (rows * (height + gap) - gap))


def _steps(dims: tuple[int, ...], axis: tuple[int, ...]) -> list[float]:
    """Return the distance of neighbours along each dimension: 1 for the innermost of each axis."""
    extent, nested = [0.0, 0.0], [0, 0]
    steps = [0.0] * len(dims)
    for dim in range(len(dims) - 1, -1, -1):
        along = axis[dim]
        steps[dim] = extent[along] + 1 + GAP * nested[along]
        extent[along] += (dims[dim] - 1) * steps[dim]
        nested[along] += 1
    return steps


def _inner_extent(dims: tuple[int, ...], axis: tuple[int, ...]) -> Places:
    extent = np.zeros(2)
    np.add.at(extent, list(axis), (np.array(dims) - 1) * _steps(dims, axis))
    return extent


def _inner(dims: tuple[int, ...], axis: tuple[int, ...], fold: Fold | None) -> Places:
    """Return the positions of all nodes of a box about its middle, shape ``(nodes, 2)``."""
    places = list(np.unravel_index(np.arange(int(np.prod(dims))), dims))
    if fold is not None:
        places[fold.dim : fold.dim + 1] = _boustrophedon(places[fold.dim], fold.columns)
    coordinate = np.stack(places, axis=1)
    dims, axis = _digits(dims, axis, fold)
    steps = np.zeros((len(dims), 2))
    steps[np.arange(len(dims)), axis] = _steps(dims, axis) * np.where(np.array(axis) == 0, 1, -1)
    return centred(coordinate @ steps)


def _boustrophedon(place: NDArray[np.intp], columns: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    # Row and column; every other row is reversed, so that neighbours stay adjacent.
    row, col = np.divmod(place, columns)
    return row, np.where(row % 2, columns - 1 - col, col)


def _boxes(count: int, columns: int, size: Places) -> Places:
    """Return the centres of boxes in rows of alternating direction, so that neighbours stay adjacent."""
    row, col = _boustrophedon(np.arange(count), columns)
    room = size + BOX_GAP * size.mean()
    return centred(np.stack([col, -row], axis=1) * room)


def _lanes(axis: tuple[int, ...]) -> Places:
    """Return the offset of links of each dimension from their nodes, in lanes."""
    inner = [sum(other == axis[dim] for other in axis[dim + 1 :]) for dim in range(len(axis))]
    # The innermost at 1 lane, the next at 2, none beyond 3, to stay near the nodes.
    return np.asarray(3 - 2 / (1 + np.array([max(inner) + 1, *inner])))


class _Curves:
    """The curves of links: to the right of their direction, bowed where they pass by nodes; stubs for wrap-around."""

    def __init__(
        self, dims: tuple[int, ...], wrap: tuple[bool, ...], starts: NDArray[np.intp], positions: Floats, lanes: Places
    ) -> None:
        self._wrap, self._starts, self._positions, self._lanes = np.array(wrap), starts, positions, lanes
        self._stride = np.append(np.cumprod(dims[:0:-1])[::-1], 1)

    def __call__(self, ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        dim = np.searchsorted(self._starts, ids, side="right") - 1
        stride, step = self._stride[dim], dst.astype(np.intp) - src
        # In a ring links alternate + and -; this alone distinguishes the two parallel links of a ring of two.
        ahead = np.where(self._wrap[dim], 1 - 2 * ((ids - self._starts[dim]) % 2), np.sign(step))
        around = (step != ahead * stride)[:, None]
        start, end = self._positions[src].astype(float), self._positions[dst].astype(float)
        # A wrap-around link leaves in the direction of the link that enters its source.
        came = start - self._positions[np.where(around[:, 0], src - ahead * stride, dst)]
        direction = np.where(around, came, end - start)
        length = np.linalg.norm(direction, axis=1, keepdims=True)
        direction /= length
        right = right_of(direction)
        start += LANE * self._lanes[dim, None] * right
        end = np.where(around, start + STUB * direction, end + LANE * self._lanes[dim, None] * right)
        bow = np.where(around | (length < 1 + GAP / 2), 0, BOW)
        return np.stack([start, (start + end) / 2 + bow * right, end], axis=1).astype(np.float32)
