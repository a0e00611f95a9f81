"""`optimise --move routes`: the tables in the scenario's folder, the output, and options that are refused."""

import json
import shutil
from pathlib import Path

import pytest

from app.cli.main import main
from app.cli.optimise_routes import tables_path
from core.files import read_scenario, write_scenario
from core.job import AllToAll
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Edges
from core.routing import Minimal, Tables

DEGRADED = Path(__file__).parents[2] / "data" / "infiniband" / "degraded"


@pytest.fixture
def example(tmp_path):
    return written(tmp_path, Tables(file="opensm-lfts.dump"))


def written(folder, routing):
    for path in DEGRADED.iterdir():
        shutil.copy(path, folder)
    path = folder / "start.fabriscope.json"
    network = Edges(file="ibnetdiscover.txt")
    write_scenario(path, Scenario(network, AllToAll(tasks=64), Sequential(), routing))
    return path


def optimised(*arguments):
    return main(["optimise", *map(str, arguments), "--move", "routes"])


def test_tables_are_written_to_the_folder_of_the_scenario(example, capsys):
    out = example.with_name("best.json")
    assert optimised(example, "--seconds", "20", "--out", out) == 0
    printed = capsys.readouterr().out
    assert "Throughput      0.4444     1.0     1.0        optimal   GB/s per node" in printed
    assert "7 units that hosts of switch s1_0001 send to hosts of other switches share 7 links of 7 GB/s" in printed
    assert "Hottest link, start: switch link s2_0000 port 2 → s1_0001 port 9, 2.25 units" in printed
    assert "On one virtual lane, the start is free of deadlocks, the best free of deadlocks." in printed
    assert f"written: {out.with_suffix('.lfts')}" in printed
    assert read_scenario(out).routing == Tables(file="best.lfts", format="opensm-lfts")
    assert main(["evaluate", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["throughput_gbs"] == pytest.approx(1.0)


def test_figures_of_routes(example, capsys):
    assert optimised(example, "--steps", "40000", "--seed", "2", "--json") == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["start_time"], figures["time"], figures["bound_gbs"]) == (2.25, 1.0, 1.0)
    assert figures["start_hottest_link"].startswith("switch link s2_0000 port 2")
    assert figures["start_deadlock_free"] is figures["deadlock_free"] is True


def test_a_routing_that_splits_flows_starts_from_shortest_paths(tmp_path, capsys):
    start = written(tmp_path, Minimal())
    assert optimised(start, "--steps", "40000", "--out", tmp_path / "best.fabriscope.json") == 0
    assert "optimal" in capsys.readouterr().out
    assert (tmp_path / "best.lfts").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--pin", "3"], "--pin: is for mappings only; remove it"),
        (["--method", "two-opt"], "--method: is for mappings only"),
        (["--workers", "2"], "--workers: is for mappings only"),
        (["--no-empty"], "--no-empty: is for mappings only"),
        (["--out", "-"], "--out: must be a file, since the forwarding tables are written to its folder"),
        (["--objective", "hop-bytes"], "--objective: hop-bytes stays the same on minimal routes"),
    ],
)
def test_options_of_mappings_are_refused(example, arguments, words, capsys):
    assert optimised(example, *arguments) == 2
    assert words in capsys.readouterr().err


def test_networks_without_lids_are_refused(capsys):
    assert main(["optimise", "torus-8x8x8-halo", "--move", "routes"]) == 2
    assert "network: forwarding tables need an InfiniBand fabric with LIDs" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "tables"), [("a.fabriscope.json", "a.lfts"), ("b.json", "b.lfts"), ("c", "c.lfts")])
def test_names_of_tables(name, tables):
    assert tables_path(Path("x") / name) == Path("x") / tables
