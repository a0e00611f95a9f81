"""Every command that reads traffic notes which unit it assumes for volumes without a unit."""

import json

import pytest

from app.cli.main import main
from core.job.flows import NO_UNIT

COMMANDS = {
    "evaluate": ["evaluate"],
    "timeline": ["timeline"],
    "explain": ["explain"],
    "optimise": ["optimise", "--steps", "20"],
    "diff": ["diff", "--mapping", "random"],
    "compare": ["compare", "--job", "own"],
}


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "m.csv").write_text("0,1,2,3\n4,0,5,6\n7,8,0,9\n1,2,3,0\n")
    raw = {"network": {"type": "torus", "dims": [2, 2]}, "mapping": {"type": "sequential"}}
    raw |= {"routing": {"type": "minimal"}}

    def write(unit):
        job = {"type": "flows", "file": "m.csv", **({"unit": unit} if unit else {})}
        path = tmp_path / "s.fabriscope.json"
        path.write_text(json.dumps({"fabriscope": 1, "job": job, **raw}))
        return str(path)

    return write


@pytest.mark.parametrize("command", COMMANDS)
def test_an_assumed_unit_is_noted(scenario, capsys, command):
    name, *options = COMMANDS[command]
    note = f"'m.csv' {NO_UNIT}"
    for unit in ("", "bytes"):
        assert main([name, scenario(unit), *options]) == 0
        lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
        assert lines.count(f"note: {note}") == (not unit)
        assert main([name, scenario(unit), *options, "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        notes = printed["networks"][0]["notes"] if name == "compare" else printed.get("notes", [])
        assert notes.count(note) == (not unit)
