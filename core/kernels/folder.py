"""Where compiled code is stored: in the user's cache folder, one folder for each version of the program.

Compiled code depends on the kernel's file, on all that it calls and their constants, on numba and on the processor. So
the folder is named by a digest of all sources and versions, and by a digest of the processor; installations of the same
version share it. After an update a new folder is made, and the outdated one removed unless another installation uses
it.

Cached code is unpickled and executed, so it is loaded only from files that the user owns and nobody else can write, and
only if a digest shows that they are unchanged.
"""

import errno
import os
import shutil
import stat
import sys
import time
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib import import_module
from math import inf
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import BinaryIO
from uuid import uuid4

import llvmlite
import numba
import numpy as np
from numba.core.registry import cpu_target

from core.kernels import compile_events
from core.kernels.start_time import STARTED

try:
    import fcntl
except ImportError:  # Windows: each process compiles for itself
    fcntl = None  # type: ignore[assignment]

MADE_FOR = "made-for"
"""Folder of notes, one per installation: the path of its package, and its Python."""
GONE = ".gone-"
"""Prefix of folders that are being removed."""
IN_TURN = "in-turn"
"""A file in which processes lock a byte for each kernel that they compile."""
MAX_WAIT_S = 60.0
"""Maximum wait for another process to compile the same kernel: it may be suspended."""
POLL_S = 0.02
DIGEST_BYTES = 16
"""Size of the digest at the beginning of each file."""
CORE = __name__.rpartition(".kernels.")[0]
"""The package whose sources count for every package's kernels."""


class Folder:
    """The compiled code of one package, in its present version, for this processor."""

    def __init__(self, package: str) -> None:
        self._roots = [_root(name) for name in dict.fromkeys((CORE, package))]
        self._made_for = f"{_root(package)}\n{sys.prefix}\n"
        self._note = Path(MADE_FOR) / _digest(self._made_for.encode())
        self._state = f"{package}-{_digest(*_versions(), *map(_content, self._roots))}"
        self.path = _user_folder() / f"{self._state}-{_digest(*_machine())}"
        self._turn: BinaryIO | None = None
        self._usable = not self._changed()
        with suppress(OSError):  # read-only folders can still be used
            if not _is_private(self.path.stat()):
                self._refuse(f"{self.path} belongs to another user, or others can write to it")
            elif self._usable:
                self._make()

    def read(self, file: str) -> bytes:
        """Read a file.

        Raises OSError: if it does not exist. Raises ValueError: if it is damaged, or another user could have written
        it.
        """
        if not self._usable:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        with (self.path / file).open("rb") as opened:
            if not _is_private(os.fstat(opened.fileno())):
                raise ValueError("others can write to it")
            digest, content = opened.read(DIGEST_BYTES), opened.read()
        if digest != _seal(file, content):
            raise ValueError("damaged")
        return content

    def keep(self, file: str, content: bytes) -> None:
        """Write a file atomically; if that is impossible, notify once."""
        if not self._usable or self._changed():
            return
        try:
            self._make()
            _write(self.path / file, _seal(file, content) + content)
        except OSError as error:
            self._refuse(f"{self.path.parent}: {error.strerror}")

    def _refuse(self, reason: str) -> None:
        self._usable = False
        compile_events.no_cache_folder(reason)

    def take_turn(self, file: str) -> None:
        """Wait while another process compiles the code for a file; until `end_turn`, others wait for this process."""
        self.end_turn()
        if not fcntl or not self._usable or self._changed():
            return
        with suppress(OSError):
            self._make()
            self._turn = (self.path / IN_TURN).open("ab")
            place = int.from_bytes(blake2b(file.encode(), digest_size=7).digest(), "little")
            _lock(self._turn.fileno(), place)

    def end_turn(self) -> None:
        """Let others compile, or read, what this process has compiled."""
        if self._turn is not None:
            self._turn.close()
            self._turn = None

    def _changed(self) -> bool:
        # After an update, the sources differ from the loaded code. A file's mtime may come from its archive; ctime is
        # when it was installed.
        files = [path.stat().st_ctime for root in self._roots for path in root.rglob("*.py")]
        return max(files, default=inf) >= STARTED

    def _make(self) -> None:
        # Repeated, since another process for which this folder is outdated may have removed it.
        if not (self.path / self._note).exists():
            # Without parents: some users have no home, on purpose.
            if not any(parent.exists() for parent in list(self.path.parents)[:4]):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
            (self.path / MADE_FOR).mkdir(exist_ok=True)
            _write(self.path / self._note, self._made_for.encode())
            self._remove_outdated()

    def _remove_outdated(self) -> None:
        for other in self.path.parent.iterdir():
            with suppress(OSError):
                if other.name.startswith(GONE) or self._outdates(other):
                    # Renamed first, so that a process that still uses it makes a new one and never sees half of it.
                    gone = other.rename(other.with_name(GONE + uuid4().hex))
                    shutil.rmtree(gone, ignore_errors=True)

    def _outdates(self, other: Path) -> bool:
        if other.name.startswith(self._state):
            return False
        # Without notes it is just being made.
        notes = [note.read_text() for note in (other / MADE_FOR).iterdir()]
        (other / self._note).unlink(missing_ok=True)
        return bool(notes) and not any(_in_use(made_for) for made_for in notes if made_for != self._made_for)


def _lock(descriptor: int, place: int) -> None:
    started = time.monotonic()
    while time.monotonic() < started + MAX_WAIT_S:
        with suppress(BlockingIOError, PermissionError):
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            return
        time.sleep(POLL_S)


def _in_use(made_for: str) -> bool:
    return all(Path(place).exists() for place in made_for.splitlines())


def _user_folder() -> Path:
    given = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        base = Path(given)
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or "~/AppData/Local")
    else:
        base = Path("~/Library/Caches" if sys.platform == "darwin" else "~/.cache")
    return Path(os.path.expanduser(base)) / "fabriscope" / "kernels"


def _root(package: str) -> Path:
    return Path(import_module(package).__path__[0]).resolve()


@cache
def _content(root: Path) -> bytes:
    paths = sorted(root.rglob("*.py"))
    return _digest(
        *(part for path in paths for part in (str(path.relative_to(root)).encode(), path.read_bytes()))
    ).encode()


def _versions() -> list[bytes]:
    return [text.encode() for text in (sys.version, numba.__version__, llvmlite.__version__, np.__version__)]


def _machine() -> list[bytes]:
    settings = sorted(f"{name}={value}" for name, value in os.environ.items() if name.startswith("NUMBA_"))
    return [text.encode() for text in (*cpu_target.target_context.codegen().magic_tuple(), *settings)]


def _digest(*parts: bytes) -> str:
    digest = blake2b(digest_size=8)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()


def _seal(file: str, content: bytes) -> bytes:
    """Return the digest of a file's name and content, so that exchanged files are rejected like damaged ones."""
    return blake2b(file.encode() + b"\0" + content, digest_size=DIGEST_BYTES).digest()


def _is_private(status: os.stat_result) -> bool:
    """Return whether the user owns a file or folder that nobody else can write; always true on Windows."""
    if sys.platform == "win32":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(path: Path, content: bytes) -> None:
    with NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            file.write(content)
            file.close()
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
