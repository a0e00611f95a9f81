"""Trees and fat trees of files: levels as networkx finds them, few crossings, no overlaps."""

from dataclasses import replace
from itertools import combinations, pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import cKDTree

from core.network import Circulant, Xgft
from core.network.layouts.levels import in_levels, levels_of
from core.network.tree_recognition import recognise_tree
from core.network.wiring import EdgeList, network_from_edges


def network_of(graph, hosts, names=None):
    """The network of a graph whose `hosts` become the first vertices."""
    order = [*hosts, *(vertex for vertex in graph if vertex not in set(hosts))]
    number = {vertex: place for place, vertex in enumerate(order)}
    ends = np.array([(number[a], number[b]) for a, b in graph.edges], np.int32).reshape(-1, 2)
    edges = [EdgeList("link", 1.0, ends[:, 0], ends[:, 1])]
    label = str if names is None else lambda vertex: names(order[vertex])
    switches = len(order) - len(hosts)
    return network_from_edges(Circulant(), len(hosts), edges, in_levels, slots=1, switches=switches, label=label)


def hung(switches, hosts_each):
    """A graph of switches, with hosts at the vertices without children, named by their number."""
    graph = nx.Graph(switches)
    leaves = [vertex for vertex, degree in switches.degree if degree == 1 and vertex]
    hosts = [f"h{leaf}.{k}" for leaf in leaves for k in range(hosts_each)]
    graph.add_edges_from((host, int(host[1:].partition(".")[0])) for host in hosts)
    return graph, hosts


def fat_tree(down, up, seed=None):
    """An XGFT as a file may list it: its switches in any order."""
    network = Xgft(down=down, up=up).build()
    number = np.arange(network.vertices)
    if seed is not None:
        np.random.default_rng(seed).shuffle(number[network.nodes :])
    graph = nx.Graph()
    graph.add_nodes_from(range(network.vertices))
    graph.add_edges_from(zip(number[network.src].tolist(), number[network.dst].tolist(), strict=True))
    return network_of(graph, range(network.nodes))


def crossings(network):
    """Pairs of links between the same two levels of switches that cross."""
    level, x = levels_of(network), network.layout.positions[:, 0]
    count = 0
    links = {(min(a, b), max(a, b)) for a, b in zip(network.src.tolist(), network.dst.tolist(), strict=True)}
    for (a, b), (c, d) in combinations(sorted(links), 2):
        if level[a] > 0 and (level[a], level[b]) == (level[c], level[d]):
            count += bool((x[a] - x[c]) * (x[b] - x[d]) < -1e-9)
    return count


@pytest.mark.parametrize(("arity", "height"), [(2, 2), (3, 2), (2, 4), (4, 3)])
def test_levels_of_a_tree_are_its_heights(arity, height):
    switches = nx.balanced_tree(arity, height)
    graph, hosts = hung(switches, 3)
    level = levels_of(network_of(graph, hosts))
    depth = nx.shortest_path_length(switches, 0)
    assert (level[: len(hosts)] == 0).all()
    assert level[len(hosts) :].tolist() == [height - depth[vertex] + 1 for vertex in switches]


@given(st.integers(0, 1 << 16), st.integers(3, 40), st.integers(1, 9))
def test_links_of_any_tree_do_not_cross(seed, switches, hosts_each):
    graph, hosts = hung(nx.random_labeled_rooted_tree(switches, seed=seed), hosts_each)
    if len(hosts) < 2:
        return
    network = network_of(graph, hosts)
    if levels_of(network) is None:  # too deep
        return
    assert crossings(network) == 0


@pytest.mark.parametrize(("down", "up"), [((4, 4), (1, 4)), ((3, 4, 2), (1, 2, 2)), ((2, 2, 2), (1, 2, 2))])
def test_levels_of_a_fat_tree_are_distances_from_the_hosts(down, up):
    network = fat_tree(down, up, seed=1)
    graph = nx.Graph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    expected = nx.multi_source_dijkstra_path_length(graph, set(range(network.nodes)))
    assert levels_of(network).tolist() == [expected[vertex] for vertex in range(network.vertices)]


@pytest.mark.parametrize("seed", range(4))
def test_pods_stay_together_for_any_order_in_the_file(seed):
    network = fat_tree((3, 4, 3), (1, 2, 2), seed)
    level, x = levels_of(network), network.layout.positions[:, 0]
    graph = nx.Graph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    low = graph.subgraph(np.flatnonzero((level == 1) | (level == 2)).tolist())
    ranges = sorted((min(x[list(pod)]), max(x[list(pod)])) for pod in nx.connected_components(low))
    assert len(ranges) == 3
    assert all(left[1] < right[0] for left, right in pairwise(ranges))
    assert crossings(network) <= crossings(fat_tree((3, 4, 3), (1, 2, 2)))


@pytest.mark.parametrize(
    ("down", "up"), [((4, 4), (1, 4)), ((3, 4, 2), (1, 2, 2)), ((20, 6), (1, 1)), ((1, 8), (1, 2))]
)
def test_levels_are_rows_without_overlaps(down, up):
    network = fat_tree(down, up)
    layout, level = network.layout, levels_of(network)
    height = layout.positions[:, 1].astype(float)
    for low in range(int(level.max())):
        assert height[level == low].max() + 0.9 < height[level == low + 1].min()
    assert cKDTree(layout.positions.astype(float)).query(layout.positions, k=2)[0][:, 1].min() > 0.9
    assert [caption.text for caption in layout.captions][:2] == ["nodes", "L1 switches"]


@pytest.mark.parametrize(
    ("down", "up", "names"),
    [
        ((4,), (1,), ["leaf"]),
        ((4, 4), (1, 4), ["leaf", "spine"]),
        ((3, 4, 2), (1, 2, 2), ["leaf", "spine", "core"]),
        ((2, 2, 2, 2), (1, 2, 2, 2), ["L1", "L2", "L3", "L4"]),
    ],
)
def test_levels_of_recognised_trees_have_names(down, up, names):
    network = replace(fat_tree(down, up, seed=1), find_tree=recognise_tree)
    assert [caption.text for caption in network.layout.captions] == ["nodes", *(f"{name} switches" for name in names)]


def test_hosts_are_in_the_order_of_their_names():
    graph, hosts = hung(nx.star_graph(3), 11)
    network = network_of(graph, hosts[::-1], str)
    at = network.layout.positions[:, :2].astype(float)
    for first in range(0, 33, 11):  # left to right, then down
        order = np.lexsort((at[first : first + 11, 0], -at[first : first + 11, 1]))
        numbers = [int(network.label(first + int(place)).partition(".")[2]) for place in order]
        assert numbers == list(range(11))


@pytest.mark.parametrize(
    "graph",
    [nx.path_graph(9), nx.cycle_graph(6), nx.complete_graph(5), nx.petersen_graph(), nx.grid_2d_graph(4, 4)],
    ids=["path", "ring", "complete", "petersen", "mesh"],
)
def test_other_graphs_have_no_levels(graph):
    assert levels_of(network_of(graph, list(graph))) is None


def test_switches_in_a_ring_have_no_levels():
    graph = nx.cycle_graph(6)
    graph.add_edges_from((vertex, f"h{vertex}") for vertex in range(6))
    assert levels_of(network_of(graph, [f"h{vertex}" for vertex in range(6)])) is None


def test_trees_of_hosts_alone_are_drawn_in_levels():
    graph = nx.balanced_tree(3, 2)
    network = network_of(graph, list(graph))
    assert np.bincount(levels_of(network)).tolist() == [9, 3, 1]
    assert network.layout.positions[:, 1].argmax() == 0


def test_unequal_depths_keep_the_root_on_top():
    graph = nx.Graph([("root", "mid"), ("mid", "s1"), ("mid", "s2"), ("root", "s3")])
    hosts = [f"{switch}-{k}" for switch in ("s1", "s2", "s3") for k in range(3)]
    graph.add_edges_from((host, host.partition("-")[0]) for host in hosts)
    ordered = nx.Graph()
    ordered.add_nodes_from([*hosts, "s1", "s2", "s3", "mid", "root"])
    ordered.add_edges_from(graph.edges)
    level = levels_of(network_of(ordered, hosts))
    assert level[len(hosts) :].tolist() == [1, 1, 1, 2, 3]


def test_two_linked_switches_are_side_by_side():
    graph = nx.Graph([("s1", "s2"), ("s1", "a"), ("s1", "b"), ("s2", "c"), ("s2", "d")])
    assert levels_of(network_of(graph, ["a", "b", "c", "d"])).tolist() == [0, 0, 0, 0, 1, 1]


def test_large_trees_are_arranged_quickly():
    network = fat_tree((32, 32, 16), (1, 16, 16), seed=3)  # 16,384 hosts
    assert np.isfinite(network.layout.positions).all()
