"""Folded notes: the first two, and the others behind a link."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.widgets.folded_notes import FoldedNotes


@pytest.fixture
def notes(qtbot):
    widget = FoldedNotes("network")
    qtbot.addWidget(widget)
    widget.show()
    return widget


def test_a_few_notes_are_all_shown(notes):
    for shown in (("a",), ("a", "b")):
        notes.show_notes(shown)
        assert notes.text() == "\n".join(shown)
        assert notes.isVisible()
        assert not notes.more.isVisible()
    notes.show_notes(())
    assert notes.isHidden()


def test_the_link_unfolds_and_folds_the_others(notes):
    assert notes.more.accessibleName() == "More notes on the network"
    notes.show_notes(("a", "b", "c", "d"))
    assert (notes.text(), notes.more.text()) == ("a\nb", "More notes (2)")
    QTest.mouseClick(notes.more, Qt.MouseButton.LeftButton)
    assert (notes.text(), notes.more.text()) == ("a\nb\nc\nd", "Fewer notes")
    assert notes.more.accessibleName() == "Fewer notes on the network"
    QTest.mouseClick(notes.more, Qt.MouseButton.LeftButton)
    assert notes.text() == "a\nb"


def test_notes_stay_unfolded_until_they_change(notes):
    notes.show_notes(("a", "b", "c"))
    notes.more.click()
    notes.show_notes(["a", "b", "c"])
    assert notes.text() == "a\nb\nc"
    notes.show_notes(("a", "b", "x"))
    assert notes.text() == "a\nb"
