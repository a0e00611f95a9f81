"""Message counts have no times: every output has null or a dash, and a note. Jobs with bytes have times."""

import csv
import json

import pytest

from app.cli.main import main
from core.job.measure import UNTIMED

PAIRS = {"type": "flows", "tasks": 16, "src": [0, 1, 2], "dst": [5, 9, 3], "volume": [30.0, 20.0, 10.0]}
SEARCH = ["--steps", "50", "--seed", "1"]


@pytest.fixture
def file(tmp_path):
    def write(unit, **more):
        path = tmp_path / f"{unit}.fabriscope.json"
        job = PAIRS | {"unit": unit}
        sequence = {"type": "sequence", "parts": [job], "repeat": 2}
        raw = {"network": {"type": "torus", "dims": [4, 4]}, "job": sequence, "mapping": {"type": "sequential"}}
        path.write_text(json.dumps({"fabriscope": 1, **raw, "routing": {"type": "minimal"}, **more}))
        return str(path)

    return write


@pytest.fixture
def printed(capsys):
    def run(*words):
        assert main(list(words)) == 0
        return capsys.readouterr().out

    return run


def times_in(value, names):
    """All values of some keys, at any depth."""
    if isinstance(value, dict):
        own = [time for key, time in value.items() if key in names]
        return own + [time for nested in value.values() for time in times_in(nested, names)]
    return [time for entry in value for time in times_in(entry, names)] if isinstance(value, list) else []


COMMANDS = {
    "evaluate": (["evaluate"], {"time_per_unit", "time_alone"}),
    "timeline": (["timeline"], {"seconds", "start"}),
    "optimise": (["optimise", *SEARCH], {"start_time", "time"}),
    "optimise seconds": (["optimise", *SEARCH, "--objective", "seconds"], {"start_time", "time", "start", "found"}),
    "diff": (["diff", "--mapping", "random"], {"time_per_unit"}),
}


@pytest.mark.parametrize("timing", [None, {"type": "barrier", "hop_seconds": 1e-6}, {"type": "fair-share"}])
@pytest.mark.parametrize("command", COMMANDS)
def test_json_has_null_and_a_note(file, printed, command, timing):
    words, names = COMMANDS[command]
    if timing is not None and timing["type"] == "fair-share" and "seconds" in words:
        pytest.skip("a search for seconds is for barriers")
    for unit, untimed in (("messages", True), ("MB", False)):
        arguments = [words[0], file(unit, **({} if timing is None else {"timing": timing})), *words[1:]]
        results = json.loads(printed(*arguments, "--json"))
        times = times_in(results, names)
        assert len(times) >= len(names)
        assert {time is None for time in times} == {untimed}
        assert (UNTIMED in results.get("notes", [])) == untimed


def test_background_jobs_have_no_times(file, printed):
    job = PAIRS | {"tasks": 8, "dst": [5, 4, 3], "unit": "messages"}
    beside = {"name": "b", "job": job, "mapping": {"type": "sequential"}, "allocation": "8-15"}
    path = file("messages", job=job, allocation="0-7", neighbours=[beside])
    results = json.loads(printed("evaluate", path, "--json"))
    assert [(job["time_per_unit"], job["time_alone"]) for job in results["jobs"]] == [(None, None)] * 2
    assert all(job["slowdown"] >= 1 for job in results["jobs"])


@pytest.mark.parametrize("command", COMMANDS)
def test_texts_have_no_seconds(file, printed, command):
    words, _ = COMMANDS[command]
    text = printed(words[0], file("messages"), *words[1:])
    before, *searched = text.split("\nTried ")  # duration of the search
    for word in before.replace("\n", " ").split(" "):
        assert word not in ("s", "ms", "µs", "ns")
    assert command == "diff" or f"note: {UNTIMED}" in text
    assert bool(searched) == ("optimise" in command)


def test_seconds_are_searched_in_percent_of_the_start(file, printed):
    text = printed("optimise", file("messages"), *SEARCH, "--objective", "seconds")
    assert any(line.startswith("Seconds ") and line.endswith("% of the start") for line in text.splitlines())


def test_the_rows_of_steps_have_no_times(file, printed, tmp_path):
    rows = {}
    for unit in ("messages", "MB"):
        printed("timeline", file(unit), "--csv", str(tmp_path / "steps.csv"))
        with (tmp_path / "steps.csv").open() as text:
            rows[unit] = list(csv.DictReader(text))
    assert [(row["start"], row["seconds"]) for row in rows["messages"]] == [("", "")] * 2
    assert all(float(row["seconds"]) > 0 for row in rows["MB"])
    assert [row["hops"] for row in rows["messages"]] == [row["hops"] for row in rows["MB"]]


def test_a_report_has_dashes_and_the_note(file, printed, tmp_path):
    pages = {}
    for unit in ("messages", "MB"):
        out = tmp_path / f"{unit}.html"
        printed("report", file(unit), "--out", str(out))
        pages[unit] = out.read_text()
    assert UNTIMED.capitalize() in pages["messages"]
    assert UNTIMED.capitalize() not in pages["MB"]
    assert "1 GB" not in pages["messages"].partition('id="timeline"')[2].partition("<section")[0]
