"""Files that can be read without blocking. Opening a named pipe could wait for a writer forever."""

import stat
from pathlib import Path

from core.files.atomic import shown
from core.spec import SpecError

KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def regular(path: Path) -> Path:
    """Return the path of a regular file.

    Raises SpecError: under ``file``, if it does not exist, cannot be examined, or is not a regular file.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise SpecError("file", f"{shown(path.name)} cannot be read: {reason}") from error
    if not stat.S_ISREG(mode):
        kind = KINDS.get(stat.S_IFMT(mode), "not a regular file")
        raise SpecError("file", f"{shown(path.name)} cannot be read: it is {kind}")
    return path
