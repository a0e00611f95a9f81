"""Tables of counters in CSV: by the names of a link's ends, or by GUID and port."""

import csv
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from core.counters.reading import FIELD, Key, Kind, Reading, Samples, counts_of, first_repeated, name_of, pieces, wrong
from core.spec import error_at_line

COLUMNS = {
    Kind.LINK: ("src", "dst", "bytes", "", "wait"),
    Kind.GUID: ("guid", "port", "xmit_bytes", "rcv_bytes", "wait"),
}
"""Names of the columns with both parts of the key, and with bytes sent, bytes received and the wait."""
NEEDED = 3
"""The first columns of either table; the others may be absent."""
ROWS = 5000
"""Rows that are split at once; other threads run in between."""
EXPECTED = "must be src,dst,bytes or guid,port,xmit_bytes, and further columns"


def read_counter_table(path: Path) -> Reading:
    """Return the counters in a table with a header.

    Raises SpecError: naming the line that is invalid, or a link or port that is listed twice.
    """
    lines = [line for piece in pieces(path) for line in piece.splitlines()]
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
    if not kept:
        raise wrong("has no counters below its header")
    keys, columns = list[Key](), [list[int]() for _ in names[2:]]
    for begin in range(0, len(kept), ROWS):
        numbers = kept[begin : begin + ROWS]
        line_of = partial(_line_of, numbers)
        cells = _cells([lines[number] for number in numbers], separator, len(header), line_of)
        some, other, *counts = ([] if name not in header else cells[header.index(name)] for name in names)
        keys += _keys(kind, some, other, line_of)
        for column, texts in zip(columns, counts, strict=True):
            column += counts_of(texts, line_of)
    again = first_repeated(keys)
    if again is not None:
        raise error_at_line(FIELD, kept[again] + 1, f"{name_of(kind, keys[again])} is listed already")
    return Reading({kind: Samples.of(keys, columns)})


def _line_of(numbers: Sequence[int], place: int) -> int:
    return numbers[place] + 1


def _cells(lines: Sequence[str], separator: str, width: int, line_of: Callable[[int], int]) -> list[list[str]]:
    """Return the cells of each column of some rows."""
    if any('"' in line for line in lines):
        rows = [next(csv.reader([line], delimiter=separator)) for line in lines]
        widths, cells = [len(row) for row in rows], [cell for row in rows for cell in row]
    else:
        # A list of all cells is made several times faster than a list for each row.
        widths = [line.count(separator) + 1 for line in lines]
        cells = separator.join(lines).split(separator)
    place = next((place for place, cells_of_row in enumerate(widths) if cells_of_row != width), None)
    if place is not None:
        problem = f"has {widths[place]} columns; must have {width}, as the header"
        raise error_at_line(FIELD, line_of(place), problem)
    return [cells[column::width] for column in range(width)]


def _keys(kind: Kind, first: Sequence[str], second: Sequence[str], line_of: Callable[[int], int]) -> list[Key]:
    if kind is Kind.LINK:
        return [(src.strip(), dst.strip()) for src, dst in zip(first, second, strict=True)]
    try:
        return [(int(guid, 16), int(port)) for guid, port in zip(first, second, strict=True)]
    except ValueError:
        return [_port(*texts, line_of(place)) for place, texts in enumerate(zip(first, second, strict=True))]


def _port(guid: str, number: str, line: int) -> tuple[int, int]:
    try:
        return int(guid, 16), int(number)
    except ValueError as error:
        problem = f"{guid[:40]!r} and {number[:40]!r} are not a GUID and a port, such as 0x2c9030045f120 and 5"
        raise error_at_line(FIELD, line, problem) from error
