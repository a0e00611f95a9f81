"""Planned routing: evaluation, explanation, edits and searches account for the plan."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET

from core.figures.evaluation import evaluation_of
from core.job import Flows, Pause, Permutation, Sequence, TransposePhases
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.live import NOT_FOLLOWED, LiveLoads
from core.load.scenario import Scenario
from core.load.swap_suggestions import suggest_swaps
from core.mapping import Random, Sequential
from core.mapping.edit import Edit, no_edit
from core.network import Torus
from core.optimise.request import Request
from core.optimise.run import optimise
from core.routing import Adaptive, CongestionAware, ShortDimension, Ugal
from core.routing.flows import NodeFlows
from core.spec import SpecError
from tests.core.strategies import flow_lists, one_of_these

PHASES = Scenario(Torus(dims=(8, 3)), TransposePhases(rows=4, cols=6), Random(seed=2), ShortDimension(alpha=1))
PLANNED = [
    PHASES,
    *(PHASES.with_choice("routing", routing) for routing in (CongestionAware(rounds=10), Ugal(rounds=10))),
]


@pytest.fixture(params=PLANNED, ids=["short-dimension", "congestion-aware", "ugal"], scope="module")
def report(request):
    return evaluate(request.param.build())


def test_every_phase_has_its_own_paths(report):
    case = report.case
    assert len(report.phases) == len(case.job.phases) > 1
    assert len(report.notes) == len(report.phases)
    assert report.plan_words.startswith("slowest phase: ")
    for index, phase in enumerate(case.job.phases):
        flows = list(case.node_flows(phase))
        again = case.router.planned(flows, case.gbs)
        np.testing.assert_allclose(report.phases[index], again.loads(flows), atol=1e-12)
        np.testing.assert_allclose(report.phases[index], report.router(index).loads(flows), atol=1e-12)


def test_loads_and_causes_are_those_of_the_planned_routes(report):
    case, load = report.case, np.zeros(report.case.network.links)
    for index, phase in enumerate(case.job.phases):
        for block in case.node_flows(phase):
            for u, v, volume in zip(*block, strict=True):
                route = report.router(index).route(int(u), int(v))
                np.add.at(load, route.links, route.shares * volume)
    np.testing.assert_allclose(report.load, load, atol=1e-9)
    for link in report.hottest(4):
        told = explain(report, int(link))
        assert told.tasks.total == pytest.approx(told.load)
        assert sum(told.roles.values()) == pytest.approx(told.load)
        assert set(told.roles) <= set(case.router.roles)


def test_bounds_hold(report):
    for bound in bounds(report.case):
        assert bound.time <= report.time * (1 + 1e-9), bound.reason


def test_live_loads_refuse_planned_routing(report):
    live = LiveLoads(report)
    np.testing.assert_allclose(live.report().load, report.load, rtol=1e-6, atol=1e-9)
    slots = report.case.mapping.slots[:2]
    swap = Edit(np.array([0, 1], np.int32), slots, slots[::-1].copy())
    assert live.cost(swap) == NOT_FOLLOWED
    assert live.cost(no_edit()) == 0
    with pytest.raises(ValueError, match="loads cannot follow edits here"):
        live.apply(swap)
    np.testing.assert_array_equal(live.mapping.slots, report.case.mapping.slots)


def test_swaps_and_searches_explain_why_they_are_refused(report):
    advice = suggest_swaps(report)
    assert not advice.best
    assert "planned for all flows at once" in advice.declined
    for workers in (1, 2):
        with pytest.raises(SpecError, match=r"routing.type: .* search with minimal or adaptive"):
            optimise(report, Request(seconds=1.0, workers=workers))


def test_json_has_the_figures_of_each_plan(report):
    figures = evaluation_of(report, ()).plans
    assert len(figures) == len(report.phases)
    assert all(isinstance(value, float) for plan in figures for value in plan.values())
    unplanned = evaluate(PHASES.with_choice("routing", Adaptive()).build())
    assert evaluation_of(unplanned, ()).plans is UNSET
    assert unplanned.plan_words == ""


@pytest.mark.parametrize("routing", [ShortDimension(alpha=1, gamma=0), CongestionAware(rounds=5), Ugal(rounds=5)])
def test_a_single_route_is_planned_alone(routing):
    case = Scenario(Torus(dims=(8, 2)), Permutation(tasks=16, seed=1), Sequential(), routing).build()
    (flows,) = case.node_flows(case.job.phases[0])
    planned = case.router.planned([flows], case.gbs)
    np.testing.assert_allclose(case.router.loads([flows]), planned.loads([flows]), atol=1e-12)
    flow = NodeFlows(flows.src[:1], flows.dst[:1], np.ones(1))
    route = case.router.route(int(flow.src[0]), int(flow.dst[0]))
    alone = np.bincount(route.links, route.shares, case.network.links)
    np.testing.assert_allclose(case.router.loads([flow]), alone, atol=1e-12)
    link = int(np.argmax(alone))
    assert case.router.crossing(link, flow.src, flow.dst).sum() == pytest.approx(alone[link])


TASKS = 12


@st.composite
def phases_some_of_them_silent(draw):
    """Draw a sequence of phases: between nodes, within nodes, without flows, and pauses."""
    parts = []
    for kind in ("flows", *draw(st.lists(one_of_these(("flows", "within", "empty", "pause")), max_size=4))):
        flows = draw(flow_lists(TASKS, 4))
        dst = flows.src // 2 * 2 if kind == "within" else flows.dst
        listed = [] if kind == "empty" else list(zip(flows.src, dst, flows.volume, strict=True))
        src, dst, volume = zip(*listed, strict=True) if listed else ((), (), ())
        flows = Flows(tasks=TASKS, src=tuple(map(int, src)), dst=tuple(map(int, dst)), volume=tuple(map(float, volume)))
        parts.append(Pause(0.5) if kind == "pause" else flows)
    return Sequence(parts=tuple(draw(st.permutations(parts))), repeat=draw(st.integers(1, 2)))


@pytest.mark.parametrize("routing", [ShortDimension(alpha=1), CongestionAware(rounds=2), Ugal(rounds=2)])
@settings(max_examples=30)
@given(job=phases_some_of_them_silent())
def test_each_phase_has_its_own_plan_if_any(routing, job):
    report = evaluate(Scenario(Torus(dims=(3, 2), slots_per_node=2), job, Sequential(), routing).build())
    case, plans = report.case, evaluation_of(report, ()).plans
    assert len(plans) == len(report.notes) == len(case.job.phases)
    expected = []
    for phase, plan in zip(case.job.phases, plans, strict=True):
        flows = list(case.node_flows(phase))
        expected.append(case.router.planned(flows, case.gbs).note)
        assert plan == (None if expected[-1] is None else expected[-1].figures)
        assert (plan is None) == all((block.src == block.dst).all() for block in flows)
    slowest = expected[int(report.busy.max(axis=1).argmax())]
    start = "" if len(plans) == 1 else "slowest phase: "
    assert report.plan_words == ("" if slowest is None else start + slowest.words)
