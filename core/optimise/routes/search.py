"""Rounds of a search for routes: simulated annealing from the best tables so far, or from new ones.

The next hop of a switch and a destination LID moves among the ports on minimal paths, so all paths stay minimal, and
no packet goes round in a loop. Scheduling-aware routing (Domke and Hoefler, "Scheduling-Aware Routing for
Supercomputers", SC 2016) chooses tables for the jobs that run in the same sense, by shortest paths with weights.
"""

from typing import NamedTuple

import numpy as np

from core.kernels import plain
from core.optimise.routes.kernel import figure_of, measure, rebuild, reload
from core.optimise.routes.problem import RouteProblem
from core.optimise.routes.state import (
    BEST,
    COLDEST_HEAT,
    COUNTERS,
    FIGURES,
    HOTTEST_HEAT,
    ROUND_STEP,
    ROUND_STEPS,
    STEP,
    Goal,
    Ports,
    RouteWalk,
)
from core.optimise.routes.walk import advance
from core.random_numbers import State, draw, state_of
from core.routing.flows import Nodes

GAINS = (0.5, 0.2, 0.1, 0.05, 0.02)
"""Limits of rounds relative to the best so far, at most."""
GOAL_FRACTION = 0.75
"""Largest fraction of the distance to the bound that a round's limit may be from the best so far."""
HEATS = ((3e-3, 1e-2), (3e-4, 1e-2), (3e-2, 1e-3))
"""Temperatures at the beginning of rounds of p-norms, in turn, and the fraction left at their ends."""
SLACKS = ((0.25, 1e-3), (0.05, 1e-2))
"""The same for rounds with limits, in squared relative excesses of the best over the limit."""
MIN_STEPS, MAX_STEPS = 4_000, 1_000_000
"""Bounds on the first rounds' length; later rounds are longer."""
MOVES_EACH = 4
"""Moves of the first rounds for each entry with a choice."""
DOUBLINGS = (3, 4, 5)
OPTIMAL = 1e-9
"""Relative distance from the bound at which tables are optimal."""


class Kind(NamedTuple):
    """The kind of a round."""

    anew: bool
    """Whether it begins with new tables."""
    limited: bool
    number: int


class RouteSearch:
    """A search that takes any number of steps at a time. The same seed takes the same steps."""

    def __init__(self, problem: RouteProblem, seed: int, bound: float = 0.0, ports: Ports | None = None) -> None:
        self._problem, self._bound = problem, bound
        draws = state_of(seed)
        self._sums = problem.sums(problem.fabric.ports if ports is None else ports)
        self._rebuild(*self._order(draws, shuffled=False), keep=True)
        counters, figures = np.zeros(COUNTERS, np.int64), np.zeros(FIGURES)
        self._walk = RouteWalk(draws, counters, figures, self._sums.ports.copy(), problem.inner)
        self._goal = self._p_norm(DOUBLINGS[0])
        measure(problem.traffic, self._goal, self._sums)
        figures[BEST] = self.current
        self._rounds = 0
        self._begin(Kind(False, False, 0))

    @property
    def current(self) -> float:
        """Return the time of the current tables, in seconds: the longest link times of all phases, added up."""
        return float(plain(figure_of)(self._problem.traffic, self._sums))

    @property
    def best(self) -> float:
        """Return the time of the best tables."""
        return float(self._walk.figures[BEST])

    @property
    def ports(self) -> Ports:
        """Return the ports of the best tables, ``(rows, switches)``."""
        return self._walk.best.copy()

    @property
    def steps(self) -> int:
        """Return the number of moves evaluated."""
        return int(self._walk.counters[STEP])

    @property
    def proven(self) -> bool:
        """Return whether the best tables are optimal among minimal routes, or nothing can move."""
        return self.best <= self._bound * (1 + OPTIMAL) or not self._walk.inner.size

    def advance(self, steps: int) -> None:
        """Take a number of steps, unless the best tables are proved optimal."""
        problem, counters = self._problem, self._walk.counters
        end = counters[STEP] + steps
        while counters[STEP] < end and not self.proven:
            left = int(min(end - counters[STEP], counters[ROUND_STEPS] - counters[ROUND_STEP]))
            within = left > 0 and advance(
                left, problem.at, problem.paths, problem.traffic, self._goal, self._sums, self._walk
            )
            if within or counters[ROUND_STEP] >= counters[ROUND_STEPS]:
                self._rounds += 1
                self._begin(Kind(self._rounds % 8 == 5, self._rounds % 2 == 1, self._rounds))

    def _begin(self, kind: Kind) -> None:
        problem, sums, walk = self._problem, self._sums, self._walk
        if kind.anew:
            self._rebuild(*self._order(walk.draws, shuffled=True), keep=False)
        elif self._rounds:
            sums.ports[:] = walk.best
            self._unload()
            reload(problem.at, problem.paths, problem.traffic, sums)
        cycle = kind.number // 2
        measure(problem.traffic, self._goal, sums)
        self._goal = self._limits(cycle) if kind.limited else self._p_norm(DOUBLINGS[cycle % len(DOUBLINGS)])
        measure(problem.traffic, self._goal, sums)
        if self.current < self.best:
            walk.figures[BEST], walk.best[:] = self.current, sums.ports
        hottest, cooling = HEATS[cycle % len(HEATS)]
        if kind.limited:
            slack, cooling = SLACKS[cycle % len(SLACKS)]
            over = float((self._goal.weight * np.maximum(sums.hottest / self._goal.unit - 1, 0) ** 2).sum())
            hottest = slack * over
        walk.figures[[HOTTEST_HEAT, COLDEST_HEAT]] = hottest, hottest * cooling
        entries = MOVES_EACH * self._problem.paths.hops.size
        walk.counters[ROUND_STEP] = 0
        walk.counters[ROUND_STEPS] = min(max(entries, MIN_STEPS), MAX_STEPS) << min(cycle // 4, 4)

    def _rebuild(self, rows: Nodes, first: Nodes, *, keep: bool) -> None:
        self._unload()
        rebuild(rows, first, keep, self._problem.at, self._problem.paths, self._problem.traffic, self._sums)

    def _unload(self) -> None:
        self._sums.load[:], self._sums.through[:] = self._problem.traffic.fixed, self._problem.traffic.entering

    def _weighted(self, limited: bool, doublings: int, unit: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> Goal:
        times, hottest = self._problem.traffic.times, self._sums.hottest
        weight = times * hottest
        return Goal(limited, doublings, unit, weight / (weight.sum() or 1.0))

    def _p_norm(self, doublings: int) -> Goal:
        hottest = self._sums.hottest
        return self._weighted(False, doublings, np.where(hottest > 0, hottest, 1.0))

    def _limits(self, cycle: int) -> Goal:
        # All runs at once are to be faster than in the best tables, by the same factor.
        left = 1 - self._bound / self.best if self.best > 0 else 0.0
        gain = min(GAINS[cycle % len(GAINS)], GOAL_FRACTION * left)
        now = max(self.current, self.best) or 1.0
        hottest = self._sums.hottest * (self.best * (1 - gain) / now)
        return self._weighted(True, 0, np.where(hottest > 0, hottest, 1.0))

    def _order(self, draws: State, *, shuffled: bool) -> tuple[Nodes, Nodes]:
        # The rows in a random order, each with a random first port; or in their own order.
        rows = self._problem.paths.last.size
        row = np.arange(rows, dtype=np.int32)
        if not shuffled:
            return row, row
        random = np.random.default_rng(plain(draw)(draws, 1 << 31))
        return random.permutation(row).astype(np.int32), random.integers(0, 1 << 16, rows).astype(np.int32)
