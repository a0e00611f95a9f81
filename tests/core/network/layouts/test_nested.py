"""Lattices of four dimensions and more as grids inside grids: compact, without overlaps."""

from itertools import combinations, pairwise
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network import Hypercube, Mesh, Torus
from core.network.layout import LANE, STUB
from core.network.layouts.nested import BORDER

FUGAKU = (24, 23, 24, 2, 3, 2)
LONG = [
    (2, 2, 2, 100),
    (2, 2, 100, 2),
    (2, 100, 2, 2),
    (100, 2, 2, 2),
    (2, 3, 50, 4),
    (2, 2, 2, 1000),
    (2, 2, 2, 2, 1000),
]
many_dims = st.lists(st.integers(2, 6), min_size=4, max_size=7).map(tuple).filter(lambda dims: prod(dims) <= 4000)
fixed = pytest.mark.parametrize(
    "dims", [(4, 4, 4, 4), (3, 3, 3, 3), (6, 5, 4, 2, 3, 2), (2, 2, 2, 100), FUGAKU], ids=str
)


def shape(layout):
    low, high = layout.positions[:, :2].min(0), layout.positions[:, :2].max(0)
    return (high - low) + 2 * BORDER


@given(many_dims, st.booleans())
def test_nodes_do_not_overlap_and_the_picture_is_compact(dims, ring):
    layout = Torus(dims=dims, wrap=ring).build().layout
    assert not layout.solid
    assert len(np.unique(np.round(layout.positions, 3), axis=0)) == prod(dims)
    for axis in (0, 1):
        assert np.diff(np.unique(np.round(layout.positions[:, axis], 3))).min() > 0.99
    width, height = shape(layout)
    # There are few arrangements of a few small dimensions, as 2 x 5 x 2 x 2.
    assert 1 / 2.5 <= width / height <= 2.5


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 8])
@pytest.mark.parametrize("count", [4, 5, 6])
def test_equal_dimensions_are_at_most_twice_as_long_as_wide(size, count):
    if size**count <= 40_000:
        width, height = shape(Mesh(dims=(size,) * count).build().layout)
        assert 1 / 2 <= width / height <= 2


@given(many_dims)
def test_neighbours_of_the_two_inner_dimensions_are_side_by_side(dims):
    positions = Mesh(dims=dims).build().layout.positions.reshape(*dims, 3)
    across, down = np.diff(positions, axis=-2), np.diff(positions, axis=-3)
    np.testing.assert_allclose(across, np.broadcast_to([1, 0, 0], across.shape), atol=1e-4)
    np.testing.assert_allclose(down, np.broadcast_to([0, -1, 0], down.shape), atol=1e-4)


@fixed
def test_the_first_dimension_is_separate_boxes_that_contain_their_nodes(dims):
    network = Torus(dims=dims).build()
    layout, group = network.layout, network.levels[0].group
    centre, size = layout.boxes[:, :2], layout.boxes[:, 2:]
    assert len(centre) == dims[0] == network.groups
    away = np.abs(layout.positions[:, :2] - centre[group])
    assert (away + BORDER <= size[group] / 2 + 1e-3).all()
    for a, b in combinations(range(dims[0]), 2):
        assert (np.abs(centre[a] - centre[b]) > size[0] * 1.02).any()
    for a, b in pairwise(range(dims[0])):
        assert (np.abs(centre[a] - centre[b]) < size[0] * 2).all()


def test_fugaku_fits_a_screen_and_closes_its_ring():
    layout = Torus(dims=FUGAKU).build().layout
    width, height = shape(layout)
    assert len(layout.positions) == 158_976
    assert 0.8 < width / height < 1.8
    # The last box is also in the first column: its link to the first box crosses no other.
    assert layout.boxes[0, 0] == layout.boxes[-1, 0]
    curve = layout.bundle_curves(np.array([0]), np.array([23]))[0]
    assert (curve[:, 0] <= layout.boxes[0, 0] - layout.boxes[0, 2] / 2 + 1e-3).all()
    joined = layout.bundle_curves(np.arange(23), np.arange(1, 24))
    assert np.linalg.norm(joined[:, 2] - joined[:, 0], axis=1).max() < layout.boxes[0, 2:].max() / 3


@pytest.mark.parametrize("ring", [True, False])
@pytest.mark.parametrize("dims", LONG, ids=str)
def test_a_single_long_dimension_is_folded(dims, ring):
    network = Torus(dims=dims, wrap=ring).build()
    layout = network.layout
    width, height = shape(layout)
    assert 1 / 2.2 <= width / height <= 2.2
    assert len(np.unique(np.round(layout.positions, 3), axis=0)) == prod(dims)
    away = np.abs(layout.positions[:, :2] - layout.boxes[network.levels[0].group, :2])
    assert (away + BORDER <= layout.boxes[0, 2:] / 2 + 1e-3).all()
    # Neighbours along it stay neighbours, except where their rows end.
    along = int(np.argmax(dims))
    steps = np.diff(layout.positions.reshape(*dims, 3), axis=along)
    apart = np.linalg.norm(steps, axis=-1)
    assert (apart <= 1.5 * np.median(apart) + 1e-3).mean() > 0.7


@fixed
def test_links_leave_their_source_and_reach_their_destination_or_end_as_stubs(dims):
    network = Torus(dims=dims).build()
    ids = np.unique(np.linspace(0, network.links - 1, 20_000).astype(np.intp))
    src, dst = network.src[ids], network.dst[ids]
    curves = network.layout.link_curves(ids, src, dst).astype(float)
    positions = network.layout.positions
    assert np.linalg.norm(curves[:, 0] - positions[src], axis=1).max() < 3 * LANE
    arrives = np.linalg.norm(curves[:, 2] - positions[dst], axis=1) < 3 * LANE
    stub = np.linalg.norm(curves[:, 2] - curves[:, 0], axis=1)[~arrives]
    np.testing.assert_allclose(stub, STUB, atol=1e-3)
    around = np.array([abs(int(a) - int(b)) for a, b in zip(src, dst, strict=True)])
    assert 0 < (~arrives).sum() < ids.size / 2
    assert around[~arrives].min() > 0


def test_first_dimensions_of_size_one_or_too_large_have_no_boxes():
    for dims in ((1, 3, 3, 3, 3), (600, 2, 2, 2)):
        layout = Torus(dims=dims).build().layout
        assert not len(layout.boxes)
        assert not layout.solid
        assert len(np.unique(np.round(layout.positions, 3), axis=0)) == prod(dims)


def test_axes_are_named_from_the_first_node_on():
    axes = Torus(dims=(6, 1, 4, 2, 3, 2)).build().layout.axes
    assert [(axis.name, axis.size, axis.step) for axis in axes] == [
        ("X", 6, 48),
        ("Z", 4, 12),
        ("W", 2, 6),
        ("D5", 3, 2),
        ("D6", 2, 1),
    ]
    assert list(axes[1].nodes) == [0, 12, 24, 36]
    assert [axis.name for axis in Hypercube(dimensions=5).build().layout.axes] == ["X", "Y", "Z", "W", "D5"]
