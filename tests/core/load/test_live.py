"""Live loads equal a full evaluation after any edits and undos."""

from collections import namedtuple
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Flows, Halo, Permutation, Transpose
from core.load import live as live_module
from core.load import live_disconnected, moved_flows
from core.load.disconnected import find_disconnected
from core.load.evaluate import evaluate
from core.load.live import LiveLoads, Outcome
from core.load.scenario import Scenario
from core.mapping import Explicit, Random
from core.mapping.edit import Edit, edit_between, edit_moving, no_edit, occupants, swapped
from core.mapping.mapping import check_injection
from core.network import LinkFault, Mesh, Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect
from core.routing.router import Router
from tests.core.load.cases import case_of
from tests.core.strategies import fitting, jobs, lattice_routings, lattice_specs, percs_routings, percs_specs

choices = st.tuples(percs_specs(most=4), percs_routings) | st.tuples(lattice_specs(), lattice_routings)


@st.composite
def cases(draw):
    network, routing = draw(choices)
    slots = network.build().slots
    job = fitting(draw, jobs, lambda job: job.build().tasks <= slots)
    return case_of(network, job, routing, Random(draw(st.integers(0, 99))))


def random_edit(rng, live, case):
    """One or several tasks moved, or two nodes swapped."""
    tasks, network = live.mapping.slots.size, case.network
    if rng.random() < 0.3 and network.nodes > 1:
        here, there = rng.choice(network.nodes, 2, replace=False)
        core = np.arange(network.slots_per_node)
        slots = (node * network.slots_per_node + core for node in (here, there))
        return swapped(live.mapping, *slots, live.occupant)
    count = rng.integers(0, min(tasks, 8) + 1) if rng.random() < 0.3 else 1
    going, target = (rng.choice(size, count, replace=False) for size in (tasks, network.slots))
    return edit_moving(live.mapping, going, target, live.occupant)


def assert_evaluated(live):
    """Assert that the live loads equal an evaluation of their mapping."""
    report = live.report()
    full, network = evaluate(report.case), report.case.network
    highest = full.load.max(initial=0.0)
    np.testing.assert_allclose(report.load, full.load, rtol=0, atol=1e-9 * highest)
    assert not report.load[full.load == 0].any()
    for ours in (live.time, report.time, live.outcome().time):
        assert ours == pytest.approx(full.time, rel=1e-9)
    for ours in (live.throughput_gbs, report.throughput_gbs, live.outcome().throughput_gbs):
        assert ours is None if full.throughput_gbs is None else ours == pytest.approx(full.throughput_gbs, rel=1e-9)
    assert live.outcome().max_loads == pytest.approx([c.max_load for c in full.classes], rel=1e-9)
    np.testing.assert_array_equal(live.hot_links(), full.bottleneck_links)
    assert live.outcome().hot == full.bottleneck_links.size
    np.testing.assert_array_equal(live.occupant, occupants(live.mapping, network.slots))
    check_injection(live.mapping.slots, network.slots)
    return report, full


@given(cases(), st.integers(0, 10**6), st.integers(1, 8))
def test_edits_and_undos_match_a_full_evaluation(case, seed, length):
    rng, start = np.random.default_rng(seed), evaluate(case)
    live, done = LiveLoads(start), []
    for _ in range(length):
        if done and rng.random() < 0.3:
            live.apply(done.pop().inverse())
            continue
        edit = random_edit(rng, live, case)
        live.preview(random_edit(rng, live, case))
        live.apply(edit)
        done.append(edit)
    report, full = assert_evaluated(live)
    if case.job.quantum is not None and case.router.splits_exactly:
        np.testing.assert_array_equal(report.load, LiveLoads(full).report().load)
    # Another sequence to the same mapping gives the same bits.
    at_once = LiveLoads(start)
    at_once.apply(edit_between(case.mapping, live.mapping))
    np.testing.assert_array_equal(at_once.report().load, report.load)
    for edit in reversed(done):
        live.apply(edit.inverse())
    np.testing.assert_array_equal(live.report().load, LiveLoads(start).report().load)
    np.testing.assert_array_equal(live.mapping.slots, case.mapping.slots)


LONG = {
    "direct": (Percs(4, 8), Halo(16, 16), PercsDirect()),
    "indirect": (Percs(5, 4), Halo(16, 20), PercsIndirect()),
    "single-hop": (Percs(3, 1), Transpose(10, 14), PercsDirect(intra="single-hop")),
    "dimension order": (Torus(dims=(6, 5, 4)), Transpose(7, 11), DimensionOrder()),
    "adaptive": (Torus(dims=(6, 4, 4)), Halo(9, 8), Adaptive()),
    "traced": (
        Percs(4, 4),
        Flows(src=tuple(range(200)), dst=tuple(np.arange(7, 207) % 200), volume=tuple(np.arange(200) ** 0.5)),
        PercsIndirect(),
    ),
}


@pytest.mark.parametrize("choice", LONG.values(), ids=LONG.keys())
def test_thousands_of_edits_and_undos_do_not_drift(choice):
    case = case_of(*choice, Random(3))
    live, rng, done = LiveLoads(evaluate(case)), np.random.default_rng(11), []
    for k in range(2000):
        if done and rng.random() < 0.45:
            live.apply(done.pop().inverse())
        else:
            done.append(random_edit(rng, live, case))
            live.apply(done[-1])
        if k % 500 == 0:
            assert_evaluated(live)
    report, full = assert_evaluated(live)
    if case.job.quantum is not None and case.router.splits_exactly:
        np.testing.assert_array_equal(report.load, LiveLoads(full).report().load)


@given(cases(), st.integers(0, 10**6))
def test_a_preview_matches_the_edit_and_changes_nothing(case, seed):
    rng, live = np.random.default_rng(seed), LiveLoads(evaluate(case))
    before, outcome, mapping = live.report(), live.outcome(), live.mapping
    edits = [random_edit(rng, live, case) for _ in range(4)]
    previews = [live.preview(edit) for edit in edits]
    assert live.outcome() == outcome
    assert live.mapping is mapping
    np.testing.assert_array_equal(live.report().load, before.load)
    assert live.report().time == before.time
    for edit, preview in zip(edits, previews, strict=True):
        live.apply(edit)
        assert live.outcome() == preview
        live.apply(edit.inverse())
        assert live.outcome() == outcome


@settings(max_examples=25)
@given(cases(), st.integers(0, 10**6))
def test_flows_beyond_the_memory_limit_are_generated_in_pieces(case, seed):
    rng, start = np.random.default_rng(seed), evaluate(case)
    with pytest.MonkeyPatch.context() as patch:
        for module, name in ((moved_flows, "MAX_LISTED_FLOWS"), (moved_flows, "FLOWS_AT_ONCE")):
            patch.setattr(module, name, 0)
        for name in ("ENTRIES_AT_ONCE", "MAX_UNDO_ENTRIES"):
            patch.setattr(live_module, name, 1)
        pieces, unsplit = LiveLoads(start), None
        edits = []
        for _ in range(3):
            edits.append(random_edit(rng, pieces, case))
            outcome = pieces.preview(edits[-1])
            pieces.apply(edits[-1])
            assert pieces.outcome() == outcome
    unsplit = LiveLoads(start)
    for edit in edits:
        unsplit.apply(edit)
    np.testing.assert_array_equal(pieces.report().load, unsplit.report().load)


@settings(max_examples=20)
@given(cases(), st.integers(0, 10**6))
def test_schemes_without_tables_are_live_too(case, seed):
    rng = np.random.default_rng(seed)

    class Plain(Router):
        roles = case.router.roles

        def loads(self, flows, progress=None):
            return case.router.loads(flows)

        def route(self, u, v):
            return case.router.route(u, v)

        def crossing(self, link, src, dst):
            return case.router.crossing(link, src, dst)

    plain = replace(case, router=Plain(case.network))
    assert not plain.router.splits_exactly
    live = LiveLoads(evaluate(plain))
    for _ in range(2):
        live.apply(random_edit(rng, live, case))
    assert_evaluated(live)


def two_phases(case, other, unit=True):
    """The case followed by the phases of another job."""
    job = case.job
    both = (*job.phases, *other.build().phases)
    return replace(case, job=replace(job, phases=both, unit=unit, quantum=Fraction(1, 4)))


@pytest.mark.parametrize("unit", [True, False])
def test_phases_come_one_after_the_other(unit):
    case = two_phases(case_of(Percs(4, 8), Halo(8, 8), PercsIndirect(), Random(1)), Permutation(64, seed=5), unit)
    live, rng = LiveLoads(evaluate(case)), np.random.default_rng(2)
    for _ in range(30):
        edit = random_edit(rng, live, case)
        before, expected = live.outcome(), live.preview(edit)
        assert live.outcome() == before
        live.apply(edit)
        assert live.outcome() == expected
    report, full = assert_evaluated(live)
    for phase, full_loads in enumerate(full.phases):
        np.testing.assert_allclose(live.phase(phase), full_loads, atol=1e-12)
    np.testing.assert_allclose(report.busy, full.busy, atol=1e-12)
    assert live.time < sum(load.max() for load in full.phases)


def test_traced_volume_is_shared_by_the_fewest_nodes_that_hold_the_job():
    case = case_of(
        Mesh(dims=(4,), slots_per_node=2), Flows(src=(0, 1), dst=(1, 2), volume=(1.5, 2.0)), DimensionOrder()
    )
    live = LiveLoads(evaluate(case))
    edit = edit_moving(live.mapping, [1], [4], live.occupant)
    for outcome in (live.outcome(), live.preview(edit)):
        assert outcome.throughput_gbs * outcome.time == pytest.approx(3.5 / 2)
    live.apply(edit)
    assert live.throughput_gbs * live.time == pytest.approx(3.5 / 2)
    live.apply(edit.inverse())
    assert live.report().volume_per_node == pytest.approx(3.5 / 2)


Slowed = namedtuple("Slowed", "network routing")
SLOWED = (
    Slowed(Percs(4, 4), PercsDirect()),
    Slowed(Percs(3, 8), PercsIndirect()),
    Slowed(Torus(dims=(4, 4), slots_per_node=8), DimensionOrder()),
    Slowed(Torus(dims=(4, 4), slots_per_node=8), Adaptive()),
)


@pytest.mark.parametrize("slowed", SLOWED, ids=lambda slowed: slowed.routing.tag())
@pytest.mark.parametrize("speed", [0.0, 0.3])
def test_slow_and_failed_links_count_at_their_own_bandwidth(slowed, speed):
    network = slowed.network.build()
    faults = tuple(LinkFault.of(network, link, speed) for link in (0, network.links // 2, network.links - 1))
    case = Scenario(slowed.network, Transpose(8, 12), Random(4), slowed.routing, faults=faults).build()
    live, rng = LiveLoads(evaluate(case)), np.random.default_rng(6)
    for _ in range(15):
        edit, before = random_edit(rng, live, case), live.outcome()
        expected = live.preview(edit)
        assert live.outcome() == before
        live.apply(edit)
        assert live.outcome() == expected
        report = live.report()
        assert live.outcome().disconnected == report.disconnected.count == find_disconnected(report.case).count
    report, full = assert_evaluated(live)
    assert_same_cut(report.disconnected, full.disconnected)


def assert_same_cut(ours, expected):
    """Assert that the same flows are disconnected; listed one by one, their order may differ."""
    assert (ours.count, ours.stranded, ours.brief) == (expected.count, expected.stranded, expected.brief)
    assert ours.volume == pytest.approx(expected.volume)
    assert bool(ours.reason) == bool(expected.reason)
    pairs = [set(zip(cut.first.src.tolist(), cut.first.dst.tolist(), strict=True)) for cut in (ours, expected)]
    assert pairs[0] == pairs[1]


def broken_line(job, slots, *phases):
    """Live loads of a job, and of phases after it, on a line of six nodes whose second link has failed."""
    spec = Mesh(dims=(6,))
    faults = (LinkFault.of(spec.build(), 1),)
    case = Scenario(spec, job, Explicit(slots), DimensionOrder(), faults=faults).build()
    return LiveLoads(evaluate(replace(case, job=replace(case.job, phases=(*case.job.phases, *phases)))))


def test_flows_of_one_pair_are_disconnected_one_by_one():
    job = Flows(src=(0, 0, 1), dst=(1, 1, 0), volume=(1.0, 2.0, 4.0))
    live = broken_line(job, (2, 3), *job.build().phases)
    assert live.report().disconnected.count == 0
    live.apply(edit_moving(live.mapping, [0], [0], live.occupant))
    cut = live.report().disconnected
    assert (cut.count, cut.volume) == (6, 14)
    assert sorted(cut.first.volume.tolist()) == [1, 1, 2, 2, 4, 4]


def test_the_smallest_flows_are_counted_as_disconnected():
    live = broken_line(Flows(src=(0, 2), dst=(1, 3), volume=(1e-20, 1e6)), (1, 0, 2, 3))
    counts = []
    for slot in (4, 0, 5):
        live.apply(edit_moving(live.mapping, [1], [slot], live.occupant))
        report = live.report()
        counts.append((live.outcome().disconnected, report.disconnected.count, find_disconnected(report.case).count))
    assert counts == [(1, 1, 1), (0, 0, 0), (1, 1, 1)]


def test_a_phase_without_flows_disconnects_none():
    silent = Flows(tasks=2, src=(), dst=(), volume=()).build().phases
    live = broken_line(Flows(src=(0,), dst=(1,), volume=(1.0,)), (2, 3), *silent)
    live.apply(edit_moving(live.mapping, [0], [0], live.occupant))
    assert live.report().disconnected.count == 1


def test_disconnected_flows_are_listed_again_when_none_is_remembered(monkeypatch):
    monkeypatch.setattr(live_disconnected, "MAX_NAMED", 1)
    spec = Mesh(dims=(6,), slots_per_node=2)
    faults = (LinkFault.of(spec.build(), 0),)
    case = Scenario(spec, Transpose(3, 4), Random(4), DimensionOrder(), faults=faults).build()
    live, rng, counts = LiveLoads(evaluate(case)), np.random.default_rng(7), set()
    for _ in range(40):
        live.apply(random_edit(rng, live, case))
        ours, expected = live.report().disconnected, find_disconnected(live.report().case)
        assert (ours.count, ours.sentence[:8]) == (expected.count, expected.sentence[:8])
        assert 0 < ours.first.src.size <= ours.count
        counts.add(ours.count)
    assert len(counts) > 1


@pytest.mark.parametrize("faults", [(), (LinkFault(0, 1),)])
def test_unloaded_links_have_no_load_despite_rounding(faults):
    job = Flows(src=(0, 0), dst=(1, 1), volume=(1.0, 31.937071599682067))
    case = Scenario(Mesh(dims=(4,), slots_per_node=2), job, Explicit((4, 6)), DimensionOrder(), faults=faults).build()
    live = LiveLoads(evaluate(case))
    # The float sum of the two differs in its last digit from their contributions added and removed one by one.
    live.apply(edit_moving(live.mapping, [1], [5], live.occupant))
    assert live.outcome() == Outcome(0.0, None, (0.0,), hot=0, disconnected=0)
    assert not live.report().load.any()
    assert live.hot_links().size == 0


def test_a_small_phase_next_to_a_large_one_leaves_no_remainder():
    # Three thirds, each rounded separately, are not one rounded.
    large, thirds = (Flows(tasks=4, src=(0,) * 3, dst=(1,) * 3, volume=(x,) * 3) for x in (3e6, 1.0))
    case = case_of(Mesh(dims=(2, 2, 2)), large, Adaptive(), Explicit((0, 7, 2, 3)))
    case = replace(case, job=replace(case.job, phases=(*case.job.phases, *thirds.build().phases)))
    live = LiveLoads(evaluate(case))
    for slot in (1, 6, 7, 4):
        live.apply(edit_moving(live.mapping, [1], [slot], live.occupant))
        full = evaluate(live.report().case)
        for phase, full_loads in enumerate(full.phases):
            np.testing.assert_array_equal(live.phase(phase) > 0, full_loads > 0)


class Unwilling:
    """A router that fails to trace on a chosen call."""

    def __init__(self, router):
        self._router, self.left = router, 0

    def __getattr__(self, name):
        return getattr(self._router, name)

    def trace(self, *flows):
        self.left -= 1
        if not self.left:
            raise MemoryError
        return self._router.trace(*flows)


@pytest.mark.parametrize("kept", [1 << 22, 1])
def test_an_edit_that_fails_half_way_changes_nothing(monkeypatch, kept):
    monkeypatch.setattr(live_module, "MAX_UNDO_ENTRIES", kept)
    monkeypatch.setattr(live_module, "ENTRIES_AT_ONCE", 40)
    spec = Mesh(dims=(6,), slots_per_node=2)
    faults = (LinkFault.of(spec.build(), 0),)
    case = Scenario(spec, Transpose(3, 4), Random(4), DimensionOrder(), faults=faults).build()
    router = Unwilling(case.router)
    live = LiveLoads(evaluate(replace(case, router=router)))
    before, outcome = live.report(), live.outcome()
    edit = swapped(live.mapping, [0, 1, 2], [9, 10, 11], live.occupant)
    for act in (live.apply, live.preview):
        router.left = 3
        with pytest.raises(MemoryError):
            act(edit)
        assert router.left <= 0
        assert live.outcome() == outcome
        np.testing.assert_array_equal(live.report().load, before.load)
        np.testing.assert_array_equal(live.mapping.slots, before.case.mapping.slots)
    router.left = 0
    live.apply(edit)
    report, full = assert_evaluated(live)
    assert_same_cut(report.disconnected, full.disconnected)


def test_an_edit_must_start_where_the_tasks_are():
    case = case_of(Percs(2, 4), Halo(4, 4), PercsDirect())
    live = LiveLoads(evaluate(case))
    before = live.report().load
    wrong = Edit(np.array([1, 2], np.int32), np.array([1, 3], np.int32), np.array([20, 21], np.int32))
    for act in (live.apply, live.preview):
        with pytest.raises(ValueError, match="moves a task from a slot that it is not in"):
            act(wrong)
    live.apply(no_edit())
    np.testing.assert_array_equal(live.report().load, before)


def test_returned_reports_and_mappings_do_not_change():
    case = case_of(Percs(2, 4), Halo(4, 4), PercsDirect())
    live = LiveLoads(evaluate(case))
    report, mapping = live.report(), live.mapping
    load, slots = report.load.copy(), mapping.slots.copy()
    live.apply(swapped(mapping, [0], [200], live.occupant))
    np.testing.assert_array_equal(report.load, load)
    np.testing.assert_array_equal(mapping.slots, slots)
    np.testing.assert_array_equal(case.mapping.slots, np.arange(16))
    assert live.mapping.slots[0] == 200
    assert live.report().case.mapping is live.mapping


def test_cost_grows_with_the_flows():
    case = case_of(Percs(4, 4), Halo(16, 16), PercsDirect(), Random(0))
    live = LiveLoads(evaluate(case))
    few, many = (swapped(live.mapping, np.arange(n), np.arange(256, 256 + n), live.occupant) for n in (4, 128))
    assert 0 < live.cost(few) < live.cost(many)
    assert live.cost(no_edit()) == 0


def test_nothing_sent_has_no_throughput():
    case = case_of(Mesh(dims=(3,)), Flows(tasks=2, src=(), dst=(), volume=()), DimensionOrder())
    live = LiveLoads(evaluate(case))
    live.apply(edit_moving(live.mapping, [0], [2], live.occupant))
    assert live.outcome() == Outcome(0.0, None, (0.0,), hot=0, disconnected=0)
    assert live.hot_links().size == 0
