"""Files are saved and exported; a write error is one line, and nothing is lost."""

import csv
import errno
import os
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess
from PySide6.QtWidgets import QFileDialog, QProgressDialog

from app.actions.file_commands import FileCommands
from app.model.pointing import Item
from core.files import read_scenario
from core.job import AllToAll
from core.load.scenario import Scenario
from core.mapping import Random, Sequential
from core.network import Torus
from core.routing import DimensionOrder

STEPS = Scenario(Torus((2, 2)), AllToAll(tasks=4, algorithm="pairwise"), Sequential(), DimensionOrder())


@pytest.fixture
def window(lent):
    """Saving and exporting need no picture on the screen."""
    return lent


@pytest.fixture
def saved(window, tmp_path, monkeypatch):
    """The file of a window that was saved once and changed since."""
    path = tmp_path / "mine.fabriscope.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: (str(path), ""))
    window.session.choose("mapping", Sequential())
    assert window.files.save()
    window.session.choose("mapping", Random(seed=3))
    return path


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.ENOSPC, "the disk is full; free some space, or save it elsewhere"),
        (errno.EROFS, "the disk is read-only; save it elsewhere"),
        (errno.EACCES, "it or its folder is read-only; save it elsewhere"),
    ],
)
def test_write_error_keeps_the_state_and_the_old_file(window, saved, code, reason, monkeypatch):
    def refusing(*arguments, **options):
        raise OSError(code, os.strerror(code))

    state = window.session.state
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refusing)
        assert not window.files.save()
    assert window.statusBar().text.text() == f"mine.fabriscope.json cannot be written: {reason}"
    now = window.session.state
    assert (now.wanted, now.evaluation, now.file.path, now.dirty) == (state.wanted, state.evaluation, saved, True)
    assert window.isWindowModified()
    assert read_scenario(saved).mapping == Sequential()
    assert window.files.save()
    assert "cannot" not in window.statusBar().text.text()
    assert read_scenario(saved).mapping == Random(seed=3)


def test_missing_folder_is_reported(window, tmp_path, monkeypatch):
    path = tmp_path / "gone" / "mine.fabriscope.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: (str(path), ""))
    window.session.choose("mapping", Sequential())
    assert not window.files.save()
    assert window.statusBar().text.text().endswith("its folder does not exist; save it elsewhere")
    assert window.session.state.file.path is None


@pytest.fixture
def typed(monkeypatch):
    """The answer of the dialog for a file to write, and the suggestion in it."""

    class Dialog:
        name, kind, offered, replace, asked = "", "", "", False, 0

        def __call__(self, parent, title, offered, kinds):
            self.offered = offered
            return self.name, self.kind

        def may_replace(self):
            self.asked += 1
            return self.replace

    dialog = Dialog()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", dialog)
    monkeypatch.setattr(FileCommands, "ask_to_replace", lambda commands, path: dialog.may_replace())
    return dialog


def test_existing_file_is_not_replaced_without_asking(window, typed, tmp_path):
    there = tmp_path / "mine.fabriscope.json"
    there.write_text("somebody's work")
    typed.name = str(tmp_path / "mine")
    assert not window.files.ask_save()
    assert (typed.asked, there.read_text()) == (1, "somebody's work")
    typed.replace = True
    assert window.files.ask_save()
    assert read_scenario(there).mapping == window.session.state.wanted.mapping
    typed.name = str(there)  # the dialog itself has asked about overwriting
    assert window.files.ask_save()
    assert typed.asked == 2


def test_dialog_proposes_a_name(window, typed, tmp_path):
    typed.name = str(tmp_path / "mine")
    assert window.files.ask_save()
    assert Path(typed.offered).name == "untitled.fabriscope.json"
    typed.name = str(tmp_path / "mine.fabriscope.json")
    assert window.files.ask_save()
    assert typed.offered == str(tmp_path / "mine.fabriscope.json")
    typed.name = ""
    window.files.ask_links()
    assert typed.offered == str(tmp_path / "mine.csv")


def test_dots_in_a_name_are_kept(window, typed, tmp_path):
    typed.name = str(tmp_path / "run.2")
    window.files.ask_links()
    typed.kind = "SVG drawing (*.svg)"
    window.files.ask_picture(window.job)
    typed.kind = "PDF document (*.pdf)"
    window.files.ask_picture(window.machine)
    assert sorted(path.name for path in tmp_path.glob("run*")) == ["run.2.csv", "run.2.pdf", "run.2.svg"]


def test_timeline_is_exported_with_its_visible_rows(window, tmp_path, monkeypatch):
    session, path = window.session, tmp_path / "steps.csv"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: (str(path), ""))
    assert not window.commands["film.timeline"].isEnabled()
    session.open(STEPS, None)
    window.show_page("timeline")
    session.watcher.pin(Item("node", 1))
    assert window.commands["file.steps"].isEnabled()
    window.commands["file.steps"].trigger()
    with path.open(newline="", encoding="utf-8") as stream:
        first, *others = csv.DictReader(stream)
    assert len(others) == 2
    assert list(first)[-6:] == [f"{name} {what}" for name in ("X", "Y", "Node (0,1)") for what in ("busiest", "mean")]
    # 0 <-> 1 and 2 <-> 3 cross links of Y only, in both directions.
    assert [float(first[name]) for name in ("X mean", "Y mean", "Node (0,1) mean")] == [0.0, 1.0, 0.5]


def test_timeline_film_requires_steps(window, tmp_path, monkeypatch, qtbot):
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: ("", ""))
    window.session.open(STEPS, None)
    assert window.commands["film.timeline"].isEnabled()
    window.commands["film.timeline"].trigger()
    assert not window.findChildren(QProgressDialog)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: (str(tmp_path / "film"), "(*.gif)"))
    window.commands["film.timeline"].trigger()
    (dialog,) = window.findChildren(QProgressDialog)
    assert dialog.windowTitle() == "Export film.gif"
    dialog.canceled.emit()
    qtbot.waitUntil(lambda: not window.findChildren(QProcess), timeout=60_000)
    assert not list(tmp_path.glob("film*"))
