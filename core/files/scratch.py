"""Temporary folders, and the removal of temporary files that killed runs left behind."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

STALE_SECONDS = 86_400
"""Age below which temporary files are kept, because their process may run on another host."""
PREFIX = "fabriscope-"


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a new temporary folder and remove it at the end; also remove folders that killed runs left behind."""
    remove_stale(Path(tempfile.gettempdir()), PREFIX)
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def remove_stale(folder: Path, prefix: str) -> None:
    """Remove files and folders named ``PREFIX<process id>-...`` that are over a day old and whose process has ended.

    Files that cannot be removed are kept.
    """
    if os.name == "nt":
        return  # `os.kill` cannot test for a process on Windows
    oldest = time.time() - STALE_SECONDS
    with suppress(OSError):
        for path in folder.glob(f"{prefix}*-*"):
            number = path.name.removeprefix(prefix).partition("-")[0]
            with suppress(OSError):
                if number.isdecimal() and path.lstat().st_mtime < oldest and not _runs(int(number)):
                    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True  # a process of another user
    return True
