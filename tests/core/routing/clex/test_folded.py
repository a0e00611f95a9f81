"""CLEX's own routing on aggregated networks: equal to the sums of the same routing on the full network."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.job import AllToAll, Permutation
from core.load.bounds import bounds
from core.load.evaluate import evaluate
from core.load.explain import explain
from core.load.live import NOT_FOLLOWED, LiveLoads
from core.load.scenario import Scenario
from core.load.swap_suggestions import FOLDED, suggest_swaps
from core.mapping import Random, Sequential
from core.mapping.edit import Edit, no_edit
from core.network import Clex, NodeFault
from core.network.families import clex as module
from core.optimise.problem import check_follows
from core.routing import ClexRouting, CongestionAware, Minimal, Valiant
from core.routing.flows import NodeFlows
from core.spec import SpecError

SIZES = [(3, 2), (4, 2), (2, 3), (3, 3), (2, 4), (2, 5)]


@st.composite
def routed(draw):
    """A CLEX of two levels or more, and a routing on it."""
    k, levels = draw(st.sampled_from(SIZES))
    if draw(st.booleans()):
        return Clex(k=k, levels=levels), ClexRouting("ordered")
    share = draw(st.sampled_from([0.0, 0.25, 1.0])) if k > 2 else 0.0
    return Clex(k=k, levels=levels, fat_links=draw(st.booleans())), ClexRouting(relayed=share)


def pairs(count):
    return (end.ravel().astype(np.int32) for end in np.indices((count, count)))


@given(routed(), st.integers(0, 99))
def test_loads_are_the_mean_between_two_cliques(case, seed):
    spec, routing = case
    full, folded = spec.build(), spec.build_folded()
    volume = np.random.default_rng(seed).random((folded.nodes, folded.nodes))
    even = np.repeat(np.repeat(volume, spec.k, 0), spec.k, 1) / spec.k**2
    loads = routing.router(full).loads([NodeFlows(*pairs(full.nodes), even.ravel())])
    link_loads = routing.router(folded).loads([NodeFlows(*pairs(folded.nodes), volume.ravel())])
    for real, kept in zip(full.classes, folded.classes, strict=True):
        key = full.src[real.links] // spec.k * folded.nodes + full.dst[real.links] // spec.k
        between = np.bincount(key, loads[real.links], folded.nodes**2)
        of = folded.src[kept.links] * folded.nodes + folded.dst[kept.links]
        np.testing.assert_allclose(link_loads[kept.links] * kept.multiplicity, between[of], rtol=1e-11)


@given(routed(), st.integers(0, 99))
def test_loads_routes_crossings_and_hops_agree(case, seed):
    spec, routing = case
    folded = spec.build_folded()
    router, random = routing.router(folded), np.random.default_rng(seed)
    src, dst = random.integers(0, folded.nodes, (2, 5)).astype(np.int32)
    flows = NodeFlows(np.append(src, 0).astype(np.int32), np.append(dst, 0).astype(np.int32), random.random(6))
    by_role = np.zeros((len(router.roles), folded.links))
    for u, v, volume in zip(*flows, strict=True):
        route = router.route(int(u), int(v))
        np.add.at(by_role, (route.roles, route.links), route.shares * volume)
        crossed = (route.shares * folded.multiplicity[route.links]).sum()
        assert router.hops(np.array([u]), np.array([v]))[0] == pytest.approx(crossed)
    np.testing.assert_allclose(router.loads([flows]), by_role.sum(axis=0), rtol=1e-12, atol=1e-12)
    for link in range(0, folded.links, max(folded.links // 15, 1)):
        np.testing.assert_allclose(
            router.crossing(link, flows.src, flows.dst) @ flows.volume, by_role[:, link], atol=1e-15
        )


def evaluated(spec, routing, mapping=None):
    job = AllToAll(spec.k**spec.levels * spec.slots_per_node)
    return evaluate(Scenario(spec, job, mapping or Sequential(), routing).build())


@cache
def evaluated_64_to_the_3(routing):
    return evaluated(Clex(k=64, levels=3), routing)


@pytest.mark.parametrize("routing", [ClexRouting(), ClexRouting(relayed=0.5), ClexRouting("ordered")])
@pytest.mark.parametrize("slots", [1, 2])
def test_all_to_all_matches_the_full_network(monkeypatch, routing, slots):
    spec = Clex(k=4, levels=3, slots_per_node=slots)
    full = evaluated(spec, routing)
    monkeypatch.setattr(module, "MAX_LINKS", 100)
    folded = evaluated(spec, routing, Random(seed=3))
    assert folded.case.network.aggregation == 4
    for ours, full_class in zip(folded.classes, full.classes, strict=True):
        for name in ("name", "links", "gbs", "mean_load", "sum_load"):
            assert getattr(ours, name) == pytest.approx(getattr(full_class, name)), name
        # Traffic of nodes to themselves is absent from some links of a clique and not from others.
        assert full_class.max_load - slots / 64 <= ours.max_load <= full_class.max_load * (1 + 1e-9)
    assert folded.throughput_gbs == pytest.approx(full.throughput_gbs, rel=0.03)
    assert LiveLoads(folded).throughput_gbs == pytest.approx(folded.throughput_gbs)
    all_bounds = bounds(folded.case, folded)
    assert all_bounds
    assert all(bound.time <= folded.time * (1 + 1e-9) for bound in all_bounds)


@pytest.mark.parametrize(
    ("routing", "loads"),
    [
        (ClexRouting(), (4 / 64, 2 / 64, 1 / 64)),
        (ClexRouting(relayed=0.33), (4 * 1.33 / 64, 2 / 64, 1 / 64)),
        (ClexRouting("ordered"), (1 / 64, 1 / 64, 1 / 64)),
    ],
)
def test_all_to_all_on_64_to_the_3_has_the_loads_of_the_formulas(routing, loads):
    # S 2^(t - l) / k, one unit per node; a 2^-18th, the traffic of nodes to themselves, stays local.
    report = evaluated_64_to_the_3(routing)
    assert [c.max_load for c in report.classes] == pytest.approx(loads, rel=1e-5)
    assert [c.mean_load for c in report.classes] == pytest.approx(loads, rel=1e-5)
    assert report.throughput_gbs == pytest.approx(12.5 / max(loads), rel=1e-5)


def test_a_link_of_64_to_the_3_is_explained_by_pair_of_copies():
    report = evaluated_64_to_the_3(ClexRouting())
    explanation = explain(report, 4096 + 70)
    assert sum(explanation.roles.values()) == pytest.approx(explanation.load)
    assert explanation.groups.total == pytest.approx(explanation.load)
    assert (explanation.tasks.src.size, explanation.tasks.others) == (0, pytest.approx(explanation.load))


@pytest.fixture
def folded_case(monkeypatch):
    monkeypatch.setattr(module, "MAX_LINKS", 100)
    return Scenario(Clex(k=4, levels=3), Permutation(64), Sequential(), ClexRouting()).build()


def test_single_moves_are_not_traced(folded_case):
    report = evaluate(folded_case)
    live = LiveLoads(report)
    move = Edit(*(np.array(numbers, np.int32) for numbers in ([0, 1], [0, 1], [1, 0])))
    assert (live.cost(no_edit()), live.cost(move)) == (0, NOT_FOLLOWED)
    with pytest.raises(ValueError, match="evaluate the new mapping"):
        live.apply(move)
    assert suggest_swaps(report).declined == FOLDED
    with pytest.raises(SpecError, match="is aggregated and has 704 links") as refusal:
        check_follows(folded_case)
    assert refusal.value.field == "network"


@pytest.mark.parametrize("routing", [Minimal(), Valiant(), CongestionAware()])
def test_routings_that_need_every_link_are_refused(folded_case, routing):
    with pytest.raises(
        SpecError, match="does not support aggregated networks, such as this one with 704 links; choose clex"
    ):
        routing.check(folded_case.network)


def test_faults_are_refused(folded_case):
    from dataclasses import replace

    with pytest.raises(SpecError, match="do not support aggregated networks") as refusal:
        replace(folded_case.scenario, faults=(NodeFault(node=1),)).build()
    assert refusal.value.field == "faults"
