"""The history: a curve and a list of steps that lead anywhere by a click, a key or the menu."""

import gc
import time
import weakref
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QFont, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from app.model.history import EditStep, History
from app.model.performance import Performance
from app.storage.pictures import picture_content, save_picture
from app.style.theme import DARK, LIGHT
from app.views.charts.history import EMPTY, HistoryView
from app.views.charts.history_chart import HistoryChart, step_lines, unit_px
from app.views.charts.history_curve import Course
from app.views.charts.history_table import step_change
from app.views.charts.kit.area import Area
from app.views.drawing import nice_step
from core.job import Flows, Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.edit import no_edit, occupants, swapped
from core.network import Torus
from core.routing import DimensionOrder
from tests.app.scenarios import HALO
from tests.app.views.seen import colours
from tests.pointer import drag, move

SMALL = Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder())
LEFT, NO_BUTTON = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
WAYS = ((5, 3000), (70, 900), (5, 12))


def swap_edit(session, task, slot):
    case = session.state.evaluation.case
    return swapped(case.mapping, case.mapping.slots[[task]], [slot], occupants(case.mapping, case.network.slots))


def slots(session):
    return session.state.evaluation.case.mapping.slots.copy()


@pytest.fixture
def walked(session_of, shown):
    """A session after three swaps, the slots after each, and its history on the screen."""
    session = session_of(HALO)
    view = shown(HistoryView(session), 900, 260)
    states = [slots(session)]
    for number, (task, slot) in enumerate(WAYS):
        session.editing.apply(swap_edit(session, task, slot), f"Swap {number}")
        states.append(slots(session))
    view.catch_up()
    return session, view, states


def test_changes_get_the_room_left_by_figures_and_times(session_of, shown, qtbot):
    job = Flows(src=tuple(range(15)), dst=tuple(range(1, 16)), volume=(8_000.0,) * 15, unit="MB")
    session = session_of(replace(SMALL, job=job))
    session.editing.apply(swap_edit(session, 3, 12), "Swap task 3 with 12")
    table = shown(HistoryView(session), 458, 200).table
    assert table.model().columnCount() == 4
    qtbot.waitUntil(lambda: table.columnWidth(1) > table.fontMetrics().horizontalAdvance("Swap task"), timeout=2000)
    texts = {column: [table.model().index(row, column).data() for row in range(2)] for column in range(4)}
    widths = {column: max(map(table.fontMetrics().horizontalAdvance, texts[column])) for column in texts}
    assert all(table.columnWidth(column) >= widths[column] for column in (0, 2, 3))
    assert sum(map(table.columnWidth, range(4))) <= table.viewport().width()


def place_of(view, step):
    """Where a state is drawn; the bottom of the plot where it has no throughput."""
    return view.plot.chart.place_of(step)


def port(view):
    """Return the widget of the plot that receives pointer events."""
    return view.plot.chart.viewport()


def click(view, step):
    QTest.mouseClick(port(view), LEFT, pos=place_of(view, step).toPoint())


def zoom(view, low, high):
    """Show the steps between two numbers only."""
    view.plot.chart.area.show_span(low, high)


def row_at(view, row):
    return view.table.visualRect(view.table.model().index(row, 1)).center()


def texts(view):
    model = view.table.model()
    return [[model.index(row, column).data() for column in range(3)] for row in range(model.rowCount())]


def test_an_empty_history_describes_what_it_will_show(session_of, shown):
    view = shown(HistoryView(session_of(HALO)), 900, 260)
    assert view.empty
    assert not view.table.isVisible()
    QTest.mouseClick(port(view), LEFT, pos=QPoint(300, 100))
    assert view.session.state.history.done == 0


def test_a_click_on_a_point_goes_there_and_back(walked):
    session, view, states = walked
    for step in (1, 3, 0, 2):
        click(view, step)
        assert session.state.history.done == step
        np.testing.assert_array_equal(slots(session), states[step])
    assert len(session.state.history.steps) == 3


def test_the_list_names_the_steps_with_their_throughputs(walked):
    view = walked[1]
    assert texts(view)[0] == ["0", "Start", "★ 64.0"]
    assert texts(view)[1] == ["1", "Swap 0", "40.0"]
    assert [row[0] for row in texts(view)] == ["0", "1", "2", "3"]
    tip = view.table.model().index(1, 1).data(Qt.ItemDataRole.ToolTipRole)
    assert tip == "Swap 0\n64.0 → 40.0 GB/s per node"


def test_a_click_in_the_list_goes_there(walked):
    session, view, states = walked
    QTest.mouseClick(view.table.viewport(), LEFT, pos=row_at(view, 1))
    assert session.state.history.done == 1
    np.testing.assert_array_equal(slots(session), states[1])


def test_arrow_keys_walk_the_list_and_enter_goes_there(walked):
    session, view, states = walked
    view.table.setFocus()
    assert view.table.currentIndex().row() == 3
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down):
        QTest.keyClick(view.table, key)
        assert session.state.history.done == 3
    QTest.keyClick(view.table, Qt.Key.Key_Return)
    assert session.state.history.done == 1
    np.testing.assert_array_equal(slots(session), states[1])


def test_pointing_reads_out_a_step(walked):
    view = walked[1]
    where = place_of(view, 2).toPoint()
    move(port(view), where + QPoint(40, 0), where, steps=3, button=NO_BUTTON)
    assert view.pointed == 2
    move(view.table.viewport(), row_at(view, 0), row_at(view, 1), steps=3, button=NO_BUTTON)
    assert view.pointed == 1
    move(port(view), where, QPoint(where.x(), 0), steps=3, button=NO_BUTTON)
    assert view.pointed is None


def test_the_present_the_best_and_the_undone_are_marked(walked):
    session, view, _ = walked
    session.editing.travel(1)
    view.catch_up()
    seen = colours(view.plot)
    assert seen(place_of(view, 1)) == DARK.accent
    dots = [seen(place_of(view, step)) for step in (0, 2)]
    assert dots[0] == DARK.accent
    assert dots[1] not in (DARK.accent, DARK.panel)
    assert seen(place_of(view, 0) - QPointF(0, 10)) == DARK.good
    texts = [view.table.model().index(row, 1).data(Qt.ItemDataRole.ForegroundRole) for row in range(4)]
    assert texts == [None, QColor(DARK.accent), QColor(DARK.dim), QColor(DARK.dim)]


def test_a_gesture_is_a_point_that_becomes_a_step_or_vanishes(walked):
    session, view, _ = walked
    told = []
    view.subtitle_changed.connect(told.append)
    session.editing.begin("Paint")
    assert view.course.pending is None
    edit = swap_edit(session, 9, 2000)
    session.editing.replace_edit(edit)
    view.catch_up()
    assert view.course.pending == session.state.report.throughput_gbs
    assert view.course.steps == 3
    session.editing.cancel()
    view.catch_up()
    assert view.course.pending is None
    session.editing.begin("Paint")
    session.editing.replace_edit(edit)
    view.catch_up()
    session.editing.commit("Paint a task")
    view.catch_up()
    assert view.course.pending is None
    assert view.course.done == view.course.steps == 4
    assert texts(view)[4][1] == "Paint a task"
    assert told[-1].startswith("step 4 of 4 · best 64.0 GB/s per node at step 0")


def test_the_menu_goes_there_compares_and_finds_the_best(walked):
    session, view, states = walked
    where = place_of(view, 2).toPoint()
    QTest.mouseClick(port(view), Qt.MouseButton.RightButton, pos=where)
    assert session.state.history.done == 3
    menu = view.menu_for(2)
    named = {action.text(): action for action in menu.actions() if action.text()}
    assert list(named) == ["Go to step 2", "Compare with step 2", "Go to the best step, 0"]
    named["Compare with step 2"].trigger()
    np.testing.assert_array_equal(session.state.comparison.reference.case.mapping.slots, states[2])
    assert session.state.history.done == 3
    named["Go to the best step, 0"].trigger()
    assert session.state.history.done == 0
    named["Go to step 2"].trigger()
    assert session.state.history.done == 2
    assert not view.menu_for(2).actions()[0].isEnabled()


def test_the_context_menu_opens_on_a_row(walked, qtbot):
    view = walked[1]
    view.table.customContextMenuRequested.emit(row_at(view, 1))
    menu = next(menu for menu in view.findChildren(QMenu) if menu.isVisible())
    assert menu.actions()[0].text() == "Go to step 1"
    menu.close()
    qtbot.waitUntil(lambda: not any(menu.isVisible() for menu in view.findChildren(QMenu)))


def test_states_without_load_are_gaps(session_of, shown):
    session = session_of(SMALL)
    view = shown(HistoryView(session), 600, 240)
    for name, size in (("Shrink the job", 1), ("Grow the job", 4)):
        session.propose(replace(SMALL, job=Halo(rows=size, cols=size, periodic=size > 1)), name=name)
    view.catch_up()
    assert np.isnan(view.course.gbs).tolist() == [False, True, False]
    assert texts(view)[1][2] == "—"
    click(view, 1)
    assert session.state.report.throughput_gbs is None
    assert step_lines(view.course.gbs, view.plot.chart.area, 0) == []


def test_a_hidden_history_is_updated_when_it_is_shown(walked):
    session, view, _ = walked
    view.hide()
    session.editing.apply(swap_edit(session, 40, 77), "Swap unseen")
    assert view.course.steps == 3
    view.show()
    assert view.course.steps == 4


def long_history(session, steps=4000):
    wave = 60 + 3 * np.sin(np.arange(steps) / 500)
    done = tuple(EditStep(f"Step {k}", Performance(float(gbs)), no_edit()) for k, gbs in enumerate(wave))
    session.show(replace(session.state, history=History(Performance(64.0), done, 3200, 1200)))


def test_long_histories_are_drawn_by_the_pixel(session_of, shown):
    session = session_of(HALO)
    view = shown(HistoryView(session), 900, 260)
    told = []
    view.subtitle_changed.connect(told.append)
    long_history(session)
    area = view.plot.chart.area
    assert len(step_lines(view.course.gbs, area, 1200)) <= area.frame.width() + 1
    assert told[-1].endswith("1,200 earlier steps discarded to save memory")
    assert texts(view)[0][1] == "1,200 earlier steps discarded to save memory"
    assert view.table.model().index(3200, 0).data() == "4,400"
    assert view.table.viewport().rect().contains(row_at(view, 3200))
    assert abs(view.plot.mark_at(place_of(view, 1600)) - 1600) <= 1


@pytest.mark.parametrize("count", [400, 3000, 10_000])
def test_reduced_lines_cover_the_range_of_every_pixel(count):
    values = np.random.default_rng(1).normal(60, 2, count)
    values[100:140] = np.nan
    area = Area()
    area.setGeometry(QRectF(0, 0, 300, 100))
    area.set_home((0, 300 * count / 280), (50, 70))
    lines = step_lines(values, area, 0)
    drawn = {int(line.x1()): line for line in lines}
    for step in np.flatnonzero(np.isfinite(values)).tolist():
        line = drawn[int(area.x_of(step) + 1e-6)]
        low, high = sorted((line.y1(), line.y2()))
        assert low - 1 <= area.y_of(values[step]) <= high + 1


@pytest.mark.parametrize(("size", "steps"), [((300, 90), 3), ((520, 180), 40), ((1200, 400), 5000)])
def test_everything_has_a_place_in_the_plot(qapp, size, steps):
    chart = HistoryChart()
    chart.dress(DARK, QFont())
    chart.show_course(Course(np.linspace(10, 90, steps + 1), steps, pending=100.0))
    chart.fit(QSize(*size))
    frame = chart.area.frame
    assert QRectF(0, 0, *size).contains(frame)
    for step, gbs in ((0, 10.0), (steps, 90.0), (steps + 1, 100.0)):
        assert frame.contains(chart.area.pixel(step, gbs))
    assert chart.state_at(QPointF(chart.area.pixel(1, 10).x(), frame.center().y())) == 1


def test_ticks_are_round():
    assert [nice_step(span, 4) for span in (8, 10, 17, 0.4)] == [2, 5, 5, 0.1]


def test_pictures_fill_their_size(walked, tmp_path):
    session, view, _ = walked
    session.set_theme(LIGHT)
    image = QImage(900, 400, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.panel))
    painter = QPainter(image)
    view.paint_to(painter, QRectF(100, 50, 700, 300))
    painter.end()
    pixels = np.array(image.constBits()).reshape(400, 900, 4)[..., :3]
    ink = np.argwhere((pixels != 255).any(axis=2))
    assert (ink.min(axis=0) >= (50, 100)).all()
    assert (ink.max(axis=0) < (350, 800)).all()
    assert (np.ptp(ink, axis=0) > (270, 660)).all()
    save_picture(tmp_path / "history.svg", (700, 300), LIGHT, view.paint_to)
    svg = (tmp_path / "history.svg").read_text()
    assert "GB/s per node" in svg
    assert "History: step 3 of 3" in svg


def test_a_part_can_be_shown_panned_and_left(session_of, shown):
    session = session_of(HALO)
    view = shown(HistoryView(session), 900, 260)
    long_history(session)
    area = view.plot.chart.area
    at = area.frame.center().toPoint()
    window = view.window().windowHandle()
    place = QPointF(port(view).mapTo(view.window(), at))
    QTest.wheelEvent(window, place, QPoint(0, 1200), QPoint(), Qt.KeyboardModifier.ControlModifier)
    low, high = area.span
    assert area.zoomed
    assert 1200 < low < high < 5200
    drag(port(view), at, at + QPoint(60, 0), steps=6)
    assert area.span[0] < low
    assert session.state.history.done == 3200  # a pan goes nowhere
    QTest.keyClick(view.plot, Qt.Key.Key_Home)
    assert not area.zoomed
    assert area.rise == pytest.approx((56.4, 64.6), abs=0.1)


def test_keys_zoom_when_the_plot_has_the_focus(walked, qtbot):
    view = walked[1]
    area = view.plot.chart.area
    view.activateWindow()
    view.plot.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.waitUntil(view.plot.hasFocus)
    QTest.keyClick(view.plot, Qt.Key.Key_Plus)
    assert area.zoomed
    QTest.keyClick(view.plot, Qt.Key.Key_Minus)
    assert not area.zoomed


def test_a_history_is_freed_with_its_charts(session_of, qapp):
    session = session_of(HALO)
    view = HistoryView(session)
    view.resize(900, 260)
    long_history(session)
    view.catch_up()
    view.plot.build()
    view.grab()
    picture_content(".svg", (700, 300), DARK, view.paint_to)
    charts = view.plot.chart, view.plot._unseen
    parts = [weakref.ref(part) for chart in charts for part in (chart, chart.area, chart.line, chart.marks)]
    gc.collect()
    del charts
    view.plot.chart = view.plot._unseen = None
    view.deleteLater()
    del view
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert [part() for part in parts] == [None] * 8


def test_a_part_has_dots_and_is_read_out_and_clicked(session_of, shown, qtbot):
    session = session_of(HALO)
    view = shown(HistoryView(session), 900, 260)
    long_history(session)
    zoom(view, 2200, 2230)
    assert unit_px(view.plot.chart.area) > 7
    low, high = view.plot.chart.area.rise  # of the visible part, not of all steps
    assert 60 < low < view.course.gbs[1010] < high < 63
    assert colours(view.plot)(place_of(view, 1010)) == DARK.accent
    where = place_of(view, 1010).toPoint()
    move(port(view), where + QPoint(40, 0), where, steps=3, button=NO_BUTTON)
    assert view.pointed == 1010
    assert view.plot.chart.readout.texts()[0] == "2,210 · Step 1009"
    gone = []
    view.plot.chosen.connect(gone.append)
    click(view, 1010)
    qtbot.waitUntil(lambda: gone == [1010])


def test_a_part_moves_to_a_step_done_outside_it_and_stays_otherwise(walked):
    session, view, _ = walked
    area = view.plot.chart.area
    zoom(view, 1, 2)
    session.set_theme(LIGHT)
    assert area.span == pytest.approx((1, 2))
    session.editing.travel(0)
    view.catch_up()
    low, high = area.span
    assert high - low == pytest.approx(1)
    assert low <= 0 <= high


def test_hovering_does_not_draw_the_line_again(walked, monkeypatch):
    view = walked[1]
    port(view).repaint()
    drawn = []
    monkeypatch.setattr("app.views.charts.history_chart.step_lines", lambda *_: drawn.append(1) or [])
    for step in (0, 1, 2):
        where = place_of(view, step).toPoint()
        move(port(view), where + QPoint(2, 0), where, steps=2, button=NO_BUTTON)
        port(view).repaint()
    assert drawn == []


def test_the_context_menu_opens_on_a_point(walked, qtbot):
    view = walked[1]
    where = place_of(view, 2).toPoint()
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(port(view), QContextMenuEvent(reason, where, port(view).mapToGlobal(where)))
    menu = next(menu for menu in view.findChildren(QMenu) if menu.isVisible())
    assert menu.actions()[0].text() == "Go to step 2"
    menu.close()
    qtbot.waitUntil(lambda: not any(menu.isVisible() for menu in view.findChildren(QMenu)))


def test_the_readout_ends_when_the_pointer_leaves(walked):
    view = walked[1]
    where = place_of(view, 2).toPoint()
    move(port(view), where + QPoint(40, 0), where, steps=3, button=NO_BUTTON)
    marked = view.plot.grab().toImage()
    QApplication.sendEvent(view.plot.chart, QEvent(QEvent.Type.Leave))
    assert view.pointed is None
    assert view.plot.grab().toImage() != marked


@pytest.mark.parametrize(("width", "end"), [(1400, "Ctrl+wheel"), (560, "go to it")])
def test_the_hint_is_as_long_as_fits(walked, width, end):
    view = walked[1]
    view.resize(width, 260)
    QApplication.processEvents()
    port(view).repaint()
    assert view.plot.chart.readout.texts()[0].endswith(end)


def test_files_have_texts_and_neither_hint_nor_mark(walked, tmp_path):
    view = walked[1]
    written = picture_content(".svg", (700, 300), DARK, view.paint_to)
    where = place_of(view, 2).toPoint()
    move(port(view), where + QPoint(40, 0), where, steps=3, button=NO_BUTTON)
    assert view.pointed == 2
    assert picture_content(".svg", (700, 300), DARK, view.paint_to) == written
    assert b"<image" not in written
    assert all(text in written.decode() for text in (">0<", ">3<", ">step<", ">Throughput, GB/s per node<"))
    assert "Point at a step" not in written.decode()


def test_the_message_goes_with_the_first_step(session_of, shown):
    session = session_of(HALO)
    view = shown(HistoryView(session), 900, 260)
    assert view.plot.chart._message.text == EMPTY
    session.editing.apply(swap_edit(session, 5, 3000), "Swap")
    view.catch_up()
    assert view.plot.chart._message.text == ""
    assert colours(view.plot)(place_of(view, 1)) == DARK.accent


def test_noise_takes_no_longer_than_a_multiple_of_a_smooth_curve(qapp):
    def seconds(gbs):
        chart = HistoryChart()
        chart.dress(DARK, QFont())
        chart.show_course(Course(gbs, gbs.size - 1))
        image, times = QImage(1600, 1000, QImage.Format.Format_RGB32), []
        for _ in range(4):
            painter = QPainter(image)
            started = time.process_time()
            chart.paint_to(painter, QRectF(0, 0, 1600, 1000))
            times.append(time.process_time() - started)
            painter.end()
        return min(times)

    even = np.linspace(0, 1, 2000)
    assert seconds(np.random.default_rng(1).random(2000)) < 20 * seconds(even)


def test_times_of_traced_flows_have_a_column(walked):
    session, view, *_ = walked
    table = view.table.steps
    columns = table.columnCount()
    history = History(Performance(0.5, 6940.0), (EditStep("Move", Performance(1.0, 3470.0), no_edit()),))
    session.show(replace(session.state, history=history))
    view.catch_up()
    assert (columns, table.columnCount()) == (3, 4)
    assert [table.data(table.index(row, 3)) for row in (0, 1)] == ["6,940 s", "3,470 s"]
    assert step_change(history, 1) == "0.5 → 1.0 GB/s per node, 6,940 s → 3,470 s"
