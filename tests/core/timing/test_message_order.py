"""Jobs with their own order of messages: schedules of GPUs under fair share, against an oracle and closed forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Msccl
from core.load.neighbours import Neighbour
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Complete, Torus
from core.routing import DimensionOrder, Minimal
from core.spec import SpecError
from core.timing import BarrierTiming, FairShare, SimGrid, default_timing, detailed_timeline, timing_of
from tests.core.job.msccl.schedules import (
    Draft,
    chain_broadcast,
    direct_all_to_all,
    halving_reduce_scatter,
    ring_allgather,
    ring_allreduce,
)
from tests.oracle import msccl

CLOSE = 1e-7
"""The oracle and the kernel count messages as sent if 1e-9 of them is left."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("schedules")


def built(folder, draft, network, routing, mapping=None, message_bytes=1e9, **fields):
    (folder / "s.xml").write_text(draft.xml())
    job = Msccl(file="s.xml", message_bytes=message_bytes)
    return Scenario(network, job, mapping or Sequential(), routing, folder=folder, **fields).build()


def check(case, draft, hop_seconds=0.0):
    """The begin and end of every wave must be the earliest begin and the latest arrival of its sends in the oracle."""
    times = FairShare(hop_seconds=hop_seconds).timeline(case)
    steps = {step.name: step for step in msccl.timed_steps(case, draft.xml(), hop_seconds)}
    waves = [[steps[name] for name in phase.parts.labels] for phase in case.job.phases]
    assert [step.messages for step in times.steps] == [len(wave) for wave in waves]
    starts = [step.start for step in times.steps]
    ends = [step.start + step.seconds for step in times.steps]
    np.testing.assert_allclose(starts, [min(step.begun for step in wave) for wave in waves], rtol=CLOSE, atol=1e-12)
    np.testing.assert_allclose(ends, [max(step.arrived for step in wave) for wave in waves], rtol=CLOSE)
    assert times.seconds == pytest.approx(max(step.arrived for step in steps.values() if step.arrived is not None))
    return times


textbook = st.one_of(
    st.builds(ring_allreduce, st.integers(2, 5), st.integers(1, 2)),
    st.builds(direct_all_to_all, st.integers(2, 5), st.integers(1, 2)),
    st.builds(halving_reduce_scatter, st.integers(1, 3)),
    st.builds(ring_allgather, st.integers(2, 6)),
    st.builds(chain_broadcast, st.integers(2, 5), st.integers(0, 1), st.integers(1, 3)),
)


@st.composite
def arbitrary(draw):
    """Messages between any GPUs on any channel, and steps that wait for any earlier step of their GPU."""
    gpus = draw(st.integers(2, 5))
    draft, earlier = Draft("custom", gpus, 4), [[] for _ in range(gpus)]

    def waited(gpu):
        return draw(st.sampled_from([None, *earlier[gpu]]))

    for _ in range(draw(st.integers(1, 14))):
        gpu = draw(st.integers(0, gpus - 1))
        peer = (gpu + draw(st.integers(1, gpus - 1))) % gpus
        channel, count, place = draw(st.integers(0, 1)), draw(st.integers(1, 3)), ("i", 0)
        earlier[gpu].append(draft.send(gpu, peer, place, count, channel, waited(gpu)))
        earlier[peer].append(draft.receive(peer, gpu, place, count, channel, waited(peer)))
        if draw(st.booleans()):
            earlier[gpu].append(draft.step((gpu, -1, -1, 0), "cpy", place, place, 1, waited(gpu)))
    return draft


@settings(max_examples=60, deadline=None)
@given(
    draft=textbook | arbitrary(),
    routing=st.sampled_from([DimensionOrder(), Minimal(spread="equal")]),
    seed=st.integers(0, 9),
    hop_seconds=st.sampled_from([0.0, 0.125]),
)
def test_steps_run_when_they_do_in_the_oracle(folder, draft, routing, seed, hop_seconds):
    case = built(folder, draft, Torus(dims=(2, 2), slots_per_node=2), routing, Random(seed))
    check(case, draft, hop_seconds)


@settings(max_examples=30, deadline=None)
@given(draft=textbook | arbitrary(), seed=st.integers(0, 9))
def test_no_schedule_is_faster_than_its_busiest_link(folder, draft, seed):
    case = built(folder, draft, Torus(dims=(2, 3), slots_per_node=2), DimensionOrder(), Random(seed))
    times = FairShare().timeline(case)
    assert times.seconds >= (times.load / case.gbs).max() * (1 - CLOSE)
    assert times.steps[0].start == 0.0


# Closed forms: 1 GB over links of 1 GB/s


def seconds(folder, draft, **timing):
    network = Complete(nodes=draft.attributes["ngpus"], gbs=1.0)
    return check(built(folder, draft, network, Minimal()), draft, **timing).seconds


@pytest.mark.parametrize("gpus", [2, 3, 6])
def test_a_ring_allreduce_takes_twice_its_message_over_the_bandwidth(folder, gpus):
    assert seconds(folder, ring_allreduce(gpus)) == pytest.approx(2 * (gpus - 1) / gpus)


def test_channels_share_the_links_of_a_ring(folder):
    assert seconds(folder, ring_allreduce(4, channels=3)) == pytest.approx(1.5)


def test_a_direct_all_to_all_takes_one_chunk(folder):
    assert seconds(folder, direct_all_to_all(5)) == pytest.approx(1 / 5)
    assert seconds(folder, direct_all_to_all(5), hop_seconds=0.5) == pytest.approx(1 / 5 + 1)


def test_halving_takes_all_halves(folder):
    assert seconds(folder, halving_reduce_scatter(3)) == pytest.approx(7 / 8)


@pytest.mark.parametrize("chunks", [1, 2, 8])
def test_a_chain_is_pipelined_by_chunks(folder, chunks):
    # The last of four GPUs receives its first chunk after three sends, and its last when all others have passed.
    assert seconds(folder, chain_broadcast(4, chunks=chunks)) == pytest.approx((2 + chunks) / chunks)


def test_a_step_waits_for_another_thread_block(folder):
    # GPU 0 sends to GPU 1 and then, from another thread block, to GPU 2: one after the other, or together.
    def draft(waits):
        made = Draft("custom", 3, 1)
        first = made.send(0, 1, ("i", 0))
        made.receive(1, 0, ("o", 0))
        made.send(0, 2, ("i", 0), after=first if waits else None)
        made.receive(2, 0, ("o", 0))
        return made

    assert seconds(folder, draft(waits=False)) == pytest.approx(1.0)
    assert seconds(folder, draft(waits=True)) == pytest.approx(2.0)


def test_thread_blocks_do_not_wait_for_each_other(folder):
    # A long message of one thread block and two short messages of another, over different links.
    draft = Draft("custom", 3, 4)
    draft.send(0, 1, ("i", 0), 4)
    draft.receive(1, 0, ("o", 0), 4)
    for _ in range(2):
        draft.send(0, 2, ("i", 0), 1)
        draft.receive(2, 0, ("o", 0), 1)
    case = built(folder, draft, Complete(nodes=3, gbs=1.0), Minimal())
    times = check(case, draft)
    assert [(step.start, step.seconds) for step in times.steps] == [(0.0, 1.0), (0.25, 0.25)]
    assert BarrierTiming().timeline(case).seconds == pytest.approx(1.25)


# Defaults and refusals


def test_schedules_run_by_their_dependencies_unless_the_scenario_chooses_otherwise(folder):
    case = built(folder, ring_allreduce(3), Complete(nodes=3), Minimal())
    assert timing_of(case) == default_timing(case.scenario.job) == FairShare()
    assert detailed_timeline(case).rank_times is None
    chosen = built(folder, ring_allreduce(3), Complete(nodes=3), Minimal(), timing=BarrierTiming())
    assert timing_of(chosen) == BarrierTiming()


def test_simgrid_runs_ranks_only(folder):
    case = built(folder, ring_allreduce(3), Complete(nodes=3), Minimal())
    with pytest.raises(SpecError, match=r"^timing\.type: simgrid .*an MSCCL schedule has its own order"):
        SimGrid().timeline(case)


def test_background_jobs_need_a_barrier(folder):
    (folder / "s.xml").write_text(ring_allreduce(2).xml())
    job = Msccl(file="s.xml")
    other = Neighbour(name="b", job=job, mapping=Sequential(), allocation="2-3")
    case = built(folder, ring_allreduce(2), Complete(nodes=4), Minimal(), allocation="0-1", neighbours=(other,))
    with pytest.raises(SpecError, match="choose barrier"):
        detailed_timeline(case)
