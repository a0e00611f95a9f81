"""CLEX's rounds in the timeline: each is a step under the cursor, and every view shows what links carry in it."""

import csv

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import core.timing.rounds
from app.model.changes import ChangeSet
from app.model.pointing import Item
from app.panels.bottleneck.causes import OF_A_ROUND
from app.panels.bottleneck.panel import IDLE_ROUND, BottleneckPanel
from app.views.charts.timeline import TimelineView
from app.views.charts.timeline_readout import readout
from core.files import write_steps
from core.job import RandomTraffic
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.edit import occupants, swapped
from core.network import Clex
from core.routing import ClexRouting
from core.timing import Rounds, detailed_timeline

ROUNDS = Scenario(
    Clex(k=4, levels=2), RandomTraffic(tasks=16, messages=5, seed=1), Sequential(), ClexRouting(), timing=Rounds(seed=1)
)


@pytest.fixture
def view(session_of, shown):
    return shown(TimelineView(session_of(ROUNDS)), 620, 220)


def swap(session):
    case = session.state.evaluation.case
    slots, held = case.mapping.slots, occupants(case.mapping, case.network.slots)
    return swapped(case.mapping, slots[[0]], slots[[9]], held)


def test_each_round_is_a_step_that_every_view_shows(view):
    session, timeline = view.session, view.timeline
    steps, load = len(timeline.steps), view.state.report.load
    assert steps == timeline.rounds.rounds == view.state.steps > 5
    assert view.subtitle().startswith(f"{steps} rounds · ")
    for step in range(steps):
        session.timekeeper.go_to(step)
        np.testing.assert_array_equal(view.state.report.load, timeline.each_round.load(step))
        assert view.player.text.text() == f"round {step + 1} of {steps}: {timeline.steps[step].name.partition(': ')[2]}"
    session.timekeeper.go_to(None)
    assert view.state.report.load is load


def test_a_click_and_keys_stay_within_the_rounds(view):
    last = len(view.timeline.steps) - 1
    strip = view.plot.chart.strips[0]
    middle = strip.area.mapToScene(strip.steps.extent(3).center()).toPoint()
    QTest.mouseClick(view.plot.chart.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert view.state.time.step == 3
    for key, step in ((Qt.Key.Key_Right, 4), (Qt.Key.Key_End, last), (Qt.Key.Key_Right, last), (Qt.Key.Key_Home, 0)):
        QTest.keyClick(view.plot, key)
        assert view.state.time.step == step


def test_a_block_shows_how_many_messages_are_in_flight(view):
    bands = view.plot.chart.content.bands[0]
    lines = readout(bands, 0)
    assert lines[0].endswith(": level 1")
    assert f"{view.timeline.steps[0].messages} messages, one link each" in lines


def test_an_edit_recomputes_the_rounds_and_keeps_the_cursor(view, qtbot):
    session, before = view.session, view.timeline
    session.timekeeper.go_to(2)
    loads = view.state.report.load
    for change in (lambda: session.editing.apply(swap(session), "Swap"), session.editing.undo):
        change()
        qtbot.waitUntil(lambda: view.timeline.case is view.state.evaluation.case)
        fresh = detailed_timeline(view.state.evaluation.case)
        assert view.state.time.step == 2
        np.testing.assert_array_equal(view.state.report.load, fresh.each_round.load(2))
    np.testing.assert_array_equal(view.state.report.load, loads)
    assert view.timeline.steps == before.steps


def test_while_a_task_is_dragged_the_cursor_waits(view, qtbot):
    session = view.session
    session.timekeeper.go_to(2)
    assert session.editing.begin("Move")
    session.editing.replace_edit(swap(session))
    assert view.state.time.step == 2
    session.editing.commit()
    qtbot.waitUntil(lambda: view.state.moment is not None)
    fresh = detailed_timeline(view.state.evaluation.case)
    np.testing.assert_array_equal(view.state.report.load, fresh.each_round.load(2))


def test_a_pinned_item_has_its_utilisation_in_each_round(view):
    link = int(view.timeline.each_round.links(0)[0])
    view.session.watcher.pin(Item("link", link))
    rows = view.state.time.watched[0].rows
    loads = [view.timeline.each_round.load(step)[link] for step in range(len(view.timeline.steps))]
    np.testing.assert_allclose(rows.sent[:, 0], loads)
    assert len(view.plot.chart.content.bands[0].names) == 3


def test_the_bottleneck_panel_names_figures_unknown_for_a_round(view):
    panel, session = BottleneckPanel(view.session), view.session
    session.timekeeper.go_to(0)
    session.select(Item("link", int(view.timeline.each_round.links(0)[0])))
    panel.refresh(ChangeSet.ALL)
    assert panel.causes.note.text() == OF_A_ROUND
    assert session.state.explanation is None
    asked = next(step for step, played in enumerate(view.timeline.steps) if not played.messages)
    session.timekeeper.go_to(asked)
    panel.refresh(ChangeSet.ALL)
    assert panel.idle.text() == IDLE_ROUND


def test_too_many_messages_have_the_phase_as_step(session_of, shown, monkeypatch):
    monkeypatch.setattr(core.timing.rounds, "MAX_HOPS", 10)
    view = shown(TimelineView(session_of(ROUNDS)), 620, 220)
    rounds = view.timeline.rounds.rounds
    assert view.subtitle().startswith(f"1 step of {rounds} rounds (too many messages to show each round) · ")
    view.session.timekeeper.go_to(3)
    assert view.state.time.step == 0
    assert view.state.moment.rounds is None


def test_rows_are_written_round_by_round(view, tmp_path):
    write_steps(tmp_path / "rounds.csv", view.timeline)
    rows = list(csv.DictReader((tmp_path / "rounds.csv").read_text().splitlines()))
    assert [int(row["messages"]) for row in rows] == [step.messages for step in view.timeline.steps]
