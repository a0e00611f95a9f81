"""Mappings that choose nodes: tree, ring, stride, and random; their orders, and the distances of their tasks."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from core.job import AllToAll, Halo
from core.mapping import CirculantStride, HierarchicalTree, Random, RingConsecutive
from core.network import Circulant, Mesh, NetworkSpec, Percs, Shortcut, Torus
from core.network.adjacency import distances_from
from core.network.layouts.ring import ring
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError


class Drawn(NetworkSpec, frozen=True, tag="drawn"):
    """A graph given link by link: nodes first, then switches."""

    nodes: int = 0
    switches: int = 0
    pairs: tuple[tuple[int, int], ...] = ()
    slots_per_node: int = 1

    def summary(self):
        return "drawn"

    def build(self, folder=None):
        u, v = (np.array(ends, np.int32) for ends in zip(*self.pairs, strict=True))
        return network_from_edges(
            self, self.nodes, [EdgeList("L", 1.0, u, v)], ring, slots=self.slots_per_node, switches=self.switches
        )


def around(n):
    return tuple((i, (i + 1) % n) for i in range(n))


SMALL = Drawn(nodes=32, pairs=(*around(32), (5, 7), (0, 20), (7, 20), (2, 4)))
"""The small case of the spec: a ring of 32 with four more links."""
TWO_LEAVES = Drawn(nodes=4, switches=3, pairs=((0, 4), (1, 4), (2, 5), (3, 5), (4, 6), (5, 6)))
"""Two switches with two hosts each, and one above them."""
APART = Drawn(nodes=5, pairs=((0, 1), (1, 2), (3, 4)))


def nodes_of(mapping, network, tasks):
    return mapping.build(AllToAll(tasks=tasks).build(), network).nodes.tolist()


def graph_of(network):
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(range(network.vertices))
    graph.add_edges_from(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    return graph


def mean_hops(mapping, network, tasks):
    """Mean distance over ordered pairs of different tasks."""
    nodes = nodes_of(mapping, network, tasks)
    graph = csr_array((np.ones(network.links), (network.src, network.dst)))
    away = shortest_path(graph, unweighted=True, indices=nodes)[:, nodes]
    return away.sum() / (tasks * (tasks - 1))


def test_tree_on_the_small_case():
    network = SMALL.build()
    # 0; its neighbours 1, 20, 31; theirs: 2 of 1, then 7, 19 and 21 of 20.
    assert nodes_of(HierarchicalTree(), network, 8) == [0, 1, 20, 31, 2, 7, 19, 21]
    assert nodes_of(HierarchicalTree(root=5), network, 7) == [5, 4, 6, 7, 2, 3, 8]


def test_ring_on_the_small_case():
    network = SMALL.build()
    assert nodes_of(RingConsecutive(), network, 8) == list(range(8))
    assert nodes_of(RingConsecutive(start=30), network, 4) == [30, 31, 0, 1]
    # As the thesis states for its figure: 0 and 7 have distance 2, via 20.
    assert nx.shortest_path_length(graph_of(network), 0, 7) == 2


def test_stride_makes_a_smaller_circulant():
    network = Circulant(nodes=16, jumps=(1, 2, 4, 8)).build()
    nodes = nodes_of(CirculantStride(start=3), network, 8)
    assert nodes == [3, 5, 7, 9, 11, 13, 15, 1]
    place = {node: rank for rank, node in enumerate(nodes)}
    ours = nx.relabel_nodes(nx.DiGraph(graph_of(network).subgraph(nodes)), place)
    smaller = nx.DiGraph(graph_of(Circulant(nodes=8, jumps=(1, 2, 4)).build()))
    assert set(ours.edges) == set(smaller.edges)


@pytest.mark.parametrize("m", [1, 2, 8, 64])
def test_stride_of_every_node_is_the_ring(m):
    network = Circulant(nodes=64).build()
    nodes = nodes_of(CirculantStride(), network, m)
    assert nodes == [k * 64 // m for k in range(m)]


def test_only_hosts_get_tasks():
    network = TWO_LEAVES.build()
    assert nodes_of(HierarchicalTree(root=2), network, 4) == [2, 3, 0, 1]
    assert nodes_of(RingConsecutive(start=3), network, 2) == [3, 0]


@given(st.integers(0, 31), st.integers(2, 32), st.sampled_from(["ascending", "random"]), st.integers(0, 5))
def test_a_tree_grows_outwards_and_is_connected(root, tasks, order, seed):
    network = SMALL.build()
    graph = graph_of(network)
    nodes = nodes_of(HierarchicalTree(root=root, order=order, seed=seed), network, tasks)
    away = nx.single_source_shortest_path_length(graph, root)
    distances = [away[node] for node in nodes]
    assert nodes[0] == root
    assert distances == sorted(distances)
    # No nearer node is skipped, and each node except the root has a neighbour before it.
    assert all(away[node] >= distances[-1] for node in set(range(32)) - set(nodes))
    assert all(any(graph.has_edge(before, node) for before in nodes[:k]) for k, node in enumerate(nodes) if k)


def test_ranks_depth_first_on_the_small_case():
    network = SMALL.build()
    # 0; its neighbour 1 with its subtree, 2; then 20 with 7, 19 and 21; then 31.
    assert nodes_of(HierarchicalTree(ranks="depth-first"), network, 8) == [0, 1, 2, 20, 7, 19, 21, 31]
    assert nodes_of(HierarchicalTree(root=2, ranks="depth-first"), TWO_LEAVES.build(), 4) == [2, 3, 0, 1]


@given(st.integers(0, 31), st.integers(2, 32))
def test_ranks_depth_first_are_the_pre_order_of_the_tree(root, tasks):
    network = SMALL.build()
    tree = nx.bfs_tree(nx.DiGraph(graph_of(network)), root, sort_neighbors=sorted)
    chosen = set(nodes_of(HierarchicalTree(root=root), network, tasks))
    order = nodes_of(HierarchicalTree(root=root, ranks="depth-first"), network, tasks)
    assert order == [node for node in nx.dfs_preorder_nodes(tree, root) if node in chosen]


@given(st.integers(0, 31), st.integers(2, 32), st.integers(0, 5))
def test_ranks_depth_first_are_on_the_same_nodes_in_any_order(root, tasks, seed):
    network = SMALL.build()
    broad, deep = (
        nodes_of(HierarchicalTree(root=root, order="random", seed=seed, ranks=ranks), network, tasks)
        for ranks in ("breadth-first", "depth-first")
    )
    assert deep[0] == broad[0] == root
    assert sorted(deep) == sorted(broad)


def test_neighbours_in_random_order_are_reproducible():
    network = Circulant().build()
    first, again, other = (nodes_of(HierarchicalTree(order="random", seed=s), network, 12) for s in (1, 1, 2))
    assert first == again != other
    assert set(first[1:12]) == set(other[1:12]) == set(nodes_of(HierarchicalTree(), network, 12)[1:])


def test_random_chooses_nodes_too():
    network = Circulant(nodes=1024, jumps=(1, 2, 4)).build()
    nodes = nodes_of(Random(seed=5), network, 512)
    assert len(set(nodes)) == 512
    assert nodes != sorted(nodes)
    # About half of 512 are in the lower half of the machine; sequential would put all there.
    assert 200 < sum(node < 512 for node in nodes) < 312


@pytest.mark.parametrize("mapping", [HierarchicalTree(root=1), RingConsecutive(start=1), CirculantStride(start=1)])
def test_nodes_with_several_slots_are_filled_one_after_the_other(mapping):
    network = Torus(dims=(8,), slots_per_node=4).build()
    built = mapping.build(AllToAll(tasks=14).build(), network)
    assert len(set(built.nodes.tolist())) == 4
    assert built.nodes[:4].tolist() == [1] * 4
    assert built.slots[:4].tolist() == [4, 5, 6, 7]
    assert np.bincount(built.nodes).max() == 4


@pytest.mark.parametrize(
    ("mapping", "spec", "tasks", "field", "words"),
    [
        (HierarchicalTree(root=64), Circulant(), 4, "mapping.root", "nodes are 0 to 63"),
        (RingConsecutive(start=99), Circulant(), 4, "mapping.start", "nodes are 0 to 63"),
        (CirculantStride(start=64), Circulant(), 4, "mapping.start", "nodes are 0 to 63"),
        (CirculantStride(), Circulant(), 12, "mapping.type", "a power of two of nodes, but 12 tasks need 12"),
        (CirculantStride(), Torus(dims=(3, 5)), 4, "mapping.type", "a multiple of 4 nodes, not 15"),
        (HierarchicalTree(root=3), APART, 4, "mapping.root", "connected to only 2 nodes; 4 tasks need 4"),
        (HierarchicalTree(root=4), TWO_LEAVES, 3, "mapping.root", "nodes are 0 to 3"),
    ],
)
def test_refusals_name_the_field(mapping, spec, tasks, field, words):
    with pytest.raises(SpecError) as refusal:
        mapping.build(AllToAll(tasks=tasks).build(), spec.build())
    assert refusal.value.field == field
    assert words in refusal.value.message


@pytest.mark.parametrize("spec", [Percs(2), Torus(dims=(4, 4)), Mesh(dims=(3, 4)), Circulant()])
def test_all_orders_fill_a_complete_machine(spec):
    network = spec.build()
    job = Halo(1, network.slots).build()
    for mapping in (HierarchicalTree(), HierarchicalTree(order="random"), RingConsecutive(start=1)):
        assert sorted(mapping.build(job, network).slots.tolist()) == list(range(network.slots))


@pytest.mark.parametrize("tasks", [64, 128])
def test_ring_and_stride_on_a_circulant_are_closer_than_on_random_shortcuts(tasks):
    # Thesis, section 5.3.1: of 1,024 nodes up to 128 mapped ones are nearer than the 2.681 of random shortcuts, by
    # ring and by stride; at random they have the mean of the entire network, 3.4477, up to the variation of the draw.
    network = Circulant(nodes=1024, jumps=tuple(1 << k for k in range(10))).build()
    stride, ring_ = (mean_hops(m, network, tasks) for m in (CirculantStride(start=7), RingConsecutive(start=7)))
    assert stride == pytest.approx({64: 2.142857, 128: 2.464567}[tasks], abs=1e-6)
    assert stride < ring_ < 2.681
    assert mean_hops(Random(seed=1), network, tasks) == pytest.approx(3.4477, abs=0.05)


def broadcast(n):
    """Messages (from, to) of a binomial tree, n a power of two; the farthest first."""
    steps = [n >> step for step in range(1, n.bit_length())]
    return [(rank, rank + half) for half in steps for rank in range(0, n, 2 * half)]


def allreduce(n):
    return [(rank, rank ^ 1 << bit) for bit in range(n.bit_length() - 1) for rank in range(n)]


def alltoall(n):
    return [(rank, (rank + (1 << bit)) % n) for bit in range(n.bit_length() - 1) for rank in range(n)]


PUBLISHED = {
    # Tables 3.4 to 3.6, ranks in ascending order: Broadcast, Allreduce, Alltoall.
    "random": (Random(seed=4), (1373, 12308, 12347)),
    "tree": (HierarchicalTree(root=3), (1080, 11362, 11373)),
    "tree in random order": (HierarchicalTree(root=9, order="random", seed=2), (1080, 11362, 11373)),
    "ring": (RingConsecutive(start=100), (850, 11152, 11135)),
}


@pytest.fixture(scope="module")
def distances():
    """Distances on 1,024 nodes of degree 19 by random shortcuts, and the network."""
    network = Shortcut(nodes=1024, degree=19, seed=1).build()
    away, queue = np.zeros((1024, 1024), np.int32), np.zeros(1024, np.int32)
    for node in range(1024):
        distances_from(node, network.out_links, away[node], queue)
    return network, away


@pytest.mark.parametrize("name", PUBLISHED)
def test_collectives_take_the_published_hops(name, distances):
    # The thesis and an independent reference agree within 1 %; a single topology is within 2 % of both.
    (network, away), (mapping, published) = distances, PUBLISHED[name]
    nodes = mapping.build(AllToAll(tasks=512).build(), network).nodes
    for messages, hops in zip((broadcast(512), allreduce(512), alltoall(512)), published, strict=True):
        src, dst = np.array(messages).T
        assert away[nodes[src], nodes[dst]].sum() == pytest.approx(hops, rel=0.02)


@pytest.mark.parametrize("mapping", [CirculantStride(start=5), RingConsecutive()])
def test_collectives_on_a_circulant_take_the_minimum_of_hops(mapping):
    # Entire machine: n - 1, n log2 n, n log2 n; half of it by stride has the values for its own size (thesis, chapter
    # 4).
    for n, tasks in ((16, 16), (64, 64), (64, 32)):
        network = Circulant(nodes=n, jumps=tuple(1 << k for k in range(n.bit_length() - 1))).build()
        nodes = mapping.build(AllToAll(tasks=tasks).build(), network).nodes
        graph, steps = graph_of(network), tasks.bit_length() - 1
        away = dict(nx.all_pairs_shortest_path_length(graph))
        hops = [sum(away[nodes[u]][nodes[v]] for u, v in kind(tasks)) for kind in (broadcast, alltoall)]
        assert hops[0] == tasks - 1
        if tasks == n or isinstance(mapping, CirculantStride):
            assert hops[1] == tasks * steps
