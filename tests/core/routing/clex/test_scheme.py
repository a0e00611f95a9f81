"""CLEX's own routing: its algorithm followed choice by choice, closed forms, and the flood."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll, Permutation
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.edit import Edit
from core.network import Clex, Torus
from core.routing import ClexRouting
from core.routing.clex import scheme as module
from core.routing.clex.term_arrays import entries
from core.routing.flows import NodeFlows
from core.routing.route_tables import all_hops, row_of
from core.routing.router import Router
from core.spec import SpecError
from tests.core.strategies import node_flows, one_of_these
from tests.oracle.clex import Machine

SIZES = [(3, 1), (5, 1), (2, 2), (3, 2), (4, 2), (2, 3), (3, 3), (2, 4), (2, 5)]
SHARES = (0.0, 0.25, 0.37, 1.0)
machine_of = cache(Machine)


@cache
def built(k, t, fat=False):
    return Clex(k, t, fat_links=fat).build()


@st.composite
def routed_clex(draw, ordered=True, most=32):
    """A CLEX network, a router on it, and the oracle of both."""
    k, t = draw(one_of_these(tuple(size for size in SIZES if size[0] ** size[1] <= most)))
    fat = draw(st.booleans())
    share = draw(one_of_these(SHARES)) if k > 2 else 0.0
    if ordered and draw(st.booleans()):
        return built(k, t), ClexRouting("ordered"), machine_of(k, t)
    return built(k, t, fat), ClexRouting(relayed=share), machine_of(k, t, fat, share)


def number(machine, node):
    return sum(v * machine.k**place for place, v in enumerate(node))


def by_ends(network, loads):
    """Non-zero loads of links, by the oracle's names."""
    loads_by_ends = {}
    for link in np.flatnonzero(loads):
        level = int(network.classes[network.class_of[link]].name.removeprefix("level "))
        loads_by_ends[level, int(network.src[link]), int(network.dst[link])] = float(loads[link])
    return loads_by_ends


def of_oracle(machine, flows):
    loads = machine.loads(flows)
    return {(level, number(machine, a), number(machine, b)): float(x) for (level, a, b), x in loads.items()}


@given(st.data(), routed_clex(ordered=False))
def test_loads_match_all_choices(data, case):
    network, routing, machine = case
    flows = data.draw(node_flows(network, most=4))
    in_words = [(machine.nodes[u], machine.nodes[v], Fraction(x)) for u, v, x in zip(*flows, strict=True) if u != v]
    ours = by_ends(network, routing.router(network).loads([flows]))
    assert ours == pytest.approx(of_oracle(machine, in_words))


@given(st.data(), routed_clex())
def test_loads_routes_crossings_hops_and_traces_agree(data, case):
    network, routing, _ = case
    router = routing.router(network)
    flows = data.draw(node_flows(network, most=4))
    by_role = np.zeros((len(router.roles), network.links))
    for u, v, volume in zip(*flows, strict=True):
        route = router.route(int(u), int(v))
        assert (route.shares > 0).all()
        np.add.at(by_role, (route.roles, route.links), route.shares * volume)
        assert router.hops(np.array([u]), np.array([v]))[0] == pytest.approx(route.shares.sum(), abs=1e-12)
    np.testing.assert_allclose(router.loads([flows]), by_role.sum(axis=0), rtol=1e-12, atol=1e-12)
    for link in {0, network.links - 1, *np.flatnonzero(by_role.sum(axis=0))[:: max(network.links // 20, 1)].tolist()}:
        np.testing.assert_allclose(router.crossing(link, flows.src, flows.dst) @ flows.volume, by_role[:, link])
    volume = np.rint(flows.volume * 1000).astype(np.int64) * router.parts
    traced, slow = (np.zeros(network.links) for _ in range(2))
    np.add.at(traced, *router.trace(flows.src, flows.dst, volume))
    np.add.at(slow, *Router.trace(router, flows.src, flows.dst, volume))
    np.testing.assert_array_equal(traced, slow)
    gone = router.trace(flows.src, flows.dst, -volume)
    np.add.at(traced, *gone)
    assert not traced.any()


@given(st.data(), routed_clex())
def test_many_flows_are_traced_together_as_one_by_one(data, case):
    network, routing, _ = case
    router = routing.router(network)
    parts = router.parts
    count = 2 * network.links // router.updates(1) + 2
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    src, dst = random.integers(0, network.nodes, (2, count)).astype(np.int32)
    volume = random.integers(-(10**9), 10**9, count) * parts
    together, apart = np.zeros(network.links, np.int64), np.zeros(network.links, np.int64)
    np.add.at(together, *router.trace(src, dst, volume))
    for flow in range(count):
        np.add.at(apart, *router.trace(src[flow : flow + 1], dst[flow : flow + 1], volume[flow : flow + 1]))
    np.testing.assert_array_equal(together, apart)
    assert router.trace(src, dst, volume).links.size <= router.updates(count)


@given(st.data(), routed_clex())
def test_a_route_is_a_flow_from_source_to_destination(data, case):
    network, routing, _ = case
    u, v = (data.draw(st.integers(0, network.nodes - 1)) for _ in range(2))
    route, balance = routing.router(network).route(u, v), np.zeros(network.nodes)
    np.add.at(balance, network.src[route.links], route.shares)
    np.subtract.at(balance, network.dst[route.links], route.shares)
    expected = np.zeros(network.nodes)
    expected[u] += 1
    expected[v] -= 1
    np.testing.assert_allclose(balance, expected, atol=1e-12)


def all_pairs(network, volume):
    src, dst = (end.ravel().astype(np.int32) for end in np.indices((network.nodes, network.nodes)))
    return NodeFlows(src, dst, np.full(src.size, volume))


@pytest.mark.parametrize("fat", [False, True])
@pytest.mark.parametrize(("k", "t", "share"), [(5, 1, 0.5), (4, 2, 0.25), (3, 3, 0.4), (2, 4, 0.0)])
def test_uniform_traffic_loads_every_link_of_a_level_equally(k, t, share, fat):
    network, machine = Clex(k, t, fat_links=fat).build(), Machine(k, t, fat, Fraction(share))
    sent = 7.0
    flows = all_pairs(network, sent / network.nodes)
    loads = ClexRouting(relayed=share).router(network).loads([flows])
    # Traffic of nodes to themselves stays local here, and is routed like the rest in the formula.
    own = of_oracle(machine, [(node, node, Fraction(7, network.nodes)) for node in machine.nodes])
    for link, load in enumerate(loads.tolist()):
        level = int(network.class_of[link]) + 1
        key = level, int(network.src[link]), int(network.dst[link])
        wide = k if fat and level > 1 else 1
        closed = sent * 2 ** (t - level) / k * wide * (1 + share if level == 1 else 1)
        assert load + own.get(key, 0.0) == pytest.approx(closed)
        assert load <= closed * (1 + 1e-12)


def test_expected_loads_of_the_papers_machine_in_small():
    # Tables I to IV: hops 8, 4, 2, 1 per message on levels 1 to 4 except for hops within a place; here 16^3, 14
    # messages.
    network = Clex(16, 3).build()
    case = Scenario(network.spec, AllToAll(4096), Sequential(), ClexRouting(relayed=0.3)).build()
    figures = {c.name: c for c in evaluate(case).classes}
    for name, crossings in (("level 3", 1), ("level 2", 2), ("level 1", 4 * 1.3)):
        assert figures[name].max_load == pytest.approx(crossings / 16, rel=1e-3)
        assert figures[name].mean_load == pytest.approx(crossings / 16, rel=1e-3)


@pytest.mark.parametrize(("k", "t"), [(4, 1), (3, 2), (4, 2), (3, 3), (2, 4)])
def test_a_flood_along_ordered_paths_sends_k_to_the_l_minus_1_messages_over_each_link(k, t):
    network = Clex(k, t).build()
    router = ClexRouting("ordered").router(network)
    flows = all_pairs(network, 1.0)
    start, links, _ = entries(flows.src, flows.dst, router.lists)
    source = np.repeat(flows.src, np.diff(start)).astype(np.int64)
    # A message crosses a link once, whoever follows: a set of (source, link), own messages with the rest.
    messages = np.bincount(np.unique(source * network.links + links) % network.links, minlength=network.links)
    for number_, links_of in enumerate(network.classes):
        assert set(messages[links_of.links].tolist()) == {k**number_}
    # The links of a message form a tree: every node but the source has it from one other, not by a loop.
    enters = np.unique(np.stack([source, links], axis=1), axis=0)
    loops = network.src[enters[:, 1]] == network.dst[enters[:, 1]]
    reached = {(int(s), int(network.dst[link])) for s, link in enters[~loops]} | {(n, n) for n in range(network.nodes)}
    assert len(reached) == network.nodes**2


@given(st.data(), st.sampled_from([(4, 1), (3, 2), (3, 3), (2, 5)]))
def test_ordered_paths_use_one_link_of_each_level_upwards(data, size):
    network = Clex(*size).build()
    router = ClexRouting("ordered").router(network)
    u, v = (data.draw(st.integers(0, network.nodes - 1)) for _ in range(2))
    route = router.route(u, v)
    if u == v:
        return
    path = np.sort(route.links)
    levels = network.class_of[path].tolist()
    assert levels in (list(range(size[1])), list(range(1, size[1])))
    ends = [u, *network.dst[path].tolist()]
    assert network.src[path].tolist() == ends[:-1]
    assert ends[-1] == v
    assert (route.shares == 1).all()


@pytest.mark.parametrize(("k", "t"), [(3, 2), (3, 3)])
def test_ordered_paths_share_uniform_traffic_evenly(k, t):
    network = Clex(k, t).build()
    loads = ClexRouting("ordered").router(network).loads([all_pairs(network, 1.0)])
    top = network.classes[-1].links
    # S/k, S = n, without the traffic of nodes to themselves.
    assert loads.max() == network.nodes / k
    assert loads[top].min() == network.nodes / k - 1


@given(routed_clex(most=27))
def test_legs_are_routes(case):
    network, routing, _ = case
    router = routing.router(network)
    route_tables = router.route_tables()
    assert route_tables.denominator == router.parts
    for u in range(0, network.nodes, 3):
        for v in range(network.nodes):
            route, ours, route_loads = router.route(u, v), np.zeros(network.links), np.zeros(network.links)
            np.add.at(route_loads, route.links, route.shares)
            for batch in range(route_tables.when.size):
                row = row_of(route_tables, batch, u, v)
                part = slice(route_tables.start[row], route_tables.start[row + 1])
                np.add.at(ours, route_tables.links[part], route_tables.shares[part] / route_tables.denominator)
            if u != v:
                np.testing.assert_allclose(ours, route_loads, atol=1e-12)
    src, dst, _ = all_pairs(network, 1.0)
    np.testing.assert_allclose(all_hops(route_tables, src, dst), router.hops(src, dst), rtol=1e-12)


def test_too_large_legs_are_not_made(monkeypatch):
    network = Clex(4, 2).build()
    monkeypatch.setattr(module, "MAX_ENTRIES", 8)
    assert ClexRouting().router(network).route_tables() is None
    assert ClexRouting("ordered").router(network).route_tables() is None


@given(routed_clex(most=27))
def test_every_unit_crosses_what_the_bounds_assume(case):
    network, routing, _ = case
    router = routing.router(network)
    ((partition,),) = router.partitions()
    for u in range(network.nodes):
        for v in range(network.nodes):
            if u == v:
                continue
            route = router.route(u, v)
            crossed = np.bincount(network.class_of[route.links], route.shares, len(network.classes))
            for c, hops in zip(network.classes, crossed, strict=True):
                assert hops >= partition.least[c.name] - 1e-12


@pytest.mark.parametrize("routing", [ClexRouting(), ClexRouting(relayed=0.5), ClexRouting("ordered")])
def test_live_loads_are_updated(routing):
    case = Scenario(Clex(4, 2), Permutation(16, 1), Random(2), routing).build()
    live = LiveLoads(evaluate(case))
    slots = case.mapping.slots[[0, 5]]
    live.apply(Edit(np.array([0, 5], np.int32), slots, slots[::-1].copy()))
    np.testing.assert_allclose(live.report().load, evaluate(live.report().case).load, atol=1e-9)


@pytest.mark.parametrize(
    ("spec", "routing", "field", "words"),
    [
        (Torus(dims=(4, 4)), ClexRouting(), "routing.type", "clex networks only, not torus"),
        (Clex(2, 3), ClexRouting(relayed=0.5), "routing.relayed", "must be 0 for cliques of two nodes"),
        (Clex(3, 3, fat_links=True), ClexRouting("ordered"), "routing.scheme", "choose recursive"),
        (Clex(3, 3), ClexRouting("ordered", 0.5), "routing.relayed", "must be 0 for ordered"),
    ],
)
def test_refusals_name_the_field(spec, routing, field, words):
    network = spec.build()
    for ask in (routing.check, routing.router):
        with pytest.raises(SpecError) as refusal:
            ask(network)
        assert refusal.value.field == field
        assert words in refusal.value.message


def test_all_to_all_on_four_thousand_nodes_needs_no_route_by_route():
    network = Clex(64, 2).build()
    router = ClexRouting().router(network)
    assert router.updates(1) < 200
    case = Scenario(network.spec, Permutation(4096, 3), Sequential(), ClexRouting()).build()
    report = evaluate(case)
    mean = float(report.load[network.classes[1].links].mean())
    assert mean == pytest.approx(1 / 64, rel=1e-3)
