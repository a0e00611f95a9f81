"""Evaluation with faults: slow links take longer, failed links carry nothing, disconnected flows are reported."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.figures.predictions import predictions
from core.job import AllToAll, Flows, Halo, Permutation, Transpose
from core.load.bounds import bounds
from core.load.compatibility import fitted
from core.load.disconnected import DisconnectedFlows, find_disconnected
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Blocks, ModColour, Random, Sequential
from core.mapping.edit import edit_moving
from core.network import BundleFault, LinkFault, Mesh, NodeFault, Percs, Torus
from core.routing import Adaptive, DimensionOrder, FaultyRouter, PercsDirect, PercsIndirect, without_faults
from core.spec import Cancelled, SpecError
from tests.core.strategies import faults_of, fitting, jobs, lattice_routings, lattice_specs, percs_routings, percs_specs

choices = st.tuples(percs_specs(most=4), percs_routings) | st.tuples(lattice_specs(), lattice_routings)


@st.composite
def scenarios(draw, **limits):
    spec, routing = draw(choices)
    network = spec.build()
    job = fitting(draw, jobs, lambda job: job.build().tasks <= network.slots)
    faults = draw(faults_of(network, **limits))
    return Scenario(spec, job, Random(draw(st.integers(0, 99))), routing, faults=faults)


def flows_of(case):
    """All flows between nodes, with their tasks."""
    for phase in case.job.phases:
        for _, block in phase.blocks():
            nodes = case.mapping.nodes[block.src], case.mapping.nodes[block.dst]
            yield from zip(*(array.tolist() for array in (*block, *nodes)), strict=True)


@given(scenarios())
def test_figures_follow_from_loads_and_what_the_links_have_left(scenario):
    case = scenario.build()
    report, faults = evaluate(case), case.faults
    assert not report.load[faults.failed].any()
    runs = ~faults.failed
    times = report.load[runs] / (case.network.gbs * faults.speed)[runs]
    by_phase = [load[runs] / (case.network.gbs * faults.speed)[runs] for load in report.phases]
    assert report.time == pytest.approx(sum(phase.max(initial=0.0) for phase in by_phase))
    np.testing.assert_allclose(report.utilisation[runs] * report.time, times, atol=1e-300)
    assert not report.utilisation[faults.failed].any()
    for c, link_class in zip(report.classes, case.network.classes, strict=True):
        mine = (case.network.class_of == case.network.classes.index(link_class))[runs]
        time = sum(phase[mine].max(initial=0.0) for phase in by_phase)
        assert c.throughput_gbs == (None if time == 0 else pytest.approx(report.volume_per_node / time))


@given(scenarios())
def test_disconnected_flows_are_counted_and_listed(scenario):
    case = scenario.build()
    cut = evaluate(case).disconnected
    lost = [
        (s, d, x) for s, d, x, u, v in flows_of(case) if x > 0 and u != v and not case.router.route(u, v).links.size
    ]
    assert cut.count == len(lost)
    assert cut.volume == pytest.approx(sum(volume for _, _, volume in lost))
    assert list(zip(*(array.tolist() for array in cut.first), strict=True)) == lost[:1000]
    failed = {fault.node for fault in scenario.faults if isinstance(fault, NodeFault) and not fault.speed}
    assert cut.stranded == sum(node in failed for node in case.mapping.nodes.tolist())
    assert bool(cut) == bool(lost or cut.stranded)
    assert bool(cut.sentence) == bool(cut)


@given(scenarios())
def test_inspected_links_have_the_loads_of_the_report(scenario):
    report = evaluate(scenario.build())
    for link in [*report.hottest(2).tolist(), *np.flatnonzero(report.case.faults.speed < 1)[:2].tolist()]:
        explanation = explain(report, link)
        for total in (sum(explanation.roles.values()), explanation.groups.total, explanation.tasks.total):
            assert total == pytest.approx(report.load[link], rel=1e-9, abs=1e-9)


@settings(max_examples=100)
@given(scenarios(), st.integers(0, 10**6))
def test_live_loads_follow_edits_with_faults(scenario, seed):
    start, rng = evaluate(scenario.build()), np.random.default_rng(seed)
    live, done = LiveLoads(start), []
    for _ in range(5):
        if done and rng.random() < 0.3:
            live.apply(done.pop().inverse())
            continue
        count = rng.integers(0, min(live.mapping.slots.size, 6) + 1)
        going = rng.choice(live.mapping.slots.size, count, replace=False)
        target = rng.choice(start.case.network.slots, count, replace=False)
        done.append(edit_moving(live.mapping, going, target, live.occupant))
        live.apply(done[-1])
    report = live.report()
    full = evaluate(report.case)
    np.testing.assert_allclose(report.load, full.load, rtol=0, atol=1e-9 * full.load.max(initial=0.0))
    assert report.time == pytest.approx(full.time, rel=1e-9)
    assert report.disconnected.count == full.disconnected.count
    assert report.disconnected.stranded == full.disconnected.stranded
    assert report.disconnected.volume == pytest.approx(full.disconnected.volume)
    for edit in reversed(done):
        live.apply(edit.inverse())
    np.testing.assert_array_equal(live.report().load, LiveLoads(start).report().load)


@given(scenarios())
def test_without_faults_all_figures_are_bit_identical(scenario):
    plain = replace(scenario, faults=()).build()
    repaired = replace(scenario, faults=()).build(scenario.build())
    assert plain.faults is repaired.faults is None
    assert not isinstance(repaired.router, FaultyRouter)
    whole_network, repaired_network = evaluate(plain), evaluate(repaired)
    np.testing.assert_array_equal(whole_network.load, repaired_network.load)
    np.testing.assert_array_equal(
        whole_network.utilisation, whole_network.load / plain.network.gbs / (whole_network.time or 1.0)
    )
    assert (whole_network.time, whole_network.verdict, whole_network.disconnected) == (
        repaired_network.time,
        repaired_network.verdict,
        whole_network.disconnected,
    )
    assert not whole_network.disconnected


@given(scenarios(speeds=(0.5, 0.25)))
def test_slow_links_change_no_load(scenario):
    slow, plain = evaluate(scenario.build()), evaluate(replace(scenario, faults=()).build())
    np.testing.assert_array_equal(slow.load, plain.load)
    assert slow.time >= plain.time
    assert not slow.disconnected
    assert all(bound.time <= slow.time * (1 + 1e-9) for bound in bounds(slow.case))


@given(scenarios())
def test_no_mapping_beats_a_bound(scenario):
    report = evaluate(scenario.build())
    all_bounds = bounds(report.case, report)
    assert all_bounds == bounds(report.case)
    assert not (report.disconnected and all_bounds)
    assert all(bound.time <= report.time * (1 + 1e-9) for bound in all_bounds)


def test_half_the_speed_is_half_the_throughput_of_a_link():
    scenario = Scenario(Torus(dims=(4, 4), gbs=2.0), Halo(4, 4), Sequential(), DimensionOrder())
    case = scenario.build()
    link = int(evaluate(case).hottest(1)[0])
    slow = evaluate(replace(scenario, faults=(LinkFault.of(case.network, link, 0.5),)).build(case))
    assert slow.throughput_gbs == pytest.approx(4.0)
    assert link in slow.bottleneck_links.tolist()
    assert slow.bottleneck_links.size == 2
    assert slow.utilisation.min() == 0.5
    assert slow.verdict == "limited by X links"


def test_a_failed_bundle_is_named_in_the_reason():
    scenario = Scenario(Percs(4, 1), Halo(16, 32), Blocks(8, 16), PercsDirect(), faults=(BundleFault(1, 3),))
    case = scenario.build()
    report = evaluate(case)
    node_pair_flows = [{u // 32, v // 32} == {1, 3} for _, _, _, u, v in flows_of(case)]
    assert report.disconnected.count == sum(node_pair_flows) == 64
    assert report.disconnected.brief == "64 flows (16 units) are disconnected"
    reason = "direct routing has no path left between supernodes 1 and 3"
    assert report.disconnected.sentence == f"{report.disconnected.brief}: {reason}"
    assert report.verdict.endswith(" links, but 64 flows (16 units) are disconnected")
    assert bounds(case, report) == ()
    around = evaluate(replace(scenario, routing=PercsIndirect()).build())
    assert not around.disconnected
    assert bounds(around.case, around)


def test_flows_between_many_groups_are_described_by_the_first():
    scenario = Scenario(Percs(4, 1), Halo(16, 32), Blocks(8, 16), PercsDirect(), faults=(NodeFault(0),))
    cut = evaluate(scenario.build()).disconnected
    assert cut.stranded == 4
    assert "for example from 0 · d0 · 0 to " in cut.sentence
    assert cut.sentence.endswith(". In addition, 4 tasks sit on failed nodes. No slot is free on a working node")


def test_a_task_without_flows_may_be_stranded():
    job = Flows(tasks=2, src=(0,), dst=(0,), volume=(1.0,))
    report = evaluate(Scenario(Mesh(dims=(3,)), job, Sequential(), Adaptive(), faults=(NodeFault(1),)).build())
    assert (report.disconnected.count, report.disconnected.stranded) == (0, 1)
    assert report.verdict == "no link carries anything, but 1 task sits on failed nodes"
    traffic = Flows(tasks=2, src=(0,), dst=(1,), volume=(1.0,))
    broken = Scenario(Mesh(dims=(2,)), traffic, Sequential(), Adaptive(), faults=(LinkFault(0, 1),))
    cut = evaluate(broken.build()).disconnected
    assert cut.sentence.startswith(
        "1 flow (1 GB) is disconnected: adaptive minimal routing has no path left, for example from "
    )


def test_unchanged_parts_are_reused_when_faults_change():
    scenario = Scenario(Percs(4, 2), Halo(16, 32), Blocks(8, 16), PercsDirect())
    case = scenario.build()
    broken = replace(scenario, faults=(BundleFault(0, 1),)).build(case)
    assert (broken.network, broken.job, broken.mapping) == (case.network, case.job, case.mapping)
    assert without_faults(broken.router) is case.router
    slower = replace(scenario, faults=(BundleFault(0, 1), NodeFault(5, 0.5))).build(broken)
    assert slower.router is broken.router
    assert slower.faults is not broken.faults
    remapped = replace(slower.scenario, mapping=Random(1)).build(slower)
    assert (remapped.router, remapped.faults) == (slower.router, slower.faults)
    rerouted = replace(slower.scenario, routing=PercsIndirect()).build(slower)
    assert without_faults(rerouted.router) is not case.router
    assert isinstance(rerouted.router, FaultyRouter)
    repaired = replace(slower.scenario, faults=()).build(slower)
    assert repaired.router is case.router
    assert repaired.gbs is case.network.gbs


def test_no_formula_of_the_paper_holds_with_faults():
    scenario = Scenario(Percs(32, 4), Halo(64, 64), ModColour(), PercsDirect())
    assert predictions(scenario.build())
    assert not predictions(replace(scenario, faults=(LinkFault(0, 1, 0, 0.5),)).build())


def test_faults_of_another_network_are_refused_and_dropped_when_fitting():
    scenario = Scenario(
        Percs(2, 1), Halo(16, 16), Sequential(), PercsDirect(), faults=(LinkFault(0, 1), NodeFault(63), NodeFault(2))
    )
    smaller = replace(scenario, network=Mesh(dims=(8, 4), slots_per_node=8))
    with pytest.raises(SpecError) as refused:
        replace(smaller, routing=DimensionOrder()).build()
    assert refused.value.field == "faults[1].node"
    assert fitted(smaller).faults == (LinkFault(0, 1), NodeFault(2))


def test_finding_disconnected_flows_reports_progress_and_can_be_cancelled():
    case = Scenario(Percs(8, 1), AllToAll(tasks=1024), Sequential(), PercsIndirect(), faults=(NodeFault(9),)).build()
    seen = []
    evaluate(case, seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0
    assert sum(fraction > 0.7 for fraction in seen) > 2

    def stop(fraction):
        if fraction > 0.5:
            raise Cancelled

    with pytest.raises(Cancelled):
        find_disconnected(case, stop)


@pytest.mark.parametrize("routing", [PercsDirect(), PercsIndirect()])
def test_a_case_without_faults_has_no_disconnected_flow(routing):
    case = Scenario(Percs(2, 1), Transpose(8, 8), Sequential(), routing).build()
    assert not find_disconnected(case)
    assert DisconnectedFlows().sentence == DisconnectedFlows().brief == ""


def test_permutations_around_a_failed_plane_of_a_torus():
    # Nothing passes between slices 0 and 1; a ring of 4 has its other way only for nodes half way round.
    scenario = Scenario(
        Torus(dims=(4, 2)), Permutation(tasks=8, targets=(4, 5, 6, 7, 0, 1, 2, 3)), Sequential(), DimensionOrder()
    )
    plain = evaluate(scenario.build())
    broken = evaluate(replace(scenario, faults=(BundleFault(0, 1),)).build())
    assert not broken.disconnected
    assert broken.load.sum() == pytest.approx(plain.load.sum())
    assert broken.time == pytest.approx(2 * plain.time)


@pytest.mark.parametrize(
    ("tasks", "remedy"),
    [
        (5, "Optimise can move these tasks to free slots"),
        (8, "Optimise can move 1 of these tasks to free slots"),
        (9, "No slot is free on a working node"),
    ],
)
def test_the_sentence_on_tasks_on_failed_nodes_names_a_remedy(tasks, remedy):
    job = Flows(tasks=tasks, src=(0,), dst=(0,), volume=(1.0,))
    machine, faults = Mesh(dims=(3,), slots_per_node=3), (NodeFault(0),)
    cut = evaluate(Scenario(machine, job, Sequential(), DimensionOrder(), faults=faults).build()).disconnected
    assert cut.sentence == f"3 tasks sit on failed nodes. {remedy}"
