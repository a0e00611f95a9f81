"""Lattice colourings as start mappings of a search."""

from math import inf

from core.load.evaluate import TOLERANCE
from core.mapping.lattice.search import LatticeSearch
from core.mapping.mapping import Slots
from core.optimise.problem import Problem
from core.optimise.tables import TIME
from core.spec import SpecError

FIRST = 10_000
"""Steps of the first round before the first trials."""
FEW, MANY = 8, 32
"""Trials between two rounds: many while they are ahead of other mappings, or as long as they gave none."""
STEPS = 100_000
"""Steps as which a trial counts."""
FAR = 1.1
"""Time over the best from which trials are followed by a pause."""


class LatticeStarts:
    """Trials of a lattice colouring, some of them before each round; pauses grow while they are far from the best."""

    def __init__(self, search: LatticeSearch) -> None:
        self._search = search
        self._left = self._waits = 0
        self._pause = 1

    @classmethod
    def of(cls, problem: Problem, seed: int) -> "LatticeStarts | None":
        """Return the trials for a problem, or None if lattice colouring does not fit it."""
        case, groups = problem.case, problem.case.router.linked_groups
        if groups is None or problem.objective.figure != TIME or case.allocation is not None:
            return None
        try:
            return cls(LatticeSearch.of(case.job, groups, seed, problem.bound * problem.start_time))
        except SpecError:
            return None

    @property
    def going(self) -> bool:
        """Return whether steps are left."""
        return self._left > 0

    @property
    def time(self) -> float:
        """Return the time of the best colouring, infinite if there is none."""
        return self._search.best.time if self._search.best is not None else inf

    def begin(self, best: float) -> None:
        """Begin the next trials, unless there is a pause; `best` is the best time so far."""
        if self._waits:
            self._waits -= 1
        else:
            ahead = self.time == inf or self.time <= best * (1 + TOLERANCE)
            self._left = (MANY if ahead else FEW) * STEPS

    def advance(self, steps: int, best: float) -> tuple[int, Slots | None]:
        """Take at most `steps` steps; return the number taken, and a better mapping if a trial gave one.

        A trial happens at the first of its steps; the others do nothing. `best` is the best time so far.
        """
        starts = self._left % STEPS == 0
        steps = min(steps, (self._left - 1) % STEPS + 1)
        self._left -= steps
        better = starts and not self._search.ended and self._search.advance()
        if not self._left and self.time > FAR * best:
            self._waits, self._pause = self._pause, 2 * self._pause
        return steps, self._search.best.slots if better and self._search.best is not None else None
