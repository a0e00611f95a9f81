"""A search: round after round of steps over a mapping, with the best so far kept."""

from itertools import islice
from math import exp, inf, log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.load.evaluate import TOLERANCE
from core.mapping.edit import occupants
from core.mapping.mapping import Mapping, MappingSpec, Slots
from core.optimise.freedom import Freedom
from core.optimise.kernel import figure
from core.optimise.method import AnyMethod
from core.optimise.problem import Problem, slots_of
from core.optimise.rounds import Round, rounds
from core.optimise.starts import reseeded, starts
from core.optimise.tables import (
    BEST,
    CHANGE,
    COLDEST_HEAT,
    FORCED,
    HALTED,
    HEAT,
    HOTTEST_HEAT,
    LOOKED,
    PICKED_ENERGY,
    REALS,
    RNG,
    ROUND_START,
    ROUND_STEPS,
    STEP,
    TIME,
    WHOLES,
    Rule,
    Walk,
)
from core.optimise.traced import advance_traced
from core.optimise.walk import NOTHING, advance, begin, keep_best
from core.spec import SpecError

SAMPLES = 400
"""Moves looked at to find the temperatures of a round."""
TOWARDS = 0.6
"""Part of the way to the bound, on a logarithmic scale, that a round wants to go at most."""
COOLEST, HOTTEST = 1e-3, 2e-2
"""Of the temperatures at the beginning of rounds whose goal is a limit."""
AT_ONCE = 2
"""Mappings to begin with that are searched for before a round."""
MOST_UNITS = 1 << 12
"""Units beyond which a round does not become longer."""
PROMISING = 1.1
"""Those whose figure is up to so much above the best are searched for again."""
SPREAD = 0x9E3779B97F4A7C15
"""Odd number that turns seeds that differ by one into very different states of the draw."""


STILL = Rule(False, 1, 0, False, 0.0, 0.0, sampling=True)
"""Takes nothing."""


class Checkpoint(NamedTuple):
    """Where a search can go on: from its best mapping, with the next round."""

    slots: Slots
    draw: int
    round: int
    steps: int


class Search:
    """A search in one thread. The same seed takes the same steps, in whatever portions they are asked for."""

    def __init__(
        self,
        problem: Problem,
        method: AnyMethod,
        freedom: Freedom,
        seed: int,
        rank: int = 0,
        after: Checkpoint | None = None,
        of: int = 1,
    ) -> None:
        network = problem.case.network
        self._problem, self._freedom = problem, freedom
        self._links, self._spn = network.links, network.slots_per_node
        self._slots = np.array(problem.case.mapping.slots if after is None else after.slots, np.int32)
        self._simple = starts(problem.case, freedom, searched=False)
        self._searched = starts(problem.case, freedom, searched=True)[rank::of]
        self._rounds = rounds(method, freedom, network, rank)
        self._number = 0 if after is None else after.round
        for _ in islice(self._rounds, self._number):
            pass
        whole = np.zeros(WHOLES, np.int64)
        whole[RNG] = _state(seed, rank) if after is None else after.draw
        whole[STEP] = 0 if after is None else after.steps
        best = occupants(Mapping(self._slots, self._spn), network.slots)
        hot = np.zeros(problem.case.job.tasks, np.int32)
        self._walk = Walk(whole, np.zeros(REALS), best, hot, np.zeros(network.slots, np.int64))
        self._place, self._sums = problem.place(self._slots), problem.sums(self._slots)
        self._goal = problem.goal(0.0, 0)
        self._begin_sums(STILL)
        self._walk.real[BEST] = inf
        keep_best(self._goal, problem.layers, self._sums, self._place, self._walk)
        self._gift: Slots | None = None
        self._next()

    @property
    def steps(self) -> int:
        """Return how many moves were looked at."""
        return int(self._walk.whole[STEP])

    @property
    def best(self) -> float:
        """Return the figure of the best mapping."""
        return self._problem.value(float(self._walk.real[BEST]))

    @property
    def current(self) -> float:
        """Return the figure of the mapping as it is."""
        return self._problem.value(figure(self._goal, self._problem.layers, self._sums))

    @property
    def slots(self) -> Slots:
        """Return the best mapping."""
        return slots_of(self._walk.best, self._slots.size)

    @property
    def checkpoint(self) -> Checkpoint:
        """Return where another search can go on."""
        return Checkpoint(self.slots, int(self._walk.whole[RNG]), self._number, self.steps)

    @property
    def proven(self) -> bool:
        """Return whether the best mapping is as good as any can be."""
        p = self._problem
        return p.objective.figure == TIME and float(self._walk.real[BEST]) <= p.bound * (1 + TOLERANCE)

    def adopt(self, slots: Slots) -> None:
        """Begin the next round with a mapping that another search has found."""
        self._gift = slots

    def advance(self, steps: int) -> None:
        """Look at so many moves."""
        whole = self._walk.whole
        end = whole[STEP] + steps
        while whole[STEP] < end:
            last = whole[ROUND_START] + whole[ROUND_STEPS]
            if whole[HALTED] or whole[STEP] >= last:
                self._next()
                continue
            self._walked(int(min(end, last) - whole[STEP]), self._rule)

    def _next(self) -> None:
        # Begin the next round, from the best mapping so far.
        one = next(self._rounds)
        self._number += 1
        if one.tries and self._number > 1:
            self._try_starts()
        if self._gift is not None:
            gift, self._gift = self._gift, None
            self._judged(gift)
        slots = self.slots
        self._moves = one.freedom.moves(self._problem.case.network, Mapping(slots, self._spn))
        self._touched = self._problem.touched(2 * self._moves.slots.shape[1])
        self._rule = one.rule
        self._go_to(slots)
        whole, real = self._walk.whole, self._walk.real
        self._goal = self._problem.goal(self._limit(one.gain), one.doublings)
        whole[[LOOKED, FORCED, HALTED]] = 0
        real[PICKED_ENERGY] = inf
        self._walk.still[:] = 0
        self._begin_sums(one.rule)
        keep_best(self._goal, self._problem.layers, self._sums, self._place, self._walk)
        whole[ROUND_START], whole[ROUND_STEPS] = whole[STEP], np.iinfo(np.int32).max
        self._heat(one)
        if one.effort is not None:
            whole[ROUND_STEPS] = max(int(one.effort * min(len(self._moves.group), MOST_UNITS)), 1)

    def _try_starts(self) -> None:
        # Those that are there at once together, then a few at a time those that are searched for.
        some, self._simple = self._simple, ()
        if not some:
            some, self._searched = self._searched[:AT_ONCE], self._searched[AT_ONCE:]
        for strategy in some:
            found = self._tried(strategy)
            if strategy.searches and found <= PROMISING * float(self._walk.real[BEST]):
                # With another seed it may find something else.
                self._searched = (*self._searched, reseeded(strategy))

    def _tried(self, strategy: MappingSpec) -> float:
        # The figure of a strategy's mapping.
        try:
            slots = strategy.build(self._problem.case.job, self._problem.case.network).slots
        except SpecError:
            # It does not fit this job or network.
            return inf
        self._walk.whole[STEP] += 1
        return self._judged(slots)

    def _judged(self, slots: Slots) -> float:
        # Go there; if it is the best mapping so far, it is kept.
        self._go_to(slots)
        self._begin_sums(STILL)
        keep_best(self._goal, self._problem.layers, self._sums, self._place, self._walk)
        return figure(self._goal, self._problem.layers, self._sums)

    def _limit(self, gain: float | None) -> float:
        # Part of the way from the best to the bound, but not farther than by the gain; 0: no limit.
        if gain is None or not self._problem.limits:
            return 0.0
        best, bound = float(self._walk.real[BEST]), self._problem.bound
        left = log(best / bound) if bound > 0 else inf
        return best * exp(-min(gain, TOWARDS * left))

    def _go_to(self, slots: Slots) -> None:
        if not np.array_equal(slots, self._place.slot):
            self._place, self._sums = self._problem.place(slots), self._problem.sums(slots)

    def _begin_sums(self, rule: Rule) -> None:
        p = self._problem
        begin(self._links, self._goal, rule, self._place, p.layers, p.legs, p.distances, self._sums, self._walk)

    def _heat(self, one: Round) -> None:
        real, limit = self._walk.real, self._goal.limit
        real[[HEAT, HOTTEST_HEAT, COLDEST_HEAT]] = 0.0
        if one.heat is None:
            return
        if one.slack is not None and limit > 0:
            over = float(real[BEST]) / limit - 1
            real[HOTTEST_HEAT] = min(max(one.slack * over * over, COOLEST), HOTTEST)
        else:
            worse = self._worse(one.rule)
            real[HOTTEST_HEAT] = temperature(worse, one.heat[0]) if worse.size else 0.0
        real[COLDEST_HEAT] = real[HOTTEST_HEAT] * one.heat[1]

    def _worse(self, rule: Rule) -> NDArray[np.float64]:
        # By how much moves that make it worse do so, of a sample.
        sampling, found = rule._replace(sampling=True), []
        for _ in range(SAMPLES):
            self._walk.real[CHANGE] = 0.0
            self._walked(1, sampling)
            found.append(float(self._walk.real[CHANGE]))
        changes = np.array(found)
        return changes[changes > NOTHING]

    def _walked(self, steps: int, rule: Rule) -> None:
        p, state = self._problem, (self._sums, self._touched, self._walk)
        if p.traced:
            advance_traced(steps, p, self._goal, rule, self._moves, self._place, *state)
            return
        fixed = (p.layers, p.legs, p.distances)
        advance(steps, self._links, self._spn, self._goal, rule, self._moves, p.near, self._place, *fixed, *state)


def temperature(worse: NDArray[np.float64], part: float) -> float:
    """Return the temperature at which such a part of worse moves would be taken: the mean of ``exp(-worse / T)``."""
    low, high = log(float(worse.min()) / 800), log(float(worse.max()) * 1e3)
    for _ in range(60):
        middle = (low + high) / 2
        if np.exp(-worse / exp(middle)).mean() < part:
            low = middle
        else:
            high = middle
    return exp(high)


def _state(seed: int, rank: int) -> int:
    # Never zero, which xorshift could not leave.
    mixed = ((seed * 64 + rank + 1) * SPREAD) & ((1 << 64) - 1)
    mixed ^= mixed >> 31
    return int(np.array(mixed | 1, np.uint64).astype(np.int64))
