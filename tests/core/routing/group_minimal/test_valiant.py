"""Valiant's routing and UGAL with group-minimal legs: against plain enumeration, and figures of a small dragonfly."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import AllToAll
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Dragonfly, LinkFault, Torus
from core.routing import GroupMinimal, Ugal, Valiant, with_faults
from core.routing.flows import NodeFlows
from core.spec import SpecError
from tests.core.routing.groups import groups_of, specs
from tests.core.strategies import built, node_flows

SMALL = Dragonfly(routers=4, global_links=2, groups=9, nodes_per_router=2)


def unit(network, oracle, u, v):
    """The shares of a unit on links by group-minimal paths."""
    load = np.zeros(network.links)
    for share, hops in oracle.paths(u, v):
        np.add.at(load, [link for _, link in hops], share)
    return load


def over_nodes(network, oracle, u, v):
    """The shares of a unit on links over every node, or its switches: shape (roles, links)."""
    loads, graph = np.zeros((2, network.links)), oracle.remaining.graph
    part = next(part for part in nx.strongly_connected_components(graph) if u in part)
    if u == v or v not in part:
        return loads
    drawn = [node for node in part if node < network.nodes]
    for node in drawn:
        turns = oracle.remaining._switches(node, part) or [node]
        for turn in turns:
            share = 1 / len(drawn) / len(turns)
            loads += share * np.stack([unit(network, oracle, u, turn), unit(network, oracle, turn, v)])
    return loads


def over_groups(network, oracle, u, v):
    """The shares of a unit on links over every group, entered over every link from the source's group."""
    loads = np.zeros((2, network.links))
    up, down = (np.flatnonzero(ends == node) for ends, node in ((network.src, u), (network.dst, v)))
    a, b = u, v
    if up.size == 1 and network.vertices > network.nodes:
        a, b = int(network.dst[up[0]]), int(network.src[down[0]])
        if u != v:
            loads[0, up], loads[1, down] = 1.0, 1.0
    if a == b or u == v:
        return loads
    groups = network.node_groups
    loads[1] += unit(network, oracle, a, b) / groups
    for group in set(range(groups)) - {oracle.group[a]}:
        into = [
            link for link in oracle.direct if (oracle.group[link[1]], oracle.group[link[2]]) == (oracle.group[a], group)
        ]
        for link, tail, head in into:
            share = 1 / groups / len(into)
            loads[0] += share * unit(network, oracle, a, tail)
            loads[0, link] += share
            loads[1] += share * unit(network, oracle, head, b)
    return loads


def assert_follows(network, router, flows, expected):
    """Assert that loads, routes, crossings, hops and traces are as expected."""
    each = np.array([expected(int(u), int(v)) for u, v in zip(flows.src, flows.dst, strict=True)])
    total = np.tensordot(flows.volume, each, 1).sum(axis=0)
    np.testing.assert_allclose(router.loads([flows]), total, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(router.hops(flows.src, flows.dst), each.sum(axis=(1, 2)), rtol=1e-10)
    for link in range(0, network.links, max(network.links // 12, 1)):
        np.testing.assert_allclose(router.crossing(link, flows.src, flows.dst), each[:, :, link].T, atol=1e-12)
    for (u, v), loads in zip(zip(flows.src, flows.dst, strict=True), each, strict=True):
        route, by_role = router.route(int(u), int(v)), np.zeros_like(loads)
        np.add.at(by_role, (route.roles, route.links), route.shares)
        np.testing.assert_allclose(by_role, loads, atol=1e-12)


@settings(max_examples=30)
@given(st.data(), specs, st.sampled_from(["node", "group"]))
def test_both_legs_take_at_most_one_global_link(data, spec, through):
    network = built(spec)
    router, oracle = Valiant(through=through).router(network), groups_of(network, "equal")
    expected = over_nodes if through == "node" else over_groups
    flows = data.draw(node_flows(network, most=4))
    assert_follows(network, router, flows, lambda u, v: expected(network, oracle, u, v))


@settings(max_examples=30)
@given(st.data(), specs)
def test_intermediates_are_the_remaining_ones_with_failed_links(data, spec):
    network = built(spec)
    failed = np.zeros(network.links, bool)
    for cable in data.draw(st.lists(st.integers(0, network.links // 2 - 1), min_size=1, max_size=5)):
        failed[[2 * cable, 2 * cable + 1]] = True
    router = with_faults(Valiant().router(network), failed)
    oracle = groups_of(network, "equal", np.flatnonzero(failed).tolist())
    flows = data.draw(node_flows(network, most=4))
    assert_follows(network, router, flows, lambda u, v: over_nodes(network, oracle, u, v))


def global_loads(routing, flows=None):
    network = built(SMALL)
    if flows is None:
        report = evaluate(Scenario(SMALL, AllToAll(72), Sequential(), routing).build())
        return report.load[network.link_class("global").links]
    return routing.router(network).loads([flows])[network.link_class("global").links]


def test_all_to_all_over_nodes_crosses_two_legs_of_eight_ninths():
    # Each leg leads to another group with probability 8/9, over all 72 global links alike.
    np.testing.assert_allclose(global_loads(Valiant()), 2 * 72 * (71 / 72) * (8 / 9) / 72)
    assert global_loads(Valiant(legs="shortest")).sum() > global_loads(Valiant()).sum() + 1


def test_a_shift_by_a_group_is_spread_over_all_groups():
    node = np.arange(72, dtype=np.int32)
    worst = NodeFlows(node, np.roll(node, -8), np.ones(72))
    assert global_loads(GroupMinimal(), worst).max() == pytest.approx(8)
    # A flow crosses 1 or 2 global links: 1 if its source or destination is in the drawn group.
    through = global_loads(Valiant(through="group"), worst)
    assert through.sum() == pytest.approx(72 * (2 * 1 + 7 * 2) / 9)
    assert through.max() < 2


def test_ugal_mixes_group_minimal_paths():
    # All-to-all: the minimal paths are best; 64 units on 72 global links.
    loads = global_loads(Ugal())
    assert loads.sum() == pytest.approx(64, rel=0.03)
    assert loads.max() == pytest.approx(8 / 9, rel=0.03)
    minimal = Ugal(rounds=1).router(built(SMALL)).route(0, 8)
    by_hops = GroupMinimal().router(built(SMALL)).route(0, 8)
    assert set(minimal.links[minimal.roles == 0]) == set(by_hops.links)


@pytest.mark.parametrize("routing", [Valiant, Ugal])
def test_unsupported_legs_are_refused(routing):
    network = Torus(dims=(4, 4)).build()
    with pytest.raises(SpecError, match="direct link between every two groups") as refusal:
        routing(legs="group-minimal").check(network)
    assert refusal.value.field == "routing.legs"
    routing().check(network)
    routing(legs="shortest").check(built(SMALL))


def test_a_group_without_a_direct_link_is_not_drawn():
    spec = Dragonfly(routers=2, global_links=1, groups=3, nodes_per_router=2)
    network = spec.build()
    link = network.link_class("global").links.start
    report = evaluate(
        Scenario(
            spec, AllToAll(12), Sequential(), Valiant(through="group"), faults=(LinkFault.of(network, link),)
        ).build()
    )
    assert report.disconnected.count == 0
    assert not report.load[report.case.faults.failed].any()
