"""Searches of seconds: the time that a search reports for a mapping equals the time of a new timeline."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Allreduce, AllToAll, Flows, Pause, Sequence
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random
from core.mapping.mapping import Mapping
from core.network import Clex, Complete, FatTree, Percs, Torus
from core.network.faults import LinkFault
from core.optimise import dependencies
from core.optimise.method import Annealing, Portfolio, TwoOpt
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import Contention, Seconds, Throughput, TotalHops
from core.optimise.problem import Problem
from core.optimise.request import Request
from core.optimise.run import optimise
from core.optimise.search import Search
from core.routing import Adaptive, ClexRouting, DimensionOrder, Minimal, PercsDirect, PercsIndirect, Valiant
from core.spec import SpecError
from core.timing import BarrierTiming, FairShare, timeline
from tests.core.optimise.cases import cases, loaded, methods, remapped, searching, two_phases
from tests.core.strategies import fitting, jobs

TIMED = st.builds(
    BarrierTiming, hop_seconds=st.sampled_from([0.0, 0.01, 5.0]), injection_gbs=st.none() | st.floats(0.05, 10)
)
RECURSIVE = Scenario(
    Torus(dims=(4, 4), slots_per_node=2),
    Allreduce(tasks=32, algorithm="recursive-doubling", message_bytes=1e9),
    Random(1),
    DimensionOrder(),
    timing=BarrierTiming(hop_seconds=0.3, injection_gbs=1.5),
)


def timed(case, timing):
    """The case under a timing, with a pause before each step."""
    for number, phase in enumerate(case.job.phases):
        phase.pause_seconds = 0.1 * number
    return replace(case, scenario=replace(case.scenario, timing=timing))


def assert_timed(case, search):
    """Assert that the search has the seconds of its current mapping and of its best."""
    assert search.current == pytest.approx(timeline(remapped(case, search._state.place.slot)).seconds, rel=1e-9)
    assert search.best == pytest.approx(timeline(remapped(case, search.slots)).seconds, rel=1e-9)


@settings(max_examples=30)
@given(cases().filter(loaded), TIMED, methods, st.integers(0, 99))
def test_figures_match_a_new_timeline(case, timing, method, seed):
    case = timed(two_phases(case) if len(case.job.phases) == 1 and seed % 2 else case, timing)
    before = timeline(case).seconds
    search = searching(case, Seconds(), method, seed=seed)
    assert search.best == pytest.approx(before, rel=1e-9)
    search.advance(150)
    assert_timed(case, search)
    assert search.best <= before * (1 + 1e-9)


@settings(max_examples=15)
@given(st.data(), TIMED, st.sampled_from([Adaptive(), Minimal(spread="equal")]))
def test_figures_match_a_new_timeline_with_traced_moves(data, timing, routing):
    job = fitting(data.draw, jobs, lambda job: 2 <= job.build().tasks <= 24)
    case = Scenario(Torus(dims=(3, 4), slots_per_node=2), job, Random(data.draw(st.integers(0, 9))), routing).build()
    case = timed(case, timing)
    if evaluate(case).time <= 0:
        return
    search = searching(case, Seconds(), Annealing())
    search.advance(40)
    assert_timed(case, search)


REPEATED = Sequence(parts=(Allreduce(16), Pause(0.5), AllToAll(16, message_bytes=1e8)), repeat=3)


@pytest.mark.parametrize("changed", [{"faults": (LinkFault(0, 1),)}, {"job": REPEATED}], ids=["failed", "repeated"])
def test_figures_match_a_new_timeline_with_faults_and_repeated_phases(changed):
    case = replace(RECURSIVE, **changed).build()
    search = searching(case, Seconds(), Annealing())
    search.advance(40)
    assert_timed(case, search)


@pytest.mark.parametrize("method", [TwoOpt(), Annealing(), Portfolio()], ids=lambda method: method.tag())
def test_a_collective_of_many_steps_becomes_faster(method):
    case = RECURSIVE.build()
    assert len(case.job.phases) == 5
    result = optimise(evaluate(case), Request(Seconds(), method, steps=4000))
    better = replace(case, mapping=Mapping(result.slots, 2))
    assert (result.start, result.best) == pytest.approx((timeline(case).seconds, timeline(better).seconds), rel=1e-9)
    assert result.best < 0.8 * result.start


def test_the_timing_determines_the_waits():
    # One message of 1 GB over a line: near its partner it waits two latencies, anywhere it takes a second.
    job, network = Flows(tasks=2, src=(0,), dst=(1,), volume=(1.0,)), Torus(dims=(9,), gbs=1.0)
    case = Scenario(network, job, Random(1), DimensionOrder(), timing=BarrierTiming(hop_seconds=1.0)).build()
    assert optimise(evaluate(case), Request(Seconds(), steps=500)).best == 3.0
    slow = replace(case, scenario=replace(case.scenario, timing=BarrierTiming(injection_gbs=0.25)))
    assert optimise(evaluate(slow), Request(Seconds(), steps=500)).best == 4.0


def test_without_latency_and_injection_only_loads_count():
    report = evaluate(Scenario(Percs(3, 4), AllToAll(96, "pairwise"), Random(2), PercsIndirect()).build())
    results = [optimise(report, Request(objective, Annealing(), steps=800)) for objective in (Seconds(), Throughput())]
    assert results[0].best == results[1].best
    np.testing.assert_array_equal(results[0].slots, results[1].slots)


def test_a_search_ends_at_the_bound():
    job = AllToAll(tasks=8, message_bytes=1e9)
    case = timed(Scenario(Complete(nodes=8, gbs=1.0), job, Random(0), Minimal()).build(), None)
    assert searching(case, Seconds(), Portfolio()).proven
    assert optimise(evaluate(case), Request(Seconds(), seconds=60)).steps <= 1


@settings(max_examples=20)
@given(st.integers(0, 99), st.sampled_from([Allreduce(16), AllToAll(16, "pairwise"), AllToAll(16, "bruck"), REPEATED]))
def test_hops_and_contention_over_all_steps_are_those_of_the_timeline(seed, job):
    # All messages of a step are equal and not split: with five nodes in between no two paths are equally long.
    case = Scenario(Torus(dims=(5, 5)), job, Random(seed), DimensionOrder()).build()
    for objective, figure in ((TotalHops(), "hops"), (Contention(), "contention")):
        search = searching(case, objective, Annealing(), seed=seed)
        search.advance(60)
        for mapped, expected in ((search.slots, search.best), (search._state.place.slot, search.current)):
            assert getattr(timeline(remapped(case, mapped)), figure) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("network", "routing", "faults"),
    [
        (Torus(dims=(4, 4)), DimensionOrder(), ()),
        (Torus(dims=(4, 4)), Adaptive(), ()),
        (Torus(dims=(4, 4)), Minimal(spread="equal"), (LinkFault(0, 1),)),
        (Torus(dims=(4, 4)), DimensionOrder(), (LinkFault(0, 1),)),
        (Percs(2, 4), PercsDirect(intra="striped"), ()),
        (FatTree(4, 2), Valiant(), ()),
        (Clex(4, 2), ClexRouting(), ()),
    ],
    ids=["ties", "adaptive", "around", "cut", "percs", "valiant", "clex"],
)
def test_messages_in_parts_meet_as_often_for_a_timeline_as_for_a_search(network, routing, faults):
    case = Scenario(network, AllToAll(16, "shift"), Random(3), routing, faults=faults).build()
    assert searching(case, Contention(), TwoOpt()).best == pytest.approx(timeline(case).contention)


def test_other_timings_are_not_searched():
    with pytest.raises(SpecError, match="needs the timing barrier, not fair-share"):
        Problem.of(evaluate(replace(RECURSIVE, timing=FairShare()).build()), Seconds())


def test_latencies_are_refused_without_room_for_a_table(monkeypatch):
    monkeypatch.setattr(dependencies, "MAX_NODES", 15)
    with pytest.raises(SpecError, match="latency supports at most 15 nodes"):
        Problem.of(evaluate(RECURSIVE.build()), Seconds())
    free = replace(RECURSIVE, timing=BarrierTiming(injection_gbs=1.5)).build()
    Search(Problem.of(evaluate(free), Seconds()), Annealing(), MoveConstraints(), 0)
