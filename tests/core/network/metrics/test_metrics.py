"""Network metrics: the papers' figures, and networkx on random graphs."""

from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network.families.circulant import Circulant
from core.network.families.clex import Clex
from core.network.families.complete import Complete
from core.network.families.dragonfly import Dragonfly
from core.network.families.fat_tree import FatTree
from core.network.families.hypercube import Hypercube
from core.network.families.shortcut import Shortcut
from core.network.families.torus import Mesh, Torus
from core.network.layouts.ring import ring
from core.network.metrics.bfs import MAX_SOURCES
from core.network.metrics.metrics import distances, measure
from core.network.wiring import EdgeList, network_from_edges
from core.spec import Cancelled
from tests.core.network.families.test_clex import UNIT_CASES


def powers(nodes):
    return Circulant(nodes=nodes, jumps=tuple(1 << k for k in range(nodes.bit_length() - 1)))


# Links, diameter, sum of distances over ordered pairs.
UNDIRECTED = (
    (Torus((4, 4)), 32, 4, 512),
    (Torus((3, 5)), 30, 3, 420),
    (Mesh((3, 4)), 17, 5, 308),
    (Torus((2, 4)), 12, 3, 96),
    (powers(16), 56, 2, 16 * 23),
    (Dragonfly(routers=4, global_links=2, groups=9, arrangement="relative"), 90, 3, 2952),
    (Dragonfly(routers=4, global_links=2, groups=9, arrangement="absolute"), 90, 3, 2964),
    (FatTree(arity=4, levels=2), 32, 4, 864),
    (Hypercube(dimensions=3), 12, 3, 8 * 12),
    (Complete(nodes=7), 21, 1, 42),
)


@pytest.mark.parametrize(("spec", "links", "diameter", "total"), UNDIRECTED, ids=lambda x: getattr(x, "title", str(x)))
def test_metrics_match_the_papers(spec, links, diameter, total):
    metrics = measure(spec.build())
    assert (metrics.links, metrics.diameter, metrics.distance_sum) == (links, diameter, total)
    assert metrics.connected
    assert metrics.aspl == Fraction(total, metrics.nodes * (metrics.nodes - 1))


@pytest.mark.parametrize(
    ("nodes", "degree", "links", "diameter", "aspl"),
    [
        (64, 11, 352, 3, 2.142857),
        (256, 15, 1920, 4, 2.788235),
        (1024, 19, 9728, 5, 3.447703),
        (4096, 23, 47104, 6, 4.112088),
    ],
)
def test_circulant_networks_of_powers_of_two(nodes, degree, links, diameter, aspl):
    metrics = measure(powers(nodes).build())
    assert (metrics.degree_min, metrics.degree_max, metrics.links, metrics.diameter) == (
        degree,
        degree,
        links,
        diameter,
    )
    assert float(metrics.aspl) == pytest.approx(aspl, abs=5e-7)
    # The closed form of the distance sum from one node.
    k = nodes.bit_length() - 1
    assert metrics.distance_sum == nodes * ((3 * k + 1) * 2**k - (-1) ** k) // 9


@pytest.mark.parametrize(
    ("nodes", "degree", "links", "diameter", "aspl"), [(64, 11, 352, 3, 1.925), (1024, 19, 9728, 4, 2.681)]
)
def test_random_shortcuts(nodes, degree, links, diameter, aspl):
    metrics = measure(Shortcut(nodes=nodes, degree=degree).build())
    assert (metrics.degree_max, metrics.links, metrics.diameter) == (degree, links, diameter)
    assert float(metrics.aspl) == pytest.approx(aspl, rel=0.01)


@pytest.mark.parametrize(
    ("k", "levels", "nodes", "directed", "degree", "loops", "arcs", "diameter", "aspl"), UNIT_CASES
)
def test_one_way_links_parallel_links_and_loops_of_clex(
    k, levels, nodes, directed, degree, loops, arcs, diameter, aspl
):
    metrics = measure(Clex(k=k, levels=levels).build())
    assert (metrics.nodes, metrics.directed_links, metrics.loops, metrics.arcs) == (nodes, directed, loops, arcs)
    assert (metrics.degree_min, metrics.degree_max) == (degree, degree)
    assert (metrics.diameter, metrics.aspl) == (diameter, aspl)
    # A pair with arcs in both directions is one.
    assert arcs / 2 < metrics.links < arcs


@pytest.mark.parametrize(("k", "levels", "diameter", "aspl"), [(4, 2, 3, Fraction(11, 5)), (3, 3, 6, Fraction(10, 3))])
def test_fat_links_of_clex(k, levels, diameter, aspl):
    metrics = measure(Clex(k=k, levels=levels, fat_links=True).build())
    assert (metrics.diameter, metrics.aspl) == (diameter, aspl)


def test_switches_forward_and_are_counted_separately():
    tree = measure(FatTree(arity=4, levels=2).build())
    assert (tree.nodes, tree.switches, tree.degree_min, tree.degree_max) == (16, 8, 1, 8)
    flat = measure(Torus((4, 4)).build())
    assert (flat.nodes, flat.switches) == (16, 16)


def test_parallel_links_are_one_pair_and_two_ports():
    metrics = measure(Torus((2, 4)).build())
    assert (metrics.links, metrics.directed_links, metrics.arcs, metrics.degree_max) == (12, 32, 24, 4)


def test_disconnected_nodes_have_no_distances():
    pieces = network_from_edges(Circulant(), 4, [pairs_of([(0, 1), (2, 3)])], ring, slots=1)
    metrics = measure(pieces)
    assert (metrics.connected, metrics.diameter, metrics.aspl) == (False, None, None)
    assert (metrics.pairs, metrics.distance_sum) == (4, 4)


def test_a_path_in_one_direction_only_does_not_connect():
    metrics = measure(network_from_edges(Circulant(), 3, [pairs_of([(0, 1), (1, 2)], one_way=True)], ring, slots=1))
    assert (metrics.connected, metrics.pairs, metrics.distance_sum, metrics.degree_min) == (False, 3, 4, 0)


def pairs_of(pairs, one_way=False):
    u, v = np.array(pairs, np.int32).reshape(-1, 2).T
    return EdgeList("link", 1.0, u, v, one_way)


@st.composite
def graphs(draw):
    """Nodes, switches, links in both directions, and one-way links, including loops and parallel links."""
    nodes, switches = draw(st.integers(2, 12)), draw(st.integers(0, 6))
    vertex = st.integers(0, nodes + switches - 1)
    pairs = st.lists(st.tuples(vertex, vertex), max_size=30)
    return nodes, switches, draw(pairs), draw(pairs)


@given(graphs())
def test_metrics_of_random_graphs_match_networkx(graph):
    nodes, switches, both, single = graph
    edges = [pairs_of(both), pairs_of(single, one_way=True)]
    metrics = measure(network_from_edges(Circulant(), nodes, edges, ring, slots=1, switches=switches))
    oracle = nx.MultiDiGraph()
    oracle.add_nodes_from(range(nodes + switches))
    oracle.add_edges_from([*both, *((v, u) for u, v in both), *single])
    distances = {
        (u, v): hops
        for u, row in nx.all_pairs_shortest_path_length(oracle)
        for v, hops in row.items()
        if u != v and u < nodes and v < nodes
    }
    assert (metrics.pairs, metrics.distance_sum) == (len(distances), sum(distances.values()))
    connected = len(distances) == nodes * (nodes - 1)
    assert metrics.diameter == (max(distances.values()) if connected else None)
    assert (metrics.aspl is None) == (not connected)
    degrees = [degree for _, degree in oracle.out_degree()]
    assert (metrics.degree_min, metrics.degree_max) == (min(degrees), max(degrees))
    assert (metrics.directed_links, metrics.loops) == (oracle.number_of_edges(), nx.number_of_selfloops(oracle))
    simple = nx.DiGraph(oracle)
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    assert (metrics.arcs, metrics.links) == (simple.number_of_edges(), simple.to_undirected().number_of_edges())


@pytest.mark.parametrize("nodes", [MAX_SOURCES - 1, MAX_SOURCES, MAX_SOURCES + 1, 64, 65, 2 * MAX_SOURCES + 63])
def test_sources_may_fill_a_search_partly(nodes):
    metrics = measure(Circulant(nodes=nodes, jumps=(1, 7)).build())
    distances = nx.single_source_shortest_path_length(nx.circulant_graph(nodes, [1, 7]), 0)
    assert metrics.distance_sum == nodes * sum(distances.values())
    assert metrics.diameter == max(distances.values())


def test_progress_rises_to_the_end():
    told = []
    measure(Shortcut(nodes=1024).build(), told.append)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    assert len([fraction for fraction in told if 0 < fraction < 0.8]) > 2


@pytest.mark.parametrize("where", [0.0, 0.5, 0.85])
def test_measuring_stops_when_cancelled(where):
    def stop(fraction):
        if fraction >= where:
            raise Cancelled

    with pytest.raises(Cancelled):
        measure(Torus((32, 32)).build(), stop)


@pytest.mark.parametrize(
    "spec",
    [
        Torus((3, 4, 5)),
        Torus((2, 7), wrap=(True, False)),
        Torus((1, 6, 4), wrap=(False, False, True)),
        Mesh((5, 4)),
        Mesh((1, 3)),
        Hypercube(dimensions=5),
        Circulant(15, (1, 4)),
        Complete(7),
        FatTree(arity=3, levels=3),
        FatTree(arity=4, levels=1),
        Clex(k=2, levels=4),
        Clex(k=3, levels=3),
        Clex(k=5, levels=2),
        Clex(k=4, levels=3, fat_links=True),
        *(
            Dragonfly(routers=3, global_links=h, groups=g, nodes_per_router=p, arrangement=how)
            for h, g, p in ((2, 7, 1), (2, 4, 1), (3, 5, 2), (1, 4, 2), (3, 4, 1))
            for how in ("relative", "cyclic")
        ),
    ],
    ids=repr,
)
def test_representatives_have_the_distances_of_their_class(spec):
    network = spec.build()
    node, count = network.symmetry
    assert count.sum() == network.nodes
    assert np.unique(node).size == node.size <= network.nodes
    assert distances(network) == distances(replace(network, symmetry=None))


def test_each_node_is_searched_without_symmetry():
    assert Dragonfly(arrangement="absolute").build().symmetry is None
    assert Shortcut().build().symmetry is None
    assert Clex(k=3, levels=8).build().symmetry is None


def test_calls_that_hold_the_gil_have_few_values(monkeypatch):
    # numpy's unique, unless it is asked for indices too, would stop the window for seconds.
    plain, sizes = np.unique, []

    def watched(values, **wanted):
        if not wanted:
            sizes.append(np.size(values))
        return plain(values, **wanted)

    monkeypatch.setattr(np, "unique", watched)
    measure(Complete(nodes=60).build())
    assert max(sizes, default=0) < 60
