"""Reductions of link values: the strongest between two groups, at a node, under a pixel. No Qt.

The strongest value is the value of largest magnitude, with its sign: the largest load, or the largest change. NaN, a
missing value, counts only where all are missing.
"""

from typing import Self

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.network import Network

Floats = NDArray[np.float64]
Groups = NDArray[np.integer]
Ids = NDArray[np.intp]


class PairMaximum:
    """The strongest value among the links of each ordered pair; built once for each network.

    `src` and `dst`, ``(n,)``, are the groups that each link leaves and reaches, -1 for none; pair ``a -> b`` has the
    number ``a * groups + b``. `links`, ``(n,)``, are the ids of these links if values of more links are given later; by
    default 0 to n - 1. Links that stay in a group count only with `within`.
    """

    def __init__(
        self, src: Groups, dst: Groups, groups: int, links: Ids | None = None, *, within: bool = False
    ) -> None:
        counted = np.flatnonzero(((src != dst) | within) & (src >= 0) & (dst >= 0))
        key = src[counted].astype(np.int64) * groups + dst[counted]
        if (key[1:] < key[:-1]).any():
            order = np.argsort(key, kind="stable")
            key, counted = key[order], counted[order]
        first = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])) if key.size else np.zeros(0, np.intp)
        self.groups = groups
        self.pairs: NDArray[np.int64] = key[first]
        """(pairs,) the pairs joined by links, ascending."""
        self._links = counted if links is None else links[counted]
        self._first = first
        self._ends = np.append(first[1:], key.size)

    @classmethod
    def of_network(cls, network: Network, among: slice = slice(None)) -> Self:
        """Return the maximum for groups of the coarsest level, or for vertices without levels, of some links."""
        group, links = network.group_of, np.arange(network.links)[among]
        return cls(group[network.src[links]], group[network.dst[links]], network.groups, links)

    def __call__(self, values: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Return the pairs, and the strongest of each pair's values; ``values`` has one for every link."""
        strongest = _strongest_in_runs(values, self._links, self._first, self._ends)
        if (given := given_values(values)) is not None:
            strongest[_strongest_in_runs(given, self._links, self._first, self._ends) == 0] = np.nan
        return self.pairs, strongest

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Return the number of links of each pair, shape ``(pairs,)``."""
        return np.asarray(self._ends - self._first, np.int64)

    def counted_links(self) -> tuple[NDArray[np.int64], Ids]:
        """Return the pair of every link that counts, and that link, shape ``(n,)`` each."""
        return np.repeat(self.pairs, self.sizes), self._links

    def links(self, pair: int) -> Ids:
        """Return the ids of the links of a pair; empty if nothing joins it."""
        place = int(np.searchsorted(self.pairs, pair))
        if place == self.pairs.size or self.pairs[place] != pair:
            return np.zeros(0, np.intp)
        return self._links[self._first[place] : self._ends[place]]


def strongest_at_ends(network: Network, values: Floats) -> Floats:
    """Return the strongest value among the links that leave or reach each vertex, shape ``(vertices,)``; 0 for none."""
    strongest = _strongest_at_ends(values, network.src, network.dst, network.vertices)
    if (given := given_values(values)) is not None:
        strongest[_strongest_at_ends(given, network.src, network.dst, network.vertices) == 0] = np.nan
    return strongest


def given_values(values: Floats) -> Floats | None:
    """Return 1 for values and 0 for NaN, or None without NaN."""
    missing = np.isnan(values)
    return (~missing).astype(np.float64) if missing.any() else None


@kernel
def _strongest_in_runs(values: Floats, links: Ids, first: Ids, ends: Ids) -> Floats:
    strongest = np.zeros(first.size)
    for k in range(first.size):
        best = 0.0
        for place in range(first[k], ends[k]):
            value = values[links[place]]
            if abs(value) > abs(best):
                best = value
        strongest[k] = best
    return strongest


@kernel
def _strongest_at_ends(values: Floats, src: NDArray[np.int32], dst: NDArray[np.int32], vertices: int) -> Floats:
    strongest = np.zeros(vertices)
    for link in range(src.size):
        value = values[link]
        if abs(value) > abs(strongest[src[link]]):
            strongest[src[link]] = value
        if abs(value) > abs(strongest[dst[link]]):
            strongest[dst[link]] = value
    return strongest


@kernel
def under_pixels(
    cells: NDArray[np.float32] | NDArray[np.bool_], down: Ids, right: Ids, middle: float
) -> NDArray[np.float32]:
    """Return for each pixel the value farthest from the middle of the cells under it, shape ``(rows, cols)`` of pixels.

    `down` and `right` are the first row or column under each pixel, and the end. For booleans, 1 where any is true.
    """
    pixels = np.empty((down.size - 1, right.size - 1), np.float32)
    for row in range(down.size - 1):
        for col in range(right.size - 1):
            best = cells[down[row], right[col]]
            for i in range(down[row], down[row + 1]):
                for j in range(right[col], right[col + 1]):
                    if abs(cells[i, j] - middle) > abs(best - middle):
                        best = cells[i, j]
            pixels[row, col] = best
    return pixels
