"""Columns of traffic tables: which hold source, destination and volume, and in what unit volumes are counted."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.job.measure import Counted

HEADERS = (
    ("src", "source", "from", "sender"),
    ("dst", "destination", "target", "to", "receiver"),
    ("volume", "bytes", "weight", "messages", "size"),
)
"""Column names. Of several volumes one in bytes, KB, MB, ... is used, else the first. Other columns are ignored."""
COUNTED: dict[str, Counted] = {"bytes": "bytes", "messages": "messages"}
"""What volumes count in a column of this name that has no unit."""
UNITS: dict[str, tuple[Counted, float]] = {
    "B": ("bytes", 1.0),
    "bytes": ("bytes", 1.0),
    "KB": ("KB", 1.0),
    "MB": ("MB", 1.0),
    "GB": ("GB", 1.0),
    "TB": ("GB", 1e3),
    "KiB": ("bytes", 2.0**10),
    "MiB": ("bytes", 2.0**20),
    "GiB": ("bytes", 2.0**30),
    "messages": ("messages", 1.0),
}
"""Units in a column's name: what volumes count, and the factor from the numbers to it."""
ALIASES = {"byte": "bytes", "message": "messages", **{unit.lower(): unit for unit in UNITS}}
"""Units in lower case, as they are written in `UNITS`."""
BITS = re.compile(r"[KMGT]i?b|kib")
"""Units of bits, which differ from those of bytes in the case of a letter only."""
BRACKETED = re.compile(r"([^\[(]*?)\s*[\[(]\s*([^\])]*?)\s*[\])]")
JOINED = re.compile(r"([^\[(]+?)[ _.-]+([^\[( _.-]+)")


class Column(NamedTuple):
    """A column's name, split into the name proper and its unit."""

    name: str
    """In lower case."""
    unit: str
    """A key of `UNITS`, or any other text in brackets; empty: none."""

    @classmethod
    def of(cls, text: str) -> "Column":
        """Split ``Volume (B)``, ``size[MB]``, ``size_mb``, ``MB`` or ``bytes``."""
        bracketed = BRACKETED.fullmatch(text)
        if bracketed:
            return cls(bracketed[1].lower(), _known(bracketed[2]) or bracketed[2])
        joined = JOINED.fullmatch(text)
        if joined and _known(joined[2]):
            return cls(joined[1].lower(), _known(joined[2]))
        if len(text) > 1 and UNITS.get(_known(text), ("messages", 1.0))[0] != "messages":
            return cls("bytes", _known(text))
        return cls(text.lower(), "")

    @property
    def counted(self) -> tuple[Counted, float]:
        """Return what volumes in it count, and the factor to that; auto: it does not say."""
        return UNITS.get(self.unit) or (COUNTED.get(self.name, "auto"), 1.0)

    @property
    def in_bytes(self) -> bool:
        """Return whether it counts bytes or multiples of them."""
        return self.counted[0] not in ("auto", "messages")


class Columns(NamedTuple):
    """The columns of a table that are read."""

    places: list[int]
    """Of source, destination and volume."""
    counted: Counted = "auto"
    """What volumes count; auto: their column does not say."""
    factor: float = 1.0
    """From the numbers in the file to what they count."""
    unknown_unit: str = ""
    """The text in brackets behind the volume's name if it is no known unit."""
    unread: tuple[str, ...] = ()
    """Names of other columns that look like volumes."""


def columns_in(names: Sequence[str]) -> Columns | None:
    """Return the columns that a header names; None: one is missing."""
    columns = [Column.of(name) for name in names]
    ends = [place for known in HEADERS[:2] if (place := _place(columns, known)) >= 0]
    volumes = [place for known in HEADERS[2] for place, one in enumerate(columns) if one.name == known]
    if len(ends) < 2 or not volumes:
        return None
    volume = min(volumes, key=lambda place: not columns[place].in_bytes)
    counted, factor = columns[volume].counted
    unit = columns[volume].unit if counted == "auto" else ""
    return Columns([*ends, volume], counted, factor, unit, tuple(names[place] for place in volumes if place != volume))


def missing_columns(names: Sequence[str]) -> list[str]:
    """Return the first of the known names of each column that a header lacks."""
    columns = [Column.of(name) for name in names]
    return [known[0] for known in HEADERS if _place(columns, known) < 0]


def header_text(line: str, separator: str | None) -> str:
    """Return a header in which a unit in brackets stays with its name where blanks separate the columns."""
    return line if separator else re.sub(r"\s+(?=[\[(])", "", line)


def _place(columns: Sequence[Column], known: Sequence[str]) -> int:
    return next((place for name in known for place, one in enumerate(columns) if one.name == name), -1)


def _known(unit: str) -> str:
    # The unit as `UNITS` has it; empty: unknown, or bits.
    return "" if BITS.fullmatch(unit) else ALIASES.get(unit.lower(), "")
