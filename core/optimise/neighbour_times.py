"""Link times due to neighbour jobs in a search that moves the tasks of one job: see `core.load.neighbours`.

If the times of all jobs count, the times of neighbours change with the moves, too, as their links carry more or less of
the moved job. For each of their phases the links and the other jobs' loads on these are known: each is a layer of the
search, whose loads are all volumes of the moved job.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from core.load.phases import phase_loads, theirs, whole_load
from core.load.scenario import Case
from core.routing.flows import Volumes
from core.spec import SpecError


class LinkTimes(NamedTuple):
    """Times of the links of a layer."""

    pace: Volumes
    """(links,) seconds per unit of load."""
    delay: Volumes
    """(links,) seconds added by other jobs if there is a load; negative: minus the seconds added in any case."""


@dataclass(frozen=True, eq=False)
class NeighbourTimes:
    """What neighbours add to the link times of a job's phases, and their own phases."""

    own: tuple[Volumes, ...]
    """(runs,) of the job: `LinkTimes.delay`; of size 0: none."""
    others: tuple[LinkTimes, ...] = ()

    @classmethod
    def of(cls, case: Case, counted: Literal["sum", "worst", False]) -> "NeighbourTimes":
        """Return the times for an objective that counts the times of all jobs (sum or worst), or only the moved job's.

        Raises SpecError: if the worst is asked for where a job has several phases.
        """
        own = tuple(_delays(case, run) for run in range(len(case.job.runs)))
        if not counted or not case.neighbours.cases:
            return cls(own)
        if counted == "sum":
            return cls(own, tuple(_times_of_others(case)))
        if any(len(one.job.runs) > 1 for one in (case, *case.neighbours.cases)):
            words = "worst counts jobs of one phase each, and here one has more"
            raise SpecError("objective.of", f"{words}; search for the sum")
        # The slowest link of the slowest job is the slowest of all links.
        return cls((-own[0],))

    def least(self, own: float) -> float:
        """Return a lower bound on the time of any mapping, given that of the job alone."""
        floor = max(float(-delay.min(initial=0.0)) for delay in self.own)
        return max(own, floor) + sum(float(-one.delay.min(initial=0.0)) for one in self.others)


def _delays(case: Case, run: int) -> Volumes:
    others = theirs(case, run)
    if not others.size:
        return others
    return np.divide(case.job.runs[run].times * others, case.gbs, out=np.zeros_like(others), where=case.gbs > 0)


def _times_of_others(case: Case) -> Iterator[LinkTimes]:
    # One layer for each phase of each neighbour: their longest times add up to the times of the neighbours.
    cases = case.neighbours.cases
    for one in cases:
        rest = sum((whole_load(other) for other in cases if other is not one), np.zeros(case.network.links))
        for run, share in zip(one.job.runs, one.job.run_shares, strict=True):
            loads = whole_load(one) if len(one.job.phases) == 1 else phase_loads(one, run.phase)[0]
            seconds = np.divide(run.times, case.gbs, out=np.zeros_like(loads), where=loads > 0)
            yield LinkTimes(share * seconds, -(loads + share * rest) * seconds)
