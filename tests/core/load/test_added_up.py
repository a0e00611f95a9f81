"""Flows added up between nodes before routing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll, Halo
from core.job.job import UniformPhase
from core.load.compatibility import fitted
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.scenario import Scenario
from core.load.swap_suggestions import ADDED_UP, suggest_swaps
from core.mapping import Random
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect
from core.spec import SpecError


def volumes(flows, nodes):
    """The volume from every node to every other."""
    by_node = np.zeros((nodes, nodes))
    for src, dst, volume in flows:
        np.add.at(by_node, (src, dst), volume)
    return by_node


@given(st.integers(1, 60), st.integers(1, 5), st.integers(0, 99))
def test_summed_all_to_all_equals_the_sum_of_its_flows(tasks, slots, seed):
    network = Torus((3, 4), slots_per_node=slots)
    tasks = min(tasks, 12 * slots)
    case = Scenario(network, AllToAll(tasks), Random(seed), DimensionOrder()).build()
    (phase,) = case.job.phases
    node = case.mapping.nodes
    one_by_one = ((node[b.src], node[b.dst], b.volume) for _, b in phase.blocks())
    expected = volumes(one_by_one, 12)
    blocks = list(case.added_up(phase))
    np.testing.assert_allclose(volumes((b for _, b in blocks), 12), expected, rtol=1e-12)
    np.testing.assert_allclose(volumes(case.node_flows(phase), 12), expected, rtol=1e-12)
    assert blocks[-1][0] == 1.0
    keys = np.concatenate([b.src.astype(int) * 12 + b.dst for _, b in blocks])
    assert np.unique(keys).size == keys.size


def test_flows_are_summed_if_that_makes_fewer():
    case = Scenario(Percs(2, 1), AllToAll(256), Random(), PercsDirect()).build()
    (phase,) = case.job.phases
    assert sum(flows.src.size for flows in case.node_flows(phase)) == 64**2
    halo = Scenario(Percs(2, 1), Halo(16, 16), Random(), PercsDirect()).build()
    assert not isinstance(halo.job.phases[0], UniformPhase)
    assert sum(flows.src.size for flows in halo.node_flows(halo.job.phases[0])) == 4 * 256


@pytest.fixture
def many():
    """More flows than can be routed one by one, 2^36, between 64 nodes."""
    return Scenario(Torus((8, 8), slots_per_node=1024), AllToAll(1 << 16), Random(), DimensionOrder())


def test_too_many_flows_are_evaluated_summed(monkeypatch, many):
    few = evaluate(Scenario(Torus((8, 8)), AllToAll(64), Random(), DimensionOrder()).build())
    for place in ("scenario", "explain", "swap_suggestions"):
        monkeypatch.setattr(f"core.load.{place}.MAX_FLOWS", 1 << 20)
    report = evaluate(many.build())
    np.testing.assert_allclose(report.load, few.load * 1024, rtol=1e-9)
    link = int(report.hottest(1)[0])
    explanation = explain(report, link)
    assert explanation.groups.total == pytest.approx(explanation.load)
    assert sum(explanation.roles.values()) == pytest.approx(explanation.load)
    assert (explanation.tasks.src.size, explanation.tasks.others) == (0, pytest.approx(explanation.load))
    assert suggest_swaps(report).declined == ADDED_UP


def test_too_many_nodes_are_refused_and_fitted():
    wanted = Scenario(Torus((64, 64, 64)), AllToAll(1 << 18), Random(), DimensionOrder())
    with pytest.raises(SpecError, match=r"makes 68,719,476,736 flows.* at most 17,179,869,184") as refusal:
        wanted.build()
    assert refusal.value.field == "job.tasks"
    assert fitted(wanted).job == AllToAll(1 << 17)
