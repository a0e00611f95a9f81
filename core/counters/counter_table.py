"""Tables of counters in CSV: by the names of a link's ends, or by GUID and port."""

import csv
from collections.abc import Iterator, Sequence
from math import nan
from pathlib import Path
from typing import TypeVar

from core.counters.reading import FIELD, Port, Reading, Sample, count_of, wrong
from core.spec import error_at_line, text_of

BY_NAME, BY_PORT = ("src", "dst", "bytes", "wait"), ("guid", "port", "xmit_bytes", "rcv_bytes", "wait")
NEEDED = 3
"""The first columns of either table; the others may be absent."""
EXPECTED = f"must be {','.join(BY_NAME[:NEEDED])} or {','.join(BY_PORT[:NEEDED])}, and further columns"
Key = TypeVar("Key")


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
    kind = next((names for names in (BY_NAME, BY_PORT) if {*names[:NEEDED]} <= {*header}), None)
    if kind is None:
        raise error_at_line(FIELD, first + 1, f"the header {EXPECTED}")
    twice = next((name for name in kind if header.count(name) > 1), None)
    if twice is not None:
        raise error_at_line(FIELD, first + 1, f"has the column {twice} twice")
    place = [header.index(name) if name in header else -1 for name in kind]
    ports, links = dict[Port, Sample](), dict[tuple[str, str], Sample]()
    for number, cells in _rows(lines, first + 1, separator, len(header)):
        values = [cells[at].strip() if at >= 0 else "" for at in place]
        if kind is BY_NAME:
            ends, sample = (values[0], values[1]), Sample(_count(values[2], number), nan, _count(values[3], number))
            _add(links, ends, sample, f"{ends[0]} → {ends[1]}", number)
        else:
            port = _port(values[0], values[1], number)
            sample = Sample(*(_count(value, number) for value in values[2:]))
            _add(ports, port, sample, f"port {port.number} of {port.device}", number)
    return Reading(ports, links)


def _rows(lines: Sequence[str], first: int, separator: str, width: int) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(lines[first:], start=first + 1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = next(csv.reader([line], delimiter=separator)) if '"' in line else line.split(separator)
        if len(cells) != width:
            raise error_at_line(FIELD, number, f"has {len(cells)} columns; must have {width}, as the header")
        yield number, cells


def _add(samples: dict[Key, Sample], key: Key, sample: Sample, name: str, line: int) -> None:
    if key in samples:
        raise error_at_line(FIELD, line, f"{name} is listed already")
    samples[key] = sample


def _count(text: str, line: int) -> float:
    return count_of(text, line) if text else nan


def _port(guid: str, number: str, line: int) -> Port:
    try:
        return Port(f"guid 0x{int(guid, 16):x}", int(number))
    except ValueError as error:
        problem = f"{guid[:40]!r} and {number[:40]!r} are not a GUID and a port, such as 0x2c9030045f120 and 5"
        raise error_at_line(FIELD, line, problem) from error
