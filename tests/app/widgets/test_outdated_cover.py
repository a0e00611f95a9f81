"""Outdated results are dimmed; the pointer acts on them as before."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.model.computation import Computation, Kind
from app.style.theme import DARK, LIGHT
from app.widgets.outdated_cover import OutdatedCover

LOADS = Computation(Kind.EVALUATION, "Computing: Torus")


@pytest.fixture
def results(session, shown):
    results = QWidget()
    results.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    results.setStyleSheet("background: #ff0000")
    results.cover = OutdatedCover(session, results)
    return shown(results, 100, 60)


def colour(widget, x=50, y=30):
    return widget.grab().toImage().pixelColor(x, y)


def mixed(theme):
    panel = QColor(theme.panel)
    return [(255 + panel.red()) / 2, panel.green() / 2, panel.blue() / 2]


@pytest.mark.parametrize("theme", [DARK, LIGHT])
def test_results_are_dimmed_until_the_computation_ends(session, results, theme):
    session.set_theme(theme)
    assert colour(results) == QColor("#ff0000")
    session.show_computation(LOADS)
    assert list(colour(results).getRgb()[:3]) == pytest.approx(mixed(theme), abs=2)
    session.end_computation(Kind.EVALUATION)
    assert colour(results) == QColor("#ff0000")


def test_computation_that_keeps_results_valid_dims_nothing(session, results):
    session.show_computation(Computation(Kind.FILE, "Reading x"))
    assert results.cover.isHidden()


def test_pointer_reaches_the_widget_below(session, results, qtbot):
    button = QPushButton("below", results)
    button.setGeometry(0, 0, 100, 60)
    button.show()
    session.show_computation(LOADS)
    assert results.cover.isVisible()
    assert results.childAt(QPoint(50, 30)) is button
    with qtbot.waitSignal(button.clicked):
        QTest.mouseClick(results.windowHandle(), Qt.MouseButton.LeftButton, pos=QPoint(50, 30))


def test_it_covers_children_made_later_and_follows_the_size(session, results):
    session.show_computation(LOADS)
    session.end_computation(Kind.EVALUATION)
    late = QLabel(results)
    late.setStyleSheet("background: #ff0000")
    late.setGeometry(0, 0, 300, 200)
    late.show()
    session.show_computation(LOADS)
    results.resize(300, 200)
    assert colour(results, 290, 190) != QColor("#ff0000")


def test_a_hole_stays_clear_wherever_it_moves(session, shown):
    results = QWidget()
    results.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    results.setStyleSheet("background: #ff0000")
    hole = QLabel(results)
    hole.setGeometry(0, 0, 20, 20)
    results.cover = OutdatedCover(session, results, hole=hole)
    shown(results, 100, 60)
    session.show_computation(LOADS)
    for x, y in ((0, 0), (60, 30)):
        hole.move(x, y)
        assert colour(results, x + 5, y + 5) == QColor("#ff0000")
        assert colour(results, x + 25, y + 5) != QColor("#ff0000")


def test_results_may_be_outdated_for_a_reason_of_their_own(session, shown):
    results, late = QWidget(), [False]
    cover = OutdatedCover(session, results, lambda: late[0])
    shown(results)
    session.show_computation(LOADS)
    assert cover.isHidden()
    late[0] = True
    cover.follow()
    assert cover.isVisible()
