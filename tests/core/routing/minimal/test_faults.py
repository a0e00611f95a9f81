"""Routing on any network around failed links: the oracle on the remaining wiring."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Halo
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Circulant, LinkFault, NodeFault
from core.routing import Minimal, Valiant, with_faults, without_faults
from core.routing.faulty import DISCONNECTED, INTACT, REROUTED
from core.routing.minimal.faults import FaultyMinimalRouter, FaultyValiantRouter
from tests.core.load.test_live import assert_evaluated, random_edit
from tests.core.routing.graphs import ROUTINGS, Drawn, by_role, routed_graphs, wiring
from tests.core.strategies import node_flows


@st.composite
def broken(draw, **limits):
    """A network with failed links, its router around them, the oracle on the remaining links, and some flows.

    No link may have failed in a disconnected network.
    """
    network, router, oracle = draw(routed_graphs(split=True, **limits))
    failed = np.zeros(network.links, bool)
    failed[draw(st.lists(st.integers(0, network.links - 1), min_size=int(network.connected), max_size=6))] = True
    if draw(st.booleans()):
        node = draw(st.integers(0, network.vertices - 1))
        failed |= (network.src == node) | (network.dst == node)
    left = wiring(network, oracle.model, np.flatnonzero(failed).tolist())
    return network, with_faults(router, failed), left, draw(node_flows(network, most=5))


def pairs_of(flows):
    return list(zip(flows.src.tolist(), flows.dst.tolist(), strict=True))


@settings(max_examples=150)
@given(broken())
def test_flows_take_the_remaining_paths(case):
    network, router, oracle, flows = case
    each = np.array([by_role(network, router, oracle, u, v) for u, v in pairs_of(flows)])
    expected = np.tensordot(flows.volume, each, 1).sum(axis=0)
    np.testing.assert_allclose(router.loads([flows]), expected, rtol=1e-12, atol=1e-12)
    crossing = [router.crossing(link, flows.src, flows.dst) for link in range(network.links)]
    np.testing.assert_allclose(crossing, each.T, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(router.hops(flows.src, flows.dst), each.sum(axis=(1, 2)), rtol=1e-12)
    volume = np.rint(flows.volume * (1 << 20)).astype(np.int64) * (router.parts or 1)
    traced = np.zeros(network.links)
    trace = router.trace(flows.src, flows.dst, volume)
    np.add.at(traced, trace.links, trace.volume)
    np.testing.assert_allclose(traced, np.tensordot(volume, each, 1).sum(axis=0), rtol=1e-12, atol=flows.src.size)
    for i, (u, v) in enumerate(pairs_of(flows)):
        route, by_route = router.route(u, v), np.zeros_like(each[i])
        np.add.at(by_route, (route.roles, route.links), route.shares)
        np.testing.assert_allclose(by_route, each[i], rtol=1e-12, atol=1e-12)


@settings(max_examples=150)
@given(broken())
def test_flows_are_intact_rerouted_or_disconnected(case):
    network, router, oracle, flows = case
    intact, links = wiring(network, oracle.model), np.flatnonzero(router.failed).tolist()
    expected = []
    for u, v in pairs_of(flows):
        left, before = oracle.paths(u, v), intact.paths(u, v)
        lost = any(link in links for _, hops in before for _, link in hops)
        expected.append(DISCONNECTED if u != v and not left else REROUTED if lost else INTACT)
    np.testing.assert_array_equal(router.state(flows.src, flows.dst), expected)
    np.testing.assert_array_equal(router.disconnected(flows.src, flows.dst), np.array(expected) == DISCONNECTED)
    hops, loads = router.rerouted_hops(flows.src, flows.dst), np.zeros(network.links)
    np.add.at(loads, hops.link, hops.share * flows.volume[hops.flow])
    np.testing.assert_allclose(loads, router.loads([flows]), rtol=1e-12, atol=1e-12)


FAULTS = (LinkFault(src=0, dst=1), LinkFault(src=5, dst=7), NodeFault(node=11))


@pytest.mark.parametrize("routing", ROUTINGS.values(), ids=ROUTINGS.keys())
def test_live_loads_around_faults_match_a_full_evaluation(routing):
    spec = Circulant(nodes=20, jumps=(1, 2, 5), slots_per_node=2)
    case = Scenario(spec, Halo(5, 7), Random(3), routing, faults=FAULTS).build()
    rng, live, done = np.random.default_rng(5), LiveLoads(evaluate(case)), []
    start = live.report().load
    for _ in range(60):
        done.append(random_edit(rng, live, case))
        live.apply(done[-1])
    report, full = assert_evaluated(live)
    assert full.disconnected.count == report.disconnected.count > 0
    for edit in reversed(done):
        live.apply(edit.inverse())
    np.testing.assert_array_equal(live.report().load, start)


def test_exact_loads_stay_exact_with_faults():
    network = Circulant(nodes=20, jumps=(1, 2, 5)).build()
    failed = np.arange(network.links) == 3
    for spread in ("single", "equal"):
        router = with_faults(Minimal(spread=spread).router(network), failed)
        assert isinstance(router, FaultyMinimalRouter)
        assert router.splits_exactly
        assert router.parts == router.left.parts
        np.testing.assert_array_equal(router.nearest(), without_faults(router).nearest())
        assert router.route_tables() is None
        assert router.updates(10) >= 10
    valiant = with_faults(Valiant().router(network), failed)
    assert isinstance(valiant, FaultyValiantRouter)
    assert not valiant.splits_exactly


def test_a_remaining_one_way_link_is_used():
    # Of two nodes linked in both directions only one direction is left: Valiant's needs both.
    network = Drawn(nodes=3, pairs=((0, 1), (1, 2))).build()
    failed = (network.src == 2) & (network.dst == 1)
    src, dst = np.array([0, 2], np.int32), np.array([2, 0], np.int32)
    np.testing.assert_array_equal(with_faults(Minimal().router(network), failed).disconnected(src, dst), [False, True])
    np.testing.assert_array_equal(with_faults(Valiant().router(network), failed).disconnected(src, dst), [True, True])
