"""Edge lists: names of any kind, bandwidths, and invalid lines."""

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Edges
from core.network.formats import parsed_graph as graphs
from core.network.formats import read_graph
from core.spec import SpecError
from tests.core.network.formats.files import both, names, pairs, written


@given(st.integers(0, 1 << 20), st.integers(2, 12))
def test_a_list_written_by_networkx_is_read(empty_folder, seed, nodes):
    folder = empty_folder()
    graph = nx.gnp_random_graph(nodes, 0.5, seed)
    graph.add_edge(0, nodes - 1)
    nx.write_edgelist(graph, folder / "graph.txt", data=False)
    network = Edges(file="graph.txt").build(folder)
    assert pairs(network) == both(*((str(u), str(v)) for u, v in graph.edges))
    assert names(network) == [str(node) for node in sorted(graph) if graph.degree(node)]


def test_comments_empty_lines_tabs_and_a_byte_order_mark_are_skipped(tmp_path):
    text = b"\xef\xbb\xbf# a graph\r\n\r\n10\t2 # the first\r\n  2 9   \r\n"
    network = written(tmp_path, "g.edges", text)
    assert names(network) == ["2", "9", "10"]
    assert pairs(network) == both(("10", "2"), ("2", "9"))


def test_names_that_are_not_numbers_keep_the_order_of_the_file(tmp_path):
    assert names(written(tmp_path, "g.txt", "b a\na 3\n")) == ["b", "a", "3"]


def test_commas_and_semicolons_separate_words_in_csv_files(tmp_path):
    network = written(tmp_path, "g.csv", "a, b,2.5\nb;c\n", gbs=1.0)
    assert pairs(network) == both(("a", "b"), ("b", "c"))
    assert [(c.name, c.gbs, c.count) for c in network.classes] == [("link 2.5 GB/s", 2.5, 2), ("link 1 GB/s", 1.0, 2)]


def test_bandwidths_form_classes_widest_first(tmp_path):
    network = written(tmp_path, "g.txt", "0 1 5\n1 2\n2 3 12.5\n3 0 5e0\n")
    assert [(c.name, c.gbs, c.count) for c in network.classes] == [
        ("link 12.5 GB/s", 12.5, 4),
        ("link 5 GB/s", 5.0, 4),
    ]
    assert pairs(network) == both(("0", "1"), ("1", "2"), ("2", "3"), ("3", "0"))


def test_a_pair_listed_twice_is_two_links_with_a_warning(tmp_path):
    network = written(tmp_path, "g.txt", "0 1\n1 2\n1 0\n0 1\n")
    assert pairs(network) == both(("0", "1"), ("0", "1"), ("0", "1"), ("1", "2"))
    assert network.warnings == ("lists 1 pair of vertices more than once, which gives parallel links",)


def test_a_line_with_one_name_is_a_vertex(tmp_path):
    network = written(tmp_path, "g.txt", "7\n0 1\n1\n")
    assert names(network) == ["0", "1", "7"]
    assert network.warnings == ("has 2 connected components, with no path between 0 and 7",)


def test_coordinates_are_positions(tmp_path):
    # Graph Golf's grid graphs, row by row.
    network = written(tmp_path, "grid.txt", "0,0 2,0\n2,0 2,1\n2,1 0,1\n0,1 0,0\n10,0 2,0\n")
    assert names(network) == ["0,0", "2,0", "10,0", "0,1", "2,1"]
    steps = network.layout.positions - network.layout.positions[0]
    assert steps[:, :2].tolist() == [[0, 0], [2, 0], [10, 0], [0, 1], [2, 1]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 1\n1 2 x\n", r"line 2: 'x' is not a bandwidth; give GB/s from 1e-06 to 1e\+06, or two names only"),
        ("0 1 0\n", "line 1: '0' is not a bandwidth"),
        ("0 1 nan\n", "line 1: 'nan' is not a bandwidth"),
        ("0 1 inf\n", "line 1: 'inf' is not a bandwidth"),
        ("0 1\n\n# x\n3 3\n", "line 4: links '3' to itself; remove the line"),
        ("0 1 2 3\n", r"line 1: has 4 words; give two names and optionally the bandwidth in GB/s"),
        ("a,b\n", "line 1: 'a,b' is one word; separate the two names by a space, or use a .csv file"),
        ("0,1\n1,2\n", "line 1: '0,1' is one word; separate the two names by a space"),
        ("0 1\n1,2\n2 3\n", "line 2: '1,2' is one word"),
        ("", "has no edges; give a line with two names for each edge"),
        ("# nothing\n5\n", "has no edges"),
        (b"0 1\n\xff\xfe\x00\n", "line 2: not valid UTF-8"),
        ("x" * 99 + " " + "x" * 99, "line 1: links 'x{39}…' to itself"),
    ],
)
def test_errors_are_one_line(tmp_path, text, words):
    with pytest.raises(SpecError, match=words) as refusal:
        written(tmp_path, "g.txt", text)
    assert refusal.value.field == "network.file"
    assert "\n" not in str(refusal.value)


def test_too_long_lists_are_not_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr(graphs, "MAX_EDGES", 3)
    with pytest.raises(SpecError, match="has 5 edges; at most 3 are supported"):
        written(tmp_path, "g.txt", "0 1\n" * 4)


@pytest.mark.parametrize("text", ["source;target;weight\n0;1;5\n1;2;6\n", "from,to,gbs\n0,1,5\n1,2,6\n"])
def test_column_names_are_not_an_edge(tmp_path, text):
    (tmp_path / "g.csv").write_text("\ufeff" + text, encoding="utf-8")
    graph = read_graph("g.csv", tmp_path)
    assert graph.names == ["0", "1", "2"]
    assert graph.gbs.tolist() == [5, 6]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"\x89PNG\r\n\x1a\n", "this is a PNG image; give an edge list"),
        (b'{"fabriscope": 1}', "this is a scenario file; give"),
        (b"%%MatrixMarket matrix coordinate real general\n", "this is a Matrix Market file"),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path, content, words):
    (tmp_path / "g.csv").write_bytes(content)
    with pytest.raises(SpecError, match=words):
        read_graph("g.csv", tmp_path)
