"""The chart of random failures: pixels of the curves, their legend, and ranges if draws disconnect flows."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter

from app.panels.what_if.chart import CUT, MOST, CurveChart, connected_points, cropped, rows_of
from app.style.theme import DARK, LIGHT
from core.figures.resilience import CurvePoint, FailureCurve

SIZE = 400, 240


def curve(name, values, components=100, cut=()):
    base = values[0]
    points = [
        CurvePoint(k, 100 * k / components, value, 0.9 * value, 1.1 * value, float(k in cut), value / base,
                   0.9 * value / base, 1.1 * value / base)
        for k, value in enumerate(values)
    ]  # fmt: skip
    return FailureCurve(name, base, "cables", components, points)


@pytest.fixture
def drawn(qtbot):
    chart = CurveChart()
    qtbot.addWidget(chart)

    def draw(curves, theme=DARK, **options):
        chart.dress(theme, QFont())
        chart.show_curves(curves, **options)
        image = QImage(*SIZE, QImage.Format.Format_RGB32)
        image.fill(QColor(theme.panel))
        painter = QPainter(image)
        chart.paint_to(painter, QRectF(image.rect()))
        painter.end()
        return chart, image

    return draw


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_each_curve_has_its_colour_and_the_main_one_the_accent(drawn, theme):
    a, b = curve("A", [4, 3, 2, 1.5]), curve("B", [5, 4.5, 4.2, 4])
    chart, image = drawn([a, b], theme, main=1)
    for each, colour in ((a, theme.roles[1]), (b, theme.accent)):
        at = chart.area.pixel(2, each.points[2].mean_gbs).toPoint()
        # One pixel of the line's width has the colour without blending.
        assert QColor(colour) in [image.pixelColor(at.x(), at.y() + shift) for shift in (-1, 0, 1)]
    assert [sample.text for sample in chart.plot.legend.samples] == ["A", "B", "5 to 95 % of draws"]


def test_relative_curves_begin_at_100_percent(drawn):
    a, b = curve("A", [4, 3, 2], components=10), curve("B", [500, 450, 400], components=1000)
    chart, _ = drawn([a, b], relative=True)
    np.testing.assert_allclose(rows_of(a, True), [[0, 10, 20], [100, 75, 50], [90, 67.5, 45], [110, 82.5, 55]])
    assert chart.area.home[0] == (0, 20)
    assert chart.area.home[1][1] < 120


def test_throughputs_of_draws_that_disconnect_flows_do_not_squeeze_the_others(drawn):
    cut = curve("A", [4, 3, 40, 50], cut=(2, 3))
    chart, _ = drawn([cut])
    assert connected_points(cut) == 2
    assert chart.area.home[1][1] == pytest.approx(MOST * 4 + 0.06 * (MOST * 4 - 0.9 * 3))
    assert chart.plot.legend.samples[-1].text == CUT
    fewer, _ = drawn([curve("A", [4, 3])])
    assert [sample.text for sample in fewer.plot.legend.samples] == ["mean", "5 to 95 % of draws"]


def test_a_line_above_the_plot_is_moved_to_its_border():
    x, y = cropped(np.array([0.0, 1, 2, 3]), np.array([1.0, 5, 5, 1]), 3.0)
    np.testing.assert_allclose(x, [0, 0.5, 1, 2, 2.5, 3])
    np.testing.assert_allclose(y, [1, 3, 3, 3, 3, 1])
    kept = cropped(np.array([0.0, 1]), np.array([1.0, 2]), 3.0)
    np.testing.assert_allclose(kept, [[0, 1], [1, 2]])
    assert not cropped(np.zeros(0), np.zeros(0), 3.0)[0].size


def test_failures_are_whole_numbers_in_charts_of_any_width(drawn):
    chart, _ = drawn([curve("A", [4, 3, 2])])
    assert [mark.text for mark in chart.below.shown_marks()] == ["0", "1", "2"]
