"""The parts of a sequence: chosen, edited, added, removed and moved, by pointer and keyboard."""

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest

from app.widgets.forms import Form
from app.widgets.parts_editor import PartsEditor
from core.job import Allreduce, AllToAll, Flows, Halo, Pause, Sequence

PARTS = (AllToAll(tasks=64, message_bytes=1e6), Pause(0.5), Allreduce(tasks=64))


@pytest.fixture
def edit(show):
    """The editor of a sequence's parts, and the list of its values."""
    form = Form(Sequence)
    form.show_spec(Sequence(parts=PARTS))
    received = []
    form.edited.connect(lambda *entry: received.append(entry))
    show(form, 300, 600)
    return form.editors["parts"], received


def click(widget):
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def lines(editor):
    return [editor.list.item(row).text() for row in range(editor.list.count())]


def add(editor, title):
    next(action for action in editor.add.menu().actions() if action.text() == title).trigger()


def test_parts_are_listed_and_the_selected_part_has_a_form(edit):
    editor, received = edit
    assert isinstance(editor, PartsEditor)
    assert lines(editor) == ["1  all-to-all, 1,000,000 bytes", "2  pause, 0.5 s", "3  allreduce, 1,000,000 bytes"]
    assert editor.form.spec == PARTS[0]
    QTest.keyClick(editor.list, Qt.Key.Key_Down)
    assert editor.form.spec == PARTS[1]
    assert not editor.form.form.editors["seconds"].isHidden()
    assert received == []


def test_a_part_is_edited_in_its_form(edit):
    editor, received = edit
    editor.list.setCurrentRow(2)
    line = editor.form.form.editors["tasks"].body.lineEdit()
    line.selectAll()
    QTest.keyClicks(line, "32")
    assert received[-1] == ("parts", (*PARTS[:2], Allreduce(tasks=32)), False)
    assert editor.list.item(2).toolTip() == "Allreduce: 32 tasks, 5 steps"
    count = len(received)
    line.selectAll()
    QTest.keyClicks(line, "-")
    assert len(received) == count
    assert "give a whole number" in editor.form.form.messages["tasks"].text()


def test_parts_are_moved_and_removed(edit):
    editor, received = edit
    click(editor.down)
    assert received[-1] == ("parts", (PARTS[1], PARTS[0], PARTS[2]), True)
    click(editor.up)
    assert received[-1] == ("parts", PARTS, True)
    assert not editor.up.isEnabled()
    click(editor.remove)
    click(editor.remove)
    assert received[-1] == ("parts", PARTS[2:], True)
    assert [button.isEnabled() for button in (editor.remove, editor.up, editor.down)] == [False] * 3


def test_dragged_part_moves(edit):
    editor, received = edit
    assert editor.list.model().moveRow(QModelIndex(), 0, QModelIndex(), 3)
    assert received == [("parts", (*PARTS[1:], PARTS[0]), True)]
    assert [line[0] for line in lines(editor)] == ["1", "2", "3"]


def test_a_new_part_has_the_size_of_the_others_and_counts_as_they_do(edit):
    editor, received = edit
    add(editor, Halo.title)
    assert received[-1][1][1] == Halo(8, 8, message_bytes=1e6)
    Sequence(parts=received[-1][1]).build()
    add(editor, Pause.title)
    assert received[-1][1][2] == Pause()
    assert editor.form.spec == Pause()
    titles = {action.text() for action in editor.add.menu().actions()}
    assert {Halo.title, Allreduce.title, Flows.title} <= titles
    assert Sequence.title not in titles


def test_showing_parts_again_keeps_the_selection(edit):
    editor, received = edit
    editor.list.setCurrentRow(2)
    editor.show_value(PARTS)
    assert editor.list.currentRow() == 2
    editor.show_value(PARTS[:2])
    assert (editor.list.currentRow(), editor.form.spec) == (1, PARTS[1])
    assert received == []
