"""Counters in the build panel: adding, changing and removing their files, and errors in them."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.panels.build.counters import NO_COUNTERS
from app.panels.build.panel import BuildPanel
from app.style.theme import DARK
from core.counters.measured import Measured
from core.load.link_load import LinkLoad
from core.load.scenario import Scenario
from tests.app.measured import TORUS, measured_scenario
from tests.app.sessions import session_on


@pytest.fixture
def panel_on(qtbot):
    sessions = []

    def made(scenario):
        session = session_on(scenario, theme=DARK, sync=True)
        sessions.append(session)
        panel = BuildPanel(session)
        qtbot.addWidget(panel)
        panel.resize(320, 1600)
        panel.show()
        return panel

    yield made
    for session in sessions:
        session.close()


def typed(panel, name, text):
    editor = panel.counters.form.editors[name].tab_stops[0]
    editor.setFocus()
    editor.selectAll()
    QTest.keyClicks(editor, text)
    QTest.keyClick(editor, Qt.Key.Key_Return)


def test_chosen_files_are_emitted(panel_on, tmp_path, monkeypatch):
    panel, chosen = panel_on(Scenario(**TORUS, folder=tmp_path)), []
    assert panel.counters.hint.text() == NO_COUNTERS
    assert not panel.counters.form.isVisible()
    names = [str(tmp_path / "c.csv"), str(tmp_path / "d.csv")]
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getOpenFileNames", lambda *_: (names, ""))
    panel.counters_chosen.connect(chosen.append)
    QTest.mouseClick(panel.counters.button, Qt.MouseButton.LeftButton)
    assert chosen == [[tmp_path / "c.csv", tmp_path / "d.csv"]]


def test_fields_change_the_scenario(panel_on, tmp_path):
    panel = panel_on(measured_scenario(tmp_path))
    typed(panel, "seconds", "60")
    assert panel.session.state.evaluation.case.scenario.measured == Measured(after="counters.csv", seconds=60)
    assert panel.session.state.evaluation.case.measured.seconds == 60


def test_an_error_is_a_line_at_its_field_and_the_last_counters_stay(panel_on, tmp_path):
    panel = panel_on(measured_scenario(tmp_path))
    (tmp_path / "wrong.csv").write_text("src,dst,bytes\na,b,x\n")
    typed(panel, "after", "wrong.csv")
    message = panel.counters.form.messages["after"].text()
    assert "line 2" in message
    assert "\n" not in message
    assert panel.session.state.measurement is not None
    assert panel.session.state.wanted.measured.after == "wrong.csv"


def test_files_in_between_are_added_and_an_error_in_them_is_shown_there(panel_on, tmp_path, monkeypatch):
    panel = panel_on(measured_scenario(tmp_path))
    half = (tmp_path / "counters.csv").read_text()
    (tmp_path / "half.csv").write_text(half)
    (tmp_path / "wrong.csv").write_text("src,dst,bytes\na,b,x\n")
    editor = panel.counters.form.editors["between"]
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getOpenFileNames", lambda *_: ([str(tmp_path / "half.csv")], ""))
    QTest.mouseClick(editor.add, Qt.MouseButton.LeftButton)
    assert panel.session.state.evaluation.case.scenario.measured.between == ("half.csv",)
    assert len(panel.session.state.evaluation.case.measured.intervals) == 2
    monkeypatch.setattr(
        "PySide6.QtWidgets.QFileDialog.getOpenFileNames", lambda *_: ([str(tmp_path / "wrong.csv")], "")
    )
    QTest.mouseClick(editor.add, Qt.MouseButton.LeftButton)
    assert "wrong.csv" in panel.counters.form.messages["between"].text()
    QTest.mouseClick(editor.remove, Qt.MouseButton.LeftButton)
    assert panel.session.state.wanted.measured.between == ("half.csv",)
    assert panel.session.state.refusal is None
    panel.session.editing.undo()
    panel.session.editing.undo()
    assert panel.session.state.wanted.measured.between == ()


def test_remove_is_one_step(panel_on, tmp_path):
    panel = panel_on(measured_scenario(tmp_path))
    QTest.mouseClick(panel.counters.button, Qt.MouseButton.LeftButton)
    assert panel.session.state.measurement is None
    assert panel.counters.hint.isVisible()
    panel.session.editing.undo()
    assert panel.session.state.measurement is not None
    assert panel.counters.form.isVisible()


def test_notes_on_the_files_are_shown(panel_on, tmp_path):
    scenario = measured_scenario(tmp_path)
    path = tmp_path / "counters.csv"
    path.write_text(path.read_text() + "\nstranger,else,5,1\n")
    panel = panel_on(scenario)
    assert "stranger → else" in panel.counters.notes.text()


def test_background_without_counters_is_listed_and_removed(panel_on, tmp_path):
    panel = panel_on(Scenario(**TORUS, folder=tmp_path, background=(LinkLoad(0, 1, 4.0), LinkLoad(1, 0, 2.0))))
    assert panel.jobs.background.text() == "unknown background: 6 units on 2 links"
    QTest.mouseClick(panel.jobs.remove_background, Qt.MouseButton.LeftButton)
    assert panel.session.state.evaluation.case.scenario.background == ()
    assert not panel.jobs.background.isVisible()
    panel.session.editing.undo()
    assert panel.jobs.background.isVisible()
