"""Background jobs: loads, times and slowdowns equal the results of slow plain code; no two jobs share a node."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.figures.notes import notes_of
from core.job import Flows, Permutation, TransposePhases
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.job_reports import job_reports, shares_of, slowed_by
from core.load.live import LiveLoads
from core.load.neighbours import Neighbour
from core.load.scenario import NO_NEIGHBOURS, Neighbours, Scenario
from core.mapping import Explicit, Random, Sequential
from core.mapping.edit import edit_between, edit_moving
from core.network import LinkFault, Mesh, Torus
from core.routing import DimensionOrder, Minimal
from core.spec import SpecError
from core.timing import FairShare, timeline
from core.timing.link_activity import watched
from tests.core.load.background_jobs import in_plain_code, scenarios

CLOSE = {"rel": 1e-9, "abs": 1e-12}
FIRST = "neighbours[0]"
RING = Torus(dims=(8,), gbs=1.0)
PAIR = Permutation(tasks=2, targets=(1, 0))


def ring_case(*beside, **fields):
    scenario = Scenario(RING, PAIR, Sequential(), DimensionOrder(), neighbours=tuple(beside), **fields)
    return scenario.build()


def pair(allocation="", name="", job=PAIR):
    return Neighbour(name=name, job=job, mapping=Sequential(), allocation=allocation)


def as_array(load, links):
    loads = np.zeros(links)
    loads[list(load)] = list(load.values())
    return loads


@given(scenarios(faulty=True))
@settings(max_examples=40)
def test_times_and_loads_match_plain_code(scenario):
    case = scenario.build()
    report, links = evaluate(case), case.network.links
    expected = in_plain_code(case)
    np.testing.assert_allclose(report.load, as_array(expected[0][1], links), rtol=1e-9, atol=1e-12)
    beside = sum(as_array(load, links) for _, load in expected[1:])
    beside += case.neighbours.constant if case.neighbours.constant.size else 0.0
    np.testing.assert_allclose(report.others, beside, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(report.total_load, report.load + report.others)
    reports = list(job_reports(report))
    assert [job_report.time for _, job_report in reports] == pytest.approx([time for time, _ in expected], **CLOSE)
    for name, job_report in reports:
        np.testing.assert_allclose(job_report.total_load, report.total_load, rtol=1e-9, atol=1e-12, err_msg=name)
        assert job_report.slowdown >= 1 - 1e-9
    used = report.load > 0
    if len(report.phases) == 1:
        assert report.time == pytest.approx((report.total_load / case.gbs).max(initial=0, where=used), **CLOSE)


@given(scenarios())
@settings(max_examples=30)
def test_the_loads_of_all_jobs_add_up(scenario):
    report = evaluate(scenario.build())
    for link in np.unique(np.append(report.hottest(3), report.others.argmax())).tolist():
        assert sum(share.load for share in shares_of(report, link)) == pytest.approx(report.total_load[link], **CLOSE)


@given(scenarios(), st.integers(0, 2))
@settings(max_examples=30)
def test_looking_at_another_job_and_back_changes_nothing(scenario, which):
    number = which % len(scenario.neighbours)
    other = scenario.exchanged(number)
    assert other.exchanged(number) == scenario
    if sum(not job.allocation for job in (scenario, *scenario.neighbours)) > 1:
        return
    # With any job in focus, each task keeps its slot, and each link its load.
    here, there = evaluate(scenario.build()), evaluate(other.build())
    np.testing.assert_allclose(there.total_load, here.total_load, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(here.case.mapping.slots, there.case.neighbours.cases[number].mapping.slots)
    assert there.time == pytest.approx(list(job_reports(here))[number + 1][1].time, **CLOSE)


@given(scenarios(faulty=True), st.integers(0, 99))
@settings(max_examples=40)
def test_live_figures_are_those_of_a_full_evaluation(scenario, seed):
    case, rng = scenario.build(), np.random.default_rng(seed)
    live = LiveLoads(evaluate(case))
    slots = case.own(np.arange(case.network.slots, dtype=np.int32))
    for _ in range(3):
        task, slot = rng.integers(case.job.tasks, size=1), rng.choice(slots, 1)
        edit = edit_moving(live.mapping, task, slot, live.occupant)
        outcome = live.preview(edit)
        live.apply(edit)
        full = evaluate(replace(case, mapping=live.mapping))
        kept = live.report()
        assert outcome.time == live.outcome().time == kept.time == pytest.approx(full.time, **CLOSE)
        np.testing.assert_allclose(kept.load, full.load, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(kept.others, full.others)
        assert outcome.max_loads == pytest.approx([link_class.max_load for link_class in full.classes], **CLOSE)
        np.testing.assert_array_equal(kept.bottleneck_links, full.bottleneck_links)
        for ours, expected in zip(kept.classes, full.classes, strict=True):
            for figure in ("max_load", "mean_load", "sum_load", "own_load"):
                assert getattr(ours, figure) == pytest.approx(getattr(expected, figure), **CLOSE)
    back = edit_between(live.mapping, case.mapping)
    live.apply(back)
    np.testing.assert_array_equal(live.load, LiveLoads(evaluate(case)).load)


@given(scenarios())
@settings(max_examples=30)
def test_bounds_hold_with_background_jobs(scenario):
    report = evaluate(scenario.build())
    for bound in bounds(report.case):
        assert bound.time <= report.time * (1 + 1e-9), bound.reason


def test_jobs_that_share_no_link_do_not_slow_each_other():
    busy = pair("4,5", job=Flows(tasks=2, src=[0], dst=[1], volume=[50.0], unit="GB"))
    mine = Flows(tasks=2, src=[0], dst=[1], volume=[1.0], unit="GB")
    report = evaluate(Scenario(RING, mine, Sequential(), DimensionOrder(), neighbours=(busy,)).build())
    assert report.time == report.time_alone == 1
    assert report.slowdown == 1
    assert report.utilisation.max() == 50, "their link is drawn as it is, and is none of its bottlenecks"
    assert report.case.network.src[report.bottleneck_links].tolist() == [0]
    assert report.classes[0].max_load == 1
    assert (report.classes[0].sum_load, report.classes[0].own_load) == (51, 1)


def test_two_jobs_on_one_link_last_twice_as_long():
    # 0 and 2 communicate over 1, and 1 and 3 over 2: both use the links between 1 and 2.
    report = evaluate(ring_case(pair("1,3", "B"), allocation="0,2"))
    assert (report.time, report.time_alone, report.slowdown) == (2, 1, 2)
    assert [(name, job_report.slowdown) for name, job_report in job_reports(report)] == [("Permutation", 2), ("B", 2)]


@given(scenarios())
@settings(max_examples=20)
def test_each_neighbour_slows_the_job_as_if_it_were_the_only_one(scenario):
    report = evaluate(scenario.build())
    for number, neighbour in enumerate(report.case.neighbours.cases):
        alone = replace(report.case, neighbours=NO_NEIGHBOURS)
        (time, _), *_ = in_plain_code(replace(alone, neighbours=Neighbours((neighbour,))))
        assert slowed_by(report, number) * report.time_alone == pytest.approx(time, **CLOSE) or report.time_alone == 0


def test_a_job_that_sends_nothing_is_not_slowed():
    silent = Flows(tasks=2, src=[0], dst=[0], volume=[1.0], unit="GB")
    busy = pair("1,3", job=Flows(tasks=2, src=[0], dst=[1], volume=[1.0], unit="GB"))
    report = evaluate(
        Scenario(RING, silent, Sequential(), DimensionOrder(), allocation="0,2", neighbours=(busy,)).build()
    )
    assert (report.time, report.time_alone, report.others.sum()) == (0, 0, 2)
    assert slowed_by(report, 0) == report.slowdown == 1


def test_background_load_counts_once_over_all_phases():
    # Eight tasks of a ring send in 7 phases; the background pair on the same links sends as much as one of them.
    phases = TransposePhases(rows=2, cols=2)
    scenario = Scenario(RING, phases, Sequential(), DimensionOrder(), allocation="0-3", neighbours=(pair("4,5"),))
    report = evaluate(scenario.build())
    shares = report.case.job.run_shares * [run.times for run in report.case.job.runs]
    assert shares.sum() == pytest.approx(1)
    assert report.others.sum() == 2


@pytest.mark.parametrize(
    ("mine", "beside", "field", "words"),
    [
        (
            "0-3",
            [pair("3-4", "B")],
            "neighbours[0].allocation",
            "3 is given to both Permutation and B; give each node to one job",
        ),
        ("", [pair("1,2", "B"), pair("2,5", "C")], "neighbours[1].allocation", "2 is given to both B and C"),
        ("0-5", [pair("6", "B"), pair("", "C")], "neighbours[1].allocation", "C needs 2 nodes, but only 1 are free"),
        ("0,1", [pair("9", "B")], "neighbours[0].allocation", "no node 9"),
        ("0,1", [pair("4", "B")], "neighbours[0].mapping", "2 tasks do not fit 1 slot"),
        (
            "0,1",
            [pair("4,5", "B", Flows(tasks=2, src=[0], dst=[1], volume=[1.0]))],
            "neighbours[0].job",
            "counts bytes and the other job units",
        ),
    ],
)
def test_incompatible_background_jobs_are_refused(mine, beside, field, words):
    with pytest.raises(SpecError) as refusal:
        ring_case(*beside, allocation=mine)
    assert refusal.value.field == field
    assert words in refusal.value.message


def test_a_task_on_another_jobs_node_is_refused_by_name():
    scenario = Scenario(RING, PAIR, Explicit(slots=[0, 5]), DimensionOrder(), neighbours=(pair("4-6", "B"),))
    with pytest.raises(SpecError, match="task 1 is on n5, which is B's"):
        scenario.build()


def test_jobs_without_an_allocation_share_the_free_nodes():
    # The job in focus takes two nodes, B the next two, and the first job has the rest.
    case = ring_case(pair("", "B"), pair("0,4", "C"), down=("7",))
    assert [allocation.nodes.tolist() for allocation in case.allocations if allocation is not None] == [
        [1, 2, 6],
        [3, 5],
        [0, 4],
    ]


def test_a_neighbour_without_an_allocation_has_the_nodes_that_its_mapping_names():
    at_two_and_six = Neighbour(name="B", job=PAIR, mapping=Explicit(slots=[6, 2]))
    scenario = Scenario(RING, PAIR, Explicit(slots=[0, 4]), DimensionOrder(), neighbours=(at_two_and_six,))
    case = scenario.build()
    assert [allocation.nodes.tolist() for allocation in case.allocations if allocation is not None] == [
        [0, 1, 3, 4, 5, 7],
        [2, 6],
    ]
    assert scenario.exchanged(0).build().allocations[1].nodes.tolist() == [0, 4]
    same = replace(scenario, neighbours=(at_two_and_six, pair("2", "C")))
    with pytest.raises(SpecError, match=r"n2 is given to both B and C; give each node to one job"):
        same.build()
    absent = Neighbour(name="B", job=PAIR, mapping=Explicit(slots=[6, 8]))
    with pytest.raises(SpecError, match=r"neighbours\[0\].mapping.slots: task 1 is in slot 8; slots are 0 to 7"):
        replace(scenario, neighbours=(absent,)).build()


def test_unchanged_parts_are_not_built_again():
    before = ring_case(pair("4,5", "B"), allocation="0-3")
    after = replace(before.scenario, mapping=Random()).build(before)
    assert after.neighbours is before.neighbours
    other = replace(before.scenario, allocation="1-3").build(before)
    assert other.neighbours is before.neighbours
    assert other.mapping is not before.mapping


def test_jobs_without_a_name_are_named_by_their_pattern():
    assert ring_case(pair(), pair(name="B"), pair()).scenario.job_names == (
        "Permutation",
        "Permutation 2",
        "B",
        "Permutation 3",
    )


def test_timings_of_a_single_job_are_refused_with_background_jobs():
    assert timeline(ring_case(pair("1,3"), allocation="0,2")).seconds == 2
    with pytest.raises(SpecError, match="fair-share simulates a single job"):
        timeline(ring_case(pair("1,3"), allocation="0,2", timing=FairShare()))


def test_disconnected_flows_of_a_background_job_are_noted_and_load_nothing():
    line = Scenario(
        Mesh((8,)), PAIR, Sequential(), Minimal(), neighbours=(pair("5,7", "B"),),
        faults=(LinkFault(5, 6), LinkFault(6, 5)), allocation="0,1",
    )  # fmt: skip
    report = evaluate(line.build())
    assert report.others.sum() == 0
    assert any("job B: 2 flows (2 units) are disconnected, without load" in note for note in notes_of(report))


def test_rows_of_a_timeline_include_background_load():
    report = evaluate(ring_case(pair("1,3"), allocation="0,2"))
    link = int(report.bottleneck_links[0])
    watched_sets = watched(report, [np.array([link])])
    assert (watched_sets.busy[0, 0], watched_sets.sent[0, 0]) == (2, 1)
