"""Undo goes to the window from every field whose editing is finished."""

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtGui import QAction, QDragEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QSpinBox

from app.widgets.combo_box import CountBox
from app.widgets.editors import ListEditor
from app.widgets.line_edit import LineEdit
from app.widgets.number_box import NumberBox
from core.network.families.circulant import Circulant
from core.network.families.torus import Torus
from core.spec import fields_of

CONTROL = Qt.KeyboardModifier.ControlModifier


def field_of(spec, name):
    return next(field for field in fields_of(spec) if field.name == name)


def spin_box():
    box = QSpinBox()
    box.setLineEdit(LineEdit())
    return box, box


def number_box():
    box = NumberBox(field_of(Circulant, "nodes"))
    return box, box


def list_editor():
    editor = ListEditor(field_of(Torus, "dims"))
    return editor, editor.line


def count_box():
    box = CountBox(4, (2, 4, 8), (1, 100), "Nodes", "")
    return box, box


@pytest.fixture
def undone(qtbot):
    """A window and how often its undo action was triggered."""
    window, calls = QMainWindow(), []
    action = QAction("Undo", window, shortcut="Ctrl+Z")
    action.triggered.connect(lambda: calls.append(True))
    window.addAction(action)
    qtbot.addWidget(window)
    return window, calls


@pytest.mark.parametrize("made", [spin_box, number_box, list_editor, count_box])
def test_undo_is_the_field_s_while_typing_and_the_window_s_afterwards(undone, qtbot, made):
    window, calls = undone
    widget, field = made()
    window.setCentralWidget(widget)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    QTest.keyClick(field, Qt.Key.Key_A, CONTROL)
    QTest.keyClicks(field, "16")
    QTest.keyClick(field, Qt.Key.Key_Z, CONTROL)
    assert not calls
    QTest.keyClick(field, Qt.Key.Key_A, CONTROL)
    QTest.keyClicks(field, "32")
    QTest.keyClick(field, Qt.Key.Key_Return)
    QTest.keyClick(field, Qt.Key.Key_Z, CONTROL)
    assert calls
    line = widget.findChild(LineEdit)
    assert line.text() == "32"


def test_cursor_stays_when_editing_finishes(qapp):
    line = LineEdit()
    line.setText("a long name")
    line.setCursorPosition(6)
    QTest.keyClick(line, Qt.Key.Key_Return)
    assert (line.text(), line.cursorPosition()) == ("a long name", 6)
    assert not line.isUndoAvailable()


def test_drops_are_left_to_the_window(qapp):
    line, files = LineEdit(), QMimeData()
    files.setText("text")
    entering = QDragEnterEvent(
        QPoint(2, 2), Qt.DropAction.CopyAction, files, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    assert not line.acceptDrops()
    QApplication.sendEvent(line, entering)
    assert not entering.isAccepted()
