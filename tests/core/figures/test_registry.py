"""The registry of figures: one declaration per figure, and one value for printing, measuring and captions."""

import json
import re
from pathlib import Path

import pytest

from app.cli.main import main
from app.session.evaluation import evaluate_scenario
from app.storage.presets import preset
from app.tour.figures import CAPTION_NAMES, COMMANDS, Figures
from core.figures.reference import grouped, meaning
from core.figures.registry import EVALUATE, OPTIMISE, RESULTS, aliases, entries, figures, find, key_of
from core.files import encode, read_scenario
from core.spec import SpecError, no_progress
from core.sweep.points import Builder, point_row
from core.sweep.study import decode_study
from core.timing import detailed_timeline

SOURCE = Path(__file__).parents[3]
PRESETS = (
    "power775-halo", "power775-smallest", "torus-16x16-transpose", "clex-rounds", "fat-tree-512-nodes",
    "dragonfly-two-jobs-compact", "nas-is-skeleton", "shortcut-64-nodes",
)  # fmt: skip


def leaves(plain, path=""):
    """Yield the numbers and texts of a JSON object by path."""
    if isinstance(plain, dict):
        for key, part in plain.items():
            yield from leaves(part, f"{path}.{key_of(key)}".strip("."))
    elif isinstance(plain, list):
        for number, part in enumerate(plain[:2]):
            yield from leaves(part, f"{path}[{number}]")
    else:
        yield path, plain


def printed(capsys, name, path):
    assert main([name, str(path), "--json"]) == 0
    prefix = "" if name == EVALUATE else f"{name}."
    return {f"{prefix}{place}": value for place, value in leaves(json.loads(capsys.readouterr().out))}


@pytest.mark.parametrize("name", PRESETS)
def test_a_figure_is_the_same_in_json_in_a_study_and_in_a_tour(name, tmp_path, capsys):
    scenario = preset(name)
    path = tmp_path / "preset.fabriscope.json"
    path.write_bytes(encode(scenario))
    values = {}
    for command in ("evaluate", "metrics", "timeline"):
        values |= printed(capsys, command, path)
    values = {place: value for place, value in values.items() if not re.search(r"\bnotes\b|\bplans\b", place)}
    base = json.loads(path.read_text())
    del base["fabriscope"]
    study = {"fabriscope_study": 1, "base": base, "vary": {"job.type": [base["job"]["type"]]}, "measure": list(values)}
    row = point_row(decode_study(json.dumps(study).encode(), None), 0, Builder())
    assert row["error"] is None
    assert {place: row[place] for place in values} == values
    evaluation = evaluate_scenario(scenario, None, no_progress)
    tour = Figures(evaluation, detailed_timeline(evaluation.case))
    captioned = {place: value for place, value in values.items() if place not in CAPTION_NAMES}
    assert {place: value_in(tour, place) for place in captioned} == captioned


def value_in(tour, place):
    try:
        return tour[place]
    except SpecError as error:
        assert "is not available here" in str(error)  # noqa: PT017
        return None


def test_every_figure_of_the_registry_is_printed_measured_and_named(capsys, tmp_path):
    path = tmp_path / "preset.fabriscope.json"
    path.write_bytes(encode(preset("clex-rounds")))
    for command in ("evaluate", "metrics", "timeline"):
        shown = {re.sub(r"\[\d+\]", "[N]", place) for place in printed(capsys, command, path)}
        names = {re.sub("CLASS", "level_1", name) for name, entry in figures().items() if entry.command == command}
        left_out = {"hosts", "slows", "routing_bound_gbs", "predicted_gbs", "cut_flows", "cut_volume", "unit",
                    "faulty", "own_load", "own_utilisation", "played_messages"}  # fmt: skip
        assert {name for name in names - shown if re.split(r"[.\]]", name)[-1] not in left_out} == set()
        assert {name for name in shown if find(name.replace("[N]", "[0]")) is None} == set()


def test_figures_of_routes_are_printed_and_measured(capsys, tmp_path):
    base = {
        "network": {"type": "xgft", "down": [4, 4], "up": [1, 2]},
        "job": {"type": "all-to-all", "tasks": 16},
        "mapping": {"type": "sequential"},
        "routing": {"type": "d-mod-k"},
    }
    path = tmp_path / "tree.fabriscope.json"
    path.write_text(json.dumps({"fabriscope": 1, **base}))
    values = printed(capsys, "routes", path)
    names = {name for name, entry in figures().items() if entry.command == "routes"}
    assert names == {name for name in names if "[" in name} | set(values)
    study = {"fabriscope_study": 1, "base": base, "vary": {"routing.type": ["d-mod-k", "minimal"]}}
    study = decode_study(json.dumps(study | {"measure": list(values)}).encode(), None)
    row, single = (point_row(study, number, Builder()) for number in range(2))
    assert row["error"] is None
    assert {place: row[place] for place in values} == values
    # All 12 destinations of other leaf switches over one of two cables, from each of 4 nodes.
    assert (row["routes.all_to_all_max"], single["routes.all_to_all_max"]) == (24, 48)


def test_a_study_compares_forwarding_tables():
    folder = SOURCE / "tests" / "data" / "infiniband" / "tree"
    base = {
        "network": {"type": "edges", "file": "ibnetdiscover.txt"},
        "job": {"type": "all-to-all", "tasks": 16},
        "mapping": {"type": "sequential"},
        "routing": {"type": "tables"},
    }
    varied = {"vary": {"routing.file": ["opensm-lfts.dump", "uneven.fts"]}, "measure": ["routes.all_to_all_max"]}
    study = decode_study(json.dumps({"fabriscope_study": 1, "base": base, **varied}).encode(), folder)
    rows = [point_row(study, number, Builder()) for number in range(2)]
    assert [(row["routes.all_to_all_max"], row["error"]) for row in rows] == [(12, None), (48, None)]


def test_a_study_says_which_routing_has_no_single_paths():
    base = {
        "network": {"type": "torus", "dims": [4, 4]},
        "job": {"type": "all-to-all", "tasks": 16},
        "mapping": {"type": "sequential"},
        "routing": {"type": "adaptive"},
    }
    study = {"fabriscope_study": 1, "base": base, "vary": {"routing.type": ["adaptive"]}, "measure": ["routes.pairs"]}
    row = point_row(decode_study(json.dumps(study).encode(), None), 0, Builder())
    assert row["routes.pairs"] is None
    assert row["error"].startswith("routing.type: splits flows over several paths")


def test_every_figure_has_a_description():
    for figure, *_ in entries():
        assert figure.title
        assert figure.title[0].isupper()
        assert figure.meaning
        assert not figure.meaning.endswith(".")
    assert {figure.name for group in grouped().values() for figure in group} == set(figures())
    assert meaning(figures()["timeline.seconds"].figure).endswith("; also total_ms (× 1000)")


def test_older_names_differ_from_names_of_figures():
    assert not set(aliases()) & set(figures())
    assert find("LR_mean_percent").figure.name == "classes.LR.mean_percent"
    assert find("idle_percent").figure.name == "idle_percent"
    assert find("level_1_max_load").keys == ("classes", "level_1", "max_load")
    assert find("metrics.nothing") is find("nothing") is find("links.more") is None
    assert OPTIMISE not in COMMANDS
    assert set(RESULTS) == {entry.command for entry in figures().values()}


def test_the_registry_alone_lists_names_of_figures():
    # Other modules name single figures that they need, but keep no list or table of them.
    ids = {figure.name for figure, *_ in entries()} | set(aliases()) | {figure.column for figure, *_ in entries()}
    plain = {name for name in ids if re.search(r"[_.]", name)}
    lists = re.compile(r"[\[({,]\s*[\"']([\w.]+)[\"']\s*[,:]")
    for path in [*(SOURCE / "core").rglob("*.py"), *(SOURCE / "app").rglob("*.py")]:
        if path.parent == SOURCE / "core" / "figures":
            continue
        text = re.sub(r'Alias\("\w+"', "", path.read_text())
        named = {name for name in lists.findall(text) if name in plain}
        assert len(named) < 3, (path, named)


def test_figures_of_counters_are_printed_and_measured(capsys, tmp_path):
    (tmp_path / "c.csv").write_text("src,dst,bytes,wait\n0,1,5e9,3\n1,0,7e9,4\n1,2,0,0\n2,3,9e9,1\n")
    base = {
        "network": {"type": "torus", "dims": [4, 2]},
        "job": {"type": "all-to-all", "tasks": 8},
        "mapping": {"type": "sequential"},
        "routing": {"type": "dimension-order"},
        "measured": {"after": "c.csv", "seconds": 2.0},
    }
    path = tmp_path / "counted.fabriscope.json"
    path.write_text(json.dumps({"fabriscope": 1, **base}))
    values = printed(capsys, "measured", path)
    values = {name: value for name, value in values.items() if name in figures()}
    assert {"measured.correlation", "measured.scale", "measured.more", "measured.without_value"} <= set(values)
    tour = Figures(evaluate_scenario(read_scenario(path), None, no_progress))
    assert {place: value_in(tour, place) for place in values} == values
    file = {"fabriscope_study": 1, "base": base, "vary": {"mapping.type": ["sequential"]}, "measure": list(values)}
    row = point_row(decode_study(json.dumps(file).encode(), tmp_path), 0, Builder())
    assert row["error"] is None
    assert {place: row[place] for place in values} == values
    del base["measured"]
    row = point_row(decode_study(json.dumps(file).encode(), tmp_path), 0, Builder())
    assert row["measured.scale"] is None
    assert row["error"].startswith("measured: is missing; give counters")
