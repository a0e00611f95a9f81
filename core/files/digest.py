"""Digests, which identify the scenario of a figure and the files that the scenario names."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from hashlib import blake2b, file_digest
from pathlib import Path

import msgspec

from core import __version__
from core.files.scenario_file import choices_as_written
from core.load.scenario import Scenario
from core.spec import SpecError, path_in_folder

ANY_SIZE = 1 << 62
"""No limit on the size of a file; its reader has a limit."""
SIZE = 8
"""Bytes of a digest."""


def digest_of(scenario: Scenario) -> str:
    """Return the digest of a scenario, 16 hexadecimal digits.

    It depends on the choices and on the contents of files, but not on the names of files, the note or the snapshots.
    """
    bare = replace(scenario, note="", snapshots=())
    choices = choices_as_written(bare, lambda _, name: digest_of_files((name,), scenario.folder, named=False))
    return _hex(msgspec.json.encode(choices, order="sorted"))


def source_of(*scenarios: Scenario) -> str:
    """Return the source of a file written from scenarios: the program, its version, and the scenarios' digests."""
    digests = list(dict.fromkeys(map(digest_of, scenarios)))
    written_from = f", scenario{'s' * (len(digests) > 1)} {', '.join(digests)}" if digests else ""
    return f"Fabriscope {__version__}{written_from}"


def digest_of_files(names: Iterable[str], folder: Path | None, *, named: bool = True) -> str:
    """Return a digest of the contents of files in a folder, and, if `named`, of their names.

    Unreadable files count as empty.
    """
    parts = []
    for name in names:
        parts.append(name.encode("utf-8", "replace") + b"\0" if named else b"")
        with suppress(SpecError, OSError), path_in_folder("file", name, folder, ANY_SIZE).open("rb") as stream:
            parts.append(file_digest(stream, "blake2b").digest())
    return _hex(b"".join(parts))


def _hex(content: bytes) -> str:
    return blake2b(content, digest_size=SIZE).hexdigest()
