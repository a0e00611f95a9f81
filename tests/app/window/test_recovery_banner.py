"""The banner that offers the copies left by a crash: recover, discard, leave; nothing is lost on the way."""

from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.session.autosave import BEST, Autosave
from app.storage.disk_watch import DiskWatch
from app.storage.presets import preset, worked_example
from app.storage.safety_copy import SafetyCopy, leftovers
from app.widgets.layouts import column
from app.window.recovery_banner import RecoveryBanner, clock
from app.window.snapshot_menu import scenario_text
from core.files import read_scenario, write_scenario
from core.job import Flows
from core.load.snapshots import with_snapshot
from core.mapping import Explicit, Random, Sequential
from tests.app.sessions import session_on


@pytest.fixture
def session(qtbot):
    session = session_on(worked_example(), sync=True)
    yield session
    session.close()


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "autosave"


@pytest.fixture
def path(tmp_path):
    """A file as last saved."""
    path = tmp_path / "mine.fabriscope.json"
    write_scenario(path, worked_example())
    return path


@pytest.fixture
def work(path):
    """Its unsaved changes."""
    scenario = with_snapshot(worked_example(), "before").with_choice("mapping", Explicit(range(4096)[::-1]))
    return replace(scenario, folder=path.parent)


@pytest.fixture
def crashed(folder):
    """Leave a copy as a killed window does."""

    def crash(scenario, path=None):
        copy = SafetyCopy.new(folder)
        copy.write(scenario, path)
        copy.release()
        return copy

    return crash


class May:
    """Answers whether unsaved changes on screen may be discarded."""

    def __init__(self):
        self.lose, self.asked = True, 0

    def __call__(self):
        self.asked += 1
        return self.lose


@pytest.fixture
def may():
    return May()


@pytest.fixture
def start(qtbot, session, folder, may):
    """Start the part of the window that offers the copies, once these exist."""
    opened = []

    def begin():
        window = QWidget()
        qtbot.addWidget(window)
        autosave = Autosave(session, folder, sync=True)
        banner = RecoveryBanner(session, autosave, folder, may, DiskWatch())
        column(banner, of=window)
        banner.pause.setInterval(0)
        window.show()
        opened.append((window, autosave, banner))
        return autosave, banner

    yield begin
    for window, autosave, banner in opened:
        autosave.close()
        banner.release()
        window.close()


def press(button):
    QApplication.processEvents()  # the pause after the press before
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def names(folder):
    return sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []


def test_without_copies_there_is_no_banner(start):
    _, banner = start()
    assert not banner.isVisible()


def test_the_best_of_a_search_is_announced(start, crashed):
    crashed(with_snapshot(worked_example(), BEST))
    _, banner = start()
    assert banner.detail.text().endswith(" · with the snapshot best of the search")


def test_recovered_work_is_on_screen_unsaved_and_the_file_untouched(start, crashed, session, work, path, folder):
    before = path.read_bytes()
    copy = crashed(work, path)
    autosave, banner = start()
    assert banner.isVisible()
    now = f"{banner.offered.time:%H:%M}"
    assert banner.text.text() == (
        f"Fabriscope closed unexpectedly. Unsaved work on mine.fabriscope.json from {now} can be recovered."
    )
    assert banner.detail.text() == "Halo, 5-point on Power 775 (PERCS) · custom · direct"
    press(banner.recover)
    assert session.state.wanted == work
    assert session.state.evaluation.case.scenario == work
    assert session.state.file.path == path
    assert session.state.dirty
    assert not banner.isVisible()
    assert path.read_bytes() == before
    # It stays under the same name until it is saved.
    assert autosave.copy.file == copy.file
    assert copy.file.exists()
    session.saved(path, work)
    assert not copy.file.exists()


def test_recovered_work_that_is_killed_again_is_offered_again(start, crashed, session, work, folder):
    crashed(work)
    autosave, banner = start()
    press(banner.recover)
    session.choose("mapping", Random(seed=9))
    autosave.flush()
    name = autosave.copy.file.name
    assert leftovers(folder) == []
    autosave.copy.release()  # as the system does for a killed process
    (again,) = leftovers(folder)
    assert (again.file.name, again.read().work.mapping) == (name, Random(seed=9))
    again.release()


def test_work_without_a_file_is_recovered(start, crashed, session, work):
    crashed(work)
    _, banner = start()
    assert "Unsaved work from " in banner.text.text()
    press(banner.recover)
    assert session.state.file.path is None
    assert session.state.dirty


def test_discarding_deletes_it(start, crashed, session, work, folder):
    crashed(work)
    _, banner = start()
    state = session.state
    press(banner.discard)
    assert not banner.isVisible()
    assert names(folder) == []
    assert session.state is state


def test_several_copies_are_offered_one_after_the_other(start, crashed, session, work, folder):
    for _ in range(3):
        crashed(work)
    _, banner = start()
    assert banner.detail.text().endswith(" · 2 more copies")
    press(banner.discard)
    assert banner.detail.text().endswith(" · 1 more copy")
    press(banner.recover)
    assert session.state.wanted == work
    assert banner.detail.text() == scenario_text(work)
    assert banner.isVisible()


def test_a_double_click_discards_one_copy_only(start, crashed, work, qtbot):
    for _ in range(2):
        crashed(work)
    _, banner = start()
    banner.pause.setInterval(QApplication.doubleClickInterval())
    for press_again in (QTest.mouseClick, QTest.mouseDClick):
        press_again(banner.discard, Qt.MouseButton.LeftButton)
    assert banner.isVisible()
    assert banner.offered.work == work
    qtbot.waitUntil(banner.discard.isEnabled)
    assert banner.recover.isEnabled()


def test_an_unanswered_copy_is_offered_at_the_next_start(start, crashed, work, folder):
    crashed(work)
    _, banner = start()
    assert leftovers(folder) == []
    banner.release()
    _, again = start()
    assert again.offered.work == work


def test_unsaved_work_on_screen_is_asked_about_and_can_stay(start, crashed, session, work, may, folder):
    crashed(work)
    autosave, banner = start()
    session.choose("mapping", Sequential())
    autosave.flush()
    may.lose = False
    press(banner.recover)
    assert (may.asked, session.state.wanted.mapping) == (1, Sequential())
    assert banner.isVisible()
    mine = autosave.copy.file
    may.lose = True
    press(banner.recover)
    assert session.state.wanted == work
    assert not mine.exists()
    assert autosave.copy.file != mine


def test_work_that_cannot_be_evaluated_is_recovered_with_its_error(start, crashed, session, work, path, folder):
    lost = work.with_choice("job", Flows(file="gone.csv"))
    copy = crashed(lost, path)
    autosave, banner = start()
    good = session.state.evaluation
    press(banner.recover)
    assert session.state.evaluation is good
    assert session.state.wanted == lost
    assert session.state.error.field == "job.file"
    assert session.state.dirty
    assert not banner.isVisible()
    autosave.flush()
    assert autosave.copy.file == copy.file
    assert read_scenario(copy.file, own=True).job == lost.job


def test_an_older_message_does_not_stop_a_recovery(start, crashed, session, work):
    crashed(work)
    _, banner = start()
    session.choose("job", Flows(file="gone.csv"))
    assert session.state.error is not None
    press(banner.recover)
    assert session.state.wanted == work
    assert not banner.isVisible()


def test_another_file_opened_meanwhile_keeps_the_offer(start, crashed, session, work, monkeypatch):
    crashed(work)
    _, banner = start()
    monkeypatch.setattr(session, "open", lambda *arguments, **options: None)  # it takes its time
    press(banner.recover)
    assert not banner.recover.isEnabled()
    monkeypatch.undo()
    session.open(preset("torus-8x8x8-halo"), None)
    assert banner.isVisible()
    assert banner.recover.isEnabled()


def test_a_broken_copy_is_renamed_and_reported(start, crashed, session, work, folder):
    copy = crashed(work)
    copy.file.write_bytes(b'{"fabriscope": 1, "network": {"type": "percz"}}')
    good = crashed(work)
    _, banner = start()
    for _ in range(2):
        if banner.offered is not None:
            assert banner.recover.isVisible()
        else:
            assert banner.text.text() == "Fabriscope closed unexpectedly, and a copy of unsaved work cannot be read."
            assert banner.detail.text().startswith("network.type: unknown type 'percz'; did you mean percs?")
            assert str(copy.file) + ".broken" in banner.detail.text()
            assert not banner.recover.isVisible()
        press(banner.discard)
    assert not banner.isVisible()
    assert names(folder) == [copy.file.name + ".broken"]
    assert good.file.name not in names(folder)


def test_a_broken_copy_that_cannot_be_renamed_is_not_deleted(start, crashed, work, monkeypatch):
    def busy(old, new):
        raise OSError("busy")

    copy = crashed(work)
    copy.file.write_bytes(b"{]")
    monkeypatch.setattr("os.replace", busy)
    _, banner = start()
    assert f"It is in {copy.file}." in banner.detail.text()
    press(banner.discard)
    assert not banner.isVisible()
    assert copy.file.read_bytes() == b"{]"


def test_times_are_as_short_as_they_are_clear():
    now = datetime(2026, 5, 3, 18, 0)
    assert clock(datetime(2026, 5, 3, 14, 32), now) == "14:32"
    assert clock(datetime(2026, 5, 2, 9, 5), now) == "2 May, 09:05"
    assert clock(datetime(2025, 12, 24, 9, 5), now) == "24 December 2025, 09:05"


@pytest.fixture
def killed(killed_program):
    """The folder of copies after the program was changed in its window and killed without a warning."""
    _, folder = killed_program
    return folder


@pytest.fixture
def settings(settings, killed):
    """The settings of a window that starts after the crash."""
    settings.autosaves = killed
    return settings


def test_work_of_a_killed_program_is_offered_at_the_next_start(window, killed):
    banner, example = window.recovery, worked_example()
    assert banner.isVisible()
    assert banner.detail.text() == "Halo, 5-point on Power 775 (PERCS) · custom · direct"
    assert window.session.state.wanted == example
    press(banner.recover)
    window.session.wait_idle()
    drawn = window.session.state.evaluation.case.mapping.slots.reshape(64, 64)
    np.testing.assert_array_equal(drawn, np.roll(example.build().mapping.slots.reshape(64, 64), 1, axis=1))
    assert not banner.isVisible()
    assert window.isWindowModified()
    window.close()
    assert names(killed) == []
