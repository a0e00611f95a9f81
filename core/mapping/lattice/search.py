"""Search for translation-invariant colourings of halo exchanges.

All tasks of a coset of a lattice get their groups by translation from one label, so a job of thousands of tasks has as
many unknowns as one group has tasks (`trial`). Trials differ by lattice, numbering and target: by turns the middle of
the targets that have not failed often, and the next better than the best.
"""

from collections import Counter, defaultdict
from functools import cached_property, lru_cache
from math import prod

from core.kernels import plain
from core.mapping.lattice.machine import GroupMachine
from core.mapping.lattice.stencil import Stencil
from core.mapping.lattice.sublattice import Sublattice, sublattices
from core.mapping.lattice.trial import Colouring, Symmetry, Trial
from core.mapping.lattice.units import Units
from core.random_numbers import draw, state_of
from core.spec import Progress, SpecError, no_progress, subprogress

LabelLimit = tuple[int, bool]
"""The conditions on labels: the largest number of messages to a group, and whether tasks may send two by one gate."""

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

    def __init__(self, stencil: Stencil, machine: GroupMachine, seed: int, least: float = 0.0) -> None:
        self._stencil, self._machine, self._least = stencil, machine, least
        self._units, self._tasks = Units.of(stencil, machine), tasks_per_group(stencil, machine)
        self._lattices = _fat_lattices(stencil.dims, self._tasks)
        self._state = state_of(seed)
        self._failures: Counter[float | LabelLimit] = Counter()
        self._energies: defaultdict[LabelLimit, dict[Sublattice, list[float]]] = defaultdict(dict)
        self._trials = self._messages = 0
        self.best: Colouring | None = None

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
        trial = Trial(self._stencil, self._machine, self._symmetry(lattice), target, self._state)
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
            return next(
                time
                for time in self._targets
                if not self._failed(time) and self._units.limits(time).between >= self._messages
            )
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
        return [float(time) for time in times if time >= self._least * (1 - CLEARLY)]

    def _lattice(self, energies: dict[Sublattice, list[float]]) -> Sublattice:
        # Of some lattices, the one whose labels came closest to the target so far; an untried lattice is average.
        means = {lattice: sum(some) / len(some) for lattice, some in energies.items()}
        average = sum(means.values()) / max(len(means), 1)
        drawn = (self._lattices[plain(draw)(self._state, len(self._lattices))] for _ in range(COMPARED))
        return min(drawn, key=lambda lattice: means.get(lattice, average))

    def _symmetry(self, lattice: Sublattice) -> Symmetry:
        numberings = list(self._machine.numberings(lattice))
        numbering = numberings[plain(draw)(self._state, len(numberings))] if numberings else None
        return Symmetry(lattice, numbering)


def tasks_per_group(stencil: Stencil, machine: GroupMachine) -> int:
    """Return the number of tasks in each group if as many groups as possible hold equally many.

    Raises SpecError: if that is only a single group.
    """
    tasks = prod(stencil.dims)
    groups = next(groups for groups in range(machine.groups, 0, -1) if tasks % groups == 0)
    if groups == 1 or tasks // groups > machine.slots:
        reason = f"{tasks:,} tasks cannot be divided evenly among up to {machine.groups:,} groups of {machine.slots:,}"
        raise SpecError("mapping.type", f"lattice-colouring does not fit: {reason}; try blocks or sequential")
    return tasks // groups


@lru_cache(maxsize=4)
def _fat_lattices(dims: tuple[int, ...], index: int) -> tuple[Sublattice, ...]:
    every = list(sublattices(dims, index))
    longest = max((lattice.shortest for lattice in every), default=0)
    if not every:
        sides = " x ".join(map(str, dims))
        reason = f"no lattice divides {sides} tasks into groups of {index:,}"
        raise SpecError("mapping.type", f"lattice-colouring does not fit: {reason}; try blocks or sequential")
    return tuple(lattice for lattice in every if lattice.shortest >= FAT * longest)
