"""The progress line, and Ctrl-C while a kernel runs."""

import io
import json
import signal
import time

import pytest

from app.cli import progress_line
from app.cli.main import main
from app.cli.progress_line import ProgressLine
from app.cli.streams import ended_by_signals
from app.storage.presets import preset
from core.files import write_scenario
from tests import programs
from tests.app.cli.program import LOADED


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(progress_line, "SHOW_AFTER", 0.0)
    monkeypatch.setattr(progress_line, "POLL_SECONDS", 0.001)
    return Terminal()


def wait_for(terminal, words):
    end = time.monotonic() + 30
    while words not in terminal.getvalue():
        assert time.monotonic() < end, terminal.getvalue()
        time.sleep(0.001)


def test_the_line_shows_progress_and_disappears(terminal):
    with ProgressLine("evaluate", terminal) as live:
        hear = live.stage("loads")
        wait_for(terminal, "\r\x1b[Kevaluate: loads, 0 s")
        hear(0.5)
        wait_for(terminal, "evaluate: loads, 50 %, about 0 s left")
        live.end()
        assert terminal.getvalue().endswith(progress_line.CLEAR)
        silent = len(terminal.getvalue())
        time.sleep(0.02)
        assert len(terminal.getvalue()) == silent
        live.stage("bounds")
        wait_for(terminal, "evaluate: bounds")
    assert terminal.getvalue().endswith(progress_line.CLEAR)


def test_the_line_shows_the_remaining_time(monkeypatch):
    clock = iter((100.0, 100.0, 112.0, 112.0))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    live = ProgressLine("evaluate")
    live.stage("loads")(0.25)
    assert live.words() == "evaluate: loads, 25 %, about 36 s left"


def test_there_is_no_line_without_a_terminal(monkeypatch, capsys):
    monkeypatch.setattr(progress_line, "SHOW_AFTER", 0.0)
    with ProgressLine("evaluate") as live:
        live.stage("loads")
        time.sleep(0.01)
    assert capsys.readouterr().err == ""


NETWORK = "circulant:nodes=8,jumps=1,2"


@pytest.mark.parametrize(
    ("arguments", "stages"),
    [
        (["evaluate"], ["reading", "loads", "bounds"]),
        (["evaluate", "--mapping", "recursive-bisection"], ["reading", "mapping", "loads", "bounds"]),
        (["metrics", NETWORK], ["reading", "measuring", "cables"]),
        (["compare", NETWORK, "torus:dims=4x4"], ["reading", NETWORK, "torus:dims=4x4"]),
    ],
)
def test_every_command_shows_its_stage(arguments, stages, tmp_path, monkeypatch, capsys):
    reported = []
    stage = ProgressLine.stage

    def noted(line, name):
        reported.append(name)
        progress = stage(line, name)
        return lambda done: reported.append(done) or progress(done)

    monkeypatch.setattr(ProgressLine, "stage", noted)
    path = tmp_path / "a.fabriscope.json"
    write_scenario(path, preset("power775-smallest"))
    assert main(arguments if len(arguments) > 1 and ":" in arguments[1] else [*arguments, str(path)]) == 0
    assert [stage for stage in reported if isinstance(stage, str)] == stages
    assert any(isinstance(fraction, float) for fraction in reported)


DEAF = "mutex = create_string_buffer(64); [CDLL(None).pthread_mutex_lock(mutex) for _ in range(2)]"
"""Code that runs like a kernel, without Python's lock and without handling signals, but waits instead of computing."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("work", [DEAF, "time.sleep(600)"], ids=["a kernel", "Python"])
def test_signals_end_the_program_immediately_during_any_work(number, work):
    script = (
        "import sys, time\n"
        "from ctypes import CDLL, create_string_buffer\n"
        f"from {ProgressLine.__module__} import ProgressLine\n"
        f"from {ended_by_signals.__module__} import ended_by_signals\n"
        "try:\n"
        "    with ended_by_signals(), ProgressLine('x') as live:\n"
        "        live.stage('y')\n"
        "        print('begun', flush=True)\n"
        f"        {work}\n"
        "except KeyboardInterrupt:\n"
        "    print('tidied up')\n"
    )
    with programs.Program(LOADED, ["-c", script]) as program:
        try:
            assert program.stdout.readline() == "begun\n"
            time.sleep(0.1)
            program.send_signal(number)
            out, err = program.communicate()
        finally:
            program.kill()  # otherwise leaving the block waits forever
    assert err == ""
    kernel = work == DEAF
    assert (program.returncode, out) == ((128 + number, "") if kernel else (0, "tidied up\n"))


@pytest.mark.parametrize("arguments", [["-v", "evaluate"], ["evaluate", "--verbose"]])
def test_verbose_prints_the_duration_of_each_stage(arguments, capsys):
    assert main([*arguments, "hypercube-64-nodes"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(", ")[0] for line in lines] == [
        f"evaluate: {part}" for part in ("reading", "loads", "bounds")
    ]
    assert all(line.endswith(" s") for line in lines)


@pytest.mark.parametrize("arguments", [["-q", "evaluate"], ["evaluate", "--quiet"]])
def test_quiet_shows_no_progress(arguments, terminal, monkeypatch, capsys):
    lines = []

    class Noted(ProgressLine):
        def __init__(self, command, **options):
            super().__init__(command, terminal, **options)
            lines.append(self)

    monkeypatch.setattr("app.cli.main.ProgressLine", Noted)
    assert main([*arguments, "hypercube-64-nodes"]) == 0
    assert main(["evaluate", "hypercube-64-nodes"]) == 0
    assert [line.shows for line in lines] == [False, True]


def test_quiet_and_verbose_exclude_each_other(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["evaluate", "-q", "-v", "hypercube-64-nodes"])
    assert stopped.value.code == 2
    assert "not allowed with" in capsys.readouterr().err


def test_the_length_of_the_bar_is_the_fraction_done():
    assert [progress_line.bar(done).count("█") for done in (0, 0.5, 1)] == [0, 12, 24]
    assert {len(progress_line.bar(done / 7)) for done in range(8)} == {24}


def records(err):
    return [json.loads(line) for line in err.splitlines()]


def test_progress_is_printed_as_json_lines(capsys):
    assert main(["evaluate", "hypercube-64-nodes", "--progress"]) == 0
    stages = records(capsys.readouterr().err)
    assert {record["command"] for record in stages} == {"evaluate"}
    assert list(dict.fromkeys(record["stage"] for record in stages)) == ["reading", "loads", "bounds"]
    seconds = [record["seconds"] for record in stages]
    assert seconds == sorted(seconds)
    assert all(0 <= record.get("done", 0) <= 1 for record in stages)


@pytest.mark.parametrize("arguments", [["--progress", "-q"], ["--progress", "--json"]])
def test_progress_of_a_search_has_its_figures(arguments, capsys):
    assert main(["optimise", "power775-smallest", "--mapping", "random:seed=3", "--seconds", "1", *arguments]) == 0
    searched = [record for record in records(capsys.readouterr().err) if record["stage"] == "search"]
    assert searched
    for record in searched:
        assert {"best", "current", "bound", "unit", "steps"} <= {*record}
        assert 0 < record["current"] <= record["best"] <= record["bound"]
        assert record["unit"] == "GB/s per node"


def test_progress_of_a_study_counts_points(tmp_path, capsys):
    varied = ["--vary", "mapping=sequential;random:seed=3", "--workers", "1"]
    out = str(tmp_path / "r.csv")
    assert main(["study", "power775-smallest", *varied, "--out", out, "--progress"]) == 0
    points = [record for record in records(capsys.readouterr().err) if record["stage"] == "points"]
    assert points
    assert [record["finished"] for record in points] == sorted(record["finished"] for record in points)
    assert all(record["done"] == record["finished"] / 2 for record in points)
