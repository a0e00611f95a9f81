"""From the world to pixels and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.views.machine.camera import fitting_camera

SIZE = (640.0, 480.0)
MARGINS = (10, 20, 30, 90)
FLAT = fitting_camera((-3, -1, 0), (5, 2, 0), False, SIZE, MARGINS)
SOLID = fitting_camera((-2, -2, -2), (2, 2, 2), True, SIZE, MARGINS)
pixels = st.tuples(st.floats(0, 640), st.floats(0, 480))


@pytest.mark.parametrize("camera", [FLAT, SOLID], ids=["flat", "solid"])
def test_everything_fits_between_the_margins(camera):
    depth = 2 if camera.solid else 0
    low, high = ((-2, -2), (2, 2)) if camera.solid else ((-3, -1), (5, 2))
    corners = [(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (-depth, depth)]
    seen = camera.project(corners, SIZE)[:, :2]
    # Perspective and turning shift the centre a little; nothing leaves the picture, and one side is used up.
    assert seen.min(0) == pytest.approx((10, 20), abs=1e-6) or (seen.min(0) >= (10 - 1e-6, 20 - 1e-6)).all()
    assert seen[:, 0].max() <= 610 + 1e-6
    assert seen[:, 1].max() <= 390 + 1e-6
    assert np.isclose(np.ptp(seen, axis=0), (600, 370)).any()


def test_y_points_upwards():
    assert FLAT.project((0, 1, 0), SIZE)[1] < FLAT.project((0, 0, 0), SIZE)[1]


@given(pixels, st.floats(0.3, 4))
def test_zooming_keeps_what_is_under_the_pointer(at, factor):
    for camera in (FLAT, SOLID):
        zoomed = camera.zoomed(factor, *at, SIZE)
        assert zoomed.world(*at, SIZE) == pytest.approx(camera.world(*at, SIZE), abs=1e-9)


def test_zooming_has_limits():
    assert FLAT.zoomed(1e9, 0, 0, SIZE).scale == pytest.approx(400 * FLAT.fitted)
    assert FLAT.zoomed(1e-9, 0, 0, SIZE).scale == pytest.approx(0.4 * FLAT.fitted)


@given(st.floats(-300, 300), st.floats(-300, 300))
def test_panning_moves_the_picture_with_the_pointer(dx, dy):
    before, after = FLAT.project((1, 1, 0), SIZE), FLAT.panned(dx, dy).project((1, 1, 0), SIZE)
    assert after[:2] - before[:2] == pytest.approx((dx, dy), abs=1e-6)


def test_near_is_large_and_in_front():
    facing = SOLID.turned(-SOLID.azimuth / 0.4, -SOLID.elevation / 0.4)
    front, back = facing.project([(1, 1, 2), (1, 1, -2)], SIZE)
    centre = facing.project((0, 0, 0), SIZE)
    assert abs(front[0] - centre[0]) > abs(back[0] - centre[0])
    assert -1 < front[2] < back[2] < 1


def test_turning_follows_the_pointer_and_stops_at_the_poles():
    right = SOLID.turned(10, 0).project((0, 0, 2), SIZE) - SOLID.project((0, 0, 2), SIZE)
    assert right[0] > 0
    assert SOLID.turned(0, 1e4).elevation == 90
    assert SOLID.turned(0, -1e4).elevation == -90


def test_matrix_and_projection_agree():
    point = np.array([0.3, -1.2, 0.8, 1.0])
    homogeneous = point @ SOLID.matrix(SIZE)
    assert homogeneous[:3] / homogeneous[3] == pytest.approx(SOLID.project(point[:3], SIZE))
    assert np.linalg.det(FLAT.matrix(SIZE)) != 0


def test_onto_fills_the_picture_with_a_box():
    camera = FLAT.onto((1, 0.5, 0.4, 0.1), SIZE)
    left, right = camera.project([(0.8, 0.5, 0), (1.2, 0.5, 0)], SIZE)
    assert right[0] - left[0] == pytest.approx(0.82 * 640)
    assert (left + right)[:2] / 2 == pytest.approx((320, 240))
    assert {type(number) for number in (camera.scale, *camera.shift)} == {float}  # others cannot be in a file


def test_an_animation_starts_and_ends_at_its_views_and_zooms_evenly():
    target = FLAT.onto((1, 0.5, 0.4, 0.1), SIZE)
    assert FLAT.between(target, 0).scale == pytest.approx(FLAT.scale)
    assert FLAT.between(target, 0).shift == pytest.approx(FLAT.shift)
    assert FLAT.between(target, 1).shift == pytest.approx(target.shift)
    half = FLAT.between(target, 0.5)
    assert half.scale**2 == pytest.approx(FLAT.scale * target.scale)
    # The common part of the two views does not move on the way.
    kept = (1 / FLAT.scale, 1 / target.scale)
    fixed = np.subtract(np.multiply(target.shift, kept[0]), np.multiply(FLAT.shift, kept[1])) / (kept[0] - kept[1])
    place = (np.array(fixed) - FLAT.shift) * FLAT.scale
    assert (np.array(fixed) - half.shift) * half.scale == pytest.approx(place)


def test_a_smaller_picture_shows_as_much():
    small = FLAT.resized(SIZE, (320.0, 400.0))
    assert small.scale == FLAT.scale / 2
    assert small.shift == FLAT.shift
