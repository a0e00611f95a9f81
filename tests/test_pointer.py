"""The pointer of the interaction tests."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from vispy.scene import SceneCanvas

from tests.pointer import drag

SHIFT = Qt.KeyboardModifier.ShiftModifier


class Listener(QWidget):
    def __init__(self):
        super().__init__()
        self.events = []

    def event(self, event):
        if event.type() in (
            QEvent.Type.MouseButtonPress,
            QEvent.Type.MouseMove,
            QEvent.Type.MouseButtonRelease,
        ):
            self.events.append((event.position().toPoint(), event.buttons(), event.modifiers()))
            return True
        return super().event(event)


@pytest.mark.parametrize("button", [Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton])
def test_drag_holds_its_button_and_keys_until_the_release(qtbot, button):
    widget = Listener()
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    drag(widget, QPoint(10, 20), QPoint(50, 60), steps=4, button=button, modifiers=SHIFT)
    places = [(10, 20), (20, 30), (30, 40), (40, 50), (50, 60), (50, 60)]
    assert [where.toTuple() for where, _, _ in widget.events] == places
    assert [held for _, held, _ in widget.events] == [button] * 5 + [Qt.MouseButton.NoButton]
    assert {keys for _, _, keys in widget.events} == {SHIFT}


@pytest.mark.parametrize("times", [1, 2])
def test_a_button_held_by_a_test_is_released_before_the_next(qtbot, times):
    widget = Listener()
    qtbot.addWidget(widget)
    QTest.mousePress(widget, Qt.MouseButton.MiddleButton)
    QTest.mouseRelease(widget, Qt.MouseButton.MiddleButton)
    assert widget.events[0][1] == Qt.MouseButton.MiddleButton
    QTest.mousePress(widget, Qt.MouseButton.LeftButton)


def test_vispy_sees_every_move_of_a_drag(qtbot):
    canvas = SceneCanvas(size=(200, 100), show=True)
    qtbot.addWidget(canvas.native)
    seen = []
    canvas.events.mouse_move.connect(lambda event: seen.append((tuple(event.pos), event.button)))
    drag(canvas.native, QPoint(10, 20), QPoint(50, 60), steps=4)
    assert seen == [((20, 30), 1), ((30, 40), 1), ((40, 50), 1), ((50, 60), 1)]
