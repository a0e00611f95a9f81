"""Searches in processes: they find, tell, stop, refuse, and leave nothing behind."""

import multiprocessing
from dataclasses import replace

import numpy as np
import pytest

from core.load.evaluate import evaluate
from core.mapping.mapping import check_injection
from core.optimise.method import Annealing, Portfolio
from core.optimise.objective import Mix, Throughput, TotalHops
from core.optimise.request import Request
from core.optimise.run import optimise
from core.spec import Cancelled, SpecError
from tests.core.optimise.cases import DIRECT, TORUS, remapped


@pytest.fixture(autouse=True)
def no_process_is_left():
    yield
    assert multiprocessing.active_children() == []


@pytest.fixture(scope="module")
def report():
    return evaluate(DIRECT.build())


def test_two_workers_find_something_better_and_tell_of_it(report):
    heard = []
    request = Request(method=Portfolio(), seconds=None, steps=5_000, workers=2)
    found = optimise(report, request, heard.append)
    assert found.ended
    assert found.steps >= 5_000
    assert found.best < found.start == report.time
    assert found.best == pytest.approx(evaluate(remapped(report.case, found.slots)).time, rel=1e-9)
    check_injection(found.slots, report.case.network.slots)
    best = [one.best for one in heard]
    assert best == sorted(best, reverse=True)
    assert len(heard) >= 2
    assert found.seconds > 0
    again = optimise(report, replace(request, steps=500, workers=1, apart=True), after=found)
    assert again.start == found.start
    assert again.best <= found.best


def test_a_worker_of_its_own_can_be_stopped_and_knows_other_figures():
    report = evaluate(TORUS.build())
    known = []

    def on_result(found):
        if found.steps > 1000:
            known.append(found)
            raise Cancelled

    request = Request(TotalHops(), Annealing(), seconds=None, steps=None, apart=True)
    found = optimise(report, request, on_result)
    assert found.ended
    assert found.best <= known[0].best <= known[0].start == found.start
    assert found.start == pytest.approx(optimise(report, Request(TotalHops(), seconds=None, steps=1)).start, rel=1e-9)


def test_who_stops_before_anything_was_found_has_the_start(report):
    def on_result(found):
        raise Cancelled

    found = optimise(report, Request(seconds=None, steps=None, workers=2), on_result)
    np.testing.assert_array_equal(found.slots, report.case.mapping.slots)
    assert (found.best, found.steps, found.seconds) == (report.time, 0, 0.0)


def test_refusals_travel(report):
    with pytest.raises(SpecError, match="objective: all weights are 0") as caught:
        optimise(report, Request(Mix(0, 0, 0, 0), seconds=None, steps=10, workers=2))
    assert caught.value.field == "objective"


def _kill(found):
    for process in multiprocessing.active_children():
        process.kill()


def test_a_search_whose_workers_were_killed_keeps_what_they_found(report):
    heard = []

    def on_result(found):
        heard.append(found)
        if found.better:
            _kill(found)

    found = optimise(report, Request(Throughput(), seconds=None, steps=None, apart=True), on_result)
    assert found.ended
    assert found.best <= heard[-1].best < report.time
    assert found.steps >= heard[-1].steps > 0
    assert found.trouble.startswith("a process of the search ended too early")


def test_workers_killed_before_they_found_anything_leave_the_start(report):
    found = optimise(report, Request(Throughput(), seconds=None, steps=None, workers=2), _kill)
    np.testing.assert_array_equal(found.slots, report.case.mapping.slots)
    assert (found.best, found.gone) == (report.time, 2)


def test_the_others_go_on_without_a_worker_that_was_killed(report):
    killed = []

    def on_result(found):
        workers = multiprocessing.active_children()
        if len(workers) == 2 and found.steps and not killed:
            killed.append(found.steps)
            workers[0].kill()

    found = optimise(report, Request(Throughput(), seconds=None, steps=60_000, workers=2), on_result)
    assert found.gone == 1
    assert found.steps >= 60_000 > killed[0]
