"""The timeline zoomed: single steps of thousands are seen and hit; all rows, pictures and films show the same part."""

import gc
import re
import weakref
from dataclasses import replace

import numpy as np
import pytest
from msgspec.structs import replace as replace_field
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.model.pointing import Item
from app.storage.pictures import picture_content
from app.style.theme import DARK, LIGHT
from app.views.charts.timeline import TimelineView
from app.views.charts.timeline_lanes import Bands, Columns
from app.views.charts.timeline_steps import Steps
from core.job import Allreduce, AllToAll, Flows, Sequence
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.mapping.edit import occupants, swapped
from core.network import Mesh, Percs, Torus
from core.routing import DimensionOrder, PercsDirect
from core.timing import FairShare, timeline
from tests.app.views.charts.kit.test_chart import turn
from tests.pointer import drag, move

STEPS = 4095
LONG = Scenario(
    Mesh((4,)),
    Sequence(
        parts=tuple(Flows(tasks=4, src=(u,), dst=(u + 1,), volume=(u + 1.0,)) for u in range(3)), repeat=STEPS // 3
    ),
    Sequential(),
    DimensionOrder(),
)
"""4,095 steps; each third one takes three times as long as each first one."""
NODES = Scenario(
    Percs(supernodes=1, slots_per_node=1),
    AllToAll(tasks=32, algorithm="pairwise", message_bytes=1e9),
    Sequential(),
    PercsDirect(),
)
RANKED = Scenario(
    Torus((8, 8)),
    Allreduce(tasks=64, algorithm="recursive-doubling", message_bytes=1e6),
    Random(3),
    DimensionOrder(),
    timing=FairShare(),
)
CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def open_view(session_of, shown):
    def open_on(scenario, width=900, height=260):
        view = shown(TimelineView(session_of(scenario)), width, height)
        QApplication.processEvents()
        return view

    return open_on


@pytest.fixture(scope="module")
def long():
    return timeline(LONG.build())


def port(view):
    return view.plot.chart.viewport()


def strip(view):
    return view.plot.chart.strips[-1]


def span(view):
    return strip(view).area.span


def full_span(view):
    return 0.0, pytest.approx(view.timeline.seconds)


def place(view, step):
    """The middle of the visible part of a step, in pixels of the chart."""
    return strip(view).area.mapToScene(strip(view).steps.extent(step).center()).toPoint()


def zoom_to(view, first, end):
    """Show some steps."""
    begins, ends = Bands(view.timeline).times
    view.plot.chart.show_span(begins[first], ends[end])


def shot(view):
    QApplication.processEvents()
    image = view.plot.chart.grab().toImage()
    return image.convertToFormat(QImage.Format.Format_RGB32)


def drawn(view):
    """Return the picture that a film or a file shows below the title."""
    size = view.plot.chart.size()
    image = QImage(size, QImage.Format.Format_RGB32)
    image.fill(QColor(view.state.style.theme.panel))
    painter = QPainter(image)
    view.draw(painter, size.toSizeF())
    painter.end()
    return image


@pytest.mark.parametrize("step", [0, 1234, STEPS - 1])
def test_a_single_step_of_thousands_can_be_enlarged_and_hit(open_view, step):
    view = open_view(LONG)
    assert len(view.timeline.steps) == STEPS
    assert strip(view).steps.columns.own.size == 0  # no step can be distinguished from its neighbours
    for _ in range(60):
        rect = strip(view).steps.extent(step)
        if rect.width() >= 100:
            break
        # Those at the ends are enlarged at the ends.
        x = {0: rect.left(), STEPS - 1: rect.right()}.get(step, rect.center().x())
        turn(port(view), strip(view).area.mapToScene(QPointF(x, 20)).toPoint())
    assert 100 <= strip(view).steps.extent(step).width() <= 500
    at = place(view, step)
    move(port(view), at + QPoint(4, 0), at, button=Qt.MouseButton.NoButton)
    assert view.pointed.step == step
    QTest.mouseClick(port(view), Qt.MouseButton.LeftButton, pos=at)
    assert view.under_cursor == step
    assert view.player.text.text().startswith(f"step {step + 1:,} of 4,095")


def test_each_step_is_hit_where_it_is_drawn_when_enlarged(open_view):
    view = open_view(LONG)
    zoom_to(view, 2000, 2039)
    columns = strip(view).steps.columns
    assert columns.steps.tolist() == list(range(2000, 2040))
    assert columns.own.size == 40
    for step in range(2000, 2040):
        assert view.plot.chart.mark_at(QPointF(place(view, step))).step == step
    assert strip(view).steps.extent(1999) is None


@pytest.mark.parametrize("part", [(0.0, 0.1), (0.31, 0.32), (0.9, 1.0)])
def test_a_part_shows_what_a_much_wider_picture_shows_there(long, part):
    bands, width = Bands(long), 300
    low, high = (end * long.seconds for end in part)
    seen = Columns(bands, width, low, high)
    times = round(1 / (part[1] - part[0]))
    wide = Columns(bands, width * times, 0.0, long.seconds)
    there = slice(round(part[0] * wide.width), round(part[1] * wide.width))
    np.testing.assert_allclose(seen.values[1], wide.values[1][there], atol=1e-6)
    # Steps on the border are cut there.
    np.testing.assert_allclose(seen.values[0][1:-1], wide.values[0][there][1:-1], atol=1e-6)
    assert seen.steps.size <= STEPS * 1.01 / times + 2


def test_a_moving_cursor_draws_no_row_again(open_view, monkeypatch):
    view, drawings, draw = open_view(LONG), [], Steps.draw
    monkeypatch.setattr(Steps, "draw", lambda self, painter: drawings.append(self) or draw(self, painter))
    for step in range(0, STEPS, 41):
        view.session.timekeeper.go_to(step)
        QApplication.processEvents()
        port(view).repaint()
    assert view.under_cursor == step
    assert len(drawings) <= 1


def test_two_timelines_show_the_same_part(open_view, qtbot):
    view = open_view(NODES, height=360)
    session = view.session
    session.set_reference(session.state.evaluation)
    session.choose("job", replace_field(NODES.job, algorithm="node-by-node", per_node=1))
    qtbot.waitUntil(lambda: len(view.timelines) == 2)
    chart = view.plot.chart
    first, second = (strip.area for strip in chart.strips)
    for number in range(20):
        area = (first, second)[number % 2]
        at = area.mapToScene(QPointF(40.0 * (number + 1), 20.0)).toPoint()
        turn(port(view), at, notches=-2 if number % 3 == 2 else 3)
        assert first.span == second.span
    assert first.zoomed
    low = first.span[0]
    middle = second.mapToScene(QPointF(300, 20)).toPoint()
    drag(port(view), middle, middle + QPoint(80, 0), steps=6, button=Qt.MouseButton.MiddleButton)
    assert first.span[0] < low
    assert first.span == second.span
    QTest.mouseDClick(port(view), Qt.MouseButton.LeftButton, pos=middle)
    assert not chart.zoomed
    assert first.span == second.span == (0.0, pytest.approx(max(timed.seconds for timed in view.timelines)))


def test_the_rows_of_ranks_scroll_by_the_wheel_and_zoom_with_the_others(open_view):
    view = open_view(RANKED)
    view.session.watcher.show_ranks(True)
    QApplication.processEvents()
    chart = view.plot.chart
    bar = view.plot.parentWidget().parentWidget().verticalScrollBar()
    at = chart.ranks.area.frame.topLeft().toPoint() + QPoint(200, 20)
    turn(port(view), at, notches=-1)
    assert bar.value() > 0
    assert not chart.zoomed
    was = bar.value()
    turn(port(view), at, CTRL)
    assert bar.value() == was
    assert chart.zoomed
    assert chart.ranks.area.span == span(view)
    bar.setValue(0)
    turn(port(view), place(view, 2))
    assert bar.value() == 0
    assert chart.ranks.area.span == span(view)
    # The readout of a rank is its step at that time.
    low, high = span(view)
    times = view.timeline.rank_times
    for rank in range(0, 64, 7):
        for part in (0.25, 0.75):
            where = QPointF(part * chart.ranks.area.rect().width(), (rank + 0.5) * chart.ranks.each)
            rank_and_step, time = chart.ranks.at(where), low + part * (high - low)
            if rank_and_step is not None:
                assert rank_and_step[0] == rank
                assert times[rank_and_step[1], rank] <= time < times[rank_and_step[1] + 1, rank]


def test_of_thousands_of_ranks_only_the_visible_rows_are_drawn(open_view, monkeypatch):
    view = open_view(replace(RANKED, network=Torus((32, 32)), job=replace_field(RANKED.job, tasks=1024)))
    view.session.watcher.show_ranks(True)
    QApplication.processEvents()
    chart, drawn_rows = view.plot.chart, []
    pixels = type(chart.ranks)._pixels
    monkeypatch.setattr(
        type(chart.ranks),
        "_pixels",
        lambda self, ranks, first, end: drawn_rows.append((first, end)) or pixels(self, ranks, first, end),
    )
    assert chart.height() > 4096
    chart.viewport().update()
    QApplication.processEvents()
    assert drawn_rows
    assert all(end - first < 100 for first, end in drawn_rows)


def test_the_cursor_stays_visible_when_keys_move_it(open_view):
    view = open_view(LONG)
    view.plot.setFocus()
    zoom_to(view, 1000, 1009)
    wide = span(view)[1] - span(view)[0]
    view.session.timekeeper.go_to(1008)
    begins, ends = Bands(view.timeline).times
    for key, times in ((Qt.Key.Key_Right, 6), (Qt.Key.Key_Left, 20), (Qt.Key.Key_End, 1), (Qt.Key.Key_Left, 3)):
        for _ in range(times):
            QTest.keyClick(view.plot, key)
            step = view.under_cursor
            low, high = span(view)
            slack = 1e-9 * view.timeline.seconds
            assert low - slack <= begins[step] < ends[step] <= high + slack, step
            assert high - low == pytest.approx(wide)
    # A step that is wider than all that is shown begins at the left.
    zoom_to(view, 2, 2)
    view.plot.chart.show_span(*(np.array(span(view)) * 0.5))
    view.session.timekeeper.go_to(5)
    assert span(view)[0] == pytest.approx(begins[5])


def test_a_press_on_a_step_at_the_border_moves_nothing(open_view):
    view = open_view(LONG)
    zoom_to(view, 1000, 1009)
    low, high = span(view)
    view.plot.chart.show_span(low + (high - low) / 80, high + (high - low) / 80)
    before = span(view)
    right = strip(view).lanes.area
    QTest.mouseClick(port(view), Qt.MouseButton.LeftButton, pos=QPoint(int(right.right()) - 2, int(right.center().y())))
    assert view.under_cursor == 1010
    assert span(view) == before


@pytest.mark.parametrize("way", ["Home", "double click", "menu"])
def test_all_is_shown_again(open_view, way):
    view = open_view(NODES)
    view.plot.setFocus()
    view.session.timekeeper.go_to(12)
    turn(port(view), place(view, 12))
    assert view.plot.zoomed
    if way == "Home":
        QTest.keyClick(view.plot, Qt.Key.Key_Home)
        assert view.under_cursor == 12
    elif way == "double click":
        QTest.mouseDClick(port(view), Qt.MouseButton.LeftButton, pos=place(view, 12))
    else:
        menu = view.menu_for(None)
        (action,) = [action for action in menu.actions() if action.text() == "Show the whole timeline"]
        action.trigger()
        menu.deleteLater()
    assert span(view) == full_span(view)
    menu = view.menu_for(None)
    assert "Show the whole timeline" not in [action.text() for action in menu.actions()]
    menu.deleteLater()
    QTest.keyClick(view.plot, Qt.Key.Key_Home)
    assert view.under_cursor == 0


def test_plus_and_minus_zoom_around_the_cursor(open_view):
    view = open_view(NODES)
    view.plot.setFocus()
    view.session.timekeeper.go_to(20)
    at = place(view, 20)
    for key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal, Qt.Key.Key_Plus):
        QTest.keyClick(view.plot, key)
    assert view.plot.zoomed
    assert place(view, 20).x() == pytest.approx(at.x(), abs=1.5)
    for _ in range(8):
        QTest.keyClick(view.plot, Qt.Key.Key_Minus)
    assert span(view) == full_span(view)


def test_the_time_axis_is_dragged(open_view):
    view = open_view(NODES)
    zoom_to(view, 10, 15)
    before = span(view)
    at = QPoint(400, int(strip(view).lanes.area.bottom()) + 8)
    drag(port(view), at, at + QPoint(90, 0), steps=6)
    wide = before[1] - before[0]
    assert span(view)[0] < before[0] - 0.05 * wide
    assert span(view)[1] - span(view)[0] == pytest.approx(wide)
    assert view.under_cursor is None


def test_a_part_stays_while_a_task_is_moved_and_goes_with_another_job(open_view, qtbot):
    view = open_view(NODES)
    session = view.session
    zoom_to(view, 10, 12)
    part = np.array(span(view)) / view.timeline.seconds
    case = session.state.evaluation.case
    slots, held = case.mapping.slots, occupants(case.mapping, case.network.slots)
    before = view.timeline
    session.editing.apply(swapped(case.mapping, slots[[0]], slots[[9]], held), "Swap")
    qtbot.waitUntil(lambda: view.timeline is not before)
    assert np.array(span(view)) / view.timeline.seconds == pytest.approx(part)
    session.editing.undo()
    session.choose("job", AllToAll(tasks=32, algorithm="pairwise", message_bytes=2e9))
    qtbot.waitUntil(lambda: view.timeline.seconds > 1.3)
    assert np.array(span(view)) / view.timeline.seconds == pytest.approx(part)
    session.choose("job", AllToAll(tasks=8, algorithm="pairwise", message_bytes=1e9))
    qtbot.waitUntil(lambda: len(view.timeline.steps) == 7)
    assert span(view) == full_span(view)


def test_the_step_under_the_pointer_follows_the_zoom(open_view):
    view = open_view(NODES)
    at = place(view, 20)
    move(port(view), at + QPoint(3, 0), at, button=Qt.MouseButton.NoButton)
    assert view.pointed.step == 20
    zoom_to(view, 2, 3)
    assert view.pointed.step in (2, 3)
    view.plot.chart.leaveEvent(QEvent(QEvent.Type.Leave))
    zoom_to(view, 8, 9)
    assert view.pointed is None


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_a_frame_of_a_film_is_what_the_screen_shows(open_view, theme):
    view = open_view(NODES)
    view.session.set_theme(theme)
    for step in (None, 3, 12):
        view.session.timekeeper.go_to(step)
        assert drawn(view) == shot(view)
    zoom_to(view, 10, 15)
    assert drawn(view) == shot(view)
    view.resize(700, 300)
    zoom_to(view, 3, 20)
    view.session.timekeeper.go_to(5)
    assert drawn(view) == shot(view)


def test_frames_of_a_film_draw_the_rows_once(open_view, monkeypatch):
    view, drawings, draw = open_view(NODES), [], Steps.draw
    monkeypatch.setattr(Steps, "draw", lambda self, painter: drawings.append(self) or draw(self, painter))
    for step in range(10):
        view.session.timekeeper.go_to(step)
        drawn(view)
    assert len(drawings) <= 2  # on the screen, and in the film


@pytest.mark.parametrize("zoomed", [False, True])
def test_texts_stay_texts_in_files(open_view, zoomed):
    view = open_view(NODES)
    view.session.timekeeper.go_to(12)
    if zoomed:
        zoom_to(view, 12, 13)
    svg = picture_content(".svg", (900, 300), DARK, view.paint_to).decode()
    texts = {text.strip() for text in re.findall(r"<text[^>]*>([^<]*)", svg)}
    assert "<image" not in svg
    assert {"LL", "LR", "Steps", "ms", "100 %"} <= texts
    assert ("step 13: r &lt;-&gt; r XOR 13" in texts) == zoomed
    # The screen is not changed by that.
    assert drawn(view) == shot(view)


def test_a_press_of_a_name_selects_and_a_drag_from_there_moves_nothing(open_view):
    view, item = open_view(NODES, height=400), Item("node", 5)
    view.session.watcher.pin(item)
    QApplication.processEvents()
    row = strip(view).lanes.rows[-1]
    at = QPoint(30, int(row.center().y()))
    drag(port(view), at, QPoint(500, at.y()))
    assert view.state.selection == item
    assert view.under_cursor is None


def test_the_menu_opens_on_the_chart(open_view):
    view = open_view(NODES)
    at = place(view, 12)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, port(view).mapToGlobal(at))
    QApplication.sendEvent(port(view), event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert "Remove added rows" in [action.text() for action in menu.actions()]
    menu.close()


def test_it_is_freed_with_its_chart(session_of, qapp):
    session = session_of(RANKED)
    view = TimelineView(session)
    view.resize(600, 300)
    view.show()
    QApplication.processEvents()
    session.watcher.show_ranks(True)
    zoom_to(view, 2, 3)
    drawn(view)
    chart = view.plot.chart
    parts = [weakref.ref(part) for part in (chart, chart.ranks, chart.strips[0].area, chart.strips[0].steps)]
    gc.collect()
    del chart
    view.plot.chart = None
    view.deleteLater()
    del view
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert [part() for part in parts] == [None] * len(parts)


@pytest.mark.parametrize("part", [0.1, 0.5, 0.9])
def test_a_readout_of_a_wide_step_covers_neither_names_nor_the_pointer(open_view, part):
    view = open_view(NODES)
    zoom_to(view, 12, 12)
    area = strip(view).lanes.area
    at = QPoint(int(area.left() + part * area.width()), int(area.center().y()))
    move(port(view), at + QPoint(4, 0), at, button=Qt.MouseButton.NoButton)
    assert view.pointed.step == 12
    box = view.plot.chart._readout.geometry()
    assert box.left() >= area.left()
    assert box.right() <= view.plot.width()
    assert not box.left() <= at.x() <= box.right()


def test_a_click_takes_the_focus(open_view, qtbot):
    view = open_view(NODES)
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    QTest.mouseClick(port(view), Qt.MouseButton.LeftButton, pos=place(view, 3))
    assert view.plot.hasFocus()
    QTest.keyClick(view.plot, Qt.Key.Key_Right)
    assert view.under_cursor == 4


def test_two_figures_of_the_time_axis_show_the_length_of_steps(session_of, shown):
    view = shown(TimelineView(session_of(NODES, DARK.scaled(1.75))), 620, 300)
    QApplication.processEvents()
    axis = strip(view).axis
    for first in range(28):
        for count in (0, 1, 2):
            zoom_to(view, first, first + count)
            texts = [mark.text for _, mark in axis.placed(axis.shown_marks())]
            assert len(set(texts)) >= 2, (first, count)


EQUAL_STEPS = replace(LONG, job=Sequence(parts=(Flows(tasks=4, src=(0,), dst=(1,), volume=(1.0,)),), repeat=60))


@pytest.mark.parametrize(("part", "number"), [((0.0, 1.0), "60"), ((9.6 / 60, 1.0), "10")])
def test_numbers_of_narrow_steps_are_whole_at_the_ends(open_view, part, number):
    view = open_view(EQUAL_STEPS, width=620)
    view.plot.chart.show_span(*(end * view.timeline.seconds for end in part))
    area, metrics = strip(view).lanes.blocks, strip(view).steps.look.metrics
    wide = metrics.tightBoundingRect(number).width()
    left = area.left() if number == "10" else area.right() - wide - 4
    image = shot(view).copy(round(left), round(area.top()) + 4, round(wide) + 4, round(area.height()) - 6)
    ink = [x for x in range(image.width()) if any(image.pixelColor(x, y).value() > 110 for y in range(image.height()))]
    assert ink[-1] - ink[0] + 1 >= wide - 2  # its outermost columns can be faint
