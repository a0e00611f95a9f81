"""Curves: nothing that can be seen is lost by thinning, and none takes long."""

import time

import numpy as np
import pytest
from PySide6.QtCore import QSize

from app.style.theme import DARK
from app.views.charts.kit.curve import Curve, thinned
from tests.app.views.charts.kit.plain import PlainChart
from tests.app.views.charts.kit.test_chart import drawn, pixels, pixels_of


@pytest.fixture
def curve(qapp):
    def make(x, y, **options):
        chart = PlainChart()
        chart.bars.hide()
        chart.cursor.hide()
        chart.curve = Curve(chart.plot.area, lambda look: look.pen(look.theme.bad, 1.6), **options)
        chart.curve.show_points(x, y)
        chart.plot.area.set_home((float(x[0]), float(x[-1])), (0.0, 1.0))
        chart.dress_parts()
        return chart

    return make


def test_a_column_keeps_its_first_lowest_highest_and_last_point():
    x = np.linspace(0, 3, 3000, endpoint=False)
    y = np.sin(x * 40)
    y[1500] = 7
    few_x, few_y = thinned(x, y)
    assert few_x.size == 12
    assert few_y.max() == 7
    for column in range(3):
        inside, kept = y[np.floor(x) == column], few_y[np.floor(few_x) == column]
        between = sorted([inside.min(), inside.max()], reverse=bool(inside[-1] < inside[0]))
        assert kept.tolist() == [inside[0], *between, inside[-1]]
    assert (np.diff(few_x) >= 0).all()


@pytest.mark.parametrize("sign", [1, -1], ids=["rising", "falling"])
def test_a_thinned_monotonic_curve_stays_monotonic(sign):
    _, y = thinned(np.linspace(0, 3, 3000), sign * np.linspace(0, 1, 3000) ** 9)
    assert y.size < 20
    assert (sign * np.diff(y) >= 0).all()


def test_few_points_are_kept_and_gaps_left_out():
    x, y = np.array([0.0, 1, 2, 3]), np.array([1.0, np.nan, 3, 4])
    assert thinned(x, y)[0].tolist() == [0, 2, 3]
    assert thinned(np.empty(0), np.empty(0))[0].size == 0


def rows_of(chart, column):
    image = pixels(drawn(chart))
    seen = np.abs(image[:, column].astype(int) - pixels_of(DARK.bad)).sum(axis=1) < 60
    return np.flatnonzero(seen) - round(chart.plot.area.frame.top())


@pytest.mark.parametrize("stairs", [False, True], ids=["line", "stairs"])
def test_points_are_where_their_values_are(curve, stairs):
    chart = curve(np.array([0.0, 1, 2]), np.array([0.2, 0.2, 0.8]), stairs=stairs)
    drawn(chart)
    frame = chart.plot.area.frame
    first, third = (rows_of(chart, round(frame.left() + part * frame.width())) for part in (0.25, 0.75))
    assert first.mean() == pytest.approx(0.8 * frame.height(), abs=1.5)
    assert third.mean() == pytest.approx((0.8 if stairs else 0.5) * frame.height(), abs=2.5)


@pytest.mark.parametrize("stairs", [False, True], ids=["line", "stairs"])
def test_many_points_that_only_rise_are_as_wide_as_few(curve, stairs):
    few = curve(np.array([0.0, 1.0]), np.array([0.4, 0.4]), stairs=stairs)
    y = np.where(np.arange(4000) < 3990, 0.4, 0.7)
    many = curve(np.linspace(0, 1, 4000), y, stairs=stairs)
    shown = [pixels(drawn(chart)) for chart in (few, many)]
    column = round(few.plot.area.frame.center().x())
    assert (shown[0][:, column] == shown[1][:, column]).all()


def test_a_part_is_drawn_up_to_the_border(curve):
    chart = curve(np.array([0.0, 1, 2]), np.array([0.5, 0.5, 0.5]))
    drawn(chart)
    chart.plot.area.show_span(0.4, 0.6)  # no point is inside
    frame = chart.plot.area.frame
    for x in (frame.left() + 2, frame.right() - 3):
        assert rows_of(chart, round(x)).size


def test_noise_takes_no_longer_than_a_multiple_of_a_smooth_curve(curve):
    x = np.linspace(0, 1, 2000)
    noise = np.random.default_rng(1).random(2000)

    def seconds(y):
        chart = curve(x, y)
        drawn(chart, QSize(1600, 1000))
        times = []
        for _ in range(3):
            started = time.process_time()
            drawn(chart, QSize(1600, 1000))
            times.append(time.process_time() - started)
        return min(times)

    assert seconds(noise) < 20 * seconds(x)
