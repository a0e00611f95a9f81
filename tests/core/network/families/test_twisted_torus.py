"""Twisted tori against the rule, link by link; their shifts, classes, cubes and cuts."""

from itertools import permutations, product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Torus, TwistedTorus
from core.network.metrics.metrics import measure
from core.routing import Minimal
from core.spec import SpecError

shapes = st.sampled_from(
    sorted(
        {d for k in (2, 3, 4) for s in ((k, k, 2 * k), (k, 2 * k, 2 * k)) for d in permutations(s) if prod(d) <= 128}
    )
)
twisted = st.builds(TwistedTorus, dims=shapes, cube=st.integers(1, 4))


def step(dims, place, d, by):
    """The end of a link from a place, up or down along a dimension."""
    there, short = list(place), min(dims)
    there[d] += by
    if dims[d] == short and there[d] in (-1, short):
        there = [x + short * (dims[e] == 2 * short) for e, x in enumerate(there)]
    return tuple(x % size for x, size in zip(there, dims, strict=True))


@given(twisted)
def test_links_follow_the_rule_and_are_optical_between_cubes(spec):
    network = spec.build()
    node = {at: number for number, at in enumerate(product(*map(range, spec.dims)))}
    expected = {"electrical": [], "optical": []}
    for at, d, by in product(node, range(3), (1, -1)):
        lower = at[d] if by == 1 else (at[d] - 1) % spec.dims[d]
        optical = lower % spec.cube == spec.cube - 1
        expected["optical" if optical else "electrical"].append((node[at], node[step(spec.dims, at, d, by)]))
    for link_class in network.classes:
        ends = list(zip(network.src[link_class.links].tolist(), network.dst[link_class.links].tolist(), strict=True))
        assert sorted(ends) == sorted(expected[link_class.name])


@given(twisted, st.data())
def test_links_have_orbits_under_shifts_of_all_nodes(spec, data):
    network = spec.build()
    assert np.bincount(network.alike).tolist() == [network.nodes] * 6
    # With equal shares over paths, a source loads each set of equivalent links as much as all sources load each link.
    router, node = Minimal(spread="equal").router(network), data.draw(st.integers(0, network.nodes - 1))
    away = np.bincount(network.alike, minlength=6)
    first, other = (
        sum(
            np.bincount(network.alike[r.links], r.shares, 6) for r in (router.route(u, v) for v in range(network.nodes))
        )
        for u in (0, node)
    )
    np.testing.assert_allclose(first, other)
    assert away.sum() == network.links


@given(twisted)
def test_cubes_and_cuts_are_counted(spec):
    network, k = spec.build(), min(spec.dims)
    has_cubes = spec.cube > 1 and k % spec.cube == 0
    assert [level.name for level in network.levels] == ["cube"] * has_cubes
    place = np.array(list(product(*map(range, spec.dims))))
    for cut in network.cuts:
        inside = (place < spec.cube).all(axis=1)
        if cut.name != "one cube":
            d = "XYZ".index(cut.name[-1])
            assert spec.dims[d] == k
            inside = place[:, d] < k // 2
            assert sum(cut.leaving.values()) == 2 * network.nodes // k
        leaves = inside[network.src] & ~inside[network.dst]
        assert cut.leaving == {c.name: n for c in network.classes if (n := int(leaves[c.links].sum()))}
        assert cut.nodes == inside.sum()
    if has_cubes:
        assert network.levels[0].nodes_per_group == spec.cube**3
        assert network.cuts[-1].leaving == {"optical": 6 * spec.cube**2}


def test_the_plain_torus_has_a_larger_diameter():
    figures = measure(Torus(dims=(4, 4, 8)).build())
    assert (figures.diameter, figures.distance_sum) == (8, 65536)
    assert measure(TwistedTorus(dims=(4, 4, 8)).build()).bisection.links == 64
    assert figures.bisection.links == 32


def test_sizes_and_refusals():
    assert TwistedTorus().summary() == "4 × 4 × 8 = 128 nodes, twisted"
    assert TwistedTorus().sized(1000).dims == (8, 8, 16)
    assert TwistedTorus(dims=(4, 2, 4)).sized(150).dims == (6, 3, 6)
    assert TwistedTorus().of_degree(100, 6) == (TwistedTorus(),)
    for dims in ((4, 4, 4), (1, 1, 2), (2, 3, 4), (2, 4, 8)):
        with pytest.raises(SpecError, match=r"network\.dims: is .*; give k, k, 2k or k, 2k, 2k in any order"):
            TwistedTorus(dims=dims).build()
