"""Unsaved work is copied to disk until it is saved or reverted, and survives a killed process."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer

from app.model.search_run import Budget
from app.session.autosave import BEST, MAX_WAIT_MS, QUIET_MS, Autosave
from app.storage.presets import preset, worked_example
from app.storage.safety_copy import leftovers
from core.files import read_scenario, write_scenario
from core.job import Halo
from core.load.snapshots import with_snapshot
from core.mapping import Explicit, Random, Sequential
from core.mapping.edit import edit_moving, occupants
from tests.app.cli.program import LOADED
from tests.app.sessions import session_on
from tests.programs import Program

ROOT = Path(__file__).parents[3]


@pytest.fixture
def session(qtbot):
    session = session_on(worked_example(), sync=True)
    yield session
    session.close()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "autosave"


@pytest.fixture
def autosave(session, folder):
    autosave = Autosave(session, folder, sync=True)
    yield autosave
    autosave.close()
    assert not folder.exists() or not list(folder.iterdir())


def waiting(autosave):
    """The intervals of the timers that tick, in milliseconds."""
    return sorted(timer.interval() for timer in autosave.findChildren(QTimer) if timer.isActive())


def on_disk(autosave):
    return read_scenario(autosave.copy.file) if autosave.copy.file.exists() else None


def test_change_is_copied_after_a_pause_or_at_the_deadline(session, autosave, folder):
    assert waiting(autosave) == []
    session.choose("mapping", Sequential())
    assert waiting(autosave) == [QUIET_MS, MAX_WAIT_MS]
    assert not folder.exists()
    autosave.flush()
    assert on_disk(autosave).mapping == Sequential()
    assert waiting(autosave) == []


def test_timers_trigger_the_copy(session, folder, qtbot, monkeypatch):
    for name, other in (("QUIET_MS", "MAX_WAIT_MS"), ("MAX_WAIT_MS", "QUIET_MS")):
        monkeypatch.setattr(f"app.session.autosave.{name}", 0)
        monkeypatch.setattr(f"app.session.autosave.{other}", 3_600_000)
        autosave = Autosave(session, folder)
        with qtbot.waitSignal(autosave.written):
            session.choose("mapping", Random(seed=len(name)))
        assert on_disk(autosave).mapping == Random(seed=len(name))
        autosave.close()


def test_further_changes_postpone_the_pause_but_not_the_deadline(session, autosave, monkeypatch):
    session.choose("mapping", Sequential())
    started = []
    for timer in autosave.findChildren(QTimer):
        monkeypatch.setattr(timer, "start", lambda timer=timer: started.append(timer.interval()))
    session.choose("job", Halo(periodic=False))
    assert set(started) == {QUIET_MS}


def test_changes_outside_the_scenario_copy_nothing(session, autosave):
    session.set_hottest_percent(10)
    session.hover(None)
    assert waiting(autosave) == []
    session.choose("mapping", Sequential())
    autosave.flush()
    before = autosave.copy.file.stat().st_mtime_ns
    session.set_hottest_percent(25)
    autosave.flush()
    assert autosave.copy.file.stat().st_mtime_ns == before
    assert waiting(autosave) == []


def test_snapshots_and_notes_are_copied_too(session, autosave):
    session.annotate(with_snapshot(session.state.wanted, "a"))
    autosave.flush()
    assert [snapshot.name for snapshot in on_disk(autosave).snapshots] == ["a"]


def test_reverting_removes_the_copy(session, autosave):
    first = session.state.wanted
    session.choose("mapping", Sequential())
    autosave.flush()
    assert autosave.copy.file.exists()
    session.propose(first)
    assert not autosave.copy.file.exists()


def test_saving_or_opening_removes_the_copy(session, autosave, tmp_path):
    path, other = tmp_path / "a.fabriscope.json", preset("torus-8x8x8-halo")
    ways = (lambda: session.saved(path, session.state.wanted), lambda: session.open(other, None))
    for seed, finish in enumerate(ways):
        session.choose("mapping", Random(seed=seed))
        autosave.flush()
        assert autosave.copy.file.exists()
        finish()
        assert not autosave.copy.file.exists()
        assert waiting(autosave) == []


def test_closing_removes_the_copy_and_its_lock(session, folder):
    autosave = Autosave(session, folder)
    session.choose("mapping", Sequential())
    autosave.flush()
    autosave.close()
    assert list(folder.iterdir()) == []
    session.choose("mapping", Random())
    assert waiting(autosave) == []


def test_refused_scenario_does_not_replace_the_copy(session, autosave):
    session.choose("mapping", Sequential())
    session.choose("job", Halo(rows=1000, cols=1000))
    assert session.state.error is not None
    autosave.flush()
    copied = on_disk(autosave)
    assert (copied.mapping, copied.job) == (Sequential(), worked_example().job)


def test_full_disk_is_reported_once(session, autosave, monkeypatch):
    messages = []
    autosave.failed.connect(messages.append)
    state = session.state
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        for seed in (1, 2, 3):
            session.choose("mapping", Random(seed=seed))
            autosave.flush()
    assert len(messages) == 1
    assert messages[0].startswith("Unsaved work cannot be backed up: ")
    assert messages[0].endswith("the disk is full; free some space, or save it elsewhere")
    assert (session.state.error, state.error) == (None, None)
    session.choose("mapping", Random(seed=4))
    autosave.flush()
    assert on_disk(autosave).mapping == Random(seed=4)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", failing)
        session.choose("mapping", Random(seed=5))
        autosave.flush()
    assert len(messages) == 2


def failing(descriptor):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


CHILD = """
import sys
from pathlib import Path
from PySide6.QtCore import QCoreApplication
import app.session.autosave
from app.session.autosave import Autosave
from app.storage.safety_copy import autosave_folder
from app.session.session import Session
from core.files import read_scenario
from core.load.snapshots import with_snapshot
from core.mapping import Explicit

app.session.autosave.QUIET_MS = 0
application = QCoreApplication(sys.argv[:1])
path = Path(sys.argv[1])
session = Session.of(read_scenario(path), sync=True)
session.opened(path)
autosave = Autosave(session, autosave_folder())
autosave.written.connect(lambda: print(autosave.copy.file, flush=True))
wanted = with_snapshot(session.state.wanted, "before").with_choice("mapping", Explicit(range(64)[::-1]))
session.annotate(wanted)
session.propose(wanted)
application.exec()
"""


def test_work_outlives_a_process_that_is_killed(tmp_path):
    path = tmp_path / "mine.fabriscope.json"
    write_scenario(path, preset("hypercube-64-nodes"))
    before = path.read_bytes()
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data"), "QT_QPA_PLATFORM": "offscreen"}
    with Program(LOADED, ["-c", CHILD, path], cwd=ROOT, env=environment) as child:
        file = Path(child.stdout.readline().strip())
        assert leftovers(file.parent) == []  # it still runs: its work is its own
        child.kill()
    (copy,) = leftovers(file.parent)
    unsaved = copy.read()
    wanted = with_snapshot(read_scenario(path), "before").with_choice("mapping", Explicit(range(64)[::-1]))
    assert unsaved.work == wanted
    assert unsaved.path == path
    assert path.read_bytes() == before
    copy.release()


def test_gesture_is_copied_once_it_has_ended(session, autosave):
    case = session.state.evaluation.case
    occupant = occupants(case.mapping, case.network.slots)
    session.editing.begin("Drag")
    session.editing.replace_edit(edit_moving(case.mapping, [0], [77], occupant))
    assert waiting(autosave) == []
    session.editing.cancel()
    assert waiting(autosave) == []
    session.editing.begin("Drag")
    session.editing.replace_edit(edit_moving(case.mapping, [0], [77], occupant))
    session.editing.commit()
    assert waiting(autosave) == [QUIET_MS, MAX_WAIT_MS]
    session.editing.begin("Drag again")
    autosave.flush()
    assert on_disk(autosave) is None
    session.editing.cancel()
    autosave.flush()
    assert on_disk(autosave).mapping.slots[0] == 77


def test_a_crash_during_a_search_loses_neither_the_mapping_before_nor_the_best(session, autosave):
    session.choose("mapping", Random(seed=5))
    drawn = session.state.evaluation.case.scenario
    session.set_search_settings(
        replace(session.state.search.settings, budget=Budget(seconds=None, steps=64, seed=1, workers=1))
    )
    session.optimiser.start()
    assert session.state.search.undecided
    best = session.state.evaluation.case.scenario
    autosave.flush()
    copied = on_disk(autosave)
    assert copied.mapping == drawn.mapping
    assert [(snapshot.name, snapshot.kept.mapping) for snapshot in copied.snapshots] == [(BEST, best.mapping)]
    session.optimiser.keep()
    autosave.flush()
    assert (on_disk(autosave).mapping, on_disk(autosave).snapshots) == (best.mapping, ())


def test_an_opened_scenario_with_an_error_is_copied_only_once_it_is_changed(session, autosave, tmp_path):
    session.open(session.state.wanted.with_choice("job", Halo(rows=1000, cols=1000)), tmp_path / "a.fabriscope.json")
    assert session.state.error is not None
    autosave.flush()
    assert on_disk(autosave) is None
    session.choose("job", Halo(rows=2000, cols=1000))
    autosave.flush()
    assert on_disk(autosave).job == Halo(rows=2000, cols=1000)
