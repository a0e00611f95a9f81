"""k-ary n-trees: the published counts, shortest paths, and subtrees."""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import BundleFault, FatTree
from core.network.faults import Faults
from core.spec import SpecError

trees = st.tuples(st.integers(2, 5), st.integers(1, 4)).filter(lambda kn: kn[0] ** kn[1] <= 130)


def graph_of(network):
    return nx.Graph(zip(network.src.tolist(), network.dst.tolist(), strict=True))


def level_of(network, vertex):
    """0 for nodes, else the level that the label names."""
    name = network.label(vertex)
    return int(name[1 : name.index(" ")]) if name.startswith("L") else 0


def test_four_ary_two_tree():
    network = FatTree(arity=4, levels=2).build()
    assert (network.nodes, network.vertices - network.nodes, network.links) == (16, 8, 64)
    graph = graph_of(network)
    away = [nx.single_source_shortest_path_length(graph, u)[v] for u in range(16) for v in range(16)]
    assert (max(away), sum(away)) == (4, 864)


@given(trees)
def test_every_switch_has_k_links_down_and_k_up(kn):
    k, n = kn
    network = FatTree(arity=k, levels=n).build()
    assert network.vertices - network.nodes == n * k ** (n - 1)
    levels = [level_of(network, v) for v in range(network.vertices)]
    steps = Counter((u, levels[v] - levels[u]) for u, v in zip(network.src.tolist(), network.dst.tolist(), strict=True))
    for v, level in enumerate(levels):
        assert steps[v, 1] == (0 if level == n else 1 if level == 0 else k)
        assert steps[v, -1] == (k if level else 0)
    assert sorted(zip(network.src, network.dst, strict=True)) == sorted(zip(network.dst, network.src, strict=True))


@given(trees)
def test_nodes_meet_at_the_level_of_their_common_subtree(kn):
    k, n = kn
    network = FatTree(arity=k, levels=n).build()
    graph = graph_of(network)
    for u in (0, network.nodes // 2):
        away = nx.single_source_shortest_path_length(graph, u)
        for v in range(network.nodes):
            common = next(level for level in range(n + 1) if u // k**level == v // k**level)
            assert away[v] == 2 * common
            # As many shortest paths as there are switches where they meet.
    far = network.nodes - 1
    assert len(list(nx.all_shortest_paths(graph, 0, far))) == k ** (n - 1)


@given(trees)
def test_levels_are_equal_subtrees_and_cuts_count_leaving_links(kn):
    k, n = kn
    network = FatTree(arity=k, levels=n).build()
    assert [level.nodes_per_group for level in network.levels] == [k**level for level in range(n - 1, 0, -1)]
    levels = np.array([level_of(network, v) for v in range(network.vertices)])
    for depth, (level, cut) in enumerate(zip(network.levels, network.cuts, strict=False)):
        # Below the switches of the subtree's own level the only paths out lead upwards.
        side = np.zeros(network.vertices, bool)
        side[: network.nodes] = level.group == 0
        for _ in range(n - 1 - depth):
            upwards = side[network.src] & (levels[network.dst] <= n - 1 - depth)
            side[network.dst[upwards]] = True
        leaving = np.flatnonzero(side[network.src] & ~side[network.dst])
        assert side[: network.nodes].sum() == cut.nodes
        assert Counter(network.classes[c].name for c in network.class_of[leaving]) == cut.leaving
    assert network.cuts[-1].nodes == k // 2 * k ** (n - 1) == sum(network.cuts[-1].leaving.values())


@pytest.mark.parametrize("levels", [2, 3, 4])
def test_switches_are_in_their_pod_and_top_switches_in_their_plane(levels):
    network = FatTree(arity=3, levels=levels).build()
    graph, planes = graph_of(network), nx.Graph()
    for v in range(network.nodes, network.vertices):
        level, below = level_of(network, v), set()
        for u in range(network.nodes):
            if nx.shortest_path_length(graph, u, v) == level:
                below.add(int(network.levels[0].group[u]))
        assert (level == levels) == (len(below) > 1)
        assert network.group_of[v] == below.pop() if level < levels else network.group_of[v] >= 3
        # Planes are the connected components above the lowest level of switches.
        if level > 1:
            planes.add_node(v)
            planes.add_edges_from((v, u) for u in graph[v] if u >= network.nodes and level_of(network, u) > 1)
    pieces = [{int(group) for group in network.group_of[list(piece)]} for piece in nx.connected_components(planes)]
    tops = [{group for group in piece if group >= 3} for piece in pieces]
    assert sorted(tops, key=min) == [{3}, {4}, {5}]
    assert (network.groups, network.node_groups) == (6, 3)


def test_a_bundle_connects_a_pod_and_a_plane():
    network = FatTree(arity=4, levels=3).build()
    fault = BundleFault(a=1, b=6)
    links = fault.links(network)
    assert links.size == 2 * 4
    ends = {frozenset((network.group_of[network.src[link]], network.group_of[network.dst[link]])) for link in links}
    assert ends == {frozenset((1, 6))}
    assert fault.what(network) == "the bundle of pod 1 and plane 2"
    for other, words in ((0, "has no link to pod 1"), (9, "8 pods and planes, 0 to 7")):
        with pytest.raises(SpecError, match=words):
            Faults.of(network, (BundleFault(a=1, b=other),))


@pytest.mark.parametrize(
    ("levels", "kinds", "names"),
    [
        (3, ("pod", "plane"), ["pod 0", "pod 1", "plane 0", "plane 1"]),
        (2, ("leaf group", "switch"), ["leaf group 0", "leaf group 1", "L2 switch 0", "L2 switch 1"]),
        (1, ("node", "switch"), ["node 0", "node 1", "L1 switch 0"]),
    ],
)
def test_groups_have_names(levels, kinds, names):
    network = FatTree(arity=2, levels=levels).build()
    assert network.group_kinds == kinds
    assert [network.group_name(group) for group in range(network.groups)] == names


def test_names_of_classes_levels_and_vertices():
    network = FatTree(arity=2, levels=4, gbs=25.0, host_gbs=12.5).build()
    assert [(c.name, c.gbs) for c in network.classes] == [("host", 12.5), ("L1-L2", 25), ("L2-L3", 25), ("L3-L4", 25)]
    assert [level.name for level in network.levels] == ["L3 subtree", "pod", "leaf group"]
    assert [network.label(v) for v in (0, 15, 16, 24, 47)] == ["0", "15", "L1 switch 0", "L2 switch 0", "L4 switch 7"]
    assert FatTree(arity=4, levels=2).summary() == "16 nodes, 8 switches with 8 ports, 32 links"


def test_too_large_trees_are_refused_before_they_are_built():
    with pytest.raises(SpecError, match="must be at most 10,000,000") as refusal:
        FatTree(arity=1024, levels=16).build()
    assert refusal.value.field == "network.arity"


@given(st.integers(1, 3_000_000), st.integers(1, 16))
def test_sized_keeps_the_levels_and_is_nearest(nodes, levels):
    spec = FatTree(levels=levels).sized(nodes)
    assert spec.levels == levels
    for other in (spec.arity - 1, spec.arity + 1):
        if other >= 2 and other**levels <= 1 << 20 and other <= 1024:
            assert abs(spec.nodes - nodes) <= abs(other**levels - nodes)


@pytest.mark.parametrize("fields", FatTree.presets.values(), ids=FatTree.presets)
def test_presets_match_their_names(fields):
    name = next(name for name, other in FatTree.presets.items() if other == fields)
    spec = FatTree(**fields)
    assert name == f"{spec.arity}-ary {spec.levels}-tree, {spec.build().nodes:,} nodes"
