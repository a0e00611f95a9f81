"""DOT: the grammar of Graphviz, in time linear in the text."""

from contextlib import suppress

import pytest

from core.network.formats import read_graph
from core.spec import SpecError
from tests.core.network.formats.files import both, names, pairs, written
from tests.core.work import lines_run


def read(folder, text):
    """The graph of a DOT text."""
    (folder / "g.dot").write_text(text)
    return read_graph("g.dot", folder)


def links(graph):
    """The pairs of linked vertices by name, in the order of the file, with bandwidths."""
    ends = zip(graph.src.tolist(), graph.dst.tolist(), graph.gbs.tolist(), strict=True)
    return [(graph.names[u] + graph.names[v], gbs) for u, v, gbs in ends]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("graph { a -- b -- c }", "ab bc"),
        ("DiGraph g { a -> b; b -> c }", "ab bc"),
        ("graph { a -- {b c} -- d }", "ab ac bd cd"),
        ("graph { a, b:p -- c, d; e, f -- a }", "ac ad bc bd ea fa"),
        ("graph { subgraph s { a b } -- subgraph { c -- d } }", "cd ac ad bc bd"),
        ("graph { a -- b a -- b }", "ab ab"),
        ("strict graph { a -- b; b -- a; a -- b -- c }", "ab bc"),
        ('graph "g" { "a" -- b:east:ne; "b":1 -- c [label=""]; }', "ab bc"),
        ('graph { "x" + "y" -- "z\\\nw" }', "xyzw"),
        ("// one\n# two\ngraph { /* three -- \n four */ a -- b // five\n}", "ab"),
        ("graph { rankdir=LR; splines = true a -- b; graph [x=1, y=2; z=3] }", "ab"),
        ("graph { a [label=<<b>x</b> -- <i/>>]; a -- b }", "ab"),
        ("graph { node [shape=box]; edge [color=red][style=bold]; a -- b }", "ab"),
    ],
)
def test_statements_of_graphviz_are_read(tmp_path, text, expected):
    assert " ".join(name for name, _ in links(read(tmp_path, text))) == expected


def test_defaults_apply_to_later_statements_of_their_subgraph(tmp_path):
    text = "graph { a -- b; edge [bw=3]; b -- c; { edge [bw=5]; c -- d; c -- e [bw=7] } d -- f }"
    (_, first), *rest = links(read(tmp_path, text))
    assert first != first  # no bandwidth
    assert rest == [("bc", 3.0), ("cd", 5.0), ("ce", 7.0), ("df", 3.0)]
    text = "graph { node [type=host] a b; { node [type=switch] s t [type=node] } s -- {a b t c} }"
    network = written(tmp_path, "n.dot", text)
    assert sorted(names(network)[: network.nodes]) == ["a", "b", "c", "t"]
    assert pairs(network) == both(("s", "a"), ("s", "b"), ("s", "t"), ("s", "c"))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("graph {\n a -- b }\n}", "line 3: } without {"),
        ("graph {\n a -- b\n{ c }\n", "line 4: } is missing"),
        ("graph { a -- b }\ngraph { c -- d }", "line 2: 'graph' is unexpected; give only one graph"),
        ("grph { a -- b }", "line 1: 'grph' is unexpected; begin with graph or digraph"),
        ("graph { a -- b\n [bw 25] }", "line 2: '25' is unexpected; expected ="),
        ("graph { a --\n }", "line 2: '}' is unexpected; expected {"),
        ("graph { a -- n-1 }", "line 1: 'n' is unexpected; put names with such characters in quotes"),
        ("graph { a -- b\n /* }", "line 2: */ is missing"),
        ('graph { a --\n "b }', "line 2: a quotation mark is missing"),
        ("graph { a [label=\n<<b>] }", "line 2: > is missing"),
        ("graph { a -- b % c }", "line 1: '%' is unexpected; put names with such characters in quotes"),
        ("graph { a -- b [bw=", "line 1: the end of the file is unexpected; expected a name"),
        ("graph { a -- {b} [bw=fast] }", "the edge 'a' – 'b' has the bandwidth 'fast'"),
    ],
)
def test_errors_name_the_line(tmp_path, text, what):
    with pytest.raises(SpecError) as refused:
        read(tmp_path, text)
    assert what in str(refused.value)


SHAPES = {
    "hops": lambda n: "graph { " + " -- ".join(["a", "b"] * n) + " }",
    "attributes": lambda n: "graph { a -- b [" + ",".join(f"x{k}=1" for k in range(n)) + "] }",
    "subgraphs": lambda n: "graph { node [type=host] edge [bw=2] " + "{ c }" * n + " a -- b }",
    "names": lambda n: "graph { {" + " ".join(f"a{k}" for k in range(n)) + "} -- b }",
    "edges": lambda n: "graph { " + ";\n".join(f"a{k} -- b{k}" for k in range(n)) + " }",
    "open braces": lambda n: "graph { " + "{" * n + " a -- b " + "}" * n + " }",
    "open comments": lambda n: "graph { " + "/* " * n + " }",
    "open quotes": lambda n: "graph { " + '"\\"' * n + " }",
    "braces joined": lambda n: (
        "graph { {" + " ".join(f"a{k}" for k in range(9 * n)) + "} -- {" + " ".join(map(str, range(9 * n))) + "} }"
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_reading_takes_linear_time(tmp_path, shape):
    def work(count):
        def reads():
            with suppress(SpecError):
                read(tmp_path, SHAPES[shape](count))

        return lines_run(reads)

    work(10)  # imports
    assert work(200) < 2.2 * work(100) + 1_000
