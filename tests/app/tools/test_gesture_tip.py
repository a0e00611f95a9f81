"""The readout beside the pointer: what it says, and where it stands."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QTextDocument
from PySide6.QtWidgets import QApplication

from app.model.changes import ChangeSet
from app.storage.presets import worked_example
from app.style.theme import DARK, LIGHT
from app.tools.gesture_tip import beside
from tests.pointer import across, let_go, press

ROOM = QRect(0, 0, 1200, 640)


def says(tip):
    page = QTextDocument()
    page.setHtml(tip.text())
    return page.toPlainText()


def lift(desk, group):
    grid = desk.job.sensor
    press(grid, desk.cell(5))
    end = across(grid, desk.machine, desk.box(group))
    desk.move(grid, desk.cell(5), end)
    return end


def test_says_what_a_release_does_and_what_it_brings(bench):
    desk = bench(worked_example(), "drag")
    assert not desk.tip.isVisible()
    lift(desk, 9)
    name, figures, hint = says(desk.tip).split("\n")
    assert name == desk.state.gesture
    before, now = desk.start.report.throughput_gbs, desk.state.report.throughput_gbs
    assert now < before
    assert figures == f"{now:.2f} GB/s per node, −{before - now:.2f} · {desk.state.report.verdict}"
    assert "Shift" in hint
    assert "Esc" in hint
    assert desk.toolbox.cancel()
    assert not desk.tip.isVisible()


def test_of_a_place_says_what_a_release_would_do(bench):
    desk = bench(worked_example(), "drag")
    press(desk.machine, desk.box(3))
    desk.move(desk.machine, desk.box(3), QPoint(4, 4))
    assert "release on another to swap them" in says(desk.tip)
    desk.move(desk.machine, QPoint(4, 4), desk.box(9))
    assert "release to swap them" in says(desk.tip)
    let_go(desk.machine, desk.box(9))
    assert not desk.tip.isVisible()


def test_says_that_the_loads_lag_behind(bench, monkeypatch):
    monkeypatch.setattr("app.session.editing.MOST_UPDATES", 0)
    desk = bench(worked_example(), "drag")
    end = lift(desk, 9)
    assert "GB/s per node" in says(desk.tip)
    desk.session.show(ChangeSet.TOOL, lagging=True)
    assert "the loads follow as soon as they are known" in says(desk.tip)
    assert "GB/s" not in says(desk.tip)
    let_go(desk.job.sensor, end)
    assert not np.array_equal(desk.slots, desk.start.case.mapping.slots)
    desk.assert_sound()
    assert not desk.tip.isVisible()


def test_it_follows_the_pointer_without_covering_it(bench):
    desk = bench(worked_example(), "drag")
    grid, start = desk.job.sensor, desk.cell(5)
    press(grid, start)
    for group in (9, 0, 16, 24):
        end = across(grid, desk.machine, desk.box(group))
        desk.move(grid, start, end)
        pointer = desk.mapFromGlobal(desk.machine.mapToGlobal(desk.box(group)))
        assert desk.tip.isVisible()
        assert not desk.tip.geometry().contains(pointer)
        assert desk.rect().contains(desk.tip.geometry())
        start = end
    assert QApplication.widgetAt(desk.tip.mapToGlobal(desk.tip.rect().center())) is not desk.tip
    assert desk.toolbox.cancel()


def test_its_width_does_not_change_while_figures_do(bench):
    desk = bench(worked_example(), "drag")
    grid, start = desk.job.sensor, desk.cell(5)
    press(grid, start)
    widths = []
    for group in (9, 3, 14, 30):
        end = across(grid, desk.machine, desk.box(group))
        desk.move(grid, start, end, steps=2)
        widths.append(desk.tip.width())
        start = end
    assert widths == sorted(widths)
    assert desk.toolbox.cancel()


@pytest.mark.parametrize("at", [(600, 300), (1190, 300), (600, 632), (1195, 635), (3, 3), (3, 635)])
def test_it_stands_inside_on_the_side_where_there_is_room(at):
    size, point = QSize(320, 60), QPoint(*at)
    place = QRect(beside(point, size, ROOM), size)
    assert ROOM.contains(place)
    assert not place.contains(point)


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_it_has_the_colours_of_the_theme(bench, theme):
    desk = bench(worked_example(), "drag", theme=theme)
    lift(desk, 9)
    image = desk.tip.grab().toImage()
    assert image.pixelColor(4, desk.tip.height() // 2) == QColor(theme.panel)
    assert desk.tip.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    assert desk.toolbox.cancel()
