"""A bar for each class: true lengths, marks at the bounds, and an explanation of each."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from app.panels.bottleneck.class_bars import ClassBars, bars_of, caption
from app.storage.presets import preset
from core.job import AllToAll, Halo
from core.load.bounds import class_bound
from core.load.scenario import Scenario
from core.mapping import Blocks, Sequential
from core.network import Complete, Percs, Torus
from core.routing import DimensionOrder, Minimal, PercsDirect
from tests.app.sessions import state_of

TORUS = Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder())


@pytest.fixture
def widget(session, show):
    bars = ClassBars()
    bars.show_state(session.state)
    return show(bars, 300, bars.sizeHint().height())


def test_lengths_are_the_utilisation_of_the_hottest_link(session):
    report = session.state.report
    for bar, link_class in zip(bars_of(session.state), report.case.network.classes, strict=True):
        assert bar.name == link_class.name
        assert bar.length == pytest.approx(report.utilisation[link_class.links].max())
    assert max(bar.length for bar in bars_of(session.state)) == pytest.approx(1)


def test_bound_is_at_most_the_length_of_its_bar(session):
    evaluation = session.state.evaluation
    for bar in bars_of(session.state):
        bound = class_bound(evaluation.bounds, bar.name)
        assert bar.bound == (None if bound is None else pytest.approx(bound.time / evaluation.report.time))
        assert bar.bound is None or bar.bound <= bar.length + 1e-9


def test_prediction_is_drawn_at_the_value_of_the_formula(session):
    by_name = {bar.name: bar for bar in bars_of(session.state)}
    assert by_name["D"].prediction == pytest.approx(by_name["D"].length)  # 20 nd = 80 GB/s, as found
    assert by_name["LR"].prediction is None


def test_figures_are_right_aligned(session):
    assert [bar.text for bar in bars_of(session.state)] == ["134.4", "64.0", "80.0"]


def test_frozen_scale_changes_the_colour_not_the_length(session):
    before = bars_of(session.state)
    session.set_scale(replace(session.state.style.scale, frozen_time=4 * session.state.report.time))
    after = bars_of(session.state)
    assert [bar.length for bar in after] == [bar.length for bar in before]
    assert after[1].colour != before[1].colour


def test_class_without_load_has_an_empty_bar(session_of):
    session = session_of(replace(TORUS, job=AllToAll(1)))
    for bar in bars_of(session.state):
        assert (bar.length, bar.text, bar.bound) == (0.0, "—", None)
        assert "no load" in bar.tip


def colour_at(image, x, y):
    return QColor(image.pixel(round(x), round(y)))


def test_painted_bar_ends_at_its_length(widget, session):
    image = widget.grab().toImage()
    for row, bar in enumerate(widget.bars):
        track = widget.track(row)
        y = track.center().y()
        inside = track.left() + track.width() * bar.length * 0.9
        assert colour_at(image, inside, y) == QColor(bar.colour), bar.name
        if bar.length < 0.9:
            beyond = track.left() + track.width() * (bar.length + 0.08)
            assert colour_at(image, beyond, y) == QColor(session.state.style.theme.border), bar.name


def test_painted_mark_is_at_the_bound(widget, session):
    image = widget.grab().toImage()
    bar, track = widget.bars[1], widget.track(1)
    x = track.left() + track.width() * bar.bound
    columns = {colour_at(image, x + dx, track.center().y()).name() for dx in (-1, 0, 1)}
    assert session.state.style.theme.text in columns


def test_prediction_beyond_the_bottleneck_is_an_arrow_at_the_end(session_of, show):
    blocks = Scenario(Percs(32, 1), Halo(64, 64), Blocks(8, 16), PercsDirect())
    session = session_of(blocks)
    widget = ClassBars()
    widget.show_state(session.state)
    bar = next(bar for bar in widget.bars if bar.prediction is not None)
    widget.bars = (replace(bar, prediction=1.5),)
    show(widget, 300, 40)
    track, image = widget.track(0), widget.grab().toImage()
    at_end = {colour_at(image, track.right() + dx, track.center().y()).name() for dx in (-1, 0, 1, 2)}
    assert session.state.style.theme.panel in at_end


def test_tool_tip_explains_bar_bound_and_formula(widget, qtbot):
    row = next(row for row, bar in enumerate(widget.bars) if bar.prediction is not None)
    place = widget.track(row).center().toPoint()
    event = QHelpEvent(QHelpEvent.Type.ToolTip, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)
    text = QToolTip.text()
    QToolTip.hideText()
    assert "3,968 links, 10 GB/s per direction" in text
    assert "Upper bound " in text
    assert "20 nd = 80" in text
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_tool_tip_distinguishes_links_used_by_the_job(qapp):
    tips = [bar.tip for bar in bars_of(state_of(preset("dragonfly-two-jobs-scattered")))]
    assert all("hottest link used by this job: " in tip for tip in tips)
    assert all("hottest link: " in bar.tip for bar in bars_of(state_of(preset("power775-halo"))))


def test_tool_tip_outside_the_bars_is_empty(widget):
    place = QPoint(5, widget.height() + 50)
    QApplication.sendEvent(widget, QHelpEvent(QHelpEvent.Type.ToolTip, place, place))
    assert QToolTip.text() == ""


def test_caption_explains_only_visible_marks(session):
    with_both = caption(bars_of(session.state))
    assert "┃" in with_both
    assert "◇" in with_both
    torus = caption(bars_of(state_of(TORUS)))
    assert "◇" not in torus


def test_height_follows_the_number_of_classes(widget):
    three = widget.sizeHint().height()
    widget.show_state(state_of(TORUS))
    assert widget.sizeHint().height() * 3 == three * 2


def bar_of(bars, name):
    return next(k for k, bar in enumerate(bars.bars) if bar.name == name)


def click_bar(bars, name):
    QTest.mouseClick(bars, Qt.MouseButton.LeftButton, pos=bars.track(bar_of(bars, name)).center().toPoint())


def test_a_click_emits_the_class_of_the_bar(widget):
    emitted = []
    widget.toggled.connect(emitted.append)
    for bar in widget.bars:
        click_bar(widget, bar.name)
    assert emitted == ["LL", "LR", "D"]


def test_arrows_and_space_reach_each_bar(widget):
    emitted = []
    widget.toggled.connect(emitted.append)
    widget.setFocus()
    for key in ("Space", "Down", "Return", "Down", "Down", "Enter", "Up", "Space", "Home", "Space", "End", "Space"):
        QTest.keyClick(widget, getattr(Qt.Key, f"Key_{key}"))
    assert emitted == ["LL", "LR", "D", "LR", "LL", "D"]


def test_other_bars_fade_and_the_shown_class_is_outlined(widget, session):
    before = widget.grab().toImage()
    session.set_link_class("D")
    widget.show_state(session.state)
    after, shown = widget.grab().toImage(), bar_of(widget, "D")
    for index in range(len(widget.bars)):
        middle = widget.track(index).topLeft().toPoint() + QPoint(8, round(widget.track(index).height() / 2))
        assert (before.pixelColor(middle) == after.pixelColor(middle)) == (index == shown)
        edge = widget.track(index).center().toPoint() - QPoint(0, round(widget.track(index).height() / 2) + 2)
        accent, seen = QColor(session.state.style.theme.accent), after.pixelColor(edge)
        assert (abs(seen.red() - accent.red()) + abs(seen.blue() - accent.blue()) < 20) == (index == shown)
    assert widget.accessibleDescription().startswith("only D links; ")


def test_a_single_class_has_nothing_to_toggle(show):
    bars = ClassBars()
    bars.show_state(state_of(Scenario(Complete(8), Halo(2, 4), Sequential(), Minimal())))
    emitted = []
    bars.toggled.connect(emitted.append)
    show(bars, 300, bars.sizeHint().height())
    click_bar(bars, bars.bars[0].name)
    assert len(bars.bars) == 1
    assert not emitted
    assert bars.focusPolicy() is Qt.FocusPolicy.NoFocus
