"""Routing planned for all flows at once, in the window: chosen, dragged, undone, explained, searched, cancelled."""

import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.model.pointing import Item
from app.panels.bottleneck.panel import BottleneckPanel
from app.panels.build.panel import BuildPanel
from app.session.session import Session
from app.window.status_bar import status_text
from core.job import Broadcast, Permutation
from core.load.scenario import Scenario
from core.mapping import Random
from core.mapping.explicit import Explicit
from core.network import Torus
from core.routing import Adaptive, CongestionAware, Minimal, ShortDimension, Ugal
from tests.app.panels.build.test_panel import body, choose_family
from tests.app.tools.conftest import make_driver
from tests.app.tools.test_gesture_tip import says
from tests.pointer import let_go, press

__all__ = ["make_driver"]

START = Scenario(Torus(dims=(12, 4)), Permutation(tasks=48, seed=1), Random(seed=1), Adaptive())
ROUTINGS = [ShortDimension(), CongestionAware(rounds=8), Ugal(rounds=8)]


@pytest.mark.parametrize("family", [ShortDimension, CongestionAware])
def test_planned_routing_is_chosen_in_the_build_panel(session_of, show, family):
    session = session_of(START)
    panel = show(BuildPanel(session), 250, 900)
    before = session.state.report
    choose_family(panel, "routing", family)
    assert session.state.wanted.routing == family()
    assert session.state.error is None
    assert session.state.report.time != before.time
    assert session.state.report.plan_words in status_text(session.state)
    session.editing.undo()
    assert session.state.wanted.routing == Adaptive()
    np.testing.assert_array_equal(session.state.report.load, before.load)


def test_fields_of_planned_routing_are_edited(session_of, show):
    session = session_of(START.with_choice("routing", ShortDimension()))
    panel = show(BuildPanel(session), 250, 900)
    figures = session.state.report.notes[0].figures
    line = body(panel, "routing.alpha")
    line = line if hasattr(line, "setText") else line.lineEdit()
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "0.25")
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert session.state.wanted.routing.alpha == 0.25
    assert session.state.report.notes[0].figures["detours"] < figures["detours"]


@pytest.mark.parametrize("routing", ROUTINGS, ids=lambda routing: routing.tag())
def test_a_drag_is_followed_by_the_loads(make_driver, routing):
    driver = make_driver(START.with_choice("routing", routing), "drag")
    grid = driver.job.event_widget
    press(grid, driver.cell(3))
    driver.move(grid, driver.cell(3), driver.cell(17))
    assert driver.state.edit.gesture
    assert not driver.state.edit.lagging
    assert "GB/s per node" in says(driver.tip)
    assert driver.slots[3] == driver.start.case.mapping.slots[17]
    driver.assert_sound()
    driver.move(grid, driver.cell(17), driver.cell(3))
    assert driver.state.evaluation is driver.start
    driver.move(grid, driver.cell(3), driver.cell(17))
    let_go(grid, driver.cell(17))
    assert driver.slots[3] == driver.start.case.mapping.slots[17]
    driver.assert_sound()
    assert isinstance(driver.state.wanted.mapping, Explicit)
    assert driver.state.report.router(0) is not driver.start.report.router(0)
    driver.session.editing.undo()
    np.testing.assert_array_equal(driver.slots, driver.start.case.mapping.slots)
    np.testing.assert_allclose(driver.state.report.load, driver.start.report.load, atol=1e-12)
    driver.session.editing.redo()
    assert driver.slots[3] == driver.start.case.mapping.slots[17]
    driver.assert_sound()


def test_cancelled_drag_leaves_no_trace(make_driver):
    driver = make_driver(START.with_choice("routing", ROUTINGS[0]), "drag")
    press(driver.job.event_widget, driver.cell(3))
    driver.move(driver.job.event_widget, driver.cell(3), driver.cell(17))
    assert driver.toolbox.cancel()
    assert driver.untouched()


@pytest.mark.parametrize("routing", ROUTINGS, ids=lambda routing: routing.tag())
def test_bottleneck_panel_explains_a_link_and_names_the_plan(session_of, show, qtbot, routing):
    session = session_of(START.with_choice("routing", routing))
    panel = show(BottleneckPanel(session))
    assert session.state.report.plan_words in panel.plan.text()
    link = int(session.state.report.hottest(1)[0])
    session.select(Item("link", link))
    explanation = session.state.explanation
    assert explanation.link == link
    assert explanation.tasks.total == pytest.approx(explanation.load)
    assert set(explanation.roles) <= set(session.state.report.case.router.roles)
    assert panel.causes.roles.isVisible()
    session.advisor.search()
    assert "single swaps cannot be evaluated" in panel.swaps.note.text()
    session.choose("routing", Minimal())
    assert not panel.plan.isVisible()


@pytest.mark.parametrize("routing", ROUTINGS, ids=lambda routing: routing.tag())
def test_phases_within_nodes_leave_the_notes_of_others_in_place(session_of, show, routing):
    network, job = Torus(dims=(4,), slots_per_node=3), Broadcast(tasks=7, root=4)
    session = session_of(Scenario(network, job, Random(seed=881070), Minimal()))
    panel = show(BottleneckPanel(session))
    session.choose("routing", routing)
    report = session.state.report
    assert report.case.scenario.routing == routing
    notes = [note and note.words for note in report.notes]
    assert None in notes
    words = notes[int(report.busy.max(axis=1).argmax())]
    assert f"slowest phase: {words}" in panel.plan.text()
    assert f"slowest phase: {words}" in status_text(session.state)


def test_search_is_refused_with_alternatives(session_of):
    session = session_of(START.with_choice("routing", ROUTINGS[1]))
    session.optimiser.start()
    assert not session.state.search.runs
    assert "search with minimal or adaptive" in session.state.error.message
    assert not session.editing.active


def test_a_long_plan_shows_progress_and_can_be_cancelled(qtbot, monkeypatch):
    session = Session.of(START)
    try:
        begun, go = threading.Event(), threading.Event()

        def slow(*arguments):
            begun.set()
            go.wait(20)
            return first(*arguments)

        from core.routing.congestion import solver

        first = solver.improve
        monkeypatch.setattr(solver, "improve", slow)
        session.choose("routing", CongestionAware(tolerance=0.01))
        qtbot.waitUntil(begun.is_set)
        session.evaluator.cancel()
        go.set()
        session.wait_idle()
        assert session.state.wanted.routing == Adaptive()
        assert session.state.report.case.scenario.routing == Adaptive()
        assert session.state.pending is None
    finally:
        session.close()
