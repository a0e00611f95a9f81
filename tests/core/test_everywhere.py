"""Every family under every routing, with volumes 10^21 apart, several tasks per node and faults: all figures agree."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.load.bounds import bounds, scope
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.mapping.mapping import Mapping
from tests.core.everywhere import added_up, flows, scenarios
from tests.core.load.test_far_apart import assert_same
from tests.core.load.test_live import random_edit

MOST = 30
"""Mappings drawn of a case with too many to try all."""


@settings(max_examples=120)
@given(scenarios())
def test_loads_are_those_of_all_routes_one_by_one(scenario):
    case = scenario.build()
    report = evaluate(case)
    time = 0.0
    for index, (phase, load) in enumerate(zip(case.job.phases, report.phases, strict=True)):
        wanted = added_up(case, phase, report.router(index))
        np.testing.assert_allclose(load, wanted, rtol=1e-9, atol=1e-12 * wanted.max(initial=0.0))
        time += np.divide(wanted, case.gbs, out=np.zeros(wanted.size), where=case.gbs > 0).max(initial=0.0)
    assert report.time == pytest.approx(time, rel=1e-9, abs=0)


@settings(max_examples=120)
@given(scenarios(plans=False), st.integers(0, 10**6))
def test_live_loads_follow_and_come_back_bit_by_bit(scenario, seed):
    case = scenario.build()
    rng, live, done = np.random.default_rng(seed), LiveLoads(evaluate(case)), []
    start = live.report().load
    for _ in range(4):
        edit = random_edit(rng, live, case)
        expected = live.preview(edit)
        live.apply(edit)
        assert live.outcome() == expected
        done.append(edit)
        assert_same(live)
    for edit in reversed(done):
        live.apply(edit.inverse())
    np.testing.assert_array_equal(live.report().load, start)


@settings(max_examples=60)
@given(scenarios(jobs=flows(most=4), slots=(1, 2)), st.integers(0, 99))
def test_no_mapping_exceeds_an_upper_bound(scenario, seed):
    case = scenario.build()
    assume(case.job.tasks > case.network.slots_per_node)  # else all may be on one node
    report, rng = evaluate(case), np.random.default_rng(seed)
    least = max((bound.time for bound in bounds(case, report)), default=0.0)
    assume(least > 0)  # otherwise there is nothing to test
    slots, tasks = case.network.slots, case.job.tasks
    ways = list(permutations(range(slots), tasks)) if slots <= 5 else []
    ways = ways or [rng.permutation(slots)[:tasks] for _ in range(MOST)]
    # And some that keep all tasks together.
    ways += [rng.permutation(min(slots, tasks + 2))[:tasks] for _ in range(10)]
    for way in ways:
        mapping = Mapping(np.array(way, np.int32), case.network.slots_per_node)
        other = evaluate(replace(case, mapping=mapping))
        # With failures the claim is about mappings that disconnect nothing.
        if not (scope(case) and other.disconnected):
            assert other.time >= least * (1 - 1e-9)
