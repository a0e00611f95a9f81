"""The time under the worst failure: equal to full evaluations after every step, and optimal on tiny machines."""

from dataclasses import replace
from itertools import permutations
from unittest.mock import Mock, patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from core.job import Halo
from core.job.collectives.allreduce import Allreduce
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import LinkFault, NodeFault, Torus
from core.optimise.method import Annealing, Bottleneck, Portfolio, TwoOpt
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import HopBytes, WorstFailure
from core.optimise.plain_starts import PlainStarts
from core.optimise.problem import Problem
from core.optimise.request import Request
from core.optimise.robust import cases_after, counting, least_time, with_failures
from core.optimise.run import optimise
from core.optimise.search import Search
from core.routing import Adaptive, DimensionOrder, Minimal
from core.routing.route_tables import MAX_ENTRIES
from core.spec import Cancelled, SpecError

TORUS = Scenario(Torus((3, 3), slots_per_node=2), Halo(3, 4), Random(seed=1), Minimal(spread="equal"))
PHASES = replace(TORUS, job=Allreduce(tasks=8, algorithm="recursive-doubling"))
SLOW = replace(TORUS, faults=(LinkFault(0, 1, speed=0.5),))
FAULTY = replace(TORUS, faults=(LinkFault(0, 1),))
ADAPTIVE = replace(TORUS, routing=Adaptive())
METHODS = (Portfolio(), Annealing(), Bottleneck(candidates=8, tenure=5), TwoOpt())
RING = Scenario(Torus((5,), slots_per_node=1), Halo(1, 5), Random(seed=3), Minimal(spread="equal"))


def slow_figure(case, slots, failures):
    """The longest time of fresh scenarios without a failure and after each."""
    times = []
    for faults in ((), *((failure,) for failure in failures)):
        after = replace(case.scenario, faults=(*case.scenario.faults, *faults)).build()
        times.append(evaluate(replace(after, mapping=case.mapping.moved(slots))).time)
    return max(times)


def cables(case):
    return list(dict.fromkeys(LinkFault.of(case.network, link) for link in range(case.network.links)))


@given(
    st.sampled_from([TORUS, PHASES, SLOW, FAULTY, ADAPTIVE]),
    st.sampled_from(METHODS),
    st.sets(st.integers(0, 17), min_size=1, max_size=4),
    st.sampled_from([0.0, 0.4]),
    st.booleans(),
    st.integers(0, 99),
)
@settings(max_examples=25)
def test_the_figure_of_a_search_equals_full_evaluations(scenario, method, numbers, speed, traced, seed):
    report = evaluate(replace(scenario, mapping=Random(seed=seed)).build())
    left = [cable for cable in cables(report.case) if report.case.gbs[cable.link(report.case.network)] > 0]
    speed = 0.4 if scenario is ADAPTIVE else speed  # straight paths have no alternative under adaptive routing
    failures = tuple(structs.replace(left[number % len(left)], speed=speed) for number in sorted(numbers))
    with patch("core.optimise.robust.MAX_ENTRIES", 0 if traced else MAX_ENTRIES):
        problem = Problem.of(report, WorstFailure(), failures)
    assert problem.traced == (traced or scenario is ADAPTIVE)
    with patch("core.optimise.plain_starts.FIRST", 20):
        search = Search(problem, method, MoveConstraints(), seed)
    assert search.best == pytest.approx(slow_figure(report.case, report.case.mapping.slots, failures), rel=1e-9)
    search.advance(100)
    assert search.best == pytest.approx(slow_figure(report.case, search.slots, failures), rel=1e-9)
    current = search._state.place.slot
    assert search.current == pytest.approx(slow_figure(report.case, current, failures), rel=1e-9)
    bound = least_time(report, cases_after(report.case, failures))
    assert bound <= search.best * (1 + 1e-9)
    assert bound >= max((each.time for each in bounds(report.case, report)), default=0.0)


@pytest.mark.parametrize("scenario", [RING, replace(RING, job=Allreduce(tasks=4, algorithm="recursive-doubling"))])
def test_a_search_finds_the_best_of_all_mappings(scenario):
    report = evaluate(scenario.build())
    failures = (LinkFault(0, 1), LinkFault(2, 3, speed=0.5))
    optimum = min(
        slow_figure(report.case, np.array(slots, np.int32), failures)
        for slots in permutations(range(5), report.case.job.tasks)
    )
    result = optimise(report, Request(WorstFailure(), seconds=None, steps=3000, failures=failures))
    assert result.best == pytest.approx(optimum, rel=1e-9)
    assert result.failures == failures
    assert 0 <= result.least <= optimum * (1 + 1e-9)
    assert result.least == least_time(report, cases_after(report.case, failures))


def test_the_same_seed_takes_the_same_steps_in_any_portions():
    problem = Problem.of(evaluate(TORUS.build()), WorstFailure(), (LinkFault(0, 1), LinkFault(3, 4)))
    searches = [Search(problem, Portfolio(), MoveConstraints(), 5) for _ in range(2)]
    for search, portion in zip(searches, (8000, 37), strict=True):
        search.begin()
        first = search.steps
        while search.steps < first + 8000:
            search.advance(min(portion, first + 8000 - search.steps))
    unsplit, parts = searches
    np.testing.assert_array_equal(unsplit.slots, parts.slots)
    assert (unsplit.best, unsplit.current, unsplit.steps) == (parts.best, parts.current, parts.steps)


@given(st.integers(0, 99))
@settings(max_examples=5)
def test_a_search_is_never_worse_than_its_search_without_failures(seed):
    report = evaluate(Scenario(Torus((4, 4)), Halo(4, 4), Random(seed=seed), Minimal(spread="equal")).build())
    failures = tuple(cables(report.case)[::4])
    search = Search(Problem.of(report, WorstFailure(), failures), Portfolio(), MoveConstraints(), seed)
    plain = search._plain
    for _ in range(3):
        due = plain.due
        while plain.due == due or plain.going:
            search.advance(50)
        assert search.best <= slow_figure(report.case, plain._search.slots, failures) * (1 + 1e-9)
    assert slow_figure(report.case, search.slots, failures) == pytest.approx(search.best, rel=1e-9)
    assert search.current == pytest.approx(slow_figure(report.case, search._state.place.slot, failures), rel=1e-9)


def test_about_half_of_the_time_is_for_steps_with_failures():
    others = [0, 250, 500, 1000, 2000]
    search = Mock(steps=40, proven=False, slots=np.arange(3))
    search.advance = lambda steps: setattr(search, "steps", search.steps + steps)
    plain = PlainStarts(search, 9)
    for count in others:
        if count:
            assert count == plain.due
            plain.begin(count)
        while plain.going:
            plain.advance(7)
        assert plain.steps == max(1000, 4.5 * count)
    assert plain.result() is search.slots
    assert plain.result() is None


def test_the_worst_cables_of_the_initial_mapping_count():
    report = evaluate(TORUS.build())
    times = [
        (slow_figure(report.case, report.case.mapping.slots, [cable]), number)
        for number, cable in enumerate(cables(report.case))
    ]
    chosen = with_failures(report, Request(WorstFailure(3))).failures
    worst = sorted((time for time, _ in times), reverse=True)[:3]
    assert [slow_figure(report.case, report.case.mapping.slots, [cable]) for cable in chosen] == pytest.approx(worst)


@pytest.mark.parametrize("after", [0.0, 0.5, 0.95])
def test_the_choice_of_the_worst_cables_has_progress_and_can_be_cancelled(after):
    report, seen = evaluate(TORUS.build()), []
    with_failures(report, Request(WorstFailure(3)), seen.append)
    assert seen == sorted(seen)
    assert (seen[0], seen[-1]) == (0.0, 1.0)
    assert len(seen) >= len(cables(report.case)) + 3

    def cancel(fraction):
        if fraction >= after:
            raise Cancelled

    with pytest.raises(Cancelled):
        with_failures(report, Request(WorstFailure(3)), cancel)


def test_a_continued_search_counts_the_same_failures():
    report = evaluate(TORUS.build())
    request = Request(WorstFailure(2), seconds=None, steps=200)
    first = optimise(report, request)
    second = optimise(report, request, after=first)
    assert (second.failures, second.least) == (first.failures, first.least)
    assert second.best <= first.best
    assert second.best == pytest.approx(slow_figure(report.case, second.slots, first.failures), rel=1e-9)


def test_workers_count_the_same_failures():
    report = evaluate(TORUS.build())
    result = optimise(report, Request(WorstFailure(2), seconds=None, steps=400, apart=True))
    assert result.start == pytest.approx(slow_figure(report.case, report.case.mapping.slots, result.failures), rel=1e-9)
    assert result.best == pytest.approx(slow_figure(report.case, result.slots, result.failures), rel=1e-9)


@pytest.mark.parametrize(
    ("scenario", "request_of", "words"),
    [
        (replace(TORUS, routing=DimensionOrder()), lambda: Request(WorstFailure()), "every cable disconnects nodes"),
        (TORUS, lambda: counting(Request(), [NodeFault(0)]), "disconnects nodes under minimal routing"),
        (TORUS, lambda: counting(Request(), [LinkFault(0, 4)]), "links from 0 lead to"),
        (TORUS, lambda: Request(failures=(LinkFault(0, 1),)), "count only with the objective robust, not with"),
        (TORUS, lambda: counting(Request(HopBytes()), 3), "count only with the objective robust, not with hop-bytes"),
    ],
)
def test_failures_that_cannot_count_are_refused_in_one_line(scenario, request_of, words):
    with pytest.raises(SpecError) as error:
        optimise(evaluate(scenario.build()), request_of())
    assert words in str(error.value)
    assert "\n" not in str(error.value)
    assert error.value.field.startswith("failures")
