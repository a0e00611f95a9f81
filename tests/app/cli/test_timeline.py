"""`timeline`: the times of steps as JSON, as text and as CSV."""

import csv
import json
import re
from pathlib import Path

import pytest

from app.cli.main import main
from core.job.measure import UNTIMED

ALL_TO_ALL = {"type": "all-to-all", "tasks": 16, "algorithm": "pairwise", "message_bytes": 1e9}
TORUS = {"type": "torus", "dims": [4, 4], "gbs": 2}


@pytest.fixture
def file(tmp_path):
    def write(job=ALL_TO_ALL, timing=None, network=TORUS):
        raw = {"fabriscope": 1, "network": network, "job": job, "mapping": {"type": "sequential"}}
        raw["routing"] = {"type": "dimension-order"}
        raw |= {"timing": timing} if timing is not None else {}
        path = tmp_path / "job.fabriscope.json"
        path.write_text(json.dumps(raw))
        return str(path)

    return write


def test_json_has_these_keys(file, capsys):
    assert main(["timeline", file(timing={"type": "barrier", "hop_seconds": 1e-7}), "--json"]) == 0
    out, _ = capsys.readouterr()
    printed = json.loads(out)
    first = ["seconds", "messages", "hops", "contention", "classes", "played_steps", "steps", "notes"]
    assert list(printed) == [*first, "played_messages"]
    assert printed["played_messages"] == printed["messages"]
    assert list(printed["classes"]) == ["X", "Y"]
    assert 0 < printed["classes"]["X"]["utilisation"] < 1
    assert len(printed["steps"]) == 15
    first = printed["steps"][0]
    assert first == {
        "name": "step 1: r <-> r XOR 1",
        "start": 0.0,
        "seconds": pytest.approx(0.5 + 2e-7),
        "messages": 16,
        "hops": 16.0,
        "max_hops": 1.0,
        "contention": 0.0,
        "bottleneck": "Y",
    }
    assert printed["messages"] == 16 * 15
    assert printed["seconds"] == pytest.approx(sum(step["seconds"] for step in printed["steps"]))


def test_failed_links_and_disconnected_flows_are_reported(file, capsys):
    path = file({"type": "permutation", "tasks": 2, "targets": [1, 0]}, network={"type": "mesh", "dims": [2]})
    raw = json.loads(Path(path).read_text())
    Path(path).write_text(json.dumps(raw | {"faults": [{"type": "link", "src": 0, "dst": 1}]}))
    assert main(["timeline", path, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["seconds"], printed["cut_flows"], printed["cut_volume"]) == (0, 2, 2)
    assert main(["timeline", path]) == 0
    text = capsys.readouterr().out
    assert [f"note: {note}" for note in printed["notes"]] == [line for line in text.splitlines() if "note: " in line]
    assert "note: 2 links failed: X link (0) – (1)\n" in text
    assert "note: 2 flows (2 units) are disconnected: " in text


def test_without_a_barrier_steps_overlap(file, capsys):
    job = {"type": "broadcast", "tasks": 16, "message_bytes": 1e9}
    assert main(["timeline", file(job, timing={"type": "fair-share", "hop_seconds": 1e-3}), "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    assert [step["messages"] for step in steps] == [1, 2, 4, 8]
    # The root sends its second message before the first has arrived.
    assert steps[1]["start"] < steps[0]["start"] + steps[0]["seconds"]


def test_a_sequence_has_the_steps_of_its_parts_with_pauses(file, capsys):
    job = {"type": "sequence", "parts": [ALL_TO_ALL | {"algorithm": "at-once"}, {"type": "pause", "seconds": 2}]}
    assert main(["timeline", file(job | {"repeat": 2}), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [step["name"] for step in printed["steps"]] == [
        f"{part}, repeat {repeat}" for repeat in (1, 2) for part in ("1 all-to-all", "2 pause")
    ]
    assert [step["seconds"] for step in printed["steps"]] == [4.0, 2.0] * 2
    assert [step["messages"] for step in printed["steps"]] == [16 * 15, 0] * 2


def test_text_lists_the_first_steps(file, capsys):
    assert main(["timeline", file(), "--steps", "2"]) == 0
    out, _ = capsys.readouterr()
    assert "15 steps: each step waits for the previous one" in out
    assert "step 2: r <-> r XOR 2" in out
    assert "step 3" not in out
    assert "... and 13 more" in out


def test_utilisation_includes_all_jobs_and_has_the_own_part(file, capsys):
    flow = {"type": "flows", "tasks": 2, "src": [0], "dst": [1]}
    path = Path(file(flow | {"volume": [1.0]}, network={"type": "mesh", "dims": [4], "gbs": 1}))
    other = {"name": "B", "job": flow | {"volume": [3.0]}, "mapping": {"type": "sequential"}, "allocation": "1,2"}
    path.write_text(json.dumps(json.loads(path.read_text()) | {"allocation": "0,3", "neighbours": [other]}))
    assert main(["timeline", str(path), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    # Three of six links carry 1 GB, and one of them 3 GB of the other job, in 4 s.
    assert printed["seconds"] == 4
    assert printed["classes"]["X"] == {"utilisation": 0.25, "own_utilisation": 0.125}
    assert main(["evaluate", str(path), "--json"]) == 0
    (figures,) = json.loads(capsys.readouterr().out)["classes"].values()
    could = figures["links"] * figures["gbs"] * printed["seconds"]
    assert printed["classes"]["X"]["utilisation"] == figures["sum_load"] / could
    assert printed["classes"]["X"]["own_utilisation"] == figures["own_load"] / could
    assert main(["timeline", str(path)]) == 0
    text = capsys.readouterr().out
    assert "mean link utilisation: X 25.0%\nby this job: X 12.5%\n" in text


HALO = {"type": "halo", "rows": 4, "cols": 4}
TRACED = {"type": "flows", "tasks": 16, "src": [0], "dst": [1], "volume": [1.0], "unit": "messages"}


@pytest.mark.parametrize(
    ("job", "words"),
    [
        (HALO, "a unit is taken as 1 GB"),
        ({"type": "sequence", "parts": [HALO, HALO]}, "a unit is taken as 1 GB"),
        ({"type": "sequence", "parts": [TRACED]}, UNTIMED),
        (ALL_TO_ALL, None),
    ],
    ids=["units", "of units", "of messages", "bytes"],
)
def test_notes_explain_volumes_without_a_unit(file, capsys, job, words):
    assert main(["timeline", file(job)]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("note: ")]
    assert lines == ([f"note: {words}"] if words else [])
    assert main(["timeline", file(job), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["notes"] == ([words] if words else [])
    # Message counts have no times.
    untimed = words == UNTIMED
    assert (printed["seconds"] is None) == untimed
    assert all((step["start"] is None, step["seconds"] is None) == (untimed, untimed) for step in printed["steps"])


def test_one_is_singular_and_columns_stay_apart(file, capsys):
    parts = [TRACED | {"unit": "GB"}, {"type": "pause", "seconds": 1e9}]
    assert main(["timeline", file({"type": "sequence", "parts": parts, "repeat": 999}), "--steps", "1998"]) == 0
    rows = capsys.readouterr().out.splitlines()[4:]
    assert len(rows) == 1 + 2 * 999
    assert {len(re.split("  +", row)) for row in rows} == {7}
    assert "11,550,926 days" in rows[-1]
    assert main(["timeline", file(TRACED | {"tasks": 2})]) == 0
    out = capsys.readouterr().out
    assert "1 message, 1 hop" in out
    assert main(["timeline", file({"type": "barrier", "tasks": 1})]) == 0
    assert "1 task on 1 of 16 nodes" in capsys.readouterr().out


def test_the_number_of_steps_must_be_a_whole_number(file, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["timeline", file(), "--steps", "-1"])
    assert "--steps: must be a whole number from 0 to " in capsys.readouterr().err


def test_steps_are_written_as_csv(file, tmp_path):
    rows = tmp_path / "rows.csv"
    assert main(["timeline", file(), "--csv", str(rows)]) == 0
    with rows.open(newline="") as stream:
        csv_rows = list(csv.DictReader(stream))
    assert len(csv_rows) == 15
    assert {row["bottleneck"] for row in csv_rows} <= {"X", "Y"}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (
            {"job": ALL_TO_ALL | {"message_bytes": 0}},
            "(default: one unit in total per task): a number above 0, up to 1e+18 bytes",
        ),
        ({"job": ALL_TO_ALL | {"message_bytes": 1e30}}, "job.message_bytes: "),
        ({"job": ALL_TO_ALL | {"algorithm": "magic"}}, "job.algorithm: "),
        ({"job": ALL_TO_ALL | {"tasks": 17}}, "17 tasks"),
        (
            {
                "job": ALL_TO_ALL | {"tasks": 2048, "algorithm": "shift"},
                "network": TORUS | {"dims": [64, 32]},
                "timing": {"type": "fair-share"},
            },
            "timing.type: fair-share simulates every message, at most 2,097,152",
        ),
        ({"timing": {"type": "sundial"}}, "timing.type: "),
        ({"timing": {"type": "barrier", "injection_gbs": 0}}, "timing.injection_gbs: "),
        ({"job": {"type": "all-to-all", "tasks": 100_000, "algorithm": "shift"}}, "99,999 steps; the limit is 16,384"),
        ({"job": {"type": "sequence", "parts": []}}, "job.parts: "),
        ({"job": {"type": "sequence", "parts": [ALL_TO_ALL] * 2000}}, "job.parts: "),
        ({"job": {"type": "sequence", "parts": [ALL_TO_ALL], "repeat": 0}}, "job.repeat: "),
        ({"job": {"type": "sequence", "parts": [ALL_TO_ALL], "repeat": 9999}}, "149,985 phases; the limit is 16,384"),
        ({"job": {"type": "sequence", "parts": [ALL_TO_ALL, ALL_TO_ALL | {"tasks": 4}]}}, "job.parts[1]: has 4 tasks"),
        ({"job": {"type": "sequence", "parts": [ALL_TO_ALL | {"tasks": 0}]}}, "job.parts[0].tasks: expected int >= 1"),
        (
            {"job": {"type": "sequence", "parts": [ALL_TO_ALL | {"size": 1}]}},
            "job.parts[0].size: all-to-all has no field 'size'",
        ),
        ({"job": {"type": "sequence", "parts": [{"type": "sequence"}]}}, "job.parts[0].type: unknown type 'sequence'"),
        ({"job": {"type": "sequence", "parts": [{"tasks": 4}]}}, "job.parts[0].type: is missing; types: halo"),
        (
            {"job": {"type": "sequence", "parts": [7]}},
            "job.parts[0]: expected object, got int; give an object with a type",
        ),
        ({"job": {"type": "sequence", "parts": 7}}, "job.parts: expected array"),
        ({"job": {"type": "sequence", "parts": [{"type": "pause", "seconds": -1}]}}, "job.parts[0].seconds: expected"),
        ({"job": {"type": "sequence", "parts": [{"type": "pause"}]}}, "job.parts: contain only pauses"),
        ({"job": {"type": "pause"}}, "job.type: unknown type 'pause'"),
        ({"job": {"type": "sweep", "rows": 4, "cols": 4, "corners": 3}}, "job.corners: "),
        ({"job": {"type": "sweep", "rows": 1, "cols": 40_000}}, "job.rows: rows and columns make 39,999 phases"),
    ],
)
def test_invalid_input_is_one_line(changed, words, file, capsys):
    assert main(["timeline", file(**changed)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert len(err.strip().splitlines()) == 1
