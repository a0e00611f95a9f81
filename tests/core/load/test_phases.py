"""Jobs of many phases: sums are kept, and the loads of a phase are evaluated on request."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import Allreduce, AllToAll
from core.load import live, phases
from core.load.evaluate import evaluate
from core.load.live import NOT_FOLLOWED, LiveLoads
from core.load.scenario import Scenario
from core.load.swap_suggestions import ADDED_UP, suggest_swaps
from core.mapping import Random
from core.mapping.edit import Edit
from core.network import Percs, Torus
from core.optimise import problem
from core.optimise.objective import Throughput
from core.optimise.problem import Problem
from core.routing import Adaptive, PercsDirect, ShortDimension
from core.spec import SpecError
from tests.core.everywhere import added_up
from tests.core.strategies import fitting, jobs

PAIRWISE = Scenario(Percs(2, 8), AllToAll(64, "pairwise"), Random(1), PercsDirect())


@given(st.data())
def test_sums_are_those_of_the_phases(data):
    job = fitting(data.draw, jobs, lambda job: job.build().tasks <= 48)
    report = evaluate(Scenario(Torus(dims=(3, 4), slots_per_node=4), job, Random(3), Adaptive()).build())
    classes = report.case.network.classes
    np.testing.assert_allclose(report.load, sum(report.phases), rtol=1e-12)
    for loads, busy, sent in zip(report.phases, report.busy, report.sent, strict=True):
        np.testing.assert_allclose(busy, [(loads / report.case.gbs)[c.links].max() for c in classes])
        np.testing.assert_allclose(sent, [loads[c.links].sum() for c in classes])
    assert report.highest == pytest.approx(max(loads.max() for loads in report.phases))


@pytest.mark.parametrize("scenario", [PAIRWISE, Scenario(Torus((4, 4)), Allreduce(16), Random(2), ShortDimension())])
def test_few_phases_are_cached_and_the_others_recomputed(scenario, monkeypatch):
    full_report, asked, loads_of = evaluate(scenario.build()), [], phases.phase_loads
    monkeypatch.setattr(phases, "KEPT_LOADS", 2 * full_report.load.size)
    monkeypatch.setattr(phases, "phase_loads", lambda case, phase, *rest: asked.append(phase) or loads_of(case, phase))
    report = evaluate(scenario.build())
    count = len(report.phases)
    assert len(asked) == count == len(scenario.job.build().phases)
    for phase, loads in enumerate(full_report.phases):
        np.testing.assert_array_equal(report.phases[phase], loads)
    assert len(asked) == 2 * count
    assert report.phases[count - 1] is report.phases[count - 1]
    assert len(asked) == 2 * count


def test_edits_beyond_the_memory_limit_are_not_followed_but_figures_are_known(monkeypatch):
    report = evaluate(PAIRWISE.build())
    outcome = LiveLoads(report).outcome()
    monkeypatch.setattr(live, "MAX_NUMBERS", 0)
    loads, slots = LiveLoads(report), report.case.mapping.slots
    step = Edit(np.arange(2, dtype=np.int32), slots[:2].copy(), slots[1::-1].copy())
    assert loads.cost(step) == NOT_FOLLOWED
    assert loads.outcome().time == pytest.approx(outcome.time)
    assert loads.outcome().max_loads == pytest.approx(outcome.max_loads)
    assert loads.report().time == report.time
    assert suggest_swaps(report).declined == ADDED_UP


def test_a_search_of_more_phases_than_fit_is_refused(monkeypatch):
    report = evaluate(PAIRWISE.build())
    monkeypatch.setattr(problem, "MAX_LOADS", 5 * report.load.size)
    with pytest.raises(SpecError, match=f"has 63 phases; with {report.load.size:,} links at most 5 can be searched"):
        Problem.of(report, Throughput())


def test_every_phase_matches_the_oracle():
    report = evaluate(PAIRWISE.build())
    for phase, loads in zip(report.case.job.phases, report.phases, strict=True):
        np.testing.assert_allclose(loads, added_up(report.case, phase, report.case.router), atol=1e-12)
