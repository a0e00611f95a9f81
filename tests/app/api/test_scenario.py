"""Scenarios as Python objects: every method equals its command, and results look well in a notebook."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest

import app.fabriscope as fabriscope
from app.cli.main import main
from core.figures.computing import declared
from tests import patience, programs

ROOT = Path(__file__).parents[3]
NAME = "power775-smallest"
OTHER = "random:seed=3"
RESULTS = (
    fabriscope.Evaluation, fabriscope.Measures, fabriscope.RouteFigures, fabriscope.MeasuredFigures,
    fabriscope.Resilience, fabriscope.FailureCurve,
    fabriscope.TimelineFigures, fabriscope.Explained, fabriscope.Diff, fabriscope.Compared,
)  # fmt: skip


@pytest.fixture
def scenario():
    return fabriscope.Scenario(NAME, mapping=OTHER)


@pytest.fixture
def printed(capsys):
    def run(command, *arguments):
        assert main([command, *map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return run


def test_figures_equal_the_json_of_the_commands(scenario, printed):
    words = NAME, "--mapping", OTHER
    assert msgspec.to_builtins(scenario.evaluate()) == printed("evaluate", *words)
    assert msgspec.to_builtins(scenario.timeline()) == printed("timeline", *words)
    assert msgspec.to_builtins(scenario.explain(top=2)) == printed("explain", *words, "--top", 2)
    assert msgspec.to_builtins(scenario.resilience(sample=3)) == printed("resilience", *words, "--sample", 3)
    pairs = msgspec.to_builtins(scenario.resilience(sample=3, depth=2))
    assert pairs == printed("resilience", *words, "--sample", 3, "--depth", 2)
    curve = msgspec.to_builtins(scenario.resilience_curve(2, draws=3).points)
    assert curve == printed("resilience", *words, "--sample", 1, "--curve", 2, "--draws", 3)["curve"]
    equal = {"routing": "minimal:spread=equal"}
    cables = msgspec.to_builtins(fabriscope.Scenario(NAME, mapping=OTHER, **equal).best_cables(2))
    options = *words, "--routing", equal["routing"], "--sample", 1, "--add", 2
    assert cables == printed("resilience", *options)["added"]
    difference = msgspec.to_builtins(scenario.diff(NAME, top=5))
    expected = printed("diff", NAME, NAME, "--top", 5)
    assert set(difference) == set(expected)
    assert difference["figures"]["throughput_gbs"]["b"] == expected["a"]["throughput_gbs"]
    assert len(difference["links"]) == 5


def test_one_link_can_be_explained(scenario):
    hottest = scenario.explain(top=1).links[0]
    assert scenario.explain((hottest.link_class, hottest.leaves, hottest.reaches)).links == [hottest]


def test_loads_are_arrays_of_all_links(scenario):
    loads, report = scenario.loads, scenario.evaluate()
    assert len(loads) == report.links == loads.load.size
    for name, figures in report.classes.items():
        assert loads.load[loads.link_class == name].max() == figures.max_load
        assert set(loads.gbs[loads.link_class == name]) == {figures.gbs}
    times = loads.load / loads.gbs
    assert np.allclose(loads.utilisation, times / times.max())
    assert times.max() == pytest.approx(report.time_per_unit)


def test_loads_are_an_arrow_table(scenario):
    pytest.importorskip("pyarrow")
    table = scenario.loads.to_arrow()
    assert table.column("load").to_numpy().tolist() == scenario.loads.load.tolist()
    assert table.column("class").to_pylist() == scenario.loads.link_class.tolist()


def test_parts_are_texts_or_dicts():
    short = fabriscope.Scenario(network="torus:dims=4x4", job="halo:rows=4,cols=4", mapping="sequential")
    long = fabriscope.Scenario(
        network={"type": "torus", "dims": [4, 4]},
        job={"type": "halo", "rows": 4, "cols": 4},
        mapping={"type": "sequential"},
    )
    assert short.to_dict() == long.to_dict()
    assert short.network.nodes == 16
    assert fabriscope.Scenario(network="torus:dims=4x4").evaluate().tasks == 16
    assert fabriscope.Scenario(short, job="all-to-all").evaluate().tasks == 16


def test_a_saved_scenario_is_the_same(scenario, tmp_path):
    path = scenario.save(tmp_path / "a.fabriscope.json")
    assert fabriscope.Scenario(path).to_dict() == scenario.to_dict()


def test_a_search_returns_a_scenario(scenario):
    best = scenario.optimise(steps=100, seed=1)
    assert best.scenario.evaluate().throughput_gbs == best.throughput_gbs >= scenario.evaluate().throughput_gbs


def test_exports_equal_the_command(scenario, tmp_path):
    path = tmp_path / "links.csv"
    assert main(["export", NAME, "--mapping", OTHER, "--to", "links-csv", "--out", str(path)]) == 0
    assert scenario.export("links-csv") == path.read_text()


def test_pictures_are_drawn_when_shown_or_saved(scenario, tmp_path):
    picture = scenario.render(size=(300, 200), theme="dark")
    assert ElementTree.fromstring(picture._repr_svg_()).tag.endswith("svg")
    assert picture.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(fabriscope.Error, match=r"^path: a.gif must end in .png, .svg or .pdf"):
        picture.save(tmp_path / "a.gif")


def test_a_study_is_a_table(scenario):
    table = fabriscope.study(scenario, vary={"network.d_links": [1, 2]}, measure=["throughput_gbs", "bottleneck"])
    assert table["network.d_links"] == [1, 2]
    for d_links, rate in zip(table["network.d_links"], table["throughput_gbs"], strict=True):
        raw = scenario.to_dict()
        raw["network"]["d_links"] = d_links
        assert fabriscope.evaluate(raw).throughput_gbs == rate
    assert len(table) == len(table.to_csv().splitlines()) - 1 == 2
    assert "2 points" in repr(table)
    assert "<td>2</td>" in table._repr_html_()


def test_a_study_uses_processes_only_if_told(tmp_path):
    script = tmp_path / "study.py"
    script.write_text(
        "import fabriscope\n"
        "if __name__ == '__main__':\n"
        "    for workers in (1, 2):\n"
        f"        table = fabriscope.study({NAME!r}, vary={{'network.d_links': [1, 2]}}, measure=['throughput_gbs'],"
        " workers=workers)\n"
        "        print(table['throughput_gbs'])\n"
    )
    (tmp_path / "fabriscope").symlink_to(Path(fabriscope.__file__).parent)
    done = subprocess.run(
        [sys.executable, str(script)],
        env={"PATH": "", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=patience.SECONDS,
        check=False,
    )
    serial, parallel = done.stdout.splitlines()
    assert serial == parallel
    assert not done.stderr.replace("fabriscope: preparing for first use …\n", "")


@pytest.mark.parametrize("kind", RESULTS, ids=lambda kind: kind.__name__)
def test_every_field_of_a_result_is_documented(kind):
    for name, (figure, _) in declared(kind).items():
        assert f"\n{name} : {figure.unit}\n" in kind.__doc__ if figure.unit else f"\n{name}\n" in kind.__doc__


def test_results_are_short_texts_and_tables_in_notebooks(scenario):
    for result in (scenario, scenario.evaluate(), scenario.loads, scenario.timeline(), scenario.explain(),
                   scenario.diff(NAME), fabriscope.metrics(scenario), scenario.optimise(steps=1)):  # fmt: skip
        assert len(repr(result)) < 250
        assert "UNSET" not in repr(result)
        ElementTree.fromstring(result._repr_html_())
    assert "GB/s per node" in scenario.evaluate()._repr_html_()


def test_names_are_escaped_in_tables():
    raw = fabriscope.Scenario(NAME).to_dict() | {"job_name": "<b>"}
    ElementTree.fromstring(fabriscope.evaluate(raw)._repr_html_())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda s: fabriscope.Scenario(), "scenario: give a scenario file, the name of a preset, a dict, or a network"),
        (lambda s: fabriscope.Scenario(3), "scenario: must be a file, the name of a preset, a dict or a Scen"),
        (lambda s: fabriscope.Scenario(NAME, mapping=5), "mapping: must be a text or a dict as in scenario files"),
        (lambda s: fabriscope.Scenario(network={"type": "torus", "dims": 0}), "network.dims: expected array, got int"),
        (lambda s: s.render("moon"), "view: 'moon' is not known; "),
        (lambda s: s.render(theme="pink"), "theme: 'pink' is not known; themes: dark, light"),
        (lambda s: s.render(size=(1, 1)), "size: must be a width and a height from 64 to 16,384 pixels"),
        (lambda s: s.render("job", focus="node 0"), "focus: can be used with --view machine only"),
        (lambda s: s.explain(("LR", "x", "y")), "link: "),
        (lambda s: s.explain(top=0), "top: must be a whole number from 1"),
        (lambda s: s.export("zzz"), "to: unknown format 'zzz'"),
        (lambda s: s.timeline(-1), "steps: must be a whole number from 0"),
        (lambda s: s.optimise(steps=0), "steps: must be a whole number from 1"),
        (lambda s: s.resilience("wires"), "what: 'wires' is not known; "),
        (lambda s: s.resilience(depth=3), "depth: must be a whole number from 1 to 2"),
        (lambda s: s.resilience_curve(2, "wires"), "what: 'wires' is not known; "),
        (lambda s: s.resilience_curve("110%"), "length: must be a percentage of more than 0 %"),
        (lambda s: s.resilience_curve(10_000), "length: this network has 993 cables; "),
        (lambda s: fabriscope.resilience_curves(), "scenarios: give at least one"),
        (lambda s: fabriscope.resilience_curves(s, names=["a", "b"]), "names: must have a name for each of the 1"),
        (lambda s: fabriscope.resilience_curves(NAME, s, what="switches"), f"{NAME}: what: this network has no "),
        (lambda s: fabriscope.study(s, vary={"a.b": [1]}, measure=["throughput_gbs"]), "vary.a.b: "),
        (lambda s: fabriscope.study(s, vary={}, measure=["throughput_gbs"], workers=0), "workers: must be"),
    ],
)  # fmt: skip
def test_errors_are_one_line_that_names_the_argument(scenario, call, message):
    with pytest.raises(fabriscope.Error) as caught:
        call(scenario)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_the_package_offers_what_it_lists():
    assert set(fabriscope.__all__) <= set(dir(fabriscope))
    assert fabriscope.Error is fabriscope.SpecError
    assert issubclass(fabriscope.Error, ValueError)
    with pytest.raises(AttributeError, match="has no attribute 'evalute'"):
        fabriscope.evalute  # noqa: B018


def test_special_names_import_nothing():
    before = "import importlib, sys; package, api = importlib.import_module(sys.argv[1]), sys.argv[2]"
    script = f"{before}; print(hasattr(package, '__wrapped__'), api in sys.modules)"
    done = programs.run([], ["-c", script, fabriscope.__name__, "app.api"], cwd=programs.ROOT)
    assert done.stdout == "False False\n"


def test_a_search_minimises_the_time_under_the_worst_failure():
    scenario = fabriscope.Scenario(network="torus:dims=3x3", job="halo:rows=3,cols=3", mapping="random:seed=1")
    cable = {"type": "link", "src": 0, "dst": 1}
    result = scenario.optimise(steps=300, failures=[cable])
    assert (result.objective, len(result.failures)) == ("robust", 1)
    assert result.bound <= result.found <= result.start
    assert len(scenario.optimise(steps=10, failures=2).failures) == 2
    for wrong, words in ((0, "failures: must be a whole number from 1 to 256"), ([], "failures: the list is empty")):
        with pytest.raises(fabriscope.Error, match=words):
            scenario.optimise(steps=1, failures=wrong)
