"""`study`: output and errors, and no lost points when processes end."""

import csv
import json
import os
import signal
import time
from contextlib import ExitStack, contextmanager

import msgspec
import pytest

from app.cli import study as command
from app.cli.main import main
from app.cli.progress_line import ProgressLine
from app.cli.study import _Line
from core.optimise import portions
from core.optimise.portions import search_on_cluster
from core.spec import Cancelled
from core.sweep.cluster import cluster_of
from core.sweep.results import read_results
from core.sweep.run import Summary
from tests import patience, programs
from tests.app.cli import program
from tests.app.cli.program import MAIN
from tests.core.sweep.studies import BASE, content

LOADED = (
    "app.cli.study", "core.kernels.compiled", "core.optimise.portions", "core.sweep.points",
    "distributed.cli.dask_scheduler", "distributed.cli.dask_worker",
)  # fmt: skip
POINTS = 120
GATE = """
import time
from pathlib import Path
from core.optimise import portions
from core.sweep import points

portions.SECONDS = 0.05

plain = getattr(points.rows_of, "plain", points.rows_of)  # Dask may load this twice

def rows_of(content, folder, numbers, seconds):
    # A study that waited before the gate changed has ended.
    begun = Path({gate!r}).read_text()
    while numbers[0] >= int(begun) and begun == Path({gate!r}).read_text():
        time.sleep(0.01)
    return plain(content, folder, numbers, seconds)

rows_of.plain, points.rows_of = plain, rows_of
"""
"""Loaded by workers. Batches beyond the gate wait, so that a study can be ended half way.

Searches report often.
"""


@pytest.fixture
def gate(tmp_path):
    """Let workers that load wait.py compute only points below a number; return the function that sets it."""
    file = tmp_path / "gate"

    def put(number):
        other = tmp_path / "next"
        other.write_text(str(number))
        other.replace(file)

    put(1)
    (tmp_path / "wait.py").write_text(GATE.format(gate=str(file)))
    return put


def written(folder, points=POINTS):
    path = folder / "a.fabriscope-study.json"
    path.write_bytes(content(vary={"network.gbs": {"from": 1, "to": points}}))
    return path


def lines(path):
    return path.read_text().splitlines()[2:] if path.exists() else []


@contextmanager
def process(*arguments, loaded=LOADED, **options):
    """A Python process in a separate group, as a terminal starts it."""
    with programs.Program(loaded, arguments, start_new_session=True, **options) as started:
        try:
            yield started
        finally:
            started.kill()


def wait_until(holds, *processes):
    end = time.monotonic() + patience.SECONDS
    while not holds():
        assert time.monotonic() < end
        assert all(process.poll() is None for process in processes)
        time.sleep(0.005)


def ended(out, number, *options, to_group=True, **kinds):
    """Start a study, signal its processes once it has more rows than before; return its status and stderr."""
    before = len(lines(out))
    with process(MAIN, "study", out.parent / "a.fabriscope-study.json", "--out", out, *options, **kinds) as study:
        wait_until(lambda: len(lines(out)) > before, study)
        (os.killpg if to_group else os.kill)(study.pid, number)
        _, errors = study.communicate()
        wait_until(lambda: not alive(study.pid))
    assert before < len(lines(out)) < POINTS
    return study.returncode, errors


def alive(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def test_ctrl_c_keeps_all_rows_and_leaves_no_process(tmp_path, gate):
    written(tmp_path)
    # Dask reads the modules that its worker loads from the environment, when it is imported.
    environment = os.environ | {"DASK_DISTRIBUTED__WORKER__PRELOAD": json.dumps([str(tmp_path / "wait.py")])}
    status, errors = ended(tmp_path / "r.csv", signal.SIGINT, "--workers", "1", loaded=program.LOADED, env=environment)
    assert status == 130
    assert errors == f"fabriscope: stopped; completed points are in {tmp_path}/r.csv; use --resume to add the rest\n"


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_during_a_destructor_is_not_lost(tmp_path, monkeypatch, capsys, number, status):
    class Going:
        def __del__(self):
            signal.raise_signal(number)

    def run_study(study, out, *, cancelled, **options):
        assert not cancelled()
        going = Going()
        del going
        assert cancelled()
        return Summary(points=2, done=1, failed=0, seconds=0.1)

    monkeypatch.setattr(command, "run_study", run_study)
    assert main(["study", str(written(tmp_path)), "--out", "r.csv"]) == status
    assert "stopped; completed points are in r.csv" in capsys.readouterr().err


@pytest.fixture
def cluster(tmp_path, gate):
    """Two workers and the address of their scheduler, all in separate processes."""
    file = tmp_path / "scheduler.json"
    with ExitStack() as stack:
        options = ("--scheduler-file", file, "--no-dashboard")
        stack.enter_context(process("-m", "dask", "scheduler", "--host", "127.0.0.1", "--port", "0", *options))
        wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"))
        worker = ("-m", "dask", "worker", *options, "--nthreads", "1", "--no-nanny", "--preload", tmp_path / "wait.py")
        workers = [stack.enter_context(process(*worker)) for _ in range(2)]
        yield workers, json.loads(file.read_text())["address"]


def test_no_point_is_lost_when_parts_of_a_cluster_end(tmp_path, cluster, capsys, monkeypatch, gate):
    (first, _), address = cluster
    path, out = written(tmp_path), tmp_path / "r.csv"
    assert ended(out, signal.SIGTERM, "--cluster", address)[0] == 143
    gate(40)
    assert ended(out, signal.SIGKILL, "--cluster", address, "--resume", to_group=False)[0] == -signal.SIGKILL
    before = lines(out)
    gate(POINTS)
    monkeypatch.setattr(_Line, "step", lambda line, row: first.kill())
    assert main(["study", str(path), "--out", str(out), "--cluster", address, "--resume", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed.pop("seconds") > 0
    assert printed == {"points": POINTS, "done": POINTS, "failed": 0, "lost": 0, "notes": []}
    assert [row["point"] for row in read_results(out).rows] == list(range(POINTS))
    assert set(before) < set(lines(out))


def test_a_search_on_a_cluster_continues_without_a_lost_worker(cluster, capsys, monkeypatch, tmp_path):
    (first, _), address = cluster
    steps = []

    def search(client, report, request, listen):
        def hear(result_so_far):
            if not steps and result_so_far.steps:
                first.kill()
            if result_so_far.steps > max(steps, default=0):
                steps.append(result_so_far.steps)
            listen(result_so_far)
            # The first increase may be the last slice of the lost worker.
            if len(steps) == 4:
                raise Cancelled

        return search_on_cluster(client, report, request, hear)

    with cluster_of(address, 0) as client:
        client.wait_for_workers(2)
    monkeypatch.setattr(portions, "search_on_cluster", search)
    job = {"type": "permutation", "tasks": 16, "seed": 1}
    case = msgspec.json.encode({"fabriscope": 1, **BASE, "job": job, "mapping": {"type": "random"}})
    path = tmp_path / "one.fabriscope.json"
    path.write_bytes(case)
    seconds = str(patience.SECONDS)
    arguments = ["--cluster", address, "--seconds", seconds, "--objective", "hops", "--method", "annealing"]
    assert main(["optimise", str(path), *arguments, "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["found"] < result["start"]
    assert result["seconds"] < patience.SECONDS
    assert result["steps"] >= steps[3] > steps[0]


def test_a_plan_has_the_number_of_points_and_an_estimate(tmp_path, capsys):
    path = str(written(tmp_path, points=12))
    assert main(["study", "--plan", path, "--workers", "2", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["points"], plan["workers"], plan["timed"]) == (12, 2, 7)
    assert 0 < plan["seconds"] < patience.SECONDS
    assert main(["study", "--plan", path, "--workers", "1"]) == 0
    assert capsys.readouterr().out.startswith("12 points, about ")


def test_a_plan_does_not_wait_for_searches(tmp_path, capsys):
    path = tmp_path / "a.fabriscope-study.json"
    random = {"job": {"type": "permutation", "tasks": 16, "seed": 1}, "mapping": {"type": "random"}}
    search = {"objective": {"type": "hops"}, "method": {"type": "annealing"}}
    planned = []
    for budget in ({"seconds": 100}, {"steps": 10**12}):
        path.write_bytes(content(base={**BASE, **random}, optimise={**search, **budget}))
        begun = time.process_time()
        assert main(["study", "--plan", str(path), "--workers", "1", "--json"]) == 0
        assert time.process_time() - begun < 50
        planned.append(json.loads(capsys.readouterr().out)["seconds"])
    assert 100 <= planned[0] < 110
    assert planned[1] > 1000


def test_waiting_for_workers_of_a_cluster_is_reported_and_can_be_interrupted(tmp_path):
    path, file = written(tmp_path), tmp_path / "scheduler.json"
    options = ("--scheduler-file", file, "--no-dashboard", "--host", "127.0.0.1", "--port", "0")
    with process("-m", "dask", "scheduler", *options) as scheduler:
        wait_until(lambda: file.exists() and file.read_text().rstrip().endswith("}"), scheduler)
        address = json.loads(file.read_text())["address"]
        with process(MAIN, "study", path, "--out", tmp_path / "r.csv", "--cluster", address) as study:
            assert study.stderr.readline() == f"fabriscope: {address} has no workers; waiting for one\n"
            study.send_signal(signal.SIGINT)
            assert study.communicate()[1] == "fabriscope: stopped before a point was completed\n"
    assert study.returncode == 130
    assert not (tmp_path / "r.csv").exists()


def test_a_table_may_go_to_standard_output(tmp_path, capfdbinary):
    path = tmp_path / "s.fabriscope-study.json"
    path.write_bytes(content(vary={"network.gbs": [1, 2]}))
    assert main(["study", str(path), "--out", "-", "--workers", "1"]) == 0
    out, err = capfdbinary.readouterr()
    (tmp_path / "r.csv").write_bytes(out)
    results = read_results(tmp_path / "r.csv")
    assert [row["throughput_gbs"] for row in results.rows] == [4, 8]
    assert err.startswith(b"2 points in ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "--out: is missing; give the table to write, such as results.csv or results.parquet"),
        (
            ["--out", "there.csv"],
            "--out: there.csv already exists; use --resume to continue it, or choose another name",
        ),
        (["--out", "there.csv", "--resume"], "--out: there.csv does not hold results of a study"),
        (["--out", "-", "--resume"], "--resume: requires --out with the file of the existing table"),
        (["--out", "r.txt"], "--out: r.txt must end in .csv or .parquet"),
    ],
)
def test_invalid_requests_are_refused(tmp_path, capsys, monkeypatch, arguments, words):
    path = written(tmp_path)
    (tmp_path / "there.csv").write_text("mine")
    monkeypatch.chdir(tmp_path)
    assert main(["study", str(path), *arguments]) == 2
    assert capsys.readouterr().err == f"fabriscope: {words}\n"
    assert (tmp_path / "there.csv").read_text() == "mine"


def test_the_line_shows_speed_and_remaining_time(monkeypatch):
    clock = [100.0]
    monkeypatch.setattr(command.time, "monotonic", lambda: clock[0])
    line = _Line(240, ProgressLine("study"))
    line.open(60)
    assert line.words(clock[0]) == "██████░░░░░░░░░░░░░░░░░░ 60 of 240  starting"
    for _ in range(61):
        line.step({})
    clock[0] += 2
    assert line.words(clock[0]) == "████████████░░░░░░░░░░░░ 121 of 240  30.0 points/s  4 s left"


def test_the_line_shows_a_cluster_without_workers(capsys):
    line = _Line(4, ProgressLine("study", as_json=True), cluster="tcp://h:1")
    line.open(1)
    line.count(0)
    assert line.words(0.0) == "██████░░░░░░░░░░░░░░░░░░ 1 of 4  waiting: tcp://h:1 has no workers"
    line.count(2)
    assert line.words(0.0).endswith("1 of 4  starting")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("lost", "status"), [(0, 0), (2, 1)])
def test_notes_are_one_line_each_and_lost_points_are_a_failure(tmp_path, monkeypatch, capsys, lost, status):
    remarks = ("1 worker killed", "2 searches used less than half of a processor")
    summary = Summary(points=4, done=4, failed=lost, seconds=0.1, lost=lost, notes=remarks)
    monkeypatch.setattr(command, "run_study", lambda study, out, **options: summary)
    assert main(["study", str(written(tmp_path)), "--out", "r.csv"]) == status
    assert capsys.readouterr().err == "".join(f"fabriscope: {words}\n" for words in remarks)


def test_a_table_of_an_earlier_version_is_resumed_with_a_note(tmp_path, capsys):
    path, out = written(tmp_path, points=2), tmp_path / "r.csv"
    assert main(["study", str(path), "--out", str(out), "--workers", "1"]) == 0
    head, names, *rows = csv.reader(out.read_text().splitlines())
    place = names.index("cpu_seconds")
    earlier = [[*row[:place], *row[place + 1 :]] for row in (names, rows[0])]
    out.write_text("\n".join(map(",".join, [head, *earlier])) + "\n")
    capsys.readouterr()
    assert main(["study", str(path), "--out", str(out), "--workers", "1", "--resume"]) == 0
    assert capsys.readouterr().err == "fabriscope: rows of an earlier version lack cpu_seconds\n"
    first, second = read_results(out).rows
    assert first["cpu_seconds"] is None
    assert second["cpu_seconds"] >= 0
