"""Long texts wrap in their field, and are edited as in a line."""

from typing import Annotated

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.widgets.editors import MAX_TIP, FileEditor, LongTextEditor, editor_for
from app.widgets.forms import Form
from app.widgets.wrapped_field import MAX_LINES
from core.spec import Spec, declare, fields_of

NODES = "n[" + ",".join(f"{node:03}" for node in range(0, 60, 2)) + "]"


class Sample(Spec, frozen=True, tag="sample"):
    nodes: Annotated[str, declare("Nodes", "by name", max_length=1 << 20)] = ""
    file: Annotated[str | None, declare("File", "a trace", is_file=True)] = None
    note: Annotated[str, declare("Note", "text", max_length=5)] = "a"


FIELDS = {field.name: field for field in fields_of(Sample)}


@pytest.fixture
def editor(show):
    editor = editor_for(FIELDS["nodes"])
    assert isinstance(editor, LongTextEditor)
    editor.received = []
    editor.edited.connect(lambda value, final: editor.received.append(value))
    editor.committed.connect(lambda: editor.received.append("committed"))
    show(editor, 220, 40)
    editor.line.setFocus()
    return editor


def lines(editor):
    return editor.line.viewport().height() // editor.line.fontMetrics().lineSpacing()


def test_the_field_grows_with_its_text_and_then_scrolls(editor):
    heights = []
    for text, expected in (("", 1), ("n001", 1), (NODES[:50], 2), (NODES * 9, MAX_LINES), ("n001", 1)):
        editor.show_value(text)
        QApplication.processEvents()
        assert lines(editor) == expected
        assert editor.line.verticalScrollBar().isVisible() is (text == NODES * 9)
        heights.append(editor.line.height())
    assert heights[0] == heights[1] == heights[-1] < heights[2] < heights[3]
    assert not editor.received


def test_enter_commits_and_typed_text_is_kept(editor):
    QTest.keyClicks(editor.line, "n1,n2")
    QTest.keyClick(editor.line, Qt.Key.Key_Return)
    assert editor.received[-2:] == ["n1,n2", "committed"]
    assert editor.line.toPlainText() == "n1,n2"


def test_lines_separate_entries(editor):
    QTest.keyClicks(editor.line, "n1,")
    QTest.keyClick(editor.line, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(editor.line, "n2")
    assert editor.received[-1] == "n1,n2"
    editor.show_value("n1,n2")
    assert editor.line.toPlainText() == "n1,\nn2"  # as typed
    editor.line.selectAll()
    pasted = QMimeData()
    pasted.setText("n1\nn2\r\n\r\n n3 \n")
    editor.line.insertFromMimeData(pasted)
    assert editor.received[-1] == "n1,n2,n3"


def test_undo_is_the_field_s_only_while_typing(editor):
    QTest.keyClicks(editor.line, "n1")
    assert editor.line.document().isUndoAvailable()
    QTest.keyClick(editor.line, Qt.Key.Key_Return)
    assert not editor.line.document().isUndoAvailable()


def test_the_tool_tip_has_the_text(editor):
    editor.show_value(NODES)
    assert NODES in editor.line.toolTip()
    editor.show_value("n1," * MAX_TIP)
    assert len(editor.line.toolTip()) < MAX_TIP + 100


def test_lists_and_paths_have_the_width_of_the_form_below_their_labels(show):
    form = Form(Sample)
    show(form, 300, 300)
    form.show_spec(Sample(nodes=NODES))
    QApplication.processEvents()
    for name in ("nodes", "file"):
        editor = form.editors[name]
        assert isinstance(editor, LongTextEditor | FileEditor)
        assert editor.width() == form.width()
        assert editor.mapTo(form, QPoint()).x() == 0
    assert form.editors["note"].width() < 0.6 * form.width()


def test_esc_in_a_red_field_reverts(show):
    form = Form(Sample)
    show(form, 300, 300)
    form.show_spec(Sample(nodes="n1"))
    reverted = []
    form.reverted.connect(lambda: reverted.append(True))
    line = form.editors["nodes"].line
    QTest.keyClicks(line, "x")
    form.show_message("nodes", "xn1 is no node")
    QTest.keyClick(line, Qt.Key.Key_Escape)
    assert reverted
    form.show_spec(Sample(nodes="n1"))
    assert line.toPlainText() == "n1"
