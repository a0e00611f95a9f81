"""`report`: one page at the given place, and errors on invalid requests."""

import json
import shlex
from dataclasses import replace

import pytest

from app.cli.main import main
from app.wording.numbers import gbs
from core.files import read_scenario, write_scenario
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.load.snapshots import with_snapshot
from core.mapping import Random, Sequential
from core.network import Mesh
from core.routing import DimensionOrder
from tests.app.cli.program import run
from tests.app.report.reader import Page

SMALL = Scenario(Mesh(dims=(3, 4), gbs=2.0), Halo(rows=3, cols=4, periodic=False), Random(3), DimensionOrder())


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_scenario(tmp_path / "a b.fabriscope.json", SMALL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_in_a_page_reproduces_the_page(folder, capsys):
    assert main(["report", "a b.fabriscope.json", "--mapping", "random:seed=7", "--out", "r.html"]) == 0
    assert capsys.readouterr().out == "written: r.html\n"
    page = Page((folder / "r.html").read_bytes())
    command = next(text for text in page.texts if text.startswith("fabriscope report"))
    assert main(["report", *shlex.split(command)[2:-1], "again.html"]) == 0
    again = Page((folder / "again.html").read_bytes())
    assert again.tables == page.tables
    assert page.text.startswith("a b a b ")


def test_failures_are_reported_and_the_document_can_be_checked(folder, capsys):
    words = "report", "a b.fabriscope.json", "--failures", "cables", "--sample", "6"
    assert main([*words, "--out", "r.html"]) == 0
    page = Page((folder / "r.html").read_bytes())
    assert main(["resilience", "a b.fabriscope.json", "--sample", "6", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    rows = page.table("Failure", "Throughput GB/s per node")
    assert [row[0] for row in rows] == [row["failure"] for row in figures["rows"]]
    command = next(text for text in page.texts if text.startswith("fabriscope report"))
    assert main(["report", *shlex.split(command)[2:-1], "again.html"]) == 0
    assert Page((folder / "again.html").read_bytes()).tables == page.tables
    capsys.readouterr()
    assert main(["evaluate", "r.html", "--json"]) == 0
    assert [check["changes"] for check in json.loads(capsys.readouterr().out)["document"]] == [[]]


def test_a_file_is_compared_with_its_snapshots_or_another_file(folder):
    file = folder / "kept.fabriscope.json"
    kept = with_snapshot(SMALL, "the first").snapshots
    write_scenario(file, replace(SMALL, mapping=Sequential(), snapshots=kept))
    a, b = (gbs(evaluate(scenario.build()).throughput_gbs) for scenario in (SMALL, read_scenario(file)))
    assert a != b
    for options, name in ((), "snapshot “the first”"), (("--against", "a b.fabriscope.json"), "a b.fabriscope.json"):
        assert main(["report", str(file), *options, "--out", "r.html"]) == 0
        text = Page((folder / "r.html").read_bytes()).text
        assert f"A: {name}. B: this scenario. {a} → {b} GB/s per node" in text


def test_standard_output_receives_only_the_page(folder):
    done = run("report", "a b.fabriscope.json", "--out", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert Page(done.stdout.encode()).outside == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere.fabriscope.json", "--out", "r.html"), "file: "),
        (
            ("a b.fabriscope.json", "--out", "nowhere/r.html"),
            "r.html cannot be written: its folder does not exist",
        ),
        (("a b.fabriscope.json", "--against", "none.json", "--out", "r.html"), "file: "),
        (("a b.fabriscope.json", "--network", "what", "--out", "r.html"), "--network: 'what' is not known"),
        (
            ("a b.fabriscope.json", "--failures", "switches", "--out", "r.html"),
            "--failures: this network has no switches",
        ),
        (("a b.fabriscope.json", "--sample", "5", "--out", "r.html"), "--sample: requires --failures"),
        (("--out", "r.html"), "FILE: give a scenario file"),
    ],
)
def test_errors_are_one_line(folder, arguments, words, capsys):
    assert main(["report", *arguments]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.count("\n") == 1
    assert words in streams.err
    assert not (folder / "r.html").exists()
