"""Suggested swaps: searched when idle, previewed on hover, applied by a click, undone as one step."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.model.pointing import Item
from app.model.state_groups import SearchPhase
from app.panels.bottleneck.suggested_swaps import ASK, UPDATING, SuggestedSwaps
from app.session import advisor
from app.session.session import Session
from app.wording.swaps import gain_text, suggestions_text, swap_details
from core.job import Halo, Transpose
from core.load import swap_suggestions
from core.load.evaluate import evaluate
from core.load.scenario import Scenario
from core.load.swap_suggestions import suggest_swaps
from core.mapping import Explicit, Random, RowOrColumn, Sequential
from core.mapping.edit import occupants, swapped
from core.mapping.targets import Target
from core.network import Percs, Torus
from core.routing import DimensionOrder, PercsDirect
from core.spec import no_progress
from tests.app.scenarios import HALO
from tests.app.sessions import session_on
from tests.patience import wait

SLOW = Scenario(Percs(32, 4), Transpose(64, 64), RowOrColumn(), PercsDirect())
IDLE_MS = 30
LEFT = Qt.MouseButton.LeftButton


def slots(session):
    return session.state.evaluation.case.mapping.slots.copy()


def swap(session, task, slot):
    case = session.state.evaluation.case
    occupant = occupants(case.mapping, case.network.slots)
    session.editing.apply(swapped(case.mapping, case.mapping.slots[[task]], [slot], occupant), "Swap by hand")


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    """Searches start automatically sooner than a user pauses."""
    monkeypatch.setattr("app.panels.bottleneck.suggested_swaps.IDLE_MS", IDLE_MS)


@pytest.fixture
def section_of(session_of, show):
    def make(scenario, height=260):
        session = session_of(scenario)
        section = SuggestedSwaps(session)
        session.changed.connect(lambda changes: section.show_state(session.state))
        section.show_state(session.state)
        return session, show(section, 300, height)

    return make


@cache
def advised(mapping):
    return suggest_swaps(evaluate(replace(HALO, mapping=mapping).build()))


def suggest_once(report, progress=no_progress):
    """The suggestions for a mapping of the worked example, searched for once for all tests."""
    return replace(advised(report.case.scenario.mapping), report=report)


@pytest.fixture
def mistaken(section_of, qtbot, monkeypatch):
    """The worked example after a disadvantageous swap of two tasks."""
    monkeypatch.setattr(advisor, "suggest_swaps", suggest_once)
    session, section = section_of(HALO)
    swap(session, 5, 3000)
    qtbot.waitUntil(lambda: session.advisor.current is not None)
    return session, section


def visible_rows(section):
    return [row for row in section.rows if row.isVisible()]


def test_swaps_are_searched_automatically_when_idle(mistaken):
    session, section = mistaken
    best = session.advisor.current.best
    assert [row.suggestion for row in visible_rows(section)] == list(best)
    assert gain_text(best[0]) == "+24.0 GB/s"
    assert section.button.isHidden()
    assert not section.note.isVisible()


def test_click_applies_a_swap_as_one_undo_step(mistaken):
    session, section = mistaken
    before, steps, row = slots(session), len(session.state.history.steps), visible_rows(section)[0]
    name, gain = row.suggestion.name, row.suggestion.gain_gbs
    old = session.state.report.throughput_gbs
    QTest.mouseClick(row, LEFT)
    assert session.state.report.throughput_gbs == pytest.approx(old + gain)
    assert len(session.state.history.steps) == steps + 1
    assert session.state.history.undo_name == name
    assert np.count_nonzero(slots(session) != before) == 2
    session.editing.undo()
    np.testing.assert_array_equal(slots(session), before)
    assert session.state.report.throughput_gbs == pytest.approx(old)


def test_next_swaps_are_searched_after_a_swap(mistaken, qtbot):
    session, section = mistaken
    QTest.mouseClick(visible_rows(section)[0], LEFT)
    assert session.advisor.current is None
    assert all(not row.fresh for row in visible_rows(section))
    qtbot.waitUntil(lambda: session.advisor.current is not None)
    assert "64.0 GB/s" in section.note.text()
    assert "These reduce the" in section.note.text()
    assert gain_text(visible_rows(section)[0].suggestion).endswith("links")


def test_outdated_suggestions_are_never_applied(mistaken):
    session, section = mistaken
    row = visible_rows(section)[0]
    stale = row.suggestion
    swap(session, 7, 2000)
    before = slots(session)
    assert section.note.text() == UPDATING
    assert not row.fresh
    QTest.mouseClick(row, LEFT)
    np.testing.assert_array_equal(slots(session), before)
    assert session.advisor.apply(stale) is False
    np.testing.assert_array_equal(slots(session), before)


def test_cancelled_gesture_keeps_suggestions_valid(mistaken):
    session, section = mistaken
    suggestions, case = session.advisor.current, session.state.evaluation.case
    session.editing.begin("Paint")
    session.editing.replace_edit(swapped(case.mapping, [0], [900], occupants(case.mapping, case.network.slots)))
    assert session.advisor.current is None
    assert not visible_rows(section)[0].fresh
    session.advisor.search()
    assert session.state.suggestion_progress is None  # no search while tasks move
    session.editing.cancel()
    assert session.advisor.current is suggestions
    assert visible_rows(section)[0].fresh


def test_pointer_on_a_row_highlights_task_and_destination(mistaken, qtbot):
    session, section = mistaken
    beside = section.note.geometry().topLeft() + QPoint(2, 2)
    for row in (*visible_rows(section)[:2], None):
        # The pointer belongs to the X server, which reports it in its own time.
        QTest.mouseMove(section, beside)
        qtbot.waitUntil(lambda: session.state.hover is None and session.state.edit.drop_target is None)
        if row is not None:
            QTest.mouseMove(row, QPoint(20, 10))
            qtbot.waitUntil(lambda row=row: session.state.hover == Item("task", row.suggestion.task))
            assert session.state.edit.drop_target == Target(2, row.suggestion.node)


def test_keys_select_rows_and_enter_applies_the_swap(mistaken):
    session, section = mistaken
    rows = visible_rows(section)
    rows[0].setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(rows[0], Qt.Key.Key_Down)
    assert rows[1].hasFocus()
    assert session.state.hover == Item("task", rows[1].suggestion.task)
    QTest.keyClick(rows[1], Qt.Key.Key_Up)
    QTest.keyClick(rows[0], Qt.Key.Key_Up)
    assert rows[0].hasFocus()
    name = rows[0].suggestion.name
    QTest.keyClick(rows[0], Qt.Key.Key_Return)
    assert session.state.history.undo_name == name
    assert session.state.report.throughput_gbs == pytest.approx(64)


def test_large_machines_search_on_request(section_of, monkeypatch):
    monkeypatch.setattr(swap_suggestions, "QUICK_LINKS", 63)
    session, section = section_of(Scenario(Torus((4, 4)), Halo(4, 4), Sequential(), DimensionOrder()))
    assert section.button.isVisible()
    assert section.note.text() == ASK
    wait(4 * IDLE_MS)
    assert session.advisor.current is None
    QTest.mouseClick(section.button, LEFT)
    assert session.advisor.current is not None
    assert not section.button.isVisible()


def test_message_says_that_no_swap_helps(section_of, qtbot):
    session, section = section_of(Scenario(Torus((2, 2)), Halo(2, 2), Sequential(), DimensionOrder()))
    qtbot.waitUntil(lambda: session.advisor.current is not None)
    assert session.advisor.current.best == ()
    assert section.note.text() == "No single swap helps."
    assert visible_rows(section) == []


def test_stopped_search_is_not_restarted(show, qtbot):
    session = Session.of(SLOW)
    section = SuggestedSwaps(session)
    session.changed.connect(lambda changes: section.show_state(session.state))
    section.show_state(session.state)
    show(section, 300, 260)
    QTest.mouseClick(section.button, LEFT)
    assert session.state.suggestion_progress == 0
    assert section.button.text() == "Stop"
    assert section.caption.text() == "searching …"
    QTest.mouseClick(section.button, LEFT)
    assert session.state.suggestion_progress is None
    assert section.button.text() == "Find swaps"
    session.wait_idle()
    wait(50)
    assert session.state.suggestions is None
    session.close()


def test_edit_cancels_the_search(show, qtbot):
    session = Session.of(SLOW)
    session.advisor.search()
    assert session.state.suggestion_progress == 0
    swap(session, 0, 2000)
    assert session.state.suggestion_progress is None
    session.wait_idle()
    wait(50)
    assert session.advisor.current is None
    session.close()


@pytest.mark.parametrize("width", [300, 268, 225])
def test_words_are_omitted_before_numbers_are_elided(mistaken, width):
    _, section = mistaken
    section.resize(width, 260)
    for row in visible_rows(section):
        metrics = row.fontMetrics()
        room = row.width() - 3 * 8 - metrics.horizontalAdvance(gain_text(row.suggestion))
        text = row.fitting(metrics, room)
        assert metrics.horizontalAdvance(text) <= room
        assert f"{row.suggestion.task:,}" in text
        assert f"{row.suggestion.partner:,}" in text


def test_swap_that_removes_all_traffic_is_described(qapp):
    apart = Scenario(
        Torus(dims=(2, 2), slots_per_node=2), Halo(rows=1, cols=2), Explicit((0, 2)), DimensionOrder()
    ).build()
    advice = suggest_swaps(evaluate(apart), no_progress)
    best = advice.best[0]
    assert gain_text(best) == "no link in use"
    assert suggestions_text(advice) == ""
    assert swap_details(best, "GB/s per node").endswith("Then no link carries load.")


def test_click_applies_the_best_swaps_as_one_undo_step(section_of, qtbot):
    scenario = Scenario(Torus((4, 4)), Halo(3, 4), Random(seed=14), DimensionOrder())
    session, section = section_of(scenario)
    assert section.apply_all.isHidden()
    qtbot.waitUntil(section.apply_all.isVisible)
    before = slots(session)
    QTest.mouseClick(section.apply_all, LEFT)
    run = session.state.search.runs[-1]
    assert session.state.history.undo_name == f"Apply {run.result.swaps} best swaps"
    assert session.state.report.throughput_gbs == pytest.approx(run.best)
    assert (section.stop.isVisible(), section.discard.isVisible()) == (False, False)
    qtbot.waitUntil(lambda: section.note.text() == "No single swap helps.")
    assert section.apply_all.isHidden()
    session.editing.undo()
    np.testing.assert_array_equal(slots(session), before)


@pytest.mark.parametrize("button", ["stop", "discard"])
def test_stop_and_discard_are_shown_while_best_swaps_are_applied(show, qtbot, button):
    session = session_on(HALO)
    section = SuggestedSwaps(session)
    session.changed.connect(lambda changes: section.show_state(session.state))
    section.show_state(session.state)
    show(section, 300, 260)
    before = slots(session)
    session.optimiser.apply_best_swaps()
    qtbot.waitUntil(lambda: "swap" in section.caption.text())
    assert section.caption.text().endswith("64.0 GB/s")
    assert section.apply_all.isHidden()
    QTest.mouseClick(getattr(section, button), LEFT)
    qtbot.waitUntil(lambda: session.state.search.phase is SearchPhase.NONE)
    changed = int(np.count_nonzero(slots(session) != before))
    assert bool(changed) == (button == "stop")
    assert len(session.state.history.steps) == int(button == "stop")
    session.close()
