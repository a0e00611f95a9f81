"""Unit cases of the torus model, its theorem on random permutations, and the rules of each scheme."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given

from core.network import Mesh, Percs, Torus
from core.routing import Adaptive, DimensionOrder, node_pairs
from core.routing.flows import NodeFlows
from core.routing.lattice import adaptive
from core.routing.lattice.dimension_order import MINIMAL, TIE
from core.spec import SpecError
from tests.core.strategies import lattice_specs
from tests.oracle.torus import Lattice

SCHEMES = [DimensionOrder(), Adaptive(model="uniform"), Adaptive(model="hop-local")]


def shares_along(spec, routing, source, target, d):
    """The share on each used link of a dimension, by the node it leaves (both directions of a ring of two differ)."""
    network = spec.build()
    lattice = Lattice(spec.dims, spec.wraps, "uniform")
    route = routing.router(network).route(lattice.number(source), lattice.number(target))
    shares = {}
    for link, share in zip(route.links, route.shares, strict=True):
        if network.class_of[link] == d:
            key = lattice.node(int(network.src[link]))
            shares[key] = shares.get(key, 0.0) + float(share)
    return shares


@pytest.mark.parametrize(
    ("model", "shares"), [("uniform", (1 / 3, 1 / 3, 1 / 3)), ("hop-local", (1 / 2, 1 / 4, 1 / 4))]
)
def test_mesh_case(model, shares):
    along = shares_along(Mesh(dims=(2, 3)), Adaptive(model=model), (0, 0), (1, 2), d=0)
    assert along == pytest.approx({(0, y): share for y, share in enumerate(shares)})


@pytest.mark.parametrize("routing", SCHEMES)
def test_a_tie_on_a_ring_is_split_equally(routing):
    along = shares_along(Torus(dims=(8, 4)), routing, (0, 0), (4, 0), d=0)
    assert along == pytest.approx({(x, 0): 1 / 2 for x in (0, 1, 2, 3, 5, 6, 7)} | {(0, 0): 1.0})
    network = Torus(dims=(8, 4)).build()
    route = routing.router(network).route(0, 16)
    assert route.shares.tolist() == [0.5] * 8
    assert len(set(route.links.tolist())) == 8
    assert set(route.roles.tolist()) == {TIE}


@pytest.mark.parametrize(
    ("model", "shares"), [("uniform", (1 / 3, 1 / 6, 1 / 3, 1 / 6)), ("hop-local", (1 / 2, 1 / 8, 1 / 4, 1 / 8))]
)
def test_torus_case_with_a_tie_in_the_other_dimension(model, shares):
    along = shares_along(Torus(dims=(8, 4)), Adaptive(model=model), (0, 0), (1, 2), d=0)
    assert along == pytest.approx({(0, y): share for y, share in enumerate(shares)})


@pytest.mark.parametrize(("model", "share"), [("uniform", 2 / 3), ("hop-local", 1 / 2)])
def test_first_share_of_two_hops_against_one(model, share):
    along = shares_along(Torus(dims=(8, 8, 4)), Adaptive(model=model), (0, 0, 0), (2, 1, 0), d=0)
    assert along[0, 0, 0] == pytest.approx(share)


def test_dimension_order_goes_along_x_first():
    network = Torus(dims=(5, 5)).build()
    route = DimensionOrder().router(network).route(0, 2 * 5 + 2)
    assert network.src[route.links].tolist() == [0, 5, 10, 11]
    assert route.shares.tolist() == [1.0] * 4
    assert set(route.roles.tolist()) == {MINIMAL}


def test_rings_of_two_use_both_of_their_links():
    network = Torus(dims=(2,)).build()
    for routing in SCHEMES:
        route = routing.router(network).route(0, 1)
        assert sorted(route.links.tolist()) == [0, 1]
        assert route.shares.tolist() == [0.5, 0.5]


def expected_load(size):
    """Theorem 1: the expected load of a ring's link under a random permutation."""
    return size / 8 if size % 2 == 0 else (size * size - 1) / (8 * size)


@pytest.mark.parametrize("routing", SCHEMES)
@pytest.mark.parametrize("dims", [(8, 4), (5, 3), (6, 3, 2), (7,)])
def test_all_to_all_loads_match_theorem_1_for_permutations(routing, dims):
    # A random permutation sends 1/n to every node on average, exactly as all-to-all.
    network = Torus(dims=dims).build()
    u, v = np.divmod(np.arange(network.nodes**2, dtype=np.int32), np.int32(network.nodes))
    loads = routing.router(network).loads([NodeFlows(u, v, np.full(u.size, 1 / network.nodes))])
    for size, link_class in zip(dims, network.classes, strict=True):
        np.testing.assert_allclose(loads[link_class.links], expected_load(size), rtol=1e-12)


@pytest.mark.parametrize("routing", SCHEMES)
@pytest.mark.parametrize("dims", [(8, 4), (5, 6)])
def test_theorem_1_over_random_permutations(routing, dims):
    network, draws = Torus(dims=dims).build(), 400
    router, everyone = routing.router(network), np.arange(network.nodes, dtype=np.int32)
    rng = np.random.default_rng(1)
    loads = [
        router.loads([NodeFlows(everyone, rng.permutation(everyone), np.ones(everyone.size))]) for _ in range(draws)
    ]
    mean, error = np.mean(loads, axis=0), np.std(loads, axis=0) / sqrt(draws)
    for size, link_class in zip(dims, network.classes, strict=True):
        expected = expected_load(size)
        # Every link within five standard errors, the class in total within a few per mille.
        assert (np.abs(mean[link_class.links] - expected) < 5 * error[link_class.links]).all()
        assert mean[link_class.links].mean() == pytest.approx(expected, rel=0.02)


@given(lattice_specs())
def test_place_finds_node_dimension_and_side(spec):
    network = spec.build()
    router = DimensionOrder().router(network)
    lattice = Lattice(spec.dims, spec.wraps, "uniform")
    for link in range(network.links):
        node, d, side = router.place(link)
        assert node == network.src[link]
        assert lattice.number(lattice.moved(lattice.node(node), d, 1 - 2 * side)) == network.dst[link]


@given(lattice_specs())
def test_nearest_nodes_are_a_lower_bound(spec):
    network = spec.build()
    lattice = Lattice(spec.dims, spec.wraps, "uniform")
    nodes = [lattice.node(n) for n in range(network.nodes)]
    distances = np.sort([[lattice.distance(u, v) for v in nodes] for u in nodes], axis=1)[:, 1:]
    np.testing.assert_array_equal(DimensionOrder().router(network).nearest(), distances.min(axis=0))


@pytest.mark.parametrize("routing", SCHEMES)
def test_other_networks_are_refused(routing):
    with pytest.raises(SpecError, match="not percs; choose minimal") as refusal:
        routing.router(Percs(2, 1).build())
    assert refusal.value.field == "routing.type"


def test_too_many_pairs_for_adaptive_are_refused(monkeypatch):
    monkeypatch.setattr(node_pairs, "DENSE_NODES", 0)
    monkeypatch.setattr(adaptive, "MAX_PAIRS", 3)
    network = Torus(dims=(4,)).build()
    everyone = np.arange(4, dtype=np.int32)
    with pytest.raises(SpecError, match="choose dimension-order"):
        Adaptive().router(network).loads([NodeFlows(everyone, everyone[::-1].copy(), np.ones(4))])
