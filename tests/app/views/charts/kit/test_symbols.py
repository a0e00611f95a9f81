"""Symbols of points: the same on screens of any resolution and in files."""

import re

import numpy as np
import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QImage, QPainter

from app.storage.pictures import picture_content
from app.style.theme import DARK
from app.views.charts.kit.symbols import SHAPES, Symbol, Symbols
from tests.app.views.charts.kit.plain import PlainChart
from tests.app.views.charts.kit.test_chart import drawn, pixels, pixels_of

COLOURS = ("#ff0000", "#00ff00", "#0000ff", "#ffff00", "#ff00ff")
SYMBOLS = tuple(Symbol(colour, shape) for shape, colour in enumerate(COLOURS))


@pytest.fixture
def chart(qapp):
    """A chart with a point of each shape."""
    chart = PlainChart()
    chart.bars.hide()
    chart.cursor.hide()
    chart.symbols = Symbols(chart.plot.area)
    kinds = np.arange(5)
    chart.symbols.show_points(0.4 + 0.8 * kinds, np.full(5, 500.0), kinds, SYMBOLS)
    chart.dress_parts()
    return chart


def at(chart, number, ratio=1):
    place = chart.plot.area.pixel(0.4 + 0.8 * number, 500) * ratio
    return round(place.x()), round(place.y())


@pytest.mark.parametrize("ratio", [1, 1.5, 2])
def test_each_point_has_its_colour_at_its_place(chart, ratio):
    image = QImage(QSize(640, 300) * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(DARK.panel))
    painter = QPainter(image)
    chart.paint_to(painter, QRectF(0, 0, 640, 300))
    painter.end()
    areas = []
    for number, colour in enumerate(COLOURS):
        x, y = at(chart, number, ratio)
        assert image.pixelColor(x, y) == QColor(colour)
        areas.append((pixels(image) == pixels_of(colour)).all(axis=2).sum() / ratio**2)
    assert min(areas) > 20
    assert max(areas) < 100


def test_later_points_lie_on_top_and_those_outside_are_left_out(chart):
    chart.symbols.show_points(np.array([2.0, 2.0, 9.0]), np.full(3, 500.0), np.array([1, 0, 2]), SYMBOLS)
    image = pixels(drawn(chart))
    assert (image == pixels_of(COLOURS[0])).all(axis=2).any()
    assert not (image == pixels_of(COLOURS[2])).all(axis=2).any()
    place = chart.plot.area.pixel(2, 500)
    assert tuple(image[round(place.y()), round(place.x())]) == pixels_of(COLOURS[0])


def test_in_files_points_are_shapes_of_the_same_size(chart):
    svg = picture_content(".svg", (640, 300), DARK, chart.paint_to).decode()
    assert "<image" not in svg
    assert len(re.findall("<(?:circle|ellipse|path|polygon)", svg)) >= len(SHAPES)
    assert all(colour in svg for colour in COLOURS)
    pdf = picture_content(".pdf", (640, 300), DARK, chart.paint_to)
    assert b"/Subtype /Image" not in pdf


def test_no_points_draw_nothing(chart):
    chart.symbols.show_points(np.empty(0), np.empty(0), np.empty(0, np.intp), ())
    assert not (pixels(drawn(chart)) == pixels_of(COLOURS[0])).all(axis=2).any()
