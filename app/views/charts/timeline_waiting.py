"""When each rank begins its steps, and which rank it waits for, in timings without barriers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.wording.names import step_title
from core.text import duration
from core.timing.timeline import Timeline
from core.timing.waiting import Times, last_to_begin


@dataclass(frozen=True, eq=False)
class RankTimes:
    """When each rank begins its steps, and when it waits."""

    timeline: Timeline
    begun: Times | None
    """When all senders to a rank have begun: `core.timing.waiting.all_begun`; None while not known yet."""

    @property
    def times(self) -> Times:
        """Return when each rank begins each step, and ends the last."""
        assert self.timeline.rank_times is not None
        return self.timeline.rank_times

    @property
    def ranks(self) -> int:
        """Return the number of ranks."""
        return int(self.times.shape[1])

    def step_at(self, rank: int, time: float) -> int | None:
        """Return the step of a rank at a time, or None if there is none."""
        step = int(np.searchsorted(self.times[:, rank], time, side="right")) - 1
        return step if 0 <= step < len(self.times) - 1 else None

    def readout(self, rank: int, step: int) -> list[str]:
        """Return the readout of a rank in a step, line by line."""
        steps, begins = self.timeline.steps, self.times[step]
        done, timed = float(self.times[step + 1, rank]), self.timeline.case.job.measure.timed
        last = last_to_begin(self.timeline, step, rank)
        waits = "does not wait"
        if last is not None:
            wait = f" {duration(float(begins[last] - begins[rank]))}" if timed else ""
            waits = f"waits{wait} for rank {last:,}"
        return [
            f"rank {rank:,} in {step_title(step, len(steps), steps[step].name)}",
            *([f"starts at {duration(float(begins[rank]))}, ends at {duration(done)}"] if timed else []),
            waits,
        ]

    def kinds(self, first: int, end: int, times: NDArray[np.float64], *, shaded: bool) -> NDArray[np.int64]:
        """Return what ranks do at some times, ``(ranks, times)``: 0 idle, 1 (or 2 if `shaded`) sending, 3 waiting."""
        kinds = np.zeros((end - first, times.size), np.int64)
        for kind, rank in zip(kinds, range(first, end), strict=True):
            step = np.searchsorted(self.times[:, rank], times, side="right") - 1
            inside = (step >= 0) & (step < len(self.times) - 1)
            step = np.where(inside, step, 0)
            kind[inside] = 1 + (step[inside] % 2 if shaded else 0)
            if self.begun is not None:
                kind[inside & (times < self.begun[step, rank])] = 3
        return kinds
