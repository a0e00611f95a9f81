"""Atomic writing: the old file stays complete until the new one is safely on disk."""

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from core.spec import SpecError

STANDARD = Path("-")
"""Standard input for reading, standard output for writing."""
MAX_MESSAGE = 200
"""Characters of foreign text in a message."""
ELSEWHERE = "save it elsewhere"
ADVICE = {
    errno.ENOSPC: ("the disk is full", f"free some space, or {ELSEWHERE}"),
    errno.EDQUOT: ("your share of the disk is full", f"free some space, or {ELSEWHERE}"),
    errno.EACCES: ("it or its folder is read-only", ELSEWHERE),
    errno.EPERM: ("it or its folder is read-only", ELSEWHERE),
    errno.EROFS: ("the disk is read-only", ELSEWHERE),
    errno.ENOENT: ("its folder does not exist", ELSEWHERE),
    errno.ENOTDIR: ("its folder does not exist", ELSEWHERE),
    errno.EISDIR: ("it is a folder", "choose another name"),
    errno.ENAMETOOLONG: ("its name is too long", "choose a shorter one"),
    errno.EFBIG: ("it is larger than files may be here", ELSEWHERE),
    errno.EIO: ("the disk reports an error", ELSEWHERE),
}
"""By errno: what went wrong, and what to do."""


def write_atomically(path: Path, content: bytes, field: str = "file") -> None:
    """Write a file completely, or leave the old one unchanged.

    Raises SpecError: under `field`, saying why the file cannot be written and what to do.
    """
    with replacing(path, field) as stream:
        stream.write(content)


@contextmanager
def replacing(path: Path, field: str = "file") -> Iterator[BinaryIO]:
    """Yield a stream whose content replaces the file once the block ends without an error.

    It is written to a temporary file beside, synced to disk and renamed. Permissions of the old file are kept; a
    symbolic link is kept and its target replaced. Pipes and devices are written to directly, and so is a file that is
    this program's standard output or error: /dev/stdout continues at its position. `STANDARD`, ``-``, is standard
    output.

    Raises SpecError: under `field`, saying why the file cannot be written and what to do.
    """
    if path == STANDARD:
        with _standard_output(field) as stream:
            yield stream
        return
    try:
        # stat follows /dev/stdout and /dev/fd/63 to pipes that have no path of their own.
        old = _old(path)
        target = Path(os.path.realpath(path))
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        raise _write_error(path, field, error) from error
    try:
        own = None if old is None else _own(old)
        if old is None or (own is None and stat.S_ISREG(old.st_mode)):
            with _replaced(target, old) as stream:
                yield stream
            _sync_folder(target.parent)
        else:
            with path.open("wb") if own is None else os.fdopen(os.dup(own), "wb") as stream:
                yield stream
    except OSError as error:
        raise _write_error(path, field, error) from error


def check_place(path: Path, field: str = "file") -> None:
    """Check that `replacing` could write to a place, as far as can be seen without writing.

    Raises SpecError: under `field`, saying why not, and what to do.
    """
    if path == STANDARD:
        return
    try:
        if _old(path) is None and not os.path.isdir(os.path.dirname(os.path.realpath(path))):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    except (OSError, ValueError) as error:
        raise _write_error(path, field, error) from error


@contextmanager
def _standard_output(field: str) -> Iterator[BinaryIO]:
    # Not `sys.stdout`, which may be redirected.
    if sys.__stdout__ is None:
        raise SpecError(field, "standard output is closed; name a file")
    try:
        yield cast(BinaryIO, sys.__stdout__.buffer)
        sys.__stdout__.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _write_error(Path("standard output"), field, error) from error


def standard_input(limit: int) -> bytes:
    """Read standard input, at most `limit` bytes.

    Raises OSError: if there is none.
    """
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer.read(limit)


def shown(text: str) -> str:
    """Return untrusted text as one printable line of bounded length."""
    clean = "".join(c if c.isprintable() else "?" for c in text)
    return clean if len(clean) <= MAX_MESSAGE else clean[: MAX_MESSAGE - 3] + "..."


def _old(path: Path) -> os.stat_result | None:
    # The existing file. Renaming needs permissions of the folder only, so write-protected files are refused here.
    try:
        old = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(old.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return old


def _own(old: os.stat_result) -> int | None:
    # Reopening would overwrite from the start, and renaming would detach what is printed later.
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or none, or no file
            stream.flush()
            if os.path.samestat(os.fstat(stream.fileno()), old):
                return stream.fileno()
    return None


@contextmanager
def _replaced(target: Path, old: os.stat_result | None) -> Iterator[BinaryIO]:
    part = target.with_name(f".fabriscope-{secrets.token_hex(6)}.part")
    # Not tempfile: its files are private to the owner, and new files shall follow the umask.
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            if old is not None:
                os.chmod(part, stat.S_IMODE(old.st_mode))
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, target)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def _sync_folder(folder: Path) -> None:
    # Without it a power failure may lose the new name. Not all platforms can do it, and the file itself is written.
    if os.name == "nt":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_error(path: Path, field: str, error: Exception) -> SpecError:
    name = shown(path.name or str(path))
    if not isinstance(error, OSError):
        return SpecError(field, f"{name} cannot be written: {shown(str(error))}; choose another name")
    reason, advice = reason_of(error)
    return SpecError(field, f"{name} cannot be written: {reason}; {advice}")


def reason_of(error: OSError) -> tuple[str, str]:
    """Return why a file cannot be written, and what to do."""
    plain = shown(error.strerror or str(error))
    return ADVICE.get(error.errno or 0, (plain[:1].lower() + plain[1:], f"try again, or {ELSEWHERE}"))
