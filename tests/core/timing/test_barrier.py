"""Phases one after the other: against an oracle, closed forms and the poster's all-to-all in one supernode."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.storage.presets import preset, preset_names
from core.job import Allreduce, AllToAll, Broadcast, Flows, Transpose
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Complete, Mesh, Percs, Torus
from core.network.faults import LinkFault
from core.routing import Adaptive, DimensionOrder, Minimal, PercsDirect
from core.timing import BarrierTiming, FairShare, timeline
from core.timing import messages as messages_module
from tests.core.strategies import fitting, jobs
from tests.oracle import barrier


def timed(network, job, routing, mapping=None, **timing):
    scenario = Scenario(network, job, mapping or Sequential(), routing, timing=BarrierTiming(**timing))
    return timeline(scenario.build())


@given(st.data(), st.sampled_from([DimensionOrder(), Adaptive(), Minimal(spread="equal")]), st.floats(0, 1))
def test_steps_match_the_oracle(data, routing, hop_seconds):
    network = Torus(dims=(3, 4), slots_per_node=4)
    job = fitting(data.draw, jobs, lambda job: job.build().tasks <= 48)
    injection = data.draw(st.none() | st.floats(0.01, 10))
    case = Scenario(network, job, Random(data.draw(st.integers(0, 9))), routing).build()
    times = BarrierTiming(hop_seconds=hop_seconds, injection_gbs=injection).timeline(case)
    start = 0.0
    for step, (seconds, messages, hops, contention) in zip(
        times.steps, barrier.steps(case, hop_seconds, injection), strict=True
    ):
        assert step.messages == messages
        assert (step.seconds, step.hops, step.contention) == pytest.approx(
            (seconds, hops, contention), rel=1e-9, abs=1e-12
        )
        assert step.start == pytest.approx(start)
        start += seconds
    assert times.seconds == pytest.approx(start)


@pytest.mark.usefixtures("no_meetings")
@pytest.mark.parametrize("name", preset_names())
def test_without_latency_the_time_follows_from_the_loads(name):
    case = replace(preset(name), timing=None).build()
    report, times = evaluate(case), timeline(case)
    # Adding a step repeatedly rounds differently from multiplying it.
    assert times.seconds == (report.time if case.job.repeats == 1 else pytest.approx(report.time, rel=1e-12))
    np.testing.assert_array_equal(times.load, report.load)


@pytest.mark.parametrize("tasks", [2, 5, 8, 64])
def test_a_ring_allreduce_takes_twice_its_vector_over_the_bandwidth(tasks):
    job = Allreduce(tasks=tasks, algorithm="ring", message_bytes=1e9)
    times = timed(Torus(dims=(tasks,), gbs=2.0), job, DimensionOrder())
    # Two nodes have two links in each direction, over which the tie is split.
    assert times.seconds == pytest.approx(2 * (tasks - 1) / tasks / 2.0 / (2 if tasks == 2 else 1))


def test_a_broadcast_waits_one_latency_more_than_its_hops_in_each_step():
    times = timed(Complete(nodes=8, gbs=1.0), Broadcast(tasks=8, message_bytes=1e9), Minimal(), hop_seconds=0.5)
    assert [step.seconds for step in times.steps] == [2.0, 2.0, 2.0]
    assert (times.messages, times.hops, times.contention) == (7, 7.0, 0.0)


@pytest.mark.parametrize("timing", [BarrierTiming, FairShare])
def test_disconnected_messages_are_not_waited_for(timing):
    job = Flows(tasks=4, src=(0, 0), dst=(1, 3), volume=(1.0, 4.0))
    scenario = Scenario(Mesh(dims=(4,), gbs=1.0), job, Sequential(), DimensionOrder(), faults=(LinkFault(2, 3),))
    # A link away at half a GB/s; the other message is never sent.
    times = timeline(replace(scenario, timing=timing(hop_seconds=0.5, injection_gbs=0.5)).build())
    assert times.seconds == pytest.approx(2 * 0.5 + 1 / 0.5)


def test_messages_of_any_size_meet_in_whole_pairs():
    times = timed(Torus(dims=(5, 5)), AllToAll(25, "shift", 1e6 / 7), DimensionOrder(), Random(1))
    assert times.contention == int(times.contention) > 0


def test_pairs_that_take_too_long_to_count_are_not_counted(monkeypatch):
    monkeypatch.setattr(messages_module, "MAX_PARTS", 1)
    assert timed(Torus(dims=(2, 2)), AllToAll(4), DimensionOrder()).contention is None


def test_limited_injection_delays_a_step():
    times = timed(Complete(nodes=4, gbs=1.0), AllToAll(4, "at-once", 1e9), Minimal(), injection_gbs=0.5)
    assert (times.steps[0].seconds, times.steps[0].bottleneck) == (6.0, "injection")


@pytest.mark.usefixtures("no_meetings")
@pytest.mark.parametrize(
    ("algorithm", "seconds", "ll", "lr"),
    [("pairwise", 896 / 3 + 24576 / 5, 0.0082, 0.0393), ("node-by-node", 204.8, 5 / 24, 1)],
)
def test_all_to_all_in_a_supernode_has_the_published_time(algorithm, seconds, ll, lr):
    # Totoni and Kale, "Optimizing All-to-All Algorithm for PERCS Network Using Simulation", 2011.
    job = AllToAll(1024, algorithm, 1e9)
    network = Percs(supernodes=1, ll_gbs=24.0, lr_gbs=5.0, slots_per_node=32)
    times = timed(network, job, PercsDirect(intra="single-hop"))
    assert times.seconds == pytest.approx(seconds)
    assert times.utilisation == pytest.approx({"LL": ll, "LR": lr}, rel=0.01)


def test_a_job_of_more_phases_than_there_is_room_for_is_timed():
    case = Scenario(Torus(dims=(2, 2)), Transpose(2, 2), Sequential(), DimensionOrder()).build()
    assert timeline(case).steps[0].name == "phase 1"
