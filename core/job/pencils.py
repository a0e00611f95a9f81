"""Exchanges of a three-dimensional Fourier transform with pencil decomposition.

Each task of a P x Q grid holds whole lines along one dimension. To change the dimension, it sends its unit in equal
parts to all tasks of its row, then to all tasks of its column. The unit is the data of a task: for N^3 double complex
numbers, N^3 / (P Q) * 16 bytes. Source: Pekurovsky, "P3DFFT: a framework for parallel computations of Fourier
transforms in three dimensions", 2012.
"""

from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import ClassVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.job import (
    MAX_TASKS,
    FlowBlock,
    GridColumns,
    GridRows,
    Job,
    JobSpec,
    SymmetricPhase,
    Tasks,
    check_tasks,
    near_square,
)
from core.job.transpose import least_leaving_sets


class Pencils(JobSpec, frozen=True, tag="pencils"):
    """Pencils (3-D FFT): each task sends its unit in equal parts to its row, then to its column."""

    title: ClassVar[str] = "Pencils (3-D FFT)"

    rows: GridRows = 8
    cols: GridColumns = 8

    def summary(self) -> str:
        """Return the numbers of tasks in all, per row and per column."""
        return f"{self.rows * self.cols:,} tasks; exchange in rows of {self.cols:,}, then in columns of {self.rows:,}"

    def resized(self, slots: int) -> "Pencils":
        """Return the pattern on the most nearly square grid of `slots` tasks."""
        rows, cols = near_square(min(slots, MAX_TASKS))
        return replace(self, rows=rows, cols=cols)

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: two phases with Q and P flows per task (its own share is free).

        Raises SpecError: beyond the limits on tasks and flows.
        """
        tasks = self.rows * self.cols
        check_tasks("job.rows", tasks, tasks * (self.rows + self.cols))
        phases = LinePhase(self.rows, self.cols, 1), LinePhase(self.rows, self.cols, 0)
        quantum = Fraction(1, lcm(self.rows, self.cols))
        return Job(self, tasks, phases, (self.rows, self.cols), unit=False, quantum=quantum)

    def min_leaving_volume(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return twice the bound of a transpose, which sends half as much in the same pattern, at once."""
        return 2 * least_leaving_sets(self.rows, self.cols, int(sizes.max()))[sizes]

    def volume_by_partner_rank(self, job: Job) -> NDArray[np.float64]:
        """Return the shares of row and column, the larger first, times the tasks."""
        short, long_ = sorted((self.rows, self.cols))
        return job.tasks * np.repeat([1 / short, 1 / long_], [short - 1, long_ - 1])


class LinePhase(SymmetricPhase):
    """An exchange along all rows of the grid (axis 1), or all columns (axis 0)."""

    def __init__(self, rows: int, cols: int, axis: int) -> None:
        self.rows, self.cols, self.axis = rows, cols, axis
        self.tasks, self.fan_out = rows * cols, (rows, cols)[axis]
        self.name = ("columns", "rows")[axis]

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return a flow to each task of the line, itself included."""
        i, j = np.divmod(tasks, np.int32(self.cols))
        along = np.arange(self.fan_out, dtype=np.int32)
        dst = i[:, None] * np.int32(self.cols) + along if self.axis else along * np.int32(self.cols) + j[:, None]
        return FlowBlock(np.repeat(tasks, self.fan_out), dst.ravel(), np.full(dst.size, 1 / self.fan_out))
