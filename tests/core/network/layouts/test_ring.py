"""Rings: neighbours one step apart, chords that stay inside."""

import numpy as np
import pytest

from core.network import Circulant, Clex, Shortcut


@pytest.mark.parametrize("nodes", [2, 3, 16, 1000])
def test_neighbours_are_one_step_apart_clockwise_from_the_top(nodes):
    layout = Circulant(nodes=nodes, jumps=(1,)).build().layout
    positions = layout.positions.astype(float)
    step = np.linalg.norm(positions - np.roll(positions, 1, axis=0), axis=1)
    assert step == pytest.approx(1 if nodes > 2 else 2 * np.linalg.norm(positions[0]), rel=1e-3)
    assert positions[0, 1] == pytest.approx(np.linalg.norm(positions[0]), rel=1e-5)
    assert nodes == 2 or positions[1, 0] > 0
    # Marks never touch.
    assert layout.cell[0] < 1
    assert layout.circle


def test_chords_stay_inside_the_ring_and_their_directions_are_separate():
    network = Shortcut(nodes=64, degree=7).build()
    curves = network.layout.link_curves(np.arange(network.links), network.src, network.dst).astype(float)
    positions = network.layout.positions.astype(float)
    np.testing.assert_allclose(curves[:, 0], positions[network.src])
    np.testing.assert_allclose(curves[:, 2], positions[network.dst])
    radius = np.linalg.norm(positions[0])
    middles = (curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4
    assert np.linalg.norm(middles, axis=1).max() <= radius
    assert len(np.unique(np.round(middles, 4), axis=0)) == network.links


def test_loops_reach_outwards_and_touch_no_other_node():
    # Enough nodes that cliques are aggregated: traffic inside a clique is a loop.
    network = Clex(k=180, levels=2).build()
    layout = network.layout
    loops = np.flatnonzero(network.src == network.dst)[:: network.aggregation]
    curves = layout.link_curves(loops, network.src[loops], network.dst[loops]).astype(float)
    at, radius = layout.positions[network.src[loops]], np.linalg.norm(layout.positions[0])
    tips = (curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4
    assert layout.circle
    assert np.linalg.norm(tips - at, axis=1) == pytest.approx(0.9, rel=1e-3)
    assert np.linalg.norm(tips, axis=1) == pytest.approx(radius + 0.9, rel=1e-3)
    assert np.linalg.norm(curves[:, 0] - curves[:, 2], axis=1) == pytest.approx(0.4, rel=1e-3)
