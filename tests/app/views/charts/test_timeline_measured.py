"""Measured intervals in the timeline: cells in the colours of the legend, the cursor, its keys, and exports."""

import time

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtTest import QTest

from app.model.measurement import LinkSource
from app.model.pointing import Item
from app.style.colour import lookup_table
from app.style.theme import DARK, LIGHT
from app.views.charts.timeline import TimelineView
from app.views.charts.timeline_lanes import Columns, layout_for
from app.views.charts.timeline_measured import MeasuredBands, bands_shown
from core.files import write_steps
from tests.app.measured import COUNTED, LEVELS, SERIES_SECONDS, measured_scenario, planted, series_scenario
from tests.app.sessions import session_on
from tests.app.views.seen import colours
from tests.pointer import move

SLOW_LINK, OTHER_LINK, MISSING = planted()
NO_BUTTON = Qt.MouseButton.NoButton


@pytest.fixture
def session(tmp_path, qapp):
    session = session_on(series_scenario(tmp_path), theme=DARK, sync=True)
    yield session
    session.close()


@pytest.fixture
def view(session, shown):
    session.set_source(LinkSource.MEASURED)
    return shown(TimelineView(session), 700, 320)


def strip(view):
    return view.plot.chart.strips[-1]


def cell(view, interval, row):
    """The middle of a cell, in pixels of the chart."""
    area = strip(view).lanes.area
    x = strip(view).steps.extent(interval).translated(area.topLeft()).center().x()
    return QPointF(x, strip(view).lanes.rows[row].center().y())


def point(view, where):
    target = where.toPoint()
    move(view.plot.chart.viewport(), target + QPoint(1, 1), target, steps=2, button=NO_BUTTON)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
@pytest.mark.parametrize("source", COUNTED, ids=lambda source: source.id)
def test_cells_have_the_colours_of_the_legend(view, source, theme):
    session = view.session
    session.set_theme(theme)
    session.set_source(source)
    seen, series = colours(view.plot), session.state.series
    session.go_to(0)
    shading = session.state.shading
    heat = lookup_table(shading.map, theme.dark)
    for interval in range(len(LEVELS)):
        for row in range(len(series.items)):
            value = series.rows.values[interval, row]
            expected = QColor(theme.missing)
            if not np.isnan(value):
                expected = QColor(*heat[round(float(shading.coordinate(np.array(value))) * 255)].tolist())
            assert seen(cell(view, interval, row)) == expected.name()


def test_a_link_without_a_counter_is_grey(view):
    view.session.watcher.pin(Item("link", MISSING[0]))
    row = view.session.state.series.items.index(Item("link", MISSING[0]))
    assert colours(view.plot)(cell(view, 1, row)) == DARK.missing
    assert bands_shown(view.session.state).readout(1, row)[-1].endswith(": no counter")
    assert bands_shown(view.session.state).figure_of(row) == ("no counter", "no counter")


def test_the_cursor_leaves_the_colours_of_cells(view):
    before = colours(view.plot)
    view.session.go_to(1)
    after = colours(view.plot)
    for row in range(len(view.session.state.series.items)):
        assert before(cell(view, 1, row)) == after(cell(view, 1, row))
    edge = strip(view).cursor.boundingRect().left() + strip(view).lanes.area.left()
    assert strip(view).cursor.step == 1
    middle = int(strip(view).lanes.rows[0].center().y())
    near = {after((int(edge) + k, middle)) for k in range(8)} - {before((int(edge) + k, middle)) for k in range(8)}
    assert near


def test_a_click_shows_an_interval_and_keys_move_it(view):
    session = view.session
    QTest.mouseClick(view.plot.chart.viewport(), Qt.MouseButton.LeftButton, pos=cell(view, 1, 0).toPoint())
    assert session.state.interval.number == 1
    assert view.player.text.text() == "interval 2 of 3"
    view.plot.setFocus()
    for key, expected in (
        (Qt.Key.Key_Right, 2), (Qt.Key.Key_Right, 2), (Qt.Key.Key_Left, 1), (Qt.Key.Key_Home, 0), (Qt.Key.Key_End, 2),
    ):  # fmt: skip
        QTest.keyClick(view.plot, key)
        assert session.state.interval.number == expected
    view.player.all.click()
    assert session.state.cursor is None
    assert view.player.text.text() == "Click an interval to show it alone"


def test_dragging_scrubs(view):
    viewport = view.plot.chart.viewport()
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=cell(view, 0, 1).toPoint())
    numbers = [view.session.state.interval.number]
    for interval in (1, 2, 1):
        move(viewport, cell(view, interval, 1).toPoint() + QPoint(2, 0), cell(view, interval, 1).toPoint(), steps=2)
        numbers.append(view.session.state.interval.number)
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=cell(view, 1, 1).toPoint())
    assert numbers == [0, 1, 2, 1]


def test_space_plays_all_intervals_and_pauses(view, qtbot):
    view.player.speed.setCurrentIndex(view.player.speed.count() - 1)
    seen = []
    view.session.changed.connect(lambda changes: seen.append(view.session.state.cursor))
    started = time.perf_counter()
    QTest.keyClick(view.plot, Qt.Key.Key_Space)
    assert view.player.playing
    qtbot.waitUntil(lambda: not view.player.playing, timeout=20_000)
    assert time.perf_counter() - started > 2  # 10 seconds at four times the speed
    assert sorted({*seen}) == [0, 1, 2]
    QTest.keyClick(view.plot, Qt.Key.Key_Space)
    QTest.keyClick(view.plot, Qt.Key.Key_Space)
    assert not view.player.playing


def test_predicted_loads_stop_playing(view, qtbot):
    view.player.toggle()
    assert view.player.playing
    view.session.set_source(LinkSource.LOAD)
    qtbot.waitUntil(lambda: not view.player.playing)
    assert view.session.state.cursor is None


def test_the_buttons_choose_what_the_timeline_shows(view):
    predicted, measured = view.shown.group.buttons()
    assert measured.isChecked()
    assert view.subtitle() == "3 intervals · 30 s"
    predicted.click()
    assert view.session.state.source is LinkSource.LOAD
    assert view.subtitle().startswith("1 step")
    assert not isinstance(view.plot.chart.content.bands[0], MeasuredBands)
    measured.click()
    assert view.session.state.source is LinkSource.MEASURED
    view.session.set_source(LinkSource.DIFFERENCE)
    measured.click()
    assert view.session.state.source is LinkSource.DIFFERENCE


def test_the_buttons_are_hidden_without_a_series(tmp_path, shown, qapp):
    session = session_on(measured_scenario(tmp_path), theme=DARK, sync=True)
    session.set_source(LinkSource.MEASURED)
    view = shown(TimelineView(session), 700, 320)
    assert not view.shown.isVisible()
    assert view.subtitle().startswith("1 step")
    session.close()


def test_pointing_reads_out_the_link_the_interval_and_its_bandwidth(view):
    series, network = view.session.state.series, view.session.state.report.case.network
    for interval, row in ((1, 0), (2, len(network.classes))):
        point(view, cell(view, interval, row))
        assert view.pointed[:2] == (interval, row)
        lines = bands_shown(view.session.state).readout(interval, row)
        link, value = int(series.rows.links[interval, row]), float(series.rows.values[interval, row])
        each = SERIES_SECONDS / len(LEVELS)
        assert lines[0] == f"interval {interval + 1} of 3"
        assert lines[1] == f"starts at {interval * each:g} s, lasts {each:g} s"
        assert lines[2] == f"{network.link_name(link)}: measured {series.counters.text(value)}"
        assert lines[2].endswith(" GB/s")
    # Between rows and on the blocks: the strongest link of each class.
    lines = bands_shown(view.session.state).readout(0, None)
    assert [line.partition(" ")[0] for line in lines[2:]] == [links.name for links in network.classes]


def test_a_name_selects_its_link(view):
    item, classes = view.session.state.series.items[-1], len(view.session.state.report.case.network.classes)
    QTest.mouseClick(view.plot.chart.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, int(cell(view, 0, -1).y())))
    assert view.session.state.selection == item
    assert view.session.state.series.items.index(item) >= classes


def test_pixels_of_several_intervals_have_the_strongest_value(session):
    session.set_source(LinkSource.DIFFERENCE)
    session.series.look()
    bands = bands_shown(session.state)
    columns = Columns(bands, 2, 0.0, bands.timeline.seconds)
    values = bands.series.rows.values
    # Half of the time is nearer to the end of the first interval than to its beginning.
    for pixel, intervals in enumerate(([0], [1, 2])):
        for row in range(values.shape[1]):
            expected = max(values[intervals, row], key=lambda value: -1 if np.isnan(value) else abs(value))
            np.testing.assert_allclose(columns.strongest[pixel, row], expected)


@pytest.mark.parametrize("size", [(540, 170), (1000, 300)], ids=str)
def test_pictures_show_it(view, size):
    view.session.go_to(1)
    image = QImage(QSize(*size), QImage.Format.Format_RGB32)
    image.fill(QColor(DARK.panel))
    painter = QPainter(image)
    view.paint_to(painter, QRectF(0, 0, *size))
    painter.end()
    heat = {QColor(*colour.tolist()).name() for colour in lookup_table("heat", True)[-1:]}
    seen = {image.pixelColor(x, y).name() for x in range(0, size[0], 3) for y in range(0, size[1], 3)}
    assert heat <= seen


def test_names_leave_room_for_the_intervals_in_a_narrow_chart(view):
    bands = [bands_shown(view.session.state)]
    (narrow,), (wide,) = (layout_for(bands, QSizeF(width, 300), QFont()).lanes for width in (200, 900))
    assert narrow.area.left() == 0.4 * 200
    assert narrow.area.width() > 40
    assert 0.4 * 200 < wide.area.left() < 0.4 * 900


def test_the_table_has_the_values_of_all_rows(view, tmp_path):
    bands = bands_shown(view.session.state)
    write_steps(tmp_path / "t.csv", bands.timeline, more=bands.columns)
    head, *rows = [line.split(",") for line in (tmp_path / "t.csv").read_text().splitlines()]
    assert head[:4] == ["name", "start", "seconds", "bottleneck"]
    assert head[4].endswith(" GB/s")
    assert [float(row[1]) for row in rows] == [0, 10, 20]
    series = view.session.state.series
    assert float(rows[1][4]) == pytest.approx(series.rows.values[1, 0] * series.counters.top)
