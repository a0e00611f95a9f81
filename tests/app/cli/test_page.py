"""`page`: a page of a scenario, two scenarios or a tour, with the figures of `evaluate`; errors on bad requests."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from app.cli.main import main
from core.files import read_scenario, write_scenario
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.load.snapshots import with_snapshot
from core.mapping import Random, Sequential
from core.network import LinkFault, Mesh
from core.routing import DimensionOrder, Minimal
from tests.app.cli.program import run
from tests.app.page.unpacking import page_data, unpacked
from tests.app.report.reader import Page

SMALL = Scenario(Mesh(dims=(3, 4), gbs=2.0), Halo(rows=3, cols=4, periodic=False), Random(3), DimensionOrder())
HOSTILE = ("</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a&b\"'`${x}", "<!--")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_scenario(tmp_path / "a b.fabriscope.json", SMALL)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page_of(folder, *arguments, status=0):
    assert main(["page", *arguments, "--out", "p.html"]) == status
    return (folder / "p.html").read_bytes()


def figures_of(capsys, *arguments):
    capsys.readouterr()
    assert main(["evaluate", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def outside(content):
    """The addresses that a page requests; its texts without the script."""
    return Page(content).outside


def test_the_figures_of_a_page_are_those_of_evaluate(folder, capsys):
    content = page_of(folder, "a b.fabriscope.json", "--mapping", "random:seed=7")
    assert capsys.readouterr().out == "written: p.html\n"
    data, figures = page_data(content), figures_of(capsys, "a b.fabriscope.json", "--mapping", "random:seed=7")
    (state,) = data["states"]
    assert state["figures"] == figures
    assert unpacked(state["load"]).max() == pytest.approx(max(c["max_load"] for c in figures["classes"].values()))
    assert (data["kind"], len(data["machines"]), len(data["views"])) == ("scenario", 1, 1)
    assert outside(content) == []


def test_a_page_has_the_slow_down_by_each_failure(folder):
    data = page_data(page_of(folder, "a b.fabriscope.json", "--routing", "minimal", "--failures", "cables"))
    load, harm = data["views"]
    assert (load["label"], harm["label"]) == ("Load", "Slow-down if the cable fails")
    scenario = replace(SMALL, routing=Minimal())
    network, base = scenario.machine(), evaluate(scenario.build()).throughput_gbs
    for link, value in enumerate(unpacked(harm["values"]).tolist()):
        after = evaluate(replace(scenario, faults=(LinkFault.of(network, link),)).build()).throughput_gbs
        assert value == pytest.approx(base / after - 1, abs=1e-6)


@pytest.mark.parametrize("files", [["a b.fabriscope.json", "a b.fabriscope.json"], ["start-here"]])
def test_a_page_of_two_scenarios_or_a_tour_refuses_failures(folder, capsys, files):
    assert main(["page", *files, "--failures", "cables", "--out", "p.html"]) == 2
    assert "--failures: cannot be used with" in capsys.readouterr().err


def test_a_page_has_its_scenario_and_the_command_that_writes_it_again(folder):
    page = Page(page_of(folder, "a b.fabriscope.json", "--mapping", "random:seed=7"))
    assert "fabriscope page 'a b.fabriscope.json' --mapping random:seed=7 --out p.html" in page.text
    content = next(text for text in page.texts if '"fabriscope": 1' in text and "snapshots" not in text)
    (folder / "again.fabriscope.json").write_text(content)
    again = read_scenario(folder / "again.fabriscope.json")
    assert again.mapping == Random(7)
    assert again == replace(SMALL, mapping=Random(7), folder=again.folder)


def test_two_scenarios_have_four_views(folder, capsys):
    write_scenario(folder / "b.fabriscope.json", replace(SMALL, mapping=Sequential()))
    data = page_data(page_of(folder, "a b.fabriscope.json", "b.fabriscope.json", "--routing", "minimal"))
    assert [view["label"] for view in data["views"]] == ["A | B", "B − A", "A", "B"]
    assert [state["name"] for state in data["states"]] == ["a b", "b"]
    assert len(data["machines"]) == 1
    first, second = (
        figures_of(capsys, *names) for names in (["a b.fabriscope.json"], ["b.fabriscope.json", "--routing", "minimal"])
    )
    assert [state["figures"] for state in data["states"]] == [first, second]
    longest = max(first["time_per_unit"], second["time_per_unit"])
    assert {view["look"]["time"] for view in data["views"]} == {longest}


def test_different_networks_have_no_difference(folder):
    data = page_data(page_of(folder, "a b.fabriscope.json", "power775-smallest"))
    assert [view["label"] for view in data["views"]] == ["A | B", "A", "B"]
    assert len(data["machines"]) == 2


def test_a_scenario_is_compared_with_its_first_snapshot(folder):
    file = folder / "kept.fabriscope.json"
    kept = with_snapshot(SMALL, "the first").snapshots
    write_scenario(file, replace(SMALL, mapping=Sequential(), snapshots=kept))
    content = page_of(folder, str(file))
    assert [state["name"] for state in page_data(content)["states"]] == ["snapshot “the first”", "kept"]
    assert "<h1>kept</h1>" in content.decode()


def write_tour(folder, *scenes):
    content = {"fabriscope_tour": 1, "title": "Talk", "scenes": scenes}
    (folder / "t.fabriscope-tour.json").write_text(json.dumps(content))
    return "t.fabriscope-tour.json"


def test_the_page_of_a_tour_has_its_scenes(folder, capsys):
    first = {"title": "One", "id": "one", "scenario": "a b.fabriscope.json", "text": "**{nodes}** nodes"}
    second = {
        "title": "Two", "changes": {"mapping": {"type": "sequential"}}, "against": "one", "selection": "node (0,3)",
        "hottest_percent": 20, "scale": {"log": True},
    }  # fmt: skip
    third = {"title": "Three", "changes": {"mapping": {"type": "random", "seed": 3}}, "scale": {"frozen": "one"}}
    data = page_data(page_of(folder, write_tour(folder, first, second, third)))
    first, two, three = data["views"]
    assert first["caption"] == "<p><b>12</b> nodes</p>"
    assert (two["mode"], two["reference"], two["percent"], two["look"]["log"]) == ("side", 0, 20, True)
    assert two["selection"] == {"kind": "vertex", "index": 3}
    # An equal scenario is in the page once.
    assert three["state"] == first["state"]
    assert three["look"]["heading"].endswith("relative to One")
    assert [state["figures"] for state in data["states"]] == [
        figures_of(capsys, "a b.fabriscope.json"), figures_of(capsys, "a b.fabriscope.json", "--mapping", "sequential"),
    ]  # fmt: skip


def test_the_errors_of_a_tour_are_in_its_page_and_printed(folder, capsys):
    tour = write_tour(
        folder,
        {"title": "One", "scenario": "a b.fabriscope.json", "text": "{nonsense}", "claims": ["nodes > 100"]},
        {"title": "Two", "changes": {"mapping": {"type": "nonsense"}}},
    )
    data = page_data(page_of(folder, tour, status=1))
    assert data["views"][1]["error"].startswith("This scene cannot be shown")
    assert "⚠" in data["views"][0]["caption"]
    errors = capsys.readouterr().err.splitlines()
    assert [line.split(":")[1] for line in errors] == [" scene 1, One", " scene 1, One", " scene 2, Two"]


def test_names_from_files_are_text(folder):
    graph = {"type": "NetworkGraph", "protocol": "x", "version": "1", "metric": None}
    names = [{"id": name} for name in HOSTILE]
    links = [{"source": a, "target": b, "cost": 1.0} for a, b in pairwise(HOSTILE)]
    (folder / "g.json").write_text(json.dumps(graph | {"nodes": names, "links": links}))
    scenario = json.loads((folder / "a b.fabriscope.json").read_text())
    scenario |= {"network": {"type": "edges", "file": "g.json"}, "note": HOSTILE[0], "routing": {"type": "minimal"}}
    scenario |= {"job": {"type": "all-to-all", "tasks": 4}, "mapping": {"type": "sequential"}}
    (folder / "h.fabriscope.json").write_text(json.dumps(scenario))
    content = page_of(folder, "h.fabriscope.json")
    page = Page(content)
    assert page.tags.count("script") == 2
    assert "img" not in page.tags
    assert HOSTILE[0] in page.text


def test_standard_output_receives_only_the_page(folder):
    done = run("page", "a b.fabriscope.json", "--out", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert page_data(done.stdout.encode())["kind"] == "scenario"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere.fabriscope.json", "--out", "r.html"), "file: "),
        (("a b.fabriscope.json", "none.json", "--out", "r.html"), "none.json"),
        (("a b.fabriscope.json", "--out", "nowhere/r.html"), "r.html cannot be written: its folder does not exist"),
        (("a b.fabriscope.json", "--network", "what", "--out", "r.html"), "--network: 'what' is not known"),
        (("start-here", "--mapping", "random", "--out", "r.html"), "--mapping: cannot be used with a tour"),
        (("start-here", "power775-halo", "--out", "r.html"), "B: cannot be used with a tour"),
        (("--out", "r.html"), "FILE: give a scenario file"),
    ],
)
def test_errors_are_one_line(folder, arguments, words, capsys):
    assert main(["page", *arguments]) == 2
    streams = capsys.readouterr()
    assert streams.out == ""
    assert streams.err.count("\n") == 1
    assert words in streams.err
    assert not (folder / "r.html").exists()
