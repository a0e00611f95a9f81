"""Saving when the disk will not have it: one line that says what to do, and nothing is lost."""

import errno
import os

import pytest
from PySide6.QtWidgets import QFileDialog

from core.files import read_scenario
from core.mapping import Random, Sequential


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
def test_a_disk_that_refuses_keeps_the_state_and_the_old_file(window, saved, code, reason, monkeypatch):
    def refusing(*arguments, **options):
        raise OSError(code, os.strerror(code))

    state = window.session.state
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", refusing)
        assert not window.files.save()
    assert window.statusBar().text.text() == f"mine.fabriscope.json cannot be written: {reason}"
    now = window.session.state
    assert (now.wanted, now.answer, now.path, now.dirty) == (state.wanted, state.answer, saved, True)
    assert window.isWindowModified()
    assert read_scenario(saved).mapping == Sequential()
    assert window.files.save()
    assert "cannot" not in window.statusBar().text.text()
    assert read_scenario(saved).mapping == Random(seed=3)


def test_a_folder_that_is_gone_is_said(window, tmp_path, monkeypatch):
    path = tmp_path / "gone" / "mine.fabriscope.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: (str(path), ""))
    window.session.choose("mapping", Sequential())
    assert not window.files.save()
    assert window.statusBar().text.text().endswith("its folder does not exist; save it elsewhere")
    assert window.session.state.path is None
