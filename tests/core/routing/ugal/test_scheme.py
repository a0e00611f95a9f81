"""UGAL's steady state: near the optimum of a linear programme over its paths, within its bound, and linear flows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import AllToAll, Permutation
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Circulant, Dragonfly, Torus
from core.network.faults import LinkFault, NodeFault
from core.routing import Minimal, Ugal, Valiant
from core.routing.flows import NodeFlows
from core.routing.ugal import minimal_paths, scheme
from core.spec import Cancelled, SpecError
from tests.core.routing.graphs import drawn_specs
from tests.core.strategies import node_flows
from tests.oracle.least_time import over_one_intermediate

TIGHT = Ugal(tolerance=0.5, rounds=2000)
FEW = Ugal(rounds=3)
BALANCED = Dragonfly(routers=4, global_links=2, groups=9, nodes_per_router=2)


def optimum(network, flows):
    """The minimum time of the slowest link, by a linear programme with a share for every flow and path."""
    links = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    listed = list(zip(*(array.tolist() for array in flows), strict=True))
    return over_one_intermediate(links, network.gbs.tolist(), network.nodes, network.vertices, listed)


def planned(network, flows, routing=TIGHT):
    return routing.router(network).planned([flows], network.gbs)


def time_of(network, load):
    return float((load / network.gbs).max(initial=0.0))


def shift(network, by):
    node = np.arange(network.nodes, dtype=np.int32)
    return NodeFlows(node, np.roll(node, -by), np.ones(node.size))


@settings(max_examples=20)
@given(st.data(), drawn_specs(most=7))
def test_within_the_tolerance_of_a_linear_program(data, spec):
    network = spec.build()
    flows = data.draw(node_flows(network, most=8))
    plan = planned(network, flows)
    time = time_of(network, plan.loads([flows]))
    best = optimum(network, flows)
    assert plan.flow.time == pytest.approx(time, rel=1e-6)
    assert plan.flow.bound <= best * (1 + 1e-6)
    assert best <= time * (1 + 1e-6)
    assert plan.flow.gap <= 0.005 or plan.flow.rounds == TIGHT.rounds
    assert time <= best * 1.03


@pytest.mark.parametrize("by", [2, 8])
def test_dragonflies_under_shifts(by):
    network = BALANCED.build()
    flows = shift(network, by)
    plan = planned(network, flows, Ugal(tolerance=1.0, rounds=1000))
    best = optimum(network, flows)
    assert plan.flow.bound <= best * (1 + 1e-9)
    assert best * (1 - 1e-9) <= plan.flow.time <= best * 1.01


@given(st.data(), drawn_specs())
def test_never_worse_than_minimal(data, spec):
    network = spec.build()
    flows = data.draw(node_flows(network))
    plan = planned(network, flows, Ugal(rounds=data.draw(st.integers(1, 6))))
    time = time_of(network, plan.loads([flows]))
    assert time <= time_of(network, Minimal(spread="equal").router(network).loads([flows])) * (1 + 1e-9)
    assert plan.flow.bound <= time * (1 + 1e-9)


@given(st.data(), drawn_specs())
def test_every_pair_is_a_flow_and_loads_are_their_sum(data, spec):
    network = spec.build()
    flows = data.draw(node_flows(network))
    plan = planned(network, flows, FEW)
    by_role = np.zeros((len(plan.roles), network.links))
    for u, v, volume in zip(*flows, strict=True):
        route = plan.route(int(u), int(v))
        np.add.at(by_role, (route.roles, route.links), route.shares * volume)
        balance = np.bincount(network.src[route.links], route.shares, network.vertices)
        balance -= np.bincount(network.dst[route.links], route.shares, network.vertices)
        expected = np.zeros(network.vertices)
        expected[u] += 1
        expected[v] -= 1
        np.testing.assert_allclose(balance, expected, atol=1e-9)
        length = plan.hops(np.array([u]), np.array([v]))[0]
        assert length == pytest.approx(route.shares.sum())
    load = plan.loads([flows])
    np.testing.assert_allclose(load, by_role.sum(axis=0), rtol=1e-9, atol=1e-9 * load.max(initial=1e-9))
    for link in [*np.flatnonzero(load)[:8].tolist(), 0]:
        crossing = plan.crossing(int(link), flows.src, flows.dst)
        np.testing.assert_allclose(crossing @ flows.volume, by_role[:, link], rtol=1e-9, atol=1e-9)


def test_a_shift_by_a_group_needs_intermediates_and_all_to_all_few():
    network = BALANCED.build()
    worst = shift(network, 8)
    plan = planned(network, worst, Ugal())
    loads = [routing.router(network).loads([worst]) for routing in (Minimal(spread="equal"), Valiant())]
    minimal, valiant = (time_of(network, load) for load in loads)
    assert plan.flow.time < 0.5 * minimal
    assert plan.flow.time < valiant
    by_role = sum(plan.crossing(link, worst.src, worst.dst).sum(axis=1) for link in range(network.links))
    assert (by_role > 0).all()
    near = shift(network, 1)
    alone = planned(network, near.some(near.src % 2 == 0), Ugal())
    np.testing.assert_allclose(alone.loads([near.some(near.src % 2 == 0)]).max(), 1)
    assert alone.hops(near.src[::2], near.dst[::2]).tolist() == [2.0] * near.src[::2].size


def test_traffic_stays_on_minimal_paths_without_gain():
    network = Torus(dims=(4,)).build()
    flows = NodeFlows(np.arange(4, dtype=np.int32), np.array([1, 2, 3, 0], np.int32), np.ones(4))
    plan = planned(network, flows, Ugal())
    assert plan.flow.time == 1 / network.gbs[0]
    assert plan.route(0, 1).roles.tolist() == [plan.roles.index("minimal")]
    assert "over minimal and Valiant paths" in plan.note.words


def test_slow_links_carry_less_and_failed_links_nothing():
    network, job = Torus(dims=(6,)), Permutation(tasks=6, targets=(3, 1, 2, 0, 4, 5))
    slow = evaluate(Scenario(network, job, Sequential(), TIGHT, faults=(LinkFault(1, 2, speed=0.25),)).build())
    unslowed = evaluate(Scenario(network, job, Sequential(), TIGHT).build())
    link = int(np.flatnonzero((slow.case.network.src == 1) & (slow.case.network.dst == 2))[0])
    assert slow.load[link] < 0.5 * unslowed.load[link]
    faults = (LinkFault(0, 1), NodeFault(5))
    ring, job = Circulant(nodes=16, jumps=(1, 4)), AllToAll(tasks=16)
    report = evaluate(Scenario(ring, job, Sequential(), Ugal(), faults=faults).build())
    assert not report.load[report.case.faults.failed].any()
    assert report.disconnected.count == 30
    assert report.disconnected.stranded == 1
    told = explain(report, int(report.hottest(1)[0]))
    assert told.tasks.total == pytest.approx(told.load)


def test_unplanned_pairs_have_no_path():
    network = BALANCED.build()
    plan = planned(network, shift(network, 8), FEW)
    assert plan.route(0, 30).links.size == 0
    assert not plan.loads([NodeFlows(np.array([0], np.int32), np.array([30], np.int32), np.ones(1))]).any()


def test_progress_and_cancel():
    network, heard = Circulant(nodes=64).build(), []
    flows = NodeFlows(*(np.arange(64, dtype=np.int32), np.arange(64, dtype=np.int32)[::-1].copy()), np.ones(64))
    router = Ugal(tolerance=1e-6, rounds=5).router(network)
    router.planned([flows], network.gbs, heard.append)
    assert heard == sorted(heard)
    assert heard[0] == 0
    assert 0.75 < heard[-1] <= 1

    def stop(fraction):
        if fraction > 0.4:
            raise Cancelled

    with pytest.raises(Cancelled):
        router.planned([flows], network.gbs, stop)


def test_too_large_networks_are_refused(monkeypatch):
    network = Torus(dims=(4, 4)).build()
    flows = NodeFlows(np.array([0], np.int32), np.array([1], np.int32), np.ones(1))
    with monkeypatch.context() as limits:
        limits.setattr(scheme, "MAX_CANDIDATES", 10)
        with pytest.raises(SpecError, match="ugal is too slow for 1 pair with 16 intermediates each; choose"):
            planned(network, flows)
    monkeypatch.setattr(minimal_paths, "MAX_ENTRIES", 10)
    with pytest.raises(SpecError, match="ugal needs too large a table of minimal paths for 16 switches or nodes"):
        planned(network, flows)
