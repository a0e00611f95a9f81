"""Copies of unsaved work on the disk: their owners, their content, and the treatment of broken copies."""

import errno
import os
import sys
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from app.storage.presets import worked_example
from app.storage.safety_copy import SafetyCopy, autosave_folder, leftovers
from core.files import read_scenario
from core.load.snapshots import with_snapshot
from core.mapping import Explicit, Sequential
from core.spec import SpecError


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data" / "autosave"


@pytest.fixture
def work():
    """A scenario with everything a file can hold."""
    return with_snapshot(worked_example(), "before").with_choice("mapping", Explicit(range(4096)[::-1]))


def left_by_a_crash(folder, scenario, path=None):
    """A copy whose window has crashed, so that its lock is free."""
    copy = SafetyCopy.new(folder)
    copy.write(scenario, path)
    copy.release()
    return copy


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_only_the_owner_may_read_a_copy(folder, work):
    copy = SafetyCopy.new(folder)
    copy.write(work, None)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    copy.release()


def test_the_data_folder_is_the_platforms(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert autosave_folder().parts[-2:] == ("fabriscope", "autosave")
    assert sys.platform != "linux" or autosave_folder() == tmp_path / "fabriscope" / "autosave"


def test_nothing_is_on_the_disk_before_the_first_write(folder):
    SafetyCopy.new(folder)
    assert not folder.exists()
    assert leftovers(folder) == []


def test_a_copy_is_read_with_its_path_and_time(folder, work, tmp_path):
    path = tmp_path / "mine.fabriscope.json"
    copy = left_by_a_crash(folder, work, path)
    (leftover,) = leftovers(folder)
    unsaved = leftover.read()
    assert unsaved.work == work
    assert unsaved.path == path
    assert abs(unsaved.time - datetime.now()) < timedelta(minutes=5)
    assert read_scenario(copy.file).snapshots == work.snapshots
    assert not path.exists()
    leftover.release()


def test_a_copy_in_use_is_not_offered(folder, work):
    mine = SafetyCopy.new(folder)
    mine.write(work, None)
    assert leftovers(folder) == []
    mine.release()
    (leftover,) = leftovers(folder)
    assert leftovers(folder) == []  # claimed, so that no other window offers it
    leftover.release()
    assert [copy.name for copy in leftovers(folder)] == [mine.name]


def test_copies_are_offered_newest_first_and_removed_for_good(folder, work):
    for age in (30, 10, 20):
        copy = left_by_a_crash(folder, work, Path(f"{age}.fabriscope.json").absolute())
        os.utime(copy.file, (1e9 - age, 1e9 - age))
    copies = leftovers(folder)
    assert [copy.read().path.name.split(".")[0] for copy in copies] == ["10", "20", "30"]
    for copy in copies:
        copy.remove()
        copy.release()
    assert names(folder) == []


def test_a_lock_without_a_copy_is_removed(folder, work):
    copy = left_by_a_crash(folder, work)
    copy.claim()
    copy.remove()
    (folder / (copy.name + ".lock")).touch()
    copy.release()
    assert leftovers(folder) == []
    assert names(folder) == []


def test_work_is_recovered_without_the_file_about_its_origin(folder, work):
    copy = left_by_a_crash(folder, work, Path("x.fabriscope.json").absolute())
    for content in (b"", b"\xff", b'{"process": "x"}'):
        (folder / f"{copy.name}.about.json").write_bytes(content)
        unsaved = SafetyCopy(folder, copy.name).read()
        assert (unsaved.work, unsaved.path) == (replace(work, folder=None), None)


def test_a_broken_copy_is_set_aside(folder, work):
    copy = left_by_a_crash(folder, work)
    copy.file.write_bytes(b"{]")
    (leftover,) = leftovers(folder)
    with pytest.raises(SpecError):
        leftover.read()
    aside = leftover.set_aside()
    leftover.release()
    assert aside.read_bytes() == b"{]"
    assert names(folder) == [aside.name]
    assert leftovers(folder) == []


def test_an_impossible_folder_is_refused_and_a_full_disk_keeps_the_old_copy(folder, work, tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    with pytest.raises(SpecError, match="cannot be created"):
        SafetyCopy.new(tmp_path / "file" / "autosave").write(work, None)
    copy = left_by_a_crash(folder, work)

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(SpecError, match="the disk is full"):
        copy.write(work.with_choice("mapping", Sequential()), None)
    assert copy.read().work == work
    copy.release()
