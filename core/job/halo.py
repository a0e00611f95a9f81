"""Halo exchange: every task of a grid sends a quarter of its unit to each of its four neighbours."""

from fractions import Fraction
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.job import (
    MAX_TASKS,
    FlowBlock,
    Job,
    JobSpec,
    Phase,
    Tasks,
    check_tasks,
    crossing_by_isoperimetry,
    near_square,
)
from core.spec import declare

STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""North, east, south, west."""


class Halo(JobSpec, frozen=True, tag="halo"):
    """Halo, 5-point: 1/4 of a task's unit to each of its north, east, south and west neighbours."""

    title: ClassVar[str] = "Halo, 5-point"

    rows: Annotated[int, declare("Rows", "rows of the task grid", ge=1, le=1 << 20)] = 64
    cols: Annotated[int, declare("Columns", "columns of the task grid", ge=1, le=1 << 20)] = 64
    periodic: Annotated[
        bool, declare("Periodic", "neighbours wrap around; else a missing neighbour's share is not sent")
    ] = True

    def summary(self) -> str:
        """Return the number of tasks."""
        return f"{self.rows * self.cols:,} tasks, 1/4 unit to each neighbour"

    def resized(self, slots: int) -> "Halo":
        """Return the pattern on the most nearly square grid of `slots` tasks."""
        rows, cols = near_square(min(slots, MAX_TASKS))
        return replace(self, rows=rows, cols=cols)

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: one phase, four flows a task.

        Raises SpecError: beyond the limit on tasks.
        """
        check_tasks("job.rows", self.rows * self.cols, 4 * self.rows * self.cols)
        phase = HaloPhase(self.rows, self.cols, self.periodic)
        return Job(self, phase.tasks, (phase,), (self.rows, self.cols), unit=True, quantum=Fraction(1, 4))

    def least_crossing(self, job: Job, capacity: int, groups: int) -> float:
        """Return the bound from the grid's edge-isoperimetry (`edges_leaving`)."""
        edges = self._edges(np.arange(min(capacity, job.tasks) + 1))
        return crossing_by_isoperimetry(edges / 4, job.tasks, capacity, groups)

    def least_leaving(self, job: Job, fewest: int, most: int) -> float:
        """Return the least of the bounds for the sizes in question."""
        sizes = np.unique(np.linspace(fewest, most, min(most - fewest + 1, 2048)).astype(np.int64))
        if sizes.size < most - fewest + 1:
            return 0.0
        return float(self._edges(sizes).min() / 4)

    def _edges(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array([edges_leaving(int(k), self.rows, self.cols, self.periodic) for k in sizes], float)

    def heaviest(self, job: Job) -> NDArray[np.float64]:
        """Return a quarter unit for each task with that many neighbours; both neighbours in a ring of two are one."""
        if self.periodic:
            sides = [(0.5,) if side == 2 else (0.25, 0.25) for side in (self.rows, self.cols) if side > 1]
            return job.tasks * np.array(sorted((share for side in sides for share in side), reverse=True))
        counts = np.convolve(_line_neighbours(self.rows), _line_neighbours(self.cols))
        return np.trim_zeros(np.array([counts[k:].sum() / 4 for k in range(1, 5)]), "b")


def _line_neighbours(length: int) -> NDArray[np.float64]:
    # How many places of an open line have 0, 1 and 2 neighbours.
    return np.array([1.0, 0, 0]) if length == 1 else np.array([0, 2.0, length - 2])


def edges_leaving(size: int, rows: int, cols: int, periodic: bool) -> int:
    """Return a lower bound on the grid edges between any `size` tasks and the others.

    Proof. Let A be the set. A row that A meets without filling it holds at least e edges that leave A: e = 2
    on a ring, 1 on an open line; likewise a column. Four cases:
    1. A fills no row and no column: it meets r rows and c columns with r c >= size, so at least e (r + c)
       edges leave.
    2. A fills a row but no column: it meets every column without filling it: at least e * cols edges.
    3. A fills a column but no row: at least e * rows.
    4. A fills a row and a column: its complement then fills none; apply case 1 to the complement.

    The bound is the least of the four. (Rings of two have two parallel edges, a neighbour met twice; rings of
    one task send to themselves, for free, and are never met without being filled.)
    """
    total = rows * cols
    if size <= 0 or size >= total:
        return 0
    least = min(cols, rows, _half_perimeter(size, rows, cols), _half_perimeter(total - size, rows, cols))
    return least * (2 if periodic else 1)


def _half_perimeter(size: int, rows: int, cols: int) -> int:
    # Least r + c with r c >= size, r <= rows, c <= cols.
    fewest = -(-size // cols)
    r = np.arange(fewest, rows + 1)
    return int((r + -(-size // r)).min())


class HaloPhase(Phase):
    """The four shifts of the grid."""

    fan_out = 4

    def __init__(self, rows: int, cols: int, periodic: bool) -> None:
        self.rows, self.cols, self.periodic = rows, cols, periodic
        self.tasks = rows * cols

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return up to four flows for each task."""
        src = np.tile(tasks, 4)
        dst, exists = self._neighbours(tasks)
        if not self.periodic:
            src, dst = src[exists], dst[exists]
        return FlowBlock(src, dst, np.full(src.size, 0.25))

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the same flows, reversed: the pattern is symmetric."""
        flows = self.out_flows(tasks)
        return FlowBlock(flows.dst, flows.src, flows.volume)

    def _neighbours(self, tasks: Tasks) -> tuple[Tasks, NDArray[np.bool_]]:
        i, j = np.divmod(tasks, np.int32(self.cols))
        found, exists = [], []
        for down, right in STEPS:
            ni, nj = i + np.int32(down), j + np.int32(right)
            exists.append((ni >= 0) & (ni < self.rows) & (nj >= 0) & (nj < self.cols))
            found.append(ni % np.int32(self.rows) * np.int32(self.cols) + nj % np.int32(self.cols))
        return np.concatenate(found), np.concatenate(exists)
