"""Units of servers: rows of nodes below their leaves, without overlaps; links from end to end."""

import numpy as np
import pytest

from core.network import Rail

SHAPES = [(1, 1, 2, 1), (1, 3, 4, 0), (2, 2, 4, 2), (4, 32, 8, 16), (1, 300, 8, 4), (64, 2, 4, 4), (3, 1, 100, 2)]
shapes = pytest.mark.parametrize(("units", "servers", "gpus", "spines"), SHAPES)


@shapes
def test_marks_do_not_overlap_and_pictures_are_compact(units, servers, gpus, spines):
    at = Rail(units, servers, gpus, spines).build().layout.positions[:, :2].astype(float)
    order = np.lexsort((at[:, 0], np.round(at[:, 1], 3)))
    assert (np.abs(np.diff(at[order], axis=0)) > 0.9).any(axis=1).all()
    width, height = np.ptp(at, axis=0) + 1
    assert units * servers < 4 or 0.5 < height / width < 2


@shapes
def test_leaves_are_above_their_unit_and_spines_above_all(units, servers, gpus, spines):
    spec = Rail(units, servers, gpus, spines)
    network = spec.build()
    height = network.layout.positions[:, 1]
    leaf = network.nodes + units * servers
    unit = np.arange(network.nodes) // (servers * gpus)
    assert (height[: network.nodes] < height[leaf + unit * gpus] - 1).all()
    assert (height[leaf + spec.leaves :] > height[: leaf + spec.leaves].max() + 1).all()


@shapes
def test_links_run_from_mark_to_mark_and_do_not_overlap(units, servers, gpus, spines):
    network = Rail(units, servers, gpus, spines).build()
    curves = network.layout.link_curves(np.arange(network.links), network.src, network.dst).astype(float)
    for end, vertex in ((0, network.src), (2, network.dst)):
        away = np.abs(curves[:, end] - network.layout.positions[vertex])
        assert (away[vertex < network.nodes] < 0.25).all()
        assert (np.linalg.norm(away, axis=1) < 0.43).all()
    assert len(np.unique(np.round(curves.reshape(-1, 9), 3), axis=0)) == network.links
