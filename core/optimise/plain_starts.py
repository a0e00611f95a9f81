"""Mappings of a search without failures as start mappings of a search that counts failures."""

from typing import Protocol

import numpy as np

from core.mapping.mapping import Slots
from core.optimise.pacing import Steps

FIRST = 1000
"""Steps before the first with failures."""
DUE = 250
"""Steps with failures after which this search continues, the first time; then after twice as many, and so on."""
COST = 0.5
"""Approximate time of a step with failures, in steps of this search and per case: without a failure and after each."""


class MappingSteps(Steps, Protocol):
    """A search for a mapping that advances by steps."""

    @property
    def slots(self) -> Slots:
        """Return the best mapping, ``(tasks,)``."""

    def begin(self) -> None:
        """Continue from the best mapping known beforehand."""


class PlainStarts:
    """A search for the shortest time without failures, which takes about half of the time.

    Mappings that are fast without failures are often fast after the worst failure as well, and found with far fewer
    computations. The portions of this search grow with the steps of the search with failures.
    """

    def __init__(self, search: MappingSteps, cases: int) -> None:
        self._search, self._ratio, self._begun = search, COST * cases, search.steps
        self._left = FIRST
        self._returned: Slots | None = None
        self.due = DUE
        """Steps with failures after which the next portion begins."""

    @property
    def going(self) -> bool:
        """Return whether steps of the portion are left."""
        return self._left > 0 and not self._search.proven

    @property
    def steps(self) -> int:
        """Return the number of steps taken."""
        return self._search.steps - self._begun

    def begin_search(self) -> None:
        """Continue from the best mapping known beforehand, as `Search.begin` does."""
        self._search.begin()
        self._begun = self._search.steps

    def begin(self, others: int) -> None:
        """Begin the next portion, after a number of steps with failures."""
        self._left, self.due = int(others * self._ratio) - self.steps, 2 * others

    def advance(self, steps: int) -> int:
        """Take at most `steps` steps, or evaluate a single start mapping; return the number taken."""
        before = self._search.steps
        self._search.advance(min(steps, self._left))
        taken = self._search.steps - before
        self._left -= taken
        return taken

    def result(self) -> Slots | None:
        """Return its best mapping, ``(tasks,)``, or None if that was returned before."""
        slots = self._search.slots
        if self._returned is not None and np.array_equal(slots, self._returned):
            return None
        self._returned = slots
        return slots
