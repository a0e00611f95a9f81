"""Computations in two lines of fixed height."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.model.computation import Computation, Kind
from app.widgets.pending_strip import PendingStrip
from core.kernels import compile_events

LOADS = Computation(Kind.EVALUATION, "Computing: Indirect routing")


@pytest.fixture
def strip(session, shown):
    strip = PendingStrip(session, lambda state: state.pending)
    return shown(strip, 180, 80)


def test_strip_shows_the_computation_and_its_progress(session, strip):
    session.show_computation(LOADS)
    assert strip.text == "Computing: Indirect routing …"
    assert strip.bar.chunk[1] < 1
    session.show_computation(LOADS._replace(fraction=0.25))
    assert strip.bar.chunk == (0.0, 0.25)


def test_long_name_is_shortened_at_constant_height(session, strip):
    session.show_computation(LOADS)
    height = strip.sizeHint().height()
    words = f"Computing: {', '.join(['a word and another'] * 8)}"
    session.show_computation(LOADS._replace(words=words))
    assert strip.text.startswith("Computing: a word")
    assert strip.text.endswith("…")
    assert strip.what.heightForWidth(strip.what.width()) <= strip.what.height()
    assert strip.sizeHint().height() == height
    assert strip.toolTip() == words


def test_cancel_is_offered_for_cancellable_computations(session, strip):
    session.show_computation(LOADS._replace(kind=Kind.GESTURE))
    assert strip.cancel.isHidden()
    session.end_computation(Kind.GESTURE)
    session.show_computation(LOADS)
    assert strip.cancel.isVisible()
    QTest.mouseClick(strip.cancel, Qt.MouseButton.LeftButton)
    assert session.state.pending is None


def test_strip_cancels_only_the_computation_it_shows(session, shown):
    strip = shown(PendingStrip(session, lambda state: state.preparing, low=True))
    session.show_computation(LOADS)
    session.show_computation(Computation(Kind.FILE, "Reading x.json"))
    assert strip.text == "Reading x.json …"
    strip.cancel.click()
    assert session.state.computations == (LOADS,)


def test_strip_shows_preparation_while_kernels_are_compiled(session, strip, qtbot):
    session.show_computation(LOADS)
    compile_events.begin()
    qtbot.waitUntil(lambda: strip.text == "Preparing for first use …")
    assert strip.toolTip().startswith("Computing: Indirect routing. ")
    compile_events.end()
    qtbot.waitUntil(lambda: strip.text == "Computing: Indirect routing …")
