"""Valiant's routing: its intermediate vertices, and the loads of links to nodes. The oracle: `test_minimal`."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import AllToAll, Halo
from core.load.evaluate import evaluate
from core.mapping import Random
from core.network import Dragonfly, FatTree
from core.routing import Minimal, Valiant, default_routing
from core.routing.flows import NodeFlows
from tests.core.load.cases import case_of
from tests.core.routing.graphs import Drawn
from tests.core.strategies import node_flows

TREE = FatTree(arity=3, levels=3)
GROUPS = Dragonfly(routers=3, global_links=1, groups=4, nodes_per_router=2)
# Seven nodes on four switches in a row: 3, 1, 2 and 1 of them; a fifth switch has none.
LINE = Drawn(7, 5, ((0, 7), (1, 7), (2, 7), (3, 8), (4, 9), (5, 9), (6, 10), (7, 8), (8, 9), (9, 10), (10, 11)))
hanging = pytest.mark.parametrize("spec", [TREE, GROUPS, LINE], ids=lambda spec: spec.tag())


def at_hosts(network):
    """Which links leave nodes, and which enter them."""
    return network.src < network.nodes, network.dst < network.nodes


@hanging
@settings(max_examples=20)
@given(st.data())
def test_a_unit_crosses_the_links_of_its_two_nodes_once_and_no_others(spec, data):
    network = spec.build()
    flows = data.draw(node_flows(network))
    loads, goes = Valiant().router(network).loads([flows]), flows.src != flows.dst
    for ends, links, number in zip((flows.src, flows.dst), at_hosts(network), (network.src, network.dst), strict=True):
        expected = np.bincount(ends[goes], flows.volume[goes], network.nodes)
        np.testing.assert_allclose(loads[links], expected[number[links]], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("spec", [TREE, GROUPS], ids=lambda spec: spec.tag())
def test_links_to_nodes_carry_no_more_than_by_shortest_paths(spec):
    network = spec.build()
    loads = [evaluate(case_of(spec, Halo(4, 6), routing, Random(1))).load for routing in (Valiant(), Minimal())]
    here = np.logical_or(*at_hosts(network))
    np.testing.assert_allclose(loads[0][here], loads[1][here], rtol=1e-12)


def test_switches_are_intermediates_in_proportion_to_their_nodes():
    network = LINE.build()
    route = Valiant().router(network).route(0, 1)
    shares = {(int(network.src[k]), int(network.dst[k])): 0.0 for k in route.links}
    for link, share in zip(route.links.tolist(), route.shares, strict=True):
        shares[int(network.src[link]), int(network.dst[link])] += share
    # From switch 7 to the other nodes' switches, with 4, 3 and 1 of seven, and back; never to the one without nodes.
    there = {(7, 8): 4 / 7, (8, 9): 3 / 7, (9, 10): 1 / 7}
    expected = {(0, 7): 1.0, (7, 1): 1.0, **there, **{(v, u): share for (u, v), share in there.items()}}
    assert shares == pytest.approx(expected)


def test_a_single_switch_is_always_the_intermediate():
    star = Drawn(3, 1, ((0, 3), (1, 3), (2, 3)))
    flows = NodeFlows(*(np.array(ends, np.int32) for ends in ((0, 0), (1, 2))), np.array([1.0, 2.0]))
    both_loads = [routing.router(star.build()).loads([flows]) for routing in (Valiant(), Minimal())]
    np.testing.assert_allclose(both_loads[0], both_loads[1], rtol=1e-12)


def test_switches_without_a_path_back_are_not_intermediates():
    # Node 0 has a link to a switch that no link leaves, and from one that no link enters.
    spec = Drawn(2, 3, ((0, 2), (1, 2)), arcs=((0, 3), (4, 0)))
    network = spec.build()
    route = Valiant().router(network).route(0, 1)
    ends = {(int(network.src[k]), int(network.dst[k])) for k in route.links}
    assert ends == {(0, 2), (2, 1)}


@pytest.mark.parametrize("spec", [TREE, GROUPS], ids=lambda spec: spec.tag())
def test_all_to_all_crosses_the_links_between_switches_twice(spec):
    network, tasks = spec.build(), spec.build().nodes
    valiant, equal = (
        evaluate(case_of(spec, AllToAll(tasks), routing)).load for routing in (Valiant(), default_routing(network))
    )
    between = ~np.logical_or(*at_hosts(network))
    # Of n - 1 units that leave a node for others, each goes once to a random switch and once from there.
    np.testing.assert_allclose(valiant[between], 2 * (tasks - 1) / tasks * equal[between], rtol=1e-9)
