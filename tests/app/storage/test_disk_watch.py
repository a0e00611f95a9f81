"""Detection of changes to files by other programs."""

import os
from datetime import datetime, timedelta

import pytest

from app.storage.disk_watch import DiskWatch


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"one")
    return path


def test_a_file_that_was_never_noted_has_not_changed(path):
    assert not DiskWatch().changed(path)


def test_other_content_is_a_change_until_it_is_noted(path):
    disk = DiskWatch()
    disk.note(path, b"one")
    assert not disk.changed(path)
    path.write_bytes(b"two")
    assert disk.changed(path)
    disk.note(path, b"two")
    assert not disk.changed(path)


def test_rewriting_the_same_content_is_not_a_change(path):
    disk = DiskWatch()
    disk.note(path, b"one")
    path.write_bytes(b"one")
    os.utime(path, (0, 0))
    assert not disk.changed(path)


def test_a_file_has_one_content_whatever_its_path(path, tmp_path, monkeypatch):
    disk = DiskWatch()
    disk.note(path, b"one")
    (tmp_path / "link").symlink_to(path)
    path.write_bytes(b"two")
    monkeypatch.chdir(tmp_path)
    assert disk.changed(tmp_path / "link")
    assert disk.changed(type(path)("a"))


@pytest.mark.parametrize("there", [os.unlink, lambda path: (os.unlink(path), os.mkdir(path))])
def test_a_missing_file_has_no_changes_to_lose(path, there):
    disk = DiskWatch()
    disk.note(path, b"one")
    there(path)
    assert not disk.changed(path)


@pytest.mark.parametrize(("minutes", "changed"), [(-1, True), (1, False)])
def test_a_file_written_after_a_copy_has_changed(path, minutes, changed):
    disk = DiskWatch()
    disk.note_older(path, datetime.fromtimestamp(path.stat().st_mtime) + timedelta(minutes=minutes))
    assert disk.changed(path) is changed


def test_a_missing_file_is_not_newer_than_a_copy(tmp_path):
    disk = DiskWatch()
    disk.note_older(tmp_path / "gone", datetime(2020, 1, 1))
    assert not disk.changed(tmp_path / "gone")
