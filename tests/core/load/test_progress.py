"""Long work reports its progress, and stops on request."""

import pytest

from core.job import AllToAll, Halo, Permutation
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import RecursiveBisection, Sequential
from core.network import Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsIndirect
from core.spec import Cancelled

CASES = (
    Scenario(Torus(dims=(8, 8, 8)), AllToAll(tasks=512), Sequential(), Adaptive()),
    Scenario(Torus(dims=(18, 16, 16)), Permutation(tasks=18 * 256), Sequential(), Adaptive()),
    Scenario(Torus(dims=(16, 8, 8)), AllToAll(tasks=1024), Sequential(), DimensionOrder()),
    Scenario(Percs(supernodes=32), AllToAll(tasks=4096), Sequential(), PercsIndirect()),
)


@pytest.mark.parametrize("scenario", CASES, ids=lambda s: f"{s.routing.tag()}-{s.job.tag()}")
def test_progress_rises_to_the_end(scenario):
    told = []
    evaluate(scenario.build(), told.append)
    assert told == sorted(told)
    assert 0 <= told[0] < 1
    assert told[-1] > 0.99


@pytest.mark.parametrize("scenario", CASES, ids=lambda s: f"{s.routing.tag()}-{s.job.tag()}")
def test_work_stops_when_cancelled(scenario):
    told = []

    def stop(fraction):
        told.append(fraction)
        if fraction > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        evaluate(scenario.build(), stop)
    assert told[-1] > 0.5
    assert sum(fraction > 0.5 for fraction in told) == 1


def searching(*background):
    """A scenario whose mapping searches, with the given mappings of background jobs on 16 nodes each."""
    neighbours = tuple(Neighbour(job=Halo(4, 4), mapping=mapping, allocation="48-63") for mapping in background)
    allocation = "0-47" if background else ""
    return Scenario(
        Torus(dims=(8, 8)), Halo(6, 6), RecursiveBisection(), Adaptive(), allocation=allocation, neighbours=neighbours
    )


@pytest.mark.parametrize("background", [(), (Sequential(),), (RecursiveBisection(seed=1),)])
def test_searches_for_mappings_report_progress_to_the_end(background):
    told = []
    case = searching(*background).build(progress=told.append)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0, 1)
    assert len(told) > 30
    assert told.count(1) == 1
    del told[:]
    searching(*background).build(case, told.append)
    assert not told


def test_mappings_without_a_search_report_nothing():
    told = []
    CASES[0].build(progress=told.append)
    assert not told


@pytest.mark.parametrize("last", [0, 0.4, 0.7])
def test_a_cancelled_search_cancels_the_scenario(last):
    told = []

    def stop(fraction):
        told.append(fraction)
        if fraction >= last:
            raise Cancelled

    with pytest.raises(Cancelled):
        searching(RecursiveBisection(seed=1)).build(progress=stop)
    assert sum(fraction >= last for fraction in told) == 1


def test_an_explanation_can_be_stopped_between_slices_of_one_block():
    report = evaluate(CASES[0].build())
    told = []

    def stop(fraction):
        told.append(fraction)
        raise Cancelled

    with pytest.raises(Cancelled):
        explain(report, 0, stop)
    assert told[0] == pytest.approx(1 / 8)
