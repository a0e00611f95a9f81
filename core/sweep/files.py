"""The files that a study's scenarios read: results are valid only for their contents."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any

from core.files.scenario_file import FAMILIES
from core.spec import SpecError, fields_of, file_beside, members
from core.sweep.paths import Plain, keys_of

ANY_SIZE = 1 << 62
"""Bytes: no limit here, the reader of a file has one."""


def files_in(base: Plain, vary: dict[str, Any]) -> tuple[str, ...]:
    """Return the names of all files named in a base scenario and in the varied values, each once, in order."""
    varied = [{keys_of(path)[-1]: values} for path, values in vary.items()]
    return tuple(sorted(set(_named([base, varied]))))


def _named(plain: Plain) -> Iterator[str]:
    if isinstance(plain, list):
        for part in plain:
            yield from _named(part)
    elif isinstance(plain, dict):
        for name, value in plain.items():
            if name in _fields():
                yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str))
            yield from _named(value)


@cache
def _fields() -> frozenset[str]:
    specs = (spec for union in FAMILIES.values() for spec in members(union))
    return frozenset(field.name for spec in specs for field in fields_of(spec) if field.is_file)


def digest_of_files(names: tuple[str, ...], folder: Path | None) -> str:
    """Return a digest of the contents of some files in a folder; an unreadable one counts as empty."""
    whole = blake2b(digest_size=8)
    for name in names:
        whole.update(name.encode("utf-8", "replace") + b"\0")
        with suppress(SpecError, OSError), file_beside("file", name, folder, ANY_SIZE).open("rb") as stream:
            whole.update(file_digest(stream, "blake2b").digest())
    return whole.hexdigest()
