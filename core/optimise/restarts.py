"""Local searches from new start mappings, in batches of steps."""

from math import inf

import numpy as np

from core.mapping.mapping import Slots
from core.optimise.problem import Problem
from core.optimise.restart_statistics import RestartTally
from core.optimise.shears import BEST_TIME, Shears, shear
from core.optimise.tables import TIME
from core.random_numbers import state_of

MIN_LENGTH, MAX_LENGTH = 100_000, 200_000
"""Bounds on the steps between two checks of the result, which follow the length of rounds."""
TASKS_A_STEP, ENTRIES_A_STEP = 32, 4096
"""Tasks, and route entries, evaluated in the time of an ordinary step: an entire mapping counts as several steps."""
ABANDON_RATIO = 1.5
"""Figure over the best above which a restart is followed by a pause."""


class Restarts:
    """Searches among the mappings of `core.optimise.shears`, one after the other, in batches of steps.

    All tasks must be free to go anywhere, and routes be tables. Its kernel is loaded on construction.
    """

    def __init__(self, problem: Problem, seed: int) -> None:
        tasks, network = problem.case.job.tasks, problem.case.network
        self._cost = max(tasks // TASKS_A_STEP, _entries(problem) // ENTRIES_A_STEP, 1)
        self._shears = Shears(
            slot=np.zeros(tasks, np.int32),
            trial=np.zeros(tasks, np.int32),
            best=np.arange(tasks, dtype=np.int32),
            load=np.zeros(network.links, np.int64),
            draws=state_of(seed),
            failed=np.array([-1], np.int64),
            figures=np.full(3, inf),
        )
        self._problem, self.tally = problem, RestartTally()
        self._left = self._owed = self._waits = 0
        self._pause = 1
        self._look(0)

    @staticmethod
    def fit(problem: Problem) -> bool:
        """Return whether restarts apply: time alone counts, routes are tables, all nodes belong to the job."""
        small = min(problem.case.job.tasks, problem.case.network.slots) < 3
        unrestricted = problem.case.allocation is None
        return problem.objective.figure == TIME and problem.has_table and unrestricted and not small

    @property
    def slots(self) -> Slots:
        """Return the best mapping so far."""
        return self._shears.best

    @property
    def going(self) -> bool:
        """Return whether steps are left."""
        return self._left > 0

    @property
    def best(self) -> float:
        """Return the figure of the best mapping."""
        return self._problem.value(float(self._shears.figures[BEST_TIME]))

    def begin(self, length: int = MIN_LENGTH) -> None:
        """Begin the next steps, about `length` of them, unless there is a pause."""
        if self._waits:
            self._waits -= 1
        else:
            self._left = min(max(length, MIN_LENGTH), MAX_LENGTH)

    def advance(self, steps: int, best: float) -> int:
        """Take at most `steps` steps; return the number taken. Pauses grow while its results are far above `best`."""
        steps = min(steps, self._left)
        # A mapping is evaluated at its first step; its remaining steps do nothing.
        tries = -((self._owed - steps) // self._cost) if steps > self._owed else 0
        self._owed += tries * self._cost - steps
        self._look(tries)
        self._left -= steps
        if not self._left and self.best > ABANDON_RATIO * best:
            self._waits, self._pause = self._pause, 2 * self._pause
        return steps

    def _look(self, tries: int) -> None:
        p, network, ended = self._problem, self._problem.case.network, np.zeros(tries + 1)
        count = shear(tries, network.slots, network.slots_per_node, p.layers, p.routes, self._shears, ended)
        for figure in ended[:count]:
            self.tally = self.tally.with_figure(p.value(float(figure)))


def _entries(problem: Problem) -> int:
    # Estimated route entries of all flows: each flow reads a mean row of each table.
    routes, flows = problem.routes, problem.layers.volume.size // 2
    rows = np.split(np.diff(routes.start), routes.base[1:])
    return int(flows * sum(float(row.mean()) for row in rows if row.size))
