"""The field for a name: Enter accepts, Esc cancels, a refusal keeps it open and says why."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.widgets.popup import HINT, NamePrompt
from core.spec import SpecError


@pytest.fixture
def prompt(qtbot):
    taken = []

    def take(name):
        if name == "taken":
            raise SpecError("snapshots[1].name", "'taken' is taken; give each snapshot a different name")
        taken.append(name)

    prompt = NamePrompt(None, "Name of the <b>snapshot</b>", "snapshot 1", take)
    prompt.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)  # tests use it afterwards
    prompt.popup()
    prompt.taken = taken
    yield prompt
    prompt.close()


def test_enter_accepts_the_text(prompt):
    QTest.keyClick(prompt.field, Qt.Key.Key_Return)
    assert prompt.taken == ["snapshot 1"]
    assert not prompt.isVisible()


def test_typing_replaces_the_suggested_name(prompt):
    QTest.keyClicks(prompt.field, "best & first")
    QTest.keyClick(prompt.field, Qt.Key.Key_Enter)
    assert prompt.taken == ["best & first"]


def test_escape_cancels(prompt):
    QTest.keyClick(prompt.field, Qt.Key.Key_Escape)
    assert prompt.taken == []
    assert not prompt.isVisible()


def test_error_is_shown_until_the_text_changes(prompt):
    QTest.keyClicks(prompt.field, "taken")
    QTest.keyClick(prompt.field, Qt.Key.Key_Return)
    assert prompt.isVisible()
    assert prompt.message.text().startswith("'taken' is taken")
    assert prompt.message.property("role") == "error"
    QTest.keyClicks(prompt.field, "2")
    assert (prompt.message.text(), prompt.message.property("role")) == (HINT, "dim")
    QTest.keyClick(prompt.field, Qt.Key.Key_Return)
    assert prompt.taken == ["taken2"]
