"""Sweep: wavefronts over the task grid, diagonal by diagonal, from one corner or from several corners in turn.

Source: Koch, Baker and Alcouffe, "Solution of the First-Order Form of the 3-D Discrete Ordinates Equation on a
Massively Parallel Processor", 1992; the benchmark Sweep3D.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.collectives.steps import MAX_STEPS, Steps
from core.job.job import MAX_TASKS, FlowBlock, GridColumns, GridRows, Job, Phase, Tasks, check_tasks, near_square
from core.job.message import MessageSize, OwnBytes
from core.job.ranks import RankedJob
from core.spec import SpecError, declare
from core.text import plural

CORNERS = ((False, False), (True, True), (False, True), (True, False))
"""Whether a wave begins at the last row, and at the last column, in the order of the corners."""


class Sweep(RankedJob, frozen=True, tag="sweep"):
    """Sweep: waves over the task grid; each task sends to the next row and column once the wave has reached it."""

    title: ClassVar[str] = "Sweep"

    rows: GridRows = 8
    cols: GridColumns = 8
    corners: Annotated[
        Literal[1, 2, 4],
        declare("Corners", "corners where waves begin, one after the other: 1, 2 opposite corners, or all 4"),
    ] = 1
    at_once: Annotated[
        bool, declare("Single phase", "all diagonals at once, as when waves follow each other closely")
    ] = False
    message_bytes: OwnBytes = None

    @property
    def size(self) -> MessageSize:
        """Return the size of a message."""
        return MessageSize.of(self.message_bytes, Fraction(1, 2 * self.corners))

    @property
    def diagonals(self) -> int:
        """Return the number of diagonals whose tasks send."""
        return self.rows + self.cols - 2

    def summary(self) -> str:
        """Return the numbers of tasks and of phases."""
        phases = 1 if self.at_once else max(self.corners * self.diagonals, 1)
        return f"{self.rows * self.cols:,} tasks, {plural(phases, 'phase')}"

    def resized(self, slots: int) -> "Sweep":
        """Return the pattern on the most nearly square grid of `slots` tasks, or on a square if that is too long."""
        rows, cols = near_square(min(slots, MAX_TASKS))
        spec = replace(self, rows=rows, cols=cols)
        if self.at_once or self.corners * spec.diagonals <= MAX_STEPS:
            return spec
        side = min(isqrt(min(slots, MAX_TASKS)), MAX_STEPS // (2 * self.corners))
        return replace(self, rows=side, cols=side)

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: a phase for each sending diagonal, P + Q - 2 per corner; or a single phase.

        Raises SpecError: beyond the limits on tasks and phases.
        """
        tasks, size = self.rows * self.cols, self.size
        check_tasks("job.rows", tasks, 2 * self.corners * tasks)
        corners = range(self.corners)
        phases: tuple[Phase, ...] = (WavePhase(self, corners, None),)
        if not self.at_once:
            count = self.corners * self.diagonals
            if count > MAX_STEPS:
                words = f"{count:,} phases; the limit is {MAX_STEPS:,} (choose a squarer grid or a single phase)"
                raise SpecError("job.rows", f"rows and columns make {words}")
            waves = Steps(count, lambda k: WavePhase(self, [k // self.diagonals], k % self.diagonals))
            phases = waves.phases(tasks)
        return Job(self, tasks, phases, (self.rows, self.cols), size.unit, size.quantum, size.measure)


class WavePhase(Phase):
    """Flows of the tasks on a diagonal of waves from some corners, or of all tasks if None."""

    def __init__(self, spec: Sweep, corners: Sequence[int], diagonal: int | None) -> None:
        if diagonal is not None:
            self.name = f"diagonal {diagonal + 1}" + (f" from corner {corners[0] + 1}" if spec.corners > 1 else "")
        self.tasks, self.fan_out = spec.rows * spec.cols, 2 * len(corners)
        self._grid, self._volume = (spec.rows, spec.cols), spec.size.volume
        self._corners, self._diagonal = [CORNERS[corner] for corner in corners], diagonal

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flows that leave the given tasks."""
        return self._flows(tasks, 1)

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flows that reach the given tasks."""
        flows = self._flows(tasks, -1)
        return FlowBlock(flows.dst, flows.src, flows.volume)

    def _flows(self, tasks: Tasks, direction: int) -> FlowBlock:
        # From the given tasks to the next tasks of each wave or, in reverse, to the previous tasks.
        sources, targets = [], []
        for mirrored in self._corners:
            for axis in (0, 1):
                place = [self._mirrored(each, k, mirrored) for k, each in enumerate(divmod(tasks, self._grid[1]))]
                sender = sum(place) - (0 if direction == 1 else 1)
                place[axis] = place[axis] + direction
                exists = (place[axis] >= 0) & (place[axis] < self._grid[axis])
                if self._diagonal is not None:
                    exists &= sender == self._diagonal
                i, j = (self._mirrored(each, k, mirrored) for k, each in enumerate(place))
                sources.append(tasks[exists])
                targets.append((i * self._grid[1] + j)[exists].astype(np.int32))
        src, dst = np.concatenate(sources), np.concatenate(targets)
        return FlowBlock(src, dst, np.full(src.size, self._volume))

    def _mirrored(self, place: NDArray[np.int32], axis: int, mirrored: tuple[bool, bool]) -> NDArray[np.int32]:
        # Convert a coordinate to one counted from the corner where the wave begins, or back.
        return self._grid[axis] - 1 - place if mirrored[axis] else place
