"""Congestion-aware routing: near the optimum of a linear programme, never beyond its bound, a flow for every pair."""

import msgspec
import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import AllToAll, Permutation
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Circulant, Rail, Torus
from core.network.faults import LinkFault, NodeFault
from core.routing import CongestionAware, Minimal
from core.routing.congestion import scheme
from core.routing.flows import NodeFlows
from core.spec import Cancelled, SpecError
from tests.core.network.formats.fabrics import Cable, Device, dump
from tests.core.network.formats.files import written
from tests.core.routing.graphs import Drawn, drawn_specs
from tests.core.strategies import node_flows
from tests.oracle.least_time import over_any_paths

TIGHT = CongestionAware(tolerance=0.5, rounds=500)


def optimum(network, flows):
    """The minimum time of the slowest link, by a linear programme with a flow on links for every destination."""
    links = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    listed = list(zip(*(array.tolist() for array in flows), strict=True))
    return over_any_paths(links, network.gbs.tolist(), network.vertices, listed, network.closed)


@st.composite
def networks(draw):
    """Small networks of any shape; hosts on switches may or may not forward."""
    spec = draw(drawn_specs())
    return msgspec.structs.replace(spec, closed=spec.switches > 0 and draw(st.booleans())).build()


def planned(network, flows, scheme=TIGHT):
    return scheme.router(network).planned([flows], network.gbs)


def time_of(network, load):
    return float((load / network.gbs).max(initial=0.0))


@settings(max_examples=20)
@given(st.data(), networks())
def test_within_the_tolerance_of_a_linear_program(data, network):
    flows = data.draw(node_flows(network, most=12))
    plan = planned(network, flows)
    time = time_of(network, plan.loads([flows]))
    if not (flows.src != flows.dst).any():
        assert time == 0
        return
    best = optimum(network, flows)
    flow = plan.flow
    assert flow.time == pytest.approx(time, rel=1e-6)
    assert flow.bound <= best * (1 + 1e-6)
    assert best <= time * (1 + 1e-6)
    assert flow.gap <= 0.005 or flow.rounds == TIGHT.rounds
    assert time <= best * 1.03
    assert flow.bound >= best * 0.95


@given(st.data(), networks())
def test_never_worse_than_equal_shares_and_bounded(data, network):
    flows = data.draw(node_flows(network))
    plan = planned(network, flows, CongestionAware(rounds=data.draw(st.integers(1, 6))))
    time = time_of(network, plan.loads([flows]))
    assert time <= time_of(network, Minimal(spread="equal").router(network).loads([flows])) * (1 + 1e-9)
    assert plan.flow.bound <= time * (1 + 1e-9)


@given(st.data(), networks())
def test_every_pair_is_a_flow_and_loads_are_their_sum(data, network):
    flows = data.draw(node_flows(network))
    plan = planned(network, flows, CongestionAware(rounds=8))
    by_role = np.zeros((len(plan.roles), network.links))
    for u, v, volume in zip(*flows, strict=True):
        route = plan.route(int(u), int(v))
        np.add.at(by_role, (route.roles, route.links), route.shares * volume)
        assert np.unique(route.links).size == route.links.size
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


@given(st.data(), networks())
def test_roles_distinguish_nearer_hops_from_detours(data, network):
    flows = data.draw(node_flows(network, most=4))
    plan = planned(network, flows, CongestionAware(rounds=4))
    graph = nx.MultiDiGraph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    for u, v in zip(flows.src.tolist(), flows.dst.tolist(), strict=True):
        away = nx.single_source_shortest_path_length(graph.reverse(), v)
        route = plan.route(u, v)
        for link, role in zip(route.links, route.roles, strict=True):
            nearer = away[int(network.dst[link])] < away[int(network.src[link])]
            assert plan.roles[role] == ("nearer to the destination" if nearer else "on a detour")


def test_two_paths_of_different_speed_share_by_their_bandwidth():
    # From 0 to 1: a link of 10 GB/s, and one of 4 GB/s in parallel.
    network = Drawn(2, pairs=((0, 1),), arcs=((0, 1),)).build()
    flows = NodeFlows(np.array([0], np.int32), np.array([1], np.int32), np.array([7.0]))
    plan = planned(network, flows)
    assert plan.flow.time == pytest.approx(0.5, rel=0.005)
    assert plan.flow.bound == pytest.approx(0.5, rel=0.005)
    assert sorted(plan.route(0, 1).shares) == pytest.approx([4 / 14, 10 / 14], rel=0.02)


FABRIC = [
    *(Device(0x1 + k, 8, f"s{1 + k}", switch=True) for k in range(2)),
    *(
        Device(0x40 + 16 * k, 1, name)
        for k, name in enumerate(("a mlx5_0", "a mlx5_1", "b mlx5_0", "b mlx5_1", "c mlx5_0", "d mlx5_0"))
    ),
]
"""Two switches; hosts a and b have an adapter on each of them, c is on the first and d on the second."""


def test_traffic_of_other_hosts_does_not_pass_through_a_host_with_two_adapters(tmp_path):
    s1, s2, a1, a2, b1, b2, c, d = FABRIC
    cables = [(s1, 1, a1), (s2, 1, a2), (s1, 2, b1), (s2, 2, b2), (s1, 3, c), (s2, 3, d), (s1, 8, s2)]
    network = written(
        tmp_path,
        "ib.txt",
        dump(FABRIC, [Cable(switch, port, *(end, 8 if end.switch else 1)) for switch, port, end in cables]),
    )
    assert network.host_names == ("a", "b", "c", "d")
    assert network.closed == 4
    # a to b and c to d: a flow over both adapters, and a flow over the cable between the switches only.
    flows = NodeFlows(*np.array([[0, 2], [1, 3]], np.int32), np.array([50.0, 20.0]))
    plan = planned(network, flows)
    np.testing.assert_allclose(network.gbs, 25.0)
    assert plan.flow.time == pytest.approx(1.0, rel=0.005)
    assert plan.flow.time == pytest.approx(optimum(network, flows), rel=0.005)
    assert {network.label(int(end)) for end in network.src[plan.route(2, 3).links]} == {"c", "s1", "s2"}


def test_gpus_that_relay_nothing_share_the_rails():
    network = Rail(units=1, servers=2, gpus=2, spines=1, nics=2, relays=False).build()
    flows = NodeFlows(*np.array([[0, 1], [3, 2]], np.int32), np.ones(2))
    plan = planned(network, flows)
    assert plan.flow.time == pytest.approx(optimum(network, flows), rel=0.01)
    route = plan.route(0, 3)
    assert not np.isin(network.dst[route.links], [1, 2]).any()


def test_a_slow_link_carries_less():
    network, job = Torus(dims=(6,)), Permutation(tasks=6, targets=(3, 1, 2, 0, 4, 5))
    slow = Scenario(network, job, Sequential(), TIGHT, faults=(LinkFault(1, 2, speed=0.25),))
    report = evaluate(slow.build())
    unslowed = evaluate(Scenario(network, job, Sequential(), TIGHT).build())
    link = int(np.flatnonzero((report.case.network.src == 1) & (report.case.network.dst == 2))[0])
    assert unslowed.load[link] == pytest.approx(0.5, abs=0.01)
    assert report.load[link] == pytest.approx(0.2, abs=0.01)
    assert report.time == pytest.approx(0.8 / 0.425, rel=0.01)


def test_failed_links_are_avoided_and_disconnected_flows_are_counted():
    network, job = Circulant(nodes=16, jumps=(1, 4)), AllToAll(tasks=16)
    faults = (LinkFault(0, 1), NodeFault(5))
    report = evaluate(Scenario(network, job, Sequential(), CongestionAware(), faults=faults).build())
    assert not report.load[report.case.faults.failed].any()
    assert report.disconnected.count == 30
    assert report.disconnected.stranded == 1
    hottest = int(report.hottest(1)[0])
    told = explain(report, hottest)
    assert told.tasks.total == pytest.approx(told.load)
    minimal = evaluate(Scenario(network, job, Sequential(), Minimal(spread="equal"), faults=faults).build())
    assert report.disconnected.count == minimal.disconnected.count
    assert report.time <= minimal.time * (1 + 1e-9)


def test_each_phase_has_its_own_plan():
    network = Circulant(nodes=16, jumps=(1, 4))
    scenario = Scenario(network, AllToAll(tasks=16), Sequential(), CongestionAware())
    report = evaluate(scenario.build())
    assert report.router(0).flow.time == pytest.approx(report.time)
    assert report.notes[0].figures["gap"] == pytest.approx(report.router(0).flow.gap)
    assert "optimum" in report.plan_words or "optimal" in report.plan_words


def test_progress_and_cancel():
    network, heard = Circulant(nodes=64).build(), []
    flows = NodeFlows(*(np.arange(64, dtype=np.int32), np.arange(64, dtype=np.int32)[::-1].copy()), np.ones(64))
    router = CongestionAware(tolerance=0.01, rounds=5).router(network)
    router.planned([flows], network.gbs, heard.append)
    assert heard == sorted(heard)
    assert heard[0] == 0
    assert 0.95 < heard[-1] <= 1

    def stop(fraction):
        if fraction > 0.4:
            raise Cancelled

    with pytest.raises(Cancelled):
        router.planned([flows], network.gbs, stop)


def test_too_large_networks_are_refused(monkeypatch):
    network = Torus(dims=(4, 4)).build()
    flows = NodeFlows(np.array([0], np.int32), np.array([1], np.int32), np.ones(1))
    monkeypatch.setattr(scheme, "MAX_LINK_VISITS", 10)
    with pytest.raises(SpecError, match="congestion-aware is too slow for 1 destination on 64 links"):
        planned(network, flows)
