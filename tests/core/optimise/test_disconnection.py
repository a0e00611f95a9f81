"""Disconnected volume precedes any objective: a search moves tasks off failed nodes and out of disconnected parts."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Flows, Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Explicit, Random, Sequential
from core.mapping.edit import edit_between
from core.mapping.mapping import Mapping
from core.network import LinkFault, Mesh, NodeFault, Percs, Torus
from core.optimise import search as search_module
from core.optimise.disconnection import Losses, share_of
from core.optimise.method import Annealing, Portfolio
from core.optimise.objective import HopBytes, Throughput, TotalHops
from core.optimise.problem import Problem
from core.optimise.request import Request
from core.optimise.run import optimise
from core.optimise.search import Search
from core.routing import Adaptive, DimensionOrder, Minimal, PercsDirect
from core.spec import SpecError
from tests.core.optimise.cases import METHODS, OBJECTIVES, remapped, searching
from tests.core.strategies import faults_of, fitting, jobs, lattice_routings, lattice_specs


@pytest.fixture(autouse=True, scope="module")
def short_samples():
    """Derive temperatures from few moves, which are traced one by one: they do not affect the disconnected volume."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search_module, "SAMPLES", 50)
        yield


def broken_between(spec, *pairs):
    """Faults of all links between some nodes, in both directions."""
    network = spec.build()
    joined = {(u, v) for pair in pairs for u, v in (pair, pair[::-1])}
    links = [k for k in range(network.links) if (network.src[k], network.dst[k]) in joined]
    return tuple(LinkFault.of(network, k) for k in links)


GRID = Mesh(dims=(4, 4), gbs=1.0)
FAILED = Scenario(GRID, Halo(rows=3, cols=4), Sequential(), Minimal(), faults=(NodeFault(0), NodeFault(5)))
CHAIN = Mesh(dims=(10,), gbs=1.0)
APART = Scenario(
    CHAIN,
    Flows(src=(0, 1, 2), dst=(1, 2, 3), volume=(10.0, 1.0, 10.0)),
    Explicit((2, 3, 5, 6)),
    Minimal(),
    faults=broken_between(CHAIN, (4, 5)),
)
"""A chain of four tasks, two on each side of the failure."""


@st.composite
def broken_cases(draw):
    """A lattice with room to move, and faults."""
    spec, routing = draw(lattice_specs(most_nodes=24)), draw(lattice_routings)
    network = spec.build()
    job = fitting(draw, jobs, lambda job: 2 <= job.build().tasks < network.slots)
    return Scenario(spec, job, Random(draw(st.integers(0, 9))), routing, faults=draw(faults_of(network))).build()


def lost_by_hand(case):
    """The disconnected volume, and the tasks on failed nodes."""
    cut = evaluate(case).disconnected
    return cut.volume, cut.stranded


@settings(max_examples=50, deadline=None)
@given(broken_cases(), st.data())
def test_moves_change_the_loss_by_its_difference(case, data):
    report = evaluate(case)
    problem = Problem.of(report, Throughput()) if report.time > 0 or report.disconnected else None
    if problem is None:
        return
    losses, place = problem.losses, problem.place(case.mapping.slots)
    touched = problem.touched(case.job.tasks)
    slots = np.array(data.draw(st.permutations(range(case.network.slots)))[: case.job.tasks], np.int32)
    after = remapped(case, slots)
    edit = edit_between(case.mapping, Mapping(slots, case.network.slots_per_node))
    moves = edit.tasks[after.mapping.nodes[edit.tasks] != case.mapping.nodes[edit.tasks]]
    place.moved[: moves.size] = moves
    place.after[moves] = after.mapping.nodes[moves]
    change = losses.change(moves.size, place, touched)
    assert change == losses.of(after.mapping.nodes) - losses.of(case.mapping.nodes)


@settings(max_examples=50, deadline=None)
@given(broken_cases(), st.integers(0, 99))
def test_the_loss_counts_disconnected_volume_before_stranded_tasks(case, seed):
    slots = np.random.default_rng(seed).permutation(case.network.slots)[: case.job.tasks].astype(np.int32)
    other, losses = remapped(case, slots), Losses(case)
    here, there = losses.of(case.mapping.nodes), losses.of(other.mapping.nodes)
    volumes, stranded = zip(lost_by_hand(case), lost_by_hand(other), strict=True)
    if volumes[0] != pytest.approx(volumes[1], rel=1e-6, abs=1e-6):
        assert (here < there) == (volumes[0] < volumes[1])
    elif stranded[0] != stranded[1]:
        assert here != there or volumes[0] != volumes[1]
    assert (here == 0) == (not evaluate(case).disconnected)
    assert share_of(here, case.job.tasks) == pytest.approx(volumes[0] / (case.job.volume or 1.0), abs=1e-6)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.tag())
@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda objective: objective.tag())
def test_tasks_leave_failed_nodes_for_any_objective(objective, method):
    case = FAILED.build()
    assert evaluate(case).disconnected.stranded == 2
    search = searching(case, objective, method)
    assert search.lost == Losses(case).of(case.mapping.nodes) > 0
    search.advance(100)
    report_after = evaluate(remapped(case, search.slots))
    assert search.lost == 0
    assert not report_after.disconnected
    if objective == Throughput():
        assert search.best == pytest.approx(report_after.time)


def test_kernels_are_compiled_before_a_repair_without_moving_tasks(monkeypatch):
    plain, asked = search_module.advance_traced, []
    monkeypatch.setattr(
        search_module, "advance_traced", lambda steps, *rest: (asked.append(steps), plain(steps, *rest))
    )
    case = FAILED.build()
    search = searching(case, Throughput(), Portfolio())
    assert sum(asked) > 0
    assert search.steps == 0
    np.testing.assert_array_equal(search.slots, case.mapping.slots)
    monkeypatch.setattr(Search, "_load", lambda self: None)
    other = searching(case, Throughput(), Portfolio())
    for each in (search, other):
        each.advance(1000)
    assert search.checkpoint[1:] == other.checkpoint[1:]
    np.testing.assert_array_equal(search.slots, other.slots)


@pytest.mark.parametrize("objective", [Throughput(), HopBytes(), TotalHops()], ids=lambda objective: objective.tag())
def test_tasks_leave_isolated_parts(objective):
    search = searching(APART, objective, Portfolio())
    search.advance(500)
    assert not evaluate(remapped(APART.build(), search.slots)).disconnected


def test_a_grid_of_tasks_across_a_broken_network_moves_to_one_side():
    machine = Torus(dims=(6, 6), wrap=False)
    column = [(y * 6 + 2, y * 6 + 3) for y in range(6)]
    scenario = Scenario(machine, Halo(rows=4, cols=4, periodic=False), Random(seed=3), Adaptive())
    for routing in (Adaptive(), DimensionOrder(), Minimal()):
        case = replace(scenario, routing=routing, faults=broken_between(machine, *column)).build()
        search = searching(case, Throughput(), Portfolio())
        search.advance(500)
        assert not evaluate(remapped(case, search.slots)).disconnected, routing


def test_a_search_begins_even_if_all_flows_are_disconnected():
    case = Scenario(CHAIN, Flows(src=(0,), dst=(1,), volume=(3.0,)), Explicit((4, 5)), Minimal(), faults=APART.faults)
    report = evaluate(case.build())
    assert (report.time, report.disconnected.count) == (0.0, 1)
    result = optimise(report, Request(method=Annealing(), seconds=None, steps=500))
    assert (result.start, result.lost) == (0.0, 0)
    assert result.start_lost > 0
    assert result.better
    assert result.best == pytest.approx(3.0)


def test_a_slower_mapping_that_disconnects_less_is_better():
    report = evaluate(APART.build())
    result = optimise(report, Request(seconds=None, steps=500))
    after = evaluate(remapped(report.case, result.slots))
    assert result.lost == 0 < result.start_lost
    assert result.better
    assert result.best == pytest.approx(after.time)


def test_workers_agree_on_the_mapping_that_disconnects_least():
    scenario = Scenario(Percs(2, 4), Halo(rows=10, cols=20), Sequential(), PercsDirect(), faults=(NodeFault(0),))
    report = evaluate(scenario.build())
    result = optimise(report, Request(seconds=None, steps=1500, workers=2))
    assert result.start_lost > 0 == result.lost
    assert not evaluate(remapped(report.case, result.slots)).disconnected


def test_without_room_some_flows_stay_disconnected():
    full = replace(FAILED, job=Halo(rows=4, cols=4))
    case = full.build()
    search = searching(case, Throughput(), Annealing())
    search.advance(2000)
    assert 0 < search.lost <= Losses(case).of(case.mapping.nodes)
    assert evaluate(remapped(case, search.slots)).disconnected.stranded == 2


@pytest.mark.parametrize("volume", [1e-300, 1e-9, 1.0, 1e100])
def test_disconnected_flows_of_any_volume_are_counted(volume):
    case = replace(APART, job=Flows(src=(0, 1, 2), dst=(1, 2, 3), volume=(volume,) * 3)).build()
    assert share_of(Losses(case).of(case.mapping.nodes), case.job.tasks) == pytest.approx(1 / 3)
    result = optimise(evaluate(case), Request(seconds=None, steps=500))
    assert result.lost == 0
    assert result.best == pytest.approx(volume)


def test_flows_without_volume_are_no_loss():
    case = replace(APART, job=Flows(src=(0, 1, 2), dst=(1, 2, 3), volume=(0.0,) * 3)).build()
    assert Losses(case).of(case.mapping.nodes) == 0
    for workers in (1, 2):
        with pytest.raises(SpecError, match="no link carries anything"):
            optimise(evaluate(case), Request(seconds=None, steps=10, workers=workers))


@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda objective: objective.tag())
def test_tasks_without_volume_leave_failed_nodes_too(objective):
    case = replace(FAILED, job=Flows(tasks=3, src=(0, 1), dst=(1, 2), volume=(0.0, 0.0))).build()
    result = optimise(evaluate(case), Request(objective=objective, seconds=None, steps=500))
    assert result.start_lost > 0 == result.lost
    assert not evaluate(remapped(case, result.slots)).disconnected


def test_volumes_too_far_apart_to_be_searched_are_refused():
    job = Flows(tasks=6, src=(0, 2, 2, 4), dst=(1, 3, 4, 5), volume=(1e24, 1.0, 3.0, 2.0))
    apart = Scenario(Mesh((8,), slots_per_node=2), job, Explicit((0, 1, 4, 8, 12, 14)), DimensionOrder())
    with pytest.raises(SpecError, match="too small to compare mappings"):
        optimise(evaluate(apart.build()), Request(seconds=None, steps=10))
