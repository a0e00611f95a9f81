"""Type and marks at twice their size: the machine is the same picture, twice as large, for pointer and eye."""

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from app.model.pointing import Item
from tests.app.scenarios import HALO

WIDTH, HEIGHT = 420, 380


def test_at_twice_the_size_points_hit_the_same_items_at_half_the_distance(machine):
    plain, large = machine(HALO, WIDTH, HEIGHT), machine(HALO, 2 * WIDTH, 2 * HEIGHT)
    large.session.set_font_scale(2.0)
    for x, y in np.random.default_rng(7).uniform((0, 0), (WIDTH, HEIGHT), (200, 2)).tolist():
        assert large.hit_at(QPointF(2 * x, 2 * y)) == plain.hit_at(QPointF(x, y))
    x, y = plain.camera.project(plain.scene.geometry.box_centres[21], (WIDTH, HEIGHT))[:2].tolist()
    QTest.mouseClick(large, Qt.MouseButton.LeftButton, pos=QPoint(round(2 * x), round(2 * y)))
    assert large.state.selection == Item("group", 21)


def test_at_twice_the_size_the_picture_is_twice_as_large(accelerated):
    plain, large = accelerated(HALO, WIDTH, HEIGHT), accelerated(HALO, 2 * WIDTH, 2 * HEIGHT)
    large.session.set_font_scale(2.0)
    for view in (plain, large):
        view.catch_up()
    small, big = (view.canvas.picture().astype(float) for view in (plain, large))
    assert big.shape == (2 * HEIGHT, 2 * WIDTH, 3)
    halved = big.reshape(HEIGHT, 2, WIDTH, 2, 3).mean(axis=(1, 3))
    # Edges are antialiased elsewhere; but links as wide as before would be missing everywhere.
    assert np.abs(halved - small).mean() < 3
    large.session.set_font_scale(1.0)
    large.catch_up()
    thin = large.canvas.picture().astype(float).reshape(HEIGHT, 2, WIDTH, 2, 3).mean(axis=(1, 3))
    assert np.abs(thin - small).mean() > 3
