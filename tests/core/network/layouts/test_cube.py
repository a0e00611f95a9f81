"""Hypercubes as squares inside squares: no overlaps, links from node to node."""

import numpy as np
import pytest

from core.network import Hypercube
from core.network.layout import LANE

counts = pytest.mark.parametrize("count", range(1, 11))


@counts
def test_nodes_do_not_overlap_and_the_picture_is_nearly_square(count):
    layout = Hypercube(dimensions=count).build().layout
    assert layout.solid == (count == 3)
    apart = np.unique(np.round(layout.positions, 3), axis=0)
    assert len(apart) == 1 << count
    if count > 3:
        for axis in (0, 1):
            assert np.diff(np.unique(np.round(layout.positions[:, axis], 3))).min() > 0.99
        width, height = np.ptp(layout.positions, axis=0)[:2]
        assert 0.3 < height / width <= 1.001


@counts
def test_links_end_at_their_nodes_and_do_not_overlap(count):
    network = Hypercube(dimensions=count).build()
    curves = network.layout.link_curves(np.arange(network.links), network.src, network.dst).astype(float)
    for end, vertex in ((0, network.src), (2, network.dst)):
        beside = np.linalg.norm(curves[:, end] - network.layout.positions[vertex], axis=1)
        assert beside.max() < 3 * LANE
    middles = (curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4
    # Those in one direction; links in different directions may cross at their middles.
    heading = np.sign(np.round(curves[:, 2] - curves[:, 0], 3))
    assert len(np.unique(np.round(np.hstack([middles, heading]), 3), axis=0)) == network.links


def test_subcubes_of_the_coarsest_level_are_separate_blocks():
    network = Hypercube(dimensions=8).build()
    positions, group = network.layout.positions[:, :2], network.levels[0].group
    corners = [(positions[group == g].min(0), positions[group == g].max(0)) for g in range(network.levels[0].count)]
    for a, (low, high) in enumerate(corners):
        for other_low, other_high in corners[:a]:
            assert (np.maximum(low, other_low) - np.minimum(high, other_high)).max() > 1
