"""Charts of the kit: the same on the screen and in files, in another theme, without leaks, quick under a cursor."""

import gc
import re
import weakref

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QHelpEvent, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QScrollArea, QScrollBar, QToolTip, QVBoxLayout, QWidget

from app.storage.pictures import picture_content
from app.style.theme import DARK, LIGHT
from app.views.charts.kit.area import Zoom
from tests.app.views.charts.kit.plain import HEIGHTS, PlainChart
from tests.patience import wait
from tests.pointer import drag, move

SIZE = QSize(640, 300)


@pytest.fixture
def on_screen(shown):
    """A chart in a view that notes the keys it gets."""

    class View(QWidget):
        def __init__(self, **options):
            super().__init__()
            self.keys = []
            self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self.chart = PlainChart(self, **options)
            layout = QVBoxLayout(self)
            layout.setContentsMargins(0, 0, 0, 0)
            layout.addWidget(self.chart)

        def keyPressEvent(self, event):
            self.keys.append(event.key())

    def open_view(**options):
        view = shown(View(**options), SIZE.width(), SIZE.height())
        QApplication.processEvents()
        return view

    return open_view


def drawn(chart, size=SIZE, theme=DARK):
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(QColor(theme.panel))
    painter = QPainter(image)
    chart.paint_to(painter, QRectF(0, 0, size.width(), size.height()))
    painter.end()
    return image


def pixels(image):
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    return np.array(image.constBits()).reshape(image.height(), image.width(), 4)[..., :3].copy()


def test_a_chart_that_was_never_shown_is_drawn_like_one_on_the_screen(on_screen):
    view = on_screen()
    seen, written = pixels(view.chart.grab().toImage()), pixels(drawn(PlainChart()))
    assert seen.shape == written.shape
    assert (seen == written).all()


def test_a_chart_drawn_before_is_drawn_the_same_at_another_size(qapp):
    chart, other = PlainChart(), QSize(300, 500)
    drawn(chart)
    assert (pixels(drawn(chart, other)) == pixels(drawn(PlainChart(), other))).all()


def test_a_chart_is_freed_with_all_its_parts(on_screen):
    view = on_screen()
    gc.collect()
    chart = PlainChart()
    for theme in (LIGHT, DARK):
        chart.dress(theme, chart.font())
        drawn(chart)
    parts = [weakref.ref(part) for part in (chart, *chart.plot, chart.bars, chart.cursor)]
    del chart
    shown_parts = [weakref.ref(part) for part in (view.chart, view.chart.bars, view.chart.plot.area)]
    view.chart.setParent(None)
    del view.chart
    assert not [part() for part in (*parts, *shown_parts) if part() is not None]


def test_a_chart_has_no_hidden_widgets(qapp):
    before = set(QApplication.allWidgets())
    chart = PlainChart()
    new = set(QApplication.allWidgets()) - before
    assert {type(widget) for widget in new} == {PlainChart, QWidget, QScrollBar}
    assert len(new) <= 7  # a scroll area has two scroll bars with frames; the viewport is replaced by another
    del chart


@pytest.mark.parametrize("dpi", [72, 96, 144])
def test_texts_stay_texts_and_bars_keep_their_height_in_files(qapp, dpi, monkeypatch):
    monkeypatch.setattr("app.storage.pictures.PIXELS_PER_INCH", dpi)
    chart = PlainChart()
    svg = picture_content(".svg", (640, 300), DARK, chart.paint_to).decode()
    assert "<image" not in svg
    figures = [mark.text for axis in (chart.plot.left, chart.plot.below) for _, mark in axis.placed(axis.shown_marks())]
    texts = re.findall(r"<text[^>]*>([^<]*)", svg)
    assert set(figures) | {"bars", "cursor", "s"} <= {text.strip() for text in texts}
    if dpi == 96:
        image = drawn(chart)
        frame = chart.plot.area.frame
        for k, height in enumerate(HEIGHTS):
            column = pixels(image)[:, round(frame.left() + (k + 0.5) * frame.width() / 4)]
            filled = np.flatnonzero((column == pixels_of(DARK.accent)).all(axis=1))
            assert filled.size == pytest.approx(height / 1000 * frame.height(), abs=1.01)


def pixels_of(colour):
    colour = QColor(colour)
    return colour.blue(), colour.green(), colour.red()


@pytest.mark.parametrize(("before", "after"), [(DARK, LIGHT), (LIGHT, DARK)], ids=["to light", "to dark"])
def test_another_theme_replaces_all_colours(on_screen, before, after):
    view = on_screen()
    view.chart.dress(before, view.font())
    view.grab()
    view.chart.dress(after, view.font())
    image = pixels(view.chart.grab().toImage())
    for old in (before.panel, before.accent, before.text):
        assert not (image == pixels_of(old)).all(axis=2).any(), old


def test_large_type_in_a_small_chart_overlaps_nowhere(qapp):
    chart = PlainChart()
    font = QFont(chart.font())
    font.setPointSizeF(2 * font.pointSizeF())
    chart.dress(DARK.scaled(2.0), font)
    chart.fit(QSize(240, 200))
    for axis in (chart.plot.left, chart.plot.below):
        areas = [area for area, _ in axis.placed(axis.shown_marks())]
        assert len(areas) >= 2
        assert not any(area.intersects(other) for k, area in enumerate(areas) for other in areas[:k])
    inside = QRectF(0, 0, 240, 200)
    assert all(inside.contains(part.geometry()) for part in chart.plot)


def test_a_moving_cursor_does_not_draw_what_is_below_it_again(on_screen):
    view = on_screen()
    chart = view.chart
    chart.viewport().repaint()
    before = chart.bars.drawn
    for step in range(100):
        chart.cursor.move(step / 25)
        chart.viewport().repaint()
        QApplication.processEvents()
    assert chart.bars.drawn - before <= 1


def test_a_press_and_all_moves_up_to_the_release_are_places(on_screen):
    view = on_screen(picks=True)
    area, port, told = view.chart.plot.area, view.chart.viewport(), []
    for signal in (area.pressed, area.dragged, area.released):
        signal.connect(lambda x, y: told.append(x))
    start, end = area.pixel(0.5, 500).toPoint(), area.pixel(3.5, 500).toPoint()
    QTest.mousePress(port, Qt.MouseButton.LeftButton, pos=start)
    assert told == [pytest.approx(0.5, abs=0.01)]
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=start)
    told.clear()
    drag(port, start, end, steps=50)
    assert len(told) == 52
    assert told[-1] == pytest.approx(3.5, abs=0.01)
    assert not area.zoomed


def turn(port, at, modifiers=Qt.KeyboardModifier.NoModifier, notches=5):
    """Turn the wheel as the window system does: only then it is passed on to parents."""
    window = port.window()
    QTest.wheelEvent(
        window.windowHandle(), QPointF(port.mapTo(window, at)), QPoint(0, 120 * notches), QPoint(), modifiers
    )


def test_the_wheel_scrolls_and_with_ctrl_zooms(qapp, shown):
    scroll = QScrollArea()
    inside = QWidget()
    inside.resize(600, 2000)
    chart = PlainChart(inside)
    chart.setGeometry(0, 300, 600, 300)
    scroll.setWidget(inside)
    shown(scroll, 620, 500)
    area, bar = chart.plot.area, scroll.verticalScrollBar()
    bar.setValue(200)
    at = area.pixel(2, 500).toPoint()
    turn(chart.viewport(), at, notches=-1)
    assert bar.value() > 200
    assert not area.zoomed
    was = bar.value()
    turn(chart.viewport(), at, Qt.KeyboardModifier.ControlModifier)
    assert bar.value() == was
    assert area.zoomed
    low, high = area.span
    assert low < 2 < high
    assert high - low < 4
    assert area.rise == pytest.approx((0, 1000))


@pytest.mark.parametrize("way", ["double click", "Home"])
def test_the_whole_range_comes_back(on_screen, way):
    view = on_screen(zoom=Zoom.ALWAYS)
    area, port = view.chart.plot.area, view.chart.viewport()
    turn(port, area.pixel(2, 500).toPoint())
    assert area.zoomed
    start = area.span[0]
    middle = QPoint(round(area.frame.center().x()), round(area.frame.center().y()))
    drag(port, middle, middle + QPoint(60, 0), steps=6)
    assert area.span[0] < start  # panned
    area.set_home((0.0, 4.0), (0.0, 1000.0))
    assert area.zoomed  # new figures in the same range leave it zoomed
    if way == "Home":
        QTest.keyClick(view.chart, Qt.Key.Key_Home)
    else:
        QTest.mouseDClick(port, Qt.MouseButton.LeftButton, pos=area.pixel(2, 500).toPoint())
    assert not area.zoomed
    assert area.span == pytest.approx((0, 4))


@pytest.mark.parametrize(
    ("x", "y", "span", "rise"),
    [
        ((0.0, 8.0), (0.0, 2000.0), (1, 2), (0, 2000)),
        ((0.0, 1.5), (0.0, 1000.0), (0, 1.5), (0, 1000)),  # the part is not there any more
    ],
)
def test_the_visible_part_of_growing_content_is_kept(on_screen, x, y, span, rise):
    view = on_screen()
    area = view.chart.plot.area
    area.show_span(1, 2)
    area.set_home(x, y, keep=True)
    assert area.span == pytest.approx(span)
    assert area.rise == pytest.approx(rise)
    area.show_all()
    assert area.span == pytest.approx(x)


def test_the_wheel_zooms_under_the_pointer_also_before_the_next_frame(on_screen):
    view = on_screen()
    area = view.chart.plot.area
    view.setUpdatesEnabled(False)
    area.set_home((0.0, 400.0), (0.0, 1000.0))
    turn(view.chart.viewport(), area.pixel(300, 500).toPoint(), Qt.KeyboardModifier.ControlModifier)
    low, high = area.span
    assert (300 - low) / (high - low) == pytest.approx(0.75, abs=0.01)


def double_click(port, at):
    """Both clicks, with all four events."""
    QTest.mouseClick(port, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseDClick(port, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, pos=at)


def test_a_click_is_no_pan_and_no_double_click(on_screen, qtbot):
    view = on_screen()
    area, port, clicked = view.chart.plot.area, view.chart.viewport(), []
    view.chart.clicked.connect(lambda where: clicked.append(where.toPoint()))
    at, left = area.pixel(2, 500).toPoint(), Qt.MouseButton.LeftButton
    double_click(port, at)  # nothing is zoomed: these are two clicks
    assert clicked == [at, at]
    QTest.mouseClick(port, Qt.MouseButton.RightButton, pos=at)
    drag(port, at, at + QPoint(30, 0), steps=3)
    assert len(clicked) == 2
    area.show_span(1, 2)
    drag(port, at, at + QPoint(30, 0), steps=3)
    QTest.mouseClick(port, left, pos=at)
    assert len(clicked) == 2
    qtbot.waitUntil(lambda: len(clicked) == 3)
    double_click(port, at)
    assert not area.zoomed
    wait(QApplication.doubleClickInterval() + 50)
    assert len(clicked) == 3


def test_keys_and_focus_are_those_of_the_view(on_screen, qtbot):
    view = on_screen()
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(view.hasFocus)
    framed = view.chart.grab().toImage().pixelColor(view.width() // 2, 1).name()
    QTest.keyClick(view.chart, Qt.Key.Key_Left)
    QTest.keyClick(view.chart, Qt.Key.Key_Home)  # nothing is zoomed
    assert view.keys == [Qt.Key.Key_Left, Qt.Key.Key_Home]
    view.clearFocus()
    assert framed != view.chart.grab().toImage().pixelColor(view.width() // 2, 1).name()


def test_a_chart_reports_the_pointer(on_screen):
    view = on_screen()
    told, gone = [], []
    view.chart.hovered.connect(lambda where: told.append((where.x(), where.y())))
    view.chart.pointer_left.connect(lambda: gone.append(True))
    move(view.chart.viewport(), QPoint(10, 10), QPoint(30, 20), button=Qt.MouseButton.NoButton)
    assert told[-1] == (30, 20)
    QApplication.sendEvent(view.chart, QEvent(QEvent.Type.Leave))
    assert gone == [True]


def test_a_message_replaces_the_plot(on_screen):
    view = on_screen()
    picture = pixels(view.chart.grab().toImage())
    view.chart.show_message("Choose a run")
    other = PlainChart()
    other.show_message("Choose a run")
    svg = picture_content(".svg", (640, 300), DARK, other.paint_to).decode()
    assert re.findall(r"<text[^>]*>([^<]*)", svg) == ["Choose a run"]
    assert not (pixels(view.chart.grab().toImage()) == pixels_of(DARK.accent)).all(axis=2).any()
    view.chart.show_message("")
    assert (pixels(view.chart.grab().toImage()) == picture).all()


def test_a_chart_dressed_below_its_message_has_room_for_figures(qapp):
    chart, other = PlainChart(), PlainChart()
    font = QFont(chart.font())
    font.setPointSizeF(2 * font.pointSizeF())
    chart.show_message("Choose a run")
    for dressed in (chart, other):
        dressed.dress(LIGHT, font)
        dressed.show_message("")
    assert (pixels(drawn(chart, theme=LIGHT)) == pixels(drawn(other, theme=LIGHT))).all()


def test_the_tip_of_the_view_is_shown_over_the_chart(on_screen):
    view = on_screen()
    view.setToolTip("12 GB/s")
    at = QPoint(100, 100)
    QApplication.sendEvent(view.chart.viewport(), QHelpEvent(QEvent.Type.ToolTip, at, view.mapToGlobal(at)))
    shown = QToolTip.text()
    QToolTip.hideText()
    assert shown == "12 GB/s"


def test_the_wheel_over_an_axis_zooms_or_scrolls_as_over_the_plot(on_screen):
    view = on_screen(zoom=Zoom.ALWAYS)
    area = view.chart.plot.area
    at = QPoint(round(area.frame.center().x()), round(area.frame.bottom()) + 8)
    turn(view.chart.viewport(), at)
    assert area.zoomed
    assert area.rise == pytest.approx((0, 1000))
    turned = []
    view.wheelEvent = lambda event: turned.append(event) or event.accept()
    area.zoom = Zoom.WITH_CTRL
    turn(view.chart.viewport(), at)
    assert turned


def test_a_sideways_wheel_pans_a_zoomed_chart(on_screen):
    view = on_screen(zoom=Zoom.WITH_CTRL)
    area, window = view.chart.plot.area, view.windowHandle()
    at = QPointF(view.chart.viewport().mapTo(view, area.pixel(2, 500).toPoint()))
    area.show_span(1, 2)
    for notches, moved in ((-1, 1), (2, -1)):
        before = area.span
        QTest.wheelEvent(window, at, QPoint(120 * notches, 0))
        assert (area.span[0] - before[0]) * moved > 0
        assert area.span[1] - area.span[0] == pytest.approx(1)
    QTest.wheelEvent(window, at, QPoint(12000, 0))
    assert area.span == pytest.approx((0, 1))


def test_an_axis_is_dragged_where_the_left_button_picks(on_screen):
    view = on_screen(zoom=Zoom.ALWAYS, picks=True)
    area = view.chart.plot.area
    area.show_span(1, 2)
    at = QPoint(round(area.frame.center().x()), round(area.frame.bottom()) + 8)
    drag(view.chart.viewport(), at, at + QPoint(100, 0), steps=5)
    assert area.span[0] < 0.95
    assert area.span[1] - area.span[0] == pytest.approx(1)


def test_plus_and_minus_zoom_around_the_middle(on_screen):
    view = on_screen()
    area = view.chart.plot.area
    QTest.keyClick(view.chart, Qt.Key.Key_Plus)
    assert area.span == pytest.approx((0.4, 3.6))
    QTest.keyClick(view.chart, Qt.Key.Key_Minus)
    assert area.span == pytest.approx((0, 4))
    QTest.keyClick(view.chart, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)  # larger text
    assert not area.zoomed
    assert Qt.Key.Key_Plus in view.keys
    view.chart.plot.area.zoom = Zoom.OFF
    QTest.keyClick(view.chart, Qt.Key.Key_Minus)
    assert Qt.Key.Key_Minus in view.keys


def test_no_figure_is_moved_towards_the_unit(qapp):
    chart = PlainChart()
    axis, metrics = chart.plot.below, chart.look.metrics
    for width in range(300, 640, 7):
        chart.fit(QSize(width, 300))
        for where, mark in axis.placed(axis.shown_marks()):
            middle = float(chart.plot.area.x_of(mark.value))
            assert middle == pytest.approx(where.center().x() - axis._shift().x(), abs=0.01) or mark.value == 0
        assert where.right() - axis._shift().x() < chart.plot.area.rect().width() - metrics.horizontalAdvance("s")


def test_pictures_of_pixels_take_what_was_drawn_before_and_vectors_do_not(qapp):
    chart = PlainChart()
    drawn(chart)
    before = chart.bars.drawn
    chart.cursor.move(2.0)
    assert (pixels(drawn(chart)) == pixels(drawn(PlainChart()))).mean() > 0.98
    assert chart.bars.drawn == before
    assert b"<image" not in picture_content(".svg", (640, 300), DARK, chart.paint_to)
    assert chart.bars.drawn == before + 1
