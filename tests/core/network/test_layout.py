"""Positions in the layout: no overlaps, links from their source to their destination."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from core.network import Hypercube, Mesh, Percs, Torus
from core.network.layout import CIRCLE_CAPACITY, LANE, STUB
from tests.core.strategies import lattice_specs

SHAPES = [
    Torus(dims=(12,)),
    Torus(dims=(2,)),
    Torus(dims=(CIRCLE_CAPACITY + 1,)),
    Mesh(dims=(100,)),
    Mesh(dims=(5, 7)),
    Torus(dims=(1, 6, 1, 4)),
    Torus(dims=(2, 2, 2)),
    Torus(dims=(4, 4, 4)),
    Torus(dims=(3, 3, 3, 3)),
    Mesh(dims=(2, 3, 2, 3, 2)),
]
shapes = pytest.mark.parametrize("spec", SHAPES, ids=lambda spec: "x".join(map(str, spec.dims)))


def curves_of(network):
    ids = np.arange(network.links)
    return network.layout.link_curves(ids, network.src, network.dst).astype(float)


def middles(curves):
    return (curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4


@given(lattice_specs())
def test_lattice_nodes_do_not_overlap_and_surround_the_origin(spec):
    positions = spec.build().layout.positions.astype(float)
    gaps = [np.linalg.norm(positions[a] - positions[b]) for a, b in combinations(range(len(positions)), 2)]
    assert min(gaps) > 0.99
    assert np.abs(positions.min(0) + positions.max(0)).max() < 1.0 + 1e-4


@shapes
def test_links_leave_their_source_and_reach_their_destination_or_end_as_stubs(spec):
    network = spec.build()
    curves, positions = curves_of(network), network.layout.positions.astype(float)
    lanes = np.linalg.norm(curves[:, 0] - positions[network.src], axis=1) / LANE
    # Up to three dimensions keep to the nearest lane; further dimensions, which are parallel, to separate lanes.
    assert lanes.min() > 0.99
    assert lanes.max() < (3 if sum(size > 1 for size in spec.dims) > 3 else 1.01)
    arrives = np.isclose(np.linalg.norm(curves[:, 2] - positions[network.dst], axis=1), lanes * LANE, atol=1e-4)
    length = np.linalg.norm(curves[:, 2] - curves[:, 0], axis=1)
    assert length[~arrives] == pytest.approx(STUB, abs=1e-3)
    rings = sum(size > 1 for size, ring in zip(spec.dims, spec.wraps, strict=True) if ring)
    on_circle = rings == 1 and np.prod(spec.dims) == 12
    assert (~arrives).any() == (rings > 0 and not on_circle)


@shapes
def test_links_do_not_overlap(spec):
    rounded = np.round(middles(curves_of(spec.build())), 4)
    assert len(np.unique(rounded, axis=0)) == len(rounded)


def test_neighbours_on_a_folded_line_and_on_a_circle_are_one_step_apart():
    for spec in (Mesh(dims=(100,)), Torus(dims=(30,))):
        positions = spec.build().layout.positions
        assert np.linalg.norm(np.diff(positions, axis=0), axis=1) == pytest.approx(1, abs=1e-3)
    assert np.ptp(Mesh(dims=(100,)).build().layout.positions, axis=0).max() < 12


def test_dimensions_of_size_one_take_no_space():
    assert not Torus(dims=(1, 6, 4)).build().layout.solid
    assert Torus(dims=(2, 1, 3, 3)).build().layout.solid
    assert not Torus(dims=(2, 3, 3, 3)).build().layout.solid
    np.testing.assert_array_equal(
        Torus(dims=(1, 6, 1, 4)).build().layout.positions, Torus(dims=(6, 4)).build().layout.positions
    )


@pytest.mark.parametrize("supernodes", [2, 3, 5, 32, 96, 97, 200, 512])
def test_boxes_do_not_overlap_and_contain_their_cells(supernodes):
    network = Percs(supernodes=supernodes, d_links=1).build()
    layout = network.layout
    centre, size = layout.boxes[:, :2], layout.boxes[:, 2:]
    gap = np.abs(centre[:, None] - centre[None]) - (size[:, None] + size[None]) / 2
    apart = gap.max(axis=2)
    np.fill_diagonal(apart, 1)
    assert apart.min() > 0
    inside = np.abs(layout.positions[:, :2] - np.repeat(centre, 32, axis=0)) + np.array(layout.cell) / 2
    assert (inside <= np.repeat(size, 32, axis=0) / 2 + 1e-6).all()


def test_bundles_start_at_the_inner_edges_of_their_boxes():
    layout = Percs(supernodes=32, d_links=4).build().layout
    a, b = np.array([0, 5, 9]), np.array([16, 6, 25])
    curves = layout.bundle_curves(a, b)
    for end, group in ((curves[:, 0], a), (curves[:, 2], b)):
        inner = np.linalg.norm(end[:, :2], axis=1)
        centre = np.linalg.norm(layout.boxes[group, :2], axis=1)
        assert (inner < centre).all()
        assert (inner > 0.75 * centre).all()
    # Opposite boxes are joined through the middle; adjacent ones at the rim.
    assert np.linalg.norm(middles(curves)[0]) < 0.1
    assert np.linalg.norm(middles(curves)[1]) > 0.7


def test_names_are_outside_the_boxes():
    layout = Percs(supernodes=200, d_links=1).build().layout
    assert np.linalg.norm(layout.box_labels, axis=1).min() > 1


@pytest.mark.parametrize("dims", [(4, 4), (5, 3), (4, 4, 4)], ids=str)
def test_stubs_lead_out_of_the_picture(dims):
    network = Torus(dims).build()
    curves, positions = curves_of(network), network.layout.positions.astype(float)
    away = np.linalg.norm(curves[:, 2] - positions[network.dst], axis=1) > 0.5
    leads = curves[away, 2] - curves[away, 0]
    assert away.sum() == 2 * sum(np.prod(dims) // size for size in dims)
    assert ((leads * positions[network.src[away]]).sum(axis=1) > 0).all()


@pytest.mark.parametrize("spec", [Mesh((3, 3, 3, 3)), Mesh((2, 3, 2, 3, 2)), Hypercube(6)], ids=str)
def test_bowed_links_bow_to_the_side_of_their_lane(spec):
    network = spec.build()
    curves, positions = curves_of(network), network.layout.positions.astype(float)
    bow = curves[:, 1] - (curves[:, 0] + curves[:, 2]) / 2
    bowed = np.linalg.norm(bow, axis=1) > 0.1
    lane = curves[:, 0] - positions[network.src]
    assert bowed.any()
    assert ((bow * lane).sum(axis=1)[bowed] > 0).all()
