"""No content of a file controls the terminal in any command."""

# Contents of files are written as they are, in long lines.
# ruff: noqa: E501

import io
import sys

import pytest

from app.cli.escaping import EscapingStream, escaped_output, unescaped
from app.cli.main import main
from app.cli.progress_line import CLEAR, write_line

HOSTILE = "\x1b]0;title\x07\x1b[2J\x9b1mname\r"


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_texts_are_escaped_on_both_streams(monkeypatch, name):
    plain = io.StringIO()
    monkeypatch.setattr(sys, name, plain)
    with escaped_output():
        print(f"a\t{HOSTILE}", file=getattr(sys, name))
    assert plain.getvalue() == "a\t\\u001b]0;title\\u0007\\u001b[2J\\u009b1mname\\r\n"
    assert getattr(sys, name) is plain


def test_a_progress_line_clears_its_own_line_and_no_more():
    plain = io.StringIO()
    write_line(EscapingStream(plain), HOSTILE)
    assert plain.getvalue().startswith(f"{CLEAR}\\u001b]0;title")
    assert "\x1b" not in plain.getvalue().removeprefix(CLEAR)
    assert unescaped(plain) is plain


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", f"{HOSTILE}.json"],
        [HOSTILE],
        ["evaluate", "--network", HOSTILE],
        ["evaluate", "--network", "torus:dims=4", "--job", f"halo:{HOSTILE}=1"],
        ["evaluate", "--network", "torus:dims=4", "--job", "all-to-all:tasks=4", "--allocation", HOSTILE],
        ["metrics", f"edges:file={HOSTILE}"],
        ["report", HOSTILE],
        ["tour", HOSTILE],
        ["study", HOSTILE],
        ["explain", HOSTILE, "--json"],
    ],
)
def test_arguments_are_escaped_in_errors(capsys, arguments):
    try:
        status = main(arguments)
    except SystemExit as left:
        status = left.code
    assert status == 2
    printed = "".join(capsys.readouterr())
    assert printed.endswith("\n")
    assert printed.removesuffix("\n").isprintable()


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("x.edges", "a b\na \x1b[31mc\n", 2),
        ("x.conf", "SwitchName=a Nodes=n1\nSwitchName=\x1b[2J Nodes=n2\n", 2),
        ("x.anynet", "router 0 node 0\nrouter 1 \x07node 1\n", 2),
        ("x.dot", "graph {\n a -- \x1b }", 2),
        ("x.mtx", "%%MatrixMarket \x1b[31m\n", 1),
        ("x.tgt", "torus2D 4\n \x9b4\n", 2),
        ("x.yaml", "- topology: a\n  \x7f: b\n", 2),
        ("x.graphml", "<graphml>\n<graph id='\x9b'/></graphml>", 2),
        ("x.json", '{"type": "NetworkGraph",\n "x": "\x9b"}', 2),
    ],
)
def test_a_network_with_control_characters_is_refused_with_its_line(capsys, tmp_path, name, text, line):
    (tmp_path / name).write_text(text)
    assert main(["metrics", f"edges:file={tmp_path / name}"]) == 2
    printed = capsys.readouterr().err
    assert printed.removesuffix("\n").isprintable()
    assert name in printed
    if name != "x.mtx":
        assert f"line {line}: contains the control character U+" in printed


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.json", r'{"type": "NetworkGraph", "nodes": [{"id": "a\u001b"}, {"id": "b"}], "links": [{"source": "a\u001b", "target": "b"}]}'),
        ("x.yaml", '- topology: t\n  tree:\n    switches:\n    - {switch: "s\\e", nodes: "n[1-2]"}\n'),
        ("x.graphml", "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'><graph edgedefault='undirected'><node id='a&#155;'/><node id='b'/><edge source='a&#155;' target='b'/></graph></graphml>"),
    ],
)  # fmt: skip
def test_escapes_of_a_format_make_no_control_characters(capsys, tmp_path, name, text):
    (tmp_path / name).write_text(text)
    assert main(["metrics", f"edges:file={tmp_path / name}"]) == 2
    printed = capsys.readouterr().err
    assert "contains the control character U+" in printed
    assert printed.removesuffix("\n").isprintable()


def test_results_with_control_characters_are_refused(capsys, tmp_path):
    (tmp_path / "r.csv").write_text("# study ab\npoint,job_name,seconds,error\n0,a\x1b[31m,1.0,\n")
    assert main(["report", str(tmp_path / "r.csv"), "--out", str(tmp_path / "r.html")]) == 2
    printed = capsys.readouterr().err
    assert "control character U+001B" in printed
    assert "\x1b" not in printed
    assert not (tmp_path / "r.html").exists()


def test_hosts_with_control_characters_are_refused_with_their_line(capsys, tmp_path):
    (tmp_path / "hosts.txt").write_text("a\nb\x1b[31mc\n")
    scenario = (
        '{"fabriscope": 1, "network": {"type": "torus", "dims": [2]}, "job": {"type": "all-to-all", "tasks": 2}, '
    )
    scenario += (
        '"mapping": {"type": "sequential"}, "routing": {"type": "dimension-order"}, "hosts": {"file": "hosts.txt"}}'
    )
    (tmp_path / "s.fabriscope.json").write_text(scenario)
    assert main(["evaluate", str(tmp_path / "s.fabriscope.json")]) == 2
    assert "hosts.txt, line 2: contains the control character U+001B; remove it" in capsys.readouterr().err


def test_the_length_of_a_message_is_bounded(capsys, tmp_path):
    for name, text in (
        ("x.conf", f"SwitchName={'a' * 5000} Nodes=n1\nSwitchName={'a' * 5000} Nodes=n2\n"),
        ("x.txt", f'Switch 36 "S-{"1" * 5000}"\nSwitch 36 "S-{"1" * 5000}"\n'),
        ("x.xml", f"<platform version='4.1'><zone id='{'z' * 5000}' routing='Full'><route/></zone></platform>"),
        ("x.tgt", f"tleaf{'9' * 5000} 2"),
    ):
        (tmp_path / name).write_text(text)
        assert main(["metrics", f"edges:file={tmp_path / name}"]) == 2
        assert 20 < len(capsys.readouterr().err) < 750
