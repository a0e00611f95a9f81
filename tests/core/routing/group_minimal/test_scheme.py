"""Group-minimal routing: against the oracle on random dragonflies and Dragonfly+, and figures of known machines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import AllToAll
from core.load.bounds.lower_bounds import bounds, class_bound
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import AnyNetwork, Dragonfly, DragonflyPlus, Torus
from core.routing import GroupMinimal, Minimal, with_faults
from core.routing.faulty import DISCONNECTED, INTACT, REROUTED
from core.routing.route_tables import row_of
from core.spec import SpecError, members
from tests.core.routing.groups import by_role, groups_of, routed_groups
from tests.core.strategies import built, node_flows

SMALL = Dragonfly(routers=4, global_links=2, groups=9, nodes_per_router=2)
"""One link joins every two groups."""


def all_to_all(spec, routing):
    return evaluate(Scenario(spec, AllToAll(spec.nodes), Sequential(), routing).build())


def pairs_of(flows):
    return list(zip(flows.src.tolist(), flows.dst.tolist(), strict=True))


def assert_follows(network, router, oracle, flows):
    """Assert that loads, crossings, hops, squares, traces and routes equal the oracle's."""
    each = np.array([by_role(network, router, oracle, u, v) for u, v in pairs_of(flows)])
    expected = np.tensordot(flows.volume, each, 1).sum(axis=0)
    np.testing.assert_allclose(router.loads([flows]), expected, rtol=1e-12, atol=1e-12)
    crossing = [router.crossing(link, flows.src, flows.dst) for link in range(network.links)]
    np.testing.assert_allclose(crossing, each.T, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(router.hops(flows.src, flows.dst), each.sum(axis=(1, 2)), rtol=1e-12)
    squares = (each.sum(axis=1) ** 2).sum(axis=1)
    np.testing.assert_allclose(router.squares(flows.src, flows.dst), squares, rtol=1e-12)
    volume = np.rint(flows.volume * (1 << 20)).astype(np.int64) * (router.parts or 1)
    traced = np.zeros(network.links)
    np.add.at(traced, *router.trace(flows.src, flows.dst, volume))
    slack = 0 if router.splits_exactly else flows.src.size * len(router.roles)
    np.testing.assert_allclose(traced, np.tensordot(volume, each, 1).sum(axis=0), rtol=1e-12, atol=slack)
    for i, (u, v) in enumerate(pairs_of(flows)):
        route, by_route = router.route(u, v), np.zeros_like(each[i])
        np.add.at(by_route, (route.roles, route.links), route.shares)
        np.testing.assert_allclose(by_route, each[i], rtol=1e-12, atol=1e-12)


@settings(max_examples=60)
@given(st.data(), routed_groups())
def test_flows_cross_one_global_link(data, case):
    network, router, oracle = case
    assert_follows(network, router, oracle, data.draw(node_flows(network, most=5)))


@st.composite
def broken(draw):
    """Joined groups with failed cables and vertices, their router, the oracle on the remaining links, and flows."""
    network, router, oracle = draw(routed_groups())
    failed = np.zeros(network.links, bool)
    cables = draw(st.lists(st.integers(0, network.links // 2 - 1), min_size=1, max_size=8))
    failed[[2 * cable + side for cable in cables for side in (0, 1)]] = True
    if draw(st.booleans()):
        vertex = draw(st.integers(0, network.vertices - 1))
        failed |= (network.src == vertex) | (network.dst == vertex)
    if draw(st.booleans()):
        group = network.group_of
        failed |= (group[network.src] != group[network.dst]) & (group[network.src] + group[network.dst] == 1)
    left = groups_of(network, oracle.spread, np.flatnonzero(failed).tolist())
    return network, with_faults(router, failed), left, draw(node_flows(network, most=5))


@settings(max_examples=60)
@given(broken())
def test_flows_take_the_remaining_direct_links_or_the_shortest_paths(case):
    network, router, oracle, flows = case
    assert_follows(network, router, oracle, flows)
    intact, failed = groups_of(network, oracle.spread), set(np.flatnonzero(router.failed).tolist())
    expected = []
    for u, v in pairs_of(flows):
        lost = any(link in failed for _, hops in intact.paths(u, v) for _, link in hops)
        cut = u != v and not oracle.paths(u, v)
        expected.append(DISCONNECTED if cut else REROUTED if lost else INTACT)
    np.testing.assert_array_equal(router.state(flows.src, flows.dst), expected)
    np.testing.assert_array_equal(router.disconnected(flows.src, flows.dst), np.array(expected) == DISCONNECTED)


def test_all_to_all_loads_every_pair_of_groups_with_its_traffic():
    report = all_to_all(SMALL, GroupMinimal())
    load = report.load[report.case.network.link_class("global").links]
    assert load.sum() == pytest.approx(64)
    np.testing.assert_allclose(load, 8 / 9)
    # Many of the paths with the fewest hops take two global links, through a third group.
    by_hops = all_to_all(SMALL, Minimal(spread="equal"))
    assert by_hops.load[report.case.network.link_class("global").links].sum() == pytest.approx(80.25)


@pytest.mark.parametrize(
    ("spec", "each"),
    [
        (Dragonfly(routers=4, global_links=3, groups=4, nodes_per_router=2, links_per_pair=4), 8 * 8 / 32 / 4),
        (DragonflyPlus(leaves=3, spines=3, global_links=2, groups=4, nodes_per_leaf=2), 6 * 6 / 24 / 2),
        # Frontier has 512 endpoints per group and 4 links per pair of groups: here half of the groups and of the
        # routers.
        (Dragonfly(routers=16, global_links=10, groups=37, nodes_per_router=2, links_per_pair=4), 32 * 32 / 1184 / 4),
    ],
)
def test_several_links_of_a_pair_carry_the_same(spec, each):
    report = all_to_all(spec, GroupMinimal())
    np.testing.assert_allclose(report.load[report.case.network.link_class("global").links], each)
    bound = class_bound(bounds(report.case), "global")
    assert bound.time == pytest.approx(each / spec.global_gbs), "no mapping is faster"


def test_all_to_all_on_frontier_reaches_14_45_gbs():
    # The load of a global link is in closed form: 512 tasks to 512 of 37,888, over 4 links.
    spec = Dragonfly(**Dragonfly.presets["Frontier"])
    groups, links = spec.groups, spec.links_per_pair
    size = spec.routers * spec.nodes_per_router
    assert spec.global_gbs / (size * size / (size * groups) / links) == pytest.approx(14.45, abs=0.005)
    # A variant with 3 of its groups: the same wiring between two, with the traffic of two among three.
    cousin = Dragonfly(**{**Dragonfly.presets["Frontier"], "groups": 3, "nodes_per_router": 2})
    load = all_to_all(cousin, GroupMinimal()).load
    np.testing.assert_allclose(load[cousin.build().link_class("global").links], 64 * 64 / 192 / 4)


def test_a_unit_between_groups_crosses_one_global_link():
    network = built(SMALL)
    node = np.arange(network.nodes, dtype=np.int32)
    crossed = np.zeros(node.size)
    for link in range(*network.link_class("global").links.indices(network.links)):
        crossed += GroupMinimal().router(network).crossing(link, np.zeros_like(node), node).sum(axis=0)
    np.testing.assert_allclose(crossed, network.group_of[node] != 0)


@pytest.mark.parametrize("family", members(AnyNetwork), ids=lambda family: family.tag())
def test_other_families_are_refused(family):
    assert family.groups_joined == (family in (Dragonfly, DragonflyPlus))
    with pytest.raises(SpecError, match="direct link between every two groups"):
        GroupMinimal().check(Torus(dims=(4, 4)).build())


def test_the_nearest_link_is_taken_and_the_first_of_a_tie():
    spec = Dragonfly(routers=4, global_links=1, groups=2, links_per_pair=4)
    network = spec.build()
    router = GroupMinimal(spread="single").router(network)
    for u in range(4):
        route = router.route(u, 5)
        assert network.src[route.links[0]] == u
        assert network.dst[route.links[0]] >= 4, "every router has a link of its own"


@given(st.data(), routed_groups())
def test_tables_for_searches_have_the_routes(data, case):
    network, router, _ = case
    tables, node = router.route_tables(), st.integers(0, network.nodes - 1)
    for u, v in data.draw(st.lists(st.tuples(node, node), min_size=1, max_size=6)):
        if u != v:
            from_tables, route = np.zeros(network.links), router.route(u, v)
            for k in range(tables.when.size):
                row = row_of(tables, k, u, v)
                if row >= 0:
                    entries = slice(tables.start[row], tables.start[row + 1])
                    shares = tables.shares if tables.shares.size else tables.fluid
                    np.add.at(from_tables, tables.links[entries], shares[entries] / tables.denominator)
            expected = np.bincount(route.links, route.shares, network.links)
            np.testing.assert_allclose(from_tables, expected, rtol=1e-12, atol=1e-15)
    assert tables.denominator == (router.parts or 1)
