"""Graphs from files: their format, which vertices host tasks, in which groups; and missing files."""

from collections import Counter
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Edges
from core.spec import SpecError
from tests.core.network.formats.files import both, names, pairs, written

TREE = "r a\nr b\na 1 5\na 2 5\nb 3 5\nb 4 5\n"
GRAPHML = "\n".join(nx.generate_graphml(nx.path_graph(["x", "y", "z"])))
CLUSTER = (
    '<platform><cluster id="c" topology="TORUS" topo_parameters="3" radical="0-2" prefix="n" bw="1GBps"/></platform>'
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 1\n1 2\n", ["0", "1", "2"]),
        (GRAPHML, ["x", "y", "z"]),
        (CLUSTER, ["n0", "n1", "n2"]),
        ("\ufeff <?xml version='1.0'?>\n<!-- <graphml> -->\n" + CLUSTER, ["n0", "n1", "n2"]),
    ],
)
def test_the_format_is_detected_from_the_content(tmp_path, text, expected):
    if text.startswith("\ufeff"):
        text = text.replace("\ufeff ", "\ufeff")
    assert names(written(tmp_path, "graph.dat", text)) == expected


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ("graphml", "cannot be read as GraphML"),
        ("simgrid", "cannot be read as XML"),
        ("auto", "begins with the XML element <svg>; give an edge list, GraphML, GEXF"),
        ("edge-list", "line 1: '<svg/>' is one word|has no edges"),
    ],
)
def test_a_format_that_does_not_match_the_file_is_refused(tmp_path, form, words):
    text = "0 1\n" if form in ("graphml", "simgrid") else "<svg/>"
    with pytest.raises(SpecError, match=words):
        written(tmp_path, "graph.dat", text, format=form)


def test_leaves_host_tasks_if_chosen(tmp_path):
    network = written(tmp_path, "g.txt", TREE, hosts="leaves", slots_per_node=3)
    assert names(network) == ["1", "2", "3", "4", "r", "a", "b"]
    assert (network.nodes, network.slots) == (4, 12)
    assert [(c.name, c.gbs, c.count) for c in network.classes] == [("switch link", 12.5, 4), ("node link", 5.0, 8)]
    assert [(level.name, level.group.tolist()) for level in network.levels] == [("switch", [0, 0, 1, 1])]
    assert network.group_of.tolist() == [0, 0, 1, 1, 2, 0, 1]
    assert [network.group_name(group) for group in range(network.groups)] == ["switch a", "switch b", "switch r"]
    assert pairs(network) == both(*(tuple(line.split()[:2]) for line in TREE.splitlines()))


def test_all_vertices_host_tasks_by_default(tmp_path):
    network = written(tmp_path, "g.txt", TREE)
    assert network.nodes == network.vertices == 7
    assert [c.name for c in network.classes] == ["link 12.5 GB/s", "link 5 GB/s"]
    assert network.levels == ()


@pytest.mark.parametrize("text", ["s a\ns b\nt c\ns t\n", "s a\ns b\ns t\nt c\nt d\na t\n"])
def test_uneven_groups_are_not_a_level(tmp_path, text):
    graph = nx.parse_edgelist(text.splitlines())
    hosts = {name for name in graph if name in "abcd"}
    nx.set_node_attributes(graph, {name: "host" if name in hosts else "switch" for name in graph}, "role")
    nx.write_graphml_xml(graph, tmp_path / "g.graphml")
    network = Edges(file="g.graphml").build(tmp_path)
    assert network.nodes == len(hosts)
    assert network.levels == ()


def test_links_between_hosts_are_a_separate_class(tmp_path):
    graph = nx.Graph([("a", "b"), ("a", "s"), ("b", "s"), ("s", "t")])
    nx.set_node_attributes(graph, {"a": "host", "b": "host", "s": "switch", "t": "switch"}, "role")
    nx.write_graphml_xml(graph, tmp_path / "g.graphml")
    network = Edges(file="g.graphml").build(tmp_path)
    assert {c.name: c.count for c in network.classes} == {"switch link": 2, "node link": 4, "direct link": 2}


def test_similar_bandwidths_have_different_names(tmp_path):
    network = written(tmp_path, "g.txt", "0 1 12.50000001\n1 2 12.5\n")
    assert [c.name for c in network.classes] == ["link 12.50000001 GB/s", "link 12.5 GB/s"]
    assert len(Counter(c.name for c in network.classes)) == 2


def test_too_many_bandwidths_are_refused(tmp_path):
    lines = "".join(f"{i} {i + 1} {i + 1}\n" for i in range(25))
    with pytest.raises(SpecError, match="has 25 kinds and bandwidths of links; at most 24 are supported"):
        written(tmp_path, "g.txt", lines)


def test_names_are_short_and_on_one_line(tmp_path):
    graph = nx.Graph([("one\ntwo", "x" * 99)])
    nx.write_graphml_xml(graph, tmp_path / "g.graphml")
    assert names(Edges(file="g.graphml").build(tmp_path)) == ["one two", "x" * 64]


WORDS = ["0", "1", "2", "a", "-1", "1e999", "nan", ",", "0,1", "#", "<", "\n", "\n", " ", "\t", "\x00", "é"]
TAGS = ["<graphml>", "<graph edgedefault='directed'>", "<node id='a'/>", "<edge source='a' target='b'/>", "</graph>"]
TAGS += [
    "</graphml>",
    "<platform>",
    "</platform>",
    "<cluster radical='0-3' bw='1GBps'/>",
    "<data key='role'>host</data>",
]
TAGS += ["<key id='gbs' for='edge' attr.name='gbs' attr.type='double'/>", "<data key='gbs'>x</data>", "<!--", "-->"]


@given(st.lists(st.sampled_from(WORDS)) | st.lists(st.sampled_from(TAGS), max_size=12), st.binary(max_size=3))
def test_any_file_is_built_or_refused_in_one_line(empty_folder, parts, tail):
    folder = empty_folder()
    for form in ("auto", "edge-list", "graphml", "simgrid"):
        network, refusal = None, SpecError("network", "")
        try:
            network = written(folder, "graph.dat", "".join(parts).encode() + tail, format=form)
        except SpecError as error:
            refusal = error
        assert refusal.field in ("network", "network.file")
        assert len(str(refusal).splitlines()) == 1
        assert network is None or np.isfinite(network.layout.positions).all()


def test_disconnected_parts_are_counted_and_named(tmp_path):
    network = written(tmp_path, "g.txt", "0 1\n2 3\n4 5\n6 7\n")
    assert network.warnings == ("has 4 connected components, with no path between 0 and 2, 3, 4, 5 ...",)
    assert np.isfinite(network.layout.positions).all()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (None, "choose a file in the scenario's folder"),
        ("", "choose a file in the scenario's folder"),
        ("nowhere.txt", "no such file in the scenario's folder: 'nowhere.txt'"),
        ("../elsewhere.txt", "is outside the scenario's folder; copy it there"),
        (".", "'.' is a folder; choose a file in it"),
        ("a\0b", "is not a valid path"),
        ("fabriscope:nowhere.txt", "no such file in the program: 'nowhere.txt'"),
        ("fabriscope:../presets/infiniband-fat-tree.fabriscope.json", "is outside the scenario's folder"),
        ("fabriscope:/etc/passwd", "'/etc/passwd' is outside the scenario's folder"),
    ],
)
def test_missing_files_are_refused(tmp_path, name, words):
    with pytest.raises(SpecError, match=words) as refusal:
        Edges(file=name).build(tmp_path)
    assert refusal.value.field == "network.file"


@pytest.mark.parametrize("folder", [None, Path("/nowhere")])
def test_files_of_the_program_are_found_from_any_folder(folder):
    assert Edges(file="fabriscope:fat-tree-64/ibnetdiscover.txt").build(folder).nodes == 64


def test_a_scenario_that_was_never_saved_has_no_folder():
    with pytest.raises(SpecError, match="save the scenario first"):
        Edges(file="g.txt").build()


def test_files_that_are_too_large_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("core.network.formats.MAX_BYTES", 1 << 20)
    (tmp_path / "g.txt").write_bytes(b"0 1\n" * (1 << 19))
    with pytest.raises(SpecError, match=r"'g\.txt' has 2 MiB; the limit is 1 MiB"):
        Edges(file="g.txt").build(tmp_path)


def test_the_summary_names_the_file():
    assert Edges(file="rack.graphml").summary() == "graph from rack.graphml"
    assert Edges().summary() == "an edge list, GraphML, or a Slurm or InfiniBand topology ..."
