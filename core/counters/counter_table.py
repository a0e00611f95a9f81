"""Tables of counters in CSV: by the names of a link's ends, or by GUID and port."""

import csv
from collections.abc import Callable, Sequence
from itertools import repeat
from pathlib import Path

from core.counters.reading import FIELD, Key, Kind, Reading, Samples, counts_of, first_repeated, name_of, wrong
from core.spec import error_at_line, text_of

COLUMNS = {
    Kind.LINK: ("src", "dst", "bytes", "", "wait"),
    Kind.GUID: ("guid", "port", "xmit_bytes", "rcv_bytes", "wait"),
}
"""Names of the columns with both parts of the key, and with bytes sent, bytes received and the wait."""
NEEDED = 3
"""The first columns of either table; the others may be absent."""
EXPECTED = "must be src,dst,bytes or guid,port,xmit_bytes, and further columns"


def read_counter_table(path: Path) -> Reading:
    """Return the counters in a table with a header.

    Raises SpecError: naming the line that is invalid, or a link or port that is listed twice.
    """
    lines = text_of(FIELD, path).splitlines()
    first = next((number for number, line in enumerate(lines) if line.strip() and not line.startswith("#")), None)
    if first is None:
        raise wrong("is empty; give a table of counters")
    separator = next((mark for mark in ";\t," if mark in lines[first]), ",")
    header = [name.strip().lower() for name in lines[first].split(separator)]
    kind = next((kind for kind, names in COLUMNS.items() if {*names[:NEEDED]} <= {*header}), None)
    if kind is None:
        raise error_at_line(FIELD, first + 1, f"the header {EXPECTED}")
    names = COLUMNS[kind]
    twice = next((name for name in names if header.count(name) > 1), None)
    if twice is not None:
        raise error_at_line(FIELD, first + 1, f"has the column {twice} twice")
    kept = [number for number, line in enumerate(lines) if number > first and line.strip() and line[0] != "#"]
    columns = _columns([lines[number] for number in kept], separator, len(header), kept)
    cells = [columns[header.index(name)] if name in header else () for name in names]
    line_of = lambda place: kept[place] + 1  # noqa: E731
    keys = _keys(kind, cells[0], cells[1], line_of)
    return Reading({kind: Samples.of(keys, [counts_of(column, line_of) for column in cells[2:]])})


def _columns(lines: Sequence[str], separator: str, width: int, numbers: Sequence[int]) -> list[Sequence[str]]:
    if any('"' in line for line in lines):
        rows = [next(csv.reader([line], delimiter=separator)) for line in lines]
        widths, cells = [*map(len, rows)], [cell for row in rows for cell in row]
    else:
        # A list of all cells is made several times faster than a list for each line.
        widths = [line.count(separator) + 1 for line in lines]
        cells = separator.join(lines).split(separator)
    place = next((place for place, cells_of_row in enumerate(widths) if cells_of_row != width), None)
    if place is not None:
        problem = f"has {widths[place]} columns; must have {width}, as the header"
        raise error_at_line(FIELD, numbers[place] + 1, problem)
    return [cells[column::width] if lines else [] for column in range(width)]


def _keys(kind: Kind, first: Sequence[str], second: Sequence[str], line_of: Callable[[int], int]) -> list[Key]:
    if kind is Kind.LINK:
        keys: list[Key] = [*zip(map(str.strip, first), map(str.strip, second), strict=True)]
    else:
        try:
            keys = [*zip(map(int, first, repeat(16)), map(int, second), strict=True)]
        except ValueError:
            keys = [_port(*texts, line_of(place)) for place, texts in enumerate(zip(first, second, strict=True))]
    again = first_repeated(keys)
    if again is not None:
        raise error_at_line(FIELD, line_of(again), f"{name_of(kind, keys[again])} is listed already")
    return keys


def _port(guid: str, number: str, line: int) -> tuple[int, int]:
    try:
        return int(guid, 16), int(number)
    except ValueError as error:
        problem = f"{guid[:40]!r} and {number[:40]!r} are not a GUID and a port, such as 0x2c9030045f120 and 5"
        raise error_at_line(FIELD, line, problem) from error
