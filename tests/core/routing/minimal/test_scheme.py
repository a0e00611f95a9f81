"""Routings for any network against the path-by-path oracle, and properties of any routing."""

from dataclasses import replace
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import AllToAll, Halo, Transpose
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.live import LiveLoads
from core.mapping import Random
from core.network import Circulant, Dragonfly, FatTree, HyperX, Mesh, Percs, Torus
from core.routing import Adaptive, Minimal, Valiant, node_pairs
from core.routing.flows import NodeFlows
from core.routing.minimal import demand, rows, scheme
from core.routing.minimal.kernel import most_within
from core.routing.route_tables import all_hops
from core.routing.router import Router
from core.spec import Cancelled, SpecError
from tests.core.load.cases import case_of
from tests.core.load.test_live import assert_evaluated, random_edit
from tests.core.routing.graphs import ROUTINGS, Drawn, by_role, drawn_specs, routed_graphs
from tests.core.routing.test_route_tables import by_tables
from tests.core.strategies import fitting, jobs, lattice_specs, node_flows

EVERY = pytest.mark.parametrize("routing", ROUTINGS.values(), ids=ROUTINGS.keys())


def all_pairs(network):
    return np.indices((network.nodes, network.nodes)).reshape(2, -1).astype(np.int32)


def routed(router, network, u, v):
    """The shares of a unit on links by its route, shape (roles, links)."""
    loads, route = np.zeros((len(router.roles), network.links)), router.route(u, v)
    np.add.at(loads, (route.roles, route.links), route.shares)
    return loads


@given(st.data(), routed_graphs())
def test_routes_match_the_paths_and_roles_of_the_oracle(data, case):
    network, router, oracle = case
    u, v = (data.draw(st.integers(0, network.nodes - 1)) for _ in range(2))
    np.testing.assert_allclose(routed(router, network, u, v), by_role(network, router, oracle, u, v), atol=1e-12)


@settings(max_examples=150)
@given(st.data(), routed_graphs())
def test_loads_crossings_and_traces_match_the_oracle(data, case):
    network, router, oracle = case
    flows = data.draw(node_flows(network, most=5))
    each = [by_role(network, router, oracle, u, v) for u, v in zip(flows.src.tolist(), flows.dst.tolist(), strict=True)]
    expected = np.tensordot(flows.volume, each, 1).sum(axis=0)
    np.testing.assert_allclose(router.loads([flows]), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(router.loads([flows, flows]), 2 * expected, rtol=1e-12, atol=1e-12)
    crossing = [router.crossing(link, flows.src, flows.dst) for link in range(network.links)]
    np.testing.assert_allclose(crossing, np.transpose(each), rtol=1e-12, atol=1e-12)
    volume = np.rint(flows.volume * (1 << 20)).astype(np.int64) * (router.parts or 1)
    traced, loads = router.trace(flows.src, flows.dst, volume), np.zeros(network.links)
    np.add.at(loads, traced.links, traced.volume)
    np.testing.assert_allclose(loads, np.tensordot(volume, each, 1).sum(axis=0), rtol=1e-12, atol=flows.src.size)


@given(st.data(), routed_graphs())
def test_traced_loads_cancel_in_any_company(data, case):
    network, router, _ = case
    flows, loads = data.draw(node_flows(network)), np.zeros(network.links, np.int64)
    volume = np.rint(flows.volume * 1000).astype(np.int64) * (router.parts or 1)
    for some, sign in ((np.arange(volume.size), 1), *((np.array([i]), -1) for i in range(volume.size))):
        traced = router.trace(flows.src[some], flows.dst[some], sign * volume[some])
        np.add.at(loads, traced.links, traced.volume)
    assert not loads.any()


@settings(max_examples=50)
@given(st.data(), routed_graphs())
def test_large_networks_are_routed_the_same_way(data, case):
    # Flows are listed, or carried if they are many; rows are kept for some destinations only.
    network, router, _ = case
    flows, link = data.draw(node_flows(network)), data.draw(st.integers(0, network.links - 1))
    integer_volumes = np.rint(flows.volume * 1000).astype(np.int64) * (router.parts or 1)

    def answers(router):
        traced, again = router.trace(flows.src, flows.dst, integer_volumes), np.zeros(network.links, np.int64)
        np.add.at(again, traced.links, traced.volume)
        pairs = flows.src, flows.dst
        return router.loads([flows, flows]), router.crossing(link, *pairs), router.hops(*pairs), again

    plain = answers(router)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_pairs, "DENSE_NODES", 0)
        patch.setattr(demand, "MAX_LISTED", data.draw(st.sampled_from((0, 1 << 20))))
        patch.setattr(rows, "MAX_KEPT", 0)
        patch.setattr(rows, "ENTRIES_AT_ONCE", data.draw(st.sampled_from((0, 3 * network.vertices))))
        large = network.spec.build()
        other = type(router)(large)
        two_answers = [answers(other), answers(other)]
    for ours in two_answers:
        for answer, expected in zip(ours, plain, strict=True):
            np.testing.assert_allclose(
                answer, expected, rtol=1e-12, atol=1e-12 if answer is not ours[-1] else flows.src.size
            )


@given(drawn_specs())
def test_hops_are_distances_and_nearest_is_their_lower_bound(spec):
    network = spec.build()
    graph = nx.DiGraph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    distances = dict(nx.all_pairs_shortest_path_length(graph))
    src, dst = all_pairs(network)
    expected = [distances[u][v] for u, v in zip(src.tolist(), dst.tolist(), strict=True)]
    least = np.sort(np.reshape(expected, (network.nodes, network.nodes)), axis=1)[:, 1:].min(axis=0)
    for spread in ("single", "equal"):
        router = Minimal(spread=spread).router(network)
        np.testing.assert_array_equal(router.hops(src, dst), expected)
        np.testing.assert_array_equal(router.nearest(), least)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rows, "MAX_KEPT", 0)
            np.testing.assert_array_equal(Minimal(spread=spread).router(network).hops(src, dst), expected)


def test_nearest_is_unknown_if_too_expensive(monkeypatch):
    monkeypatch.setattr(scheme, "MAX_VISITS", 79)  # one node, 64 links, 16 vertices: 80
    assert Minimal().router(Torus(dims=(4, 4)).build()).nearest() is None


@pytest.mark.parametrize(
    "spec",
    [
        FatTree(arity=2),
        HyperX(dims=(2, 3), nodes_per_switch=4),
        Dragonfly(routers=4, global_links=1, groups=4, nodes_per_router=3),
    ],
)
def test_nearest_is_computed_once_per_switch(monkeypatch, spec):
    counted = []

    def searched(begin, nodes, links, room):
        counted.append(begin.size)
        return most_within(begin, nodes, links, room)

    monkeypatch.setattr(scheme, "most_within", searched)
    network = replace(spec.build(), symmetry=None)
    router = Minimal().router(network)
    hops = router.hops(*all_pairs(network)).reshape(network.nodes, network.nodes)
    np.testing.assert_array_equal(router.nearest(), np.sort(hops, axis=1)[:, 1:].min(axis=0))
    assert counted == [np.unique(network.dst[network.src < network.nodes]).size]


@given(st.data(), routed_graphs(models=("valiant",)))
def test_valiant_hops_are_the_shares_of_the_route(data, case):
    network, router, _ = case
    src, dst = all_pairs(network)
    expected = [router.route(u, v).shares.sum() for u, v in zip(src.tolist(), dst.tolist(), strict=True)]
    np.testing.assert_allclose(router.hops(src, dst), expected, rtol=1e-12)


@given(st.data(), lattice_specs())
def test_equal_shares_on_tori_and_meshes_match_uniform_adaptive_routing(data, spec):
    network = spec.build()
    flows = data.draw(node_flows(network))
    ours, adaptive = (routing.router(network).loads([flows]) for routing in (Minimal(spread="equal"), Adaptive()))
    np.testing.assert_allclose(ours, adaptive, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "spec", [Mesh(dims=(9, 7)), Torus(dims=(6, 8)), Torus(dims=(4, 4, 4)), Torus(dims=(3, 4, 5, 2))]
)
def test_a_transpose_on_lattices_matches_uniform_adaptive_routing(spec):
    rows = 7 if spec.dims == (9, 7) else 8
    job = Transpose(rows, spec.build().nodes // rows)
    ours = evaluate(case_of(spec, job, Minimal(spread="equal"), Random(4)))
    adaptive = evaluate(case_of(spec, job, Adaptive(), Random(4)))
    np.testing.assert_allclose(ours.load, adaptive.load, rtol=1e-12, atol=1e-12)
    assert ours.throughput_gbs == pytest.approx(adaptive.throughput_gbs, rel=1e-12)


UNIT_CASES = [
    (Mesh(dims=(2, 3)), 5, "X", [(0, 1 / 3), (1, 1 / 3), (2, 1 / 3)]),
    (Torus(dims=(8, 4)), 16, "X", [(x, 1 / 2) for x in (0, 0, 4, 8, 12, 20, 24, 28)]),
    (Torus(dims=(8, 4)), 6, "X", [(0, 1 / 3), (1, 1 / 6), (2, 1 / 3), (3, 1 / 6)]),
]


@pytest.mark.parametrize(("spec", "target", "name", "expected"), UNIT_CASES)
def test_shares_of_all_shortest_paths_on_lattices_match_the_publication(spec, target, name, expected):
    network = spec.build()
    route = Minimal(spread="equal").router(network).route(0, target)
    along = network.link_class(name).links
    there = (along.start <= route.links) & (route.links < along.stop)
    shares = sorted(zip(network.src[route.links[there]].tolist(), route.shares[there].tolist(), strict=True))
    assert shares == [(node, pytest.approx(share)) for node, share in expected]


@pytest.mark.parametrize(("nodes", "mean"), [(64, 2.142857), (256, 2.788235), (1024, 3.447703)])
def test_distances_on_the_circulant_of_doubling_jumps_match_the_publication(nodes, mean):
    spec = Circulant(nodes=nodes, jumps=tuple(1 << k for k in range(nodes.bit_length() - 1)))
    network = spec.build()
    hops = Minimal().router(network).hops(*all_pairs(network))
    assert hops.sum() / (nodes * (nodes - 1)) == pytest.approx(mean, abs=5e-7)


def test_a_broadcast_on_a_ring_with_four_shortcuts_takes_the_published_hops():
    ring = tuple((i, (i + 1) % 32) for i in range(32))
    network = Drawn(nodes=32, pairs=(*ring, (5, 7), (0, 20), (7, 20), (2, 4))).build()
    pairs = np.array([(0, 4), (0, 2), (4, 6), (0, 1), (2, 3), (4, 5), (6, 7)], np.int32)
    router = Minimal().router(network)
    assert router.hops(pairs[:, 0].copy(), pairs[:, 1].copy()).sum() == 11
    swapped = np.array([{4: 7, 7: 4}.get(node, node) for node in range(32)], np.int32)[pairs]
    assert router.hops(swapped[:, 0].copy(), swapped[:, 1].copy()).sum() == 10


@given(routed_graphs(models=("single", "equal")))
def test_searches_use_tables_of_paths(case):
    network, router, _ = case
    route_tables = router.route_tables()
    assert route_tables.denominator == router.parts == router.denominator
    for u, v in all_pairs(network).T.tolist():
        if u != v:
            ours = by_tables(route_tables, u, v, network.links) / route_tables.denominator
            np.testing.assert_allclose(ours, routed(router, network, u, v).sum(axis=0), rtol=1e-12)
    src, dst = all_pairs(network)
    np.testing.assert_allclose(all_hops(route_tables, src, dst), router.hops(src, dst), rtol=1e-12)


def test_tables_are_limited_in_size(monkeypatch):
    routers = [routing.router(Torus(dims=(4, 4)).build()) for routing in (Minimal(), Minimal(spread="equal"))]
    for name, value in (("MAX_ENTRIES", 100), ("MAX_ROWS", 255)):
        assert all(router.route_tables() is not None for router in routers)
        monkeypatch.setattr(scheme, name, value)
        assert all(router.route_tables() is None for router in routers)
        monkeypatch.undo()
    monkeypatch.setattr(scheme, "PAIRS_AT_ONCE", 40)
    for router in routers:
        np.testing.assert_array_equal(router.route_tables().hops, router.hops(*all_pairs(router.network)))


@pytest.mark.parametrize(("name", "value"), [("MAX_PARTS", 11), ("AHEAD", 100)])
def test_shares_without_a_small_common_denominator_are_rounded_one_by_one(name, value, monkeypatch):
    # From corner to corner of a mesh of 3 by 3 there are 6 paths; over all pairs 1, 2, 3, 4 or 6.
    spec = Mesh(dims=(3, 3))
    router = Minimal(spread="equal").router(spec.build())
    assert router.denominator == router.parts == 6
    assert router.splits_exactly
    monkeypatch.setattr(scheme, name, value if name == "AHEAD" else 5)
    router = Minimal(spread="equal").router(spec.build())
    assert router.denominator is router.parts is None
    assert router.route_tables().shares.size == 0 < router.route_tables().fluid.size
    traced = router.trace(np.zeros(1, np.int32), np.full(1, 8, np.int32), np.array([1000]))
    assert sorted(traced.volume.tolist()) == sorted([500, 500, 167, 333, 167, 333, 333, 167, 333, 167, 500, 500])


def test_integer_shares_are_exact_for_any_volume():
    for routing in (Minimal(), Minimal(spread="equal")):
        router = routing.router(Mesh(dims=(3, 3)).build())
        volume = np.array([6 * (2**57 + 1)])
        traced = router.trace(np.zeros(1, np.int32), np.full(1, 8, np.int32), volume)
        leaving = router.network.src[traced.links] == 0
        assert traced.volume[leaving].sum() == volume[0]


@st.composite
def cases(draw):
    network, routing = draw(drawn_specs()), draw(st.sampled_from(tuple(ROUTINGS.values())))
    job = fitting(draw, jobs, lambda job: job.build().tasks <= network.nodes * network.slots)
    return case_of(network, job, routing, Random(draw(st.integers(0, 99))))


@given(cases(), st.integers(0, 10**6), st.integers(1, 8))
def test_live_loads_match_a_full_evaluation(case, seed, length):
    rng, live, done = np.random.default_rng(seed), LiveLoads(evaluate(case)), []
    start = live.report().load
    for _ in range(length):
        done.append(random_edit(rng, live, case))
        live.preview(random_edit(rng, live, case))
        live.apply(done[-1])
    report, full = assert_evaluated(live)
    if case.router.splits_exactly and case.job.quantum is not None:
        np.testing.assert_array_equal(report.load, LiveLoads(full).report().load)
    for edit in reversed(done):
        live.apply(edit.inverse())
    np.testing.assert_array_equal(live.report().load, start)


@given(cases())
def test_bounds_hold_in_every_case(case):
    report = evaluate(case)
    for bound in bounds(case):
        assert bound.time <= report.time * (1 + 1e-9), bound


@given(cases(), st.data())
def test_causes_sum_to_the_load(case, data):
    report = evaluate(case)
    link = data.draw(st.sampled_from(np.flatnonzero(report.load).tolist() or [0]))
    explanation = explain(report, link)
    for total in (sum(explanation.roles.values()), explanation.groups.total, explanation.tasks.total):
        assert total == pytest.approx(report.load[link], rel=1e-9, abs=1e-300)


@EVERY
@pytest.mark.parametrize("spec", [Circulant(nodes=32, jumps=(1, 2, 4, 8, 16)), Percs(supernodes=3, d_links=2)])
def test_the_number_of_updates_is_about_right(spec, routing):
    network = spec.build()
    router, pairs = routing.router(network), all_pairs(network)
    done = router.trace(*pairs, np.ones(pairs.shape[1], np.int64)).links.size
    assert done <= 4 * router.updates(pairs.shape[1])
    assert router.updates(pairs.shape[1]) <= 4 * done
    assert router.updates(1) >= 1


def test_valiant_loads_are_equal_for_every_permutation():
    spec = Circulant(nodes=24, jumps=(1, 2, 6))
    loads = [evaluate(case_of(spec, Transpose(4, 6), Valiant(), Random(seed))) for seed in range(3)]
    # As many units to and from each node as in two rounds of all-to-all, without units of tasks that stay.
    assert np.ptp([report.load.sum() / _sent(report) for report in loads]) < 1e-12
    uniform = evaluate(case_of(spec, AllToAll(24), Minimal(spread="equal"))).load
    shift = np.roll(np.arange(24, dtype=np.int32), 1)
    router = Valiant().router(spec.build())
    permuted = router.loads([NodeFlows(np.arange(24, dtype=np.int32), shift, np.ones(24))])
    np.testing.assert_allclose(permuted, 2 * uniform, rtol=1e-12)


def _sent(report):
    node = report.case.mapping.nodes
    return sum(float(b.volume[node[b.src] != node[b.dst]].sum()) for _, b in report.case.job.phases[0].blocks())


def test_single_takes_the_nearer_vertex_with_the_lowest_id_over_the_first_link():
    # From 0 to 4 by 3, 1 or 2; from 1 on by either of two links.
    network = Drawn(nodes=5, pairs=((0, 3), (0, 1), (0, 2), (3, 4), (2, 4), (1, 4), (1, 4))).build()
    router = Minimal().router(network)
    route = router.route(0, 4)
    assert network.dst[route.links].tolist() == [1, 4]
    assert route.links[1] == min(np.flatnonzero((network.src == 1) & (network.dst == 4)))
    assert [router.roles[role] for role in route.roles] == ["lowest ID of several next hops"] * 2
    equal = Minimal(spread="equal").router(network).route(0, 4)
    shares = dict(zip(equal.links.tolist(), equal.shares.tolist(), strict=True))
    assert sorted(shares.values()) == [0.25] * 6 + [0.5]


def test_hosts_do_not_forward():
    # Two switches joined only by a long path, each with one host.
    network = Drawn(nodes=2, switches=3, pairs=((0, 2), (1, 4), (2, 3), (3, 4))).build()
    for spread in ("single", "equal"):
        route = Minimal(spread=spread).router(network).route(0, 1)
        assert network.dst[route.links].tolist() == [2, 3, 4, 1]


@EVERY
def test_flows_between_components_load_nothing(routing):
    network = Drawn(nodes=4, switches=1, pairs=((0, 1), (2, 3))).build()
    flows = NodeFlows(np.array([0, 2, 1], np.int32), np.array([1, 3, 2], np.int32), np.array([1.0, 2.0, 4.0]))
    loads = routing.router(network).loads([flows])
    assert sorted(loads.tolist()) == [0.0, 0.0, 1.0, 2.0]


def diamonds(count):
    """A chain with two alternatives per two steps: 2^count shortest paths from end to end."""
    ends = [(3 * k, 3 * k + side) for k in range(count) for side in (1, 2)]
    ends += [(3 * k + side, 3 * k + 3) for k in range(count) for side in (1, 2)]
    return Drawn(nodes=3 * count + 1, pairs=tuple(ends))


def test_too_many_paths_for_equal_shares_are_refused():
    last = 3 * 400
    flows = NodeFlows(np.array([0], np.int32), np.array([last], np.int32), np.ones(1))
    network = diamonds(400).build()
    loads = Minimal(spread="equal").router(network).loads([flows])
    assert sorted(set(loads.tolist())) == [0.0, 0.5]
    too_long = diamonds(520).build()
    flows = flows._replace(dst=np.array([3 * 520], np.int32))
    router = Minimal(spread="equal").router(too_long)
    valiant = Valiant().router(too_long)
    for ask in (lambda: router.loads([flows]), lambda: router.route(0, 1560), lambda: valiant.loads([flows])):
        with pytest.raises(SpecError, match="too many for equal shares; choose minimal with spread single"):
            ask()
    assert Minimal().router(too_long).loads([flows]).sum() == 1040


@EVERY
def test_work_can_be_cancelled_and_reports_progress(routing, monkeypatch):
    monkeypatch.setattr(demand, "VISITS_AT_ONCE", 600)
    network = Circulant(nodes=64, jumps=(1, 2, 4, 8, 16)).build()
    router, pairs = routing.router(network), all_pairs(network)
    # Not all equal, or one place would suffice for Valiant's.
    flows, heard = NodeFlows(*pairs, np.arange(1.0, pairs.shape[1] + 1)), []
    router.loads([flows], heard.append)
    assert heard[0] == 0.0
    assert all(before < after < 1 for before, after in pairwise(heard))
    assert len(heard) == 64

    def stop(done):
        if done > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        routing.router(network).loads([flows], stop)


def test_volumes_divisible_by_two_are_carried_without_rounding():
    # On a hypercube of 2^4 nodes to the opposite node: every share is a multiple of 1/24.
    network = Torus(dims=(2, 2, 2, 2)).build()
    flows = NodeFlows(np.array([0], np.int32), np.array([15], np.int32), np.array([24.0]))
    loads = Minimal(spread="equal").router(network).loads([flows])
    assert np.array_equal(loads, np.rint(loads))
    assert loads.sum() == 4 * 24


@pytest.mark.parametrize("spec", [Circulant(nodes=40, jumps=(1, 3, 10, 20)), Percs(supernodes=3), Mesh(dims=(5, 4))])
def test_all_to_all_in_equal_shares_is_the_edge_betweenness(spec):
    network = spec.build()
    links = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    between = nx.edge_betweenness_centrality(nx.DiGraph(links), normalized=False)
    router, pairs = Minimal(spread="equal").router(network), all_pairs(network)
    loads = router.loads([NodeFlows(*pairs, np.ones(pairs.shape[1]))])
    np.testing.assert_allclose(loads, [between[ends] for ends in links], rtol=1e-9)


def test_halo_on_percs_uses_the_direct_links():
    report = evaluate(case_of(Percs(supernodes=2, d_links=1), Halo(8, 8), Minimal()))
    router, node = report.case.router, report.case.mapping.nodes
    for _, block in report.case.job.phases[0].blocks():
        hops = router.hops(node[block.src], node[block.dst])
        assert hops.max() <= 3
        np.testing.assert_allclose(report.load.sum(), (hops * block.volume).sum())
    assert isinstance(router, Router)


@pytest.mark.parametrize("spec", [Circulant(1024, (1, 32)), Torus((16, 16)), Circulant(3, (1,))], ids=str)
def test_the_mean_route_is_sampled_over_all_sources_and_distances(spec, monkeypatch):
    router, sampled = Minimal().router(spec.build()), []
    monkeypatch.setattr(type(router), "hop_portions", lambda self, src, dst: sampled.append((src, dst)) or [])
    assert router._mean_hops == 0
    ((src, dst),) = sampled
    nodes = router.network.nodes
    assert {src.size, dst.size} == {scheme.SAMPLES}
    assert (src != dst).all()
    apart = (dst - src) % nodes
    assert (apart.min(), apart.max()) == (1, nodes - 1)
    assert np.diff(np.sort(src)).max() <= -(-nodes // scheme.SAMPLES)
    assert (src.min(), src.max() + -(-nodes // scheme.SAMPLES) >= nodes) == (0, True)
