"""The order of refreshes: while loads follow the pointer, the edited view first and the others one per frame."""

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from app.model.changes import ChangeSet
from app.model.computation import Computation, Kind
from app.model.priority import Priority
from app.session.evaluation import evaluate_remapped
from app.session.session import Session
from app.widgets.session_widget import MAX_DEFERRED_FRAMES, RefreshScheduler, SessionWidget
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Sequential
from core.mapping.edit import edit_moving, occupants
from core.network import Torus
from core.routing import DimensionOrder
from tests.app.sessions import session_on

SMALL = Scenario(Torus(dims=(4, 4)), Halo(rows=3, cols=4), Sequential(), DimensionOrder())


class Immediate(SessionWidget):
    refresh_priority = Priority.POINTER

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.received: list[ChangeSet] = []

    def refresh(self, changes: ChangeSet) -> None:
        self.received.append(changes)


class Deferred(Immediate):
    refresh_priority = Priority.CHARTS


@pytest.fixture
def session_and_widgets(qtbot):
    session = session_on(SMALL, sync=True)
    frame = QWidget()
    widgets = Immediate(session, frame), Deferred(session, frame), Deferred(session, frame)
    qtbot.addWidget(frame)
    frame.show()
    for widget in widgets:
        widget.received.clear()
    yield session, *widgets
    session.close()
    qtbot.waitUntil(lambda: not frames(RefreshScheduler.of(session)).isActive())


def frames(scheduler):
    """The timer that ticks once per frame; the other one fires once."""
    return next(timer for timer in scheduler.findChildren(QTimer) if not timer.isSingleShot())


def pass_frame(scheduler):
    frames(scheduler).timeout.emit()


def pass_slice(scheduler):
    next(timer for timer in scheduler.findChildren(QTimer) if timer.isSingleShot()).timeout.emit()


def move(session, slot):
    case = session.state.evaluation.case
    session.editing.append_edit(edit_moving(case.mapping, [0], [slot], occupants(case.mapping, case.network.slots)))


def loads(widget):
    return sum(ChangeSet.LOADS in changes for changes in widget.received)


def test_deferred_widgets_follow_one_by_one_in_a_gesture(session_and_widgets):
    session, immediate, *deferred = session_and_widgets
    scheduler = RefreshScheduler.of(session)
    session.editing.begin("Drag")
    move(session, 13)
    assert loads(immediate) == 1
    assert [loads(widget) for widget in deferred] == [0, 0]
    seen = []
    while loads(deferred[1]) == 0 and len(seen) < 100:
        pass_frame(scheduler)
        seen.append([loads(widget) for widget in deferred])
    assert [1, 0] in seen
    assert seen[-1] == [1, 1]
    session.editing.commit()


def test_waiting_widget_ignores_other_changes(session_and_widgets, qtbot):
    session, _, first, second = session_and_widgets
    session.editing.begin("Drag")
    move(session, 13)
    session.set_brush(4)
    assert [loads(widget) for widget in (first, second)] == [0, 0]
    qtbot.waitUntil(lambda: loads(first) == loads(second) == 1)
    assert ChangeSet.TOOL in first.received[-1]


def test_many_changes_are_delivered_as_one(session_and_widgets, qtbot):
    session, immediate, first, _ = session_and_widgets
    session.editing.begin("Drag")
    for slot in (13, 14, 15):
        move(session, slot)
    assert loads(immediate) == 3
    qtbot.waitUntil(lambda: loads(first) == 1)
    qtbot.wait(100)
    assert loads(first) == 1


def test_changes_in_every_frame_starve_no_widget(session_and_widgets):
    session, _, first, second = session_and_widgets
    scheduler = RefreshScheduler.of(session)
    session.editing.begin("Drag")
    for frame in range(2 * (2 * MAX_DEFERRED_FRAMES + 1)):
        move(session, 12 + frame % 4)
        pass_frame(scheduler)
    assert min(loads(first), loads(second)) >= 1


def test_widgets_that_waited_long_enough_take_a_pointer_frame(session_and_widgets):
    session, _, first, _ = session_and_widgets
    scheduler = RefreshScheduler.of(session)
    session.editing.begin("Drag")
    for frame in range(MAX_DEFERRED_FRAMES):
        move(session, 12 + frame)
        assert not scheduler.take_frame()
        pass_frame(scheduler)
    assert loads(first) == 0
    assert scheduler.take_frame()
    assert loads(first) == 1
    assert not scheduler.take_frame()


def test_small_machine_is_shown_immediately_without_a_gesture(session_and_widgets):
    session, immediate, first, second = session_and_widgets
    session.choose("job", Halo(rows=2, cols=4))
    assert [loads(widget) for widget in (immediate, first, second)] == [1, 1, 1]


def test_hidden_widgets_catch_up_when_shown(session_and_widgets, qtbot):
    session, _, first, _ = session_and_widgets
    first.hide()
    session.editing.begin("Drag")
    move(session, 13)
    session.editing.commit()
    qtbot.wait(100)
    assert loads(first) == 0
    first.show()
    assert loads(first) == 1


def find(session, slot):
    """Show a possible result of a search: the first task on another slot."""
    evaluation = session.state.evaluation
    edit = edit_moving(
        evaluation.case.mapping, [0], [slot], occupants(evaluation.case.mapping, evaluation.case.network.slots)
    )
    result = evaluate_remapped(evaluation, edit.applied(evaluation.case.mapping).slots, lambda fraction: None)
    session.editing.show_evaluated(edit, result, "Optimise: better")


def test_search_results_are_painted_once_all_widgets_have_them(session_and_widgets, monkeypatch):
    session, *widgets = session_and_widgets
    scheduler, holds = RefreshScheduler.of(session), []
    monkeypatch.setattr(session.optimiser, "set_paused", holds.append)
    session.editing.begin("Optimise", lambda kept: None)
    widgets[1].last_refresh_s = widgets[2].last_refresh_s = 1.0  # each needs a separate slice
    for widget in widgets:
        widget.received.clear()
    find(session, 13)
    session.hover(None)
    session.set_brush(8)
    for refreshed in range(3):
        assert [loads(widget) for widget in widgets] == [1] * refreshed + [0] * (3 - refreshed)
        assert not any(widget.updatesEnabled() for widget in widgets)
        assert False not in holds
        pass_slice(scheduler)
    assert [loads(widget) for widget in widgets] == [1, 1, 1]
    assert all(widget.updatesEnabled() for widget in widgets)
    assert holds[-1] is False
    # Changes that came meanwhile were delivered together.
    assert all(len(widget.received) == 1 and ChangeSet.TOOL in widget.received[0] for widget in widgets)
    session.editing.cancel()


def test_widget_hidden_meanwhile_does_not_delay_others(session_and_widgets, qtbot):
    session, first, second, third = session_and_widgets
    session.editing.begin("Optimise", lambda kept: None)
    find(session, 13)
    second.hide()
    qtbot.waitUntil(third.updatesEnabled)
    assert [loads(widget) for widget in (first, second, third)] == [1, 0, 1]
    second.show()
    assert loads(second) == 1
    assert second.updatesEnabled()
    session.editing.cancel()


def test_progress_of_a_computation_refreshes_nothing(session_and_widgets):
    session, *widgets = session_and_widgets
    loads = Computation(Kind.EVALUATION, "Computing: Torus")
    session.show_computation(loads)
    assert widgets[0].received == [ChangeSet.STATUS]
    session.show_computation(loads._replace(fraction=0.5))
    assert widgets[0].received == [ChangeSet.STATUS]
