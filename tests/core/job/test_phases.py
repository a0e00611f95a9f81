"""Properties of every job: each flow occurs once, from either side; units and quanta."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import (
    AllToAll,
    Flows,
    Halo,
    Pencils,
    Permutation,
    RandomTraffic,
    Sweep,
    Training,
    Transpose,
    TransposePhases,
    flows,
    job,
)
from core.job.measure import UNITS
from core.spec import SpecError
from tests.core.strategies import jobs, patterns


def tally(block):
    """How often each flow occurs."""
    assert block.src.dtype == block.dst.dtype == np.int32
    assert block.src.shape == block.dst.shape == block.volume.shape
    return Counter(zip(block.src.tolist(), block.dst.tolist(), block.volume.tolist(), strict=True))


def all_flows(phase):
    total = Counter()
    for _, block in phase.blocks():
        total += tally(block)
    return total


@given(jobs, st.sampled_from([1, 3, 7, 1 << 18]))
def test_blocks_of_any_size_yield_every_flow_once(spec, size):
    built = spec.build()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(job, "BLOCK", size)
        patch.setattr(flows, "BLOCK", size)
        for phase in built.phases:
            blocks = list(phase.blocks())
            together = Counter()
            for _, block in blocks:
                assert block.src.size <= max(size, phase.fan_out)
                together += tally(block)
            done = [fraction for fraction, _ in blocks]
            assert done == sorted(done)
            assert not blocks or done[-1] == 1
            everyone = np.arange(built.tasks, dtype=np.int32)
            assert together == tally(phase.out_flows(everyone)) == tally(phase.in_flows(everyone))


@given(jobs)
def test_every_flow_has_a_volume(spec):
    for phase in spec.build().phases:
        everyone = np.arange(phase.tasks, dtype=np.int32)
        for block in (*(block for _, block in phase.blocks()), phase.out_flows(everyone), phase.in_flows(everyone)):
            assert (block.volume > 0).all()


@given(jobs, st.data())
def test_flows_of_tasks_are_the_flows_that_begin_or_end_there(spec, data):
    built = spec.build()
    some = data.draw(st.lists(st.integers(0, built.tasks - 1), unique=True, max_size=6))
    tasks = np.array(some, np.int32)
    for phase in built.phases:
        everything = all_flows(phase)
        leaving = Counter({flow: n for flow, n in everything.items() if flow[0] in some})
        reaching = Counter({flow: n for flow, n in everything.items() if flow[1] in some})
        assert tally(phase.out_flows(tasks)) == leaving
        assert tally(phase.in_flows(tasks)) == reaching
        counts = Counter()
        for (src, _, _), n in everything.items():
            counts[src] += n
        assert max(counts.values(), default=0) <= phase.fan_out


def sent_by_each(built):
    sent = np.zeros(built.tasks)
    for phase in built.phases:
        for (src, dst, volume), n in all_flows(phase).items():
            assert 0 <= src < built.tasks
            assert 0 <= dst < built.tasks
            sent[src] += n * volume
    return sent


@pytest.mark.parametrize(
    "spec",
    [
        Halo(3, 4),
        Halo(1, 2),
        Transpose(3, 4),
        TransposePhases(4, 6),
        Permutation(tasks=9),
        RandomTraffic(tasks=9, messages=3),
        AllToAll(9),
        AllToAll(9, "node-by-node", per_node=2),
    ],
    ids=lambda spec: f"{spec.tag()}: {spec.summary()}",
)
def test_each_task_of_a_pattern_sends_one_unit(spec):
    np.testing.assert_allclose(sent_by_each(spec.build()), 1)


@pytest.mark.parametrize(
    "spec", [Halo(3, 4, periodic=False), Sweep(3, 4), Sweep(3, 4, 4), Sweep(3, 4, 2, True), AllToAll(9, "shift")]
)
def test_shares_of_missing_neighbours_are_not_sent(spec):
    sent = sent_by_each(spec.build())
    assert 0 < sent.sum() < spec.build().tasks
    assert (sent <= 1).all()


@given(patterns)
def test_a_pattern_counts_units_unless_sizes_are_given(spec):
    built = spec.build()
    sized = isinstance(spec, Flows) or getattr(spec, "message_bytes", None) is not None
    sized |= isinstance(spec, Training)
    # In pencils each task's unit occurs twice.
    assert built.unit != (sized or isinstance(spec, Pencils))
    assert (built.measure == UNITS) != sized


@given(jobs)
def test_volumes_are_whole_multiples_of_the_quantum(spec):
    built = spec.build()
    if built.quantum is None:
        assert isinstance(spec, Flows | Training)
        return
    for phase in built.phases:
        for _, _, volume in all_flows(phase):
            parts = Fraction(volume).limit_denominator(10**6) / built.quantum
            assert parts.denominator == 1


@given(jobs)
def test_shape_holds_all_tasks(spec):
    built = spec.build()
    rows, cols = built.shape
    assert rows * cols >= built.tasks > (rows - 1) * cols
    assert built.grid in (None, built.shape)
    assert spec.summary()


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize(("rows", "cols"), [(3, 4), (2, 2), (1, 5), (5, 1), (2, 3), (1, 1)])
def test_halo_neighbours(rows, cols, periodic):
    expected = Counter()
    for i in range(rows):
        for j in range(cols):
            for ni, nj in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
                if periodic or (0 <= ni < rows and 0 <= nj < cols):
                    expected[i * cols + j, ni % rows * cols + nj % cols, 0.25] += 1
    assert all_flows(Halo(rows, cols, periodic).build().phases[0]) == expected


@pytest.mark.parametrize(("rows", "cols"), [(3, 4), (1, 3), (2, 2)])
def test_transpose_shares(rows, cols):
    volumes = Counter()
    for (src, dst, volume), n in all_flows(Transpose(rows, cols).build().phases[0]).items():
        volumes[src, dst] += n * volume
    for src in range(rows * cols):
        for dst in range(rows * cols):
            same_row, same_col = src // cols == dst // cols, src % cols == dst % cols
            share = same_row / (2 * cols) + same_col / (2 * rows)
            assert volumes[src, dst] == pytest.approx(share)


def test_permutation_is_one_and_reproducible():
    first, again, other = (Permutation(tasks=50, seed=s).build().phases[0].targets for s in (3, 3, 4))
    assert sorted(first.tolist()) == list(range(50))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_given_targets_are_kept():
    assert all_flows(Permutation(tasks=3, targets=(2, 0, 1)).build().phases[0]) == {
        (0, 2, 1.0): 1,
        (1, 0, 1.0): 1,
        (2, 1, 1.0): 1,
    }


@pytest.mark.parametrize(
    ("spec", "field", "words"),
    [
        (Halo(rows=1 << 20, cols=1 << 20), "job.rows", "the limit is 4,194,304"),
        (Transpose(rows=1 << 20, cols=1 << 20), "job.rows", "the limit is 4,194,304"),
        (Transpose(rows=1 << 20, cols=1), "job.rows", "flows"),
        (Permutation(tasks=3, targets=(0, 1)), "job.targets", "has 2 targets for 3 tasks"),
        (Permutation(tasks=3, targets=(0, 1, 3)), "job.targets", "refers to task 3; tasks are 0 to 2"),
        (Permutation(tasks=3, targets=(0, 1, 1)), "job.targets", "task 1 is a target twice"),
        (Flows(), "job.file", "choose a file in the scenario's folder"),
        (Flows(dst=(1,), volume=(1.0,)), "job.src", "is missing"),
        (Flows(src=(0,), dst=(1,)), "job.volume", "is missing"),
        (Flows(src=(0,), dst=(1,), volume=(1.0, 2.0)), "job.volume", "1, 1 and 2 entries"),
        (Flows(src=(0,), dst=(5,), volume=(1.0,), tasks=5), "job.src", "refers to task 5; tasks are 0 to 4"),
        (Flows(src=(), dst=(), volume=()), "job.tasks", "is required, because the list of flows is empty"),
        (Flows(src=(0,), dst=(1,), volume=(float("nan"),)), "job.volume", "not finite"),
        (Flows(src=(0, 0), dst=(1, 1), volume=(1e308, 1e308)), "job.volume", "exceeds 1e+150"),
        (Flows(src=(0,), dst=(1,), volume=(1e149,), scale=1e2), "job.scale", "exceeds 1e+150"),
        (Flows(src=(0,), dst=(1,), volume=(1.0,), file="x.csv"), "job.file", "one or the other"),
        (Flows(file="x.csv"), "job.file", "save the scenario first"),
    ],
)
def test_refusals_name_the_field(spec, field, words):
    with pytest.raises(SpecError) as refusal:
        spec.build()
    assert refusal.value.field == field
    assert words in refusal.value.message
