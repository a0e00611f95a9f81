"""Routes as tables: the entry of a pair is its route, for any scheme."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Mesh, Percs, Torus
from core.routing import Adaptive, DimensionOrder, PercsDirect, PercsIndirect
from core.routing.lattice import dimension_order
from core.routing.percs import scheme
from core.routing.route_tables import all_hops, empty_tables, row_of
from tests.core.strategies import routed_lattices, routed_percs

with_tables = routed_percs(most=4) | routed_lattices().filter(lambda case: case[1].route_tables() is not None)


def by_tables(routes, u, v, links):
    """The load of every link by the tables, in whole parts."""
    load = np.zeros(links, np.int64)
    for k in range(routes.when.size):
        row = row_of(routes, k, u, v)
        if row >= 0:
            entries = slice(routes.start[row], routes.start[row + 1])
            np.add.at(load, routes.links[entries], routes.shares[entries])
    return load


def by_route(router, u, v, links):
    route, load = router.route(u, v), np.zeros(links)
    np.add.at(load, route.links, route.shares)
    return load


@given(st.data(), with_tables)
def test_tables_hold_the_route(data, case):
    network, router, _ = case
    routes = router.route_tables()
    assert routes.denominator == router.parts
    node = st.integers(0, network.nodes - 1)
    for u, v in data.draw(st.lists(st.tuples(node, node), min_size=1, max_size=6)):
        if u != v:
            ours = by_tables(routes, u, v, network.links) / routes.denominator
            np.testing.assert_allclose(ours, by_route(router, u, v, network.links), rtol=1e-12, atol=0)


WHOLE = [
    (Percs(supernodes=2, d_links=4), PercsDirect()),
    (Percs(supernodes=3, d_links=32), PercsDirect(intra="single-hop")),
    (Percs(supernodes=2, d_links=2), PercsIndirect()),
    (Percs(supernodes=3, d_links=16), PercsIndirect(intra="single-hop", count_middle_hop=False)),
    (Torus(dims=(4, 3, 2)), DimensionOrder()),
    (Torus(dims=(5, 2), wrap=(True, False)), DimensionOrder()),
    (Mesh(dims=(3, 1, 4)), DimensionOrder()),
]


@pytest.mark.parametrize(("spec", "routing"), WHOLE, ids=lambda spec: repr(spec))
def test_hops_of_every_pair_match_the_shares_of_its_route(spec, routing):
    network = spec.build()
    router, nodes = routing.router(network), network.nodes
    src, dst = (pair.ravel().astype(np.int32) for pair in np.divmod(np.arange(nodes * nodes), nodes))
    hops = router.hops(src, dst)
    np.testing.assert_allclose(all_hops(router.route_tables(), src, dst), hops, rtol=1e-12)
    sample = np.random.default_rng(0).choice(src.size, min(src.size, 800), replace=False)
    expected = [router.route(int(src[k]), int(dst[k])).shares.sum() for k in sample]
    np.testing.assert_allclose(hops[sample], expected, rtol=1e-12)
    assert not hops[src == dst].any()


@given(st.data(), routed_lattices() | routed_percs(most=3))
def test_hops_match_route_shares_with_and_without_tables(data, case):
    network, router, _ = case
    node = st.integers(0, network.nodes - 1)
    pairs = np.array(data.draw(st.lists(st.tuples(node, node), min_size=1, max_size=8)), np.int32)
    expected = [router.route(int(u), int(v)).shares.sum() for u, v in pairs]
    np.testing.assert_allclose(router.hops(pairs[:, 0].copy(), pairs[:, 1].copy()), expected, rtol=1e-12)


def test_too_large_tables_are_not_made(monkeypatch):
    routers = [PercsDirect().router(Percs(supernodes=2).build()), DimensionOrder().router(Torus(dims=(4, 4)).build())]
    assert all(router.route_tables() is not None for router in routers)
    for module in (scheme, dimension_order):
        monkeypatch.setattr(module, "MAX_ENTRIES", 8)
    assert all(router.route_tables() is None for router in routers)


def test_adaptive_routing_has_no_tables():
    assert Adaptive().router(Torus(dims=(3, 3)).build()).route_tables() is None
    assert empty_tables(9).when.size == 0
