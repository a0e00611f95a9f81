"""The curves of searches: where they are drawn, thinned without losing peaks, and what is written beside them."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QFont

from app.panels.optimiser.convergence_plot import Curves, SearchPlot, Trace, curve_axes, curve_legend, stairs, thinned
from app.style.theme import DARK, LIGHT

SECONDS = np.array([0.0, 1.0, 2.0, 4.0])
BEST = np.array([64.0, 70.0, 80.0, 91.0])
MAIN = Trace("run 2", SECONDS, BEST - 5, BEST)
PICTURE = Curves(MAIN, (), 64.0, 120.0, "GB/s per node")
SIZE = QSizeF(400, 200)


@pytest.fixture
def plot(qtbot):
    def make(picture, theme=DARK, width=400, height=200):
        widget = SearchPlot()
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show_picture(picture, theme)
        return widget

    return make


def colours(widget, seconds, value):
    axes, _ = curve_axes(widget.picture, QSizeF(widget.size()), widget.font())
    image, x, y = widget.grab().toImage(), round(axes.x(seconds)), round(axes.y(value))
    return {image.pixelColor(x, y + dy).name() for dy in (-1, 0, 1)}


def test_axes_hold_all_curves_and_a_bound_that_is_near(qapp):
    axes, beyond = curve_axes(PICTURE, SIZE, QFont())
    for seconds in SECONDS:
        assert axes.plot.left() - 1 <= axes.x(float(seconds)) <= axes.plot.right() + 1
    for value in (*BEST, *(BEST - 5), 120.0):
        assert axes.plot.top() <= axes.y(float(value)) <= axes.plot.bottom()
    assert not beyond
    assert axes.y(91.0) < axes.y(64.0)


def test_a_bound_far_away_does_not_flatten_the_curves(qapp):
    axes, beyond = curve_axes(replace(PICTURE, limit=900.0), SIZE, QFont())
    assert beyond
    assert axes.up.high < 100
    falling = Trace("run 2", SECONDS, 755 - BEST, 750 - BEST)
    picture = replace(PICTURE, limit=0.1, rising=False, main=falling, start=686.0)
    assert curve_axes(picture, SIZE, QFont())[0].up.low > 600


def test_curves_that_do_not_move_have_axes_too(qapp):
    flat = Trace("run 1", np.zeros(1), np.full(1, 5.0), np.full(1, 5.0))
    axes, _ = curve_axes(Curves(flat, (), 5.0, None, "GB/s per node"), SIZE, QFont())
    assert axes.up.low < 5 < axes.up.high
    assert axes.across.high > 0


def test_thinned_curves_keep_their_extremes():
    rng = np.random.default_rng(1)
    values = rng.normal(size=10_000)
    values[7_777], values[1_234] = 50.0, -50.0
    x, y = thinned(np.arange(10_000.0), values, 400)
    assert x.size == y.size <= 402
    assert (y.max(), y.min()) == (50.0, -50.0)
    assert (np.diff(x) >= 0).all()
    assert thinned(SECONDS, BEST, 400)[1] is BEST


def test_the_best_stays_until_it_gets_better():
    x, y = stairs(SECONDS, BEST)
    assert x.tolist() == [0, 1, 1, 2, 2, 4, 4]
    assert y.tolist() == [64, 64, 70, 70, 80, 80, 91]


def test_the_legend_says_what_matters_first():
    assert [text for text, _ in curve_legend(PICTURE)] == ["best 91.0", "bound 120", "start 64.0", "now 86.0"]
    counted = replace(PICTURE, limit=None, start=8192.0, rising=False, main=Trace("run 1", SECONDS, BEST, BEST + 0.5))
    assert [text for text, _ in curve_legend(counted)] == ["best 91.500", "start 8,192", "now 91"]


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_best_and_bound_are_seen_in_their_colours(plot, theme):
    widget = plot(PICTURE, theme)
    assert theme.accent in colours(widget, 3.0, 80.0)
    around = [colours(widget, seconds, 120.0) for seconds in np.linspace(0.5, 3.5, 40)]
    assert any(theme.warning in found for found in around)


def test_other_runs_are_drawn_beside_in_other_colours(plot):
    other = Trace("run 1", np.array([0.0, 3.0]), np.array([64.0, 75.0]), np.array([64.0, 75.0]))
    widget = plot(replace(PICTURE, others=(other,)))
    assert DARK.roles[2] in colours(widget, 1.5, 64.0) | colours(widget, 1.4, 64.0)


def test_without_a_curve_it_says_what_to_do(plot):
    widget = plot(Curves())
    before = widget.grab().toImage()
    widget.show_picture(Curves(), DARK, "Another message.")
    assert widget.grab().toImage() != before
