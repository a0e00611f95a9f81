"""Studies in processes: every point is a row."""

import multiprocessing
import os
import signal
import tempfile
from collections import deque
from concurrent.futures import Future

import pytest
from distributed import KilledWorker
from hypothesis import given, settings
from hypothesis import strategies as st

from core.load.evaluate import evaluate
from core.processes import start_server
from core.spec import SpecError
from core.sweep import cluster
from core.sweep.results import read_results
from core.sweep.run import BATCH, StudyRun, _failed, never, run_study
from core.sweep.study import decode_study
from core.sweep.table import open_table
from tests.core.sweep.studies import study

SWEEP = {
    "vary": {
        "network.gbs": [1, 2.5],
        "mapping": [{"type": "sequential"}, {"type": "random", "seed": 4}, {"type": "x"}],
    },
    "measure": ["throughput_gbs", "bottleneck"],
}


def test_each_point_is_a_row_even_if_a_worker_is_killed(tmp_path, monkeypatch):
    sweep, out, heard = study(**SWEEP), tmp_path / "r.parquet", []

    def hear(row):
        if not heard:
            worker = next(process for process in multiprocessing.active_children() if "Nanny" in process.name)
            os.kill(worker.pid, signal.SIGKILL)
        heard.append(row)

    start_server()  # Its folder exists until all tests have run.
    monkeypatch.setattr(tempfile, "tempdir", str(scratch := tmp_path / "scratch"))
    scratch.mkdir()
    summary = run_study(sweep, out, workers=1, on_row=hear)
    assert not list(scratch.iterdir())
    assert (summary.points, summary.done, summary.failed, summary.lost) == (6, 6, 2, 0)
    ended = "1 worker killed, perhaps for lack of memory; lost points are computed again"
    assert summary.notes == (ended,)
    results = read_results(out)
    assert sorted(heard, key=lambda row: row["point"]) == list(results.rows)
    for number, row in enumerate(results.rows):
        assert row["point"] == number
        if number % 3 == 2:
            assert row["error"].startswith("mapping.type: unknown type 'x'")
            assert row["throughput_gbs"] is None
        else:
            report = evaluate(sweep.scenario(sweep.points[number]).build())
            assert (row["throughput_gbs"], row["bottleneck"]) == (report.throughput_gbs, report.bottleneck)
            assert row["error"] is None
    assert decode_study(results.study).digest == results.digest == sweep.digest
    again = run_study(sweep, out, workers=1, resume=True)
    assert (again.done, again.failed, again.notes) == (6, 2, ())


def test_a_missing_scheduler_is_reported_and_leaves_no_table(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 0.1)
    with pytest.raises(SpecError, match=r"--cluster: no scheduler answers at tcp://127\.0\.0\.1:9; give an address"):
        run_study(study(), tmp_path / "r.csv", workers=1, cluster="tcp://127.0.0.1:9")
    assert not (tmp_path / "r.csv").exists()


class Lost(Future):
    """A result lost with its worker."""

    def result(self, timeout):
        raise TimeoutError


class Worker:
    """A stand-in for Dask: does its work at once, except for points that kill it and for batches that get lost."""

    def __init__(self, deadly, most, lost=()):
        self.deadly, self.most, self.lost, self.batches = deadly, most, lost, []

    def scheduler_info(self, n_workers):
        return {"workers": {"one": {}, "two": {}}}

    def submit(self, function, content, folder, numbers, seconds, pure):
        self.batches.append(list(numbers))
        done = Lost() if len(self.batches) in self.lost else Future()
        if self.deadly & set(numbers):
            done.set_exception(KilledWorker("rows_of", None, 3))
        else:
            done.set_result(function(content, folder, numbers[: self.most], seconds))
        return done


@given(
    count=st.integers(1, 300),
    deadly=st.sets(st.integers(0, 299), max_size=3),
    most=st.integers(1, 80),
    lost=st.sets(st.integers(1, 9), max_size=3),
)
@settings(max_examples=15)
def test_every_point_is_recorded_once_for_any_batches(tmp_path_factory, count, deadly, most, lost):
    sweep = study(vary={"network.gbs": ["x"] * count})
    table = open_table(tmp_path_factory.mktemp("run") / "r.csv", sweep, resume=False)
    worker, heard = Worker(deadly, most, lost), []
    run = StudyRun(sweep, table, worker, deque(range(count)), heard.append)
    run.until(never)
    table.close()
    assert len(worker.batches[0]) == 1
    assert max(map(len, worker.batches)) <= BATCH
    assert [row["point"] for row in read_results(table.path).rows] == list(range(count))
    ended = {row["point"] for row in heard if "were killed" in row["error"]}
    assert len(heard) == count
    assert ended == {number for number in deadly if number < count}
    assert run.lost == len(ended)


def test_the_number_of_workers_is_reported(tmp_path):
    counts = [0, 0, 0, 1, 1, 2]

    class Late(Worker):
        def scheduler_info(self, n_workers):
            return {"workers": dict.fromkeys(range(counts.pop(0)))}

    sweep, counts_of_workers = study(vary={"network.gbs": ["x"] * 6}), []
    table = open_table(tmp_path / "r.csv", sweep, resume=False)
    StudyRun(sweep, table, Late(set(), 1), deque(range(6)), on_workers=counts_of_workers.append).until(
        lambda: not counts
    )
    table.close()
    assert counts_of_workers == [0, 1, 2]


def test_a_failing_worker_ends_the_study_with_its_reason(tmp_path):
    class Stranger(Worker):
        def submit(self, *given, pure):
            done = Future()
            done.set_exception(ModuleNotFoundError("No module named 'core'"))
            return done

    table = open_table(tmp_path / "r.csv", study(), resume=False)
    with pytest.raises(
        SpecError, match="--cluster: ModuleNotFoundError: No module named 'core'; use --resume to continue"
    ):
        StudyRun(study(), table, Stranger(set(), 1), deque([0]), never).until(never)
    table.close()


def test_a_cancelled_study_keeps_completed_points(tmp_path):
    sweep = study(vary={"network.gbs": ["x"] * 200})
    table, heard = open_table(tmp_path / "r.csv", sweep, resume=False), []
    StudyRun(sweep, table, Worker(set(), 10), deque(range(200)), heard.append).until(lambda: len(heard) > 50)
    table.close()
    rows = read_results(table.path).rows
    assert 50 < len(rows) < 200
    assert {row["point"] for row in rows} == {row["point"] for row in heard}


@pytest.mark.parametrize(
    ("limit", "shares", "named"),
    [
        ({"seconds": 1}, [1.0, 0.4, 0.9, 0.2], "2 searches used less than half of a processor (points: 1, 3)"),
        ({"seconds": 1}, [0.4] * 9, "9 searches used less than half of a processor (points: 0, 1, 2, 3, 4, 5, 6, 7 …)"),
        ({"seconds": 1}, [1.0, 0.6, None], None),
        ({"seconds": 3}, [0.4], None),
        ({"steps": 9}, [0.4], None),
        (None, [0.4], None),
    ],
)
def test_searches_short_of_processor_time_are_reported(tmp_path, limit, shares, named):
    class Shared(Worker):
        def submit(self, function, content, folder, numbers, seconds, pure):
            done = Future()
            took = [(share and 2.0 * share, 2.0) for share in shares]
            rows = [_failed(sweep, number, "") for number in numbers]
            for row in rows:
                row["cpu_seconds"], row["seconds"] = took[row["point"]]
            done.set_result(rows)
            return done

    sweep = study(vary={"network.gbs": ["x"] * len(shares)}, **({"optimise": limit} if limit else {}))
    table = open_table(tmp_path / "r.csv", sweep, resume=False)
    run = StudyRun(sweep, table, Shared(set(), 1), deque(range(len(shares))))
    run.until(never)
    table.close()
    words = "; compare optimise.steps, or limit searches by steps instead of seconds"
    assert run.notes(local=True) == ([named + words] if named else [])
