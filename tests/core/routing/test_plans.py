"""Plans around failed and slow links: never below the optimum of a linear programme, and as close to it as stated."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.job import Flows
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import Dragonfly, HyperX, Xgft
from core.network.faults import NodeFault
from core.routing import CongestionAware, Ugal
from tests.core.routing.graphs import kept_specs, split_specs
from tests.core.strategies import built, faults_of, flow_lists
from tests.oracle.least_time import over_any_paths, over_one_intermediate

CLOSE = 1 + 1e-6
TIGHT = (CongestionAware(tolerance=0.5, rounds=100), Ugal(tolerance=0.5, rounds=200))


def optimum(case):
    """The minimum time that the routing's paths allow."""
    network = case.network
    links = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    flows = [flow for block in case.node_flows(case.job.phases[0]) for flow in zip(*map(list, block), strict=True)]
    if isinstance(case.scenario.routing, CongestionAware):
        return over_any_paths(links, case.gbs.tolist(), network.vertices, flows)
    return over_one_intermediate(links, case.gbs.tolist(), network.nodes, network.vertices, flows)


SWITCHED = (
    HyperX(dims=(4,), nodes_per_switch=2, gbs=1.0, host_gbs=1.0),
    Dragonfly(routers=2, global_links=1, groups=3, nodes_per_router=2),
    Xgft(down=(2, 3), up=(1, 2), parallel=(1, 1)),
)


@st.composite
def faulty_machines(draw):
    """Draw a network with failed and slow links and nodes, and possibly a failed switch that disconnects its nodes."""
    spec = draw(kept_specs(most=7) | split_specs(most=5) | st.sampled_from(SWITCHED))
    network = built(spec)
    failed = draw(st.lists(st.integers(0, network.vertices - 1), max_size=1))
    return spec, (*draw(faults_of(network)), *map(NodeFault, failed))


@pytest.mark.parametrize("routing", TIGHT, ids=lambda routing: routing.tag())
@settings(max_examples=30)
@given(st.data(), faulty_machines())
def test_the_plan_bounds_the_optimum_and_the_time_is_within_the_stated_gap(routing, data, machine):
    spec, faults = machine
    network = built(spec)
    tasks = network.nodes * network.slots_per_node
    flows = data.draw(flow_lists(tasks, 8))
    job = Flows(tasks=tasks, **{name: tuple(array.tolist()) for name, array in flows._asdict().items()})
    report = evaluate(Scenario(spec, job, Sequential(), routing, faults=faults).build())
    best, note = optimum(report.case), report.notes[0]
    assert best <= report.time * CLOSE
    if note is None:
        assert report.time == pytest.approx(best)
    else:
        assert note.figures["time"] == pytest.approx(report.time)
        assert note.figures["bound"] <= best * CLOSE
        assert report.time <= best * (1 + note.figures["gap"]) * CLOSE


@pytest.mark.parametrize("routing", TIGHT, ids=lambda routing: routing.tag())
def test_a_disconnected_flow_changes_no_plan(routing):
    # 1 GB goes directly between switches 0 and 1, 1 GB over switch 2; the flow to the failed switch 3 weighs nothing.
    network = HyperX(dims=(4,), nodes_per_switch=2, gbs=1.0, host_gbs=1.0)
    reports = []
    for dst in ((2, 3, 6), (2, 3)):
        job = Flows(tasks=8, src=(0, 1, 0)[: len(dst)], dst=dst, volume=(1.0, 1.0, 10.0)[: len(dst)])
        reports.append(evaluate(Scenario(network, job, Sequential(), routing, faults=(NodeFault(11),)).build()))
    cut, unfailed = reports
    assert (cut.disconnected.count, unfailed.disconnected.count) == (1, 0)
    assert cut.notes == unfailed.notes
    assert (cut.load == unfailed.load).all()
    assert cut.time == pytest.approx(1.0, rel=0.02)
