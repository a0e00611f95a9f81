"""Files are read off the GUI thread, for every command: an unresponsive file blocks nothing."""

import os
import sys
import threading

import pytest
from PySide6.QtWidgets import QFileDialog

from app.actions.file_commands import Button
from app.session.jobs import add_job_of
from core.files import write_scenario
from core.job import Halo
from core.load.scenario import Scenario
from core.mapping import Random
from core.network import Torus
from core.routing import DimensionOrder
from tests.app.actions.file_desk import FileDesk
from tests.app.sessions import session_on

SCENARIO = Scenario(Torus((2, 2)), Halo(2, 2), Random(seed=3), DimensionOrder())
RING = "".join(f"n{k} n{(k + 1) % 4} 5\n" for k in range(4))
OPENED = "x.fabriscope.json"


@pytest.fixture
def desk(qapp, settings, qtbot):
    """A desk whose session works in threads, as in the program."""
    desk = FileDesk(session_on(SCENARIO), settings)
    qtbot.addWidget(desk)
    desk.show()
    yield desk
    desk.session.close()


@pytest.fixture
def ask(monkeypatch):
    """Answer a dialog for files by a path."""

    def answer(path, asks):
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *arguments: (str(path), "Network (*)"))
        monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *arguments: ([str(path)], "Network (*)"))
        asks()

    return answer


WAYS = {
    "dropped": lambda desk, path, ask: desk.files.exchange.take([path]),
    "file-open": lambda desk, path, ask: ask(path, desk.files.ask_open),
    "tour-open": lambda desk, path, ask: ask(path, desk.tours.ask_open),
    "imported": lambda desk, path, ask: ask(path, desk.files.exchange.ask_import),
    "job": lambda desk, path, ask: add_job_of(desk.session, path),
}


def named_pipe(path):
    os.mkfifo(path)


def folder(path):
    path.mkdir()


def device(path):
    path.symlink_to("/dev/zero")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has none of these in folders")
@pytest.mark.parametrize("make", [named_pipe, folder, device])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [OPENED, "x.fabriscope-tour.json", "x.edges"])
def test_only_regular_files_are_read(desk, ask, tmp_path, qtbot, way, make, name):
    make(tmp_path / name)
    before = desk.session.state.evaluation
    WAYS[way](desk, tmp_path / name, ask)
    qtbot.waitUntil(lambda: desk.session.state.error is not None)
    kind = make.__name__.replace("_", " ")
    assert desk.session.state.error.message.endswith(f"{name} cannot be read: it is a {kind}")
    assert desk.session.state.evaluation is before
    assert desk.session.state.wanted == SCENARIO


@pytest.fixture
def unanswered(monkeypatch):
    """Drives that do not respond, from now until the event is set: any access to a file there waits."""
    answers, asked = threading.Event(), threading.Event()

    def wait(path):
        asked.set()
        answers.wait()
        return path

    with monkeypatch.context() as patched:
        for module in ("app.actions.file_commands", "app.actions.tour_commands", "app.session.jobs"):
            patched.setattr(f"{module}.regular", wait)
        patched.setattr("core.files.regular.regular", wait)
        answers.asked = asked
        yield answers
        answers.set()


@pytest.mark.parametrize("way", WAYS)
def test_a_slow_file_shows_progress_and_can_be_cancelled(desk, unanswered, ask, tmp_path, qtbot, way):
    WAYS[way](desk, tmp_path / OPENED, ask)
    qtbot.waitUntil(unanswered.asked.is_set)
    qtbot.waitUntil(lambda: desk.session.state.pending is not None)
    assert desk.statusBar().strip.text == f"Reading {OPENED} …"
    assert not desk.session.state.outdated  # results still belong to the settings
    desk.cancel()
    assert desk.session.state.pending is None
    assert desk.session.state.wanted == SCENARIO
    assert desk.session.state.error is None


def test_another_file_is_opened_after_an_unresponsive_one(desk, unanswered, tmp_path, qtbot, monkeypatch):
    path = tmp_path / OPENED
    write_scenario(path, SCENARIO.with_choice("job", Halo(1, 4)))
    desk.files.open(tmp_path / "lost.fabriscope.json")
    qtbot.waitUntil(unanswered.asked.is_set)
    # Undone before the drives respond again, which would otherwise restore their function later.
    with monkeypatch.context() as patched:
        patched.setattr("app.actions.file_commands.regular", lambda path: path)
        desk.files.open(path)
        qtbot.waitUntil(lambda: desk.session.state.file.path == path)
    assert desk.session.state.evaluation.case.scenario.job == Halo(1, 4)


def test_session_ends_while_a_file_is_unresponsive(desk, unanswered, tmp_path, qtbot, monkeypatch):
    monkeypatch.setattr("app.background.worker.END_SECONDS", 0.05)
    desk.files.open(tmp_path / OPENED)
    qtbot.waitUntil(unanswered.asked.is_set)
    desk.session.close()
    assert not unanswered.is_set()


def test_unsaved_changes_are_asked_about_only_if_the_file_can_be_opened(desk, tmp_path, qtbot, monkeypatch):
    asked = []
    monkeypatch.setattr(desk.files, "ask_about_changes", lambda: asked.append(1) or Button.Cancel)
    desk.session.choose("job", Halo(4, 1))
    qtbot.waitUntil(lambda: desk.session.state.evaluation.case.scenario.job == Halo(4, 1))
    (tmp_path / OPENED).write_text("{}")
    desk.files.open(tmp_path / OPENED)
    qtbot.waitUntil(lambda: desk.session.state.error is not None)
    assert not asked
    write_scenario(tmp_path / OPENED, SCENARIO)
    desk.files.open(tmp_path / OPENED)
    qtbot.waitUntil(lambda: bool(asked))
    assert desk.session.state.wanted.job == Halo(4, 1)


@pytest.mark.parametrize("error", [ValueError("year 0"), RecursionError("deep"), UnicodeError("odd"), MemoryError()])
def test_exception_of_a_reader_is_an_error_that_undo_reverts(desk, tmp_path, qtbot, monkeypatch, capsys, error):
    def fail(*arguments):
        raise error

    path = tmp_path / "ring.edges"
    path.write_text(RING)
    monkeypatch.setattr("core.network.families.edges.Edges.build", fail)
    before = desk.session.state.evaluation
    desk.files.exchange.take([path])
    qtbot.waitUntil(lambda: desk.session.state.error is not None)
    shown = desk.session.state.error
    assert shown.field == "network.file"
    assert "ring.edges" in shown.message
    assert isinstance(error, MemoryError) or f"{type(error).__name__}: {error}" in shown.message
    assert ("Traceback" in capsys.readouterr().err) != isinstance(error, MemoryError)
    assert desk.session.state.evaluation is before
    desk.session.editing.undo()
    qtbot.waitUntil(lambda: desk.session.state.error is None)
    assert desk.session.state.wanted == SCENARIO


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("list.fabriscope.json", "[]"),
        ("list.json", "[]"),
        ("empty.fabriscope.json", "{}"),
        ("text.fabriscope.json", "hello"),
        ("dots.txt", "..."),
    ],
)
def test_unrecognised_file_changes_nothing(desk, tmp_path, qtbot, name, text):
    (tmp_path / name).write_text(text)
    desk.files.exchange.take([tmp_path / name])
    qtbot.waitUntil(lambda: desk.session.state.error is not None)
    assert desk.session.state.error.field == "file"
    assert desk.session.state.wanted == SCENARIO


@pytest.mark.parametrize("name", ["s.fabriscope-study.json", "study.json"])
def test_a_dropped_study_is_shown_as_a_study(desk, tmp_path, qtbot, name):
    path = tmp_path / name
    path.write_text('{"fabriscope_study": 1, "base": {}, "measure": ["throughput_gbs"]}')
    desk.files.exchange.take([path])
    qtbot.waitUntil(lambda: desk.studies == [path])
    assert desk.session.state.wanted == SCENARIO
