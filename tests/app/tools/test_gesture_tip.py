"""The readout at the pointer: its text, and its position."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QTextDocument
from PySide6.QtWidgets import QApplication

from app.storage.presets import worked_example
from app.style.theme import DARK, LIGHT
from app.tools.gesture_tip import beside
from tests.app.sessions import with_fields
from tests.pointer import across, let_go, press

ROOM = QRect(0, 0, 1200, 640)


def says(tip):
    page = QTextDocument()
    page.setHtml(tip.text())
    return page.toPlainText()


def lift(driver, group):
    grid = driver.job.event_widget
    press(grid, driver.cell(5))
    end = across(grid, driver.machine, driver.box(group))
    driver.move(grid, driver.cell(5), end)
    return end


def test_tip_shows_the_effect_of_a_release_and_its_throughput(make_driver):
    driver = make_driver(worked_example(), "drag")
    assert not driver.tip.isVisible()
    lift(driver, 9)
    name, figures, hint = says(driver.tip).split("\n")
    assert name == driver.state.edit.gesture
    before, now = driver.start.report.throughput_gbs, driver.state.report.throughput_gbs
    assert now < before
    assert figures == f"{now:.2f} GB/s per node, −{before - now:.2f} · {driver.state.report.verdict}"
    assert "Shift" in hint
    assert "Esc" in hint
    assert driver.toolbox.cancel()
    assert not driver.tip.isVisible()


def test_tip_of_a_dragged_place_shows_the_swap(make_driver):
    driver = make_driver(worked_example(), "drag")
    press(driver.machine, driver.box(3))
    driver.move(driver.machine, driver.box(3), QPoint(4, 4))
    assert "Release on another place to swap" in says(driver.tip)
    driver.move(driver.machine, QPoint(4, 4), driver.box(9))
    assert "Release to swap" in says(driver.tip)
    let_go(driver.machine, driver.box(9))
    assert not driver.tip.isVisible()


def test_tip_reports_delayed_loads(make_driver, monkeypatch):
    monkeypatch.setattr("app.session.editing.MAX_UPDATES", 0)
    driver = make_driver(worked_example(), "drag")
    end = lift(driver, 9)
    assert "GB/s per node" in says(driver.tip)
    driver.session.show(with_fields(driver.state, lagging=True))
    assert "loads are recomputed with a delay" in says(driver.tip)
    assert "GB/s" not in says(driver.tip)
    let_go(driver.job.event_widget, end)
    assert not np.array_equal(driver.slots, driver.start.case.mapping.slots)
    driver.assert_sound()
    assert not driver.tip.isVisible()


def test_tip_follows_the_pointer_without_covering_it(make_driver):
    driver = make_driver(worked_example(), "drag")
    grid, start = driver.job.event_widget, driver.cell(5)
    press(grid, start)
    for group in (9, 0, 16, 24):
        end = across(grid, driver.machine, driver.box(group))
        driver.move(grid, start, end)
        pointer = driver.mapFromGlobal(driver.machine.mapToGlobal(driver.box(group)))
        assert driver.tip.isVisible()
        assert not driver.tip.geometry().contains(pointer)
        assert driver.rect().contains(driver.tip.geometry())
        start = end
    assert QApplication.widgetAt(driver.tip.mapToGlobal(driver.tip.rect().center())) is not driver.tip
    assert driver.toolbox.cancel()


def test_width_of_the_tip_never_shrinks_during_a_gesture(make_driver):
    driver = make_driver(worked_example(), "drag")
    grid, start = driver.job.event_widget, driver.cell(5)
    press(grid, start)
    widths = []
    for group in (9, 3, 14, 30):
        end = across(grid, driver.machine, driver.box(group))
        driver.move(grid, start, end, steps=2)
        widths.append(driver.tip.width())
        start = end
    assert widths == sorted(widths)
    assert driver.toolbox.cancel()


@pytest.mark.parametrize("at", [(600, 300), (1190, 300), (600, 632), (1195, 635), (3, 3), (3, 635)])
def test_tip_stays_inside_the_window(at):
    size, point = QSize(320, 60), QPoint(*at)
    place = QRect(beside(point, size, ROOM), size)
    assert ROOM.contains(place)
    assert not place.contains(point)


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_tip_has_the_colours_of_the_theme(make_driver, theme):
    driver = make_driver(worked_example(), "drag", theme=theme)
    lift(driver, 9)
    image = driver.tip.grab().toImage()
    assert image.pixelColor(4, driver.tip.height() // 2) == QColor(theme.panel)
    assert driver.tip.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    assert driver.toolbox.cancel()
