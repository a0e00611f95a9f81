"""Matrix transpose: every task of a grid exchanges with all tasks of its row and of its column."""

from fractions import Fraction
from functools import lru_cache
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
from core.kernels import kernel

EXACT_WORK = 20_000_000
"""Maximum number of steps of the exact isoperimetric computation; beyond it a weaker bound is used."""


class Transpose(JobSpec, frozen=True, tag="transpose"):
    """Transpose: each task sends half of its unit to its row and half to its column, in equal parts."""

    title: ClassVar[str] = "Transpose"

    rows: GridRows = 64
    cols: GridColumns = 64

    def summary(self) -> str:
        """Return the numbers of tasks and of flows."""
        tasks = self.rows * self.cols
        return f"{tasks:,} tasks, {tasks * (self.rows + self.cols):,} flows"

    def resized(self, slots: int) -> "Transpose":
        """Return the pattern on the most nearly square grid of `slots` tasks."""
        rows, cols = near_square(min(slots, MAX_TASKS))
        return replace(self, rows=rows, cols=cols)

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: one phase, P + Q flows per task (its own share is free).

        Raises SpecError: beyond the limits on tasks and flows.
        """
        tasks = self.rows * self.cols
        check_tasks("job.rows", tasks, tasks * (self.rows + self.cols))
        quantum = Fraction(1, lcm(2 * self.rows, 2 * self.cols))
        phase = TransposePhase(self.rows, self.cols)
        return Job(self, tasks, (phase,), (self.rows, self.cols), unit=True, quantum=quantum)

    def min_leaving_volume(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the bound of `least_leaving_sets`."""
        return least_leaving_sets(self.rows, self.cols, int(sizes.max()))[sizes]

    def volume_by_partner_rank(self, job: Job) -> NDArray[np.float64]:
        """Return the shares of row and column, the larger first, times the tasks."""
        short, long_ = sorted((self.rows, self.cols))
        return job.tasks * np.repeat([0.5 / short, 0.5 / long_], [short - 1, long_ - 1])


@lru_cache(maxsize=32)
def least_leaving_sets(rows: int, cols: int, most: int) -> NDArray[np.float64]:
    """Return the least volume that leaves any k tasks, k = 0 .. most: exact, or beyond `EXACT_WORK` a bound.

    Proof. A set with r_i tasks in row i and c_j in column j keeps ``sum r_i^2 / (2Q) + sum c_j^2 / (2P)``
    inside and sends the rest of its k units out. Given the r_i, sorted, the column counts are majorised by
    the conjugate partition (Gale and Ryser), reached by pushing every row to the left, and the sum of squares
    is convex: so the largest inside volume belongs to a Young diagram, for which ``sum c_j^2 = sum (2i - 1)
    r_i`` (i = 1, 2, ...). The recurrence runs over all of them. Without it: row and column terms are bounded
    apart, each by as many full lines as fit.
    """
    short, long_ = min(rows, cols), max(rows, cols)
    if most * min(short, most) * min(long_, most) <= EXACT_WORK:
        return np.asarray(np.arange(most + 1) - _most_inside(most, short, long_))
    k = np.arange(most + 1)
    inside = np.zeros(most + 1)
    for line in (rows, cols):
        inside += ((k // line) * line**2 + (k % line) ** 2) / (2 * line)
    return np.maximum(k - inside, 0.0)


@kernel
def _most_inside(most: int, rows: int, cols: int) -> NDArray[np.float64]:
    # best[k, w]: the largest inside volume of k tasks in rows i and below, row i at most w wide.
    width = min(cols, most)
    best = np.full((most + 1, width + 1), -np.inf)
    best[0, :] = 0.0
    for i in range(min(rows, most), 0, -1):
        for k in range(most, 0, -1):
            top = -np.inf
            for w in range(1, width + 1):
                if w <= k and best[k - w, w] > -np.inf:
                    gain = w * w / (2.0 * cols) + (2 * i - 1) * w / (2.0 * rows)
                    top = max(top, best[k - w, w] + gain)
                best[k, w] = top
    return best[:, width]


class TransposePhase(SymmetricPhase):
    """Row and column exchanges of the grid."""

    def __init__(self, rows: int, cols: int) -> None:
        self.rows, self.cols = rows, cols
        self.tasks, self.fan_out = rows * cols, rows + cols

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return Q flows to the row and P flows to the column of each task, which is itself included twice."""
        i, j = np.divmod(tasks, np.int32(self.cols))
        along = i[:, None] * np.int32(self.cols) + np.arange(self.cols, dtype=np.int32)
        across = np.arange(self.rows, dtype=np.int32) * np.int32(self.cols) + j[:, None]
        dst = np.concatenate([along, across], axis=1).ravel()
        share = np.repeat([0.5 / self.cols, 0.5 / self.rows], [self.cols, self.rows])
        return FlowBlock(np.repeat(tasks, self.fan_out), dst, np.tile(share, tasks.size))
