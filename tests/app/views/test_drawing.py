"""Small drawings: runs of text stay in their space, outlines are crisp."""

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from app.style.theme import DARK, LIGHT
from app.views.drawing import TextRun, at_least, blend, draw_runs, frame_pen, lines_path, padded, quiet, scaled_font
from app.views.heatmaps.regions import outline


@pytest.fixture
def image(qapp):
    image = QImage(200, 40, QImage.Format.Format_RGB32)
    image.fill(QColor("black"))
    return image


def ink(image):
    """Rows and columns of pixels that are not black."""
    pixels = np.array(image.constBits()).reshape(image.height(), image.width(), 4)[..., :3]
    return np.argwhere(pixels.any(axis=2))


def test_runs_are_shortened_to_their_room(image):
    painter = QPainter(image)
    runs = (
        TextRun("a first piece, ", "#ff0000"),
        TextRun("and one that is far too long for the room left", "#00ff00", "#0000ff"),
    )
    draw_runs(painter, QRectF(10, 5, 150, 20), runs, QFont())
    painter.end()
    pixels = ink(image)
    assert pixels[:, 1].min() >= 10
    assert pixels[:, 1].max() < 160
    colours = {image.pixelColor(int(x), int(y)).name() for y, x in pixels}
    assert {"#ff0000", "#00ff00", "#0000ff"} <= colours


def test_a_line_omits_its_last_parts_before_a_number_is_elided(image):
    drawn = []
    for text in ("max 100 % · 1,056 bundles · 282 idle", "max 100 % · 1,056 bundles"):
        image.fill(0)
        painter = QPainter(image)
        room = QFontMetricsF(QFont()).horizontalAdvance("max 100 % · 1,056 bundles, 2")
        draw_runs(painter, QRectF(10, 5, room, 20), (TextRun(text, "#ff0000"),), QFont())
        painter.end()
        drawn.append(image.copy())
    assert drawn[0] == drawn[1]
    assert ink(drawn[0]).size


def test_fonts_scale_by_points_and_by_pixels(qapp):
    by_pixels = QFont()
    by_pixels.setPixelSize(20)
    assert scaled_font(by_pixels, 0.85).pixelSize() == 17
    by_points = QFont()
    by_points.setPointSizeF(10)
    assert scaled_font(by_points, 1.5).pointSizeF() == 15
    assert QFontMetricsF(scaled_font(by_points, 1.0, bold=True)).horizontalAdvance("mm") > 0
    assert scaled_font(by_points, 1.0, bold=True).weight() > by_points.weight()


def test_colours_between(qapp):
    assert blend("#000000", "#ffffff", 0).name() == "#000000"
    assert blend("#000000", "#ffffff", 1).name() == "#ffffff"
    assert blend("#102030", "#304050", 0.5).name() == "#203040"
    for theme in (DARK, LIGHT):
        assert quiet(theme).name() not in (theme.panel, theme.missing)


def test_an_outline_of_two_pixels_is_crisp_on_whole_ones(image):
    mask = np.array([[False, True, False]])
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(frame_pen("#ffffff", 2))
    painter.drawPath(lines_path(outline(mask), QRectF(20, 10, 60, 20), (20, 20)))
    painter.end()
    shades = {image.pixelColor(x, y).name() for x in range(200) for y in range(40)}
    assert shades == {"#000000", "#ffffff"}
    pixels = ink(image)
    assert pixels.min(axis=0).tolist() == [9, 39]
    assert pixels.max(axis=0).tolist() == [30, 60]


def test_small_marks_are_widened_about_their_centre():
    rect = at_least(QRectF(50.2, 60.4, 0.5, 30), 7)
    assert (rect.width(), rect.height()) == (6, 29)
    assert abs(rect.center().x() - 50.45) <= 0.5
    assert abs(rect.center().y() - 75.4) <= 0.5


def test_padding_goes_below_0_only_where_figures_do():
    assert padded(1, 9, 2) == (0, 11)
    assert padded(5, 9, 2) == (3, 11)
    assert padded(-1, 9, 2) == (-3, 11)
