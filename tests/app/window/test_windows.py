"""Every other window: Escape closes it, and the commands for windows reach it."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.actions.save_questions import Button, ask_replace, ask_unsaved
from app.actions.table import IN_WINDOWS
from app.storage.tours import tour_names
from tests.app.actions.file_desk import answer

APP = Path(__file__).parents[3] / "app"
OPENERS = {
    "HelpWindow": lambda window: window.open("reference"),
    "ShortcutsWindow": lambda window: window.open("shortcuts"),
    "AboutWindow": lambda window: window.open("about"),
    "NetworkTableWindow": lambda window: window.open("network-table"),
    "StudiesWindow": lambda window: window.open("studies"),
    "NetworkChooser": lambda window: window.open("networks"),
    "Palette": lambda window: window.open("palette"),
    "NamePrompt": lambda window: window.open("snapshot"),
    "TourEditor": lambda window: (window.tours.open_shipped(tour_names()[0]), window.touring.panel.edit_asked.emit(0)),
}
"""How each class of windows is opened."""
POPUPS = {"NetworkChooser", "Palette", "NamePrompt"}
"""Windows with one field that take all keys."""
OTHERS = {"SessionWindow", "Popup", "Stage"}
"""Bases, and the stage, which has the keys of a presentation."""


def top_levels():
    """The names of all classes whose widgets are windows of their own, from their sources."""
    bases = r"\((?:SessionWindow|Popup|QDialog)\b"
    names = set()
    for path in APP.rglob("*.py"):
        parts = re.split(r"^class (?=\w+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
        for part in parts:
            if re.match(rf"\w+{bases}", part) or "Qt.WindowType.Window)" in part:
                names.add(re.match(r"\w+", part)[0])
    return names


def opened(window, name, qtbot):
    OPENERS[name](window)
    shown = next(w for w in QApplication.topLevelWidgets() if type(w).__name__ == name and w.isVisible())
    shown.activateWindow()
    qtbot.waitUntil(lambda: shown.isActiveWindow() or name in POPUPS)
    return shown


def test_all_windows_are_tested():
    assert top_levels() == OPENERS.keys() | OTHERS


@pytest.mark.parametrize("name", OPENERS)
def test_escape_closes_it(lent, qtbot, name):
    shown = opened(lent, name, qtbot)
    QTest.keyClick(QApplication.focusWidget() or shown, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not any(type(w).__name__ == name and w.isVisible() for w in QApplication.topLevelWidgets()))
    assert lent.isVisible()


@pytest.mark.parametrize("name", sorted(OPENERS.keys() - POPUPS))
def test_commands_for_windows_reach_it(lent, qtbot, monkeypatch, name):
    presented = []
    monkeypatch.setattr(lent, "present", lambda **how: presented.append(how))
    shown = opened(lent, name, qtbot)
    assert {lent.commands[command] for command in IN_WINDOWS} <= set(shown.actions())
    QTest.keyClick(shown, Qt.Key.Key_F11)
    assert presented == [{"full": True}]
    QTest.keyClick(shown, Qt.Key.Key_D, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    studies = lent.findChild(type(opened(lent, "StudiesWindow", qtbot)))
    assert studies.isVisible()
    studies.close()
    shown.close()


def test_escape_hides_a_running_study_and_closing_stops_it(lent, qtbot, monkeypatch):
    studies = opened(lent, "StudiesWindow", qtbot)
    stopped = []
    monkeypatch.setattr(studies.run, "busy", True)
    monkeypatch.setattr(studies.run, "stop", lambda: stopped.append(True))
    QTest.keyClick(studies, Qt.Key.Key_Escape)
    assert not studies.isVisible()
    assert not stopped
    lent.open("studies")
    assert studies.isVisible()
    studies.close()
    assert stopped


def test_escape_keeps_words_typed_in_the_tour_editor(lent, qtbot):
    editor = opened(lent, "TourEditor", qtbot)
    tour = lent.session.state.tour.tour
    for field, text in ((editor.title, "Another title"), (editor.fields.text, "Other words")):
        field.setFocus()
        QTest.keyClick(field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(field, text)
    QTest.keyClick(editor, Qt.Key.Key_Escape)
    assert not editor.isVisible()
    changed = lent.session.state.tour.tour
    assert (changed.title, changed.scenes[0].text) == ("Another title", "Other words")
    assert tour.title != changed.title


def test_escape_cancels_questions(lent):
    answer("")
    assert ask_unsaved(lent, "Save the changes?") == Button.Cancel
    answer("")
    assert not ask_replace(lent, "a.json")


def test_every_button_of_a_question_has_a_mnemonic_of_its_own(lent):
    boxes = []
    for ask in (lambda: ask_unsaved(lent, "Save?"), lambda: ask_replace(lent, "a.json")):
        answer("", boxes)
        ask()
    keys = [{button.shortcut().toString() for button in box.buttons()} for box in boxes]
    assert keys == [{"Alt+S", "Alt+D", "Alt+C"}, {"Alt+Y", "Alt+N"}]
