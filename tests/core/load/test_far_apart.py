"""Live loads of volumes far apart: a small flow counts in full if the large ones stay within their nodes."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Flows
from core.load.evaluate import evaluate
from core.load.fixed_point import MAX_BANDS, bands_of
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Explicit, Random
from core.mapping.edit import edit_moving
from core.network import Circulant, Dragonfly, LinkFault, Mesh, Percs, Torus
from core.routing import Adaptive, DimensionOrder, Minimal, PercsDirect, PercsIndirect, Valiant
from tests.core.load.test_live import random_edit

CHOICES = (
    (Mesh(dims=(2, 3), slots_per_node=2), DimensionOrder()),
    (Torus(dims=(3, 4), slots_per_node=2), Adaptive()),
    (Percs(supernodes=2, d_links=4, slots_per_node=2), PercsDirect()),
    (Percs(supernodes=3, d_links=1, slots_per_node=2), PercsIndirect()),
    (Circulant(nodes=9, jumps=(1, 2, 4), slots_per_node=2), Minimal(spread="equal")),
    (Dragonfly(routers=2, global_links=1, groups=3, nodes_per_router=2, slots_per_node=2), Valiant()),
)


@st.composite
def jobs(draw, tasks=8):
    """Flows whose volumes differ by factors up to 10^24."""
    task, volume = st.integers(0, tasks - 1), st.floats(-12, 12).map(lambda power: 10.0**power)
    flows = draw(st.lists(st.tuples(task, task, volume), min_size=1, max_size=16))
    src, dst, volumes = zip(*flows, strict=True)
    return Flows(tasks=tasks, src=src, dst=dst, volume=volumes)


def assert_same(live, case=None):
    """Assert that live figures equal a full evaluation, to nine digits."""
    ours, outcome = live.report(), live.outcome()
    full = evaluate(ours.case)
    assert live.time == pytest.approx(full.time, rel=1e-9, abs=0)
    assert outcome.max_loads == pytest.approx([c.max_load for c in full.classes], rel=1e-9, abs=0)
    assert ours.class_times == pytest.approx(full.class_times, rel=1e-9, abs=0)
    assert (outcome.throughput_gbs is None) == (full.throughput_gbs is None)
    if full.throughput_gbs is not None:
        assert outcome.throughput_gbs == pytest.approx(full.throughput_gbs, rel=1e-9, abs=0)
    np.testing.assert_allclose(ours.load, full.load, rtol=1e-9, atol=1e-9 * full.load.max(initial=0.0))
    np.testing.assert_array_equal(live.hot_links(), full.bottleneck_links)
    assert outcome.disconnected == full.disconnected.count


@settings(max_examples=60)
@given(jobs(), st.sampled_from(CHOICES), st.booleans(), st.integers(0, 10**6))
def test_live_is_full_to_nine_digits_for_any_volumes(job, choice, broken, seed):
    network, routing = choice
    faults = (LinkFault.of(network.build(), 0), LinkFault.of(network.build(), 3)) if broken else ()
    case = Scenario(network, job, Random(seed), routing, faults=faults).build()
    rng, live, done = np.random.default_rng(seed), LiveLoads(evaluate(case)), []
    start = live.report().load
    for _ in range(6):
        edit = random_edit(rng, live, case)
        before, expected = live.outcome(), live.preview(edit)
        assert live.outcome() == before
        live.apply(edit)
        assert live.outcome() == expected
        done.append(edit)
        assert_same(live)
    for edit in reversed(done):
        live.apply(edit.inverse())
    np.testing.assert_array_equal(live.report().load, start)


@pytest.mark.parametrize("ratio", [1e6, 1e9, 1e12, 1e15, 1e24])
@pytest.mark.parametrize("choice", CHOICES, ids=lambda choice: choice[1].tag())
def test_a_small_flow_survives_repeated_moves_of_a_large_one(choice, ratio):
    # Large from task 0 to task 1, small from 2 to 3; task 1 goes to task 0's node and back.
    network, routing = choice
    job = Flows(tasks=4, src=(0, 2), dst=(1, 3), volume=(ratio, 1.0))
    case = Scenario(network, job, Explicit((0, 5, 2, 7)), routing).build()
    live = LiveLoads(evaluate(case))
    there, alone = edit_moving(live.mapping, [1], [1], live.occupant), None
    for k in range(40):
        live.apply(there)
        if k % 10 == 0:
            assert_same(live)
        alone = alone or live.outcome()
        assert live.outcome() == alone
        assert live.preview(there.inverse()).time > alone.time
        live.apply(there.inverse())
    assert_same(live)


def test_a_case_with_far_apart_volumes_is_exact():
    # Volumes 10^12 apart on a line: the small flow alone takes a second, not zero.
    job = Flows(tasks=4, src=(0, 2), dst=(1, 3), volume=(1e12, 1.0))
    case = Scenario(Mesh(dims=(4,), slots_per_node=2, gbs=1.0), job, Explicit((0, 2, 4, 6)), DimensionOrder()).build()
    live = LiveLoads(evaluate(case))
    live.apply(edit_moving(live.mapping, [1], [1], live.occupant))
    assert live.time == 1.0
    assert live.hot_links().size == 1


def test_phases_far_apart_are_counted_each_in_full():
    large, small = (Flows(tasks=4, src=(0,), dst=(1,), volume=(volume,)) for volume in (1e13, 1e-7))
    case = Scenario(Torus(dims=(3, 3), slots_per_node=2), large, Random(1), Adaptive()).build()
    case = replace(case, job=replace(case.job, phases=(*case.job.phases, *small.build().phases)))
    live, rng = LiveLoads(evaluate(case)), np.random.default_rng(1)
    for _ in range(20):
        live.apply(random_edit(rng, live, case))
        full = evaluate(live.report().case)
        for phase, full_loads in enumerate(full.phases):
            np.testing.assert_allclose(live.phase(phase), full_loads, rtol=1e-9, atol=0)
        assert_same(live)


def units_for(volumes, highest):
    job = Flows(tasks=2, src=(0,) * len(volumes), dst=(1,) * len(volumes), volume=tuple(volumes))
    case = Scenario(Mesh(dims=(2,)), job, Random(0), DimensionOrder()).build()
    return bands_of(case.job, case.router, highest)


@given(st.lists(st.floats(1e-300, 1e148), min_size=1, max_size=30))
def test_every_volume_is_counted_in_one_band(volumes):
    units = units_for(volumes, max(volumes))
    assert len(units) <= MAX_BANDS
    counted = np.array([unit.of(np.array(volumes)) > 0 for unit in units])
    assert (counted.sum(axis=0) == 1).all()
    for unit in units:
        assert unit.of(np.array(volumes)).sum() < 2**62


def test_like_volumes_need_one_band_however_many_they_are():
    assert len(units_for([1.0] * 5, 5.0)) == 1
    assert len(units_for(np.linspace(1, 100, 3000), 1000.0)) == 1
    assert len(units_for([1e9, 1.0], 1e9)) == 2
