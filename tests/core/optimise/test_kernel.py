"""The effect of a move, and the move itself, compared with recomputed figures."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.load.evaluate import evaluate
from core.mapping.edit import occupants
from core.mapping.mapping import Mapping
from core.optimise import problem as problem_module
from core.optimise.kernel import (
    commit_move,
    current_figure,
    discard_move,
    energy,
    evaluate_move,
    stage_move,
    sum_distances,
    sum_loads,
    sum_waits,
)
from core.optimise.method import FREE
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import Contention, HopBytes, Mix, Throughput, TotalHops
from core.optimise.problem import Problem
from core.optimise.tables import FIRST, LINKS, SECOND, TASKS
from tests.core.optimise.cases import DIRECT, INDIRECT, TORUS, cases, loaded, remapped, true_figure, two_phases

EXACT = (Throughput(), HopBytes(), TotalHops(), Contention())


class Walker:
    """Makes random moves as a search does, without selection."""

    def __init__(self, case, objective, unit="task", doublings=4):
        self.case, self.problem = case, Problem.of(evaluate(case), objective)
        moves = MoveConstraints(unit).moves(case.network, case.mapping)
        self.state = self.problem.state(case.mapping.slots, moves, np.ones(1, np.uint64), FREE)
        self.set_goal(0.0, doublings)

    def set_goal(self, limit, doublings):
        """Make the sums for a goal."""
        self.state = self.state._replace(goal=self.problem.goal(limit, doublings))
        self.make_sums(self.state)

    def make_sums(self, state):
        """Recompute all sums of a state."""
        sum_loads(state)
        sum_waits(state)
        if self.problem.distances.other.size:
            sum_distances(self.problem.routes, self.problem.distances, state)

    def step(self, a, b, take=True):
        """Exchange two units, or only evaluate the exchange; return how many links it changes."""
        state, counters = self.state, self.state.walk.counters
        counters[[FIRST, SECOND]] = a, b
        tasks = counters[TASKS] = stage_move(a, b, state.slots_per_node, state.moves, state.place)
        fixed = state.layers, self.problem.routes, self.problem.distances, state.waits
        counters[LINKS] = evaluate_move(tasks, state.links, state.goal, state.place, *fixed, state.sums, state.touched)
        if take:
            commit_move(state)
        discard_move(tasks, counters[LINKS], state.place, state.touched)
        return int(counters[LINKS])

    def walk(self, rng, steps):
        for _ in range(steps):
            a, b = rng.integers(0, len(self.state.moves.group), 2)
            self.step(int(a), int(b), take=rng.random() < 0.8)

    @property
    def energy(self):
        state = self.state
        return energy(state.goal, state.layers, state.sums.power, state.sums.distance)

    @property
    def figure(self):
        return self.problem.value(current_figure(self.state))

    def assert_true(self):
        """Assert that all kept values equal newly computed ones."""
        place, sums, spn = self.state.place, self.state.sums, self.case.network.slots_per_node
        mapping = Mapping(place.slot, spn)
        np.testing.assert_array_equal(place.node, mapping.nodes)
        np.testing.assert_array_equal(place.occupant, occupants(mapping, self.case.network.slots))
        assert not (self.state.touched.where >= 0).any()
        fresh = self.problem.sums(place.slot)
        exact = self.problem.scale.exact
        rounding = 0 if exact else 1e-12 * fresh.load.max(initial=0)
        np.testing.assert_allclose(sums.load, fresh.load, rtol=0, atol=rounding)
        self.make_sums(self.state._replace(sums=fresh))
        np.testing.assert_allclose(sums.power, fresh.power, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(sums.distance, fresh.distance, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(sums.hottest, fresh.hottest, rtol=1e-12)
        if exact:
            np.testing.assert_array_equal(sums.hot, fresh.hot)
        return remapped(self.case, place.slot.copy())


@settings(max_examples=30)
@given(st.data(), cases().filter(loaded), st.sampled_from(EXACT), st.integers(0, 99))
def test_figures_after_many_moves_are_those_of_a_full_evaluation(data, case, objective, seed):
    unit = data.draw(st.sampled_from(["task", "node"]))
    walker = Walker(case, objective, unit)
    walker.walk(np.random.default_rng(seed), 60)
    after = walker.assert_true()
    expected = true_figure(after, objective)
    assert walker.figure == pytest.approx(expected, rel=1e-12 if objective == Throughput() else 1e-6, abs=1e-9)


@pytest.mark.parametrize("unit", ["drawer", "supernode"])
@pytest.mark.parametrize("objective", EXACT, ids=lambda objective: objective.tag())
def test_blocks_move_as_exactly_as_tasks(unit, objective):
    walker = Walker(DIRECT.build(), objective, unit)
    walker.walk(np.random.default_rng(1), 40)
    assert walker.figure == pytest.approx(true_figure(walker.assert_true(), objective), rel=1e-9)


@pytest.mark.parametrize("scenario", [TORUS, DIRECT, INDIRECT], ids=["torus", "direct", "indirect"])
@pytest.mark.parametrize("objective", EXACT, ids=lambda objective: objective.tag())
def test_phases_are_summed(scenario, objective):
    case = two_phases(scenario.build())
    walker = Walker(case, objective)
    assert walker.figure == pytest.approx(true_figure(case, objective), rel=1e-9)
    walker.walk(np.random.default_rng(2), 60)
    assert walker.figure == pytest.approx(true_figure(walker.assert_true(), objective), rel=1e-9)


def test_a_mix_is_the_weighted_mean_of_the_figures_logarithms():
    weights = {"throughput": 2.0, "hop_bytes": 1.0, "hops": 0.5, "contention": 0.25}
    case = TORUS.build()
    walker = Walker(case, Mix(**weights))
    walker.walk(np.random.default_rng(3), 50)
    after = walker.assert_true()
    figures = np.array([true_figure(after, objective) for objective in EXACT])
    figures[0] /= evaluate(case).time
    parts = np.array(list(weights.values()))
    assert walker.figure == pytest.approx(np.exp((parts * np.log(figures)).sum() / parts.sum()), rel=1e-9)


@settings(max_examples=20)
@given(cases().filter(loaded), st.sampled_from(EXACT), st.integers(0, 99))
def test_evaluating_a_move_predicts_it_and_changes_nothing(case, objective, seed):
    walker, rng = Walker(case, objective), np.random.default_rng(seed)
    walker.walk(rng, 5)
    a, b = (int(unit) for unit in rng.integers(0, len(walker.state.moves.group), 2))
    sums, slot = walker.state.sums, walker.state.place.slot
    before = [array.copy() for array in (sums.load, sums.power, sums.distance, slot)]
    walker.step(a, b, take=False)
    for old, new in zip(before, (sums.load, sums.power, sums.distance, slot), strict=True):
        np.testing.assert_array_equal(old, new)
    foretold = [sums.new_power.copy(), sums.new_distance.copy()]
    walker.step(a, b)
    np.testing.assert_array_equal(sums.power, foretold[0])
    np.testing.assert_array_equal(sums.distance, foretold[1])


@pytest.mark.parametrize("scenario", [TORUS, DIRECT, INDIRECT], ids=["torus", "direct", "indirect"])
def test_the_energy_is_the_logarithm_of_the_p_norm(scenario):
    case = scenario.build()
    walker = Walker(case, Throughput(), doublings=3)
    walker.walk(np.random.default_rng(4), 30)
    report = evaluate(walker.assert_true())
    times = report.load / case.gbs / walker.problem.start_time
    assert walker.energy == pytest.approx(np.log((times**8).sum() ** (1 / 8)), rel=1e-9, abs=1e-12)


def test_the_energy_towards_a_limit_is_the_squared_excess():
    case = TORUS.build()
    walker = Walker(case, Throughput())
    walker.set_goal(0.6, 4)
    walker.walk(np.random.default_rng(5), 30)
    report = evaluate(walker.assert_true())
    over = np.maximum(report.load / case.gbs / walker.problem.start_time / 0.6 - 1, 0)
    assert over.any()
    assert walker.energy == pytest.approx((over**2).sum(), rel=1e-9)


@pytest.mark.parametrize("scenario", [TORUS, DIRECT, INDIRECT], ids=["torus", "direct", "indirect"])
@pytest.mark.parametrize("objective", [HopBytes(), TotalHops()], ids=lambda objective: objective.tag())
def test_hops_are_the_same_with_a_table_or_leg_by_leg(scenario, objective, monkeypatch):
    case, figures = scenario.build(), []
    for most in (1 << 20, 0):
        monkeypatch.setattr(problem_module, "MAX_TABLE", most)
        walker = Walker(case, objective)
        assert (walker.problem.distances.table.size == 0) == (most == 0)
        walker.walk(np.random.default_rng(6), 40)
        figures.append(walker.figure)
    assert figures[0] == pytest.approx(figures[1], rel=1e-6)


@given(st.integers(0, 99))
def test_swapping_twice_restores_the_mapping(seed):
    walker, rng = Walker(DIRECT.build(), Throughput()), np.random.default_rng(seed)
    load, slot = walker.state.sums.load.copy(), walker.state.place.slot.copy()
    a, b = (int(unit) for unit in rng.integers(0, len(walker.state.moves.group), 2))
    assume(a != b)
    walker.step(a, b)
    walker.step(a, b)
    np.testing.assert_array_equal(walker.state.sums.load, load)
    np.testing.assert_array_equal(walker.state.place.slot, slot)
