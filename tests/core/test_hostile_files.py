"""Malformed and very large files are refused in one line by every reader of networks, mappings and hosts."""

from types import SimpleNamespace

import pytest

from core.formats import read_of
from core.hostlist import compress, expand
from core.mapping import FromFile
from core.network import Edges, Torus
from core.network.hosts import HostsFile, named
from core.spec import Cancelled, FileError, SpecError, parsing
from tests.core.work import lines_run

TORUS = Torus((4, 4)).build()
GEXF = "<gexf xmlns='http://www.gexf.net/1.2draft' version='1.2'><graph defaultedgetype='undirected'>{}</graph></gexf>"
WEIGHT = GEXF.format(
    "<nodes><node id='a'/><node id='b'/></nodes><edges><edge id='0' source='a' target='b' weight='{}'/></edges>"
)
SST = (
    '{{"avg_num_hops": 1, "switches": {{}}, '
    '"nodes": {{"a": {{"outports": {{"0": {{"destination": {}, "inport": {}}}}}}}}}}}'
)
YAML = "- topology: t\n  torus3d: {{toruses: [{{name: p, dims: {{x: {}, y: 1, z: 1}}, nodes: n1}}]}}\n"


def network_of(folder, form, text):
    """The network of a file with a text."""
    (folder / "n.txt").write_bytes(text if isinstance(text, bytes) else text.encode())
    return Edges(file="n.txt", format=form).build(folder)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("gexf", "<?xml version='1.0' encoding='utf-7'?>" + GEXF.format("")),
        ("gexf", WEIGHT.format("")),
        ("gexf", WEIGHT.format("--")),
        ("gexf", WEIGHT.format("null")),
        ("simgrid", "<?xml version='1.0' encoding='utf-7'?><platform/>"),
        ("simgrid", "<?xml version='1.0' encoding='no-such'?><platform/>"),
        ("graphml", "<?xml version='1.0' encoding='no-such'?><graphml/>"),
        ("slurm-yaml", "{" * 2_000),
        ("slurm-yaml", "- topology: 2001-99-99\n  flat: true"),
        ("slurm-yaml", YAML.format("1" * 5_000)),
        ("slurm-yaml", YAML.format("0b___")),
        ("slurm-yaml", "- " * 2_000 + "a"),
        ("netjson", f'{{"type": "NetworkGraph", "nodes": [{{"id": {"1" * 10_000}}}], "links": []}}'),
        ("netjson", '{"type": ' + "[" * 100_000),
        ("sst-json", SST.format('"a"', "1" * 10_000)),
        ("sst-json", SST.format("[]", "0")),
        ("sst-json", SST.format("{}", "0")),
        ("dot", "graph { a -- \x00 }"),
        ("scotch-target", "torusXD ²"),
        ("metis-graph", "² ²\n"),
        ("edge-list", b"\xff\xfe\x00"),
    ],
)
def test_a_malformed_network_is_refused_in_one_line_with_the_file(tmp_path, form, text):
    with pytest.raises(SpecError) as refused:
        network_of(tmp_path, form, text)
    assert refused.value.field == "network.file"
    assert "n.txt" in refused.value.message
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("form", read_of("network"))
@pytest.mark.parametrize(
    "text", [b"", b"\x00", b"\xff\xfe", b"{", b"[", b"<", b"<a", b"- ", b'"', b"\x1c1 2", b"1" * 9_000]
)
def test_every_reader_of_networks_refuses_random_content(tmp_path, form, text):
    with pytest.raises(SpecError):
        network_of(tmp_path, form, text)


def test_a_separator_that_python_treats_as_white_space_is_refused(tmp_path):
    (tmp_path / "v.txt").write_text("(1,1)\n(\x1c0,1)\n")
    with pytest.raises(SpecError, match=r"v\.txt"):
        FromFile(file="v.txt", format="vcoord").build(SimpleNamespace(tasks=2), TORUS, None, tmp_path)


@pytest.mark.parametrize(
    "error", [ValueError("no\nnumber"), KeyError("x"), OverflowError(), RecursionError(), TypeError]
)
def test_any_error_of_a_parser_is_one_line_about_the_file(tmp_path, error):
    with (
        pytest.raises(FileError, match=r"^a: f\.txt: cannot be read as a thing: [^\n]+; give another$"),
        parsing("a", tmp_path / "f.txt", "a thing", "give another"),
    ):
        raise error


@pytest.mark.parametrize("error", [Cancelled, KeyboardInterrupt])
def test_a_cancelled_reader_is_not_an_error_in_the_file(tmp_path, error):
    with pytest.raises(error), parsing("a", tmp_path / "f.txt", "a thing"):
        raise error


LONG = "n[1-262144]x[1-16]"
"""Four million names in 18 characters."""


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("slurm-conf", "".join(f"SwitchName=s{k} Nodes=n{k}x[1-9000]\n" for k in range(100))),
        (
            "slurm-yaml",
            "- topology: t\n  tree:\n    switches:\n"
            + "".join(f"    - {{switch: s{k}, nodes: 'n{k}x[1-9000]'}}\n" for k in range(100)),
        ),
    ],
)
def test_node_names_are_limited_for_the_whole_file(tmp_path, form, text):
    with pytest.raises(SpecError, match="has 9,000 names, 504,000 with the previous names; the limit is 500,000"):
        network_of(tmp_path, form, text)


def test_host_names_are_limited_for_the_whole_file(tmp_path):
    (tmp_path / "hosts.txt").write_text(f"a[1-262144]\n{LONG}\n" * 500)
    with pytest.raises(
        SpecError, match=r"hosts\.txt, line 2: .* 4,456,448 with the previous names; the limit is 4,194,304"
    ):
        named(TORUS, HostsFile("hosts.txt"), tmp_path)


def test_many_more_lines_than_ranks_are_refused_before_they_are_parsed(tmp_path):
    (tmp_path / "p.txt").write_text("0\n" * 100_000)
    mapping = FromFile(file="p.txt", format="permutation")

    def reads():
        with pytest.raises(SpecError, match="has 100,000 lines; the job has 16 tasks, the network 16 slots"):
            mapping.build(SimpleNamespace(tasks=16), TORUS, None, tmp_path)

    assert lines_run(reads) < 10_000


GROWING = {
    "lists in lists of YAML": lambda n: ("slurm-yaml", "[" * (10 * n)),
    "lists beside lists of YAML": lambda n: ("slurm-yaml", "- topology: t\n  flat: [" + "[1], " * n + "]"),
    "switches": lambda n: ("slurm-conf", "".join(f"SwitchName=s{k} Nodes=n{k}\n" for k in range(n))),
    "edges": lambda n: ("edge-list", "".join(f"a{k} b{k}\n" for k in range(n))),
}


@pytest.mark.parametrize("shape", GROWING)
def test_reading_time_is_linear_in_the_file(tmp_path, shape):
    def work(count):
        form, text = GROWING[shape](count)

        def reads():
            try:
                network_of(tmp_path, form, text)
            except SpecError:
                return

        return lines_run(reads)

    work(10)  # imports
    assert work(400) < 2.2 * work(200) + 2_000


def test_names_that_end_in_no_digit_are_written_in_linear_time():
    name = "1" * 200_000 + "a"
    assert compress([name, "n1", "n2"]) == f"{name},n[1-2]"
    assert expand(compress(["n9", "n10"])) == ["n9", "n10"]
