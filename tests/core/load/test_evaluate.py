"""From loads to time, throughput and bottleneck: each figure by its definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll, Flows, Halo, Transpose
from core.load.evaluate import LoadReport, evaluate
from core.mapping import Blocks, Explicit, Random, Sequential
from core.network import Mesh, Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect
from core.spec import Cancelled
from tests.core.load.cases import case_of, report_of
from tests.core.strategies import fitting, jobs, lattice_routings, lattice_specs, percs_routings, percs_specs

choices = st.tuples(percs_specs(), percs_routings) | st.tuples(lattice_specs(), lattice_routings)


@st.composite
def reports(draw):
    network, routing = draw(choices)
    slots = network.build().slots
    job = fitting(draw, jobs, lambda job: job.build().tasks <= slots)
    return report_of(network, job, routing, Random(draw(st.integers(0, 99))))


@given(reports())
def test_figures_follow_from_the_loads(report):
    network, load = report.case.network, report.load
    times = load / network.gbs
    by_phase = [phase / network.gbs for phase in report.phases]
    assert report.time == pytest.approx(sum(phase.max(initial=0.0) for phase in by_phase))
    alone = {}
    for c, link_class in zip(report.classes, network.classes, strict=True):
        mine = network.class_of == network.classes.index(link_class)
        assert (c.name, c.gbs, c.links) == (link_class.name, link_class.gbs, mine.sum())
        figures = load[mine].max(), load[mine].mean(), load[mine].sum()
        assert (c.max_load, c.mean_load, c.sum_load) == pytest.approx(figures)
        alone[c.name] = sum(phase[mine].max() for phase in by_phase)
        wanted = None if alone[c.name] == 0 else pytest.approx(report.volume_per_node / alone[c.name])
        assert c.throughput_gbs == wanted
    if report.time == 0:
        assert report.throughput_gbs is report.bottleneck is None
        assert report.bottleneck_links.size == 0
        return
    assert report.throughput_gbs == pytest.approx(report.volume_per_node / report.time)
    least = min(c.throughput_gbs for c in report.classes if c.throughput_gbs)
    # If each phase has a different bottleneck, all classes together allow less than any class.
    assert report.throughput_gbs <= least * (1 + 1e-9)
    assert len(report.phases) > 1 or report.throughput_gbs == least
    assert alone[report.bottleneck] == pytest.approx(max(alone.values()))
    assert set(report.bottleneck_links.tolist()) == set(np.flatnonzero(times >= times.max() * (1 - 1e-9)).tolist())


@given(reports(), st.integers(0, 40))
def test_hottest_links_are_sorted_and_reproducible(report, count):
    links = report.hottest(count)
    assert links.size == min(count, report.load.size) == len(set(links.tolist()))
    relative = report.utilisation[links]
    assert (np.diff(relative) <= 1e-9).all()
    rest = np.delete(report.utilisation, links)
    assert rest.max(initial=0.0) <= relative.min(initial=np.inf) + 1e-9
    np.testing.assert_array_equal(links, report.hottest(count))


def test_equally_hot_links_are_ordered_by_number():
    report = report_of(Torus(dims=(4, 4)), Halo(4, 4), DimensionOrder())
    assert report.hottest(5).tolist() == [0, 1, 2, 3, 4]


def test_volume_per_node_of_traced_flows_counts_the_fewest_nodes_that_hold_the_job():
    network = Torus(dims=(4, 4), slots_per_node=2)
    job = Flows(tasks=5, src=(0, 1, 2), dst=(4, 4, 2), volume=(3.0, 4.0, 5.0))
    # Five tasks, two per node: three nodes suffice. The third flow is free but counts in the volume.
    for mapping in (Sequential(), Explicit((0, 2, 4, 6, 8))):
        assert report_of(network, job, DimensionOrder(), mapping).volume_per_node == pytest.approx(12 / 3)


@pytest.mark.parametrize("volume", [1e-300, 1e150])
def test_extreme_volumes_and_bandwidths_give_finite_figures(volume):
    job = Flows(src=(0, 1), dst=(5, 4), volume=(volume / 2, volume / 2))
    for network, routing in ((Percs(2, 1, 1e-6, 1e6, 1e-6), PercsIndirect()), (Torus(dims=(6,), gbs=1e-6), Adaptive())):
        report = report_of(network, job, routing, Random(1))
        assert np.isfinite(report.utilisation).all()
        assert report.utilisation.max() == pytest.approx(1)
        assert 0 < report.throughput_gbs < 1e9


def test_unit_jobs_count_slots_even_with_open_edges():
    for job in (Halo(4, 4, periodic=False), Transpose(4, 4), AllToAll(tasks=7)):
        assert report_of(Percs(2, 1), job, PercsDirect()).volume_per_node == 4


@pytest.mark.parametrize("dims", [(4, 4), (3, 5)])
def test_halo_on_its_own_torus_is_one_hop_each(dims):
    report = report_of(Torus(dims=dims, gbs=2.0), Halo(*dims), DimensionOrder())
    np.testing.assert_allclose(report.load, 0.25)
    assert report.time == pytest.approx(0.125)
    assert report.throughput_gbs == pytest.approx(8.0)


def test_phases_follow_each_other():
    # Two phases with their maxima on different links: both times and loads add up.
    case = case_of(Mesh(dims=(3,), gbs=1.0), Flows(tasks=3, src=(0,), dst=(1,), volume=(2.0,)), DimensionOrder())
    other = Flows(tasks=3, src=(2,), dst=(1,), volume=(3.0,)).build()
    both = replace(case, job=replace(case.job, phases=(*case.job.phases, *other.phases)))
    seen = []
    report = evaluate(both, seen.append)
    assert report.time == 5.0
    assert sorted(report.load[report.load > 0].tolist()) == [2.0, 3.0]
    assert report.throughput_gbs == pytest.approx(5 / 3 / 5)
    assert report.classes[0].throughput_gbs == pytest.approx(report.throughput_gbs)
    assert seen == [0.5, 1.0]


def test_progress_can_stop_it():
    def stop(fraction):
        raise Cancelled

    with pytest.raises(Cancelled):
        evaluate(case_of(Percs(2, 1), AllToAll(tasks=256), PercsDirect()), stop)


def test_progress_rises_to_one():
    seen = []
    evaluate(case_of(Percs(64, 1), AllToAll(tasks=8192), PercsDirect()), seen.append)
    assert len(seen) > 2
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize("d_links", [1, 4, 16, 32])
def test_congruence_classes_are_listed_with_their_loads(d_links):
    report = report_of(Percs(4, d_links), Halo(16, 32), PercsIndirect(), Blocks(8, 16))
    group = report.case.network.spec.congruence(report.case.network)
    classes = report.congruence()
    width = 32 // d_links
    assert len(classes) == width * (width - 1)
    for name, links, mean, highest in classes:
        mine = report.load[group == name]
        assert links == mine.size == 4 * d_links
        assert (mean, highest) == pytest.approx((mine.mean(), mine.max()))


def test_other_families_have_no_congruence():
    assert report_of(Torus(dims=(4, 4)), Halo(4, 4), Adaptive()).congruence() == []


def test_a_built_case_is_reused_where_choices_stay():
    case = case_of(Percs(2, 1), Halo(16, 16), PercsDirect())
    scenario = case.scenario
    again = scenario.build(case)
    assert (again.network, again.job, again.mapping, again.router) == (
        case.network,
        case.job,
        case.mapping,
        case.router,
    )
    routed = scenario.with_choice("routing", PercsIndirect()).build(case)
    assert (routed.network, routed.job, routed.mapping) == (case.network, case.job, case.mapping)
    assert routed.router is not case.router
    rewired = scenario.with_choice("network", Percs(2, 2)).build(case)
    assert rewired.job is case.job
    assert rewired.network is not case.network
    assert rewired.mapping is not case.mapping
    assert rewired.router is not case.router
    moved = scenario.with_choice("mapping", Random(1)).build(case)
    assert moved.router is case.router
    assert not np.array_equal(moved.mapping.slots, case.mapping.slots)


def test_reports_of_no_links_in_use():
    report = report_of(Percs(2, 1), AllToAll(tasks=1), PercsDirect())
    assert isinstance(report, LoadReport)
    assert report.throughput_gbs is None
    assert not report.utilisation.any()
