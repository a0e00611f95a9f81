"""Fat trees: rows of switches above columns of nodes, all of them apart; links from end to end."""

import numpy as np
import pytest

from core.network import FatTree

SHAPES = [(2, 1), (8, 1), (2, 2), (4, 2), (32, 2), (4, 3), (10, 3), (4, 5), (2, 10)]
shapes = pytest.mark.parametrize(("arity", "levels"), SHAPES)


def parts(arity, levels):
    network = FatTree(arity=arity, levels=levels).build()
    at = network.layout.positions.astype(float)
    return network, at[: network.nodes], at[network.nodes :].reshape(levels, -1, 3)


@shapes
def test_switches_stand_in_rows_level_above_level_and_nodes_beneath_all(arity, levels):
    _, nodes, switches = parts(arity, levels)
    heights = switches[:, :, 1]
    assert np.ptp(heights, axis=1).max() < 1e-3
    assert (np.diff(heights[:, 0]) > 1.5).all()
    assert nodes[:, 1].max() < heights[0, 0] - 1
    np.testing.assert_allclose(switches[:, :, 0], np.tile(switches[0, :, 0], (levels, 1)), atol=1e-3)


@shapes
def test_no_mark_lies_on_another(arity, levels):
    network, _, _ = parts(arity, levels)
    at, cell = network.layout.positions[:, :2].astype(float), np.array(network.layout.cell)
    order = np.lexsort((at[:, 0], np.round(at[:, 1], 3)))
    step = np.abs(np.diff(at[order], axis=0))
    assert ((step > cell - 1e-3).any(axis=1)).all()


@shapes
def test_pictures_are_wide_but_not_flat(arity, levels):
    _, nodes, switches = parts(arity, levels)
    both = np.concatenate([nodes, switches.reshape(-1, 3)])
    width, height = np.ptp(both, axis=0)[:2] + 1
    if arity ** (levels - 1) > 8:
        assert 0.5 < height / width < 1.1


@shapes
def test_nodes_hang_beneath_their_switch(arity, levels):
    network, nodes, switches = parts(arity, levels)
    leaf = switches[0, np.arange(network.nodes) // arity, 0]
    gap = np.diff(switches[0, :, 0]).min() if switches.shape[1] > 1 else np.inf
    assert np.abs(nodes[:, 0] - leaf).max() < gap / 2


@shapes
def test_links_run_from_end_to_end_and_none_on_another(arity, levels):
    network, _, _ = parts(arity, levels)
    ids = np.arange(network.links)
    curves = network.layout.link_curves(ids, network.src, network.dst).astype(float)
    for end, vertex in ((0, network.src), (2, network.dst)):
        away = np.abs(curves[:, end] - network.layout.positions[vertex])
        # Those of nodes begin beside their marks.
        assert away[vertex >= network.nodes].max() < 1e-4
        assert away[vertex < network.nodes][:, 0].max() < 0.5
        assert away[:, 1].max() < 1e-4
    assert len(np.unique(np.round(curves.reshape(network.links, -1), 3), axis=0)) == network.links
