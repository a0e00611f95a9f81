"""What is drawn of a machine, and in which detail, against plain loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.views.machine.paint import fit
from app.views.machine.plan import Heat, Plan
from app.views.machine.scene import BUNDLE_LIMIT, OPEN_PX, compose, detail, hottest, share
from core.network import Dragonfly, FatTree, Mesh, Percs, Torus
from tests.app.views.machine.test_plan import loaded

SIZE = (660.0, 600.0)


def scene_of(plan, heat, camera=None, percent=100.0):
    return compose(plan, heat, camera or fit(plan, SIZE), SIZE, percent)


def test_a_bundle_is_named_by_its_hotter_direction():
    plan, heat = loaded(Percs(supernodes=6, d_links=2))
    bundles = scene_of(plan, heat).bundles
    a, b = np.divmod(bundles.index, 6)
    hottest = [heat.link[plan.links_between(*ends)].max() for ends in zip(a, b, strict=True)]
    np.testing.assert_array_equal(hottest, bundles.heat)
    assert (a > b).any()
    assert (a < b).any()


def test_marks_stay_whole_where_links_cross_the_picture():
    plan, heat = loaded(FatTree(arity=4, levels=3))
    scene = scene_of(plan, heat, percent=5)
    assert scene.links.count == share(plan.network.links, 5)
    assert (scene.cell_scale == 1).all()


def test_switches_stand_in_their_groups():
    plan, heat = loaded(Dragonfly(routers=4, global_links=2, groups=5, nodes_per_router=2))
    assert list(zip(*plan.pairs, strict=True)) == [(a, b) for a in range(5) for b in range(a + 1, 5)]
    assert (plan.bundle_sizes[plan.pairs] == 2).all()
    scene = scene_of(plan, heat, fit(plan, SIZE).onto(plan.layout.boxes[2], SIZE))
    assert scene.open.tolist() == [2]
    assert ((scene.cell_scale < 1) == (plan.network.group_of == 2)).all()
    inside = plan.network.group_of[plan.network.src[scene.links.index]] == 2
    assert (inside | (plan.network.group_of[plan.network.dst[scene.links.index]] == 2)).all()
    assert scene.links.count == 2 * (6 + 8 + 8)


@given(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), min_size=1, max_size=60), st.integers(1, 60))
def test_hottest_leaves_out_nothing_hotter(values, count):
    values = np.array(values)
    chosen = hottest(values, count)
    assert chosen.size == np.unique(chosen).size == min(count, values.size)
    left = np.delete(values, chosen)
    assert not left.size or values[chosen].min() >= left.max()


def test_equals_at_the_border_are_sampled_evenly():
    np.testing.assert_array_equal(hottest(np.ones(12), 4), [0, 3, 6, 9])
    np.testing.assert_array_equal(hottest(np.array([1, 2, 1, 1, 3, 1]), 4), [0, 1, 3, 4])


@pytest.mark.parametrize(
    ("total", "percent", "count"), [(496, 10, 50), (100, 1, 1), (10, 0.01, 1), (8, 100, 8), (0, 5, 0)]
)
def test_share_rounds_up_and_keeps_one(total, percent, count):
    assert share(total, percent) == count


def test_filter_keeps_the_hottest_bundles():
    plan, heat = loaded(Percs(supernodes=32, d_links=1))
    bundles = scene_of(plan, heat, percent=10).bundles
    assert bundles.count == 50
    assert bundles.total == 496
    assert bundles.heat.min() == np.sort(heat.pair)[-50]


def test_idle_bundles_are_drawn_only_where_there_are_few():
    few, heat = loaded(Percs(supernodes=8, d_links=1), idle=0.7)
    assert scene_of(few, heat).bundles.count == 28
    many, heat = loaded(Percs(supernodes=32, d_links=1), idle=0.7)
    bundles = scene_of(many, heat).bundles
    assert bundles.count == bundles.loaded == np.count_nonzero(heat.pair) < 496


def test_draws_a_bounded_number_of_curves_from_all_over_the_machine():
    plan = Plan(Percs(supernodes=128, d_links=1).build())
    scene = scene_of(plan, Heat(plan, np.ones(plan.network.links)))
    assert scene.bundles.total == 128 * 127 // 2 > BUNDLE_LIMIT
    assert scene.bundles.count == BUNDLE_LIMIT
    touched = np.bincount(np.concatenate(np.divmod(scene.bundles.index, 128)), minlength=128)
    assert touched.min() > 0.5 * touched.mean()


def test_a_large_box_opens_into_its_links():
    plan, heat = loaded(Percs(supernodes=32, d_links=4))
    home = fit(plan, SIZE)
    assert not scene_of(plan, heat, home).open.size
    scene = scene_of(plan, heat, home.onto(plan.layout.boxes[21], SIZE))
    assert scene.open.tolist() == [21]
    ends = plan.ends
    expected = np.flatnonzero((ends[0] == 21) | (ends[1] == 21))
    np.testing.assert_array_equal(np.sort(scene.links.index), expected)
    assert not (np.stack(np.divmod(scene.bundles.index, 32)) == 21).any()
    assert scene.bundles.count == 496 - 31
    assert scene.cell_scale[21 * 32] < 1
    assert scene.cell_scale[0] == 1


def test_boxes_open_at_a_width_and_only_where_they_are_seen():
    plan, heat = loaded(Percs(supernodes=32, d_links=1))
    camera = fit(plan, SIZE).onto(plan.layout.boxes[0], SIZE)
    just = camera.zoomed(OPEN_PX / (plan.layout.boxes[0, 2] * camera.scale), 330, 300, SIZE)
    assert 0 in scene_of(plan, heat, just.zoomed(1.01, 330, 300, SIZE)).open
    assert not scene_of(plan, heat, just.zoomed(0.99, 330, 300, SIZE)).open.size
    assert 16 not in scene_of(plan, heat, camera).open


def test_open_links_obey_the_filter():
    plan, heat = loaded(Percs(supernodes=8, d_links=1))
    camera = fit(plan, SIZE).onto(plan.layout.boxes[3], SIZE)
    scene = scene_of(plan, heat, camera, percent=10)
    inner = (plan.ends[0] == 3) & (plan.ends[1] == 3)
    drawn = np.isin(np.arange(plan.network.links), scene.links.index)
    assert (drawn & inner).sum() == share(int(inner.sum()), 10)
    assert heat.link[drawn & inner].min() >= np.sort(heat.link[inner])[-(drawn & inner).sum()]


@pytest.mark.parametrize(
    "spec", [Mesh(dims=(5, 7)), Torus(dims=(4, 4, 4)), Torus(dims=(12,)), Torus(dims=(3, 3, 3, 3))]
)
def test_a_lattice_draws_every_link_idle_or_not(spec):
    plan, heat = loaded(spec, idle=0.5)
    scene = scene_of(plan, heat)
    assert scene.links.count == plan.network.links
    assert not scene.bundles.count
    half = scene_of(plan, heat, percent=25)
    assert half.links.count == share(plan.network.links, 25)
    assert half.links.heat.min() > 0
    bare = np.setdiff1d(np.arange(plan.network.nodes), plan.network.src[half.links.index])
    bare = np.setdiff1d(bare, plan.network.dst[half.links.index])
    assert (half.cell_scale[bare] < 1).all()
    assert (scene.cell_scale == 1).all()


def test_marks_lie_on_the_bottlenecks_and_nowhere_else():
    plan, heat = loaded(Mesh(dims=(4, 4)))
    curves, width = scene_of(plan, heat).marks()
    middles = (curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4
    hot = int(heat.link.argmax())
    ends = plan.layout.positions[[plan.network.src[hot], plan.network.dst[hot]]]
    assert middles.shape == (1, 3)
    assert np.abs(middles[0] - ends.mean(0)).max() < 0.2
    assert width.shape == (1,)
    assert not scene_of(plan, Heat(plan, np.zeros(plan.network.links))).marks()[0].size


def test_detail_tells_when_the_scene_must_be_built_anew():
    plan, _ = loaded(Percs(supernodes=32, d_links=1))
    home = fit(plan, SIZE)
    assert (
        detail(plan, home, SIZE)
        == detail(plan, home.panned(30, -20), SIZE)
        == detail(plan, home.zoomed(1.1, 9, 9, SIZE), SIZE)
    )
    assert detail(plan, home, SIZE) != detail(plan, home.onto(plan.layout.boxes[4], SIZE), SIZE)
    lattice, _ = loaded(Mesh(dims=(8, 8)))
    near = fit(lattice, SIZE).zoomed(1.5, 0, 0, SIZE)
    assert detail(lattice, fit(lattice, SIZE), SIZE) != detail(lattice, near, SIZE)
