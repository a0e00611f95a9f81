"""Colours also for colour vision deficiencies: maps rise, categories differ, and names accompany them."""

from itertools import combinations

import numpy as np
import pytest
from PySide6.QtGui import QColor

from app.style.colour import DIVERGING, MAPS, category_colours, lookup_table
from app.style.theme import DARK, LIGHT
from tests.colour_vision import LACKING, apart, lab, linear, seen_by

THEMES = pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
EYES = pytest.mark.parametrize("lacking", LACKING)
NOTICED = 2.3
"""Just noticeable difference of colours, CIE 1976."""


def rgb(colour):
    return QColor(colour).getRgb()[:3]


def test_simulation_matches_the_published_matrices():
    assert lab([(255, 0, 0), (0, 0, 255), (255, 255, 255)]) == pytest.approx(
        np.array([(53.24, 80.09, 67.2), (32.3, 79.19, -107.86), (100, 0, 0)]), abs=0.02
    )
    grey = np.array([(k, k, k) for k in (0, 60, 128, 255)])
    for lacking in LACKING:  # colours without hue look the same to everybody
        assert seen_by(lacking, grey) == pytest.approx(linear(grey), abs=1e-5)
    # Red and green of one lightness, which only people with a deficiency confuse.
    assert apart((181, 105, 0), (120, 132, 0)) > 10 * NOTICED
    assert apart((181, 105, 0), (120, 132, 0), "deuteranopia") < 3 * NOTICED


@THEMES
@EYES
@pytest.mark.parametrize("name", MAPS)
def test_hotter_is_farther_from_the_background_in_lightness_alone(name, theme, lacking):
    table = lookup_table(name, theme.dark)[:, :3]
    lightness = lab(table, lacking)[:, 0] * (1 if theme.dark else -1)
    # Steps of one in 255 vary by half of one of L*, which is invisible.
    assert (np.maximum.accumulate(lightness) - lightness).max() < 0.5
    assert np.ptp(lightness) > 50
    ninths = table[np.linspace(0, 255, 10).round().astype(int)]
    assert apart(ninths[1:], ninths[:-1], lacking).min() > 2 * NOTICED


@THEMES
@EYES
@pytest.mark.parametrize("name", DIVERGING)
def test_less_equal_and_more_have_different_colours(name, theme, lacking):
    table = lookup_table(name, theme.dark)[:, :3]
    for colour, second in combinations(table[[0, 127, 255]], 2):
        assert apart(colour, second, lacking) > 40
    less, more = table[96::-16], table[159::16]
    assert apart(less, more, lacking).min() > 10


@THEMES
@EYES
def test_roles_differ_and_no_map_has_the_colour_beyond_the_scale(theme, lacking):
    assert (
        min(apart(rgb(colour), rgb(second), lacking) for colour, second in combinations(theme.roles, 2)) > 7 * NOTICED
    )
    for name in MAPS:
        assert apart(lookup_table(name, theme.dark)[:, :3], rgb(theme.beyond), lacking).min() > 7 * NOTICED
    assert apart(rgb(theme.good), rgb(theme.bad), lacking) > 5 * NOTICED


@THEMES
@EYES
def test_consecutive_groups_have_different_colours(theme, lacking):
    # Of dozens some look alike to everybody: names are in them, lines between them.
    table = category_colours(64, theme.dark)[:, :3]
    assert apart(table[1:], table[:-1], lacking).min() > 3 * NOTICED
