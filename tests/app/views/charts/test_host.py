"""Views with a chart: made after the first frame, following the view in size, font, theme and focus."""

import gc
import weakref
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QImage, QKeyEvent, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from app.background.late_import import LateImport
from app.style.theme import LIGHT
from app.views.charts.distribution import DistributionView
from app.views.charts.host import ChartHolder
from core.job import Halo
from tests.app.scenarios import HALO
from tests.app.views.charts.kit.plain import PlainChart


@pytest.fixture
def late(monkeypatch):
    """Charts that are not imported yet: whoever waits for them is noted."""
    waiting = []
    monkeypatch.setattr(LateImport, "is_done", False)
    monkeypatch.setattr(LateImport, "when_done", lambda importing, context, then: waiting.append(then))
    return waiting


def test_the_chart_is_asked_for_once_after_the_first_frame(session_of, shown, late, qtbot):
    session = session_of(HALO)
    view = DistributionView(session)
    assert view.chart is None
    shown(view, 600, 200)
    qtbot.waitUntil(lambda: bool(late))
    assert view.chart is None
    session.set_theme(LIGHT)
    assert view.grab().toImage().pixelColor(300, 100) == QColor(LIGHT.panel)
    view.repaint()
    QTest.qWait(20)
    assert len(late) == 1
    late[0]()
    assert view.chart.isVisible()
    assert view.chart.size() == view.size()
    assert view.chart.look.theme is session.state.style.theme


def test_it_follows_size_font_and_theme(session_of, shown):
    session = session_of(HALO)
    view = shown(DistributionView(session), 600, 200)
    view.resize(900, 300)
    assert view.chart.size() == view.size()
    font = QFont(view.font())
    font.setPointSizeF(1.75 * font.pointSizeF())
    view.setFont(font)
    assert view.chart.look.font == font
    session.set_theme(LIGHT)
    assert view.chart.look.theme == LIGHT


def test_it_stays_below_the_cover_of_outdated_results(session_of, shown, late, qtbot):
    session = session_of(HALO)
    view = shown(DistributionView(session), 600, 200)
    qtbot.waitUntil(lambda: bool(late))
    view.cover.show()
    late[0]()
    layers = [child for child in view.children() if isinstance(child, QWidget)]
    assert layers.index(view.cover) > layers.index(view.chart)


def test_a_view_is_freed_with_its_chart(session_of, qapp):
    session = session_of(HALO)
    view = DistributionView(session)
    view.resize(600, 200)
    view.catch_up()
    view.build()
    session.propose(replace(HALO, job=Halo(rows=64, cols=16)))
    view.catch_up()
    view.grab()
    parts = [weakref.ref(part) for part in (view.chart, view.chart.panels[0].bars, view.chart.panels[0].area)]
    gc.collect()
    view.chart = None
    view.deleteLater()
    del view
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert [part() for part in parts] == [None] * 3


def test_home_shows_the_whole_range_and_other_keys_are_passed_on(session_of, qapp):
    view = DistributionView(session_of(HALO))
    view.resize(600, 200)
    view.catch_up()
    view.build()
    area = view.chart.panels[0].area
    area.show_span(0, 5)
    assert area.zoomed
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Home, Qt.Key.Key_Home):
        event = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier)
        zoomed = area.zoomed
        qapp.sendEvent(view, event)
        assert event.isAccepted() == (zoomed and key == Qt.Key.Key_Home)
    assert not area.zoomed


class Holder(ChartHolder["PlainChart"], QWidget):
    """A widget that is not a view."""

    told = Signal(str)

    def make_chart(self, parent):
        return PlainChart(parent)

    def fill(self, chart):
        chart.dress(LIGHT, self.font())

    def background(self):
        return LIGHT.panel


def test_any_widget_can_hold_a_chart(shown):
    holder, told = Holder(), []
    holder.told.connect(told.append)
    holder.told.emit("signals work")
    shown(holder, 500, 200)
    assert told == ["signals work"]
    assert holder.chart.size() == holder.size()
    image = QImage(500, 200, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.panel))
    painter = QPainter(image)
    holder.draw_chart(painter, QRectF(0, 0, 500, 200))
    painter.end()
    assert image == holder.chart.grab().toImage().convertToFormat(image.format())
