"""Sublattices of the integers that contain all periods of a torus, and the finite groups of their translations."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import prod, sqrt

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Basis = tuple[tuple[int, ...], ...]

MOST = 2000
"""Candidates up to which all sublattices are listed."""
GOLDEN = (sqrt(5) - 1) / 2
"""Multiples of it modulo 1 are spread evenly."""


@dataclass(frozen=True)
class Sublattice:
    """A sublattice L of Z^n that contains the periods of a torus; the torus has ``prod(dims) / index`` of its points.

    Translations by these points form a finite abelian group; its elements are numbered, 0 for no translation.
    """

    dims: tuple[int, ...]
    """Sides of the torus."""
    basis: Basis
    """Rows of an upper triangular matrix with a positive diagonal."""

    @property
    def index(self) -> int:
        """Return the number of cosets of L in Z^n."""
        return prod(row[k] for k, row in enumerate(self.basis))

    @property
    def order(self) -> int:
        """Return the number of translations."""
        return prod(self.dims) // self.index

    def reduced(self, points: Ints) -> Ints:
        """Return the representative of each point's coset, shape of `points`: ``(n, points)``."""
        points = points.copy()
        for k, row in enumerate(self.basis):
            points -= np.array(row)[:, None] * (points[k] // row[k])
        return points

    def contains(self, points: Ints) -> bool:
        """Return whether all points, ``(n, points)``, lie in L."""
        return not self.reduced(points).any()

    @property
    def periodic(self) -> bool:
        """Return whether L contains the periods of the torus."""
        return self.contains(np.diag(self.dims))

    @cached_property
    def _at(self) -> tuple[Ints, Ints]:
        # The points of L in the torus, (n, order), the origin first, and the number of each place of the torus.
        places = np.indices(self.dims).reshape(len(self.dims), -1)
        inside = np.flatnonzero(~self.reduced(places).any(axis=0))
        number = np.full(places.shape[1], -1)
        number[inside] = np.arange(inside.size)
        return places[:, inside], number

    @property
    def points(self) -> Ints:
        """Return the points of L in the torus, shape ``(n, order)``; the translation i is by the i-th point."""
        return self._at[0]

    def translation(self, points: Ints) -> Ints:
        """Return the number of the translation by each point of L, given as ``(n, ...)``."""
        sides = np.array(self.dims).reshape(-1, *(1,) * (points.ndim - 1))
        return np.asarray(self._at[1][np.ravel_multi_index(tuple(points % sides), self.dims)])

    def split(self, points: Ints) -> tuple[Ints, Ints]:
        """Return the translation of each point, and the number of its representative, row by row; ``(points,)`` each.

        A point is its representative moved by its translation.
        """
        first = self.reduced(points)
        box = tuple(row[k] for k, row in enumerate(self.basis))
        return self.translation(points - first), np.asarray(np.ravel_multi_index(tuple(first), box))

    @cached_property
    def sums(self) -> NDArray[np.int32]:
        """Return the translation that combines two, shape ``(order, order)``."""
        return self.translation(self.points[:, :, None] + self.points[:, None]).astype(np.int32)

    @cached_property
    def inverse(self) -> NDArray[np.int32]:
        """Return the inverse of each translation, shape ``(order,)``."""
        return self.translation(-self.points).astype(np.int32)

    @property
    def representatives(self) -> Ints:
        """Return the representatives of all cosets, row by row, shape ``(n, index)``."""
        return np.indices([row[k] for k, row in enumerate(self.basis)]).reshape(len(self.dims), -1)

    @cached_property
    def shortest(self) -> int:
        """Return the smallest sum of coordinates of a vector of L other than 0."""
        sides = np.array(self.dims)[:, None]
        away = np.minimum(self.points, sides - self.points).sum(axis=0)
        return int(min([*away[1:].tolist(), *self.dims]))

    def sublattices(self, index: int) -> Iterator["Sublattice"]:
        """Yield sublattices of L that L has `index` cosets of, as far as they contain the periods of the torus.

        All of them up to `MOST` candidates; of more, the boxes, and a sample that is spread over the others.
        """
        # Each diagonal entry divides the side of the torus.
        rows = enumerate(zip(self.dims, self.basis, strict=True))
        sides = [side // row[k] if side % row[k] == 0 else 0 for k, (side, row) in rows]
        for matrix in _triangular(sides, index):
            basis = tuple(tuple(map(int, row)) for row in np.array(matrix) @ np.array(self.basis))
            finer = Sublattice(self.dims, basis)
            if finer.periodic:
                yield finer


def sublattices(dims: tuple[int, ...], index: int) -> Iterator[Sublattice]:
    """Yield sublattices of Z^n of an index that contain the periods of a torus: see `Sublattice.sublattices`."""
    unit = tuple(tuple(int(i == k) for i in range(len(dims))) for k in range(len(dims)))
    yield from Sublattice(dims, unit).sublattices(index)


def _triangular(sides: list[int], determinant: int) -> Iterator[Basis]:
    # Hermite normal forms whose diagonal divides the sides, every sublattice once.
    diagonals = list(_factors(sides, determinant))
    counts = [prod(side**k for k, side in enumerate(diagonal)) for diagonal in diagonals]
    ends = list(accumulate(counts))
    total = ends[-1] if ends else 0
    boxes = {end - count for end, count in zip(ends, counts, strict=True)}
    chosen = range(total) if total <= MOST else sorted(boxes | {int(k * GOLDEN % 1 * total) for k in range(MOST)})
    for number in chosen:
        at = bisect_right(ends, number)
        yield _hermite(diagonals[at], number - (ends[at] - counts[at]))


def _hermite(diagonal: tuple[int, ...], number: int) -> Basis:
    # The matrix with a diagonal whose entries above it are the digits of a number.
    rows = np.diag(diagonal)
    for j, side in enumerate(diagonal):
        for i in range(j):
            number, rows[i, j] = divmod(number, side)
    return tuple(map(tuple, rows.tolist()))


def _factors(sides: list[int], number: int) -> Iterator[tuple[int, ...]]:
    # Write a number as products of divisors of the sides, in every order.
    if not sides:
        if number == 1:
            yield ()
        return
    for first in range(1, number + 1):
        if number % first == 0 and sides[0] % first == 0:
            for rest in _factors(sides[1:], number // first):
                yield (first, *rest)
