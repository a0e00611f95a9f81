"""All declared mappings side by side."""

import pytest

from core.job import Halo
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import FatTree, Torus
from core.optimise.strategies import strategy_results
from core.routing import DimensionOrder, Minimal

CASES = {
    "torus": Scenario(Torus((8, 8), slots_per_node=2), Halo(8, 16), Random(seed=1), DimensionOrder()),
    "tree": Scenario(FatTree(4, 2, slots_per_node=4), Halo(8, 8), Sequential(), Minimal(), down=("3",)),
}


@pytest.mark.parametrize("scenario", CASES.values(), ids=CASES)
def test_each_is_evaluated_as_a_scenario_with_it_is_and_the_fastest_comes_first(scenario):
    if scenario.down:
        scenario = Scenario(**{**vars(scenario), "job": Halo(4, 8)})
    found = strategy_results(scenario.build())
    names = [one.name for one in found]
    assert len(names) == len(set(names))
    assert {"Sequential", "TreeMatch", "Structured: Hilbert to Hilbert"} <= {*names}
    assert [one.time for one in found] == sorted(one.time for one in found)
    for one in found:
        report = evaluate(scenario.with_choice("mapping", one.strategy).build())
        assert (report.throughput_gbs, report.time) == pytest.approx((one.throughput_gbs, one.time))
        assert report.load.sum() == pytest.approx(one.hops)
