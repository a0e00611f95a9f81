"""Every method: never worse than its start, within its bounds, deterministic for a seed."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.mapping import check_injection
from core.network import Percs, Torus
from core.optimise.initial_mappings import declared_starts
from core.optimise.method import Portfolio, TwoOpt
from core.optimise.move_constraints import MoveConstraints, groups_of
from core.optimise.objective import Contention, HopBytes, Mix, Throughput, TotalHops
from core.optimise.search import RestartSearch, Search, counting, temperature
from core.routing import DimensionOrder, PercsDirect
from core.spec import SpecError
from tests.core.optimise.cases import (
    DIRECT,
    INDIRECT,
    METHODS,
    OBJECTIVES,
    TORUS,
    cases,
    freedoms,
    levels,
    loaded,
    methods,
    objectives,
    problem_of,
    remapped,
    searching,
    true_figure,
    two_phases,
)

SCENARIOS = {"torus": TORUS, "direct": DIRECT, "indirect": INDIRECT}
each_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.tag())
each_scenario = pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=SCENARIOS)


@pytest.fixture(autouse=True, scope="module")
def short_rounds():
    """Make few steps cover all kinds of rounds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("core.optimise.method.MIN_STEPS", 100)
        yield


def advance_to(search, steps, portion):
    """Advance in portions until `steps` steps are taken."""
    while search.steps < steps:
        search.advance(min(portion, steps - search.steps))


@settings(max_examples=20)
@given(st.data(), methods, st.integers(0, 2**31 - 1))
def test_a_job_stays_on_its_nodes(data, method, seed):
    nodes = data.draw(st.lists(st.integers(0, 15), min_size=13, max_size=15, unique=True))
    scenario = replace(TORUS, allocation=",".join(map(str, nodes)))
    search = searching(scenario, data.draw(objectives), method, MoveConstraints(), seed)
    start = search.best
    search.advance(600)
    assert search.best <= start
    assert np.isin(search.slots // 2, nodes).all()
    assert np.unique(search.slots).size == search.slots.size


def test_searches_on_some_nodes_try_strategies_but_no_shears():
    some = searching(replace(TORUS, allocation="0-12"), Throughput(), Portfolio())
    on_all_nodes = searching(TORUS, Throughput(), Portfolio())
    assert some.restarts is None
    assert on_all_nodes.restarts is not None
    assert declared_starts(replace(TORUS, allocation="0-12").build(), MoveConstraints())


@settings(max_examples=40)
@given(st.data(), cases().filter(loaded), objectives, methods, st.integers(0, 2**31 - 1))
def test_results_are_never_worse_than_the_start_and_keep_the_constraints(data, case, objective, method, seed):
    constraints = data.draw(freedoms(case))
    try:
        constraints.check(case.network, case.mapping)
    except SpecError:
        # A unit larger than its bounds, or nothing free: tested with the messages of `MoveConstraints`.
        return
    search = searching(case, objective, method, constraints, seed)
    start = search.best
    search.advance(600)
    after = remapped(case, search.slots)
    assert search.best <= start
    if not isinstance(objective, Mix):
        expected = true_figure(after, objective)
        assert search.best == pytest.approx(expected, rel=1e-12 if objective == Throughput() else 1e-6, abs=1e-9)
        assert start == pytest.approx(true_figure(case, objective), rel=1e-6, abs=1e-9)
    check_injection(search.slots, case.network.slots)
    assert_allowed(case, search.slots, constraints)


def assert_allowed(case, slots, constraints):
    """Assert that pinned tasks have stayed and all others are where they may be."""
    before, network = case.mapping.slots, case.network
    np.testing.assert_array_equal(slots[constraints.pinned], before[constraints.pinned])
    group = groups_of(network, constraints.within, "within")
    np.testing.assert_array_equal(group[slots], group[before])
    unit = groups_of(network, constraints.unit, "unit")
    # Together before, together after, in the same order, and no other task has joined them.
    pairs = set(zip(unit[before].tolist(), unit[slots].tolist(), strict=True))
    assert len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs})
    size = network.slots // (int(unit.max()) + 1)
    place = np.argsort(np.argsort(unit, kind="stable")) % size
    np.testing.assert_array_equal(place[slots], place[before])
    if not constraints.empty:
        assert set(slots.tolist()) == set(before.tolist())


@each_method
@each_scenario
def test_throughput_rises_from_a_random_start(method, scenario):
    search = searching(scenario, Throughput(), method)
    start = search.best
    search.advance(4000)
    assert search.best < start


@each_method
@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda objective: objective.tag())
def test_every_objective_falls(method, objective):
    search = searching(TORUS, objective, method)
    start = search.best
    search.advance(3000)
    assert search.best < start


@each_method
@each_scenario
@pytest.mark.parametrize("objective", [Throughput(), TotalHops()], ids=lambda objective: objective.tag())
def test_the_same_seed_takes_the_same_steps_in_any_portions(method, scenario, objective):
    unsplit, parts = (searching(scenario, objective, method, seed=5) for _ in range(2))
    target = unsplit.steps + 1500
    advance_to(unsplit, target, 1500)
    advance_to(parts, target, 37)
    np.testing.assert_array_equal(unsplit.slots, parts.slots)
    assert (unsplit.best, unsplit.current, unsplit.steps) == (parts.best, parts.current, parts.steps)


@each_method
def test_another_seed_takes_other_steps(method):
    search, reseeded = (searching(TORUS, Throughput(), method, seed=seed) for seed in (5, 6))
    search.advance(90)
    reseeded.advance(90)
    assert search.current != reseeded.current or (search.slots != reseeded.slots).any()


def test_restarts_do_not_depend_on_portions(monkeypatch):
    begun, begin = [], RestartSearch.begin
    monkeypatch.setattr(RestartSearch, "begin", lambda self, *where: (begun.append(self), begin(self, *where)))
    unsplit, parts = (searching(TORUS, Throughput(), Portfolio(), seed=5) for _ in range(2))
    target = unsplit.steps + 20_000
    advance_to(unsplit, target, 20_000)
    assert begun
    advance_to(parts, target, 13)
    np.testing.assert_array_equal(unsplit.slots, parts.slots)
    assert (unsplit.best, unsplit.current, unsplit.steps) == (parts.best, parts.current, parts.steps)


@each_method
def test_workers_of_different_rank_draw_differently(method):
    problem = problem_of(DIRECT, Throughput())
    slots = []
    for rank in range(2):
        search = Search(problem, method, MoveConstraints(), 0, rank, None)
        search.advance(2000)
        slots.append(search.slots)
    assert (slots[0] != slots[1]).any()


@each_method
def test_a_search_continues_from_a_checkpoint(method):
    first = searching(DIRECT, Throughput(), method)
    first.advance(2000)
    problem = problem_of(DIRECT, Throughput())
    for checkpoint in (first.checkpoint, first.checkpoint):
        again = Search(problem, method, MoveConstraints(), 0, 0, checkpoint)
        assert again.best <= first.best
        assert again.steps >= first.steps
        again.advance(4000)
        assert again.best <= first.best


def test_two_searches_from_one_checkpoint_are_the_same():
    first = searching(DIRECT, Throughput(), Portfolio())
    first.advance(1500)
    problem = problem_of(DIRECT, Throughput())
    search, again = (Search(problem, Portfolio(), MoveConstraints(), 9, 0, first.checkpoint) for _ in range(2))
    target = search.steps + 1500
    advance_to(search, target, 1500)
    advance_to(again, target, 100)
    np.testing.assert_array_equal(search.slots, again.slots)


@each_method
def test_an_adopted_mapping_starts_the_next_round(method):
    if method == TwoOpt():
        return
    search, donor = (searching(TORUS, TotalHops(), method, seed=seed) for seed in (1, 2))
    advance_to(donor, 20_000, 20_000)
    gift = donor.slots
    search.adopt(gift)
    advance_to(search, 20_000, 500)
    assert search.best <= donor.best


@pytest.mark.parametrize("objective", [HopBytes(), TotalHops(), Contention()], ids=lambda objective: objective.tag())
def test_two_opt_accepts_only_improvements_and_no_empty_slot(objective):
    search = searching(TORUS, objective, TwoOpt(), seed=3)
    before, used = search.current, set(TORUS.build().mapping.slots.tolist())
    for _ in range(600):
        slots = search.slots
        search.advance(1)
        moved = np.flatnonzero(search.slots != slots)
        assert search.current == search.best
        if moved.size:
            # Two tasks have swapped.
            assert moved.size == 2
            np.testing.assert_array_equal(search.slots[moved], slots[moved[::-1]])
            assert search.current < before
        assert search.current <= before
        before = search.current
    assert set(search.slots.tolist()) == used


def test_two_opt_evaluates_the_requested_number_of_pairs():
    search = searching(TORUS, TotalHops(), TwoOpt())
    assert search.steps == 0
    search.advance(1234)
    assert search.steps == 1234


@each_method
def test_the_current_figure_is_never_better_than_the_best(method):
    search = searching(DIRECT, Throughput(), method)
    for _ in range(40):
        search.advance(50)
        assert search.current >= search.best


def test_a_mapping_that_reaches_the_bound_is_proved_optimal():
    # Neighbours on neighbours: a quarter on every link, and some link must carry that.
    square = Scenario(Torus(dims=(3, 3)), Halo(rows=3, cols=3), Sequential(), DimensionOrder())
    search = searching(square, Throughput(), Portfolio())
    assert search.proven
    assert not searching(square, TotalHops(), Portfolio()).proven
    assert not searching(TORUS, Throughput(), Portfolio()).proven


def test_several_phases_are_searched():
    case = two_phases(DIRECT.build())
    search = searching(case, Throughput(), Portfolio())
    start = search.best
    search.advance(3000)
    assert search.best < start == pytest.approx(evaluate(case).time, rel=1e-12)
    assert search.best == pytest.approx(evaluate(remapped(case, search.slots)).time, rel=1e-12)


@pytest.mark.parametrize("slots_per_node", [1, 4])
def test_half_filled_machines_use_their_empty_slots(slots_per_node):
    network = Percs(supernodes=3, d_links=2, slots_per_node=slots_per_node)
    scenario = Scenario(network, Halo(rows=6, cols=8), Random(seed=4), PercsDirect())
    case = scenario.build()
    free, bound = (searching(case, Throughput(), Portfolio(), MoveConstraints(empty=empty)) for empty in (True, False))
    for search in (free, bound):
        search.advance(1500)
    start = set(case.mapping.slots.tolist())
    assert set(bound.slots.tolist()) == start
    assert set(free.slots.tolist()) != start


def test_the_cases_have_the_expected_levels():
    assert levels(DIRECT.build().network)[0] == "node"
    assert {"supernode", "drawer"} <= set(levels(DIRECT.build().network))


@given(st.lists(st.floats(1e-6, 1e6), min_size=1, max_size=40), st.floats(0.001, 0.9))
def test_the_temperature_accepts_the_given_fraction_of_worse_moves(worse, part):
    worsenings = np.array(worse)
    heat = temperature(worsenings, part)
    assert np.exp(-worsenings / heat).mean() == pytest.approx(part, rel=1e-3)


def test_a_hotter_start_has_a_higher_temperature():
    worse = np.array([0.5, 1.0, 3.0])
    heats = [temperature(worse, part) for part in (0.01, 0.1, 0.5)]
    assert heats == sorted(heats)
    assert heats[0] < heats[-1]


def test_almost_equal_volumes_do_not_freeze_a_start():
    # Swaps of flows with volumes 19,271 and 19,272 worsen it by next to nothing: the others set the temperature.
    worse = np.array([0.01, 0.02, 0.04])
    trifles = np.full(300, 1e-7)
    np.testing.assert_array_equal(counting(np.concatenate([worse, trifles, -worse, np.zeros(9)])), worse)


def test_moves_that_are_never_accepted_do_not_raise_the_threshold():
    # A flow 10^15 as large as the others leaves its node: this move raises the logarithm of the time by 35, other
    # moves by 0.01.
    worse = np.concatenate([np.full(300, 0.01), np.full(5, 35.0)])
    np.testing.assert_array_equal(counting(worse), worse)
    assert temperature(counting(worse), 0.3) < 0.01
    np.testing.assert_array_equal(counting(100 * worse, weights=100.0), 100 * worse)


@given(st.lists(st.floats(-1e6, 1e6), max_size=40))
def test_only_negligible_worsenings_do_not_count(changes):
    all_changes = np.array(changes)
    kept = counting(all_changes)
    assert (kept > 0).all()
    assert np.isin(all_changes[all_changes > 1e-3], kept).all()
    assert np.isin(all_changes[all_changes == all_changes.max(initial=1e-9)], kept).all()
