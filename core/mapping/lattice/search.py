"""Search for translation-invariant colourings of halo exchanges.

All tasks of a coset of a lattice get their groups by translation from one label, so a job of thousands of tasks has as
many unknowns as one group has tasks (`trial`). Trials differ by lattice, numbering and target: by turns the middle of
the targets that have not failed often, and the next better than the best.
"""

from collections import Counter, defaultdict
from functools import cached_property, lru_cache
from math import ceil, prod

import numpy as np

from core.job.job import Job
from core.job.stencil import Stencil
from core.kernels import plain
from core.mapping.lattice.numbering import numberings
from core.mapping.lattice.sublattice import Sublattice, sublattices
from core.mapping.lattice.trial import Colouring, Symmetry, Trial
from core.mapping.lattice.units import Limits, Units
from core.network.linked_groups import LinkedGroups
from core.random_numbers import draw, state_of
from core.spec import Progress, SpecError, no_progress, subprogress

LabelLimit = tuple[int, bool]
"""The conditions on labels: the largest number of messages to a group, and whether tasks may send two by one gate."""

MAX_PLACES = 128
"""Limit on the places of a group: every step of a search reads the load of each link between two places."""
MAX_GROUPS = 1024
"""Limit on the groups used: translations are combined by a table."""
FAILURES = 3
"""Failed trials after which a target is tried only if it is the next better."""
COMPARED = 12
"""Lattices drawn for a trial, of which the most promising is used."""
FAT = 0.6
"""Lattices are used whose shortest vector has at least this fraction of the longest shortest vector."""
CLEARLY = 1e-9


class LatticeSearch:
    """A search for the colouring of a halo exchange that takes the least time.

    Parameters
    ----------
    least
        A lower bound on the time, at which the search ends.

    Raises SpecError: if the tasks do not divide evenly among the groups.
    """

    def __init__(self, stencil: Stencil, groups: LinkedGroups, seed: int, least: float = 0.0) -> None:
        self._stencil, self._groups, self._least = stencil, groups, least
        self._units, self._tasks = Units.of(stencil, groups), tasks_per_group(stencil, groups)
        self._lattices = _fat_lattices(stencil.dims, self._tasks)
        self._state = state_of(seed)
        self._failures: Counter[float | LabelLimit] = Counter()
        self._energies: defaultdict[LabelLimit, dict[Sublattice, list[float]]] = defaultdict(dict)
        self._trials = self._messages = 0
        self.best: Colouring | None = None

    @classmethod
    def of(cls, job: Job, groups: LinkedGroups, seed: int, least: float = 0.0) -> "LatticeSearch":
        """Return the search for a job, whose messages that must leave groups may give a higher bound than `least`.

        Raises SpecError: if lattice colouring does not fit the job or the groups.
        """
        stencil = job.spec.neighbourhood()
        if stencil is None:
            raise SpecError("mapping.type", "lattice-colouring needs a halo exchange (halo or halo-nd); try structured")
        if groups.places > MAX_PLACES:
            needed = f"groups of at most {MAX_PLACES} fully linked nodes or routers, not {groups.places:,}"
            raise SpecError("mapping.type", f"lattice-colouring needs {needed}; try blocks or sequential")
        tasks = tasks_per_group(stencil, groups)
        leaving = float(job.spec.min_leaving_volume(np.array([tasks]))[0]) / stencil.part
        others = prod(stencil.dims) // tasks - 1
        crossing = Units.of(stencil, groups).time(Limits(0, 0, ceil(leaving / others * (1 - CLEARLY))))
        return cls(stencil, groups, seed, max(least, crossing))

    @property
    def ended(self) -> bool:
        """Return whether no colouring can be better."""
        return self.best is not None and self.best.time <= self._least * (1 + CLEARLY)

    def run(self, trials: int, progress: Progress = no_progress) -> Colouring | None:
        """Make some trials, and return the best colouring so far, or None if there is none.

        Raises Cancelled: when `progress` does.
        """
        for trial in range(trials):
            if self.ended:
                break
            self.advance(subprogress(progress, trial, trial + 1, trials))
        progress(1.0)
        return self.best

    def advance(self, progress: Progress = no_progress) -> bool:
        """Make a trial, and return whether it gives the best colouring so far.

        Raises Cancelled: when `progress` does.
        """
        target = self._next_target()
        energies = self._energies[self._label_limit(target)]
        lattice = self._lattice(energies)
        trial = Trial(self._stencil, self._groups, self._symmetry(lattice), target, self._state)
        colouring = trial.colouring(progress)
        self._trials += 1
        energies.setdefault(lattice, []).append(trial.energy)
        if colouring is None:
            self._messages = trial.messages
            self._failures[self._label_limit(target)] += 1
        elif colouring.time > target * (1 + CLEARLY):
            self._failures[target] += 1
        if colouring is None or (self.best is not None and colouring.time >= self.best.time):
            return False
        self.best = colouring
        return True

    def _next_target(self) -> float:
        if self.best is None:
            # Every target fails only once, and so do all that permit fewer messages than the last labels needed.
            untried = (time for time in self._targets if not self._failed(time))
            enough = (time for time in untried if self._units.limits(time).between >= self._messages)
            return next(enough, self._targets[-1])
        better = [time for time in self._targets if time < self.best.time * (1 - CLEARLY)]
        promising = [time for time in better if self._failed(time) < FAILURES]
        if promising and self._trials % 2:
            return promising[len(promising) // 2]
        return better[-1] if better else self._least

    def _failed(self, target: float) -> int:
        return max(self._failures[target], self._failures[self._label_limit(target)])

    def _label_limit(self, target: float) -> LabelLimit:
        limits = self._units.limits(target)
        return limits.between, limits.far >= 2 * self._units.leg

    @cached_property
    def _targets(self) -> list[float]:
        times = self._units.times(self._tasks * int(self._stencil.weights.sum()))
        return [float(time) for time in times if time >= self._least * (1 - CLEARLY)] or [self._least]

    def _lattice(self, energies: dict[Sublattice, list[float]]) -> Sublattice:
        # The most promising of some lattices, by the mean energy of their labels so far; untried lattices have the
        # average.
        means = {lattice: sum(some) / len(some) for lattice, some in energies.items()}
        average = sum(means.values()) / max(len(means), 1)
        drawn = (self._lattices[plain(draw)(self._state, len(self._lattices))] for _ in range(COMPARED))
        return min(drawn, key=lambda lattice: means.get(lattice, average))

    def _symmetry(self, lattice: Sublattice) -> Symmetry:
        every = list(numberings(self._groups, lattice))
        return Symmetry(lattice, every[plain(draw)(self._state, len(every))] if every else None)


def tasks_per_group(stencil: Stencil, groups: LinkedGroups) -> int:
    """Return the number of tasks in each group if as many groups as possible hold equally many.

    Raises SpecError: if that is only a single group.
    """
    tasks, most = prod(stencil.dims), min(groups.groups, MAX_GROUPS)
    used = next(used for used in range(most, 0, -1) if tasks % used == 0)
    if used == 1 or tasks // used > groups.slots:
        reason = f"{tasks:,} tasks cannot be divided evenly among up to {most:,} groups of {groups.slots:,}"
        raise SpecError("mapping.type", f"lattice-colouring does not fit: {reason}; try blocks or sequential")
    return tasks // used


@lru_cache(maxsize=4)
def _fat_lattices(dims: tuple[int, ...], index: int) -> tuple[Sublattice, ...]:
    every = list(sublattices(dims, index))
    longest = max((lattice.shortest for lattice in every), default=0)
    if not every:
        sides = " x ".join(map(str, dims))
        reason = f"no lattice divides {sides} tasks into groups of {index:,}"
        raise SpecError("mapping.type", f"lattice-colouring does not fit: {reason}; try blocks or sequential")
    return tuple(lattice for lattice in every if lattice.shortest >= FAT * longest)
