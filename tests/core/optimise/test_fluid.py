"""Searches whose shares are not multiples of a unit: Valiant's routing, and equal shares of very many paths."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import AllToAll, Flows, Halo, Permutation
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Circulant, Dragonfly, FatTree, Shortcut
from core.optimise.method import Portfolio, TwoOpt
from core.optimise.objective import HopBytes, Throughput
from core.optimise.request import Request
from core.optimise.run import optimise
from core.routing import Minimal, Valiant
from core.routing.minimal import scheme
from tests.core.load.cases import case_of
from tests.core.optimise.cases import remapped, searching, two_phases
from tests.core.optimise.test_kernel import Walker
from tests.core.routing.graphs import routed_graphs

NETWORKS = {
    "direct": Circulant(nodes=12, jumps=(1, 5), slots_per_node=2),
    "fat tree": FatTree(arity=3, levels=2, slots_per_node=2),
    "dragonfly": Dragonfly(routers=3, global_links=1, groups=4, nodes_per_router=2, slots_per_node=2),
}
each_network = pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS)
UNEVEN = Flows(
    tasks=10, src=(0, 0, 1, 3, 7, 8, 2), dst=(1, 4, 2, 9, 3, 0, 5), volume=(1.5, 0.1, 7.0, 2.2, 0.3, 4.0, 1.0)
)


@given(routed_graphs(models=("valiant",)))
def test_a_row_for_the_source_and_one_for_the_target_are_the_route(case):
    network, router, _ = case
    routes = router.route_tables()
    for u in range(network.nodes):
        for v in range(network.nodes):
            ours, route, stepwise = np.zeros(network.links), router.route(u, v), np.zeros(network.links)
            for k in range(routes.when.size):
                row = routes.base[k] + routes.first[k, u] * routes.columns[k] + routes.second[k, v]
                some = slice(routes.start[row], routes.start[row + 1])
                np.add.at(ours, routes.links[some], routes.fluid[some])
            np.add.at(stepwise, route.links, route.shares)
            if u != v:
                np.testing.assert_allclose(ours, stepwise, rtol=1e-12, atol=1e-15)


@each_network
@pytest.mark.parametrize("job", [Halo(rows=3, cols=3), UNEVEN, AllToAll(7)], ids=lambda job: job.tag())
@pytest.mark.parametrize("unit", ["task", "node"])
def test_figures_after_many_moves_are_those_of_a_full_evaluation(network, job, unit):
    case = case_of(network, job, Valiant(), Random(2))
    for searched_case in (case, two_phases(case)):
        walker = Walker(searched_case, Throughput(), unit)
        assert not walker.problem.traced
        walker.walk(np.random.default_rng(3), 80)
        assert walker.figure == pytest.approx(evaluate(walker.assert_true()).time, rel=1e-9)


@each_network
def test_hop_bytes_are_those_of_the_routes(network):
    walker = Walker(case_of(network, UNEVEN, Valiant(), Random(2)), HopBytes())
    walker.walk(np.random.default_rng(3), 50)
    assert walker.figure == pytest.approx(evaluate(walker.assert_true()).load.sum(), rel=1e-6)


@each_network
def test_a_search_finds_better_mappings_and_its_figures_are_true(network):
    case = case_of(network, UNEVEN, Valiant(), Random(5))
    for method in (Portfolio(), TwoOpt(empty=True)):
        search = searching(case, Throughput(), method)
        start = search.best
        search.advance(1500)
        assert search.best < start == pytest.approx(evaluate(case).time, rel=1e-9)
        assert search.best == pytest.approx(evaluate(remapped(case, search.slots)).time, rel=1e-9)


def test_moves_that_leave_what_nodes_send_and_receive_touch_no_link():
    # All tasks send and receive the same: only tasks that swap with an empty slot matter.
    case = case_of(Circulant(nodes=20, jumps=(1, 2, 5)), Permutation(8, targets=(1, 2, 3, 4, 5, 6, 7, 0)), Valiant())
    walker = Walker(case, Throughput())
    for a, b, links in ((0, 5, False), (0, 12, True)):
        assert bool(walker.step(a, b, take=False)) == links


CYCLE = (*range(1, 24), 0)


@pytest.mark.parametrize("job", [AllToAll(24), Permutation(24, targets=CYCLE)], ids=lambda job: job.tag())
def test_a_search_ends_at_once_if_nothing_can_be_better(job):
    case = case_of(Shortcut(nodes=24, degree=5), job, Valiant(), Random(7))
    report = evaluate(case)
    best = bounds(case)[0]
    assert best.time == pytest.approx(report.time, rel=1e-12)
    assert "all mappings give the same loads" in best.reason
    result = optimise(report, Request(seconds=None, steps=10**9))
    assert result.steps <= 1
    assert result.best == report.time
    for seed in range(5):
        other = evaluate(remapped(case, np.random.default_rng(seed).permutation(24).astype(np.int32)))
        assert other.time == pytest.approx(report.time, rel=1e-12)


@pytest.mark.parametrize(
    ("network", "job", "routing"),
    [
        (Shortcut(nodes=25, degree=4), AllToAll(24), Valiant()),
        (Shortcut(nodes=24, degree=5, slots_per_node=2), Permutation(48), Valiant()),
        (Shortcut(nodes=10, degree=3), UNEVEN, Valiant()),
        (Shortcut(nodes=24, degree=5), AllToAll(24), Minimal()),
    ],
)
def test_no_bound_claims_equal_loads_if_mappings_differ(network, job, routing):
    case = case_of(network, job, routing, Random(7))
    assert all("all mappings give" not in bound.reason for bound in bounds(case))


@settings(max_examples=10)
@given(st.integers(0, 99))
def test_equal_shares_without_a_common_part_are_searched_by_table_too(seed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scheme, "MAX_PARTS", 1)
        case = Scenario(NETWORKS["direct"], UNEVEN, Random(seed), Minimal(spread="equal")).build()
        walker = Walker(case, Throughput())
        assert walker.problem.routes.fluid.size
        assert not walker.problem.traced
        walker.walk(np.random.default_rng(seed), 60)
        assert walker.figure == pytest.approx(evaluate(walker.assert_true()).time, rel=1e-9)


def test_loads_of_equal_sums_are_computed_once(monkeypatch):
    case = case_of(Shortcut(nodes=24, degree=5), AllToAll(24), Valiant(), Random(7))
    first = evaluate(case)
    monkeypatch.setattr("core.routing.minimal.valiant.carry_uniform", None)
    again = evaluate(replace(case, mapping=remapped(case, np.roll(case.mapping.slots, 5)).mapping))
    np.testing.assert_array_equal(again.load, first.load)
    again.load[:] = 0.0
    assert evaluate(case).load.any()
