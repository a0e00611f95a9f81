"""Transpose by phases: permutations, partners, and that sending and receiving are inverse."""

from collections import Counter
from math import gcd, lcm

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import TransposePhases
from core.job.transpose_phases import FEW_PHASES
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.edit import Edit
from core.network import Torus
from core.routing import DimensionOrder
from core.spec import SpecError

sides = st.integers(1, 12)


def targets(phase):
    flows = phase.out_flows(np.arange(phase.tasks, dtype=np.int32))
    np.testing.assert_array_equal(flows.src, np.arange(phase.tasks))
    return flows.dst


@pytest.mark.parametrize(
    ("rows", "cols", "phases"), [(4, 6, 6), (24, 36, 6), (4, 4, 1), (3, 5, 15), (1, 7, 7), (6, 2, 3)]
)
def test_the_number_of_phases_follows_from_the_common_divisor(rows, cols, phases):
    spec, both = TransposePhases(rows, cols), lcm(rows, cols)
    assert len(spec.build().phases) == phases == both // rows * (both // cols)


@given(sides, sides)
def test_every_phase_is_a_permutation_and_receiving_undoes_sending(rows, cols):
    everyone = np.arange(rows * cols, dtype=np.int32)
    for phase in TransposePhases(rows, cols).build().phases:
        to = targets(phase)
        np.testing.assert_array_equal(np.sort(to), everyone)
        arriving = phase.in_flows(to)
        np.testing.assert_array_equal(arriving.src, everyone)
        np.testing.assert_array_equal(arriving.dst, to)


@given(sides, sides)
def test_partners_are_the_tasks_with_swapped_residues(rows, cols):
    common = gcd(rows, cols)
    met = Counter()
    for phase in TransposePhases(rows, cols).build().phases:
        met.update(enumerate(targets(phase).tolist()))
    wanted = {
        (p * cols + q, p2 * cols + q2)
        for p in range(rows)
        for q in range(cols)
        for p2 in range(rows)
        for q2 in range(cols)
        if (p - q2) % common == 0 and (q - p2) % common == 0
    }
    assert set(met) == wanted
    assert set(met.values()) == {1}


@given(sides, sides)
def test_the_first_phase_has_all_messages_to_oneself(rows, cols):
    own = [
        int((targets(phase) == np.arange(phase.tasks)).sum()) for phase in TransposePhases(rows, cols).build().phases
    ]
    assert own[0] == rows * cols // gcd(rows, cols)
    assert not any(own[1:])


def test_a_square_is_transposed_in_one_phase():
    to = targets(TransposePhases(3, 3).build().phases[0])
    assert to.reshape(3, 3).T.ravel().tolist() == list(range(9))


@given(st.integers(1, 2000))
def test_resized_fills_the_slots_or_gives_a_square_of_one_phase(slots):
    spec = TransposePhases().resized(slots)
    assert spec.rows * spec.cols <= slots
    assert spec.count <= FEW_PHASES
    assert spec.rows * spec.cols == slots or spec.rows == spec.cols


@given(st.integers(1, 6), st.integers(1, 6), st.data())
def test_no_set_of_tasks_keeps_more_than_the_bound(rows, cols, data):
    spec = TransposePhases(rows, cols)
    job = spec.build()
    some = np.array(data.draw(st.lists(st.integers(0, job.tasks - 1), min_size=1, unique=True)), np.int32)
    leaving = 0.0
    for phase in job.phases:
        flows = phase.out_flows(some)
        leaving += flows.volume[~np.isin(flows.dst, some)].sum()
    assert spec.min_leaving_volume(np.array([some.size]))[0] <= leaving + 1e-12
    sent = sum(phase.out_flows(np.arange(job.tasks, dtype=np.int32)).volume.sum() for phase in job.phases)
    assert sent == pytest.approx(job.tasks)
    assert spec.volume_by_partner_rank(job).sum() == pytest.approx(job.tasks - job.tasks / gcd(rows, cols) / spec.count)


def test_too_many_phases_are_refused():
    with pytest.raises(SpecError) as refusal:
        TransposePhases(rows=127, cols=128).build()
    assert refusal.value.field == "job.rows"
    assert "16,256 phases" in refusal.value.message


def test_times_add_up_over_phases_and_follow_edits():
    case = Scenario(Torus(dims=(4, 6)), TransposePhases(4, 6), Random(seed=3), DimensionOrder()).build()
    report = evaluate(case)
    assert len(report.phases) == 6
    assert report.time == pytest.approx(sum(load.max() / case.network.gbs[0] for load in report.phases))
    live = LiveLoads(report)
    slots = case.mapping.slots[[0, 5]]
    live.apply(Edit(np.array([0, 5], np.int32), slots, slots[::-1].copy()))
    moved = evaluate(Scenario(case.network.spec, case.job.spec, Sequential(), DimensionOrder()).build(case))
    assert moved.time != pytest.approx(report.time)
    again = evaluate(live.report().case)
    assert live.time == pytest.approx(again.time)
    np.testing.assert_allclose(live.report().load, again.load)


@given(sides, sides)
def test_no_task_has_more_partners_than_there_are_tasks(rows, cols):
    spec = TransposePhases(rows, cols)
    volume_by_partner_rank = spec.volume_by_partner_rank(spec.build())
    assert volume_by_partner_rank.size < rows * cols
    assert (volume_by_partner_rank > 0).all()
