"""Matrix transpose as a sequence of permutations, as ScaLAPACK does it.

Source: Chakaravarthy, Jain and Sabharwal, "Optimizing Matrix Transpose on Torus Interconnects", 2010, section 2.

On a P x Q grid with G = gcd(P, Q), task (p, q) exchanges with the PQ / G^2 tasks (p', q') for which p = q' and
q = p' modulo G, one per phase. The source's rule for receiving is the inverse of its rule for sending only if
P = Q or G = 1; here it always is.
"""

from fractions import Fraction
from math import gcd, isqrt
from pathlib import Path
from typing import ClassVar

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from core.job.job import MAX_TASKS, FlowBlock, GridColumns, GridRows, Job, JobSpec, Phase, Tasks, check_tasks
from core.spec import SpecError
from core.text import plural

MAX_PHASES = 4096
"""Limit on phases: each is evaluated separately, and its loads are stored."""
FEW_PHASES = 64
"""Limit on phases of a grid that fills all slots; beyond it, a square is used, whose transpose has one phase."""


class TransposePhases(JobSpec, frozen=True, tag="transpose-phases"):
    """Transpose by phases: each task sends its unit in equal parts to one task after the other."""

    title: ClassVar[str] = "Transpose by phases"

    rows: GridRows = 24
    cols: GridColumns = 36

    @property
    def common(self) -> int:
        """Return G, the greatest common divisor of rows and columns."""
        return gcd(self.rows, self.cols)

    @property
    def count(self) -> int:
        """Return the number of phases."""
        return self.rows * self.cols // self.common**2

    def summary(self) -> str:
        """Return the numbers of tasks and of phases."""
        return f"{self.rows * self.cols:,} tasks, {plural(self.count, 'phase')}"

    def resized(self, slots: int) -> "TransposePhases":
        """Return the pattern on the grid of `slots` tasks with the fewest phases, or on the largest square."""
        slots = min(slots, MAX_TASKS)
        divisors = [rows for rows in range(1, isqrt(slots) + 1) if slots % rows == 0]
        grids = [replace(self, rows=rows, cols=slots // rows) for rows in divisors]
        best = min(grids, key=lambda spec: (spec.count, -spec.rows))
        side = isqrt(slots)
        return best if best.count <= FEW_PHASES else replace(self, rows=side, cols=side)

    def build(self, folder: Path | None = None) -> Job:
        """Return the job: (P/G)(Q/G) phases, one flow per task in each (free if to itself).

        Raises SpecError: beyond the limits on tasks and phases.
        """
        tasks = self.rows * self.cols
        check_tasks("job.rows", tasks, tasks * self.count)
        if self.count > MAX_PHASES:
            message = f"rows and columns make {self.count:,} phases; the limit is {MAX_PHASES:,}"
            raise SpecError("job.rows", f"{message} (choose sides with a larger common divisor)")
        steps = ((i, j) for j in range(self.cols // self.common) for i in range(self.rows // self.common))
        phases = tuple(ExchangePhase(self, i, j) for i, j in steps)
        return Job(self, tasks, phases, (self.rows, self.cols), unit=True, quantum=Fraction(1, self.count))

    def min_leaving_volume(self, sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return r (N - r) / N, with N phases and r the remainder of a size divided by N.

        Proof. The N tasks of one residue of p and q modulo G send 1/N to each task with the residues exchanged. So at
        most r^2 / N stays among r tasks of one residue, if it is its own exchange; or m^2 / (2N) among m tasks of two
        residues. Both are convex, and the second is at most the first at floor(m / N) full sets and a
        remainder.
        """
        rest = sizes % self.count
        return np.asarray(rest * (self.count - rest) / self.count)

    def volume_by_partner_rank(self, job: Job) -> NDArray[np.float64]:
        """Return equal shares; tasks that are among their own partners have one partner less."""
        every, own = job.tasks, job.tasks // self.common
        rest = np.array([(every - own) / self.count] if every > own else [])
        return np.append(np.full(self.count - 1, every / self.count), rest)


class ExchangePhase(Phase):
    """One phase: every task of the grid sends to one task, and receives from one."""

    fan_out = 1

    def __init__(self, spec: TransposePhases, i: int, j: int) -> None:
        self.rows, self.cols, self.tasks = spec.rows, spec.cols, spec.rows * spec.cols
        self._common = spec.common
        self._step = i * spec.common, j * spec.common
        self._share = 1 / spec.count

    def out_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flow from each task (p, q) to (p + g + iG, q - g - jG), g = (q - p) mod G."""
        p, q = np.divmod(tasks, np.int32(self.cols))
        g, (down, across) = (q - p) % self._common, self._step
        to = (p + g + down) % self.rows * self.cols + (q - g - across) % self.cols
        return FlowBlock(tasks, to.astype(np.int32), np.full(tasks.size, self._share))

    def in_flows(self, tasks: Tasks) -> FlowBlock:
        """Return the flow to each task (p, q), from (p - h - iG, q + h + jG), h = (p - q) mod G."""
        p, q = np.divmod(tasks, np.int32(self.cols))
        h, (down, across) = (p - q) % self._common, self._step
        source = (p - h - down) % self.rows * self.cols + (q + h + across) % self.cols
        return FlowBlock(source.astype(np.int32), tasks, np.full(tasks.size, self._share))
