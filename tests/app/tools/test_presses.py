"""No press is ignored: each does something, or a tip at the pointer says why not."""

import threading

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from app.model.changes import ChangeSet
from app.session.editing import CHOOSING, MOVING
from app.session.evaluation import evaluate_for_editing
from app.session.session import Session
from app.tools.drag import DragTool
from app.tools.paint import PaintTool
from app.tools.select import SelectTool
from app.tools.swap import SwapTool
from app.tools.toolbox import DRAWING, Toolbox
from app.views.heatmaps.task_grid import JobGridView
from core.mapping import Random
from core.mapping.targets import Target
from tests import patience
from tests.app.tools.grid_driver import SMALL, GridDriver
from tests.pointer import move, press, release

TOOLS = ("paint", "drag", "swap")


class Answers:
    """Delivers the session's answers one by one."""

    def __init__(self, monkeypatch):
        self.go = threading.Semaphore(0)
        monkeypatch.setattr("app.session.evaluator.evaluate_for_editing", self.evaluate_for_editing)

    def evaluate_for_editing(self, scenario, before, progress):
        assert self.go.acquire(timeout=patience.SECONDS)
        return evaluate_for_editing(scenario, before, progress)


@pytest.fixture
def answers(monkeypatch):
    return Answers(monkeypatch)


@pytest.fixture
def busy(qtbot, answers):
    """A part of the window that delivers answers after the first on request."""
    session = Session.of(SMALL)
    view = JobGridView(session)
    qtbot.addWidget(view)
    tools = (SelectTool(session, view), PaintTool(session, view), DragTool(session), SwapTool(session))
    view.toolbox = Toolbox(session, tools, (view,), view)
    view.resize(760, 460)
    view.show()
    yield view
    for _ in range(5):
        answers.go.release()
    session.close()


@pytest.mark.parametrize("tool", TOOLS)
def test_press_during_a_pending_move_has_a_hint_and_the_move_completes(busy, answers, tool, qtbot, monkeypatch):
    session = busy.session
    monkeypatch.setattr("app.session.editing.MAX_UPDATES", 0)
    monkeypatch.setattr("app.session.editing.Editing._follow", lambda self, gesture: None)
    session.set_target(Target(0, 3))
    start, end = (busy.heat.cell_rect(2, col).center().toPoint() for col in (2, 12))
    session.set_tool("paint")
    press(busy.event_widget, start)
    release(busy.event_widget, end)
    assert session.evaluator.moving
    session.set_tool(tool)
    press(busy.event_widget, start)
    release(busy.event_widget, end)
    assert session.state.edit.hint == MOVING
    assert session.evaluator.moving
    answers.go.release()
    qtbot.waitUntil(lambda: session.state.history.undo_name == "Paint 11 tasks onto supernode 3")
    assert not session.state.edit.hint


@pytest.mark.parametrize("tool", TOOLS)
def test_press_during_a_pending_choice_has_a_hint_and_the_choice_completes(busy, answers, tool, qtbot):
    session = busy.session
    session.set_target(Target(0, 3))
    session.set_tool(tool)
    before = session.state.evaluation.case.mapping
    session.choose("mapping", Random(seed=8))
    start, end = (busy.heat.cell_rect(2, col).center().toPoint() for col in (2, 12))
    press(busy.event_widget, start)
    move(busy.event_widget, start, end)
    qtbot.waitUntil(lambda: not busy.toolbox.waiting)
    release(busy.event_widget, end)
    assert session.state.edit.hint == CHOOSING
    assert session.evaluator.choosing
    answers.go.release()
    qtbot.waitUntil(lambda: session.state.evaluation.case.mapping is not before)
    assert session.state.evaluation.case.scenario.mapping == Random(seed=8)
    assert not session.state.edit.hint
    press(busy.event_widget, start)
    release(busy.event_widget, start)
    assert not session.state.edit.hint
    session.editing.cancel()


@pytest.mark.parametrize("tool", [DragTool, SwapTool], ids=lambda tool: tool.name)
def test_press_outside_tasks_of_the_grid_shows_a_hint(qtbot, tool):
    driver = GridDriver(qtbot, tool.name)
    session, event_widget = driver.session, driver.view.event_widget
    corner = event_widget.rect().bottomRight() - QPoint(2, 2)
    assert driver.view.hit_at(QPointF(corner)).task is None
    press(event_widget, corner)
    release(event_widget, corner)
    assert session.state.edit.hint == tool.wants
    assert "task" in tool.wants
    press(event_widget, driver.at(2, 2))
    assert not session.state.edit.hint
    driver.toolbox.cancel()
    session.close()


@pytest.mark.parametrize("tool", ["select", *TOOLS])
def test_press_in_an_outdated_view_has_a_hint(busy, answers, tool, qtbot, monkeypatch):
    session = busy.session
    monkeypatch.setattr("app.widgets.session_widget.LARGE_NETWORK", 0)
    session.set_tool(tool)
    session.changed.emit(ChangeSet.ALL)
    assert busy.behind
    press(busy.event_widget, busy.event_widget.rect().center())
    release(busy.event_widget, busy.event_widget.rect().center())
    assert session.state.edit.hint == DRAWING
    qtbot.waitUntil(lambda: not busy.behind)
    press(busy.event_widget, busy.heat.cell_rect(2, 2).center().toPoint())
    assert not session.state.edit.hint
    busy.toolbox.cancel()


@pytest.mark.parametrize("tool", ["paint", "drag"])
def test_stroke_can_begin_with_the_second_press_of_a_double_click(qtbot, tool):
    driver = GridDriver(qtbot, tool)
    driver.session.set_target(Target(0, 3))
    driver.click(2, 2)
    steps = len(driver.session.state.history.steps)
    at = QPointF(driver.at(2, 2))
    kind, left = QEvent.Type.MouseButtonDblClick, Qt.MouseButton.LeftButton
    second = QMouseEvent(
        kind, at, QPointF(driver.view.event_widget.mapToGlobal(at)), left, left, Qt.KeyboardModifier(0)
    )
    QApplication.sendEvent(driver.view.event_widget, second)
    driver.move((2, 2), (12, 30))
    driver.release(12, 30)
    driver.session.close()
    assert len(driver.session.state.history.steps) == steps + 1
