"""Searches in portions, on workers that come and go."""

from concurrent.futures import CancelledError, Future

import numpy as np
import pytest
from distributed import KilledWorker

from core.load.evaluate import evaluate
from core.mapping.mapping import check_injection
from core.optimise import portions
from core.optimise.method import Annealing
from core.optimise.objective import TotalHops
from core.optimise.portions import search_on_cluster
from core.optimise.request import Request
from core.spec import Cancelled, SpecError
from tests.core.optimise.cases import DIRECT, TORUS, remapped


class Cluster:
    """A stand-in for Dask with two workers; the fate of each portion is given by its number."""

    def __init__(self, **fates):
        self.fates, self.portions = {int(number[1:]): fate for number, fate in fates.items()}, []

    def nthreads(self):
        return {"one": 1, "two": 1}

    def submit(self, function, portion, workers, allow_other_workers, pure):
        self.portions.append(portion)
        fate = self.fates.get(len(self.portions) - 1)
        done = Future()
        if isinstance(fate, Exception):
            done.set_exception(fate)
            return done
        if fate == "forgotten":
            portions._kept.clear()
        done.set_result(function(portion))
        return done

    def cancel(self, futures):
        self.cancelled = futures


@pytest.fixture(autouse=True)
def short_portions(monkeypatch):
    monkeypatch.setattr(portions, "SECONDS", 0.005)
    monkeypatch.setattr(portions, "_kept", {})


@pytest.fixture(scope="module")
def report():
    return evaluate(DIRECT.build())


REQUEST = Request(method=Annealing(), seconds=None, steps=30_000)


def searched(report, cluster, request=REQUEST, **more):
    heard = []
    result = search_on_cluster(cluster, report, request, heard.append, **more)
    best = [result_heard.best for result_heard in heard]
    assert best == sorted(best, reverse=True)
    check_injection(result.slots, report.case.network.slots)
    return result


def test_workers_share_the_best(report):
    cluster = Cluster()
    result = searched(report, cluster)
    assert result.ended
    assert result.steps == REQUEST.steps
    assert result.best < result.start == report.time
    assert result.best == pytest.approx(evaluate(remapped(report.case, result.slots)).time, rel=1e-9)
    assert {portion.rank for portion in cluster.portions} == {0, 1}
    assert {portion.request.workers for portion in cluster.portions} == {2}
    best = [evaluate(remapped(report.case, portion.slots)).time for portion in cluster.portions]
    assert best == sorted(best, reverse=True)
    changes = [portion.edition for portion in cluster.portions]
    assert changes == sorted(changes)
    # An edition is one mapping: a worker that has it need not receive it.
    mappings = {portion.edition: portion.slots for portion in cluster.portions}
    assert all(np.array_equal(portion.slots, mappings[portion.edition]) for portion in cluster.portions)
    assert len(mappings) >= len(set(best)) > 1
    again = searched(report, Cluster(), after=result)
    assert again.start == result.start
    assert again.best <= result.best


@pytest.mark.parametrize("fate", ["forgotten", TimeoutError()])
def test_a_lost_worker_loses_only_its_last_portion(report, fate):
    cluster = Cluster(_3=fate, _4=fate)
    result = searched(report, cluster)
    assert result.steps == REQUEST.steps
    assert result.best < result.start
    assert not result.gone
    assert {portion.rank for portion in cluster.portions[5:]} == {0, 1}


def test_other_workers_continue_without_one_that_is_lost_repeatedly(report):
    cluster = Cluster(_2=KilledWorker("advance", None, 3))
    result = searched(report, cluster)
    assert result.gone == 1
    assert "ended too early" in result.trouble
    assert result.steps == REQUEST.steps
    alone = searched(report, Cluster(_0=KilledWorker("advance", None, 3), _1=KilledWorker("advance", None, 3)))
    assert alone.steps == 0
    assert np.array_equal(alone.slots, report.case.mapping.slots)


def test_the_best_is_kept_when_the_scheduler_is_lost(report):
    result = searched(report, Cluster(_5=CancelledError()))
    assert result.steps > 0
    assert result.best < result.start
    assert result.failure == "the connection to the scheduler was lost"


def test_it_can_be_cancelled_and_supports_other_objectives():
    report = evaluate(TORUS.build())

    def stop(result_so_far):
        if result_so_far.steps > 500:
            raise Cancelled

    cluster = Cluster()
    result = search_on_cluster(cluster, report, Request(TotalHops(), Annealing(), seconds=None, steps=None), stop)
    assert result.steps > 500
    assert result.best < result.start
    assert len(list(cluster.cancelled)) == 2


def test_a_cluster_without_this_program_is_refused_in_one_line(report):
    error = ModuleNotFoundError("No module named 'core'")
    with pytest.raises(
        SpecError, match="cannot search: ModuleNotFoundError: No module named 'core'; start the"
    ) as caught:
        searched(report, Cluster(_0=error))
    assert caught.value.field == "--cluster"
    assert "\n" not in str(caught.value)
