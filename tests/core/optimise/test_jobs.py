"""Searches with background jobs: this job's time, the sum of all times, or the worst equals slow plain code."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Permutation, TransposePhases
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Explicit, Sequential
from core.network import Torus
from core.optimise.objective import AllJobs, Throughput
from core.optimise.problem import Problem
from core.optimise.request import Request
from core.optimise.run import optimise
from core.routing import DimensionOrder
from core.spec import SpecError
from tests.core.load.background_jobs import in_plain_code, scenarios
from tests.core.optimise.cases import loaded, methods, remapped, searching

FIGURES = {
    Throughput(): lambda times: times[0],
    AllJobs(of="sum"): sum,
    AllJobs(of="worst"): max,
}


def one_phase(case):
    """Whether no job has several phases, whose maximum is not searched."""
    return all(len(job_case.job.runs) == 1 for job_case in (case, *case.neighbours.cases))


@settings(max_examples=40)
@given(scenarios(faulty=True), st.sampled_from(list(FIGURES)), methods, st.integers(0, 99))
def test_figures_match_plain_code(scenario, objective, method, seed):
    case = scenario.build()
    if not loaded(case) or (objective == AllJobs(of="worst") and not one_phase(case)):
        return

    def figure(slots):
        return FIGURES[objective]([time for time, _ in in_plain_code(remapped(case, slots))])

    search = searching(case, objective, method, seed=seed)
    assert search.best == pytest.approx(figure(case.mapping.slots), rel=1e-9)
    search.advance(60)
    assert search.current == pytest.approx(figure(search._state.place.slot), rel=1e-9)
    assert search.best == pytest.approx(figure(search.slots), rel=1e-9)
    problem = Problem.of(evaluate(case), objective)
    assert problem.bound * problem.start_time <= search.best * (1 + 1e-9)
    assert case.own(search.slots).size == search.slots.size, "nobody leaves the job's nodes"


PAIR = Permutation(tasks=2, targets=(1, 0))
RING = Scenario(
    Torus(dims=(12,), gbs=1.0),
    PAIR,
    Explicit(slots=[1, 3]),
    DimensionOrder(),
    allocation="1,3,6,7",
    neighbours=(Neighbour(name="B", job=PAIR, mapping=Sequential(), allocation="2,4"),),
)


@pytest.mark.parametrize("objective", FIGURES)
def test_a_search_moves_the_job_away_from_background_jobs(objective):
    """Between 2 and 3 both jobs send; on 6 and 7 no other job does."""
    before = evaluate(RING.build())
    result = optimise(before, Request(objective, steps=200, seconds=None))
    assert (result.start, result.best) == (FIGURES[objective]([2, 2]), FIGURES[objective]([1, 1]))
    assert sorted(result.slots.tolist()) == [6, 7]


def test_the_bound_of_the_sum_includes_the_other_jobs_alone():
    case = RING.build()
    problem = Problem.of(evaluate(case), AllJobs(of="sum"))
    assert problem.bound * problem.start_time == pytest.approx(bounds(case)[0].time + 1)


def test_the_worst_is_searched_among_single_phases_only():
    phases = replace(RING, job=TransposePhases(rows=2, cols=3), mapping=Sequential(), allocation="5-11")
    with pytest.raises(SpecError, match="worst needs jobs with a single phase"):
        Problem.of(evaluate(phases.build()), AllJobs(of="worst"))
