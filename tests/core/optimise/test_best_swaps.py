"""Best single swaps: each is the best of all, and the last leaves none."""

from dataclasses import replace

import numpy as np
import pytest

from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import ModColour, Random
from core.mapping.mapping import Mapping
from core.network import Mesh, Percs, Torus
from core.optimise.method import AnyMethod, BestSwaps
from core.optimise.move_constraints import MoveConstraints
from core.optimise.objective import HopBytes
from core.optimise.portions import search_on_cluster
from core.optimise.request import Request, ignore_result
from core.optimise.run import optimise
from core.routing import CongestionAware, DimensionOrder, PercsDirect
from core.spec import Cancelled, SpecError, from_plain
from tests.core.load.test_swap_suggestions import SMALL
from tests.oracle.best_swaps import best_of_all

LARGE = Scenario(Percs(8, 4), Halo(16, 64), Random(seed=1), PercsDirect())


def request(**settings):
    return Request(**({"method": BestSwaps(), "seconds": None} | settings))


def course(scenario, **settings):
    """The report at the start, the results after each swap, and the last."""
    report, results = evaluate(scenario.build()), []

    def listen(result):
        if result.swaps == len(results) + 1:
            results.append(result)

    return report, results, optimise(report, request(**settings), listen)


def judge(report, constraints):
    """Return a function from mappings to (time, hottest links), or None for worse losses or forbidden moves."""
    case, old = report.case, report.case.mapping
    group = {level.name: level.group for level in case.network.levels}.get(constraints.within)

    def outcome(mapping):
        moved = np.flatnonzero(mapping.slots != old.slots)
        if np.isin(moved, constraints.pinned).any():
            return None
        if not constraints.empty and not np.array_equal(np.sort(mapping.slots), np.sort(old.slots)):
            return None
        if group is not None and (group[mapping.nodes] != group[old.nodes]).any():
            return None
        new = evaluate(replace(case, mapping=mapping))
        if new.disconnected.count > report.disconnected.count:
            return None
        return new.time, new.bottleneck_links.size

    return outcome


def check_steps(report, results, constraints=None):
    """Check each swap, and the end, against all swaps."""
    now, constraints = report, constraints or MoveConstraints()
    for result in [*results, None]:
        best = best_of_all(now.case.mapping, now.case.network.slots, judge(now, constraints))
        if result is None:
            assert best is None
            return
        mapping = Mapping(result.slots, now.case.network.slots_per_node)
        assert np.count_nonzero(mapping.slots != now.case.mapping.slots) in (1, 2)
        now = evaluate(replace(now.case, mapping=mapping))
        assert (now.time, now.bottleneck_links.size) == (pytest.approx(best[0], rel=1e-9), best[1])
        assert (result.best, result.hot) == (pytest.approx(now.time, rel=1e-9), now.bottleneck_links.size)


@pytest.mark.parametrize("name", SMALL)
def test_each_swap_is_the_best_until_none_helps(name):
    report, results, last = course(SMALL[name])
    check_steps(report, results)
    assert last.swaps == len(results)
    assert (last.start, last.start_hot) == (report.time, report.bottleneck_links.size)
    assert last.better == bool(results)
    assert last.ended


def test_the_small_cases_include_several_swaps():
    assert max(course(scenario)[2].swaps for scenario in SMALL.values()) >= 3


def test_swaps_keep_within_the_constraints():
    scenario = Scenario(Mesh((3, 3), slots_per_node=2), Halo(3, 4), Random(seed=2), DimensionOrder())
    for constraints in (
        MoveConstraints(pinned=np.arange(6, dtype=np.int32)),
        MoveConstraints(empty=False),
        MoveConstraints(within=evaluate(scenario.build()).case.network.levels[0].name),
    ):
        report, results, _ = course(scenario, constraints=constraints)
        check_steps(report, results, constraints)


def test_a_swap_that_only_leaves_fewer_hottest_links_is_better_too():
    scenario = Scenario(Percs(32, 4), Halo(64, 64), ModColour(), PercsDirect())
    report, results, last = course(scenario, steps=4000)
    assert results[0].best == pytest.approx(report.time)
    assert results[0].hot < report.bottleneck_links.size
    assert results[0].better
    assert last.steps == 4000


def test_the_same_mapping_gives_the_same_swaps():
    first, second = (course(LARGE, steps=6000)[2] for _ in range(2))
    np.testing.assert_array_equal(first.slots, second.slots)
    assert first.swaps == second.swaps > 0
    assert first.best < first.start


def test_a_stopped_search_keeps_its_swaps_and_continues():
    report = evaluate(SMALL["percs"].build())

    def stop(result):
        if result.swaps == 1:
            raise Cancelled

    stopped = optimise(report, request(), stop)
    assert stopped.swaps == 1
    assert stopped.better
    rest, entire = optimise(report, request(), ignore_result, stopped), optimise(report, request())
    np.testing.assert_array_equal(rest.slots, entire.slots)
    assert (rest.start, rest.start_hot, rest.swaps) == (report.time, entire.start_hot, entire.swaps)


def test_workers_are_not_needed():
    report = evaluate(SMALL["percs"].build())
    alone, asked = optimise(report, request()), optimise(report, request(workers=2, apart=True))
    np.testing.assert_array_equal(alone.slots, asked.slots)


def test_unsupported_requests_are_refused():
    report = evaluate(SMALL["percs"].build())

    def field(**settings):
        with pytest.raises(SpecError) as caught:
            optimise(report, request(**settings))
        return caught.value.field

    assert field(objective=HopBytes()) == "objective"
    assert field(constraints=MoveConstraints(unit="node")) == "unit"
    with pytest.raises(SpecError, match="runs in a single process"):
        search_on_cluster(None, report, request(), ignore_result)
    planned = Scenario(Torus((4, 4)), Halo(4, 4), Random(1), CongestionAware())
    with pytest.raises(SpecError, match="planned for all flows at once"):
        optimise(evaluate(planned.build()), request())


def test_best_swaps_can_be_written_as_a_method():
    assert from_plain({"type": "best-swaps"}, AnyMethod) == BestSwaps()
    assert list(BestSwaps().rounds(MoveConstraints(), SMALL["percs"].build().network, 0)) == []
