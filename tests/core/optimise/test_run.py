"""A search from beginning to end in the calling thread: budgets, listeners, stopping, resuming."""

from itertools import count

import numpy as np
import pytest

from core.job import Flows, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Torus
from core.optimise import problem as problem_module
from core.optimise.method import Annealing, Portfolio, TwoOpt
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import Contention, HopBytes, Mix, Throughput, TotalHops
from core.optimise.pacing import next_portion, over
from core.optimise.request import Request, SearchResult
from core.optimise.run import optimise
from core.routing import Adaptive, DimensionOrder
from core.spec import Cancelled, SpecError
from tests.core.optimise.cases import DIRECT, METHODS, TORUS, remapped

each_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.tag())


@pytest.fixture(scope="module")
def report():
    return evaluate(DIRECT.build())


@each_method
def test_the_figures_are_those_of_the_mapping(method, report):
    result = optimise(report, Request(method=method, seconds=None, steps=2000))
    assert result.ended
    assert result.start == report.time
    assert result.best == pytest.approx(evaluate(remapped(report.case, result.slots)).time, rel=1e-12)
    assert result.best <= result.current
    assert result.steps >= 2000
    assert result.steps_per_second == result.steps / result.seconds


def test_reported_results_never_get_worse(report):
    heard = []
    result = optimise(report, Request(seconds=None, steps=6000), heard.append)
    assert heard[-1].ended
    assert not any(result_heard.ended for result_heard in heard[:-1])
    assert heard[-1].best == result.best
    best = [result_heard.best for result_heard in heard]
    assert best == sorted(best, reverse=True)
    steps = [result_heard.steps for result_heard in heard]
    assert steps == sorted(steps)


@pytest.mark.parametrize("stop", [Cancelled, KeyboardInterrupt])
@pytest.mark.parametrize("calls", [0, 2])
def test_a_listener_can_cancel_and_keeps_the_best(stop, calls, report):
    heard = []

    def on_result(result_so_far):
        heard.append(result_so_far)
        if len(heard) > calls:
            raise stop

    result = optimise(report, Request(seconds=None, steps=None), on_result)
    assert len(heard) == calls + 1
    assert result.ended
    assert result.best == heard[-1].best == pytest.approx(evaluate(remapped(report.case, result.slots)).time, rel=1e-12)


def test_other_errors_of_a_listener_are_raised(report):
    def on_result(result_so_far):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        optimise(report, Request(seconds=None, steps=100), on_result)


@each_method
def test_a_search_continues_where_another_stopped(method, report):
    request = Request(method=method, seconds=None, steps=1500)
    first = optimise(report, request)
    second = optimise(report, request, after=first)
    assert second.start == first.start
    assert second.best <= first.best
    assert 1500 <= second.steps < first.steps + 3000
    assert second.checkpoint[0].steps >= first.checkpoint[0].steps + 1500
    assert second.checkpoint[0].draw != first.checkpoint[0].draw


def test_a_proved_optimum_ends_the_search_at_once():
    square = Scenario(Torus(dims=(3, 3)), Halo(rows=3, cols=3), Sequential(), DimensionOrder())
    result = optimise(evaluate(square.build()), Request(seconds=None, steps=None))
    assert result.ended
    assert result.best == result.start


def test_the_search_stops_when_it_reaches_the_bound():
    case = Scenario(Torus(dims=(3, 3)), Halo(rows=3, cols=3), Sequential(), DimensionOrder())
    mixed = remapped(case.build(), np.array([4, 0, 8, 2, 6, 1, 3, 5, 7], np.int32))
    result = optimise(evaluate(mixed), Request(method=Annealing(hot=0.3), seconds=None, steps=None))
    assert result.best < result.start
    assert result.best == pytest.approx(evaluate(case.build()).time, rel=1e-12)


def test_time_is_a_budget_too(monkeypatch, report):
    from core.optimise import run

    clock = count(0, 0.25)
    monkeypatch.setattr(run.time, "perf_counter", lambda: next(clock))
    result = optimise(report, Request(seconds=5.0))
    assert result.ended
    assert 5.0 <= result.seconds < 7.0


@pytest.mark.parametrize(
    ("seconds", "steps", "expected"),
    [(None, None, False), (2.0, None, False), (1.0, None, True), (None, 10, True), (None, 11, False), (2.0, 10, True)],
)
def test_a_search_is_over_when_either_budget_is_used_up(seconds, steps, expected):
    assert over(Request(seconds=seconds, steps=steps), 1.0, 10) is expected


def test_portions_grow_at_most_twofold_and_shrink_at_once():
    assert next_portion(64, 1e-6) == 128
    assert next_portion(64, 0.04) == 32
    assert next_portion(64, 100.0) == 1


def refused(report, **wish):
    with pytest.raises(SpecError) as caught:
        optimise(report, Request(**{"seconds": None, "steps": 10, **wish}))
    return caught.value


def test_unsupported_searches_are_refused(report, monkeypatch):
    assert "all weights are 0" in refused(report, objective=Mix(0, 0, 0, 0)).message
    assert refused(report, constraints=MoveConstraints(unit="rack")).field == "unit"
    silent = Scenario(Torus(dims=(3, 3)), Flows(2, (0,), (0,), (1.0,)), Sequential(), DimensionOrder())
    assert "no link carries anything" in refused(evaluate(silent.build())).message
    monkeypatch.setattr(problem_module, "MAX_FLOWS", 10)
    assert refused(report).message == "has up to 768 flows; at most 10 can be searched"


def test_unknown_hops_on_a_large_network_are_refused(monkeypatch):
    report = evaluate(Scenario(Torus(dims=(4, 4)), Halo(rows=3, cols=4), Sequential(), Adaptive()).build())
    monkeypatch.setattr(problem_module, "MAX_NODES", 8)
    assert refused(report, objective=TotalHops()).field == "objective"
    assert optimise(report, Request(seconds=None, steps=10)).best <= report.time


def test_a_run_without_time_has_no_pace():
    result = SearchResult(np.zeros(1, np.int32), 1.0, 1.0, 1.0, 0.0, 0)
    assert result.steps_per_second == 0.0


@pytest.mark.parametrize("objective", [Throughput(), HopBytes(), TotalHops(), Contention()], ids=lambda o: o.tag())
@pytest.mark.parametrize("method", [Portfolio(), TwoOpt()], ids=lambda m: m.tag())
def test_routers_without_tables_are_searched_as_well(objective, method):
    case = Scenario(TORUS.network, TORUS.job, TORUS.mapping, Adaptive()).build()
    assert case.router.route_tables() is None
    result = optimise(evaluate(case), Request(objective, method, seconds=None, steps=900))
    assert result.best < result.start
    if objective == Throughput():
        assert result.best == pytest.approx(evaluate(remapped(case, result.slots)).time, rel=1e-9)
