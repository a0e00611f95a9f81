"""Link times due to background jobs in a search that moves the tasks of one job: see `core.load.neighbours`.

If the times of all jobs count, the times of the background jobs also change with the moves, as their links carry more
or less of the moved job. For each of their phases the links and the other jobs' loads on these are known: each is a
layer of the search, whose loads are all volumes of the moved job.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from core.load.phases import neighbours_part, phase_loads, whole_load
from core.load.scenario import Case
from core.routing.flows import Volumes
from core.spec import SpecError


class LinkTimes(NamedTuple):
    """Times of the links of a layer."""

    pace: Volumes
    """(links,) seconds per unit of load."""
    delay: Volumes
    """(links,) seconds added by other jobs if there is a load; if negative, minus the seconds added in any case."""


@dataclass(frozen=True, eq=False)
class NeighbourTimes:
    """Times that background jobs add to the links of a job's phases, and their own phases."""

    own: tuple[Volumes, ...]
    """(runs,) of the job: `LinkTimes.delay`; of size 0 for none."""
    others: tuple[LinkTimes, ...] = ()

    @classmethod
    def of(cls, case: Case, counted: Literal["sum", "worst", False]) -> "NeighbourTimes":
        """Return the times for an objective that counts the times of all jobs (sum or worst), or only the moved job's.

        Raises SpecError: if the worst is requested and a job has several phases.
        """
        own = tuple(_delays(case, run) for run in range(len(case.job.runs)))
        if not counted or not case.neighbours.cases:
            return cls(own)
        if counted == "sum":
            return cls(own, tuple(_times_of_others(case)))
        if any(len(job_case.job.runs) > 1 for job_case in (case, *case.neighbours.cases)):
            words = "worst needs jobs with a single phase, but one of these jobs has more"
            raise SpecError("objective.of", f"{words}; choose sum")
        # The slowest link of the slowest job is the slowest of all links that jobs use.
        used = sum((whole_load(job_case) for job_case in case.neighbours.cases), np.zeros(case.network.links)) > 0
        return cls((np.where(used, -own[0], own[0]),))

    def least(self, own: float) -> float:
        """Return a lower bound on the time of any mapping, given the bound for the job alone."""
        floor = max(float(-delay.min(initial=0.0)) for delay in self.own)
        return max(own, floor) + sum(float(-times.delay.min(initial=0.0)) for times in self.others)


def _delays(case: Case, run: int) -> Volumes:
    others = neighbours_part(case, run)
    if not others.size:
        return others
    return np.divide(case.job.runs[run].times * others, case.gbs, out=np.zeros_like(others), where=case.gbs > 0)


def _times_of_others(case: Case) -> Iterator[LinkTimes]:
    # One layer for each phase of each background job: their longest times add up to the times of these jobs.
    cases = case.neighbours.cases
    for job_case in cases:
        rest = sum((whole_load(other) for other in cases if other is not job_case), np.zeros(case.network.links))
        rest += case.neighbours.constant if case.neighbours.constant.size else 0.0
        for run, share in zip(job_case.job.runs, job_case.job.run_shares, strict=True):
            loads = whole_load(job_case) if len(job_case.job.phases) == 1 else phase_loads(job_case, run.phase)[0]
            seconds = np.divide(run.times, case.gbs, out=np.zeros_like(loads), where=loads > 0)
            yield LinkTimes(share * seconds, -(loads + share * rest) * seconds)
