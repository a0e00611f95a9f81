"""Figures of single paths: equal to an oracle that follows pair after pair, and to unit cases."""

from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from core.figures.routes import Routed, RouteFigures, route_figures
from core.job import AllToAll
from core.load.routes.bisection_bandwidth import bisection_bandwidths, matchings
from core.load.routes.leaf_balance import leaf_balance
from core.load.routes.path_totals import MAX_LISTED, path_totals
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.network import (
    BCube,
    Circulant,
    Dragonfly,
    Edges,
    FatTree,
    HyperX,
    LinkFault,
    Mesh,
    NodeFault,
    Rail,
    Torus,
    Xgft,
)
from core.routing import DimensionOrder, DModK, GroupMinimal, Minimal, Tables, Valiant, with_faults
from core.spec import Cancelled, SpecError
from tests.core.everywhere import FAMILIES, ROUTINGS, choices
from tests.core.routing.graphs import routed_graphs
from tests.core.strategies import built, one_of_these
from tests.oracle.routes import AllPairs

DRAWS, SEED = 7, 3
FABRICS = Path(__file__).parents[3] / "data" / "infiniband"


def oracle_of(router, failed=()):
    network = router.network
    links = list(zip(network.src.tolist(), network.dst.tolist(), strict=True))
    return AllPairs(links, network.nodes, lambda u, v: router.route(u, v).links.tolist(), network.closed, failed)


def assert_as_the_oracle(router, failed=()):
    oracle, network, routed = oracle_of(router, failed), router.network, Routed(router, DRAWS, SEED)
    totals, figures = routed.totals, route_figures(routed)
    assert (figures.pairs, figures.unreachable) == (len(oracle.paths), len(oracle.unreachable))
    assert (figures.max_hops, figures.detours) == (max(oracle.hops, default=0), oracle.detours)
    assert figures.mean_hops == (pytest.approx(np.mean(oracle.hops)) if oracle.hops else None)
    assert totals.flows.tolist() == [oracle.flows[link] for link in range(network.links)]
    assert totals.destinations.tolist() == [oracle.destinations[link] for link in range(network.links)]
    assert (figures.all_to_all_max, figures.unused_links) == (oracle.hottest, len(oracle.unused))
    assert figures.switch_links == len(oracle.between)
    used = [oracle.flows[link] for link in oracle.between if oracle.flows[link]]
    assert figures.all_to_all_mean == (pytest.approx(np.mean(used)) if used else None)
    balance = leaf_balance(router, totals)
    assert dict(zip(balance.leaves.tolist(), balance.spread.tolist(), strict=True)) == oracle.spreads
    listed = [tuple(pair) for pair in totals.first_unreachable.tolist()]
    assert len(listed) == len(set(listed)) == min(len(oracle.unreachable), MAX_LISTED)
    assert set(listed) <= set(oracle.unreachable)
    assert routed.bandwidths.tolist() == pytest.approx(shares_by(oracle))


def shares_by(oracle):
    """The mean share in each matching."""
    half = oracle.nodes // 2
    pairs = list(zip(*(ends.tolist() for ends in matchings(oracle.nodes, 0, DRAWS, SEED)), strict=True))
    return [oracle.share(pairs[k * half : (k + 1) * half]) for k in range(DRAWS)]


@cache
def single_paths_everywhere():
    """Return routers with one path per pair, for networks of all families."""
    specs = [family(**values) for family, values in FAMILIES]
    routers = (ROUTINGS[r].router(built(specs[n])) for n, r in choices())
    return tuple(router for router in routers if router.single_path)


@given(st.data())
def test_figures_are_equal_to_an_oracle(data):
    router = data.draw(one_of_these(single_paths_everywhere()))
    failed = data.draw(st.sets(st.integers(0, router.network.links - 1), max_size=3))
    if failed:
        router = with_faults(router, np.isin(np.arange(router.network.links), list(failed)))
        assume(router.single_path)
    assert_as_the_oracle(router, failed)


@given(routed_graphs(models=("single",), split=True))
def test_graphs_of_any_shape(case):
    _, router, _ = case
    assert_as_the_oracle(router)


def figures_of(network, routing, **given):
    return route_figures(Routed(routing.router(network.build()), **given))


def test_d_mod_k_on_a_tree_of_sixteen_nodes():
    figures = figures_of(FatTree(arity=4, levels=2), DModK())
    assert (figures.pairs, figures.unreachable, figures.max_hops, figures.detours) == (240, 0, 4, 0)
    assert figures.mean_hops == pytest.approx(3.6)
    assert (figures.all_to_all_max, figures.all_to_all_mean) == (12, 12.0)
    assert (figures.unused_links, figures.switch_links) == (0, 32)
    assert figures.ebb.mean == pytest.approx(0.91, abs=0.02)
    assert (figures.ebb.draws, figures.ebb.seed) == (200, 0)
    assert figures.ebb.min <= figures.ebb.mean <= figures.ebb.max == 1.0
    assert (figures.balance.leaves, figures.balance.even, figures.balance.max_spread) == (4, 4, 0)


def test_routings_of_a_tree_of_three_levels():
    tree = Xgft(down=(8, 8, 4), up=(1, 8, 4))
    d_mod_k = Routed(DModK().router(tree.build()))
    loads = d_mod_k.totals.flows[d_mod_k.switch_links]
    assert Counter(loads.tolist()) == {248: 512, 384: 256}
    single = figures_of(tree, Minimal())
    assert single.all_to_all_max == 12288
    assert single.balance.even == 0
    assert single.balance.max_spread == 248  # all other nodes over the first cable


def tables_of(folder, name="opensm-lfts.dump", fault=None):
    """Return the routes of a fabric with its forwarding tables."""
    network, faults = Edges(file="ibnetdiscover.txt"), () if fault is None else (fault,)
    routing = Tables(file=name)
    return Routed(
        Scenario(network, AllToAll(4), Sequential(), routing, folder=FABRICS / folder, faults=faults).routes()
    )


def test_forwarding_tables_of_a_perfect_tree():
    figures = route_figures(tables_of("tree"))
    assert (figures.pairs, figures.unreachable, figures.detours, figures.mean_hops) == (240, 0, 0, 3.6)
    assert (figures.all_to_all_max, figures.all_to_all_mean) == (12, 12.0)
    assert (figures.unused_links, figures.switch_links) == (0, 32)
    assert figures.ebb.mean == pytest.approx(0.91, abs=0.02)
    assert (figures.balance.leaves, figures.balance.even) == (4, 4)
    assert figures.deadlock["free"]
    assert_as_the_oracle(tables_of("tree").router)


def test_forwarding_tables_that_prefer_one_switch():
    figures = route_figures(tables_of("tree", "uneven.fts"))
    assert figures.all_to_all_max == 48
    assert figures.balance.even < 4
    assert_as_the_oracle(tables_of("tree", "uneven.fts").router)


def test_forwarding_tables_of_a_tree_with_two_cables_less():
    figures = route_figures(tables_of("degraded"))
    assert figures.pairs == 64 * 63
    assert figures.mean_hops == pytest.approx(3.778, abs=5e-4)
    assert figures.all_to_all_max == 144
    assert figures.all_to_all_mean == pytest.approx(57.81, abs=5e-3)
    assert (figures.unused_links, figures.switch_links) == (0, 124)
    assert figures.ebb.mean == pytest.approx(0.79, abs=0.02)
    assert figures.deadlock["free"]


def test_disconnected_pairs_of_forwarding_tables_have_the_reason():
    network = Edges(file="ibnetdiscover.txt").build(FABRICS / "tree")
    up = int(np.flatnonzero((network.src >= network.nodes) & (network.dst >= network.nodes))[0])
    figures = route_figures(tables_of("tree", fault=LinkFault.of(network, up, 0.0)))
    assert figures.unreachable == 24  # 12 flows on each of the cable's links
    assert all(pair.reason.endswith("has failed") for pair in figures.disconnected)


def test_links_between_nodes_count_without_switches():
    figures = figures_of(Torus((3, 3)), DimensionOrder())
    assert (figures.switch_links, figures.unused_links, figures.all_to_all_max) == (36, 0, 3)
    assert figures.balance is None
    assert figures.hottest_link == "X (0,0) → (1,0)"
    # Switches of BCube are linked by nodes only.
    assert figures_of(BCube(ports=3), Minimal()).switch_links == BCube(ports=3).build().links


def test_a_network_of_two_nodes_has_no_congestion():
    figures = figures_of(Mesh((2,)), DimensionOrder())
    assert (figures.pairs, figures.mean_hops) == (2, 1.0)
    assert (figures.ebb.mean, figures.ebb.deviation) == (1.0, 0.0)


def test_matchings_are_perfect_and_depend_on_number_and_seed_only():
    src, dst = matchings(10, 0, 30, 5)
    for k in range(30):
        pair = slice(5 * k, 5 * k + 5)
        assert sorted([*src[pair], *dst[pair]]) == list(range(10))
    later = matchings(10, 20, 30, 5)
    assert later[0].tolist() == src[100:].tolist()
    assert later[1].tolist() == dst[100:].tolist()
    assert matchings(10, 0, 30, 6)[0].tolist() != src.tolist()
    # Of an odd number, another node has no partner each time.
    src, dst = matchings(3, 0, 60, 0)
    assert set(src.tolist()) == set(dst.tolist()) == {0, 1, 2}


def test_every_pair_is_equally_likely():
    src, dst = matchings(4, 0, 6000, 1)
    counts = Counter(zip(src.tolist(), dst.tolist(), strict=True))
    assert len(counts) == 12
    assert all(count == pytest.approx(1000, abs=150) for count in counts.values())


def test_a_matching_does_not_depend_on_how_many_are_drawn_at_once(monkeypatch):
    router = DModK().router(FatTree(4, 2).build())
    at_once = bisection_bandwidths(router, 20, 1)
    monkeypatch.setattr("core.load.routes.bisection_bandwidth.PAIRS_AT_ONCE", 24)
    assert bisection_bandwidths(router, 20, 1).tolist() == at_once.tolist()


def faulty(network, routing, *faults):
    return Scenario(network, AllToAll(4), Sequential(), routing, faults=faults).routes()


def test_disconnected_pairs_are_named_with_the_reason():
    tree = FatTree(arity=4, levels=2)
    up = int(np.flatnonzero(tree.build().src == 0)[0])
    figures = route_figures(Routed(faulty(tree, DModK(), LinkFault.of(tree.build(), up, 0.0))))
    assert (figures.unreachable, len(figures.disconnected)) == (30, 10)
    assert all("node 0" in (pair.src, pair.dst) for pair in figures.disconnected)
    assert figures.disconnected[0].reason == "no path left without failed links"
    rings = route_figures(Routed(faulty(Circulant(nodes=8, jumps=(2, 4)), Minimal())))
    assert (rings.pairs, rings.unreachable) == (56, 32)
    assert rings.disconnected[0].reason == "in different connected components"
    alone = route_figures(Routed(faulty(Mesh((2,)), DimensionOrder(), NodeFault(0, 0.0))))
    assert (alone.unreachable, alone.mean_hops, alone.all_to_all_max, alone.hottest_link) == (2, None, 0, None)
    assert alone.ebb.mean == 0.0


def test_failed_links_are_not_unused():
    tree = FatTree(arity=4, levels=2)
    network = tree.build()
    up = int(np.flatnonzero((network.src >= 16) & (network.dst >= 16))[0])
    figures = route_figures(Routed(faulty(tree, Minimal(), LinkFault.of(network, up, 0.0))))
    assert figures.switch_links == 30  # a cable has two links
    assert figures.unreachable == 0


@pytest.mark.parametrize(
    ("network", "routing"),
    [(Torus((4, 4)), DimensionOrder()), (Torus((3, 3)), Valiant()), (Dragonfly(4, 2, groups=3), GroupMinimal())],
)
def test_split_flows_are_refused(network, routing):
    with pytest.raises(SpecError, match="several paths") as refused:
        figures_of(network, routing)
    assert refused.value.field == "routing.type"


def test_progress_rises_and_cancels():
    seen = []
    router = Minimal().router(HyperX(dims=(3, 3), nodes_per_switch=2).build())
    assert isinstance(route_figures(Routed(router, progress=seen.append)), RouteFigures)
    assert seen == sorted(seen)
    assert len(seen) > 1

    def stop(_):
        raise Cancelled

    with pytest.raises(Cancelled):
        path_totals(router, stop)


def test_each_nic_is_a_node():
    rail = Rail(units=2, servers=2, gpus=2, spines=1, relays=False)
    assert figures_of(rail, Minimal()).pairs == rail.build().nodes * (rail.build().nodes - 1)
