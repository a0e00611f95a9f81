"""Networks of several connected components: only pairs that a job uses need a path."""

from dataclasses import replace

import msgspec
import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.figures.notes import notes_of
from core.job import AllToAll, Flows
from core.load.bounds import bounds
from core.load.bounds.bound import scope
from core.load.evaluate import evaluate
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping import Explicit, Random, Sequential
from core.mapping.edit import edit_moving
from core.network import Circulant, LinkFault
from core.routing import CongestionAware, FaultyRouter, Minimal, Ugal, Valiant
from core.timing import BarrierTiming, FairShare
from tests.core.load.test_live import assert_evaluated, random_edit
from tests.core.optimise.cases import METHODS, OBJECTIVES, remapped, searching
from tests.core.routing.graphs import Drawn, drawn_specs, split_specs
from tests.core.strategies import built, flow_lists

RINGS = Circulant(nodes=8, jumps=(2, 4))
"""Two rings of four: the even and the odd nodes."""
ROUTINGS = (Minimal(), Minimal(spread="equal"), Valiant(), Ugal(), CongestionAware())
APART = Scenario(RINGS, Flows(src=(0, 1), dst=(1, 2), volume=(1.0, 2.0)), Explicit((0, 2, 3)), Minimal())
"""Task 0 reaches task 1, which does not reach task 2."""


@given(split_specs())
def test_components_are_those_of_networkx(spec):
    network = built(spec)
    graph = nx.DiGraph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    graph.add_nodes_from(range(network.vertices))
    nodes = [{v for v in component if v < network.nodes} for component in nx.strongly_connected_components(graph)]
    expected = sorted(filter(None, nodes), key=lambda some: (-len(some), min(some)))
    assert not network.connected
    assert [set(np.flatnonzero(network.components == k).tolist()) for k in range(len(expected))] == expected
    assert network.components.max() == len(expected) - 1


@given(drawn_specs() | split_specs(), st.booleans())
def test_connected_networks_have_a_path_between_any_two_nodes(spec, closed):
    network = msgspec.structs.replace(spec, closed=closed).build()
    graph = nx.DiGraph(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    graph.add_nodes_from(range(network.vertices))

    def reached(node):
        others = set(range(network.closed)) - {node}
        switches = nx.descendants(graph.subgraph(set(graph) - others), node) | {node}
        return switches | {v for u in switches for v in graph.successors(u)}

    assert network.connected == all(reached(node) >= set(range(network.nodes)) for node in range(network.nodes))


def test_two_rails_with_a_host_on_one_of_them_are_not_connected():
    # Node 1 is on both switches; paths do not lead through it from node 0 to node 2.
    rails = Drawn(nodes=3, switches=2, pairs=((0, 3), (1, 3), (1, 4), (2, 4)), closed=True)
    report = evaluate(Scenario(rails, AllToAll(3), Sequential(), Minimal()).build())
    assert report.disconnected.count == 2
    assert report.case.network.components.tolist() == [0, 0, 0]


@pytest.mark.parametrize("routing", ROUTINGS, ids=lambda routing: f"{routing.tag()}-{getattr(routing, 'spread', '')}")
def test_a_job_inside_one_component_is_as_on_a_network_of_its_own(routing):
    inside = evaluate(Scenario(RINGS, AllToAll(4), Explicit((1, 3, 5, 7)), routing).build())
    alone = evaluate(Scenario(Circulant(nodes=4, jumps=(1, 2)), AllToAll(4), Sequential(), routing).build())
    assert not inside.disconnected
    assert inside.time == pytest.approx(alone.time)
    assert sorted(inside.load.tolist()) == pytest.approx([0.0] * alone.load.size + sorted(alone.load.tolist()))


@given(split_specs(), st.data(), st.sampled_from(ROUTINGS))
def test_flows_between_components_are_disconnected(spec, data, routing):
    network = built(spec)
    flows = data.draw(flow_lists(network.slots, 8))
    job = Flows(tasks=network.slots, **{name: tuple(array.tolist()) for name, array in flows._asdict().items()})
    case = Scenario(spec, job, Random(1), routing).build()
    component = network.components[case.mapping.nodes]
    expected = (component[flows.src] != component[flows.dst]) & (flows.volume > 0)
    report = evaluate(case)
    assert report.disconnected.count == expected.sum()
    assert report.disconnected.volume == pytest.approx(flows.volume[expected].sum())
    arriving = np.bincount(network.dst, report.load, network.vertices) - np.bincount(
        network.src, report.load, network.vertices
    )
    node, volume = case.mapping.nodes, np.where(expected, 0.0, flows.volume)
    wanted = np.bincount(node[flows.dst], volume, network.vertices) - np.bincount(
        node[flows.src], volume, network.vertices
    )
    np.testing.assert_allclose(arriving, wanted, atol=1e-9 * max(volume.sum(), 1.0))


def test_a_disconnected_pair_of_tasks_is_named():
    report = evaluate(APART.build())
    (note,) = notes_of(report)
    reason = "task 1 on 2 cannot reach task 2 on 3, in another connected component of the network"
    assert note == f"1 flow (2 GB) is disconnected: {reason}"
    assert not bounds(report.case, report)
    assert scope(report.case) == " if no flow is disconnected"


@given(split_specs(), st.data(), st.integers(0, 10**6))
def test_live_edits_between_components_match_an_evaluation(spec, data, seed):
    network = built(spec)
    job = AllToAll(data.draw(st.integers(2, network.slots)))
    case = Scenario(spec, job, Sequential(), data.draw(st.sampled_from(ROUTINGS[:3]))).build()
    live, rng = LiveLoads(evaluate(case)), np.random.default_rng(seed)
    for _ in range(5):
        live.apply(random_edit(rng, live, case))
    report, full = assert_evaluated(live)
    assert report.disconnected.count == full.disconnected.count
    assert report.disconnected.volume == pytest.approx(full.disconnected.volume)


def test_a_task_that_moves_to_another_component_disconnects_its_flows():
    case = replace(APART, mapping=Explicit((0, 2, 4))).build()
    live = LiveLoads(evaluate(case))
    edit = edit_moving(live.mapping, np.array([2]), np.array([5]), live.occupant)
    live.apply(edit)
    assert live.report().disconnected.sentence.startswith("1 flow (2 GB) is disconnected: task 1 on 2 cannot reach")
    live.apply(edit.inverse())
    assert not live.report().disconnected


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.tag())
@pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda objective: objective.tag())
def test_searches_bring_partners_into_one_component(objective, method):
    case = APART.build()
    search = searching(case, objective, method)
    search.advance(200)
    assert not evaluate(remapped(case, search.slots)).disconnected


@pytest.mark.parametrize("timing", [BarrierTiming(), FairShare()], ids=lambda timing: timing.tag())
def test_timelines_play_the_other_flows(timing):
    case = APART.build()
    alone = replace(APART, job=Flows(tasks=3, src=(0,), dst=(1,), volume=(1.0,))).build()
    assert timing.timeline(case).seconds == pytest.approx(timing.timeline(alone).seconds)


def test_faults_and_components_are_both_respected():
    case = replace(APART, faults=(LinkFault(src=0, dst=2), LinkFault(0, 4), LinkFault(0, 6))).build()
    assert isinstance(case.router, FaultyRouter)
    assert evaluate(case).disconnected.count == 2
    assert replace(APART, faults=()).build(case).router is not case.router
    assert replace(APART, mapping=Explicit((0, 2, 4))).build(APART.build()).router is not None


def test_a_router_is_kept_while_the_mapping_changes():
    case = APART.build()
    assert replace(APART, mapping=Sequential()).build(case).router is case.router
