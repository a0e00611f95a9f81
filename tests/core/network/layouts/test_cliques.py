"""Nested cliques: boxes on a ring, parts side by side, visible loops."""

import numpy as np
import pytest

from core.network import Clex
from core.network.layouts.cliques import nested

SIZES = [(2, 2), (3, 2), (4, 3), (5, 3), (2, 6), (32, 2), (7, 3), (100, 2)]
sizes = pytest.mark.parametrize(("k", "levels"), SIZES)


@sizes
def test_nodes_do_not_overlap_in_the_box_of_their_copy(k, levels):
    network = Clex(k=k, levels=levels, fat_links=True).build()
    layout = network.layout
    assert len(layout.boxes) == len(layout.box_labels) == network.levels[0].count == k
    box = layout.boxes[network.levels[0].group]
    inside = np.abs(layout.positions[:, :2] - box[:, :2]) + np.array(layout.cell) / 2
    assert (inside <= box[:, 2:] / 2 * (1 + 1e-4)).all()
    for copy in range(0, network.nodes, network.nodes // k):
        members = layout.positions[copy : copy + network.nodes // k, :2].astype(float)
        gap = np.abs(members[:, None] - members).max(axis=2) + 10 * np.eye(len(members))
        assert gap.min() > 0.999 * layout.cell[0]


@pytest.mark.parametrize(("arity", "depth"), [(2, 5), (4, 2), (5, 2), (8, 2), (32, 1), (10, 2), (3, 3)])
def test_parts_are_farther_apart_than_their_nodes(arity, depth):
    places, width, height = nested(arity, depth)
    assert places.shape == (arity**depth, 2)
    assert (np.ptp(places, axis=0) + 1 <= np.array([width, height]) + 1e-4).all()
    assert 1 / 3 <= height / width <= 3
    for level in range(1, depth):
        part = np.arange(len(places)) // arity**level
        gap = np.abs(places[:, None] - places).max(axis=2)
        assert gap[part[:, None] != part].min() > 1.2
    within = np.arange(len(places)) // arity
    gap = np.abs(places[:, None] - places).max(axis=2) + 10 * np.eye(len(places))
    assert gap[within[:, None] == within].min() == pytest.approx(1)


@sizes
def test_links_do_not_overlap_and_loops_reach_outwards(k, levels):
    network = Clex(k=min(k, 8), levels=levels).build()
    layout = network.layout
    curves = layout.link_curves(np.arange(network.links), network.src, network.dst).astype(float)
    loops = network.src == network.dst
    np.testing.assert_allclose(curves[~loops, 0], layout.positions[network.src[~loops]], atol=1e-6)
    np.testing.assert_allclose(curves[~loops, 2], layout.positions[network.dst[~loops]], atol=1e-6)
    middles = (curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4
    # Links that join the same two nodes, in either direction, lie apart.
    ends = np.sort(np.column_stack([network.src, network.dst]), axis=1)
    drawn = np.column_stack([ends, np.round(middles[:, :2] / layout.cell[0], 3)])[~loops]
    assert len(np.unique(drawn, axis=0)) == len(drawn)
    away = np.linalg.norm(middles - layout.positions[network.src], axis=1)
    assert away[loops] == pytest.approx(0.72 * layout.cell[0], rel=0.01)


def test_a_single_clique_is_a_ring():
    layout = Clex(k=6, levels=1).build().layout
    assert not len(layout.boxes)
    assert np.ptp(np.linalg.norm(layout.positions, axis=1)) < 1e-5
