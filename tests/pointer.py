"""A pointer that tests can press, move and release on a widget; pytest-qt can only click."""

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.patience import wait

LEFT = Qt.MouseButton.LeftButton
NO_KEYS = Qt.KeyboardModifier.NoModifier
PAUSE_MS = 12  # vispy drops moves less than 10 ms after the previous one


def press(widget: QWidget, at: QPoint, button=LEFT, modifiers=NO_KEYS) -> None:
    QTest.mousePress(widget, button, modifiers, at)


def move(widget: QWidget, start: QPoint, end: QPoint, steps=2, button=LEFT, modifiers=NO_KEYS) -> None:
    """Move from start to end with the button held; ``Qt.MouseButton.NoButton`` hovers."""
    for step in range(1, steps + 1):
        at = QPointF(start) + QPointF(end - start) * (step / steps)
        no_button = Qt.MouseButton.NoButton
        event = QMouseEvent(QEvent.Type.MouseMove, at, QPointF(widget.mapToGlobal(at)), no_button, button, modifiers)
        QApplication.sendEvent(widget, event)
        wait(PAUSE_MS)


def release(widget: QWidget, at: QPoint, button=LEFT, modifiers=NO_KEYS) -> None:
    QTest.mouseRelease(widget, button, modifiers, at)


def drag(widget: QWidget, start: QPoint, end: QPoint, steps=2, button=LEFT, modifiers=NO_KEYS) -> None:
    """Press at start, move to end, release there; positions are relative to the widget.

    The receiver is the ``viewport()`` of a scene's view or scroll area, the ``native`` of a vispy canvas.
    """
    press(widget, start, button, modifiers)
    move(widget, start, end, steps, button, modifiers)
    release(widget, end, button, modifiers)


def across(widget: QWidget, goal: QWidget, end: QPoint) -> QPoint:
    """The position of a point of another widget relative to `widget`, which has grabbed the pointer."""
    return widget.mapFromGlobal(goal.mapToGlobal(end))


def let_go(widget: QWidget, at: QPoint, button=LEFT, modifiers=NO_KEYS) -> None:
    """Release the button anywhere, also outside of the widget that has grabbed the pointer."""
    none, place = Qt.MouseButton.NoButton, QPointF(widget.mapToGlobal(at))
    event = QMouseEvent(QEvent.Type.MouseButtonRelease, QPointF(at), place, button, none, modifiers)
    QApplication.sendEvent(widget, event)


def carry(widget: QWidget, start: QPoint, goal: QWidget, end: QPoint, steps=2, modifiers=NO_KEYS) -> None:
    """Press on one widget, move to a point of another, release there."""
    press(widget, start, modifiers=modifiers)
    move(widget, start, across(widget, goal, end), steps, modifiers=modifiers)
    let_go(widget, across(widget, goal, end), modifiers=modifiers)
