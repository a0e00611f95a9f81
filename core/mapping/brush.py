"""The tasks under a brush that is drawn over the task grid."""

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.job.job import Job, Tasks
from core.mapping.rearrange import in_order

Floats = NDArray[np.float64]


def brushed(path: ArrayLike, size: int, job: Job) -> Tasks:
    """Return the tasks that a square brush touches along straight lines between points, without gaps.

    Tasks are listed once, in the order in which the brush reaches them, and row by row if it reaches several at once.
    Cells outside the grid or without a task are ignored.

    Parameters
    ----------
    path
        ``(n, 2)`` rows and columns of the brush's centre, in cells: cell (i, j) of `Job.shape` extends from i to
        i + 1 and from j to j + 1. A single point is a touch.
    size
        Side of the brush, in cells; a brush with an odd side is centred on the cell under the pointer.
    """
    corners = np.asarray(path, np.float64).reshape(-1, 2) - (size - 1) / 2
    lines = [_passed(*ends) for ends in pairwise(corners)] or [np.floor(corners)]
    rows, cols = job.shape
    first = np.concatenate(lines).astype(np.intp)
    first = first[((first > -size) & (first < (rows, cols))).all(axis=1)]
    reach = np.arange(size)
    row, col = first[:, 0, None, None] + reach[:, None], first[:, 1, None, None] + reach
    tasks = row * cols + col
    exists = (row >= 0) & (row < rows) & (col >= 0) & (col < cols) & (tasks < job.tasks)
    return in_order(tasks[exists])


def _passed(start: Floats, end: Floats) -> Floats:
    # The cells along a line, in order: one cell between any two crossings with lines of the grid.
    crossings = [np.array([0.0, 1.0])]
    for begin, stop in zip(start, end, strict=True):
        if begin != stop:
            low, high = sorted((begin, stop))
            crossings.append((np.arange(np.ceil(low), high) - begin) / (stop - begin))
    times = np.unique(np.concatenate(crossings))
    middles = (times[1:] + times[:-1])[:, None] / 2
    cells: Floats = np.floor(np.concatenate([start[None], start + middles * (end - start), end[None]]))
    return cells
