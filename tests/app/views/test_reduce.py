"""The hottest link of a pair and at a node, against loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.views.reduce import PairMaximum, strongest_at_ends
from core.network import Dragonfly, FatTree, Percs, Torus


def slow(src, dst, groups, values):
    hottest = {}
    for a, b, value in zip(src, dst, values, strict=True):
        if a >= 0 and b >= 0 and a != b:
            hottest[a * groups + b] = max(hottest.get(a * groups + b, -np.inf), value)
    return hottest


@given(st.data(), st.integers(1, 6))
def test_pairs_as_in_a_loop(data, groups):
    ends = st.lists(st.tuples(st.integers(-1, groups - 1), st.integers(-1, groups - 1), st.floats(0, 1)), max_size=40)
    links = data.draw(ends)
    src, dst, values = (np.array(column) for column in zip(*links, strict=True)) if links else np.zeros((3, 0))
    pairs, hottest = PairMaximum(src.astype(np.int32), dst.astype(np.int32), groups)(values)
    assert dict(zip(pairs.tolist(), hottest.tolist(), strict=True)) == slow(src, dst, groups, values)


def test_percs_bundles_have_all_their_links():
    network = Percs(supernodes=5, d_links=4).build()
    reduced = PairMaximum.of_network(network)
    assert reduced.pairs.tolist() == [5 * a + b for a in range(5) for b in range(5) if a != b]
    links = reduced.links(5 * 3 + 1)
    assert links.size == 4
    assert set((network.src[links] // 32).tolist()) == {3}
    assert set((network.dst[links] // 32).tolist()) == {1}
    assert reduced.links(5 * 3 + 3).size == 0


def test_values_belong_to_the_given_links():
    # Links 7, 4 and 9 of a larger network; the first two are parallel.
    reduced = PairMaximum(np.array([0, 0, 1]), np.array([1, 1, 0]), 2, np.array([7, 4, 9]))
    values = np.arange(10.0)
    pairs, hottest = reduced(values)
    assert (pairs.tolist(), hottest.tolist()) == ([1, 2], [7.0, 9.0])
    assert sorted(reduced.links(1).tolist()) == [4, 7]


def test_no_links_between_groups():
    pairs, hottest = PairMaximum(np.array([0, 1]), np.array([0, 1]), 2)(np.ones(2))
    assert pairs.size == hottest.size == 0


@pytest.mark.parametrize(
    ("spec", "group", "groups"),
    [
        (Torus(dims=(6,)), [0, 1, 2, 3, 4, 5], 6),
        (FatTree(arity=3, levels=1), [0, 1, 2, 3], 4),
        (
            Dragonfly(routers=2, global_links=1, groups=3, nodes_per_router=2),
            [0] * 4 + [1] * 4 + [2] * 4 + [0, 0, 1, 1, 2, 2],
            3,
        ),
        (FatTree(arity=2, levels=2), [0, 0, 1, 1, 0, 1, 2, 3], 4),
    ],
)
def test_groups_are_joined_as_their_vertices_are(spec, group, groups):
    network = spec.build()
    assert (network.group_of.tolist(), network.groups) == (group, groups)
    ends = zip(network.src.tolist(), network.dst.tolist(), strict=True)
    joined = {group[a] * groups + group[b] for a, b in ends if group[a] != group[b]}
    assert PairMaximum.of_network(network).pairs.tolist() == sorted(joined)


def test_strongest_at_ends_as_in_a_loop():
    network = Torus(dims=(3, 4)).build()
    values = np.random.default_rng(1).random(network.links)
    expected = [
        max(v for s, d, v in zip(network.src, network.dst, values, strict=True) if node in (s, d))
        for node in range(network.nodes)
    ]
    assert strongest_at_ends(network, values).tolist() == expected
