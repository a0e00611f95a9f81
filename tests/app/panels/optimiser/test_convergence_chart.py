"""The curves of searches: their places, their labels, and the visible part."""

import gc
import re
import time
import weakref
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.panels.optimiser.convergence_chart import SearchChart
from app.panels.optimiser.convergence_curves import Curves, Trace, curve_legend, ranges_of
from app.panels.optimiser.panel import SearchPlot
from app.storage.pictures import picture_content
from app.style.theme import DARK, LIGHT
from tests.pointer import drag

SECONDS = np.array([0.0, 1.0, 2.0, 4.0])
BEST = np.array([64.0, 70.0, 80.0, 91.0])
MAIN = Trace("run 2", SECONDS, BEST - 5, BEST)
OTHER = Trace("run 1", np.array([0.0, 3.0]), np.array([64.0, 75.0]), np.array([64.0, 75.0]))
PICTURE = Curves(MAIN, (), 64.0, 120.0, "GB/s per node")
SIZE = (400, 200)


@pytest.fixture
def plot(shown):
    def make(picture, theme=DARK):
        widget = shown(SearchPlot(), *SIZE)
        widget.show_picture(picture, theme)
        return widget

    return make


@pytest.fixture
def chart(qapp):
    def make(picture, theme=DARK, size=SIZE):
        chart = SearchChart()
        chart.dress(theme, QFont())
        chart.show_picture(picture)
        chart.fit(QSize(*size))
        return chart

    return make


def colours(widget, seconds, value):
    at = widget.chart.area.pixel(seconds, value).toPoint()
    image = widget.grab().toImage()
    return {image.pixelColor(at.x(), at.y() + dy).name() for dy in (-1, 0, 1)}


def texts(svg):
    return re.findall(r"<text[^>]*>([^<]*)", svg)


def test_axes_include_all_curves_and_a_near_bound(chart):
    shown = chart(PICTURE)
    area = shown.area
    for seconds in SECONDS:
        for value in (*BEST, *(BEST - 5), 120.0):
            assert area.frame.adjusted(-1, -1, 1, 1).contains(area.pixel(float(seconds), float(value)))
    assert not ranges_of(PICTURE).beyond
    assert area.y_of(91.0) < area.y_of(64.0)


def test_a_bound_far_away_does_not_flatten_the_curves():
    ranges = ranges_of(replace(PICTURE, limit=900.0))
    assert ranges.beyond
    assert ranges.high < 100
    falling = Trace("run 2", SECONDS, 755 - BEST, 750 - BEST)
    picture = replace(PICTURE, limit=0.1, rising=False, main=falling, start=686.0)
    assert ranges_of(picture).beyond
    assert ranges_of(picture).low > 600


def test_constant_curves_have_axes():
    flat = Trace("run 1", np.zeros(1), np.full(1, 5.0), np.full(1, 5.0))
    ranges = ranges_of(Curves(flat, (), 5.0, None, "GB/s per node"))
    assert ranges.low < 5 < ranges.high
    assert ranges.last > 0


def test_legend_begins_with_the_best_figure():
    assert [text for text, _ in curve_legend(PICTURE)] == ["best 91.0", "bound 120", "start 64.0", "now 86.0"]
    restricted = replace(PICTURE, bound_name="bound for all mappings")
    assert curve_legend(restricted)[1][0] == "bound for all mappings 120"
    counted = replace(PICTURE, limit=None, start=8192.0, rising=False, main=Trace("run 1", SECONDS, BEST, BEST + 0.5))
    assert [text for text, _ in curve_legend(counted)] == ["best 91.500", "start 8,192", "now 91"]


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=["dark", "light"])
def test_best_and_bound_are_painted_in_their_colours(plot, theme):
    widget = plot(PICTURE, theme)
    assert theme.accent in colours(widget, 3.0, 80.0)
    around = [colours(widget, seconds, 120.0) for seconds in np.linspace(0.5, 3.5, 40)]
    assert any(theme.warning in colours for colours in around)


def test_very_short_search_is_visible(plot):
    widget = plot(Curves(Trace("run 1", np.full(1, 0.2), np.full(1, 80.0), np.full(1, 91.0)), (), 64.0, 120.0, "GB/s"))
    assert DARK.accent in colours(widget, 0.2, 91.0)


def test_other_runs_are_drawn_in_other_colours(plot):
    widget = plot(replace(PICTURE, others=(OTHER,)))
    assert DARK.roles[2] in colours(widget, 1.5, 64.0) | colours(widget, 1.4, 64.0)
    widget.show_picture(PICTURE, DARK)
    assert DARK.roles[2] not in colours(widget, 1.5, 64.0) | colours(widget, 1.4, 64.0)


@pytest.mark.parametrize("rising", [True, False], ids=["above", "below"])
def test_arrow_points_at_a_distant_bound(plot, rising):
    falling = Trace("run 2", SECONDS, 755 - BEST, 750 - BEST)
    far = {"limit": 900.0} if rising else {"limit": 0.1, "rising": False, "main": falling, "start": 686.0}
    widget = plot(replace(PICTURE, **far))
    frame, image = widget.chart.area.frame, widget.grab().toImage()
    x, ends = int(frame.left() + 8), (frame.top() + 6, frame.bottom() - 6)
    near, other = (
        {image.pixelColor(x + k, round(y)).name() for k in (-1, 0, 1)} for y in (ends if rising else ends[::-1])
    )
    assert DARK.warning in near
    assert DARK.warning not in other


def test_empty_chart_has_a_message(plot):
    widget = plot(Curves())
    assert widget.accessibleDescription() == ""
    before = widget.grab().toImage()
    widget.show_picture(Curves(), DARK, "Another message.")
    assert widget.grab().toImage() != before
    widget.show_picture(PICTURE, DARK)
    assert DARK.accent in colours(widget, 3.0, 80.0)
    assert widget.accessibleDescription() == "best 91.0, bound 120, start 64.0, now 86.0"


def test_another_theme_and_type_size_reach_every_part(plot):
    widget = plot(replace(PICTURE, others=(OTHER,)))
    widget.grab()
    font = QFont(widget.font())
    font.setPointSizeF(1.5 * font.pointSizeF())
    widget.setFont(font)
    widget.show_picture(widget.picture, LIGHT)
    assert widget.chart.plot.left.look.font.pointSizeF() == font.pointSizeF()
    assert widget.chart.plot.legend.samples[0].pen.color().name() == LIGHT.accent
    image = widget.grab().toImage()
    seen = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert not {DARK.accent, DARK.warning, DARK.roles[2]} & seen
    assert {LIGHT.panel, LIGHT.accent} <= seen


def test_texts_stay_texts_in_exported_files(chart):
    picture = replace(PICTURE, others=(OTHER,))
    svg = picture_content(".svg", (700, 300), DARK, chart(picture).paint_to).decode()
    assert "<image" not in svg
    legend = {text for text, _ in curve_legend(PICTURE)}
    assert legend | {"run 1", "GB/s per node", "s", "0.0", "1.0", "2.0", "3.0"} <= set(texts(svg))


@pytest.mark.parametrize(
    ("last", "unit", "figures"),
    [(100.0, "s", {"0", "20", "40"}), (240.0, "min", {"0.0", "1.0", "2.0"}), (4 * 3600.0, "h", {"0.0", "1.0", "2.0"})],
)
def test_times_have_a_suitable_unit(chart, last, unit, figures):
    trace = Trace("run 1", SECONDS * (last / 4), BEST, BEST)
    svg = picture_content(".svg", (700, 300), DARK, chart(replace(PICTURE, main=trace)).paint_to).decode()
    assert {unit, *figures} <= set(texts(svg))


def test_figures_are_written_in_full_at_every_zoom(chart):
    values = 750_000 - 5000 * BEST
    shown = chart(Curves(Trace("run 1", SECONDS, values, values), (), 430_000.0, 0.5, "hop-bytes", False))
    area, left = shown.area, shown.plot.left
    low, high = ranges_of(shown.picture).low, ranges_of(shown.picture).high
    for parts in (1, 10, 1000):
        area.setYRange(low, low + (high - low) / parts, padding=0)
        figures = [mark.text for _, mark in left.placed(left.shown_marks())]
        assert len(figures) >= 2
        assert len(set(figures)) == len(figures)
        assert not any("…" in figure for figure in figures)


def test_names_of_runs_are_at_the_visible_ends_of_their_curves(chart):
    chart = chart(replace(PICTURE, others=(OTHER,)))
    unzoomed = chart.names._end_of(OTHER)
    assert unzoomed.x() == pytest.approx(chart.area.x_of(3.0))
    assert unzoomed.y() == pytest.approx(chart.area.y_of(75.0))
    chart.area.show_span(1, 2)
    assert chart.names._end_of(OTHER).x() == pytest.approx(chart.area.rect().width())
    assert chart.names._end_of(OTHER).y() == pytest.approx(chart.area.y_of(64.0))
    chart.area.show_span(3.5, 4)
    assert chart.names._end_of(OTHER) is None


def test_zoom_stays_while_the_search_continues(plot):
    widget = plot(PICTURE)
    area, port = widget.chart.area, widget.chart.viewport()
    at = area.pixel(2.0, 80.0).toPoint()
    window, ctrl = widget.window().windowHandle(), Qt.KeyboardModifier.ControlModifier
    QTest.wheelEvent(window, QPointF(port.mapTo(widget.window(), at)), QPoint(0, 600), QPoint(), ctrl)
    assert area.zoomed
    low, high = area.span
    assert low < 2 < high
    assert area.rise[0] < 80 < area.rise[1] < 100
    drag(port, at, at + QPoint(20, 0), steps=4)
    assert area.span[0] < low
    part = area.span
    longer = Trace("run 2", np.append(SECONDS, 9.0), np.append(BEST, 93.0), np.append(BEST, 93.0))
    widget.show_picture(replace(PICTURE, main=longer), DARK)
    assert area.span == pytest.approx(part)
    QTest.keyClick(widget, Qt.Key.Key_Home)
    assert area.span == pytest.approx((0, 9))
    area.show_span(1, 2)
    widget.show_picture(replace(PICTURE, main=OTHER), DARK)  # another run
    assert area.span == pytest.approx((0, 3))


def test_keys_zoom_when_the_plot_has_the_focus(plot, qtbot):
    widget = plot(PICTURE)
    widget.activateWindow()
    widget.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(widget.hasFocus)
    QTest.keyClick(widget, Qt.Key.Key_Plus)
    assert widget.chart.area.zoomed
    QTest.keyClick(widget, Qt.Key.Key_Minus)
    assert not widget.chart.area.zoomed


def test_a_chart_is_freed_with_its_parts(chart):
    made = chart(replace(PICTURE, others=(OTHER,)))
    made.dress(LIGHT, QFont())
    picture_content(".svg", (700, 300), LIGHT, made.paint_to)
    parts = [weakref.ref(part) for part in (made, made.area, made.best, made.levels, *made.others)]
    gc.collect()
    del made
    assert [part() for part in parts] == [None] * 5


def test_noise_takes_no_longer_than_a_multiple_of_a_smooth_curve(chart):
    def seconds(values):
        made = chart(Curves(Trace("run 1", np.arange(2000.0), values, values), (), None, None, "GB/s"))
        image, times = QImage(1600, 1000, QImage.Format.Format_RGB32), []
        for _ in range(4):
            painter = QPainter(image)
            started = time.process_time()
            made.paint_to(painter, QRectF(0, 0, 1600, 1000))
            times.append(time.process_time() - started)
            painter.end()
        return min(times)

    assert seconds(np.random.default_rng(1).random(2000)) < 20 * seconds(np.linspace(0, 1, 2000))


def test_chart_is_created_late_and_shown_once_available(plot):
    widget = plot(PICTURE)
    QApplication.processEvents()
    assert widget.chart.geometry() == widget.rect()
    assert widget.chart.accessibleName() == "Progress of the search"
