"""`resilience`: text, JSON and tables of all failures."""

import csv
import json
import re

import pytest

from app.api.scenario import Scenario
from app.cli.main import main

TORUS = (
    "--network", "torus:dims=4x4x4", "--job", "halo:rows=8,cols=8", "--mapping", "random:seed=1",
    "--routing", "minimal:spread=equal",
)  # fmt: skip


def test_a_failure_may_make_a_job_faster(capsys):
    assert main(["resilience", *TORUS, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert round(figures["base_gbs"], 4) == 0.4615
    assert (figures["what"], figures["failures"]) == ("cables", 192)
    assert (figures["slower"], figures["faster"], figures["unchanged"], figures["disconnecting"]) == (155, 37, 0, 0)
    assert round(figures["worst"]["throughput_gbs"], 4) == 0.3865
    assert round(figures["best"]["throughput_gbs"], 4) == 0.5337
    assert set(figures["quantiles"]) == {"5", "50", "95"}
    assert main(["resilience", *TORUS]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == [
        "0.4615 GB/s per node without a failure, limited by Y links",
        "192 failures of cables, one at a time:",
        "       155  slow the job",
        "        37  make it faster",
    ]
    assert any(line.startswith(figures["worst"]["failure"]) and "-16.3 %" in line for line in lines)
    assert any(line.startswith(figures["best"]["failure"]) and "+15.6 %" in line for line in lines)


def test_the_table_has_a_row_for_each_failure(tmp_path, capsys):
    path = tmp_path / "failures.csv"
    assert main(["resilience", *TORUS, "--what", "nodes", "--sample", "5", "--out", str(path)]) == 0
    printed = capsys.readouterr().out
    assert printed.endswith(f"written: {path}\n")
    assert "disconnected" in printed
    with path.open(newline="") as stream:
        next(stream)  # the study's digest
        rows = list(csv.DictReader(stream))
    assert len(rows) == 5
    assert list(rows[0])[:4] == ["point", "faults", "faulty", "throughput_gbs"]


def figures_printed(capsys, *arguments):
    assert main(["resilience", *TORUS, "--depth", "2", "--sample", "4", "--curve", "2", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_tables_hold_the_figures_computed_without_them_and_can_be_resumed(tmp_path, capsys):
    path = tmp_path / "failures.csv"
    direct, tabled = figures_printed(capsys), figures_printed(capsys, "--out", str(path))
    assert [row["failure"] for row in direct["rows"]] == [row["failure"] for row in tabled["rows"]]
    for name in ("base_gbs", "slower", "faster", "unchanged", "disconnecting"):
        assert direct[name] == tabled[name]
    assert tabled["worst"]["throughput_gbs"] == pytest.approx(direct["worst"]["throughput_gbs"])
    assert tabled["pairs"]["worst"]["failure"] == direct["pairs"]["worst"]["failure"]
    assert tabled["curve"][2]["mean_gbs"] == pytest.approx(direct["curve"][2]["mean_gbs"])
    assert {file.name for file in tmp_path.iterdir()} == {
        "failures.csv", "failures-pairs.csv", "failures-curve.csv",
    }  # fmt: skip
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-2]))
    assert figures_printed(capsys, "--out", str(path), "--resume") == tabled
    assert sorted(map(timeless, path.read_text().splitlines())) == sorted(timeless(line.rstrip("\n")) for line in lines)


def timeless(line):
    """A row of a table without its last columns: cpu_seconds, seconds, error."""
    return line.rsplit(",", 3)[0]


def test_workers_compute_the_same_figures(tmp_path, capsys):
    here = figures_printed(capsys, "--out", str(tmp_path / "here.csv"))
    assert figures_printed(capsys, "--workers", "2") == here


def test_the_curve_begins_without_failures(capsys):
    assert main(["resilience", *TORUS, "--sample", "2", "--curve", "3", "--draws", "4"]) == 0
    *_, none, _, _, three = capsys.readouterr().out.splitlines()
    assert none.split() == ["0", "0", "%", "100.0", "%", "0.4615", "0.4615", "0.4615"]
    assert three.startswith("3 ")
    assert main(["resilience", *TORUS, "--sample", "2", "--json"]) == 0
    assert "curve" not in json.loads(capsys.readouterr().out)


def curves_printed(capsys, *arguments):
    words = ["--sample", "1", "--draws", "3", *arguments]
    assert main(["resilience", *TORUS, *words]) == 0
    return capsys.readouterr().out


def test_curves_of_several_scenarios_are_side_by_side(tmp_path, capsys):
    others = "hypercube:dimensions=6", "power775-smallest"
    figures = json.loads(curves_printed(capsys, "--curve", "2", "--against", *others, "--json"))
    assert [curve["name"] for curve in figures["curves"]] == ["torus:dims=4x4x4", *others]
    assert [curve["components"] for curve in figures["curves"]] == [192, 192, 993]
    assert figures["curves"][0]["points"] == figures["curve"]
    alone = "--network", others[0], *TORUS[2:], "--sample", "1", "--draws", "3", "--curve", "2", "--json"
    assert main(["resilience", *alone]) == 0
    own = json.loads(capsys.readouterr().out)
    assert figures["curves"][1]["points"] == own["curve"]
    assert figures["curves"][1]["base_gbs"] == own["base_gbs"]
    lines = curves_printed(capsys, "--curve", "10%", "--against", *others).splitlines()
    assert "2. hypercube:dimensions=6: 192 cables" in lines
    head, none, *_ = lines[lines.index("relative throughput, mean of 3 draws (5 to 95 %)") + 1 :]
    assert head.split("  ")[0] == "failed cables"
    assert none.split() == ["0", "%", *["100.0", "%"] * 3]
    assert [line.split(" %")[0] for line in lines if line.startswith(("0.5 %", "10 %"))] == ["0.5", "10"]


def test_a_network_has_the_choices_of_the_file(tmp_path, capsys):
    path = tmp_path / "a.fabriscope.json"
    path.write_text(json.dumps({
        "fabriscope": 1, "network": {"type": "torus", "dims": [4, 4]}, "job": {"type": "halo", "rows": 4, "cols": 4},
        "mapping": {"type": "random", "seed": 1}, "routing": {"type": "minimal", "spread": "equal"},
    }))  # fmt: skip
    words = "--sample", "1", "--curve", "1", "--draws", "2", "--against", "hypercube:dimensions=4", "--json"
    assert main(["resilience", str(path), *words]) == 0
    a, b = json.loads(capsys.readouterr().out)["curves"]
    assert (a["name"], b["name"]) == ("a", "hypercube:dimensions=4")
    choices = "--network", "hypercube:dimensions=4", "--job", "halo:rows=4,cols=4", "--mapping", "random:seed=1"
    assert main(["evaluate", *choices, *TORUS[-2:], "--json"]) == 0
    assert b["base_gbs"] == pytest.approx(json.loads(capsys.readouterr().out)["throughput_gbs"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_curves_are_written_as_tables_and_a_picture(tmp_path, capsys, qapp, ending):
    path, chart = tmp_path / f"r.{ending}", tmp_path / "r.svg"
    printed = curves_printed(
        capsys, "--curve", "2", "--against", "hypercube:dimensions=6", "--out", str(path), "--chart", str(chart)
    )
    names = ["r", "r-curve", "r-curve-2", "r-curves"]
    assert {file.name for file in tmp_path.iterdir()} == {"r.svg", *(f"{name}.{ending}" for name in names)}
    assert printed.endswith(f"written: {tmp_path / f'r-curves.{ending}'}\nwritten: {chart}\n")
    assert re.search(r"scenarios [0-9a-f]{16}, [0-9a-f]{16}", chart.read_text())
    assert {"torus:dims=4x4x4", "hypercube:dimensions=6"} <= set(re.findall(r">([^<>]+)</text>", chart.read_text()))
    if ending == "csv":
        with (tmp_path / "r-curves.csv").open(newline="") as stream:
            rows = list(csv.DictReader(stream))
    else:
        rows = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "r-curves.parquet").to_pylist()
    assert [(row["name"], int(row["failures"])) for row in rows] == [
        (name, count) for name in ("torus:dims=4x4x4", "hypercube:dimensions=6") for count in range(3)
    ]
    assert float(rows[2]["mean_relative"]) == pytest.approx(float(rows[2]["mean_gbs"]) / float(rows[0]["mean_gbs"]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--what", "switches"], "--what: this network has no switches; choose cables or nodes"),
        (["--curve", "193", "--sample", "1"], "--curve: this network has 192 cables; give at most this number"),
        (["--sample", "0"], "argument --sample: must be a whole number from 1"),
        (["--out", "x.txt"], "--out: x.txt must end in .csv or .parquet"),
        (["--out", "-"], "--out: needs a file, in which the table can grow, such as failures.csv"),
        (["--resume"], "--resume: requires --out with the file of the existing table"),
        (
            ["--curve", "0"],
            "argument --curve: must be a whole number from 1 to 1,000,000,000, or a percentage, such as 10%",
        ),
        (["--curve", "120%"], "argument --curve: must be a percentage of more than 0 % and at most 100 %"),
        (["--against", "hypercube:dimensions=6"], "--against: requires --curve with the number of failures"),
        (["--chart", "x.svg"], "--chart: requires --curve with the number of failures"),
        (["--curve", "2", "--chart", "x.txt"], "--chart: x.txt must end in .png, .svg or .pdf"),
        (
            ["--curve", "100", "--sample", "1", "--draws", "1", "--against", "torus:dims=64"],
            "torus:dims=64: --curve: this network has 64 cables",
        ),
        (["--curve", "2", "--against", "absent.json"], "absent.json"),
        (
            ["--curve", "2", "--against", "hypercub:dimensions=6"],
            "--against: no such file, preset or network: 'hypercub:dimensions=6'; did you mean hypercube?",
        ),
        (["--depth", "3"], "argument --depth: '3' is not known; choices: 1, 2"),
        (["--depth", "2", "--sample", "1"], "--sample: is 1; give at least 2 random pairs"),
    ],
)
def test_bad_input_is_one_line(arguments, words, capsys):
    try:
        status = main(["resilience", *TORUS, *arguments])
    except SystemExit as stopped:
        status = stopped.code
    err = capsys.readouterr().err
    assert status == 2
    assert words in err
    assert err.count("\n") == 1


def test_an_engine_routes_around_failures_and_tables_alone_do_not(capsys):
    assert main(["resilience", "infiniband-fat-tree", "--json"]) == 0
    fixed = json.loads(capsys.readouterr().out)
    assert fixed["disconnecting"] == fixed["failures"] == 126
    assert main(["resilience", "infiniband-fat-tree", "--engine", "minhop", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["disconnecting"] == 64  # the cables to hosts
    api = Scenario("infiniband-fat-tree").resilience(engine="minhop")
    assert [row.throughput_gbs for row in api.rows] == [row["throughput_gbs"] for row in figures["rows"]]
    assert main(["resilience", "infiniband-fat-tree", "--engine", "minhop", "--out", "r.csv"]) == 2
    assert "--engine: cannot be used with --out" in capsys.readouterr().err


def test_added_cables_equal_a_scenario_with_them(tmp_path, capsys):
    assert main(["resilience", *TORUS, "--sample", "1", "--add", "2", "--json"]) == 0
    first, second = json.loads(capsys.readouterr().out)["added"]
    assert (first["cable"], round(first["throughput_gbs"], 4)) == ("(2,1,3) – (2,2,3)", 0.5344)
    assert (round(first["gain"], 2), first["candidates"], first["bottleneck"]) == (15.78, 2016, "X")
    assert round(second["throughput_gbs"] / first["throughput_gbs"], 4) == round(1 + second["gain"] / 100, 4)
    plain = {
        "fabriscope": 1, "network": {"type": "torus", "dims": [4, 4, 4]},
        "job": {"type": "halo", "rows": 8, "cols": 8}, "mapping": {"type": "random", "seed": 1},
        "routing": {"type": "minimal", "spread": "equal"},
        "cables": [{name: row[name] for name in ("src", "dst", "gbs")} for row in (first, second)],
    }  # fmt: skip
    path = tmp_path / "extended.fabriscope.json"
    path.write_text(json.dumps(plain))
    assert main(["evaluate", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["throughput_gbs"] == pytest.approx(second["throughput_gbs"])


def test_added_cables_are_printed_in_order(capsys):
    assert main(["resilience", *TORUS, "--sample", "1", "--add", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "added cable        GB/s per node     gain  bottleneck",
        "(2,1,3) – (2,2,3)         0.5344  +15.8 %  X",
    ]
    uniform = "--network", "torus:dims=3x3", "--job", "all-to-all:tasks=9", "--routing", "minimal:spread=equal"
    assert main(["resilience", *uniform, "--sample", "1", "--add", "1"]) == 0
    assert capsys.readouterr().out.endswith("\nno cable raises the throughput by itself\n")


def test_a_routing_that_cannot_use_cables_is_an_error(capsys):
    words = [*TORUS[:-1], "dimension-order", "--add", "1"]
    assert main(["resilience", *words]) == 2
    assert "routing.type: dimension-order cannot use added cables; choose minimal" in capsys.readouterr().err
