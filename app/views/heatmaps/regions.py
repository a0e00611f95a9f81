"""Regions of equal numbers on a grid: lines between them, and places for labels. No Qt."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Grid = NDArray[np.int32]
Ids = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Lines:
    """Straight lines along the edges of cells, in cells: ``(n,)`` each, x to the right, y downwards."""

    x0: Ids
    y0: Ids
    x1: Ids
    y1: Ids

    @property
    def count(self) -> int:
        """Return the number of lines."""
        return self.x0.size


@dataclass(frozen=True, eq=False)
class Places:
    """One place for a label in each region, ``(n,)`` each, in cells."""

    value: Grid
    """The number in the region's cells."""
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    width: Ids
    """Length of the region's widest row, whose middle is the place."""
    height: Ids
    """Cells of the region above and below the place, itself included."""

    def holding(self, grid: Grid) -> "Places":
        """Return the places at which a grid still has the same number: a good guess after a small change."""
        same = grid[self.y.astype(np.intp), self.x.astype(np.intp)] == self.value
        return Places(self.value[same], self.x[same], self.y[same], self.width[same], self.height[same])


def separators(grid: Grid) -> Lines:
    """Return the lines between cells that differ, as few and long as possible; not the border of the grid."""
    row, top, bottom = _runs((grid[:, 1:] != grid[:, :-1]).T)
    col, left, right = _runs(grid[1:] != grid[:-1])
    return Lines(
        np.concatenate([row + 1, left]),
        np.concatenate([top, col + 1]),
        np.concatenate([row + 1, right]),
        np.concatenate([bottom, col + 1]),
    )


def outline(mask: NDArray[np.bool_]) -> Lines:
    """Return the lines around all cells that are set."""
    edges = separators(np.pad(mask, 1).astype(np.int32))
    return Lines(edges.x0 - 1, edges.y0 - 1, edges.x1 - 1, edges.y1 - 1)


def label_places(grid: Grid) -> Places:
    """Return a place for a label in every connected region of equal numbers, largest regions first.

    It is the middle of the region's widest row (ties: nearest to its centre of mass), moved to the middle of the column
    run through it: the centre of a rectangle, and always inside the region.
    """
    rows, cols = grid.shape
    run, start, length = _row_runs(grid)
    row = start // cols
    region = _regions(run.reshape(rows, cols), grid, start.size)
    area = np.bincount(region, length)
    centre = np.bincount(region, length * row) / area
    best = np.lexsort((np.abs(row - centre[region]), -length, region))
    best = best[np.concatenate([[True], np.diff(region[best]) != 0])]
    # The one or two cells in the middle of the widest row, and the common extent of the column runs through both.
    up, down, tall = _row_runs(np.ascontiguousarray(grid.T))
    first, last = start[best] % cols + (length[best] - 1) // 2, start[best] % cols + length[best] // 2
    columns = [up.reshape(cols, rows)[middle, row[best]] for middle in (first, last)]
    top = np.max([down[column] % rows for column in columns], axis=0)
    bottom = np.min([down[column] % rows + tall[column] for column in columns], axis=0)
    order = np.argsort(-area[region[best]], kind="stable")
    return Places(
        grid.ravel()[start[best]][order],
        (start[best] % cols + length[best] / 2)[order],
        ((top + bottom) / 2)[order],
        length[best][order],
        (bottom - top)[order],
    )


def _runs(mask: NDArray[np.bool_]) -> tuple[Ids, Ids, Ids]:
    # (line, start, end) of every run of set cells along the second axis.
    step = np.diff(np.pad(mask.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    line, start = np.nonzero(step == 1)
    return line, start, np.nonzero(step == -1)[1]


def _row_runs(grid: Grid) -> tuple[Ids, Ids, Ids]:
    # The number of the run of equal cells that contains each cell; first cell and length of every run.
    new = np.ones(grid.shape, np.bool_)
    new[:, 1:] = grid[:, 1:] != grid[:, :-1]
    start = np.flatnonzero(new)
    return np.cumsum(new) - 1, start, np.diff(np.append(start, grid.size))


def _regions(run: Ids, grid: Grid, runs: int) -> Ids:
    # Connected regions of runs: neighbours above each other take the smaller root, until nothing changes.
    alike = grid[1:] == grid[:-1]
    joined = np.unique(run[:-1][alike] * runs + run[1:][alike])
    a, b = np.divmod(joined, runs)
    root = np.arange(runs)
    while True:
        low = np.minimum(root[a], root[b])
        before = root.copy()
        for end in (a, b):
            np.minimum.at(root, before[end], low)
            np.minimum.at(root, end, low)
        root = root[root]
        if np.array_equal(root, before):
            return np.unique(root, return_inverse=True)[1]
