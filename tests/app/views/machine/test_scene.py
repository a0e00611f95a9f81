"""The scene of a machine, and its level of detail, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.views.machine.geometry import LinkShading, MachineGeometry
from app.views.machine.paint import fit
from app.views.machine.scene import BUNDLE_LIMIT, OPEN_PX, compose, detail, hottest_indices, share
from core.network import Dragonfly, FatTree, Mesh, Percs, Torus
from tests.app.views.machine.test_geometry import loaded

SIZE = (660.0, 600.0)


def scene_of(geometry, shading, camera=None, percent=100.0):
    return compose(geometry, shading, camera or fit(geometry, SIZE), SIZE, percent)


def test_a_bundle_is_named_by_its_hotter_direction():
    geometry, shading = loaded(Percs(supernodes=6, d_links=2))
    bundles = scene_of(geometry, shading).bundles
    a, b = np.divmod(bundles.index, 6)
    hottest = [shading.link[geometry.links_between(*ends)].max() for ends in zip(a, b, strict=True)]
    np.testing.assert_array_equal(hottest, bundles.heat)
    assert (a > b).any()
    assert (a < b).any()


def test_marks_stay_whole_where_links_cross_the_picture():
    geometry, shading = loaded(FatTree(arity=4, levels=3))
    scene = scene_of(geometry, shading, percent=5)
    assert scene.links.count == share(geometry.network.links, 5)
    assert (scene.cell_scale == 1).all()


def test_switches_stand_in_their_groups():
    geometry, shading = loaded(Dragonfly(routers=4, global_links=2, groups=5, nodes_per_router=2))
    assert list(zip(*geometry.pairs, strict=True)) == [(a, b) for a in range(5) for b in range(a + 1, 5)]
    assert (geometry.bundle_sizes[geometry.pairs] == 2).all()
    scene = scene_of(geometry, shading, fit(geometry, SIZE).onto(geometry.layout.boxes[2], SIZE))
    assert scene.open.tolist() == [2]
    assert ((scene.cell_scale < 1) == (geometry.network.group_of == 2)).all()
    inside = geometry.network.group_of[geometry.network.src[scene.links.index]] == 2
    assert (inside | (geometry.network.group_of[geometry.network.dst[scene.links.index]] == 2)).all()
    assert scene.links.count == 2 * (6 + 8 + 8)


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=60), st.integers(1, 60))
def test_hottest_leaves_out_nothing_hotter(values, count):
    values = np.array(values)
    chosen = hottest_indices(values, count)
    assert chosen.size == np.unique(chosen).size == min(count, values.size)
    left = np.delete(values, chosen)
    assert not left.size or values[chosen].min() >= left.max()


def test_equals_at_the_border_are_sampled_evenly():
    np.testing.assert_array_equal(hottest_indices(np.ones(12), 4), [0, 3, 6, 9])
    np.testing.assert_array_equal(hottest_indices(np.array([1.0, 2, 1, 1, 3, 1]), 4), [0, 1, 3, 4])


@pytest.mark.parametrize(
    ("total", "percent", "count"), [(496, 10, 50), (100, 1, 1), (10, 0.01, 1), (8, 100, 8), (0, 5, 0)]
)
def test_share_rounds_up_and_keeps_one(total, percent, count):
    assert share(total, percent) == count


def test_filter_keeps_the_hottest_bundles():
    geometry, shading = loaded(Percs(supernodes=32, d_links=1))
    bundles = scene_of(geometry, shading, percent=10).bundles
    assert bundles.count == 50
    assert bundles.total == 496
    assert bundles.heat.min() == np.sort(shading.pair)[-50]


def test_idle_bundles_are_drawn_only_where_there_are_few():
    few, shading = loaded(Percs(supernodes=8, d_links=1), idle=0.7)
    assert scene_of(few, shading).bundles.count == 28
    many, shading = loaded(Percs(supernodes=32, d_links=1), idle=0.7)
    bundles = scene_of(many, shading).bundles
    assert bundles.count == bundles.loaded == np.count_nonzero(shading.pair) < 496


def test_draws_a_bounded_number_of_curves_from_all_over_the_machine():
    geometry = MachineGeometry(Percs(supernodes=128, d_links=1).build())
    scene = scene_of(geometry, LinkShading(geometry, np.ones(geometry.network.links)))
    assert scene.bundles.total == 128 * 127 // 2 > BUNDLE_LIMIT
    assert scene.bundles.count == BUNDLE_LIMIT
    touched = np.bincount(np.concatenate(np.divmod(scene.bundles.index, 128)), minlength=128)
    assert touched.min() > 0.5 * touched.mean()


def test_a_large_box_opens_into_its_links():
    geometry, shading = loaded(Percs(supernodes=32, d_links=4))
    home = fit(geometry, SIZE)
    assert not scene_of(geometry, shading, home).open.size
    scene = scene_of(geometry, shading, home.onto(geometry.layout.boxes[21], SIZE))
    assert scene.open.tolist() == [21]
    ends = geometry.ends
    expected = np.flatnonzero((ends[0] == 21) | (ends[1] == 21))
    np.testing.assert_array_equal(np.sort(scene.links.index), expected)
    assert not (np.stack(np.divmod(scene.bundles.index, 32)) == 21).any()
    assert scene.bundles.count == 496 - 31
    assert scene.cell_scale[21 * 32] < 1
    assert scene.cell_scale[0] == 1


def test_boxes_open_at_a_width_and_only_where_they_are_seen():
    geometry, shading = loaded(Percs(supernodes=32, d_links=1))
    camera = fit(geometry, SIZE).onto(geometry.layout.boxes[0], SIZE)
    just = camera.zoomed(OPEN_PX / (geometry.layout.boxes[0, 2] * camera.scale), 330, 300, SIZE)
    assert 0 in scene_of(geometry, shading, just.zoomed(1.01, 330, 300, SIZE)).open
    assert not scene_of(geometry, shading, just.zoomed(0.99, 330, 300, SIZE)).open.size
    assert 16 not in scene_of(geometry, shading, camera).open


def test_open_links_obey_the_filter():
    geometry, shading = loaded(Percs(supernodes=8, d_links=1))
    camera = fit(geometry, SIZE).onto(geometry.layout.boxes[3], SIZE)
    scene = scene_of(geometry, shading, camera, percent=10)
    inner = (geometry.ends[0] == 3) & (geometry.ends[1] == 3)
    drawn = np.isin(np.arange(geometry.network.links), scene.links.index)
    assert (drawn & inner).sum() == share(int(inner.sum()), 10)
    assert shading.link[drawn & inner].min() >= np.sort(shading.link[inner])[-(drawn & inner).sum()]


@pytest.mark.parametrize(
    "spec", [Mesh(dims=(5, 7)), Torus(dims=(4, 4, 4)), Torus(dims=(12,)), Torus(dims=(3, 3, 3, 3))]
)
def test_a_lattice_draws_every_link_idle_or_not(spec):
    geometry, shading = loaded(spec, idle=0.5)
    scene = scene_of(geometry, shading)
    assert scene.links.count == geometry.network.links
    assert not scene.bundles.count
    half = scene_of(geometry, shading, percent=25)
    assert half.links.count == share(geometry.network.links, 25)
    assert half.links.heat.min() > 0
    bare = np.setdiff1d(np.arange(geometry.network.nodes), geometry.network.src[half.links.index])
    bare = np.setdiff1d(bare, geometry.network.dst[half.links.index])
    assert (half.cell_scale[bare] < 1).all()
    assert (scene.cell_scale == 1).all()


def test_marks_are_on_the_bottlenecks_and_nowhere_else():
    geometry, shading = loaded(Mesh(dims=(4, 4)))
    curves, width = scene_of(geometry, shading).marks()
    middles = (curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4
    hot = int(shading.link.argmax())
    ends = geometry.layout.positions[[geometry.network.src[hot], geometry.network.dst[hot]]]
    assert middles.shape == (1, 3)
    assert np.abs(middles[0] - ends.mean(0)).max() < 0.2
    assert width.shape == (1,)
    assert not scene_of(geometry, LinkShading(geometry, np.zeros(geometry.network.links))).marks()[0].size


def test_detail_changes_when_the_scene_must_be_rebuilt():
    geometry, _ = loaded(Percs(supernodes=32, d_links=1))
    home = fit(geometry, SIZE)
    assert (
        detail(geometry, home, SIZE)
        == detail(geometry, home.panned(30, -20), SIZE)
        == detail(geometry, home.zoomed(1.1, 9, 9, SIZE), SIZE)
    )
    assert detail(geometry, home, SIZE) != detail(geometry, home.onto(geometry.layout.boxes[4], SIZE), SIZE)
    lattice, _ = loaded(Mesh(dims=(8, 8)))
    near = fit(lattice, SIZE).zoomed(1.5, 0, 0, SIZE)
    assert detail(lattice, fit(lattice, SIZE), SIZE) != detail(lattice, near, SIZE)
