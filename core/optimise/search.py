"""A search: rounds of steps over a mapping, keeping the best mapping so far."""

from copy import deepcopy
from itertools import islice
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from core.kernels import plain
from core.load.evaluate import TOLERANCE
from core.mapping.mapping import MappingSpec, Slots
from core.optimise.hop_bytes_annealing import HopBytesAnnealing
from core.optimise.initial_mappings import DeclaredStarts, StartNetwork, anywhere, best_swap, declared_starts
from core.optimise.kernel import current_figure
from core.optimise.lattice_starts import FIRST, LatticeStarts
from core.optimise.method import FREE, AnyMethod, Portfolio
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import HopBytes, Throughput
from core.optimise.plain_starts import PlainStarts
from core.optimise.problem import Problem
from core.optimise.repair import Repair
from core.optimise.request import Checkpoint
from core.optimise.restart_statistics import RestartTally
from core.optimise.restarts import ABANDON_RATIO, Restarts
from core.optimise.rounds import Round
from core.optimise.tables import (
    BEST,
    COLDEST_HEAT,
    FORCED,
    HALTED,
    HEAT,
    HOTTEST_HEAT,
    LOOKED,
    LOST,
    PICKED_ENERGY,
    ROUND_START,
    ROUND_STEPS,
    SAMPLES,
    STEP,
    TIME,
    WORST,
    Moves,
    SearchState,
)
from core.optimise.traced_steps import advance_traced
from core.optimise.walk import advance, keep_best, recompute
from core.random_numbers import draw, state_of
from core.spec import SpecError

GOAL_FRACTION = 0.6
"""Largest fraction of the way to the bound, on a logarithmic scale, that a round aims for."""
COOLEST, HOTTEST = 1e-3, 2e-2
"""Bounds on the initial temperature of rounds whose goal is a limit."""
MAX_UNITS = 1 << 12
"""Units beyond which a round does not become longer."""
ROUNDS = 4
"""Length of a restart, in multiples of its first round."""
PROMISING = 1.1
"""Figure over the best up to which a restart continues, and strategies that search are tried again."""
NEGLIGIBLE = 1e-12
"""Changes within rounding of zero."""
TRIFLING = 1e-3
"""Fraction of the largest worsening below which moves count as neutral: they are accepted at any temperature."""
MAX_CHANGE = 1.0
"""Energy change (a factor of e) above which moves are never accepted, so that they do not raise that threshold."""


class Search:
    """A search in one thread. The same seed takes the same steps, however they are divided into calls."""

    def __init__(
        self,
        problem: Problem,
        method: AnyMethod,
        constraints: MoveConstraints,
        seed: int,
        rank: int = 0,
        after: Checkpoint | None = None,
        of: int = 1,
        with_restarts: bool = True,
    ) -> None:
        network = problem.case.network
        self._problem, self._constraints = problem, constraints
        slots = np.array(problem.case.mapping.slots if after is None else after.slots, np.int32)
        self._keeps_start = method.keeps_start or not with_restarts
        declared = () if self._keeps_start else declared_starts(problem.case, constraints)
        self._declared = DeclaredStarts(problem.case, declared, rank, of, fresh=after is None)
        self._start_network = StartNetwork(problem.case)
        self._rounds = method.rounds(constraints, network, rank)
        self._number = 0 if after is None else after.round
        for _ in islice(self._rounds, self._number):
            pass
        draws = state_of(seed, rank) if after is None else np.array([after.draw], np.uint64)
        moves = self._moves(constraints, slots)
        self._state = problem.state(slots, moves, draws, FREE)
        walk = self._state.walk
        walk.counters[STEP] = 0 if after is None else after.steps
        self._make_sums()
        walk.figures[BEST], walk.counters[LOST] = inf, problem.losses.of(self._state.place.node)
        self._keep_best()
        self._adopted: list[Slots] = []
        self._with_restarts = with_restarts
        self._restart_search: RestartSearch | None = None
        # Restarts and lattices fill nodes, which may lack cores for ranks of several cores.
        free = anywhere(problem.case, constraints) and problem.case.mapping.cores_per_rank == 1
        restarts = with_restarts and method.restarts and free and Restarts.fit(problem)
        self.restarts = Restarts(problem, draw(draws, 1 << 31)) if restarts else None
        starts = method.restarts and not self._keeps_start and free
        self._lattice = LatticeStarts.of(problem, draw(draws, 1 << 31)) if starts else None
        self._lattice_due = self.steps + FIRST if self._lattice is not None else inf
        plain_too = method.restarts and not self._keeps_start and problem.objective.figure == WORST
        self._plain = self._plain_starts(method, draw(draws, 1 << 31), rank, of) if plain_too else None
        self._begun = self.steps
        self._repair: Repair | None = None
        self._next()
        if (self._repair is not None or self._declared.first) and not self._samples(self._round):
            self._load()

    def begin(self) -> None:
        """Continue from the best mapping known beforehand: a declared strategy's, or the best single swap's.

        Does nothing if that takes long, in which case `advance` tries strategies one by one, or if the method keeps the
        given mapping.
        """
        if self._keeps_start or not self._declared.at_once:
            return
        if self._plain is not None:
            self._plain.begin_search()
        for strategy in self._declared.all_at_once():
            self._try(strategy)
        if self._problem.objective.figure == TIME:
            slots = best_swap(self._problem.report(self._problem.case.mapping.slots), self._constraints)
            if slots is not None:
                self._judged(slots)
        self._begin(self._round)

    @property
    def steps(self) -> int:
        """Return the number of moves evaluated."""
        return int(self._state.walk.counters[STEP])

    @property
    def best(self) -> float:
        """Return the figure of the best mapping."""
        return self._problem.value(float(self._state.walk.figures[BEST]))

    @property
    def lost(self) -> int:
        """Return the loss of the best mapping: see `core.optimise.disconnection`."""
        return int(self._state.walk.counters[LOST])

    @property
    def current(self) -> float:
        """Return the figure of the current mapping."""
        return self._problem.value(self._figure())

    def figure_of(self, slots: Slots) -> float:
        """Make a mapping the current one; return its figure."""
        self._go_to(slots)
        self._make_sums()
        return self.current

    @property
    def slots(self) -> Slots:
        """Return the best mapping."""
        return self._state.walk.best.copy()

    @property
    def checkpoint(self) -> Checkpoint:
        """Return the state from which another search can continue."""
        return Checkpoint(self.slots, int(self._state.walk.draws[0]), self._number, self.steps)

    @property
    def length(self) -> int:
        """Return the number of steps of the round."""
        return int(self._state.walk.counters[ROUND_STEPS])

    @property
    def tally(self) -> RestartTally:
        """Return the figures of its restarts."""
        return self.restarts.tally if self.restarts is not None else RestartTally()

    @property
    def proven(self) -> bool:
        """Return whether the best mapping is proved optimal."""
        p, best = self._problem, float(self._state.walk.figures[BEST])
        return not self.lost and p.timed and best <= p.bound * (1 + TOLERANCE)

    def adopt(self, slots: Slots) -> None:
        """Begin the next round with a mapping found by another search."""
        self._adopted.append(slots)

    def advance(self, steps: int) -> None:
        """Evaluate at most `steps` moves, or a single start mapping, which takes as long as many moves."""
        counters = self._state.walk.counters
        end = counters[STEP] + steps
        if self._declared.first:
            self._try(self._declared.first.pop(0))
            counters[STEP] += 1
            if not self._declared.first:
                self._begin(self._round)
            return
        while counters[STEP] < end:
            last = counters[ROUND_START] + counters[ROUND_STEPS]
            if self._advance_starts(int(end - counters[STEP])):
                continue
            if counters[HALTED] or counters[STEP] >= last:
                self._next()
            else:
                until = min(end, last, self._lattice_due, self._plain_due)
                self._advance(int(until - counters[STEP]), self._state)

    def _advance_starts(self, steps: int) -> bool:
        # Take steps that do not belong to the round, towards mappings to start from; return whether any were due.
        if self._repair is not None:
            self._advance_repair(self._repair, steps)
        elif self._plain is not None and self._plain.going:
            self._advance_plain(self._plain, steps)
        elif self._plain is not None and self.steps >= self._plain_due:
            self._plain.begin(self.steps - self._begun - self._plain.steps)
        elif self._lattice is not None and self._lattice.going:
            self._advance_lattice(self._lattice, steps)
        elif self._lattice is not None and self.steps >= self._lattice_due:
            self._lattice.begin(self.best)
            self._lattice_due = inf
        elif self.restarts is not None and self.restarts.going:
            self._restart(self.restarts, steps)
        elif self._restart_search is not None and self._restart_search.going:
            self._advance_restart(self._restart_search, steps)
        else:
            return False
        return True

    def _load(self) -> None:
        # A repair does not use the kernels of steps. Compiling these may take seconds, which must not count as search
        # time, so some steps are taken on a copy, unless the round has begun with a sample of moves.
        self._worse(self._state._replace(walk=deepcopy(self._state.walk)))

    def _next(self) -> None:
        # The next round starts from the best mapping.
        next_round = next(self._rounds)
        self._number += 1
        if next_round.tries and self._number > 1:
            self._try_starts()
        adopted, self._adopted = self._adopted, []
        for slots in adopted:
            self._judged(slots)
        if self.lost and self._number & (self._number - 1) == 0:
            # Before rounds 1, 2, 4 ... only: the disconnected flows may be disconnected under any mapping.
            moves = self._moves(self._constraints, self.slots)
            self._repair = Repair(self._problem, moves, self.slots, draw(self._state.walk.draws, 1 << 31))
        if self._lattice is not None and self._number > 1:
            self._lattice_due = self.steps
        if next_round.restarts and self.restarts is not None:
            self.restarts.begin(self.length)
        if self._with_restarts and next_round.restarts and self._problem.limits and self._problem.has_table:
            self._restart_search = self._restart_search or RestartSearch(self._problem, self._constraints)
            self._restart_search.begin(self.slots, draw(self._state.walk.draws, 1 << 31))
        self._begin(next_round)

    def _begin(self, next_round: Round) -> None:
        slots, self._round = self.slots, next_round
        self._go_to(slots)
        moves, goal = (
            self._moves(next_round.constraints, slots),
            self._problem.goal(self._limit(next_round.gain), next_round.doublings),
        )
        touched = self._problem.touched(2 * moves.slots.shape[1])
        self._state = self._state._replace(goal=goal, rule=next_round.rule, moves=moves, touched=touched)
        counters, figures = self._state.walk.counters, self._state.walk.figures
        counters[[LOOKED, FORCED, HALTED]] = 0
        figures[PICKED_ENERGY] = inf
        self._state.walk.tabu_until[:] = 0
        self._make_sums()
        self._keep_best()
        counters[ROUND_START], counters[ROUND_STEPS] = counters[STEP], np.iinfo(np.int32).max
        self._heat(next_round)
        if next_round.effort is not None:
            counters[ROUND_STEPS] = max(int(next_round.effort * min(len(moves.group), MAX_UNITS)), next_round.min_steps)

    def _moves(self, constraints: MoveConstraints, slots: Slots) -> Moves:
        case = self._problem.case
        return constraints.moves(case.network, case.mapping.moved(slots), case.allocation)

    def _advance_repair(self, repair: Repair, steps: int) -> None:
        # The round starts from the mapping that disconnects least.
        self._state.walk.counters[STEP] += repair.advance(steps)
        if not repair.going:
            self._repair = None
            self._judged(repair.slots)
            self._begin(self._round)

    def _advance_restart(self, with_restarts: "RestartSearch", steps: int) -> None:
        # The next round starts from its result, if that is better.
        self._state.walk.counters[STEP] += with_restarts.advance(steps, self.best)
        if not with_restarts.going:
            self.adopt(with_restarts.slots)

    def _plain_starts(self, method: AnyMethod, seed: int, rank: int, of: int) -> PlainStarts:
        plain = Problem.of(self._problem.report(self.slots), Throughput())
        return PlainStarts(Search(plain, method, self._constraints, seed, rank, of=of), len(self._problem.cases))

    @property
    def _plain_due(self) -> float:
        return inf if self._plain is None else self._begun + self._plain.steps + self._plain.due

    def _advance_plain(self, plain: PlainStarts, steps: int) -> None:
        # Its steps do not count as steps of the round, which continues unless there is a better mapping to start from.
        self._state.walk.counters[[STEP, ROUND_START]] += plain.advance(steps)
        slots = None if plain.going else plain.result()
        if slots is None:
            return
        current, best = self._state.place.slot.copy(), self.best
        self._judged(slots)
        if self.best < best:
            self._begin(self._round)
        else:
            self._go_to(current)
            self._make_sums()

    def _advance_lattice(self, lattice: LatticeStarts, steps: int) -> None:
        taken, slots = lattice.advance(steps, self.best)
        self._state.walk.counters[STEP] += taken
        if slots is not None and self._judged(slots) <= float(self._state.walk.figures[BEST]):
            self._begin(self._round)

    def _restart(self, restarts: Restarts, steps: int) -> None:
        self._state.walk.counters[STEP] += restarts.advance(steps, self.best)
        if not restarts.going and restarts.best < self.best:
            self._judged(restarts.slots)
            self._begin(self._round)

    def _try_starts(self) -> None:
        for strategy in self._declared.next_searched():
            self._try(strategy)

    def _try(self, strategy: MappingSpec) -> None:
        try:
            slots = self._start_network.slots(strategy)
        except SpecError:
            return  # it does not fit this job or network
        if self._judged(slots) <= PROMISING * float(self._state.walk.figures[BEST]):
            self._declared.promising(strategy)

    def _judged(self, slots: Slots) -> float:
        # Make it the current mapping, unless it disconnects more; keep it if it is the best.
        lost = self._problem.losses.of(slots // np.int32(self._state.slots_per_node))
        if lost > self.lost:
            return inf
        if lost < self.lost:
            self._state.walk.figures[BEST], self._state.walk.counters[LOST] = inf, lost
        self._go_to(slots)
        self._make_sums()
        self._keep_best()
        return self._figure()

    def _limit(self, gain: float | None) -> float:
        # A fraction of the distance from the best to the bound, at most the gain; 0 for no limit.
        if gain is None or not self._problem.limits:
            return 0.0
        best, bound = float(self._state.walk.figures[BEST]), self._problem.bound
        left = log(best / bound) if bound > 0 else inf
        return best * exp(-min(gain, GOAL_FRACTION * left))

    def _go_to(self, slots: Slots) -> None:
        if not np.array_equal(slots, self._state.place.slot):
            self._state = self._state._replace(place=self._problem.place(slots), sums=self._problem.sums(slots))

    def _make_sums(self) -> None:
        recompute(self._problem.routes, self._problem.distances, self._state)

    def _figure(self) -> float:
        return plain(current_figure)(self._state)

    def _keep_best(self) -> None:
        plain(keep_best)(self._figure(), self._state)

    def _heat(self, next_round: Round) -> None:
        figures = self._state.walk.figures
        figures[[HEAT, HOTTEST_HEAT, COLDEST_HEAT]] = 0.0
        if next_round.heat is None:
            return
        if self._samples(next_round):
            worse = self._worse(self._state)
            figures[HOTTEST_HEAT] = temperature(worse, next_round.heat[0]) if worse.size else 0.0
        elif next_round.slack is not None:
            over = float(figures[BEST]) / self._state.goal.limit - 1
            figures[HOTTEST_HEAT] = min(max(next_round.slack * over * over, COOLEST), HOTTEST)
        figures[COLDEST_HEAT] = figures[HOTTEST_HEAT] * next_round.heat[1]

    def _samples(self, next_round: Round) -> bool:
        # Whether the temperature of a round follows from a sample of moves.
        return next_round.heat is not None and (next_round.slack is None or self._state.goal.limit <= 0)

    def _worse(self, state: SearchState) -> NDArray[np.float64]:
        # The worsenings in a sample of moves.
        changes = state.walk.changes
        changes[:] = 0.0
        self._advance(SAMPLES, state._replace(rule=state.rule._replace(sampling=True)))
        return counting(changes, float(state.goal.weights.sum()))

    def _advance(self, steps: int, state: SearchState) -> None:
        if self._problem.traced:
            advance_traced(steps, self._problem, state)
        else:
            advance(steps, self._problem.routes, self._problem.distances, state)


class RestartSearch:
    """Restarts: short searches from other mappings, first minimising hop-bytes.

    Mappings with few hop-bytes are rarely the fastest, but some of the fastest are close to them.
    """

    def __init__(self, problem: Problem, constraints: MoveConstraints) -> None:
        self._problem, self._constraints = problem, constraints
        slots = np.asarray(problem.case.mapping.slots)
        self._hops = Problem.of(problem.report(slots), HopBytes())
        self._hop_bytes_annealing = self._anneal_hop_bytes(slots, 1)
        self._search: Search | None = None
        self._stage = self._length = self._left = self._waits = 0
        self._pause = 1

    @property
    def going(self) -> bool:
        """Return whether a search has steps left."""
        return self._left > 0

    @property
    def slots(self) -> Slots:
        """Return the best mapping of the search."""
        return self._hop_bytes_annealing.slots if self._search is None else self._search.slots

    def begin(self, slots: Slots, seed: int) -> None:
        """Begin the next search by minimising hop-bytes from a mapping, unless pausing."""
        if self._waits:
            self._waits -= 1
            return
        self._hop_bytes_annealing, self._search, self._stage = self._anneal_hop_bytes(slots, seed), None, 0
        self._left = self._hop_bytes_annealing.left

    def advance(self, steps: int, best: float) -> int:
        """Take at most `steps` steps; return the number taken. Ends early if far above `best`."""
        steps = min(steps, self._left)
        if self._search is None:
            self._hop_bytes_annealing.advance(steps)
        else:
            before = self._search.steps
            self._search.advance(steps)
            steps = self._search.steps - before
        self._left -= steps
        if self._left <= 0:
            self._stage += 1
            self._go_on(best)
        return steps

    def _go_on(self, best: float) -> None:
        # After hop-bytes, one round for the objective itself; if promising, more.
        if self._search is None:
            start = Checkpoint(self._hop_bytes_annealing.slots, self._hop_bytes_annealing.draw, 0, 0)
            self._search = Search(self._problem, Portfolio(), self._constraints, 0, after=start, with_restarts=False)
            self._left = self._length = self._search.length
        elif self._stage == 2 and self._search.best <= PROMISING * best:
            self._left = (ROUNDS - 1) * self._length
        elif self._stage == 2 and self._search.best > ABANDON_RATIO * best:
            self._waits, self._pause = self._pause, 2 * self._pause

    def _anneal_hop_bytes(self, slots: Slots, seed: int) -> HopBytesAnnealing:
        return HopBytesAnnealing(self._hops, self._constraints, slots, np.array([seed | 1], np.uint64))


def counting(changes: NDArray[np.float64], weights: float = 1.0) -> NDArray[np.float64]:
    """Return the energy changes that are worsenings, without negligible ones, as between almost equal volumes.

    `weights` is the sum of the weights of the energy's logarithms.
    """
    worse = changes[changes > NEGLIGIBLE]
    return worse[worse > TRIFLING * min(float(worse.max(initial=0.0)), MAX_CHANGE * weights)]


def temperature(worse: NDArray[np.float64], part: float) -> float:
    """Return the temperature at which a fraction `part` of worse moves is accepted: the mean of ``exp(-worse / T)``.

    All changes must be above 0, as returned by `counting`.
    """
    low, high = log(float(worse.min()) / 800), log(float(worse.max()) * 1e3)
    for _ in range(60):
        middle = (low + high) / 2
        if np.exp(-worse / exp(middle)).mean() < part:
            low = middle
        else:
            high = middle
    return exp(high)
