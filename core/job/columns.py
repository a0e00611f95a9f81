"""Columns of traffic tables: source, destination, volume, and the unit of volumes."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.job.measure import Counted

HEADERS = (
    ("src", "source", "from", "sender"),
    ("dst", "destination", "target", "to", "receiver"),
    ("volume", "bytes", "weight", "messages", "size"),
)
"""Column names. The first column of volumes in bytes, KB, MB ... is used, or else the first column of volumes.

Without a volume of these names, the only column with such a unit is used.
"""
COUNTED: dict[str, Counted] = {"bytes": "bytes", "messages": "messages"}
"""Unit of volumes in a column with this name and without a unit."""
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
"""Units in a column's name, with the unit of volumes and the factor that converts them."""
ALIASES = {"byte": "bytes", "message": "messages", **{unit.lower(): unit for unit in UNITS}}
"""Units in lower case, mapped to their form in `UNITS`."""
BITS = re.compile(r"[KMGT]i?b|kib")
"""Units of bits, distinguished from bytes only by the case of a letter."""
BRACKETED = re.compile(r"([^\[(]*?)\s*[\[(]\s*([^\])]*?)\s*[\])]")
JOINED = re.compile(r"([^\[(]+?)[ _.-]+([^\[( _.-]+)")


class Column(NamedTuple):
    """A column's name, split into the name proper and its unit."""

    name: str
    """In lower case."""
    unit: str
    """A key of `UNITS`, or any other text in brackets; empty if there is none."""

    @classmethod
    def of(cls, text: str) -> "Column":
        """Split ``Volume (B)``, ``size[MB]``, ``size_mb``, ``MB`` or ``bytes``."""
        bracketed = BRACKETED.fullmatch(text)
        if bracketed:
            return cls(bracketed[1].lower(), _standard_unit(bracketed[2]) or bracketed[2])
        joined = JOINED.fullmatch(text)
        if joined and _standard_unit(joined[2]):
            return cls(joined[1].lower(), _standard_unit(joined[2]))
        if len(text) > 1 and UNITS.get(_standard_unit(text), ("messages", 1.0))[0] != "messages":
            return cls("bytes", _standard_unit(text))
        return cls(text.lower(), "")

    @property
    def counted(self) -> tuple[Counted, float]:
        """Return the unit of volumes in the column, auto if it gives none, and the factor to convert them."""
        return UNITS.get(self.unit) or (COUNTED.get(self.name, "auto"), 1.0)

    @property
    def in_bytes(self) -> bool:
        """Return whether the column counts bytes or multiples of them."""
        return self.counted[0] not in ("auto", "messages")

    @property
    def like_volume(self) -> bool:
        """Return whether the column may be a volume under another name: ``Total bytes``, ``sent [MB]``."""
        return self.in_bytes or not set(HEADERS[2]).isdisjoint(re.split(r"\W|_", self.name))


class Columns(NamedTuple):
    """The columns of a table that are read."""

    places: list[int]
    """Indices of source, destination and volume."""
    counted: Counted = "auto"
    """Unit of volumes; auto if their column gives none."""
    factor: float = 1.0
    """Factor that converts the numbers in the file to this unit."""
    unknown_unit: str = ""
    """The text in brackets after the volume's name if it is not a known unit."""
    unread: tuple[str, ...] = ()
    """Names of other columns that look like volumes."""


def columns_in(names: Sequence[str]) -> Columns | None:
    """Return the columns named in a header, or None if one is missing."""
    columns = [Column.of(name) for name in names]
    ends = [place for names in HEADERS[:2] if (place := _place(columns, names)) >= 0]
    volumes = [place for name in HEADERS[2] for place, column in enumerate(columns) if column.name == name]
    others = [place for place, column in enumerate(columns) if place not in (*ends, *volumes) and column.like_volume]
    if not volumes and len(counting := [place for place in others if columns[place].in_bytes]) == 1:
        volumes = counting
    if len(ends) < 2 or not volumes:
        return None
    volume = min(volumes, key=lambda place: not columns[place].in_bytes)
    counted, factor = columns[volume].counted
    unit = columns[volume].unit if counted == "auto" else ""
    unread = dict.fromkeys(names[place] for place in (*volumes, *others) if place != volume)
    return Columns([*ends, volume], counted, factor, unit, tuple(unread))


def missing_columns(names: Sequence[str]) -> list[str]:
    """Return the first of the possible names of each column that a header lacks."""
    columns = [Column.of(name) for name in names]
    return [names[0] for names in HEADERS if _place(columns, names) < 0]


def header_text(line: str, separator: str | None) -> str:
    """Return a header with units in brackets attached to their names, for columns separated by blanks."""
    return line if separator else re.sub(r"\s+(?=[\[(])", "", line)


def _place(columns: Sequence[Column], names: Sequence[str]) -> int:
    return next((place for name in names for place, column in enumerate(columns) if column.name == name), -1)


def _standard_unit(unit: str) -> str:
    # The unit as written in `UNITS`; empty if unknown, or bits.
    return "" if BITS.fullmatch(unit) else ALIASES.get(unit.lower(), "")
