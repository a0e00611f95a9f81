"""Timelines that follow edits: equal to new timelines, and unchanged after an edit and its inverse."""

from operator import attrgetter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Allreduce, AllToAll, Flows, Halo, Reduce
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Random
from core.mapping.edit import edit_moving
from core.network import Torus
from core.network.faults import LinkFault
from core.routing import Adaptive, DimensionOrder, ShortDimension
from core.timing import BarrierTiming, timeline
from core.timing import live as live_module
from core.timing.live import LiveTimeline
from tests.core.load.test_live import random_edit

TORUS = Torus(dims=(3, 5), slots_per_node=2)
JOBS = [
    Allreduce(tasks=13, message_bytes=1e9),
    Allreduce(tasks=8, algorithm="ring", message_bytes=3e9),
    AllToAll(8, "pairwise", 1e9),
    AllToAll(12, "at-once", 1e9),
    Reduce(tasks=24, message_bytes=1e9),
    Halo(4, 4),
]
TIMINGS = [BarrierTiming(), BarrierTiming(hop_seconds=0.5), BarrierTiming(hop_seconds=2.0, injection_gbs=1.5)]


def started(scenario):
    """Live loads of a scenario, and their timeline."""
    case = scenario.build()
    loads = LiveLoads(evaluate(case))
    assert LiveTimeline.follows(loads, case)
    return case, loads, LiveTimeline(loads, case, scenario.timing)


def assert_fresh(live, case):
    """Assert that the timeline equals a new timeline of the case."""
    fresh = timeline(case)
    assert live.case is case
    classes = [c.name for c in case.network.classes]
    for ours, expected, busy in zip(live.steps, fresh.steps, fresh.busy, strict=True):
        assert (ours.name, ours.messages) == (expected.name, expected.messages)
        if ours.bottleneck != expected.bottleneck:  # equal up to rounding
            assert busy[classes.index(ours.bottleneck)] == pytest.approx(busy[classes.index(expected.bottleneck)])
        figures = attrgetter("start", "seconds", "hops", "max_hops", "contention")
        assert figures(ours) == pytest.approx(figures(expected), rel=1e-9, abs=1e-12)
    assert live.seconds == pytest.approx(fresh.seconds, rel=1e-12)
    for name in ("load", "busy", "sent"):
        np.testing.assert_allclose(getattr(live, name), getattr(fresh, name), rtol=1e-9, atol=1e-12)


@settings(max_examples=25)
@given(
    st.sampled_from(JOBS), st.sampled_from(TIMINGS), st.sampled_from([DimensionOrder(), Adaptive()]), st.integers(0, 99)
)
def test_a_live_timeline_matches_a_new_one_after_any_move(job, timing, routing, seed):
    case, loads, live = started(Scenario(TORUS, job, Random(seed), routing, timing=timing))
    assert_fresh(live.timeline(case), case)
    rng = np.random.default_rng(seed)
    for _ in range(3):
        loads.apply(random_edit(rng, loads, case))
        now = loads.report().case
        assert_fresh(live.timeline(now), now)


@given(st.sampled_from(JOBS), st.integers(0, 99))
def test_an_edit_and_its_inverse_restore_the_timeline(job, seed):
    case, loads, live = started(Scenario(TORUS, job, Random(seed), DimensionOrder(), timing=TIMINGS[2]))
    before, edit = live.timeline(case), random_edit(np.random.default_rng(seed), loads, case)
    loads.apply(edit)
    live.timeline(loads.report().case)
    loads.apply(edit.inverse())
    after = live.timeline(case)
    assert after.steps == before.steps
    for name in ("load", "busy", "sent"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))


def test_a_preview_is_not_followed():
    case, loads, live = started(Scenario(TORUS, JOBS[0], Random(1), DimensionOrder(), timing=TIMINGS[2]))
    before = live.timeline(case)
    loads.preview(random_edit(np.random.default_rng(1), loads, case))
    assert live.timeline(case).steps == before.steps


def test_only_steps_of_moved_tasks_are_recomputed(monkeypatch):
    # In a binomial reduction a task that has sent is idle from then on.
    case, loads, live = started(Scenario(TORUS, Reduce(tasks=8), Random(1), DimensionOrder(), timing=TIMINGS[0]))
    live.timeline(case)
    again, step_of = [], LiveTimeline._step
    monkeypatch.setattr(LiveTimeline, "_step", lambda self, *given: again.append(given[1]) or step_of(self, *given))
    free = int(np.flatnonzero(loads.occupant < 0)[-1])
    loads.apply(edit_moving(loads.mapping, [7], [free], loads.occupant))
    live.timeline(loads.report().case)
    uses = [
        phase.out_flows(np.array([7])).src.size + phase.in_flows(np.array([7])).src.size for phase in case.job.phases
    ]
    assert sum(uses) == 1
    assert again == [int(np.argmax(uses))]


def test_a_failed_link_counts_as_in_a_new_timeline():
    scenario = Scenario(
        TORUS,
        JOBS[0],
        Random(3),
        DimensionOrder(),
        faults=(LinkFault(0, 1), LinkFault(1, 2, speed=0.5)),
        timing=BarrierTiming(hop_seconds=0.5, injection_gbs=0.05),
    )
    case, loads, live = started(scenario)
    loads.apply(random_edit(np.random.default_rng(2), loads, case))
    now = loads.report().case
    assert_fresh(live.timeline(now), now)


@pytest.mark.parametrize(
    ("job", "routing"),
    [
        (JOBS[0], ShortDimension()),
        (Flows(tasks=3, src=(0, 1), dst=(1, 2), volume=(1.0, 2.0)), DimensionOrder()),
    ],
    ids=["planned", "not alike"],
)
def test_other_cases_are_not_followed(job, routing):
    case = Scenario(TORUS, job, Random(1), routing).build()
    assert not LiveTimeline.follows(LiveLoads(evaluate(case)), case)


@pytest.mark.parametrize("limit", ["MAX_FLOWS", "MAX_LOADS", "MAX_PARTS"])
def test_too_large_cases_are_not_followed(monkeypatch, limit):
    case = Scenario(TORUS, JOBS[0], Random(1), DimensionOrder()).build()
    assert LiveTimeline.follows(LiveLoads(evaluate(case)), case)
    monkeypatch.setattr(live_module, limit, 10)
    assert not LiveTimeline.follows(LiveLoads(evaluate(case)), case)
