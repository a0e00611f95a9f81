"""Cycles of channel dependencies: against all paths with networkx, and for schemes whose answer is proved."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.network import (
    Clex,
    Complete,
    Dragonfly,
    DragonflyPlus,
    FatTree,
    Hypercube,
    HyperX,
    Mesh,
    Percs,
    Torus,
    Xgft,
)
from core.routing import (
    Adaptive,
    ClexRouting,
    CongestionAware,
    DimensionOrder,
    DModK,
    GroupMinimal,
    Minimal,
    PercsDirect,
    PercsIndirect,
    Valiant,
    with_faults,
)
from core.routing.deadlock import dependencies
from core.routing.deadlock.deadlock import deadlock_of
from core.routing.deadlock.dependencies import shortest_cycle
from core.routing.deadlock.in_use import dependencies_of
from core.spec import SpecError
from tests.core.routing.graphs import routed_graphs
from tests.oracle.deadlock import dependency_graph, girth

SMALL_PERCS = Percs(supernodes=3, d_links=2, drawers=2, nodes_per_drawer=2)
CASES = (
    (Torus((4, 4)), DimensionOrder()),
    (Torus((5, 3)), DimensionOrder()),
    (Torus((4, 4), wrap=(True, False)), DimensionOrder()),
    (Mesh((3, 3, 2)), DimensionOrder()),
    (Hypercube(dimensions=4), DimensionOrder()),
    (HyperX(dims=(3, 3), nodes_per_switch=2), DimensionOrder()),
    (HyperX(dims=(3, 3)), Minimal(spread="equal")),
    (Torus((5, 5)), Minimal()),
    (Torus((4, 4)), Minimal(spread="equal")),
    (FatTree(3, 2), DModK()),
    (Xgft(down=(2, 3), up=(2, 2), parallel=2), DModK()),
    (FatTree(2, 3), Minimal(spread="equal")),
    (Dragonfly(3, 1, groups=4), GroupMinimal()),
    (Dragonfly(3, 1, groups=3), GroupMinimal()),
    (Dragonfly(3, 1, groups=4), GroupMinimal(spread="single")),
    (Dragonfly(3, 1, groups=4), Minimal()),
    (DragonflyPlus(leaves=2, spines=2, groups=3), GroupMinimal()),
    (SMALL_PERCS, PercsDirect()),
    (SMALL_PERCS, PercsIndirect()),
    (Percs(supernodes=4, d_links=1, drawers=2, nodes_per_drawer=2), PercsDirect(intra="single-hop")),
    (Percs(supernodes=5, d_links=2, drawers=2, nodes_per_drawer=2), PercsIndirect(intra="single-hop")),
    (Clex(k=3, levels=3), ClexRouting(scheme="ordered")),
    (Complete(nodes=6), Minimal()),
)


def assert_same_cycles(network, router, lanes):
    """Compare the shortest cycle with the oracle's graph."""
    graph = dependency_graph(network, router, lanes)
    cycle = [divmod(channel, lanes) for channel in shortest_cycle(dependencies_of(router, lanes)).tolist()]
    assert (len(cycle) or None) == girth(graph)
    assert all(graph.has_edge(*pair) for pair in zip(cycle, cycle[1:] + cycle[:1], strict=True))
    assert not cycle or cycle[0] == min(cycle)


@pytest.mark.parametrize(("spec", "routing"), CASES)
@pytest.mark.parametrize("failures", [0, 2])
def test_cycles_are_shortest_cycles_of_all_paths(spec, routing, failures):
    network = spec.build()
    router, failed = routing.router(network), np.zeros(network.links, bool)
    failed[np.linspace(0, network.links - 1, failures).astype(int)] = True
    router = with_faults(router, failed) if failures else router
    for lanes in {1, router.lanes}:
        assert_same_cycles(network, router, lanes)


def test_cycles_of_adaptive_routing():
    network = Torus((4, 3)).build()
    assert_same_cycles(network, Adaptive().router(network), 1)


@settings(max_examples=40)
@given(routed_graphs(), st.sampled_from([dependencies.FIRST_ROOM, 4]))
def test_cycles_on_drawn_graphs(case, room):
    network, router, _ = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dependencies, "FIRST_ROOM", room)
        try:
            assert_same_cycles(network, router, 1)
        except SpecError as error:
            assert "deadlock freedom is checked for" in str(error)  # noqa: PT017 - raised by some of the routers


@pytest.mark.parametrize(
    ("spec", "routing", "hops"),
    [
        (Torus((4, 4, 4)), DimensionOrder(), 4),
        (Torus((5, 7)), DimensionOrder(), 5),
        (Torus((3, 3)), DimensionOrder(), 0),
        (Mesh((4, 4, 4)), DimensionOrder(), 0),
        (Hypercube(dimensions=6), DimensionOrder(), 0),
        (HyperX(dims=(4, 5)), DimensionOrder(), 0),
        (FatTree(4, 2), DModK(), 0),
        (FatTree(4, 3), Minimal(), 0),
        (FatTree(4, 3), Minimal(spread="equal"), 0),
        (Clex(k=4, levels=3), ClexRouting(scheme="ordered"), 0),
        (HyperX(dims=(4, 5)), Minimal(spread="equal"), 4),
    ],
)
def test_cycles_on_one_lane(spec, routing, hops):
    network = spec.build()
    deadlock = deadlock_of(routing.router(network))
    assert len(deadlock.cycle) == hops
    assert deadlock.free == (hops == 0)
    assert (network.dst[deadlock.cycle] == network.src[np.roll(deadlock.cycle, -1)]).all()


@pytest.mark.parametrize(
    ("spec", "routing", "lanes"),
    [
        (Torus((8, 8, 4)), DimensionOrder(), 2),
        (Torus((6, 5), wrap=(False, True)), DimensionOrder(), 2),
        (Mesh((4, 4)), DimensionOrder(), 1),
        (Dragonfly(4, 2), GroupMinimal(), 2),
        (Dragonfly(8, 4), GroupMinimal(spread="single"), 2),
        (DragonflyPlus(leaves=4, spines=4), GroupMinimal(), 2),
        (Percs(supernodes=8, d_links=4), PercsDirect(), 2),
        (Percs(supernodes=8, d_links=4), PercsIndirect(), 3),
        (Percs(supernodes=32), PercsDirect(intra="single-hop"), 2),
    ],
)
def test_schemes_are_free_on_their_lanes(spec, routing, lanes):
    deadlock = deadlock_of(routing.router(spec.build()))
    assert (deadlock.lanes, deadlock.free_on_lanes) == (lanes, True)


@pytest.mark.parametrize(
    ("spec", "routing"), [(Torus((4, 4)), Valiant()), (Torus((4, 4)), CongestionAware()), (Clex(k=3), ClexRouting())]
)
def test_schemes_that_list_no_paths_are_refused(spec, routing):
    with pytest.raises(SpecError, match="deadlock freedom is checked for single paths, shortest paths"):
        deadlock_of(routing.router(spec.build()))


def test_the_middle_hop_of_indirect_paths_matters():
    with pytest.raises(SpecError, match="count_middle_hop: must be true"):
        deadlock_of(PercsIndirect(count_middle_hop=False).router(SMALL_PERCS.build()))


def test_paths_without_lanes_of_their_scheme_get_some_by_first_fit():
    deadlock = deadlock_of(Minimal().router(Torus((7,)).build()))
    assert (deadlock.free, deadlock.lanes, deadlock.free_on_lanes, deadlock.lanes_needed) == (False, 1, False, 2)
    assert deadlock_of(Minimal(spread="equal").router(Torus((8,)).build())).lanes_needed is None


def test_figures_name_the_ends_of_links():
    network = Torus((4,)).build()
    figures = deadlock_of(DimensionOrder().router(network)).figures(network)
    assert figures["cycle"] == [("(0)", "(1)"), ("(1)", "(2)"), ("(2)", "(3)"), ("(3)", "(0)")]
    assert (figures["free"], figures["lanes"], figures["free_on_lanes"], figures["lanes_needed"]) == (False, 2, True, 2)


def test_progress_ascends():
    done = []
    deadlock_of(DimensionOrder().router(Torus((4, 4)).build()), done.append)
    assert done == sorted(done)
    assert done[-1] == 1
