"""`compare`: a table of several networks."""

import csv
import json

import pytest

from app.cli.arguments import parse_choice
from app.cli.main import main
from core.figures.network_table import COLUMNS, node_bandwidth
from core.files import write_scenario
from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import AnyNetwork, Torus
from core.routing import DimensionOrder


def compared(capsys, *arguments):
    assert main(["compare", *arguments, "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)["networks"]


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.fabriscope.json"
    scenario = Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=3), DimensionOrder())
    write_scenario(path, scenario)
    return path, evaluate(scenario.build())


def test_json_has_all_metrics_of_each_network(mine, capsys):
    path, _ = mine
    torus, ring = compared(capsys, str(path), "circulant:nodes=16,jumps=1", "--gbs", "own")
    assert (torus["name"], torus["network"], ring["network"]) == ("mine", "torus", "circulant")
    assert (torus["distance_sum"], ring["diameter"]) == (512, 8)
    assert main(["metrics", str(path), "--json"]) == 0
    alone = json.loads(capsys.readouterr().out)
    assert alone.items() <= torus.items()
    assert torus["traffic"] == {"job": "all-to-all", "mapping": "sequential", "routing": "minimal"}
    # A task's unit crosses 4 hops on average, half of them in each direction of a ring.
    assert ring["throughput_gbs"] == pytest.approx(12.5 / 2)
    assert ring["bottleneck"] == "C1"


@pytest.mark.parametrize(
    "network", ["circulant:nodes=16,jumps=1", "fat-tree:arity=4,levels=2", "hyperx", "rail", "xgft"]
)
def test_bandwidth_per_node_is_equal_by_default(capsys, network):
    fields = ("torus:dims=4x4,gbs=3", network, "--job", "none")
    assert main(["compare", *fields, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["bandwidths"] == "equal bandwidth per node: the links that leave a node have 12 GB/s in total"
    bare, wide = (compared(capsys, *fields, "--gbs", gbs)[1] for gbs in ("own", "7"))
    factor = printed["networks"][1]["bisection"]["gbs"] / bare["bisection"]["gbs"]
    spec = parse_choice("network", network, AnyNetwork)
    assert factor == pytest.approx(12 / node_bandwidth(spec.build()))
    assert wide["bisection"]["gbs"] != pytest.approx(bare["bisection"]["gbs"])


def test_own_jobs_and_none(mine, capsys):
    path, report = mine
    (own,) = compared(capsys, str(path), "--job", "own")
    assert own["throughput_gbs"] == pytest.approx(report.throughput_gbs)
    assert own["traffic"] == {"job": "halo", "mapping": "random", "routing": "dimension-order"}
    (none,) = compared(capsys, str(path), "--job", "none")
    assert (none["throughput_gbs"], none["traffic"]) == (None, None)


def test_equal_sizes_degrees_and_bandwidths(capsys):
    networks = compared(capsys, "hypercube:dimensions=4", "circulant:nodes=9,jumps=1,2", "--equal", "nodes")
    assert [row["nodes"] for row in networks] == [16, 16]
    networks = compared(capsys, "hypercube", "shortcut", "--equal", "degree", "--to", "7")
    assert [row["degree_max"] for row in networks] == [7, 7]
    narrow, wide = (compared(capsys, "torus:dims=4,4", "--gbs", gbs)[0] for gbs in ("1", "2"))
    assert wide["throughput_gbs"] == pytest.approx(2 * narrow["throughput_gbs"])
    assert wide["bisection"]["gbs"] == pytest.approx(16.0)


def test_a_network_too_small_for_the_job_has_a_note(capsys):
    large, small = compared(capsys, "torus:dims=4,4", "torus:dims=2,4", "--job", "all-to-all:tasks=16")
    assert large["throughput_gbs"] > 0
    assert small["throughput_gbs"] is None
    assert small["notes"][0].startswith("no throughput: mapping: 16 tasks do not fit 8 slots")


def test_networks_that_take_minutes_are_omitted_with_the_reason(capsys, monkeypatch):
    # A network of this size has too many distances, and an all-to-all job has too many flows.
    monkeypatch.setattr("core.figures.network_table.MAX_VISITS", 10**6)
    torus, folded = "torus:dims=4x4", "clex:k=64,levels=3"
    assert main(["compare", torus, "shortcut:nodes=1024,degree=3", folded, "--json"]) == 0
    results = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in results["networks"]] == [torus, folded]
    (left,) = results["left_out"]
    assert left["name"] == "shortcut:nodes=1024,degree=3"
    assert left["reason"].endswith("directed links would take minutes; choose fewer")
    assert main(["compare", "shortcut:nodes=1024,degree=3"]) == 2
    assert "would take minutes" in capsys.readouterr().err
    assert main(["compare", torus, "shortcut:nodes=1024,degree=3"]) == 0
    assert "note: shortcut:nodes=1024,degree=3 is omitted: 1,024 nodes with" in capsys.readouterr().out


def test_csv_has_a_row_per_network_and_a_column_per_figure(tmp_path, capsys):
    out = tmp_path / "table.csv"
    assert main(["compare", "torus:dims=4,4", "circulant:nodes=16,jumps=1", "--csv", str(out)]) == 0
    first, second = csv.DictReader(out.read_text().splitlines())
    assert list(first) == [
        "name", "network", *(column.key for column in COLUMNS), "bottleneck", "job", "mapping", "routing",
    ]  # fmt: skip
    assert (first["links"], first["diameter"], second["diameter"], second["job"]) == ("32", "4", "8", "all-to-all")
    assert main(["compare", "torus:dims=4,4", "--job", "none", "--csv", str(out)]) == 0
    (only,) = csv.DictReader(out.read_text().splitlines())
    assert (only["throughput_gbs"], only["routing"]) == ("", "")
    assert main(["compare", "torus:dims=4,4", "--csv", str(tmp_path / "none" / "table.csv")]) == 2
    assert "--csv: " in capsys.readouterr().err


def test_columns_of_the_text_are_aligned(capsys):
    assert main(["compare", "torus:dims=4,4", "circulant:nodes=16,jumps=1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["equal bandwidth per node: the links that leave a node have 1.7 GB/s in total", ""]
    head, units, torus, ring = lines[2:6]
    for title, figure, other in (("Links", "32", "16"), ("Diameter", "4", "8"), ("Limited by", "X", "C1")):
        end = head.index(title) + len(title)
        assert torus[:end].endswith(f" {figure}")
        assert ring[:end].endswith(f" {other}")
    assert units.split()[:2] == ["hops", "hops"]
    assert "1. Torus: 4 × 4 = 16 nodes" in lines
    assert "throughput: All-to-all; mapping Sequential; routing Minimal: equal shares on all shortest paths" in lines


def test_traffic_that_differs_is_shown_in_each_row(mine, capsys):
    assert main(["compare", str(mine[0]), "torus:dims=4,4", "--job", "own"]) == 0
    out = capsys.readouterr().out
    assert "Dimension order" in out
    assert "equal shares on all shortest paths" in out
    assert "throughput: " not in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "NETWORK: no such file, family or machine: 'nothing'"),
        (["torus", "--job", "all"], "--job: 'all' is not known; "),
        (["torus", "--job", "own", "--routing", "minimal"], "--routing: cannot be used with --job own"),
        (
            ["torus", "--routing", "minimal:spread=wide"],
            "--routing: minimal: spread must be one of single, equal, ",
        ),
        (["torus", "--to", "8"], "--to: requires --equal nodes or --equal degree"),
        (["torus", "--equal", "nodes", "--to", "1"], "--to: must be a whole number from 2 to 1,048,576, not 1"),
        (["torus", "--gbs", "0"], "--gbs: must be a number from 0.000001 to 1,000,000 GB/s, not '0'"),
    ],
)
def test_errors_are_one_line(capsys, arguments, words):
    assert main(["compare", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"fabriscope: {words}")
    assert err.count("\n") == 1


def test_networks_may_be_options_as_in_other_commands(capsys):
    def compared(*arguments):
        assert main(["compare", *arguments, "--job", "none", "--json"]) == 0
        return capsys.readouterr().out

    expected = compared("torus:dims=3x3", "hypercube")
    assert compared("--network", "torus:dims=3x3", "--network", "hypercube") == expected
    assert compared("torus:dims=3x3", "--network", "hypercube") == expected
    assert main(["compare"]) == 2
    assert "NETWORK: is missing; give a family" in capsys.readouterr().err
