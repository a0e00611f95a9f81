"""What a file of another tool holds, and what such a file cannot say."""

from collections.abc import Callable
from typing import NamedTuple


class Exported(NamedTuple):
    """A file as a tool reads it."""

    content: str | bytes
    """Text has LF at the ends of its lines, and is written in UTF-8."""
    losses: tuple[str, ...] = ()
    """What is left out or changed, a clause each: ``bandwidths``, ``parallel links are one``."""


class Writer(NamedTuple):
    """How something is written as one format."""

    write: Callable[..., Exported]
    line: str
    """What the file is, for people who choose one."""
    ending: str
    """Of the file's name: ``.dot``."""
