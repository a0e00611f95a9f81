"""Comparison of all declared mappings."""

import pytest

from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import FatTree, Torus
from core.optimise.mapping_figures import MappingFigures
from core.optimise.method import Annealing
from core.optimise.objective import AllJobs, Contention, HopBytes, Mix, Seconds, TotalHops
from core.optimise.request import Request
from core.optimise.run import optimise
from core.optimise.strategies import strategy_results
from core.routing import DimensionOrder, Minimal

CASES = {
    "torus": Scenario(Torus((8, 8), slots_per_node=2), Halo(8, 16), Random(seed=1), DimensionOrder()),
    "tree": Scenario(FatTree(4, 2, slots_per_node=4), Halo(8, 8), Sequential(), Minimal(), down=("3",)),
}


@pytest.mark.parametrize("scenario", CASES.values(), ids=CASES)
def test_strategies_are_evaluated_as_scenarios_and_sorted_by_speed(scenario):
    if scenario.down:
        scenario = Scenario(**{**vars(scenario), "job": Halo(4, 8)})
    results = strategy_results(scenario.build())
    names = [result.name for result in results]
    assert len(names) == len(set(names))
    assert {"Sequential", "TreeMatch", "Structured: Hilbert to Hilbert"} <= {*names}
    assert [result.time for result in results] == sorted(result.time for result in results)
    for result in results:
        report = evaluate(scenario.with_choice("mapping", result.strategy).build())
        assert (report.throughput_gbs, report.time) == pytest.approx((result.throughput_gbs, result.time))
        assert report.load.sum() == pytest.approx(result.hops)


@pytest.mark.parametrize("objective", [HopBytes(), TotalHops(), Contention(), Seconds(), AllJobs(), Mix()])
def test_strategies_have_the_figures_of_any_objective(objective):
    case = CASES["torus"].build()
    report = evaluate(case)
    results = strategy_results(case, figure_of=MappingFigures(report, objective).of)
    assert [result.figure for result in results] == sorted(result.figure for result in results)
    for result in results[:: len(results) - 1]:
        again = evaluate(CASES["torus"].with_choice("mapping", result.strategy).build())
        search = optimise(again, Request(objective, Annealing(), seconds=None, steps=1))
        if not isinstance(objective, Mix):
            assert result.figure == pytest.approx(search.start)
    if isinstance(objective, Mix):  # relative to the given mapping
        assert MappingFigures(report, objective).of(case.mapping.slots) == pytest.approx(
            optimise(report, Request(objective, Annealing(), seconds=None, steps=1)).start
        )
