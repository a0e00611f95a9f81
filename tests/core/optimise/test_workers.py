"""Searches in processes: they find, report, stop, refuse, and leave nothing behind."""

import multiprocessing
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.load.evaluate import evaluate
from core.load.swap_suggestions import suggest_swaps
from core.mapping.mapping import check_injection
from core.optimise.method import Annealing, Bottleneck, Portfolio, TwoOpt
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import HopBytes, Mix, Throughput, TotalHops
from core.optimise.request import Request
from core.optimise.run import optimise
from core.optimise.strategies import strategy_results
from core.spec import Cancelled, SpecError
from tests import patience
from tests.core.optimise.cases import DIRECT, TORUS, remapped

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    assert multiprocessing.active_children() == []


@pytest.fixture(scope="module")
def report():
    return evaluate(DIRECT.build())


def test_two_workers_find_and_report_a_better_mapping(report):
    heard = []
    request = Request(method=Portfolio(), seconds=None, steps=5_000, workers=2)
    result = optimise(report, request, heard.append)
    assert result.ended
    assert result.steps >= 5_000
    assert result.best < result.start == report.time
    assert result.best == pytest.approx(evaluate(remapped(report.case, result.slots)).time, rel=1e-9)
    check_injection(result.slots, report.case.network.slots)
    best = [result_heard.best for result_heard in heard]
    assert best == sorted(best, reverse=True)
    assert len(heard) >= 2
    assert result.seconds > 0
    again = optimise(report, replace(request, steps=500, workers=1, apart=True), after=result)
    assert again.start == result.start
    assert again.best <= result.best


def test_a_separate_worker_can_be_cancelled_and_supports_other_objectives():
    report = evaluate(TORUS.build())
    heard = []

    def on_result(result_so_far):
        if result_so_far.steps > 1000:
            heard.append(result_so_far)
            raise Cancelled

    request = Request(TotalHops(), Annealing(), seconds=None, steps=None, apart=True)
    result = optimise(report, request, on_result)
    assert result.ended
    assert result.best <= heard[0].best <= heard[0].start == result.start
    assert result.start == pytest.approx(optimise(report, Request(TotalHops(), seconds=None, steps=1)).start, rel=1e-9)


def test_a_search_cancelled_at_once_returns_the_start(report):
    def on_result(result_so_far):
        raise Cancelled

    result = optimise(report, Request(seconds=None, steps=None, workers=2), on_result)
    np.testing.assert_array_equal(result.slots, report.case.mapping.slots)
    assert (result.best, result.steps, result.seconds) == (report.time, 0, 0.0)


def test_errors_of_workers_are_raised(report):
    with pytest.raises(SpecError, match="objective: all weights are 0") as caught:
        optimise(report, Request(Mix(0, 0, 0, 0), seconds=None, steps=10, workers=2))
    assert caught.value.field == "objective"


def _kill(result_so_far):
    for process in multiprocessing.active_children():
        process.kill()


def test_a_search_keeps_the_results_of_killed_workers(report):
    heard = []

    def on_result(result_so_far):
        heard.append(result_so_far)
        if result_so_far.better:
            _kill(result_so_far)

    result = optimise(report, Request(Throughput(), seconds=None, steps=None, apart=True), on_result)
    assert result.ended
    assert result.best <= heard[-1].best < report.time
    assert result.steps >= heard[-1].steps > 0
    assert result.trouble.startswith("a process of the search ended too early")


def test_a_search_without_any_worker_is_an_error(report):
    with pytest.raises(SpecError, match="no search process could start") as refusal:
        optimise(report, Request(Throughput(), seconds=None, steps=None, workers=2), _kill)
    assert refusal.value.field == "workers"


UNGUARDED = """
import fabriscope
print("begun")
print(fabriscope.optimise("torus-16x16-transpose", seconds=5, workers=2))
"""


def test_a_script_without_a_guard_of_its_main_part_gets_one_error(tmp_path):
    script = tmp_path / "unguarded.py"
    script.write_text(UNGUARDED)
    places = {"PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "app")))}
    ended = subprocess.run(
        [sys.executable, script], env=os.environ | places, capture_output=True, text=True, timeout=patience.SECONDS
    )
    assert ended.returncode == 1
    assert ended.stdout.splitlines()[0] == "begun"
    assert not any("start" in line for line in ended.stdout.splitlines())
    assert "bootstrapping" not in ended.stderr  # as multiprocessing reports it, for each process
    assert "if __name__ == '__main__':" in ended.stderr.splitlines()[-1]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_a_search_takes_exactly_the_requested_steps(report, workers):
    result = optimise(report, Request(HopBytes(), seconds=None, steps=5_001, workers=workers))
    assert result.steps == 5_001


def test_other_workers_continue_without_a_killed_one(report):
    killed = []

    def on_result(result_so_far):
        workers = multiprocessing.active_children()
        if len(workers) == 2 and result_so_far.steps and not killed:
            killed.append(result_so_far.steps)
            workers[0].kill()

    result = optimise(report, Request(Throughput(), seconds=None, steps=60_000, workers=2), on_result)
    assert result.gone == 1
    assert result.steps == 60_000 > killed[0]


def test_a_search_begins_with_the_best_known_mapping_unless_its_method_keeps_the_start(report):
    best = min(result.time for result in strategy_results(report.case))
    assert best < report.time
    for method in (Portfolio(), Annealing(), Bottleneck()):
        outcome = optimise(report, Request(method=method, seconds=None, steps=1))
        assert outcome.start == report.time
        assert outcome.best <= best * (1 + 1e-9)
    outcome = optimise(report, Request(method=TwoOpt(), seconds=None, steps=1))
    assert outcome.best >= best or outcome.best == report.time


def test_a_search_of_pinned_tasks_begins_with_the_best_swap_that_leaves_them(report):
    first = suggest_swaps(report).best[0].edit
    request = Request(method=Annealing(), constraints=MoveConstraints(pinned=first.tasks), seconds=None, steps=1)
    result = optimise(report, request)
    np.testing.assert_array_equal(result.slots[first.tasks], report.case.mapping.slots[first.tasks])
    assert result.best <= report.time
