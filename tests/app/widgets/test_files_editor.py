"""A list of files: added in order of name, moved and removed, by buttons and by dragging."""

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog

from app.widgets.files_editor import FilesEditor
from app.widgets.forms import Form
from core.counters.measured import Measured

FILES = ("t1.csv", "t2.csv", "t3.csv")


@pytest.fixture
def edit(show):
    """The editor of the files in between, and the list of its values."""
    form = Form(Measured)
    form.show_spec(Measured(after="end.csv", between=FILES))
    received = []
    form.edited.connect(lambda *entry: received.append(entry))
    show(form, 300, 400)
    return form.editors["between"], received


def click(widget):
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


def test_files_are_listed_in_order(edit):
    editor, received = edit
    assert isinstance(editor, FilesEditor)
    assert [editor.list.item(row).text() for row in range(3)] == ["1  t1.csv", "2  t2.csv", "3  t3.csv"]
    assert received == []


def test_files_are_moved(edit):
    editor, received = edit
    QTest.mouseClick(
        editor.list.viewport(),
        Qt.MouseButton.LeftButton,
        pos=editor.list.visualItemRect(editor.list.item(1)).center(),
    )
    click(editor.up)
    assert received[-1] == ("between", ("t2.csv", "t1.csv", "t3.csv"), True)
    assert not editor.up.isEnabled()
    click(editor.down)
    assert received[-1] == ("between", FILES, True)
    assert editor.list.model().moveRow(QModelIndex(), 0, QModelIndex(), 3)
    assert received[-1] == ("between", ("t2.csv", "t3.csv", "t1.csv"), True)


def test_all_files_can_be_removed_and_others_added(edit, tmp_path, monkeypatch):
    editor, received = edit
    for _ in FILES:
        click(editor.remove)
    assert received[-1] == ("between", (), True)
    assert not editor.list.isVisible()
    assert not any(button.isEnabled() for button in (editor.remove, editor.up, editor.down))
    editor.folder = tmp_path
    chosen = [str(tmp_path / name) for name in ("c10.csv", "c9.csv")]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (chosen, ""))
    click(editor.add)
    assert received[-1] == ("between", ("c9.csv", "c10.csv"), True)
    assert editor.list.isVisible()
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([], ""))
    click(editor.add)
    assert len(received) == len(FILES) + 1
