"""Every router against the oracle, its own slow route, its crossing, and properties of any routing."""

from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.routing import Adaptive, DimensionOrder, node_pairs
from core.routing.flows import NodeFlows
from core.routing.lattice import dimension_order
from tests.core.compare import assert_same_loads, from_core, from_lattice, from_percs
from tests.core.routing.graphs import routed_graphs
from tests.core.routing.groups import routed_groups
from tests.core.strategies import lattice_specs, node_flows, routed, routed_lattices, routed_percs
from tests.oracle.loads import lattice_loads, percs_loads

every = routed | routed_graphs() | routed_groups()
"""Every scheme that routes flow by flow."""


def in_words(flows, node):
    """The flows in the oracle's form."""
    return [(node(u), node(v), x) for u, v, x in zip(*(array.tolist() for array in flows), strict=True)]


@given(st.data(), routed_percs(most=9))
def test_percs_loads_match_all_paths(data, case):
    network, router, machine = case
    flows = data.draw(node_flows(network))
    expected = percs_loads(machine, in_words(flows, machine.node))
    assert_same_loads(from_core(network, router.loads([flows])), from_percs(machine, expected))


@given(st.data(), routed_lattices())
def test_lattice_loads_match_all_shortest_paths(data, case):
    network, router, lattice = case
    flows = data.draw(node_flows(network))
    expected = from_lattice(lattice, lattice_loads(lattice, in_words(flows, lattice.node)))
    assert_same_loads(from_core(network, router.loads([flows])), expected)


@given(st.data(), routed_percs())
def test_percs_routes_have_the_roles_of_the_oracle(data, case):
    network, router, machine = case
    u, v = (data.draw(st.integers(0, network.nodes - 1)) for _ in range(2))
    route = router.route(u, v)
    ours = {}
    for link, share, role in zip(route.links, route.shares, route.roles, strict=True):
        key = router.roles[role], int(network.src[link]), int(network.dst[link])
        ours[key] = ours.get(key, 0.0) + share
    expected = {}
    for share, hops in machine.paths(machine.node(u), machine.node(v)):
        for role, (_, start, end) in hops:
            key = role, machine.number(start), machine.number(end)
            expected[key] = expected.get(key, 0.0) + share
    assert ours == pytest.approx(expected)


def summed_routes(network, router, flows):
    """Load of every link by role, shape (roles, links), from one route at a time."""
    loads = np.zeros((len(router.roles), network.links))
    for u, v, volume in zip(*flows, strict=True):
        route = router.route(int(u), int(v))
        np.add.at(loads, (route.roles, route.links), route.shares * volume)
    return loads


@given(st.data(), every)
def test_loads_are_the_sum_of_routes_and_of_crossings(data, case):
    network, router, _ = case
    flows = data.draw(node_flows(network))
    by_role = summed_routes(network, router, flows)
    np.testing.assert_allclose(router.loads([flows]), by_role.sum(axis=0), rtol=1e-12, atol=1e-12)
    used = np.flatnonzero(by_role.sum(axis=0))
    chosen = data.draw(st.lists(st.sampled_from([*used.tolist(), 0, network.links - 1]), min_size=1, max_size=12))
    for link in chosen:
        crossing = router.crossing(link, flows.src, flows.dst)
        assert crossing.shape == (len(router.roles), flows.src.size)
        np.testing.assert_allclose(crossing @ flows.volume, by_role[:, link], rtol=1e-12, atol=1e-12)


@given(st.data(), every, st.sampled_from([0, 1 << 20]))
def test_squares_match_the_shares_of_routes(data, case, tables_from):
    network, router, _ = case
    flows = data.draw(node_flows(network, most=5))
    with patch("core.routing.router.TABLES_FROM", tables_from):
        squares_of_flows = router.squares(flows.src, flows.dst)
    for u, v, squares in zip(flows.src, flows.dst, squares_of_flows, strict=True):
        shares = summed_routes(network, router, NodeFlows(np.array([u]), np.array([v]), np.ones(1))).sum(axis=0)
        assert squares == pytest.approx(float((shares**2).sum()) if u != v else 0.0)


@given(st.data(), every)
def test_crossing_of_one_flow_is_its_route(data, case):
    network, router, _ = case
    flows = data.draw(node_flows(network, most=3))
    for u, v in zip(flows.src, flows.dst, strict=True):
        flow = NodeFlows(np.array([u]), np.array([v]), np.ones(1))
        expected = summed_routes(network, router, flow)
        for link in np.flatnonzero(expected.sum(axis=0))[:20]:
            np.testing.assert_allclose(router.crossing(int(link), flow.src, flow.dst)[:, 0], expected[:, link])


@given(st.data(), every)
def test_loads_are_linear_and_independent_of_blocks(data, case):
    network, router, _ = case
    first, second = (data.draw(node_flows(network)) for _ in range(2))
    scaled = NodeFlows(first.src, first.dst, 3 * first.volume)
    together = router.loads([scaled, second])
    np.testing.assert_allclose(together, 3 * router.loads([first]) + router.loads([second]), rtol=1e-12, atol=1e-12)
    one_block = NodeFlows(*(np.concatenate(pair) for pair in zip(scaled, second, strict=True)))
    np.testing.assert_allclose(router.loads([one_block]), together, rtol=1e-12, atol=1e-12)


@given(st.data(), every)
def test_empty_traffic_loads_nothing(data, case):
    network, router, _ = case
    node = data.draw(st.integers(0, network.nodes - 1))
    to_itself = NodeFlows(np.array([node]), np.array([node]), np.ones(1))
    assert not router.loads([]).any()
    assert not router.loads([to_itself]).any()
    assert router.route(node, node).links.size == 0
    assert not router.crossing(0, to_itself.src, to_itself.dst).any()


@given(st.data(), every)
def test_a_route_is_a_flow_from_source_to_destination(data, case):
    network, router, oracle = case
    u, v = (data.draw(st.integers(0, network.nodes - 1)) for _ in range(2))
    assume(getattr(oracle, "count_middle", True))  # without the middle hop data jumps from gate to gate
    route = router.route(u, v)
    balance = np.zeros(network.vertices)
    np.add.at(balance, network.src[route.links], route.shares)
    np.subtract.at(balance, network.dst[route.links], route.shares)
    expected = np.zeros(network.vertices)
    expected[u] += 1
    expected[v] -= 1
    np.testing.assert_allclose(balance, expected, atol=1e-12)
    assert (route.shares > 0).all()
    assert (route.shares <= 1 + 1e-12).all()


@given(st.data(), routed_lattices())
def test_lattice_routes_are_shortest(data, case):
    network, router, _ = case
    graph = nx.DiGraph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    u = data.draw(st.integers(0, network.nodes - 1))
    distance = nx.single_source_shortest_path_length(graph, u)
    for v in range(network.nodes):
        assert router.route(u, v).shares.sum() == pytest.approx(distance[v])


@given(st.data(), every)
def test_volume_times_hops_is_conserved(data, case):
    network, router, _ = case
    flows = data.draw(node_flows(network))
    hops = [router.route(int(u), int(v)).shares.sum() for u, v in zip(flows.src, flows.dst, strict=True)]
    assert router.loads([flows]).sum() == pytest.approx((flows.volume * hops).sum(), rel=1e-12)


@settings(max_examples=20)
@given(st.data(), lattice_specs(most_nodes=24))
def test_large_networks_are_routed_the_same_way(data, spec):
    # Beyond a size both lattice routers keep pairs in lists, or follow flows one by one: force equal loads.
    network = spec.build()
    flows = data.draw(node_flows(network))
    with pytest.MonkeyPatch.context() as patch:
        routers = [DimensionOrder().router(network), Adaptive().router(network)]
        plain = [router.loads([flows, flows]) for router in routers]
        patch.setattr(dimension_order, "TABLE_LIMIT", 0)
        patch.setattr(node_pairs, "DENSE_NODES", 0)
        sparse = [router.loads([flows, flows]) for router in routers]
    for dense_answer, sparse_answer in zip(plain, sparse, strict=True):
        np.testing.assert_allclose(dense_answer, sparse_answer, rtol=1e-12, atol=1e-12)
