"""The cables that help most: as by an evaluation of every cable, for every family, scheme and job."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core.job import AllToAll, Halo, TransposePhases
from core.load.best_cables import best_cables, candidates, check_cables
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import AddedCable, Dragonfly, Edges, FatTree, LinkFault, Mesh, Percs, Shortcut, Torus
from core.network.added_cables import with_cables
from core.routing import CongestionAware, DimensionOrder, GroupMinimal, Minimal, PercsDirect, Valiant
from core.spec import SpecError, TooLarge
from tests.core.everywhere import scenarios
from tests.core.strategies import cables_of

MOST = 120
"""Candidates up to which each is evaluated."""
EQUAL = Minimal(spread="equal")
TORUS = Scenario(Torus((4, 4, 4)), Halo(8, 8), Random(seed=1), EQUAL)


def with_each(scenario):
    """The disconnected volume and the time with every candidate."""
    case = scenario.build()
    cables = [AddedCable(*pair) for pair in candidates(case.network).tolist()]
    reports = [evaluate(replace(scenario, cables=(*scenario.cables, cable)).build()) for cable in cables]
    return [(report.disconnected.volume, report.time) for report in reports]


def assert_best(scenario):
    report = evaluate(scenario.build())
    least = min(with_each(scenario), default=(0.0, np.inf))
    best = next(best_cables(report, 1), None)
    if best is None:
        assert least[0] >= report.disconnected.volume * (1 - 1e-8)
        assert least[1] >= report.time * (1 - 1e-8) or least[0] > report.disconnected.volume
        return
    fresh = evaluate(replace(scenario, cables=(*scenario.cables, best.cable)).build())
    np.testing.assert_allclose(best.report.load, fresh.load, rtol=1e-9, atol=1e-9 * fresh.load.max())
    assert best.report.disconnected.volume == pytest.approx(least[0], rel=1e-8)
    assert best.report.time == pytest.approx(least[1], rel=1e-8)


@settings(max_examples=60)
@given(st.data())
def test_the_best_cable_is_the_best_of_all(data):
    scenario = data.draw(scenarios(slots=(1, 2)))
    network = scenario.machine()
    assume(network.aggregation == 1)
    if scenario.build().router.plans or data.draw(st.booleans()):
        scenario = replace(scenario, routing=data.draw(st.sampled_from([EQUAL, Minimal()])))
    if not scenario.cables and data.draw(st.booleans()):
        scenario = replace(scenario, cables=data.draw(cables_of(network)), faults=())
    assume(len(candidates(network)) <= MOST)
    try:
        check_cables(scenario.build())
    except SpecError:
        assume(False)
    assert_best(scenario)


@pytest.mark.parametrize(
    "scenario",
    [
        TORUS,
        replace(TORUS, routing=Minimal(), faults=(LinkFault(0, 1), LinkFault(5, 6, speed=0.5))),
        replace(TORUS, cables=(AddedCable(0, 42), AddedCable(3, 9, 0.2))),
        Scenario(Mesh((4, 4)), TransposePhases(4, 4), Random(seed=2), EQUAL),
        Scenario(Shortcut(nodes=16, degree=3), Halo(4, 4), Random(seed=3), EQUAL),
        Scenario(FatTree(arity=2, levels=3), Halo(2, 4), Random(seed=4), Minimal()),
        Scenario(Dragonfly(routers=4, groups=6, nodes_per_router=2), Halo(6, 8), Random(seed=5), GroupMinimal()),
        Scenario(Percs(supernodes=2, drawers=2, nodes_per_drawer=8), Halo(4, 8), Random(seed=6), EQUAL),
        Scenario(Torus((3, 3)), Halo(3, 3), Random(seed=1), CongestionAware()),
        Scenario(Torus((3, 3)), Halo(3, 3), Random(seed=1), Valiant()),
    ],
    ids=["torus", "faults", "cables", "phases", "shortcut", "fat-tree", "groups", "percs", "planned", "valiant"],
)
def test_the_best_cable_of_known_machines_is_the_best_of_all(scenario):
    assert_best(scenario)


def test_cables_are_found_one_after_the_other():
    report = evaluate(TORUS.build())
    best_three = list(best_cables(report, 3))
    rates = [round(best.report.throughput_gbs, 4) for best in best_three]
    assert (round(report.throughput_gbs, 4), rates) == (0.4615, [0.5344, 0.5607, 0.5731])
    assert [len(best.report.case.scenario.cables) for best in best_three] == [1, 2, 3]
    assert all(best.evaluated < best.candidates == 2016 for best in best_three)


def test_no_cable_helps_if_all_links_are_equally_busy():
    assert not list(best_cables(evaluate(replace(TORUS, job=AllToAll(64), mapping=Sequential()).build()), 2))


def test_a_cable_that_connects_flows_is_best():
    scenario = Scenario(Mesh((3, 1)), Halo(1, 3, periodic=False), Sequential(), EQUAL, faults=(LinkFault(1, 2),))
    best = next(best_cables(evaluate(scenario.build()), 1))
    assert not best.report.disconnected


def test_candidates_join_free_ports_switches_or_nodes():
    def count(spec):
        return len(candidates(spec.build()))

    assert count(Mesh((3, 3))) == 8 * 7 // 2
    assert count(Torus((3, 3))) == 9 * 8 // 2
    assert count(FatTree(arity=2, levels=2)) == 4 * 3 // 2
    six_groups = Dragonfly(routers=4, global_links=2, groups=8, links_per_pair=1)
    free = six_groups.free_ports(six_groups.build())
    assert (free.sum(), count(six_groups)) == (8, 8 * 7 // 2)
    # Two cables are missing.
    fabric = Edges(file="fabriscope:fat-tree-64/ibnetdiscover.txt").build()
    places = {fabric.label(vertex) for vertex in np.unique(candidates(fabric))}
    assert places == {"s1_0000", "s1_0001", "s2_0000", "s2_0003"}
    cabled = with_cables(fabric, [AddedCable("s1_0000", "s2_0000")])
    assert np.count_nonzero(fabric.spec.free_ports(cabled)) == 2


def test_too_many_places_and_routings_of_a_family_are_refused():
    with pytest.raises(TooLarge, match=r"^network: has 4,096 places for cables; at most 2,048"):
        candidates(Torus((16, 16, 16)).build())
    with pytest.raises(SpecError, match=r"^routing\.type: dimension-order cannot use added cables"):
        next(best_cables(evaluate(replace(TORUS, routing=DimensionOrder()).build()), 1))
    percs = Scenario(Percs(supernodes=2), Halo(8, 8), Sequential(), PercsDirect())
    with pytest.raises(SpecError, match=r"^routing\.type: percs-direct cannot use added cables"):
        check_cables(percs.build())
