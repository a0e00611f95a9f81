"""Paint events end their painter and report an error once."""

import ast
from pathlib import Path

import pytest
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.widgets.painting import painter_on

ROOT = Path(__file__).parents[3]


class Failing(QWidget):
    def __init__(self):
        super().__init__()
        self.fails, self.painter = True, None

    def paintEvent(self, event):
        with painter_on(self) as self.painter:
            if self.fails:
                raise IndexError


@pytest.fixture
def errors(monkeypatch):
    caught = []
    monkeypatch.setattr("sys.excepthook", lambda kind, error, trace: caught.append(kind))
    return caught


def test_a_failing_paint_event_ends_its_painter_and_is_reported_once(qtbot, errors):
    widget = Failing()
    qtbot.addWidget(widget)
    for _ in range(3):
        widget.grab()
        assert not widget.painter.isActive()
    assert errors == [IndexError]


def test_it_is_reported_again_after_it_was_painted(qtbot, errors):
    widget = Failing()
    qtbot.addWidget(widget)
    for fails in (True, False, True):
        widget.fails = fails
        widget.grab()
    assert errors == [IndexError] * 2


def paint_events():
    for path in sorted((ROOT / "app").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name == "paintEvent":
                yield pytest.param(node, id=str(path.relative_to(ROOT)))


@pytest.mark.parametrize("node", [*paint_events()])
def test_every_paint_event_reports_its_errors_once(node):
    guarded = {"painter_on", "painting", "reported_once"}
    calls = [call for call in ast.walk(node) if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)]
    assert guarded & {call.func.id for call in calls}
    made = [call for call in calls if call.func.id in ("QPainter", "QStylePainter")]
    inside = [
        item.context_expr for statement in ast.walk(node) if isinstance(statement, ast.With) for item in statement.items
    ]
    assert all(any(call in ast.walk(expression) for expression in inside) for call in made)


def test_a_painter_in_a_paint_event_starts_without_antialiasing_unless_asked(qtbot, errors):
    hints = []

    class Smooth(QWidget):
        def paintEvent(self, event):
            for smooth in (False, True):
                with painter_on(self, smooth=smooth) as painter:
                    hints.append(painter.testRenderHint(QPainter.RenderHint.Antialiasing))

    widget = Smooth()
    qtbot.addWidget(widget)
    widget.grab()
    assert hints[:2] == [False, True]
