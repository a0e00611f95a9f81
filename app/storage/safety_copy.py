"""Copies of unsaved work in the data folder, one per window, and their recovery after a crash.

A copy is an ordinary scenario file. In the same folder are a file about its origin and a lock of the process that owns
it. The lock of a dead process is free, so the copy of a running window is never offered.
"""

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Self

import msgspec
from PySide6.QtCore import QLockFile, QStandardPaths

from core.files import SUFFIX, read_scenario, write_scenario
from core.files.atomic import write_atomically
from core.spec import SpecError

ABOUT, LOCK, BROKEN = ".about.json", ".lock", ".broken"


def autosave_folder() -> Path:
    """Return the folder for copies in the platform's folder for application data."""
    data_folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericDataLocation)
    return Path(data_folder) / "fabriscope" / "autosave"


class About(msgspec.Struct, frozen=True):
    """The content of the file about the origin of a copy."""

    process: int
    """Id of the process that wrote the copy."""
    path: str | None = None
    """File that the work was opened from or saved to; None if it was never in a file."""
    folder: str | None = None
    """Folder of the files that the work refers to."""


@dataclass(frozen=True)
class Unsaved:
    """Unsaved work in a copy."""

    work: Any
    """A scenario or a tour."""
    path: Path | None
    """The file that the work was opened from or saved to."""
    time: datetime
    """When the copy was written, local time."""


@dataclass(frozen=True)
class WorkFormat:
    """Functions that write and read a kind of work, scenarios or tours."""

    suffix: str
    write: Callable[[Path, Any], object]
    read: Callable[[Path, Path | None], Any]
    """Reads the work from a file, given the folder of the files that it refers to."""
    folder: Callable[[Any], Path | None] = lambda work: None
    """Returns the folder of the files that the work refers to."""


SCENARIOS = WorkFormat(
    SUFFIX,
    lambda path, scenario: write_scenario(path, scenario, own=True),
    lambda path, folder: replace(read_scenario(path, own=True), folder=folder),
    lambda scenario: scenario.folder,
)


class SafetyCopy:
    """A copy on the disk. Only the holder of its lock may write, read and remove it."""

    def __init__(self, folder: Path, name: str, form: WorkFormat = SCENARIOS) -> None:
        self._folder, self.name, self._form = folder, name, form
        self._lock = QLockFile(str(folder / (name + LOCK)))
        self._lock.setStaleLockTime(0)  # never stale: the lock is free only after its process has ended
        self._about: About | None = None

    @classmethod
    def new(cls, folder: Path, form: WorkFormat = SCENARIOS) -> Self:
        """Return a new copy, which is not on the disk yet."""
        return cls(folder, f"{os.getpid()}-{secrets.token_hex(6)}", form)

    @property
    def file(self) -> Path:
        """Return the file with the work."""
        return self._folder / (self.name + self._form.suffix)

    def claim(self) -> bool:
        """Take the lock if it is free; return whether this process has it."""
        return self._lock.isLocked() or self._lock.tryLock(0)

    def release(self) -> None:
        """Release the lock, so that another process may claim the copy."""
        self._lock.unlock()

    def write(self, work: Any, path: Path | None) -> None:
        """Write a copy of the work of file `path`, which atomically replaces the previous copy and is private.

        Raises SpecError: if it cannot be written.
        """
        about = About(os.getpid(), _text(path), _text(self._form.folder(work)))
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._folder.chmod(0o700)
        except OSError as error:
            raise SpecError("file", f"{self._folder} cannot be created: {error.strerror or error}") from error
        if not self.claim():
            raise SpecError("file", f"{self._folder} cannot be written to: it is read-only, or its disk is full")
        if about != self._about:
            write_atomically(self._folder / (self.name + ABOUT), msgspec.json.encode(about))
            self._about = about
        self._form.write(self.file, work)
        # New files have default permissions; until this point, the permissions of the folder keep them private.
        with suppress(OSError):
            for ending in (self._form.suffix, ABOUT, LOCK):
                (self._folder / (self.name + ending)).chmod(0o600)

    def read(self) -> Unsaved:
        """Return the work in the copy.

        Raises SpecError: if it cannot be read.
        """
        about = self._read_about()
        folder = Path(about.folder) if about.folder is not None else None
        path = Path(about.path) if about.path is not None else None
        written = datetime.fromtimestamp(self.file.stat().st_mtime)
        return Unsaved(self._form.read(self.file, folder), path, written)

    def remove(self) -> None:
        """Delete the copy if it exists, and keep the lock.

        Raises OSError: if it cannot be deleted.
        """
        self._about = None
        for ending in (self._form.suffix, ABOUT):
            (self._folder / (self.name + ending)).unlink(missing_ok=True)

    def set_aside(self) -> Path:
        """Rename the copy so that it is not offered again, and return its new name.

        Raises OSError: if it cannot be renamed.
        """
        aside = self.file.with_name(self.file.name + BROKEN)
        os.replace(self.file, aside)
        self.remove()
        return aside

    def _read_about(self) -> About:
        # The work can be recovered without it.
        try:
            return msgspec.json.decode((self._folder / (self.name + ABOUT)).read_bytes(), type=About)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return About(0)


def leftovers(folder: Path, form: WorkFormat = SCENARIOS) -> list[SafetyCopy]:
    """Return the copies left by dead processes, newest first, with their locks taken."""
    copies = []
    for name in _names(folder, form.suffix):
        copy = SafetyCopy(folder, name, form)
        if not copy.claim():
            continue
        written = _written(copy)
        if written is not None:
            copies.append((written, copy))
        else:  # a window without unsaved work left only its lock
            with suppress(OSError):
                copy.remove()
            copy.release()
    return [copy for _, copy in sorted(copies, key=lambda pair: pair[0], reverse=True)]


def _names(folder: Path, suffix: str) -> set[str]:
    try:
        entries = [entry.name for entry in os.scandir(folder)]
    except OSError:
        return set()
    return {name.removesuffix(ending) for name in entries for ending in (suffix, LOCK) if name.endswith(ending)}


def _written(copy: SafetyCopy) -> float | None:
    try:
        return copy.file.stat().st_mtime
    except OSError:
        return None


def _text(path: Path | None) -> str | None:
    return str(path.absolute()) if path is not None else None
