"""What a move would change, and the move itself, against figures worked out from nothing."""

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
    discard_move,
    energy,
    evaluate_move,
    figure,
    stage_move,
    sum_distances,
    sum_loads,
)
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import Contention, HopBytes, Mix, Throughput, TotalHops
from core.optimise.problem import Problem
from tests.core.optimise.cases import DIRECT, INDIRECT, TORUS, cases, loaded, remapped, true_figure, two_phases

EXACT = (Throughput(), HopBytes(), TotalHops(), Contention())


class Walker:
    """Makes random moves as a search does, without choosing among them."""

    def __init__(self, case, objective, together="task", doublings=4):
        self.case, self.problem = case, Problem.of(evaluate(case), objective)
        self.moves = MoveConstraints(together).moves(case.network, case.mapping)
        self.place, self.sums = self.problem.place(case.mapping.slots), self.problem.sums(case.mapping.slots)
        self.touched = self.problem.touched(2 * self.moves.slots.shape[1])
        self.goal = self.problem.goal(0.0, doublings)
        self.anew(self.place, self.sums)

    def anew(self, place, sums):
        p = self.problem
        sum_loads(self.case.network.links, self.goal, p.layers, sums)
        if p.distances.other.size:
            sum_distances(place, p.routes, p.distances, sums)

    def step(self, a, b, take=True):
        """Exchange two units, or only look at it."""
        p, links = self.problem, self.case.network.links
        tasks = stage_move(a, b, self.case.network.slots_per_node, self.moves, self.place)
        count = evaluate_move(
            tasks, links, self.goal, self.place, p.layers, p.routes, p.distances, self.sums, self.touched
        )
        if take:
            commit_move(a, b, tasks, count, links, self.moves, self.place, p.layers, self.sums, self.touched)
        discard_move(tasks, count, self.place, self.touched)

    def walk(self, rng, steps):
        for _ in range(steps):
            a, b = rng.integers(0, len(self.moves.group), 2)
            self.step(int(a), int(b), take=rng.random() < 0.8)

    @property
    def energy(self):
        return energy(self.goal, self.problem.layers, self.sums.power, self.sums.distance)

    @property
    def figure(self):
        return self.problem.value(figure(self.goal, self.problem.layers, self.sums))

    def assert_true(self):
        """All that is kept is what it would be if it were made anew."""
        place, spn = self.place, self.case.network.slots_per_node
        mapping = Mapping(place.slot, spn)
        np.testing.assert_array_equal(place.node, mapping.nodes)
        np.testing.assert_array_equal(place.occupant, occupants(mapping, self.case.network.slots))
        assert not (self.touched.where >= 0).any()
        fresh = self.problem.sums(place.slot)
        exact = self.problem.units.exact
        rounding = 0 if exact else 1e-12 * fresh.load.max(initial=0)
        np.testing.assert_allclose(self.sums.load, fresh.load, rtol=0, atol=rounding)
        self.anew(place, fresh)
        np.testing.assert_allclose(self.sums.power, fresh.power, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(self.sums.distance, fresh.distance, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(self.sums.hottest, fresh.hottest, rtol=1e-12)
        if exact:
            np.testing.assert_array_equal(self.sums.hot, fresh.hot)
        return remapped(self.case, place.slot.copy())


@settings(max_examples=30)
@given(st.data(), cases().filter(loaded), st.sampled_from(EXACT), st.integers(0, 99))
def test_figures_after_many_moves_are_those_of_a_full_evaluation(data, case, objective, seed):
    together = data.draw(st.sampled_from(["task", "node"]))
    walker = Walker(case, objective, together)
    walker.walk(np.random.default_rng(seed), 60)
    after = walker.assert_true()
    expected = true_figure(after, objective)
    assert walker.figure == pytest.approx(expected, rel=1e-12 if objective == Throughput() else 1e-6, abs=1e-9)


@pytest.mark.parametrize("together", ["drawer", "supernode"])
@pytest.mark.parametrize("objective", EXACT, ids=lambda objective: objective.tag())
def test_blocks_move_as_exactly_as_tasks(together, objective):
    walker = Walker(DIRECT.build(), objective, together)
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
def test_a_look_changes_nothing_and_tells_what_the_move_would(case, objective, seed):
    walker, rng = Walker(case, objective), np.random.default_rng(seed)
    walker.walk(rng, 5)
    a, b = (int(unit) for unit in rng.integers(0, len(walker.moves.group), 2))
    before = [array.copy() for array in (walker.sums.load, walker.sums.power, walker.sums.distance, walker.place.slot)]
    walker.step(a, b, take=False)
    now = (walker.sums.load, walker.sums.power, walker.sums.distance, walker.place.slot)
    for old, new in zip(before, now, strict=True):
        np.testing.assert_array_equal(old, new)
    foretold = [walker.sums.new_power.copy(), walker.sums.new_distance.copy()]
    walker.step(a, b)
    np.testing.assert_array_equal(walker.sums.power, foretold[0])
    np.testing.assert_array_equal(walker.sums.distance, foretold[1])


@pytest.mark.parametrize("scenario", [TORUS, DIRECT, INDIRECT], ids=["torus", "direct", "indirect"])
def test_the_energy_is_the_logarithm_of_the_p_norm(scenario):
    case = scenario.build()
    walker = Walker(case, Throughput(), doublings=3)
    walker.walk(np.random.default_rng(4), 30)
    report = evaluate(walker.assert_true())
    times = report.load / case.gbs / walker.problem.start_time
    assert walker.energy == pytest.approx(np.log((times**8).sum() ** (1 / 8)), rel=1e-9, abs=1e-12)


def test_the_energy_towards_a_limit_is_what_passes_it_squared():
    case = TORUS.build()
    walker = Walker(case, Throughput())
    walker.goal = walker.problem.goal(0.6, 4)
    walker.anew(walker.place, walker.sums)
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
def test_exchanging_twice_moves_nothing(seed):
    walker, rng = Walker(DIRECT.build(), Throughput()), np.random.default_rng(seed)
    load, slot = walker.sums.load.copy(), walker.place.slot.copy()
    a, b = (int(unit) for unit in rng.integers(0, len(walker.moves.group), 2))
    assume(a != b)
    walker.step(a, b)
    walker.step(a, b)
    np.testing.assert_array_equal(walker.sums.load, load)
    np.testing.assert_array_equal(walker.place.slot, slot)
