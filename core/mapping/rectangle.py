"""Edits of a block of the task grid: rotate, mirror or shift it, or repeat its inner layout in all blocks.

Each edit reassigns the slots of a block's tasks among these tasks; nothing outside moves. The grid is `Job.shape`; it
is the picture in which every cell shows its task's slot that rotates.
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
    is_marked = np.zeros(job.tasks, np.bool_)
    is_marked[np.asarray(tasks, np.int32)] = True
    marked = np.flatnonzero(is_marked)
    if not marked.size:
        raise SpecError(FIELD, "no task is selected; select a rectangle of the task grid")
    row, col = np.divmod(marked, job.shape[1])
    first, left = int(row.min()), int(col.min())
    block = Rectangle(first, left, int(row.max()) - first + 1, int(col.max()) - left + 1)
    gaps = block.count - marked.size
    if gaps:
        reason = f"leave out {plural(gaps, 'cell')} of the {block.rows} × {block.cols} rectangle around them"
        raise SpecError(FIELD, f"the selected tasks {reason}; select an entire rectangle")
    return block


def turned(mapping: Mapping, block: Rectangle, job: Job, quarters: int = 1) -> Edit:
    """Return the edit that turns a block's layout clockwise by quarter turns, counter-clockwise if negative.

    After one quarter, the task at (i, j) of the block has the slot that the task at (rows - 1 - j, i) had.

    Raises SpecError: for an odd number of quarters, if the block is not square.
    """
    if quarters % 2 and block.rows != block.cols:
        side, reason = min(block.rows, block.cols), f"a block of {block.rows} × {block.cols} has no quarter turn"
        raise SpecError(FIELD, f"{reason}; a half turn, or a square block such as {side} × {side}, would do")
    return _laid_out(mapping, block, job, np.rot90(_cells(block), -quarters))


def mirrored(mapping: Mapping, block: Rectangle, job: Job, sides: Sides) -> Edit:
    """Return the edit that exchanges the left and right, or the top and bottom, of a block's layout.

    The task at (i, j) gets the slot of the task at (i, cols - 1 - j), or at (rows - 1 - i, j).
    """
    return _laid_out(mapping, block, job, np.flip(_cells(block), 1 if sides == "left-right" else 0))


def shifted(mapping: Mapping, block: Rectangle, job: Job, down: int, right: int) -> Edit:
    """Return the edit that shifts a block's layout cyclically.

    The task at (i, j) gets the slot of the task at (i - down, j - right), modulo the block's rows and columns.
    """
    return _laid_out(mapping, block, job, np.roll(_cells(block), (down, right), (0, 1)))


def repeated(mapping: Mapping, block: Rectangle, job: Job) -> Edit:
    """Return the edit that repeats this block's layout in every block of the grid, each within its own slots.

    Blocks of this size tile the grid, this block among them. The cell whose task has the k-th smallest slot of this
    block gets the k-th smallest slot of its block in every other block.

    Raises SpecError: if such blocks do not tile the grid, or this block lies across them.
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
        advice = "use a job on a task grid (halo or transpose)"
    elif rows % block.rows or cols % block.cols:
        reason = f"blocks of {size} do not tile the {rows} × {cols} grid"
        advice = f"{_near(block.rows, rows)} rows and {_near(block.cols, cols)} columns would do"
    elif block.row % block.rows or block.col % block.cols:
        row, col = block.row // block.rows * block.rows, block.col // block.cols * block.cols
        reason = f"the block of {size} starts at row {block.row}, column {block.col}, across those that tile the grid"
        advice = f"one from row {row}, column {col} on would do"
    else:
        return
    raise SpecError(FIELD, f"{reason}; {advice}")


def _near(side: int, length: int) -> str:
    # The next divisors below and above a side, or the side itself if it divides.
    if length % side == 0:
        return str(side)
    below = next(d for d in range(side, 0, -1) if length % d == 0)
    above = next(d for d in range(side, length + 1) if length % d == 0)
    return f"{below} or {above}"
