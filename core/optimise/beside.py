"""What jobs beside put under the links while a search moves one job's tasks: see `core.load.neighbours`.

Where all jobs count, the times of the others change with the moves, too, as their links carry more or less of the job
that moves. Of each of their phases the links are known, and so is what lies on these but for that job: a layer of the
search of its own, whose loads are all that the job sends.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from core.load.phases import phase_loads, theirs, whole_load
from core.load.scenario import Case
from core.routing.flows import Volumes
from core.spec import SpecError


class Lifted(NamedTuple):
    """The links of a layer."""

    pace: Volumes
    """(links,) seconds that a unit of load takes."""
    lift: Volumes
    """(links,) seconds that come on top of it; negative: also where there is no load."""


@dataclass(frozen=True, eq=False)
class Beside:
    """What the neighbours add to the layers of a search, and layers of their own."""

    own: tuple[Volumes, ...]
    """For each of the job's `runs` the seconds added to each link, as `Lifted.lift`; of size 0: none."""
    others: tuple[Lifted, ...] = ()

    @classmethod
    def of(cls, case: Case, counted: Literal["sum", "worst", False]) -> "Beside":
        """Return what is added where the times of all jobs are counted so, or that of the one that moves.

        Raises SpecError: if the worst is asked for where a job has several phases.
        """
        own = tuple(_lift(case, run) for run in range(len(case.job.runs)))
        if not counted or not case.neighbours.cases:
            return cls(own)
        if counted == "sum":
            return cls(own, tuple(_times_of_others(case)))
        if any(len(one.job.runs) > 1 for one in (case, *case.neighbours.cases)):
            words = "worst counts jobs of one phase each, and here one has more"
            raise SpecError("objective.of", f"{words}; search for the sum")
        # The slowest job's slowest link is the slowest of all links, whoever uses it.
        return cls((-own[0],))

    def least(self, own: float) -> float:
        """Return the least time that any mapping could have, from that of the job alone."""
        floor = max(float(-lift.min(initial=0.0)) for lift in self.own)
        return max(own, floor) + sum(float(-one.lift.min(initial=0.0)) for one in self.others)


def _lift(case: Case, run: int) -> Volumes:
    others = theirs(case, run)
    if not others.size:
        return others
    return np.divide(case.job.runs[run].times * others, case.gbs, out=np.zeros_like(others), where=case.gbs > 0)


def _times_of_others(case: Case) -> Iterator[Lifted]:
    # A layer for each phase of each neighbour: the longest times of all these add up to the times of the neighbours.
    cases = case.neighbours.cases
    for one in cases:
        rest = sum((whole_load(other) for other in cases if other is not one), np.zeros(case.network.links))
        for run, share in zip(one.job.runs, one.job.run_shares, strict=True):
            loads = whole_load(one) if len(one.job.phases) == 1 else phase_loads(one, run.phase)[0]
            seconds = np.divide(run.times, case.gbs, out=np.zeros_like(loads), where=loads > 0)
            yield Lifted(share * seconds, -(loads + share * rest) * seconds)
