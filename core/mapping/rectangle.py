"""Edits of a block of the task grid, which rotate, mirror or shift it, or repeat its layout in all blocks.

Each edit reassigns the slots of a block's tasks among these tasks; no other tasks move. The grid is `Job.shape`. The
picture in which each cell shows the slot of its task is rotated, mirrored or shifted.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.job.job import Job, Tasks
from core.mapping.edit import Edit
from core.mapping.mapping import Mapping
from core.mapping.rearrange import dealt
from core.spec import SpecError
from core.text import plural

FIELD = "selection"
"""The field in error messages."""
Sides = Literal["left-right", "top-bottom"]


@dataclass(frozen=True, slots=True)
class Rectangle:
    """A block of the task grid; `row` and `col` are the position of its first cell, counted from 0."""

    row: int
    col: int
    rows: int
    cols: int

    @property
    def count(self) -> int:
        """Return the number of its cells."""
        return self.rows * self.cols

    def tasks(self, job: Job) -> Tasks:
        """Return its tasks, shape ``(rows, cols)``."""
        row = np.arange(self.row, self.row + self.rows, dtype=np.int32)
        col = np.arange(self.col, self.col + self.cols, dtype=np.int32)
        tasks: Tasks = row[:, None] * np.int32(job.shape[1]) + col
        return tasks


def rectangle_of(tasks: ArrayLike, job: Job) -> Rectangle:
    """Return the block that the tasks fill.

    Raises SpecError: if there are no tasks, or they leave gaps in their bounding rectangle.
    """
    is_selected = np.zeros(job.tasks, np.bool_)
    is_selected[np.asarray(tasks, np.int32)] = True
    selected = np.flatnonzero(is_selected)
    if not selected.size:
        raise SpecError(FIELD, "no tasks are selected; select a rectangle of the task grid")
    row, col = np.divmod(selected, job.shape[1])
    first, left = int(row.min()), int(col.min())
    block = Rectangle(first, left, int(row.max()) - first + 1, int(col.max()) - left + 1)
    gaps = block.count - selected.size
    if gaps:
        reason = f"lacks {plural(gaps, 'cell')} of its {block.rows} × {block.cols} rectangle"
        raise SpecError(FIELD, f"the selection {reason}; select a complete rectangle")
    return block


def turned(mapping: Mapping, block: Rectangle, job: Job, quarters: int = 1) -> Edit:
    """Return the edit that rotates a block's layout clockwise by quarter turns, counter-clockwise if negative.

    After one quarter, the task at (i, j) of the block has the slot that the task at (rows - 1 - j, i) had.

    Raises SpecError: for an odd number of quarters, if the block is not square.
    """
    if quarters % 2 and block.rows != block.cols:
        side, reason = min(block.rows, block.cols), f"a block of {block.rows} × {block.cols} has no quarter turn"
        raise SpecError(FIELD, f"{reason}; try a half turn, or a square block such as {side} × {side}")
    return _laid_out(mapping, block, job, np.rot90(_cells(block), -quarters))


def mirrored(mapping: Mapping, block: Rectangle, job: Job, sides: Sides) -> Edit:
    """Return the edit that mirrors a block's layout left to right, or top to bottom.

    The task at (i, j) gets the slot of the task at (i, cols - 1 - j), or at (rows - 1 - i, j).
    """
    return _laid_out(mapping, block, job, np.flip(_cells(block), 1 if sides == "left-right" else 0))


def shifted(mapping: Mapping, block: Rectangle, job: Job, down: int, right: int) -> Edit:
    """Return the edit that shifts a block's layout cyclically.

    The task at (i, j) gets the slot of the task at (i - down, j - right), modulo the block's rows and columns.
    """
    return _laid_out(mapping, block, job, np.roll(_cells(block), (down, right), (0, 1)))


def repeated(mapping: Mapping, block: Rectangle, job: Job) -> Edit:
    """Return the edit that repeats this block's layout in all blocks of the grid, within the slots of each.

    Blocks of this size, including this block, tile the grid. The cell whose task has the k-th smallest slot of this
    block gets the k-th smallest slot of its block in every other block.

    Raises SpecError: if such blocks do not tile the grid, or this block is not one of them.
    """
    _check_tiling(block, job)
    (rows, cols), tasks = job.shape, np.arange(job.tasks, dtype=np.int32)
    cut = tasks.reshape(rows // block.rows, block.rows, cols // block.cols, block.cols)
    tiles = cut.swapaxes(1, 2).reshape(-1, block.count)
    order = np.argsort(mapping.slots[block.tasks(job).ravel()])
    return dealt(mapping, tiles[:, order].ravel(), np.sort(mapping.slots[tiles], axis=1).ravel())


def _cells(block: Rectangle) -> NDArray[np.intp]:
    # The block's cells by number, row-major; their slots rotate.
    return np.arange(block.count).reshape(block.rows, block.cols)


def _laid_out(mapping: Mapping, block: Rectangle, job: Job, source: NDArray[np.intp]) -> Edit:
    # The edit after which each cell has the slot of its source cell.
    tasks = block.tasks(job).ravel()
    return dealt(mapping, tasks, mapping.slots[tasks[source.ravel()]])


def _check_tiling(block: Rectangle, job: Job) -> None:
    (rows, cols), size = job.shape, f"{block.rows} × {block.cols}"
    if rows * cols != job.tasks:
        reason = f"{job.tasks:,} tasks do not fill a {rows} × {cols} grid that blocks could tile"
        advice = "choose a job on a task grid (halo or transpose)"
    elif rows % block.rows or cols % block.cols:
        reason = f"blocks of {size} do not tile the {rows} × {cols} grid"
        advice = f"try {_near(block.rows, rows)} rows and {_near(block.cols, cols)} columns"
    elif block.row % block.rows or block.col % block.cols:
        row, col = block.row // block.rows * block.rows, block.col // block.cols * block.cols
        reason = f"the block of {size} at row {block.row}, column {block.col} is not aligned with a tiling of the grid"
        advice = f"try a block at row {row}, column {col}"
    else:
        return
    raise SpecError(FIELD, f"{reason}; {advice}")


def _near(side: int, length: int) -> str:
    # The nearest divisors below and above a side, or the side itself if it is a divisor.
    if length % side == 0:
        return str(side)
    below = next(d for d in range(side, 0, -1) if length % d == 0)
    above = next(d for d in range(side, length + 1) if length % d == 0)
    return f"{below} or {above}"
