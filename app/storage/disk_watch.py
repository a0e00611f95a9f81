"""Detection of changes that other programs make to files that were read or written."""

from datetime import datetime
from hashlib import blake2b
from pathlib import Path

from core.files.regular import regular
from core.files.scenario_file import content_of
from core.spec import SpecError

ANOTHER = b""
"""Digest that matches no content, so that any content counts as a change."""


class DiskWatch:
    """Stores a digest of the content of each file as it was last read or written."""

    def __init__(self) -> None:
        self._digests: dict[Path, bytes] = {}

    def note(self, path: Path, content: bytes) -> None:
        """Store the digest of the content that was read from a file or written to it."""
        self._digests[path.resolve()] = _digest(content)

    def note_older(self, path: Path, time: datetime) -> None:
        """Note a file whose content was last known at a local time; if it was written later, it has changed."""
        try:
            if datetime.fromtimestamp(path.stat().st_mtime) > time:
                self._digests[path.resolve()] = ANOTHER
        except OSError:
            pass  # a missing file has no changes to lose

    def noted(self, path: Path) -> bytes | None:
        """Return the last noted digest of the file's content, or None if the file was never noted."""
        return self._digests.get(path.resolve())

    def changed(self, path: Path) -> bool:
        """Return whether the file's content differs from the noted content; False if the file was never noted."""
        noted = self.noted(path)
        if noted is None:
            return False
        try:
            return _digest(content_of(regular(path))) != noted
        except SpecError:
            return False  # the error is reported when it is written


def _digest(content: bytes) -> bytes:
    return blake2b(content, digest_size=16).digest()
