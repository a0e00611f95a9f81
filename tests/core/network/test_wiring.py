"""Networks given link by link, and their links by vertex."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network.adjacency import FAR, adjacency, distances_from, distinct
from core.network.families.circulant import Circulant
from core.network.layouts.ring import ring
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError

pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=40)


def ints(*values):
    return np.array(values, np.int32)


def test_a_pair_is_two_consecutive_links_and_a_one_way_link_is_one():
    edges = [
        EdgeList("wide", 4.0, ints(0, 1), ints(1, 3)),
        EdgeList("none", 1.0, ints(), ints()),
        EdgeList("arc", 2.0, ints(2, 2), ints(0, 2), one_way=True),
    ]
    network = network_from_edges(Circulant(), 3, edges, ring, slots=2, switches=1)
    np.testing.assert_array_equal(network.src, [0, 1, 1, 3, 2, 2])
    np.testing.assert_array_equal(network.dst, [1, 0, 3, 1, 0, 2])
    assert [(c.name, c.gbs, c.count) for c in network.classes] == [("wide", 4.0, 4), ("arc", 2.0, 2)]
    assert (network.nodes, network.vertices, network.slots) == (3, 4, 6)
    assert network.layout.positions.shape == (4, 3)


def test_a_single_node_is_not_a_network():
    with pytest.raises(SpecError, match="fewer than two nodes"):
        network_from_edges(Circulant(), 1, [], ring, slots=1)


@given(pairs)
def test_links_by_vertex_match_the_arrays(pairs):
    src, dst = (np.array(end, np.int32) for end in zip(*pairs, strict=True))
    near = adjacency(src, dst, 10)
    for v in range(10):
        here = slice(near.start[v], near.start[v + 1])
        assert near.vertex[here].tolist() == sorted(w for u, w in pairs if u == v)
        np.testing.assert_array_equal(dst[near.link[here]], near.vertex[here])
        assert (src[near.link[here]] == v).all()


@given(pairs)
def test_distances_match_networkx(pairs):
    src, dst = (np.array(end, np.int32) for end in zip(*pairs, strict=True))
    graph = nx.DiGraph(pairs)
    graph.add_nodes_from(range(10))
    away, queue = np.zeros(10, np.int32), np.zeros(10, np.int32)
    for v in range(10):
        reached = distances_from(v, adjacency(src, dst, 10), away, queue)
        expected = nx.single_source_shortest_path_length(graph, v)
        assert {w: d for w, d in enumerate(away.tolist()) if d != FAR} == expected
        assert reached == len(expected)
        order = away[queue[:reached]]
        assert (np.diff(order) >= 0).all()
        assert queue[0] == v


@given(st.lists(st.integers(-5, 5), max_size=30))
def test_distinct_values_are_ascending(values):
    np.testing.assert_array_equal(distinct(np.array(values, np.int64)), sorted(set(values)))


def test_distinct_values_of_a_matrix_are_a_list():
    np.testing.assert_array_equal(distinct(np.array([[2.0, 1.0], [1.0, 2.0]])), [1.0, 2.0])
