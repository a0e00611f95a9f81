"""Sums the load of a link by labelled part of a job: see `core.job.flow_parts`."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job

UNLABELLED = "other messages"
"""Label of phases without parts or name, in a job whose other phases have parts."""


@dataclass(frozen=True, slots=True)
class LabelledLoad:
    """The load of a link by one labelled part of a job."""

    label: str
    load: float
    """Over all phases."""
    steps: int
    """Number of phases in which it loads the link."""


class PartLoads:
    """Sums of the loads of flows by label; flows are added in the order of the job's runs and of their blocks."""

    def __init__(self, job: Job) -> None:
        self._runs = job.runs
        kinds = {run.phase.parts.kind for run in job.runs if run.phase.parts is not None}
        self.kind = kinds.pop() if len(kinds) == 1 else "part" if kinds else ""
        """What a part is; empty if no phase has parts, and then nothing is summed."""
        self._loads: defaultdict[str, defaultdict[int, float]] = defaultdict(lambda: defaultdict(float))
        """By label and run."""
        self._run, self._first = 0, 0

    def add(self, run: int, used: NDArray[np.intp], load: NDArray[np.float64]) -> None:
        """Add the next flows of a run, with their load on the link over all its phases; `used` has any load."""
        first = self._first if run == self._run else 0
        self._run, self._first = run, first + load.size
        if not self.kind or not used.size:
            return
        phase = self._runs[run].phase
        if phase.parts is None:
            self._loads[phase.name or UNLABELLED][run] += float(load[used].sum())
            return
        part, where = np.unique(phase.parts.of_flow[first + used], return_inverse=True)
        for number, total in zip(part.tolist(), np.bincount(where, load[used]).tolist(), strict=True):
            self._loads[phase.parts.labels[number]][run] += total

    def sorted(self) -> tuple[LabelledLoad, ...]:
        """Return the sums, largest first; sums equal up to rounding remain in the order of parts."""
        parts = [
            LabelledLoad(label, sum(by_run.values()), sum(self._runs[run].times for run in by_run))
            for label, by_run in self._loads.items()
        ]
        largest = max((part.load for part in parts), default=1.0)
        return tuple(sorted(parts, key=lambda part: -round(part.load / largest, 12)))
