"""Halo exchange: every task of a grid sends a quarter of its unit to each of its four neighbours."""

from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Annotated, ClassVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.halo_sets import edges_leaving, edges_of_groups
from core.job.job import (
    MAX_TASKS,
    PERIODIC,
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
from core.job.message import MessageSize, OwnBytes
from core.job.stencil import Stencil

DIRECTIONS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""North, east, south, west."""


class Halo(JobSpec, frozen=True, tag="halo"):
    """Halo, 5-point: a message to the north, east, south and west neighbour; by default, 1/4 unit each."""

    title: ClassVar[str] = "Halo, 5-point"

    rows: GridRows = 64
    cols: GridColumns = 64
    periodic: Annotated[bool, PERIODIC] = True
    message_bytes: OwnBytes = None

    def summary(self) -> str:
        """Return the number of tasks, and the volume sent to each neighbour."""
        size = self.size
        sent = "1/4 unit" if size.unit else size.measure.amount(size.volume)
        return f"{self.rows * self.cols:,} tasks, {sent} to each neighbour"

    @property
    def size(self) -> MessageSize:
        """Return the size of a message."""
        return MessageSize.of(self.message_bytes, Fraction(1, 4))

    def resized(self, slots: int) -> "Halo":
        """Return the pattern on the most nearly square grid of `slots` tasks."""
        rows, cols = near_square(min(slots, MAX_TASKS))
        return replace(self, rows=rows, cols=cols)

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: one phase, four flows per task.

        Raises SpecError: beyond the limit on tasks.
        """
        check_tasks("job.rows", self.rows * self.cols, 4 * self.rows * self.cols)
        size = self.size
        phase = HaloPhase(self.rows, self.cols, self.periodic, size.volume)
        return Job(self, phase.tasks, (phase,), (self.rows, self.cols), size.unit, size.quantum, size.measure)

    def neighbourhood(self) -> Stencil:
        """Return the messages to the four neighbours."""
        return Stencil.of((self.rows, self.cols), DIRECTIONS, [Fraction(1)] * len(DIRECTIONS), self.size.volume)

    def min_leaving_volume(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the bound from the grid's edge-isoperimetry (`edges_leaving`)."""
        return np.asarray(edges_leaving(sizes, self.rows, self.cols, self.periodic) * self.size.volume)

    def min_crossing_volume_split(self, job: Job, capacity: int, groups: int, most: float) -> float:
        """Return a higher bound for full groups: the fewer edges two groups may share, the more pieces each has."""
        plain = super().min_crossing_volume_split(job, capacity, groups, most)
        if job.tasks != capacity * groups:
            return plain
        # Rounded so that no edge is lost.
        each = self.size.volume
        edges = floor(min(most / each, 4 * job.tasks) + 1e-9)
        return max(plain, groups * edges_of_groups(capacity, self.rows, self.cols, edges, self.periodic) * each)

    def volume_by_partner_rank(self, job: Job) -> NDArray[np.float64]:
        """Return one message per task with at least k neighbours, k = 1, 2, ...; in a ring of two a task has one."""
        if self.periodic:
            sides = [(2,) if side == 2 else (1, 1) for side in (self.rows, self.cols) if side > 1]
            messages = job.tasks * np.array(sorted((share for side in sides for share in side), reverse=True), float)
        else:
            counts = np.convolve(_line_neighbours(self.rows), _line_neighbours(self.cols))
            messages = np.trim_zeros(np.array([counts[k:].sum() for k in range(1, 5)]), "b")
        return np.asarray(messages * self.size.volume)


def _line_neighbours(length: int) -> NDArray[np.float64]:
    # The number of places of an open line with 0, 1 and 2 neighbours.
    return np.array([1.0, 0, 0]) if length == 1 else np.array([0, 2.0, length - 2])


class HaloPhase(SymmetricPhase):
    """The four shifts of the grid."""

    fan_out = 4

    def __init__(self, rows: int, cols: int, periodic: bool, volume: float) -> None:
        self.rows, self.cols, self.periodic, self._volume = rows, cols, periodic, volume
        self.tasks = rows * cols

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return up to four flows for each task."""
        src = np.tile(tasks, 4)
        dst, exists = self._neighbours(tasks)
        if not self.periodic:
            src, dst = src[exists], dst[exists]
        return FlowBlock(src, dst, np.full(src.size, self._volume))

    def _neighbours(self, tasks: Tasks) -> tuple[Tasks, NDArray[np.bool_]]:
        i, j = np.divmod(tasks, np.int32(self.cols))
        neighbours, exists = [], []
        for down, right in DIRECTIONS:
            ni, nj = i + np.int32(down), j + np.int32(right)
            exists.append((ni >= 0) & (ni < self.rows) & (nj >= 0) & (nj < self.cols))
            neighbours.append(ni % np.int32(self.rows) * np.int32(self.cols) + nj % np.int32(self.cols))
        return np.concatenate(neighbours), np.concatenate(exists)
