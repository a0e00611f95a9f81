"""GraphML: graphs written by networkx are read again, with roles, bandwidths and positions."""

import networkx as nx
import pytest

from core.network import Edges
from core.network.formats import parsed_graph as graphs
from core.spec import SpecError
from tests.core.network.formats.files import both, names, pairs, written


def network_of(folder, graph, **fields):
    nx.write_graphml_xml(graph, folder / "graph.graphml")
    return Edges(file="graph.graphml", **fields).build(folder)


def star():
    graph = nx.Graph()
    graph.add_node("s", role="switch")
    for host in "abc":
        graph.add_node(host, role="host")
        graph.add_edge(host, "s")
    return graph


def test_hosts_come_first(tmp_path):
    network = network_of(tmp_path, star(), gbs=2.0)
    assert names(network) == ["a", "b", "c", "s"]
    assert (network.nodes, network.vertices, network.slots) == (3, 4, 3)
    assert pairs(network) == both(("a", "s"), ("b", "s"), ("c", "s"))
    assert [(c.name, c.gbs) for c in network.classes] == [("node link", 2.0)]


@pytest.mark.parametrize("key", ["gbs", "bandwidth", "weight"])
def test_bandwidth_of_edges(tmp_path, key):
    graph = nx.Graph([("a", "b"), ("b", "c")])
    graph.edges["a", "b"][key] = 25.0
    assert [(c.gbs, c.count) for c in network_of(tmp_path, graph, gbs=3.0).classes] == [(25.0, 2), (3.0, 2)]


def test_the_first_of_several_names_of_the_bandwidth_counts(tmp_path):
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=1, gbs=7.5)
    assert network_of(tmp_path, graph).classes[0].gbs == 7.5


def test_directed_edges_are_one_way(tmp_path):
    network = network_of(tmp_path, nx.DiGraph([("a", "b"), ("b", "c"), ("c", "a"), ("a", "c")]))
    assert pairs(network) == [("a", "b"), ("a", "c"), ("b", "c"), ("c", "a")]
    assert network.warnings == ()


def test_parallel_edges_are_kept_with_a_warning(tmp_path):
    network = network_of(tmp_path, nx.MultiGraph([("a", "b"), ("a", "b"), ("b", "c")]))
    assert pairs(network) == both(("a", "b"), ("a", "b"), ("b", "c"))
    assert "1 pair of vertices" in network.warnings[0]


def test_positions_are_kept_if_all_vertices_have_them(tmp_path):
    graph = nx.Graph([("a", "b"), ("b", "c")])
    for name, (x, y) in {"a": (0.0, 0.0), "b": (10.0, 0.0), "c": (10.0, 20.0)}.items():
        graph.add_node(name, x=x, y=y)
    steps = network_of(tmp_path, graph).layout.positions[:, :2]
    assert (steps - steps[0]).tolist() == [[0, 0], [1, 0], [1, 2]]
    del graph.nodes["c"]["y"]
    assert network_of(tmp_path, graph).layout.positions.shape == (3, 3)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda graph: graph.edges["a", "s"].update(gbs=-1.0),
            "the edge 's' – 'a' has the bandwidth '-1.0'; give GB/s",
        ),
        (lambda graph: graph.add_edge("b", "b"), "links 'b' to itself; remove such links"),
        (lambda graph: graph.remove_node("s"), "has no edges"),
        (lambda graph: [graph.nodes[v].update(role="switch") for v in "ab"], "has 1 vertex that hosts tasks"),
    ],
)
def test_errors_are_one_line(tmp_path, change, words):
    graph = star()
    change(graph)
    with pytest.raises(SpecError, match=words) as refusal:
        network_of(tmp_path, graph)
    assert refusal.value.field == "network.file"


BOMB = '<?xml version="1.0"?><!DOCTYPE graphml [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><graphml>&b;</graphml>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<graphml><graph>", "cannot be read as GraphML: no element found"),
        ("<graphml/>", "cannot be read as GraphML: "),
        (BOMB, "declares XML entities"),
        (b"<graphml>\xff</graphml>", "line 1: not valid UTF-8"),
    ],
)
def test_broken_files_are_refused(tmp_path, text, words):
    with pytest.raises(SpecError, match=words) as refusal:
        written(tmp_path, "g.graphml", text)
    assert "\n" not in str(refusal.value)


def test_files_with_too_many_edges_are_not_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr(graphs, "MAX_EDGES", 2)
    with pytest.raises(SpecError, match="has 3 edges; at most 2 are supported"):
        network_of(tmp_path, star())


def test_an_attribute_is_a_role_only_if_all_its_values_are(tmp_path):
    graph = star()
    nx.set_node_attributes(graph, {"a": "Green Node", "s": "switch"}, "type")
    network = network_of(tmp_path, graph)
    assert (network.nodes, network.vertices) == (3, 4)
    words = "attribute 'type' is not read as a role, host or switch: it has values such as 'Green Node'"
    assert network.warnings == (words,)
    for name in graph:
        del graph.nodes[name]["role"]
    assert network_of(tmp_path, graph).nodes == 4


def test_vertices_without_a_role_are_nodes_if_they_have_a_single_link(tmp_path):
    graph = star()
    graph.nodes["a"].clear()
    network = network_of(tmp_path, graph)
    assert (network.nodes, network.vertices) == (3, 4)
    words = "1 of 4 vertices has no role: vertices with a single link are nodes, others switches"
    assert network.warnings == (words,)
