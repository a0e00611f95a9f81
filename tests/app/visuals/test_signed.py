"""Differences on the canvas: zero in the middle, and the larger magnitude on top."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from app.visuals import Cells, LinkLoad, base

LEFT_TO_RIGHT = np.array([[[20.0, 60, 0], [60, 60, 0], [100, 60, 0]]])


@pytest.mark.parametrize("instanced", [True, False], ids=["instanced", "per vertex"])
def test_zero_has_the_colour_of_the_middle(canvas, picture, lut, instanced):
    cells = Cells(instanced, parent=canvas.scene)
    cells.set_lut(lut)
    cells.set_geometry([[20, 60, 0], [60, 60, 0], [100, 60, 0]], 30)
    cells.set_load([-0.4, 0.0, 0.2])
    cells.set_scale(-0.4, 0.4, signed=True)
    assert_allclose(picture(canvas)[60, [20, 60, 100]], lut[[0, 128, 191], :3], atol=2)


@pytest.mark.parametrize("limit", [base.SORT_LIMIT, 0], ids=["sorted", "by depth"])
def test_the_larger_change_is_on_top_in_either_direction(canvas, picture, lut, monkeypatch, limit):
    monkeypatch.setattr(base, "SORT_LIMIT", limit)
    links = LinkLoad(segments=1, parent=canvas.scene)
    links.set_lut(lut)
    links.set_scale(-1.0, 1.0, signed=True)
    # The strongest is negative, and in the middle of many that are weaker.
    values = np.tile([0.3, -0.9, 0.1], 50)
    links.set_geometry(np.repeat(LEFT_TO_RIGHT, values.size, axis=0), 8)
    links.set_load(values)
    assert_allclose(picture(canvas)[60, 60], lut[round(0.05 * 255), :3], atol=3)
    links.set_scale(-1.0, 1.0)
    assert_allclose(picture(canvas)[60, 60], lut[round(0.65 * 255), :3], atol=3)


def test_both_ends_can_be_exceeded(canvas, picture):
    cells = Cells(parent=canvas.scene)
    cells.set_geometry([[20, 60, 0], [60, 60, 0], [100, 60, 0]], 30)
    cells.set_load([-1.1, 0.9, 1.1])
    cells.set_scale(-1.0, 1.0, signed=True)
    cells.set_beyond_colour((1.0, 0.0, 1.0, 1.0))
    image = picture(canvas)
    assert image[60, [20, 100]].tolist() == [[255, 0, 255]] * 2
    assert image[60, 60].tolist() != [255, 0, 255]
