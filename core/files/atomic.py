"""Writing files so that nothing is ever lost: the old file stays whole until the new one is safe on the disk."""

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
"""Stands for standard input where files are read, and for standard output where they are written."""
MAX_MESSAGE = 200
"""Characters of foreign text that a message shows."""
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
"""What went wrong, and what to do."""


def write_atomically(path: Path, content: bytes, field: str = "file") -> None:
    """Write a whole file, or leave the old one as it was.

    Raises SpecError: under `field`, saying why the file cannot be written and what to do.
    """
    with replacing(path, field) as stream:
        stream.write(content)


@contextmanager
def replacing(path: Path, field: str = "file") -> Iterator[BinaryIO]:
    """Give a stream whose content takes the place of a file once the block ends without an error.

    It is written beside the file, brought to the disk and renamed. Permissions of the old file are kept; a symbolic
    link stays one, and what it leads to is replaced. What is no file but takes data (a pipe, a device) is written to,
    and so is what is this program's own standard output or error, a file too: /dev/stdout goes on where that stands.
    So does `STANDARD`, ``-``.

    Raises SpecError: under `field`, saying why the file cannot be written and what to do.
    """
    if path == STANDARD:
        with _standard_output(field) as stream:
            yield stream
        return
    try:
        # Of the path itself: a pipe that /dev/stdout or /dev/fd/63 leads to has no path of its own.
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
    """Refuse a place that `replacing` could not write to, as far as that shows without writing.

    Raises SpecError: under `field`, saying why and what to do.
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
    # Not `sys.stdout`: messages may be redirected elsewhere meanwhile.
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
    """Return what stands in standard input, `limit` bytes at most.

    Raises OSError: if there is none.
    """
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer.read(limit)


def shown(text: str) -> str:
    """Return foreign text as one printable line of bounded length."""
    clean = "".join(c if c.isprintable() else "?" for c in text)
    return clean if len(clean) <= MAX_MESSAGE else clean[: MAX_MESSAGE - 3] + "..."


def _old(path: Path) -> os.stat_result | None:
    # What stands there. Renaming asks the folder alone, so a file that is itself protected is refused here.
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
    # Opened anew it would be written from its start on, over what stands there; renamed over, what is printed is lost.
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or none, or no file
            stream.flush()
            if os.path.samestat(os.fstat(stream.fileno()), old):
                return stream.fileno()
    return None


@contextmanager
def _replaced(target: Path, old: os.stat_result | None) -> Iterator[BinaryIO]:
    part = target.with_name(f".fabriscope-{secrets.token_hex(6)}.part")
    # Not tempfile: its files are for the owner's eyes only, and new ones are to follow the user's umask.
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
    # Without it the new name may be lost with the power. Not every platform can, and the file is there anyway.
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
    """Return why something cannot be written, and what to do."""
    plain = shown(error.strerror or str(error))
    return ADVICE.get(error.errno or 0, (plain[:1].lower() + plain[1:], f"try again, or {ELSEWHERE}"))
