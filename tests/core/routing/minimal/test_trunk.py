"""Nodes with a single cable are removed before paths are computed: the loads are unchanged."""

from dataclasses import replace
from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll, Permutation
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Complete, Dragonfly, FatTree, LinkFault, Torus
from core.network.layouts.force_directed import force_directed
from core.network.wiring import EdgeList, network_from_edges
from core.routing import Minimal
from core.routing.flows import NodeFlows
from core.routing.minimal.demand import Carrier
from core.routing.minimal.scheme import EqualRouter, SingleRouter
from core.routing.minimal.trunk import trunk_of

KINDS = (SingleRouter, EqualRouter)


@cache
def cables(nodes, switches):
    """Chords between switches, the switch of each node, and further cables of nodes: a strategy."""
    ends = range(nodes, nodes + switches)
    chords = st.lists(st.sampled_from([*permutations(ends, 2)]), max_size=4)
    more = st.lists(st.sampled_from([*product(range(nodes), ends)]), max_size=3)
    return st.tuples(chords, st.tuples(*[st.sampled_from(ends)] * nodes), more)


@st.composite
def networks(draw):
    """Switches in a ring with chords, and nodes on one or two of them, or on none."""
    switches, nodes = draw(st.integers(2, 5)), draw(st.integers(2, 8))
    ring = [(nodes + k, nodes + (k + 1) % switches) for k in range(switches if switches > 2 else 1)]
    chords, ends, more = draw(cables(nodes, switches))
    edges = np.array([*ring, *chords, *enumerate(ends), *more], np.int32)
    spec = Complete(nodes)
    return network_from_edges(
        spec, nodes, [EdgeList("link", 1.0, edges[:, 0], edges[:, 1])], force_directed, slots=1, switches=switches
    )


@cache
def flow_numbers(nodes):
    """Up to 20 flows by number, one for each source, destination and volume: a strategy."""
    return st.integers(0, 20).flatmap(
        lambda count: st.lists(st.integers(0, 9 * nodes**2 - 1), min_size=count, max_size=count)
    )


def flows_of(draw, nodes):
    numbers = np.array(draw(flow_numbers(nodes)), np.intp)
    src, dst, volume = np.unravel_index(numbers, (nodes, nodes, 9))
    return NodeFlows(src.astype(np.int32), dst.astype(np.int32), volume + 1.0)


@given(networks(), st.data())
@pytest.mark.parametrize("kind", KINDS)
def test_loads_match_the_full_network(kind, network, data):
    flows = flows_of(data.draw, network.nodes)
    router = kind(network)
    carrier = Carrier(network, router.incident, router.equal)
    carrier.carry([flows], lambda fraction: None)
    np.testing.assert_allclose(router.loads([flows]), carrier.loads, atol=1e-9)


@given(networks(), st.data())
@pytest.mark.parametrize("kind", KINDS)
def test_disconnected_flows_load_nothing_with_failed_links(kind, network, data):
    flows = flows_of(data.draw, network.nodes)
    size = -(-network.links // 8)
    bits = np.unpackbits(np.frombuffer(data.draw(st.binary(min_size=size, max_size=size)), np.uint8))
    failed = bits[: network.links].astype(bool)
    failed &= np.arange(network.links) % 3 > 0
    router = kind(network, failed)
    carrier = Carrier(network, router.incident, router.equal)
    carrier.carry([flows], lambda fraction: None)
    np.testing.assert_allclose(router.loads([flows]), carrier.loads, atol=1e-9)


@pytest.mark.parametrize("network", [FatTree(4, 3, slots_per_node=2), Dragonfly(4, 2), FatTree(3, 1)])
@pytest.mark.parametrize("spread", ["single", "equal"])
@pytest.mark.parametrize("tasks", [1, 5, 24])
def test_all_to_all_between_switches_matches_all_to_all_between_tasks(network, spread, tasks):
    case = Scenario(network, AllToAll(min(tasks, network.build().slots)), Random(3), Minimal(spread)).build()
    (phase,) = case.job.phases
    node = case.mapping.nodes
    one_by_one = [NodeFlows(node[b.src], node[b.dst], b.volume) for _, b in phase.blocks()]
    np.testing.assert_allclose(evaluate(case).load, case.router.loads(one_by_one), rtol=1e-12, atol=1e-15)


def test_a_large_all_to_all_is_carried_between_switches():
    # 10^8 flows between nodes; between switches 10,000.
    case = Scenario(FatTree(100, 2), AllToAll(10_000), Random(0), Minimal()).build()
    (phase,) = case.job.phases
    assert sum(block.src.size for block in case.node_flows(phase)) <= 100**2 + 2 * 10_000
    report = evaluate(case)
    np.testing.assert_allclose(report.load[case.network.link_class("host").links], 9999 / 10_000)


def test_networks_without_such_nodes_have_no_trunk():
    assert trunk_of(Torus((3, 4)).build(), None) is None
    assert trunk_of(Complete(2).build(), None) is None  # two nodes linked only to each other: both stay
    case = Scenario(Torus((3, 4)), Permutation(12), Random(), Minimal()).build()
    assert case.router.entry_vertices is None


def test_around_faults_flows_stay_between_nodes():
    case = Scenario(FatTree(4, 2), AllToAll(16), Random(1), Minimal())
    broken = replace(case, faults=(LinkFault(0, 16),)).build()
    assert broken.router.entry_vertices is None
    assert evaluate(broken).disconnected.count == 30
