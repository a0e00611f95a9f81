"""Sequences: flows of their parts, in order and repeated, and results that are computed only once."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import core.load.phases
from core.job import Allgather, Allreduce, AllToAll, Flows, Halo, Pause, Permutation, Sequence, Sweep, Transpose
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.edit import swapped
from core.network import Torus
from core.routing import DimensionOrder
from core.spec import SpecError
from core.timing import FairShare, timeline
from core.timing.messages import total
from tests.core.strategies import sequences

SMALL = Sequence(
    parts=(AllToAll(tasks=8, message_bytes=1e6), Pause(0.25), Allreduce(tasks=8, message_bytes=4e6)), repeat=3
)


def case_of(job, mapping=None, timing=None):
    return Scenario(Torus((4, 2)), job, mapping or Sequential(), DimensionOrder(), timing=timing).build()


def flows(phases):
    """The flows, step by step."""
    return [Counter(zip(*map(list, block), strict=True)) for phase in phases for _, block in phase.blocks()]


@given(sequences())
def test_phases_are_the_repeated_phases_of_the_parts(spec):
    built = spec.build()
    once = []
    for part in spec.parts:
        once += [None] if isinstance(part, Pause) else flows(part.build().phases)
    wanted = [Counter() if flows_or_none is None else flows_or_none for flows_or_none in once]
    assert flows(built.phases) == wanted * spec.repeat
    pauses = [phase.pause_seconds for phase in built.phases]
    assert pauses == [0.5 if flows_or_none is None else 0.0 for flows_or_none in once] * spec.repeat
    assert built.volume == pytest.approx(spec.repeat * sum(part.build().volume for part in spec.jobs))


@given(sequences())
def test_each_phase_is_named_once_for_all_repeats(spec):
    built = spec.build()
    assert [run.first for run in built.runs] == list(range(len(built.phases) // spec.repeat))
    assert {run.times for run in built.runs} == {spec.repeat}
    assert tuple(built.runs[k].phase for k in built.run_of) == built.phases


def test_names_give_part_step_and_repeat():
    names = [SMALL.build().step_name(k) for k in (0, 1, 2, 5)]
    assert names == [
        "1 all-to-all, repeat 1",
        "2 pause, repeat 1",
        "3 allreduce, step 1: r <-> r XOR 1, repeat 1",
        "1 all-to-all, repeat 2",
    ]


TRACED = Flows(src=(0,), dst=(1,), volume=(1.0,), unit="messages")


@pytest.mark.parametrize(
    ("parts", "repeat", "field", "words"),
    [
        ((Allreduce(tasks=8), Allreduce(tasks=9)), 1, "job.parts[1]", "has 9 tasks, but parts[0] has 8"),
        (
            (Pause(), Allreduce(tasks=8), Halo(2, 4)),
            1,
            "job.parts[2]",
            "but parts[1] counts bytes; give job.parts[2] message",
        ),
        (
            (Halo(2, 4), Allreduce(tasks=8)),
            1,
            "job.parts[1]",
            "but parts[0] counts units; give parts[0] message_bytes",
        ),
        (
            (Transpose(2, 4), Allreduce(tasks=8)),
            1,
            "job.parts[1]",
            "but parts[0] counts units; they cannot be combined",
        ),
        (
            (Allreduce(tasks=2), TRACED),
            1,
            "job.parts[1]",
            "but parts[0] counts bytes; they cannot be combined",
        ),
        ((Pause(),), 1, "job.parts", "contain only pauses"),
        ((Halo(2, 4), Permutation(tasks=8, targets=(1,))), 1, "job.parts[1].targets", "has 1 targets for 8 tasks"),
        ((Allreduce(tasks=1024),), 4096, "job.repeat", "makes 40,960 phases; the limit is 16,384"),
    ],
)
def test_refusals_name_the_part(parts, repeat, field, words):
    with pytest.raises(SpecError) as refused:
        Sequence(parts=parts, repeat=repeat).build()
    assert refused.value.field == field
    assert words in refused.value.message


@pytest.mark.parametrize("slots", [1, 7, 64, 20_000])
def test_all_parts_are_resized_to_a_common_size(slots):
    parts = Sweep(message_bytes=1.0), Allgather(), Pause(), AllToAll(8, message_bytes=8.0)
    resized = Sequence(parts=parts).resized(slots)
    assert {part.build().tasks for part in resized.jobs} == {min(slots, 8192)}
    assert resized.build().tasks == min(slots, 8192)
    assert resized.parts[2] == Pause()


def test_traced_flows_keep_their_size():
    traced = Flows(src=(0,), dst=(2,), volume=(1.0,))
    resized = Sequence(parts=(traced, Allreduce(tasks=9))).resized(64)
    assert resized.build().tasks == 3


def test_every_figure_counts_each_repeat_but_evaluates_it_once():
    once, often = (case_of(Sequence(parts=SMALL.parts, repeat=n), Random(seed=1)) for n in (1, 3))
    a, b = evaluate(once), evaluate(often)
    np.testing.assert_allclose(b.load, 3 * a.load)
    assert (b.time, b.class_times) == (pytest.approx(3 * a.time), pytest.approx([3 * t for t in a.class_times]))
    assert b.throughput_gbs == pytest.approx(a.throughput_gbs)
    assert total(b) == tuple(3 * figure for figure in total(a))
    link = int(b.load.argmax())
    assert explain(b, link).load == pytest.approx(explain(b, link).tasks.total)


def test_a_timeline_repeats_itself():
    once, often = (timeline(case_of(Sequence(parts=SMALL.parts, repeat=n))) for n in (1, 3))
    assert often.seconds == pytest.approx(3 * once.seconds)
    assert [step.seconds for step in often.steps] == [step.seconds for step in once.steps] * 3
    assert [step.start for step in often.steps[5:10]] == pytest.approx([once.seconds + s.start for s in once.steps])
    assert (often.messages, often.hops) == (3 * once.messages, 3 * once.hops)
    np.testing.assert_allclose(often.load, 3 * once.load)
    np.testing.assert_array_equal(often.busy, np.tile(once.busy, (3, 1)))
    assert often.utilisation == pytest.approx(once.utilisation)


def test_all_ranks_pause_without_a_barrier():
    alone = Sequence(parts=(Allreduce(tasks=8, message_bytes=4e6),))
    paused = Sequence(parts=(Pause(0.25), *alone.parts, Pause(0.5)))
    times = [timeline(case_of(job, timing=FairShare())).seconds for job in (alone, paused)]
    assert times[1] == pytest.approx(times[0] + 0.75)


@given(st.integers(0, 7), st.integers(0, 7))
def test_live_loads_follow_every_repeat(a, b):
    case = case_of(SMALL, Random(seed=2))
    live = LiveLoads(evaluate(case))
    live.apply(swapped(case.mapping, [a], [b], live.occupant))
    after = evaluate(live.report().case)
    assert live.outcome().time == pytest.approx(after.time)
    np.testing.assert_allclose(live.report().load, after.load)
    assert len(live.report().phases) == len(case.job.phases)


def test_a_thousand_repeats_are_evaluated_once(monkeypatch):
    seen, loads_of = [], core.load.phases._loads

    def counted(case, phase, *rest):
        seen.append(phase)
        return loads_of(case, phase, *rest)

    monkeypatch.setattr(core.load.phases, "_loads", counted)
    case = case_of(Sequence(parts=SMALL.parts, repeat=1000))
    report, times = evaluate(case), timeline(case)
    assert len(seen) == 2 * 5
    assert (len(report.phases), len(times.steps)) == (5000, 5000)
    assert len(LiveLoads(report).report().phases) == 5000
