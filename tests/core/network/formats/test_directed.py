"""Directed graphs are read by the same rule in all formats."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network.formats.directed import links_of_directed
from tests.core.network.formats.files import both, pairs, written

RING = [("a", "b"), ("b", "c"), ("c", "a")]
TREE = [("a", "b"), ("a", "c"), ("c", "d")]


def graphml(edges):
    return "\n".join(nx.generate_graphml(_graph(edges, "gbs")))


def gexf(edges):
    return "\n".join(nx.generate_gexf(_graph(edges, "bw")))


def dot(edges):
    return "digraph { " + " ".join(f"{u} -> {v} [bw={gbs}];" for u, v, gbs in edges) + " }"


def _graph(edges, key):
    graph = nx.MultiDiGraph() if len({edge[:2] for edge in edges}) < len(edges) else nx.DiGraph()
    for u, v, gbs in edges:
        graph.add_edge(u, v, **{key: float(gbs)})
    return graph


FORMATS = {"g.graphml": graphml, "g.gexf": gexf, "g.dot": dot}
every_format = pytest.mark.parametrize("name", FORMATS)


def network_of(folder, name, edges):
    wide = [(*edge, 2)[:3] for edge in edges]
    return written(folder, name, FORMATS[name](wide), hosts="all", gbs=2.0)


@every_format
def test_an_edge_and_its_opposite_are_one_bidirectional_link(tmp_path, name):
    network = network_of(tmp_path, name, [*RING, *((v, u) for u, v in RING)])
    assert pairs(network) == both(*RING)
    assert network.warnings == ()


@every_format
def test_edges_that_connect_strongly_are_one_way_links(tmp_path, name):
    network = network_of(tmp_path, name, [*RING, ("a", "c")])
    assert pairs(network) == sorted([*RING, ("a", "c")])
    assert network.warnings == ()


@every_format
@pytest.mark.parametrize(
    ("edges", "words"),
    [
        (TREE, "is directed, but 3 edges have no opposite; all links are read as bidirectional"),
        ([*RING, ("c", "d")], "is directed, but 4 edges have no opposite; all links are read as bidirectional"),
        (
            [*TREE, ("b", "a"), ("c", "a")],
            "is directed, but 1 edge has no opposite; all links are read as bidirectional",
        ),
    ],
)
def test_other_edges_are_bidirectional_with_a_warning(tmp_path, name, edges, words):
    network = network_of(tmp_path, name, edges)
    assert pairs(network) == both(*{tuple(sorted(edge)) for edge in edges})
    assert network.warnings == (words,)


@every_format
def test_two_directions_may_have_two_bandwidths(tmp_path, name):
    edges = [("a", "b", 2), ("b", "a", 3), ("b", "c", 2), ("c", "b", 2)]
    network = network_of(tmp_path, name, edges)
    ends = [(network.label(u), network.label(v)) for u, v in zip(network.src, network.dst, strict=True)]
    assert sorted((*end, gbs) for end, gbs in zip(ends, network.gbs.tolist(), strict=True)) == sorted(edges)


@pytest.mark.parametrize("way", ["both", "none"])
def test_edges_of_a_digraph_may_be_bidirectional(tmp_path, way):
    for text in (
        f"digraph {{ a -> b -> c [dir={way}]; c -> d [dir=back]; c -> d }}",
        f"digraph {{ edge [dir={way}]; a -> {{b c}}; c -> d }}",
        "digraph { a -- b; b -- c; c -> d; d -> c }",
    ):
        network = written(tmp_path, "g.dot", text, hosts="all")
        assert network.warnings == ()
        assert sorted(pairs(network)) == sorted((v, u) for u, v in pairs(network))
    assert pairs(network) == both(("a", "b"), ("b", "c"), ("c", "d"))


def test_a_strict_digraph_has_an_edge_each_way_once(tmp_path):
    network = written(tmp_path, "g.dot", "strict digraph { a -> b; a -> b; b -> a; b -> c -> b }", hosts="all")
    assert pairs(network) == both(("a", "b"), ("b", "c"))


def netjson(edges):
    nodes = ", ".join(f'{{"id": "{name}"}}' for name in sorted({end for edge in edges for end in edge}))
    links = ", ".join(f'{{"source": "{u}", "target": "{v}"}}' for u, v in edges)
    return f'{{"type": "NetworkGraph", "nodes": [{nodes}], "links": [{links}]}}'


LISTS = {"g.edges": lambda edges: "\n".join(map(" ".join, edges)), "g.json": netjson}


@pytest.mark.parametrize("name", LISTS)
def test_lists_of_every_pair_in_both_directions_are_directed(tmp_path, name):
    twice = [*TREE, *((v, u) for u, v in TREE)]
    network = written(tmp_path, name, LISTS[name](twice), hosts="all")
    assert pairs(network) == both(*TREE)
    assert network.warnings == ("lists every pair in both directions: together they are one link",)
    once = written(tmp_path, name, LISTS[name](TREE), hosts="all")
    assert (pairs(once), once.warnings) == (both(*TREE), ())
    some = written(tmp_path, name, LISTS[name](twice[:-1]), hosts="all")
    assert pairs(some) == both(*TREE, *TREE[:-1])


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda edge: edge[0] != edge[1]), min_size=1))
def test_links_match_the_components_of_networkx(edges):
    src, dst = (np.array(end, np.int32) for end in zip(*edges, strict=True))
    links_read = links_of_directed(src, dst, np.ones(src.size), 5)
    ends = list(zip(links_read.src.tolist(), links_read.dst.tolist(), strict=True))
    links = sorted(ends if links_read.directed else [*ends, *((v, u) for u, v in ends)])
    graph = nx.MultiDiGraph(edges)
    mirrored = sorted(edges) == sorted((v, u) for u, v in edges)
    pieces = nx.number_weakly_connected_components(graph)
    if mirrored or nx.number_strongly_connected_components(graph) == pieces:
        assert links == sorted(edges)
        assert links_read.warnings == ()
    else:
        both_ways = {}
        for u, v in edges:
            times = max(edges.count((u, v)), edges.count((v, u)))
            both_ways[u, v] = both_ways[v, u] = times
        assert links == sorted(pair for pair, times in both_ways.items() for _ in range(times))
        assert links_read.warnings
