"""Atomic writing. The old file stays complete until the new file is safely on disk."""

import errno
import os
import secrets
import stat
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, cast

from core.files.complete import is_complete
from core.files.scratch import PREFIX, remove_stale
from core.spec import SpecError

STANDARD = Path("-")
"""Standard input for reading, standard output for writing."""
MAX_MESSAGE = 200
"""Maximum length of foreign text in a message."""
PART_PREFIX = f".{PREFIX}"
"""Beginning of the names of temporary files, in the folders of the files that they replace."""
ELSEWHERE = "save it elsewhere"
ADVICE = {
    errno.ENOSPC: ("the disk is full", f"free some space, or {ELSEWHERE}"),
    errno.EDQUOT: ("your disk quota is exceeded", f"free some space, or {ELSEWHERE}"),
    errno.EACCES: ("it or its folder is read-only", ELSEWHERE),
    errno.EPERM: ("it or its folder is read-only", ELSEWHERE),
    errno.EROFS: ("the disk is read-only", ELSEWHERE),
    errno.ENOENT: ("its folder does not exist", ELSEWHERE),
    errno.ENOTDIR: ("its folder does not exist", ELSEWHERE),
    errno.EISDIR: ("it is a folder", "choose another name"),
    errno.ENAMETOOLONG: ("its name is too long", "choose a shorter name"),
    errno.EFBIG: ("it is too large for this file system", ELSEWHERE),
    errno.EIO: ("the disk reported an error", ELSEWHERE),
}
"""Reason and advice for each errno."""


def write_atomically(path: Path, content: bytes, field: str = "file", form: str = "") -> None:
    """Write a file completely, or leave the old one unchanged.

    `form` is the ending of the format in which a library wrote `content`; incomplete content is refused.

    Raises SpecError: under `field`, saying why the file cannot be written and what to do.
    """
    if not is_complete(content, form):
        raise SpecError(field, f"{shown(path.name)} cannot be written: its {form} content is incomplete; try again")
    with replacing(path, field) as stream:
        stream.write(content)


@contextmanager
def replacing(path: Path, field: str = "file") -> Iterator[BinaryIO]:
    """Yield a stream whose content replaces the file once the block ends without an error.

    The content is written to a temporary file in the same folder, synced to disk and renamed. Permissions of the old
    file are kept. A symbolic link is kept and its target replaced. Pipes and devices are written to directly. So is a
    file that is this program's standard output or error: /dev/stdout continues at its position. `STANDARD`, ``-``, is
    standard output.

    Raises SpecError: under `field`, saying why the file cannot be written and what to do.
    """
    if path == STANDARD:
        with _standard_output(field) as stream:
            yield stream
        return
    try:
        # stat follows /dev/stdout and /dev/fd/63 to pipes, which have no path of their own.
        old = _old(path)
        target = Path(os.path.realpath(path))
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        raise _write_error(path, field, error) from error
    try:
        own = None if old is None else _own(old)
        if old is None or (own is None and stat.S_ISREG(old.st_mode)):
            with _replaced(Part(target, old)) as stream:
                yield stream
        else:
            with path.open("wb") if own is None else os.fdopen(os.dup(own), "wb") as stream:
                yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _write_error(path, field, error) from error


def check_place(path: Path, field: str = "file", endings: Collection[str] = ()) -> None:
    """Check that `replacing` could write to a path, as far as possible without writing.

    `endings` are the valid endings of a file's name, or empty for any. Pipes and devices may have any name.

    Raises SpecError: under `field`, with the reason and what to do.
    """
    if path == STANDARD:
        return
    with reported(path, field):
        if _old(path) is None and not os.path.isdir(os.path.dirname(os.path.realpath(path))):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if endings and path.suffix.lower() not in endings and is_named_file(path):
        *most, last = endings
        raise SpecError(field, f"{shown(path.name)} must end in {', '.join(most)}{' or ' if most else ''}{last}")


def is_named_file(path: Path) -> bool:
    """Return whether a path is a file, existing or not, rather than a pipe, a device or this program's output."""
    try:
        old = os.stat(path)
    except OSError:
        return path != STANDARD
    return stat.S_ISREG(old.st_mode) and _own(old) is None


@contextmanager
def _standard_output(field: str) -> Iterator[BinaryIO]:
    # Not `sys.stdout`, which may be redirected.
    if sys.__stdout__ is None:
        raise SpecError(field, "standard output is closed; give a file name")
    try:
        yield cast(BinaryIO, sys.__stdout__.buffer)
        sys.__stdout__.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _write_error(Path("standard output"), field, error) from error


def standard_input(limit: int) -> bytes:
    """Read standard input, at most `limit` bytes.

    Raises OSError: if it is closed.
    """
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer.read(limit)


def shown(text: str) -> str:
    """Return untrusted text as one printable line of bounded length."""
    clean = "".join(c if c.isprintable() else "?" for c in text)
    return clean if len(clean) <= MAX_MESSAGE else clean[: MAX_MESSAGE - 3] + "..."


def _old(path: Path) -> os.stat_result | None:
    # The existing file. Renaming only needs permissions for the folder, so write-protected files are refused here.
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
    # Reopening would overwrite the file from its start, and renaming would detach later output.
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, missing, or not a file
            stream.flush()
            if os.path.samestat(os.fstat(stream.fileno()), old):
                return stream.fileno()
    return None


@contextmanager
def _replaced(part: "Part") -> Iterator[BinaryIO]:
    try:
        with part.path.open("wb") as stream:
            yield stream
            stream.flush()
        part.commit()
    except BaseException:
        part.discard()
        raise


class Part:
    """A temporary file that replaces a file in the same folder once it is complete.

    Parameters
    ----------
    target
        The file to replace, without symbolic links.
    old
        The status of that file, whose permissions are kept, or None if it does not exist.
    ending
        The ending of the temporary file's name, for programs that choose the format by the ending.

    Raises OSError: if it cannot be created.
    """

    def __init__(self, target: Path, old: os.stat_result | None, ending: str = "") -> None:
        self._target = target
        self.path = target.with_name(f"{PART_PREFIX}{os.getpid()}-{secrets.token_hex(6)}.part{ending}")
        # Not tempfile, whose files are private to the owner: new files must follow the umask.
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        os.close(os.open(self.path, flags, 0o666))
        try:
            if old is not None:
                os.chmod(self.path, stat.S_IMODE(old.st_mode))
        except BaseException:
            self.discard()
            raise

    def commit(self) -> None:
        """Sync the temporary file to disk and rename it.

        Raises OSError: if that fails; the old file is then unchanged.
        """
        descriptor = os.open(self.path, os.O_WRONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(self.path, self._target)
        _sync_folder(self._target.parent)

    def discard(self) -> None:
        """Remove the temporary file, if there is one."""
        with suppress(OSError):
            self.path.unlink()


def part_for_program(path: Path, field: str, ending: str) -> Part:
    """Create a temporary file for another program to write to, in the folder of the file it replaces.

    Temporary files that killed runs left behind are removed from the folder.

    Raises SpecError: under `field`, if the file cannot be written, or is a pipe or a device.
    """
    with reported(path, field):
        old, target = _old(path), Path(os.path.realpath(path))
        if old is not None and not stat.S_ISREG(old.st_mode):
            raise SpecError(field, f"{shown(path.name)} is not a regular file; choose another name")
        part = Part(target, old, ending)
        remove_stale(target.parent, PART_PREFIX)
        return part


@contextmanager
def reported(path: Path, field: str) -> Iterator[None]:
    """Convert errors of the operating system in the block to a SpecError about the file, under `field`."""
    try:
        yield
    except SpecError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a name with a null byte
        raise _write_error(path, field, error) from error


def _sync_folder(folder: Path) -> None:
    # Without this a power failure may lose the new name. Not all platforms support it, but the file itself is written.
    if os.name == "nt":
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _write_error(path: Path, field: str, error: Exception) -> SpecError:
    missing = isinstance(error, OSError) and error.errno in (errno.ENOENT, errno.ENOTDIR)
    name = shown(str(path) if missing else path.name or str(path))
    if not isinstance(error, OSError):
        return SpecError(field, f"{name} cannot be written: {shown(str(error))}; choose another name")
    reason, advice = reason_of(error)
    return SpecError(field, f"{name} cannot be written: {reason}; {advice}")


def reason_of(error: OSError) -> tuple[str, str]:
    """Return why a file cannot be written, and what to do."""
    plain = shown(error.strerror or str(error))
    return ADVICE.get(error.errno or 0, (plain[:1].lower() + plain[1:], f"try again, or {ELSEWHERE}"))
