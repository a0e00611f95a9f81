"""Counters of ports at one moment, as files hold them."""

import enum
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.spec import SpecError, decoded_text, error_at_line, text_of

FIELD = "measured"
MAX_COUNT = 10**24
"""Limit of counters, beyond the range of 64 bits in any unit."""
WORD = 1 << 32
"""Counters are stored in two parts, so that differences of counters of 64 bits are exact."""
SENT, RECEIVED, WAIT = range(3)
"""Rows of values: bytes sent, bytes received, and ticks in which data waited to be sent.

The length of a tick depends on the device.
"""
NO_VALUE = -1
PIECE = 1 << 19
"""Bytes of a file that are read at once: regular expressions and splits do not let other threads run."""
Values = NDArray[np.float64]
Key = tuple[Any, Any]


class Kind(enum.Enum):
    """The owner of a counter, and its key."""

    LID = "LID"
    """A port of a device with a LID: ``(lid, number)``."""
    GUID = "GUID"
    """A port of a device with a GUID: ``(guid, number)``."""
    NIC = "NIC"
    """A port of a host's adapter: ``(("n001", "mlx5_0"), number)``."""
    LINK = "link"
    """A link, by the names of its ends: ``(tail, head)``."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Counters of one kind."""

    keys: Sequence[Key]
    """The ports or links, all different."""
    high: Values
    """High parts, in units of `WORD`, shape ``(3, keys)``; NaN where the file has no value."""
    low: Values
    """Low parts."""

    @classmethod
    def of(cls, keys: Sequence[Key], columns: Sequence[Sequence[int]], unit: Sequence[int] = (1, 1, 1)) -> "Samples":
        """Return samples with a column of values each for sent, received and wait, in units.

        Values are exact, and `NO_VALUE` stands for missing ones; a column may be empty.
        """
        parts = np.full((2, 3, len(keys)), np.nan)
        for row, (column, size) in enumerate(zip(columns, unit, strict=True)):
            if column:
                parts[:, row] = _parts(column)
                parts[:, row] *= size
        return cls(keys, parts[0], parts[1])

    @property
    def values(self) -> Values:
        """Return the values, shape ``(3, keys)``."""
        return self.high * WORD + self.low

    def rows_of(self, keys: Sequence[Key]) -> NDArray[np.intp]:
        """Return the places of some keys, -1 for missing ones."""
        if keys == self.keys:
            return np.arange(len(keys))
        row = {key: place for place, key in enumerate(self.keys)}
        return np.array([row.get(key, -1) for key in keys], np.intp)


def _parts(column: Sequence[int]) -> Values:
    try:
        values = np.frombuffer(array("q", column), np.int64)
        parts = np.stack(np.divmod(values, WORD)).astype(np.float64)
    except OverflowError:  # beyond 63 bits
        parts = np.array([divmod(value, WORD) for value in column], np.float64).T
    parts[:, parts[0] < 0] = np.nan
    return parts


@dataclass(frozen=True, eq=False)
class Reading:
    """All counters in a file."""

    samples: dict[Kind, Samples] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    moment: float | None = None
    """Time of the reading, s since 1970; None if the file does not say."""


def pieces(path: Path) -> Iterator[str]:
    """Yield the text of a file in pieces of whole lines, short enough for other threads to run in between.

    Raises SpecError: naming the first line that is not text.
    """
    with path.open("rb") as file:
        while content := file.read(PIECE) + file.readline():
            try:
                yield decoded_text(FIELD, content)
            except SpecError:
                text_of(FIELD, path)  # raises the error with the number of the line in the file
                raise


def name_of(kind: Kind, key: Key) -> str:
    """Return the name of a port or link: ``port 5 of LID 12``, ``s1 → s2``."""
    first, second = key
    if kind is Kind.LINK:
        return f"{first} → {second}"
    if kind is Kind.NIC:
        return f"port {second} of {' '.join(first)}"
    return f"port {second} of {kind.value} {first if kind is Kind.LID else hex(first)}"


def first_repeated(keys: Sequence[Key]) -> int | None:
    """Return the place of the first key that occurs before, or None if all are different."""
    if len({*keys}) == len(keys):
        return None
    first = {key: place for place, key in reversed([*enumerate(keys)])}
    return next(place for place, key in enumerate(keys) if first[key] != place)


def counts_of(texts: Sequence[str], line_of: Callable[[int], int]) -> list[int]:
    """Return counters, `NO_VALUE` for empty texts; fractions are cut off.

    Raises SpecError: naming the line, `line_of` the place of a text that is not a number from 0 to `MAX_COUNT`.
    """
    try:
        values = [int(text) for text in texts]
        if min(values, default=0) >= 0 and max(values, default=0) <= MAX_COUNT:
            return values
    except ValueError:
        pass  # not only digits
    stripped = (text.strip() for text in texts)
    return [count_of(text, line_of(place)) if text else NO_VALUE for place, text in enumerate(stripped)]


def count_of(text: str, line: int) -> int:
    """Return a counter; a fraction is cut off.

    Raises SpecError: naming the line, if it is not a number from 0 to `MAX_COUNT`.
    """
    try:
        value = int(text) if text.isdecimal() else int(float(text))
    except (ValueError, OverflowError):
        value = -1
    if not 0 <= value <= MAX_COUNT or text.startswith("-"):
        raise error_at_line(FIELD, line, f"{text[:40]!r} is not a counter; must be a number from 0")
    return value


def wrong(message: str) -> SpecError:
    """Return an error in a file of counters."""
    return SpecError(FIELD, message)
