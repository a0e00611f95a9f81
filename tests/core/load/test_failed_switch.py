"""A failed switch equals the failure of all its links: in loads, live loads and explanations."""

from dataclasses import replace

import numpy as np
import pytest

from core.job import Halo
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Dragonfly, FatTree, Faults, LinkFault, NodeFault
from core.routing import CongestionAware, Minimal, Valiant
from tests.core.load.test_live import assert_evaluated, random_edit

TREE = FatTree(arity=3, levels=3)
GROUPS = Dragonfly(routers=3, global_links=1, groups=4, nodes_per_router=2)
SWITCHES = (
    pytest.param(TREE, "L3 switch 0", False, id="top"),
    pytest.param(TREE, "L2 switch 3", False, id="middle"),
    pytest.param(TREE, "L1 switch 4", True, id="lowest"),
    pytest.param(GROUPS, "g1 · r2", True, id="router"),
)
ROUTINGS = {
    "single": Minimal(spread="single"),
    "equal": Minimal(spread="equal"),
    "Valiant": Valiant(),
    "congestion": CongestionAware(),
}


def scenario_of(spec, routing=ROUTINGS["equal"]):
    return Scenario(spec, Halo(rows=4, cols=6), Random(3), routing)


def switch_of(spec, label):
    network = spec.build()
    return next(v for v in range(network.nodes, network.vertices) if network.label(v) == label)


@pytest.mark.parametrize("routing", ROUTINGS.values(), ids=ROUTINGS.keys())
@pytest.mark.parametrize(("spec", "label", "cuts"), SWITCHES)
def test_a_failed_switch_equals_its_failed_links(spec, label, cuts, routing):
    scenario, network, switch = scenario_of(spec, routing), spec.build(), switch_of(spec, label)
    cables = {LinkFault.of(network, int(link)) for link in np.flatnonzero(network.src == switch)}
    assert len(cables) > 2
    report = evaluate(replace(scenario, faults=(NodeFault(switch),)).build())
    parts = evaluate(replace(scenario, faults=tuple(cables)).build())
    sound = evaluate(scenario.build())
    np.testing.assert_array_equal(report.load, parts.load)
    assert not report.load[(network.src == switch) | (network.dst == switch)].any()
    assert sound.load[(network.src == switch) | (network.dst == switch)].any()
    assert (report.time, report.disconnected.count) == (parts.time, parts.disconnected.count)
    assert report.disconnected.volume == parts.disconnected.volume
    assert bool(report.disconnected.count) == cuts
    assert report.disconnected.stranded == 0


@pytest.mark.parametrize("routing", list(ROUTINGS.values())[:3], ids=list(ROUTINGS)[:3])
@pytest.mark.parametrize(("spec", "label", "cuts"), SWITCHES)
def test_edits_and_explanations_work_around_a_failed_switch(spec, label, cuts, routing):
    switch = switch_of(spec, label)
    case = replace(scenario_of(spec, routing), faults=(NodeFault(switch),)).build()
    rng, live, cut = np.random.default_rng(5), LiveLoads(evaluate(case)), 0
    for _ in range(15):
        live.apply(random_edit(rng, live, case))
        report, full = assert_evaluated(live)
        assert report.disconnected.count == full.disconnected.count
        cut += report.disconnected.count
    assert bool(cut) == cuts
    hottest = int(np.argmax(report.load))
    explanation = explain(report, hottest)
    for parts in (explanation.tasks, explanation.groups):
        assert parts.total == pytest.approx(report.load[hottest])
    assert explain(report, int(np.flatnonzero(case.network.src == switch)[0])).load == 0


def test_slow_switches_carry_the_same_load_more_slowly():
    switch, scenario = switch_of(TREE, "L3 switch 4"), scenario_of(TREE)
    slow = evaluate(replace(scenario, faults=(NodeFault(switch, 0.25),)).build())
    np.testing.assert_array_equal(slow.load, evaluate(scenario.build()).load)
    assert slow.time > evaluate(scenario.build()).time
    faults = Faults.of(TREE.build(), (NodeFault(switch), NodeFault(0), NodeFault(switch + 1)))
    # The two switches have three cables each, the node has one.
    assert faults.words() == "14 links failed, 1 node failed, 2 switches failed"
