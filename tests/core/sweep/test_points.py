"""The row of a point: the figures that commands print for its scenario."""

import json
import time

import msgspec
import numpy as np
import pytest

from app.cli.main import main
from core.figures.evaluation import evaluation_of
from core.files import write_scenario
from core.load.evaluate import evaluate
from core.mapping import Explicit
from core.optimise.request import ignore_result
from core.sweep import points
from core.sweep.points import Builder, point_row, rows_of, searched_scenario
from tests.core.sweep.studies import BASE, content, study

MEASURES = [
    "throughput_gbs", "bottleneck", "classes.X.max_load", "bound_gbs", "cut_flows", "metrics.aspl",
    "metrics.bisection.links", "timeline.seconds", "timeline.steps[0].name", "timeline.classes.Y.utilisation",
]  # fmt: skip


def printed(capsys, *arguments):
    assert main(arguments) == 0
    return json.loads(capsys.readouterr().out)


def test_measures_match_the_output_of_commands(tmp_path, capsys):
    sweep, path = study(measure=MEASURES), tmp_path / "one.fabriscope.json"
    write_scenario(path, sweep.scenario(()))
    commands = {name: printed(capsys, name, str(path), "--json") for name in ("evaluate", "metrics", "timeline")}
    row = point_row(sweep, 0, Builder())
    assert row["error"] is None
    assert [row[path] for path in MEASURES] == [
        commands["evaluate"]["throughput_gbs"],
        commands["evaluate"]["bottleneck"],
        commands["evaluate"]["classes"]["X"]["max_load"],
        commands["evaluate"]["bound_gbs"],
        None,  # declared, and not printed if nothing is disconnected
        commands["metrics"]["aspl"],
        commands["metrics"]["bisection"]["links"],
        commands["timeline"]["seconds"],
        commands["timeline"]["steps"][0]["name"],
        commands["timeline"]["classes"]["Y"]["utilisation"],
    ]


def test_a_point_is_searched_first():
    random = {**BASE, "mapping": {"type": "random", "seed": 3}}
    figures = [f"optimise.{name}" for name in ("start_gbs", "throughput_gbs", "bound_gbs", "steps")]
    search = {"steps": 300, "seed": 1, "method": {"type": "two-opt"}}
    sweep = study(base=random, measure=["throughput_gbs", *figures], optimise=search)
    row = point_row(sweep, 0, Builder())
    plain = point_row(study(base=random, measure=["throughput_gbs", "bound_gbs"]), 0, Builder())
    assert row["optimise.start_gbs"] == plain["throughput_gbs"] < row["throughput_gbs"]
    assert row["optimise.throughput_gbs"] == row["throughput_gbs"]
    assert row["optimise.bound_gbs"] == plain["bound_gbs"]
    assert row["optimise.steps"] == 300
    took = {"cpu_seconds": 0, "seconds": 0}
    assert point_row(sweep, 0, Builder()) | took == row | took


def test_the_hosts_are_ordered_before_a_point_is_measured():
    random = {**BASE, "network": {**BASE["network"], "slots_per_node": 2}, "mapping": {"type": "random"}}
    search = {"steps": 2000, "unit": "host", "objective": {"type": "hop-bytes"}}
    sweep = study(base=random, measure=["optimise.start", "optimise.found"], optimise=search)
    scenario = searched_scenario(sweep, 0, 2000, ignore_result)
    before, after = (each.build().mapping.slots for each in (sweep.scenario(()), scenario))
    assert len(set(zip(before // 2, after // 2, strict=True))) == len(set(before // 2))
    np.testing.assert_array_equal(before % 2, after % 2)


def test_a_row_has_evaluated_mappings_and_processor_time():
    search = {"steps": 300, "seed": 1, "method": {"type": "two-opt"}}
    sweep = study(base={**BASE, "mapping": {"type": "random"}}, measure=["throughput_gbs"], optimise=search)
    assert sweep.columns == ("point", "throughput_gbs", "optimise.steps", "cpu_seconds", "seconds", "error")
    point_row(sweep, 0, Builder())  # compiled, which is allowed in threads
    row = point_row(sweep, 0, Builder())
    assert row["optimise.steps"] == 300
    assert 0 < row["cpu_seconds"] <= 1.5 * row["seconds"]
    # Waiting is not work.
    assert point_row(study(), 0, Waits())["cpu_seconds"] < 0.5
    assert "optimise.steps" not in study().columns


class Waits(Builder):
    """Builds after a wait."""

    def build(self, scenario):
        time.sleep(1.0)
        return super().build(scenario)


def test_the_mapping_of_a_row_is_reproduced():
    random = {**BASE, "mapping": {"type": "random", "seed": 3}}
    search = {"seconds": 0.02, "seed": 1, "objective": {"type": "hops"}, "method": {"type": "annealing"}}
    sweep, heard = study(base=random, measure=["hops", "optimise.steps"], optimise=search), []
    row = point_row(sweep, 0, Builder())
    searched = searched_scenario(sweep, 0, row["optimise.steps"], heard.append)
    assert evaluation_of(evaluate(searched.build()), ()).hops == row["hops"]
    assert heard[-1].steps == row["optimise.steps"]
    assert isinstance(searched.mapping, Explicit)
    assert searched_scenario(study(), 0, None, heard.append) == study().scenario(())


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"measure": ["links", "classes.Q.links"]}, "classes.Q.links: no Q; choices: X, Y"),
        (
            {"measure": ["links", "classes.X"]},
            "classes.X: is not a single figure; choose one of its members: links, gbs,",
        ),
        (
            {"measure": ["links", "timeline.steps"]},
            "timeline.steps: is not a single figure; choose one of its members: 0 to 0",
        ),
        ({"measure": ["links", "notes"]}, "notes: is not a single figure; it is empty here, so remove it"),
    ],
)
def test_a_missing_figure_is_an_error_and_other_figures_are_kept(fields, words):
    row = point_row(study(**fields), 0, Builder())
    assert row["error"].startswith(words)
    assert row["links"] == 64


@pytest.mark.parametrize(
    ("raised", "words"),
    [
        (MemoryError(), "not enough memory for this point"),
        (KeyError("a"), "KeyError: 'a'"),
    ],
)
def test_any_error_is_a_row(monkeypatch, raised, words):
    def fail(case):
        raise raised

    monkeypatch.setattr(points, "evaluate", fail)
    row = point_row(study(), 0, Builder())
    assert (row["error"], row["throughput_gbs"]) == (words, None)


def test_networks_are_built_once_and_dropped_beyond_the_limit(monkeypatch):
    monkeypatch.setattr(points, "MAX_KEPT", 2)
    sweep = study(vary={"network.gbs": [1, 2, 3], "mapping.type": ["sequential", "ring"]})
    builder, first, *others = Builder(), *map(sweep.scenario, sweep.points)
    case = builder.build(first)
    assert builder.build(others[0]).network is case.network
    assert builder.network_figures(case) is builder.network_figures(case)
    for scenario in others[1:]:
        builder.build(scenario)
    assert builder.build(first).network is not case.network


def test_a_batch_ends_when_its_time_is_over():
    bytes_, numbers = content(vary={"network.gbs": {"from": 1, "to": 9}}), range(2, 8)
    assert [row["point"] for row in rows_of(bytes_, None, numbers, 0.0)] == [2]
    assert [row["point"] for row in rows_of(bytes_, None, numbers, 60.0)] == list(numbers)


def test_rows_are_plain():
    rows = rows_of(content(measure=MEASURES), None, [0], 1.0)
    assert msgspec.json.decode(msgspec.json.encode(rows)) == rows


def test_nodes_and_background_jobs_can_be_varied(tmp_path, capsys):
    job = {"type": "flows", "tasks": 8, "src": [0, 1, 2], "dst": [5, 7, 6], "volume": [9, 9, 9]}
    busy = {"job": job, "mapping": {"type": "sequential"}, "name": "B"}
    small = {**BASE, "job": {"type": "halo", "rows": 2, "cols": 4, "message_bytes": 10**9}, "allocation": "0-7"}
    taken = {"allocation": ["0-7", "0,2,4,6,8,10,12,14"], "down": [[], ["15"]], "neighbours": [[], [busy]]}
    sweep = study(base=small, vary=taken, measure=["throughput_gbs", "jobs[0].slowdown"])
    builder = Builder()
    rows = [point_row(sweep, number, builder) for number in range(len(sweep.points))]
    path = tmp_path / "one.fabriscope.json"
    for row, point in zip(rows, sweep.points, strict=True):
        if row["error"] is None:
            write_scenario(path, sweep.scenario(point))
            alone = printed(capsys, "evaluate", str(path), "--json")
            assert row["throughput_gbs"] == pytest.approx(alone["throughput_gbs"])
            assert row["jobs[0].slowdown"] == pytest.approx(alone["jobs"][0]["slowdown"])
    assert len({row["throughput_gbs"] for row in rows}) > 3
    assert max(row["jobs[0].slowdown"] or 0 for row in rows) > 1
    # One node less than both jobs need.
    assert [number for number, row in enumerate(rows) if row["error"]] == [3, 7]
