"""Links of a fabric with numbered ports have the names of the file in every output."""

import csv
import json
from pathlib import Path

import pytest

from app.cli.main import main
from tests.core.network.test_link_ends import TWO_CABLES

JOB = {"type": "flows", "tasks": 2, "src": [0], "dst": [1], "volume": [1.0]}
CABLE = ("west port 1", "east port 6")


@pytest.fixture
def fabric(tmp_path):
    """Write a scenario with a fault on the first of two cables, and one without faults."""
    (tmp_path / "ib.txt").write_text(TWO_CABLES)
    plain = {
        "fabriscope": 1,
        "network": {"type": "edges", "file": "ib.txt"},
        "job": JOB,
        "mapping": {"type": "sequential"},
        "routing": {"type": "minimal"},
    }
    faulty = plain | {"faults": [{"type": "link", "src": "west port 1", "dst": "east", "speed": 0.5}]}
    for name, scenario in (("plain", plain), ("faulty", faulty)):
        (tmp_path / f"{name}.fabriscope.json").write_text(json.dumps(scenario))
    return tmp_path


def printed(capsys, command, *arguments):
    assert main([command, *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_the_csv_of_loads_appends_both_ends(fabric, capsys):
    printed(capsys, "evaluate", fabric / "plain.fabriscope.json", "--links", fabric / "links.csv")
    rows = list(csv.reader(Path(fabric / "links.csv").read_text().splitlines()))
    assert rows[0] == ["src", "dst", "class", "load", "utilisation", "from", "to"]
    loaded = [row for row in rows[1:] if row[2] == "switch link" and float(row[3])]
    assert loaded == [["west", "east", "switch link", "1.0", "1.0", *CABLE]]


def test_explain_and_diff_name_the_cable(fabric, capsys):
    plain, faulty = fabric / "plain.fabriscope.json", fabric / "faulty.fabriscope.json"
    assert f"Why switch link {' → '.join(CABLE)} is hot" in printed(capsys, "explain", plain)
    for ends in (CABLE, ("west", "east")):
        (link,) = json.loads(printed(capsys, "explain", plain, "--link", "switch link", *ends, "--json"))["links"]
        assert (link["from"], link["to"], link["load"]) == (*CABLE, 1.0)
    idle = ("--link", "switch link", "west port 2", "east")
    (link,) = json.loads(printed(capsys, "explain", plain, *idle, "--json"))["links"]
    assert (link["to"], link["load"]) == ("east port 5", 0.0)
    flow = json.loads(printed(capsys, "explain", plain, "--flow", "0:1", "--json"))["flow"]
    assert [flow["path"][1][end] for end in ("from", "to")] == list(CABLE)
    changed = json.loads(printed(capsys, "diff", plain, faulty, "--json"))["links"]
    assert CABLE in [(link["from"], link["to"]) for link in changed]


def test_notes_and_the_reference_name_faults(fabric, capsys):
    report = json.loads(printed(capsys, "evaluate", fabric / "faulty.fabriscope.json", "--json"))
    assert "2 links slow: switch link west port 1 – east port 6" in report["notes"]
    assert report["time_per_unit"] == pytest.approx(2 / 12.5)
    assert "A whole number, or a name." in " ".join(printed(capsys, "help", "faults", "link").split())


def test_explain_refuses_a_port_without_a_cable(fabric, capsys):
    assert main(["explain", str(fabric / "plain.fabriscope.json"), "--link", "switch link", "west port 3", "east"]) == 2
    assert "no part named" in capsys.readouterr().err
