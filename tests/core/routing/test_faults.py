"""Routing around failed links: every scheme against the oracle that drops paths, and properties of any scheme."""

from functools import cache
from unittest.mock import patch

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.job import Flows
from core.kernels import plain
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import BundleFault, Complete, Faults, LinkFault, Mesh, NodeFault, Percs, Torus
from core.network.sizes import axis_name
from core.routing import (
    Adaptive,
    DimensionOrder,
    PercsDirect,
    PercsIndirect,
    Valiant,
    faulty,
    node_pairs,
    with_faults,
    without_faults,
)
from core.routing.faulty import DISCONNECTED, INTACT, REROUTED, NoDetourRouter
from core.routing.flows import NodeFlows
from core.routing.lattice import adaptive_faults
from core.routing.percs.wiring import d_link
from core.spec import Cancelled
from core.timing import timeline
from tests.core.compare import assert_same_loads, from_core, from_lattice, from_percs
from tests.core.routing.graphs import routed_graphs
from tests.core.routing.groups import routed_groups
from tests.core.strategies import node_flows, routed, routed_lattices, routed_percs
from tests.oracle import percs
from tests.oracle.faults import lattice_left, percs_left


@cache
def failures(links, nodes):
    """A few links, what else fails, and at which vertex: a strategy."""
    few = st.lists(st.integers(0, links - 1), min_size=1, max_size=6)
    kind = st.sampled_from(("few", "few", "node", "groups", "half", "most"))
    return st.tuples(few, kind, st.integers(0, nodes - 1))


def failed_links(draw, network):
    """A few links, or all of a node, or every second one, or most."""
    failed = np.zeros(network.links, bool)
    few, kind, node = draw(failures(network.links, network.nodes))
    failed[few] = True
    if kind == "node":
        failed |= (network.src == node) | (network.dst == node)
    if kind == "groups" and network.levels and network.vertices == network.nodes:
        group = network.levels[0].group
        failed |= (group[network.src] == group[node]) & (group[network.dst] != group[node])
    if kind in ("half", "most"):
        failed |= np.random.default_rng(node).random(network.links) < (0.5 if kind == "half" else 0.9)
    return failed


@st.composite
def broken(draw, cases, most=5):
    """A network with failed links, its router around them, the oracle, and some flows, some of whose links failed."""
    network, router, oracle = draw(cases)
    flows, failed = draw(node_flows(network, most=most)), failed_links(draw, network)
    used = sorted({link for u, v, _ in in_tuples(flows) for link in router.route(u, v).links.tolist()})
    if used:
        chosen = draw(st.lists(st.integers(0, len(used) - 1), max_size=8))
        failed[[used[number] for number in chosen]] = True
    return network, with_faults(router, failed), oracle, flows


def percs_links(network, machine, failed):
    """The failed links by the oracle's names."""
    ends = zip(network.src[failed].tolist(), network.dst[failed].tolist(), strict=True)
    return {machine.link_between(machine.node(u), machine.node(v)) for u, v in ends}


def lattice_links(network, router, lattice, failed):
    """The failed links by the oracle's names."""
    links = set()
    for link in np.flatnonzero(failed).tolist():
        node, d, side = without_faults(router).place(link)
        links.add((d, (1, -1)[side], lattice.node(node)))
    return links


def in_tuples(flows):
    return zip(*(array.tolist() for array in flows), strict=True)


def all_left(network, router, oracle, flows):
    """For each flow its source, destination, volume, and remaining paths as lists of links."""
    if isinstance(oracle, percs.Machine):
        failed = percs_links(network, oracle, router.failed)
        for u, v, volume in in_tuples(flows):
            left = percs_left(oracle, oracle.node(u), oracle.node(v), failed)
            yield u, v, volume, [(share, [link for _, link in hops]) for share, hops in left]
    else:
        failed = lattice_links(network, router, oracle, router.failed)
        for u, v, volume in in_tuples(flows):
            yield u, v, volume, lattice_left(oracle, oracle.node(u), oracle.node(v), failed)


def expected_loads(network, router, oracle, flows):
    loads = {}
    for _, _, volume, left in all_left(network, router, oracle, flows):
        for share, path in left:
            for link in path:
                loads[link] = loads.get(link, 0.0) + share * volume
    return from_percs(oracle, loads) if isinstance(oracle, percs.Machine) else from_lattice(oracle, loads)


@given(broken(routed_percs(most=5)))
def test_percs_loads_match_the_remaining_paths(case):
    network, router, _, flows = case
    assert_same_loads(from_core(network, router.loads([flows])), expected_loads(*case))


@settings(max_examples=150)
@given(broken(routed_lattices(most_nodes=36)))
def test_lattice_loads_match_the_remaining_paths(case):
    network, router, _, flows = case
    assert_same_loads(from_core(network, router.loads([flows])), expected_loads(*case))


@settings(max_examples=100)
@given(broken(routed_percs(most=5) | routed_lattices(most_nodes=36)))
def test_disconnected_flows_have_no_path(case):
    _, router, _, flows = case
    cut = [u != v and not left for u, v, _, left in all_left(*case)]
    np.testing.assert_array_equal(router.disconnected(flows.src, flows.dst), cut)
    np.testing.assert_array_equal(router.state(flows.src, flows.dst) == DISCONNECTED, cut)


@settings(max_examples=100)
@given(broken(routed))
def test_loads_routes_crossings_and_traces_agree(case):
    network, router, _, flows = case
    by_role = np.zeros((len(router.roles), network.links))
    for u, v, volume in in_tuples(flows):
        route = router.route(u, v)
        np.add.at(by_role, (route.roles, route.links), route.shares * volume)
    loads = by_role.sum(axis=0)
    np.testing.assert_allclose(router.loads([flows]), loads, rtol=1e-11, atol=1e-11)
    assert not loads[router.failed].any()
    for link in [*np.flatnonzero(loads)[:10].tolist(), *np.flatnonzero(router.failed)[:3].tolist()]:
        crossing = router.crossing(link, flows.src, flows.dst)
        np.testing.assert_allclose(crossing @ flows.volume, by_role[:, link], rtol=1e-11, atol=1e-11)
    integer_volumes = np.rint(flows.volume * (1 << 20)).astype(np.int64) * (router.parts or 1)
    traced = traced_loads(network, router, flows.src, flows.dst, integer_volumes)
    exact = router.loads([flows._replace(volume=integer_volumes.astype(float))])
    np.testing.assert_allclose(traced, exact, rtol=1e-9, atol=2048)


def traced_loads(network, router, src, dst, volume):
    traced, loads = router.trace(src, dst, volume), np.zeros(network.links, np.int64)
    np.add.at(loads, traced.links, traced.volume)
    return loads


@given(broken(routed | routed_graphs() | routed_graphs(("valiant",)) | routed_groups()), st.sampled_from([0, 1 << 20]))
def test_squares_and_hops_match_the_remaining_routes(case, tables_from):
    network, router, _, flows = case
    with patch("core.routing.router.TABLES_FROM", tables_from):
        squares, hops = router.squares(flows.src, flows.dst), router.hops(flows.src, flows.dst)
    for i, (u, v, _) in enumerate(in_tuples(flows)):
        route = router.route(u, v)
        shares = np.bincount(route.links, route.shares, network.links)
        assert squares[i] == pytest.approx(float((shares**2).sum()))
        assert hops[i] == pytest.approx(float(shares.sum()))


def test_a_disconnected_message_meets_no_other_under_valiant():
    # Two messages 0 -> 1 by 0, 1 or 2: 2/3 of each on 0 -> 1, 1/3 on 0 -> 2 and 2 -> 1. The third has no path to 3.
    for dst in ((2, 3, 6), (2, 3)):
        job = Flows(tasks=8, src=(0, 1, 0)[: len(dst)], dst=dst, volume=(1.0,) * len(dst))
        network = Complete(nodes=4, slots_per_node=2)
        case = Scenario(network, job, Sequential(), Valiant(), faults=(NodeFault(3),)).build()
        assert timeline(case).contention == pytest.approx(4 / 9 + 1 / 9 + 1 / 9)


@given(st.data(), broken(routed))
def test_traced_loads_cancel_in_any_company(data, case):
    network, router, _, flows = case
    integer_volumes = data.draw(st.integers(1, 10**9)) * (router.parts or 1) * np.arange(1, flows.src.size + 1)
    together = traced_loads(network, router, flows.src, flows.dst, integer_volumes)
    for flow in range(flows.src.size):
        here = slice(flow, flow + 1)
        together += traced_loads(network, router, flows.src[here], flows.dst[here], -integer_volumes[here])
    assert not together.any()


@settings(max_examples=100)
@given(broken(routed))
def test_connected_flows_arrive(case):
    network, router, oracle, flows = case
    assume(getattr(oracle, "count_middle", True))  # without the middle hop data jumps from gate to gate
    loads, balance = router.loads([flows]), np.zeros(network.vertices)
    kept = ~router.disconnected(flows.src, flows.dst)
    np.add.at(balance, network.src, loads)
    np.subtract.at(balance, network.dst, loads)
    np.subtract.at(balance, flows.src[kept], flows.volume[kept])
    np.add.at(balance, flows.dst[kept], flows.volume[kept])
    np.testing.assert_allclose(balance, 0, atol=1e-9 * flows.volume.sum())


@given(st.data(), routed)
def test_flows_without_failed_links_keep_their_paths(data, case):
    network, router, _ = case
    flows, failed = data.draw(node_flows(network)), failed_links(data.draw, network)
    round_it = with_faults(router, failed)
    lost = np.zeros(flows.src.size, bool)
    for link in np.flatnonzero(failed).tolist():
        lost |= router.crossing(link, flows.src, flows.dst).any(axis=0)
    np.testing.assert_array_equal(round_it.state(flows.src, flows.dst) != INTACT, lost)
    clear = NodeFlows(*(array[~lost] for array in flows))
    np.testing.assert_allclose(round_it.loads([clear]), router.loads([clear]), rtol=1e-12)
    for u, v, _ in in_tuples(clear):
        np.testing.assert_array_equal(round_it.route(u, v).links, router.route(u, v).links)


@given(st.data(), st.lists(st.integers(1, 5), min_size=1, max_size=3).map(tuple).filter(lambda d: np.prod(d) > 1))
def test_adaptive_on_meshes_disconnects_pairs_without_a_shortest_path_in_networkx(data, dims):
    network = Mesh(dims=dims).build()
    failed = failed_links(data.draw, network)
    router = with_faults(Adaptive().router(network), failed)
    node = np.arange(network.nodes, dtype=np.int32)
    backwards = nx.DiGraph(zip(network.dst.tolist(), network.src.tolist(), strict=True))
    for v in range(network.nodes):
        away = nx.single_source_shortest_path_length(backwards, v)
        inwards = nx.DiGraph()
        inwards.add_nodes_from(range(network.nodes))
        for x, y, lost in zip(network.src.tolist(), network.dst.tolist(), failed.tolist(), strict=True):
            if not lost and away[y] < away[x]:
                inwards.add_edge(x, y)
        reaches = nx.ancestors(inwards, v) | {v}
        cut = [u not in reaches for u in range(network.nodes)]
        np.testing.assert_array_equal(router.disconnected(node, np.full_like(node, v)), cut)


def test_a_tie_with_one_remaining_side_uses_it_fully():
    network = Torus(dims=(8, 4)).build()
    failed = np.zeros(network.links, bool)
    router = DimensionOrder().router(network)
    failed[router.grid.table[0, 0, 4]] = True  # + along X, from (1, 0)
    round_it = with_faults(router, failed)
    route = round_it.route(0, 16 + 2)  # (4, 2) from (0, 0): ties along X and along Y
    assert sorted(set(route.shares.tolist())) == [0.5, 1.0]
    assert route.shares.sum() == 4 + 2
    assert round_it.state(np.array([0, 0, 0]), np.array([16, 8, 12])).tolist() == [REROUTED, DISCONNECTED, DISCONNECTED]


def test_hop_local_splits_among_dimensions_and_then_among_sides():
    network = Torus(dims=(4, 4)).build()
    router, failed = Adaptive(model="hop-local").router(network), np.zeros(network.links, bool)
    failed[router.grid.table[0, 0, 0]] = True  # + along X, from (0, 0): a tie, as along Y
    route = with_faults(router, failed).route(0, 10)
    first = {int(link): share for link, share in zip(route.links, route.shares, strict=True) if not network.src[link]}
    assert first == {
        int(router.grid.table[0, 1, 0]): 0.5,
        int(router.grid.table[1, 0, 0]): 0.25,
        int(router.grid.table[1, 1, 0]): 0.25,
    }


@pytest.mark.parametrize("dims", [(8,), (7,), (2, 3), (4, 2)])
@pytest.mark.parametrize("routing", [Adaptive(), Adaptive(model="hop-local"), DimensionOrder()])
def test_failed_links_of_a_ring_are_known_at_every_node(dims, routing):
    network = Torus(dims=dims).build()
    router = routing.router(network)
    src, dst = (array.ravel().astype(np.int32) for array in np.indices((network.nodes, network.nodes)))
    for link in range(network.links):
        round_it = with_faults(router, np.arange(network.links) == link)
        lost = router.crossing(link, src, dst).any(axis=0)
        np.testing.assert_array_equal(round_it.state(src, dst) != INTACT, lost)


def test_direct_routing_splits_equally_over_the_remaining_buckets():
    network = Percs(3, 4).build()
    d_link = LinkFault.of(network, network.link_class("D").links.start)
    round_it = with_faults(PercsDirect().router(network), Faults.of(network, (d_link,)).failed)
    route = round_it.route(0, 32)
    d_hops = route.roles == 3
    np.testing.assert_allclose(route.shares[d_hops], [1 / 3] * 3)
    assert round_it.route(0, 64).links.tolist() == without_faults(round_it).route(0, 64).links.tolist()


def test_indirect_routing_avoids_a_failed_bundle():
    network = Percs(4, 2).build()
    failed = Faults.of(network, (BundleFault(0, 1),)).failed
    round_it = with_faults(PercsIndirect().router(network), failed)
    src, dst = np.arange(32, dtype=np.int32), np.arange(32, 64, dtype=np.int32)
    assert (round_it.state(src, dst) == REROUTED).all()
    loads = round_it.loads([NodeFlows(src, dst, np.ones(32))])
    far = network.link_class("D").links
    # x = 0 and x = 1 needed the bundle; 2 and 3 remain, with two D-hops each.
    assert loads[far].sum() == pytest.approx(64)
    assert not loads[failed].any()


def test_links_of_lost_paths_have_a_load_of_exactly_zero():
    network = Percs(7, 1).build()
    base = PercsIndirect().router(network)
    far = LinkFault.of(network, int(plain(d_link)(0, 5, 0, base.wiring)))
    round_it = with_faults(base, Faults.of(network, (far,)).failed)
    flows = NodeFlows(np.array([3, 9], np.int32), np.array([36, 50], np.int32), np.array([0.1, 0.7]))
    used = set(round_it.route(3, 36).links.tolist()) | set(round_it.route(9, 50).links.tolist())
    assert set(np.flatnonzero(round_it.loads([flows])).tolist()) == used
    assert plain(d_link)(5, 1, 0, base.wiring) not in used


def test_a_scheme_without_a_rule_disconnects_flows_over_failed_links():
    network = Torus(dims=(4, 4)).build()
    router, failed = DimensionOrder().router(network), np.zeros(network.links, bool)
    failed[router.grid.table[0, 0, 0]] = True
    plain = with_faults.dispatch(object)(router, failed)
    assert isinstance(plain, NoDetourRouter)
    src, dst = np.array([0, 0, 1], np.int32), np.array([8, 1, 5], np.int32)
    assert plain.disconnected(src, dst).tolist() == [True, False, False]
    assert plain.route(0, 8).links.size == 0
    loads = plain.loads([NodeFlows(src, dst, np.ones(3))])
    np.testing.assert_array_equal(loads, router.loads([NodeFlows(src[1:], dst[1:], np.ones(2))]))
    assert plain.partitions() == ()
    assert plain.nearest() is None


@given(broken(routed))
def test_loads_do_not_depend_on_the_batch_size(case):
    _, router, _, flows = case
    with pytest.MonkeyPatch.context() as patch:
        link = int(router.loads([flows]).argmax())
        plain = router.loads([flows]), router.crossing(link, flows.src, flows.dst)
        patch.setattr(faulty, "HOPS_AT_ONCE", 1)
        patch.setattr(node_pairs, "DENSE_NODES", 0)
        small = router.loads([flows]), router.crossing(link, flows.src, flows.dst)
    for plain_answer, small_answer in zip(plain, small, strict=True):
        np.testing.assert_allclose(plain_answer, small_answer, rtol=1e-12, atol=1e-12)


@settings(max_examples=30)
@given(broken(routed_lattices(most_nodes=24) | routed_percs(most=2)))
def test_many_flows_are_routed_as_single_flows(case):
    network, router, _, _ = case
    src, dst = (array.ravel().astype(np.int32) for array in np.indices((network.nodes, network.nodes)))
    everyone = NodeFlows(src, dst, 1.0 + (3 * src + dst) % 7)
    some = np.arange(0, src.size, max(src.size // 200, 1))
    alone = [router.state(src[i : i + 1], dst[i : i + 1])[0] for i in some]
    np.testing.assert_array_equal(router.state(src, dst)[some], alone)
    cut = router.disconnected(src, dst)
    np.testing.assert_array_equal(cut[some], np.array(alone) == DISCONNECTED)
    with pytest.MonkeyPatch.context() as patch:
        plain = router.loads([everyone])
        patch.setattr(adaptive_faults, "MAX_DEFERRED", 0)
        summed = router.loads([everyone, everyone])
    np.testing.assert_allclose(summed, 2 * plain, rtol=1e-11, atol=1e-11)
    pairs = [everyone.some(slice(i, i + 1)) for i in range(src.size)] if src.size < 600 else [everyone]
    np.testing.assert_allclose(sum(router.loads([pair]) for pair in pairs), plain, rtol=1e-11, atol=1e-10)


@settings(max_examples=30)
@given(st.data(), routed)
def test_bounds_on_loads_hold_for_every_connected_pair(data, case):
    network, router, _ = case
    round_it = with_faults(router, failed_links(data.draw, network))
    node = st.integers(0, network.nodes - 1)
    u, v = data.draw(st.tuples(node, node).filter(lambda pair: pair[0] != pair[1]))
    route, levels = round_it.route(u, v), {level.name: level.group for level in network.levels}
    assert len(round_it.partitions()) == len(router.partitions())
    assume(route.links.size)
    if isinstance(network.spec, Percs):
        (chain,) = round_it.partitions()
        apart = next(p for p in chain if p.name == "node" or levels[p.name][u] != levels[p.name][v])
        least = apart.least
    else:
        moved = np.array(np.unravel_index(u, network.spec.dims)) != np.array(np.unravel_index(v, network.spec.dims))
        least = {axis_name(d): 1.0 for d in np.flatnonzero(moved)}
        assert {name for (p,) in round_it.partitions() for name in p.least} >= least.keys()
    for name, load in least.items():
        mine = network.class_of[route.links] == [c.name for c in network.classes].index(name)
        assert route.shares[mine].sum() >= load - 1e-9


def test_carrying_around_failed_links_can_be_cancelled():
    network = Torus(dims=(4, 4, 4)).build()
    failed = Faults.of(network, (NodeFault(7),)).failed
    seen = []

    def stop(fraction):
        seen.append(fraction)
        if fraction > 0.5:
            raise Cancelled

    node = np.arange(network.nodes, dtype=np.int32)
    flows = NodeFlows(node, node[::-1].copy(), np.ones(node.size))
    with pytest.raises(Cancelled):
        with_faults(Adaptive().router(network), failed).loads([flows], stop)
    assert seen == sorted(seen)
    assert len(seen) > 10
