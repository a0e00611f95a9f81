"""Dragonflies: disjoint boxes that contain their routers and nodes."""

import numpy as np
import pytest

from core.network import Dragonfly, DragonflyPlus

SHAPES = [(4, 2, 9, 1), (4, 2, 9, 2), (8, 4, 33, 4), (16, 8, 129, 8), (7, 2, 5, 3), (1, 3, 3, 5), (13, 1, 14, 1)]
PLUS = [(2, 2, 1, 3, 2), (4, 4, 2, 9, 2), (18, 18, 22, 23, 10), (8, 8, 8, 65, 1), (1, 3, 1, 3, 5)]
SPECS = [*(Dragonfly(*fields) for fields in SHAPES), *(DragonflyPlus(*fields) for fields in PLUS)]
shapes = pytest.mark.parametrize("spec", SPECS, ids=lambda s: s.summary())


@shapes
def test_boxes_do_not_overlap_and_contain_their_vertices(spec):
    network = spec.build()
    layout = network.layout
    centre, size = layout.boxes[:, :2].astype(float), layout.boxes[:, 2:].astype(float)
    apart = (np.abs(centre[:, None] - centre[None]) - (size[:, None] + size[None]) / 2).max(axis=2)
    np.fill_diagonal(apart, 1)
    assert apart.min() > 0
    reach = np.abs(layout.positions[:, :2] - centre[network.group_of]) + np.array(layout.cell) / 2
    assert (reach <= size[network.group_of] / 2 + 1e-5).all()
    aspect = size[0, 1] / size[0, 0]
    assert 0.4 < aspect < 2.1


@shapes
def test_no_two_vertices_of_a_group_overlap(spec):
    network = spec.build()
    at = network.layout.positions[network.group_of == 0][:, :2].astype(float)
    step = np.abs(at[:, None] - at[None]).max(axis=2)
    np.fill_diagonal(step, 1)
    assert step.min() > network.layout.cell[0] * 0.99


@shapes
def test_links_run_from_end_to_end_and_their_directions_are_separate(spec):
    network = spec.build()
    layout, ids = network.layout, np.arange(network.links)
    curves = layout.link_curves(ids, network.src, network.dst)
    np.testing.assert_array_equal(curves[:, 0], layout.positions[network.src])
    np.testing.assert_array_equal(curves[:, 2], layout.positions[network.dst])
    inside = np.flatnonzero(network.group_of[network.src] == network.group_of[network.dst])
    there, back = inside[::2], inside[1::2]
    between = np.linalg.norm(curves[there, 1] - curves[back, 1], axis=1)
    length = np.linalg.norm(curves[there, 2] - curves[there, 0], axis=1)
    assert (between > 0.1 * length).all()


def test_nodes_are_next_to_their_router():
    spec = Dragonfly(8, 4, 33, 4)
    network = spec.build()
    at = network.layout.positions
    router = network.nodes + np.arange(network.nodes) // 4
    away = np.linalg.norm(at[: network.nodes] - at[router], axis=1) / network.layout.cell[0]
    assert away.max() < 3
