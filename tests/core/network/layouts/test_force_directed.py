"""Graphs of no known family: no overlaps, neighbours near, the same picture every time."""

from functools import cache
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from core.network import Circulant
from core.network.layouts.force_directed import at_positions, force_directed, rows
from core.network.wiring import EdgeList, network_from_edges

GRAPHS = {
    "path": nx.path_graph(30),
    "mesh": nx.grid_2d_graph(9, 9),
    "star": nx.star_graph(50),
    "tree": nx.balanced_tree(3, 4),
    "complete bipartite": nx.complete_bipartite_graph(8, 8),
    "petersen": nx.petersen_graph(),
    "random": nx.random_regular_graph(4, 150, seed=1),
    "two pieces": nx.disjoint_union(nx.cycle_graph(20), nx.grid_2d_graph(4, 5)),
    "a pair": nx.path_graph(2),
    "three": nx.path_graph(3),
    "alone": nx.empty_graph(7),
}
some = pytest.mark.parametrize("name", GRAPHS)


def network_of(graph, layout=force_directed):
    graph = nx.convert_node_labels_to_integers(graph)
    ends = np.array(list(graph.edges), np.int32).reshape(-1, 2)
    return network_from_edges(Circulant(), len(graph), [EdgeList("link", 1.0, ends[:, 0], ends[:, 1])], layout, slots=1)


@cache
def drawn(name):
    """The network of a graph, laid out once for all tests."""
    return network_of(GRAPHS[name])


def nearest(positions):
    return cKDTree(positions.astype(float)).query(positions, k=2)[0][:, 1]


@some
def test_vertices_do_not_overlap(name):
    network = drawn(name)
    layout = network.layout
    assert layout.positions.shape == (network.vertices, 3)
    assert np.isfinite(layout.positions).all()
    gaps = nearest(layout.positions)
    assert gaps.min() > 0.2
    assert np.median(gaps) > layout.cell[0]
    assert np.abs(layout.positions.min(0) + layout.positions.max(0)).max() < 1e-3 * np.ptp(layout.positions)


@pytest.mark.parametrize("name", ["path", "mesh", "tree", "two pieces"])
def test_neighbours_are_near_if_possible(name):
    network = drawn(name)
    positions = network.layout.positions.astype(float)
    length = np.linalg.norm(positions[network.src] - positions[network.dst], axis=1)
    assert length.mean() < 0.25 * np.ptp(positions, axis=0).max()
    assert length.max() < 0.5 * np.ptp(positions, axis=0).max()


@some
def test_the_same_graph_gives_the_same_picture(name):
    again = network_of(GRAPHS[name]).layout.positions
    np.testing.assert_array_equal(drawn(name).layout.positions, again)


def test_both_directions_of_a_link_are_separate():
    network = network_of(GRAPHS["petersen"])
    curves = network.layout.link_curves(np.arange(network.links), network.src, network.dst)
    np.testing.assert_array_equal(curves[:, 0], network.layout.positions[network.src])
    np.testing.assert_array_equal(curves[:, 2], network.layout.positions[network.dst])
    assert len(np.unique(np.round(curves[:, 1], 4), axis=0)) == network.links


def test_large_graphs_are_spread_by_distance():
    network = network_of(nx.grid_2d_graph(60, 80))
    positions = network.layout.positions.astype(float)
    length = np.linalg.norm(positions[network.src] - positions[network.dst], axis=1)
    assert length.max() < 0.1 * np.ptp(positions, axis=0).max()
    assert nearest(positions).min() > 0.3


def test_leaves_surround_their_neighbour():
    graph = nx.cycle_graph(5)
    graph.add_edges_from((switch, f"{switch} {leaf}") for switch in range(5) for leaf in range(6))
    positions = network_of(graph).layout.positions.astype(float)
    leaves, switches = positions[5:].reshape(5, 6, 3), positions[:5]
    away = np.linalg.norm(leaves[:, :, None] - switches, axis=3)
    assert (away.argmin(axis=2) == np.arange(5)[:, None]).all()


@given(st.integers(0, 1 << 20), st.integers(2, 30), st.floats(0.02, 0.5))
def test_any_graph_has_a_picture(seed, nodes, density):
    layout = network_of(nx.gnp_random_graph(nodes, density, seed)).layout
    assert np.isfinite(layout.positions).all()
    assert nearest(layout.positions).min() > 0.05


def test_positions_in_a_file_keep_their_proportions():
    places = np.array([[100.0, 0.0], [300.0, 0.0], [100.0, 600.0]])
    layout = network_of(nx.path_graph(3), lambda network: at_positions(network, places)).layout
    steps = layout.positions[1:, :2] - layout.positions[0, :2]
    np.testing.assert_allclose(steps, [[1, 0], [0, 3]], atol=1e-5)


@pytest.mark.parametrize("at_each", [1, 4, 20])
def test_rows_stand_above_each_other(at_each):
    sizes = [4 * at_each, 4, 8, 2]
    network = network_of(nx.empty_graph(sum(sizes)), lambda network: rows(network, sizes, at_each))
    positions = network.layout.positions.astype(float)
    levels = np.split(positions[:, 1], np.cumsum(sizes)[:-1])
    for lower, upper in pairwise(levels):
        assert lower.max() + 0.9 < upper.min()
    assert nearest(positions).min() > 0.9
    # A switch stands over its nodes.
    hosts = positions[: sizes[0], 0].reshape(4, at_each)
    np.testing.assert_allclose((hosts.min(1) + hosts.max(1)) / 2, positions[sizes[0] : sizes[0] + 4, 0], atol=0.51)
