"""Scales of differences: zero in the middle, symmetric, with ends at round numbers."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.style.colour import DIVERGING, MAPS, DifferenceScale, lookup_table
from app.style.theme import DARK, LIGHT
from tests.contrast import contrast


@pytest.mark.parametrize("name", [*MAPS, *DIVERGING])
@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_every_map_is_known_and_its_colours_differ(name, theme):
    table = lookup_table(name, theme.dark).astype(int)
    assert table.shape == (256, 4)
    assert (table[:, 3] == 255).all()
    assert np.abs(np.diff(table[:, :3], axis=0)).sum(axis=1).max() <= 24  # no jumps
    assert np.abs(table[255, :3] - table[0, :3]).sum() > 100


def test_zero_is_the_middle_of_a_symmetric_scale():
    scale = DifferenceScale(0.4)
    np.testing.assert_allclose(scale.coordinate(np.array([-0.8, -0.4, -0.2, 0, 0.2, 0.4])), [0, 0, 0.25, 0.5, 0.75, 1])
    assert scale.exceeds(np.array([-0.41, -0.4, 0.0, 0.4, 0.41])).tolist() == [True, False, False, False, True]
    assert [scale.relative(place) for place in (0.0, 0.5, 1.0)] == pytest.approx([-0.4, 0, 0.4])


@pytest.mark.parametrize(
    ("largest", "end"),
    [(0.21, 0.3), (0.2, 0.2), (0.95, 1.0), (1.0, 1.0), (1.2, 1.5), (0.0012, 0.0015), (0.066, 0.08), (0.0, 1.0)],
)
def test_scale_ends_at_a_round_number_above_the_largest_difference(largest, end):
    assert DifferenceScale.reaching(largest).span == pytest.approx(end)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_equal_recedes_more_is_red_and_less_is_blue(theme):
    table = lookup_table("difference", theme.dark).astype(int)
    ratio = contrast(table[[127, 128]], QColor(theme.panel).getRgb()[:3])
    assert ((ratio > 1.25) & (ratio < 1.6)).all()
    for place in (150, 180, 255):
        assert table[place, 0] > table[place, 2]
        assert table[255 - place, 2] > table[255 - place, 0]
    # The farther from zero, the farther from the background: dark turns light, light turns dark.
    light = table[:, :3] @ np.array([0.299, 0.587, 0.114]) * (1 if theme.dark else -1)
    assert (light[[160, 200, 255]] > light[[128, 160, 200]]).all()
    assert (light[[95, 55, 0]] > light[[127, 95, 55]]).all()


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
@pytest.mark.parametrize("name", ["heat", "batlow"])
def test_cold_recedes_but_no_load_is_lost_in_the_background(name, theme):
    ratio = contrast(lookup_table(name, theme.dark), QColor(theme.panel).getRgb()[:3])
    assert 1.27 < ratio.min() <= ratio[0] < 1.6
    assert (np.diff(ratio[80:]) > -0.02).all()
    assert ratio[-1] > 3


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_zero_difference_differs_from_the_background(theme):
    assert contrast(lookup_table("difference", theme.dark)[127], QColor(theme.panel).getRgb()[:3]) > 1.14
