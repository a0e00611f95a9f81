"""Output of perfquery: blocks of counters, port by port, in a stream or in a file per device named by its GUID.

Data counters are in units of four octets. Source: the manual page perfquery(8).

Most blocks of a file differ in numbers only. A pattern made from the first block finds all blocks of its form. The text
in between is read in the same way, or else line by line.
"""

import re
from math import inf
from pathlib import Path
from typing import NamedTuple

from core.counters.reading import (
    FIELD,
    MAX_COUNT,
    NO_VALUE,
    RECEIVED,
    SENT,
    WAIT,
    Key,
    Kind,
    Reading,
    Samples,
    count_of,
    name_of,
    pieces,
    wrong,
)  # fmt: skip
from core.network.formats.infiniband.dump import SkippedLines
from core.spec import error_at_line, errors_naming, text_of
from core.text import plural

HEAD = b"# Port "
BLOCK = re.compile(
    r"# Port (?P<extended>extended )?counters: (?:Lid (?P<lid>\d+)|.*?) port (?P<port>\d+)\b.*", re.IGNORECASE
)
COUNTER = re.compile(r"(?P<name>\w+):\.*(?P<value>\d+|0x[0-9a-fA-F]+|N/A)?")
GUID = re.compile(r"(0x[0-9a-fA-F]{1,16}|[0-9a-fA-F]{16})(-\d+)?")
"""Name of a file with the counters of a device, or of one of its ports."""
NUMBER = re.compile(rb"\d+|(?:\\\.)+")
"""A number, or dots in front of it, in a pattern."""
ALL_PORTS = 255
SATURATED = 2**32 - 1
"""A counter of 32 bits stops here."""
COUNTERS = {"portxmitdata": SENT, "portrcvdata": RECEIVED, "portxmitwait": WAIT}
UNITS = (4, 4, 1)
"""Octets per unit of the data counters."""
MAX_FORMS = 50
"""Maximum number of forms of blocks; blocks of other forms are read line by line."""


def read_perfquery(path: Path) -> Reading:
    """Return the counters in a file, or in all files of its folder if it is named by a GUID.

    Raises SpecError: naming the line that is invalid, or a port that is listed twice.
    """
    named, files = GUID.fullmatch(path.stem) is not None, [path]
    if named:
        files = sorted(file for file in path.parent.glob(f"*{path.suffix}") if GUID.fullmatch(file.stem))
    blocks = _Blocks(Kind.GUID if named else Kind.LID)
    for file in files:
        with errors_naming(FIELD, file):
            blocks.read(file)
    return blocks.reading()


class _Form(NamedTuple):
    """Blocks that differ in numbers only."""

    pattern: re.Pattern[bytes]
    """Its groups are the LID, unless the device has a GUID, the port, and counters."""
    rows: tuple[int, ...]
    """The counters: `SENT`, `RECEIVED` or `WAIT`."""
    lines: int
    limit: float
    """Where counters stop."""


class _Blocks:
    """Counters of the ports read so far."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._keys = list[Key]()
        """The ports, and among them the sums of all ports of a device."""
        self._columns = [list[int]() for _ in UNITS]
        self._ports_read = set[Key]()
        """The ports in the files read so far."""
        self._guid: int | None = None
        """GUID of the device whose file is read."""
        self._limit = inf
        """Where the counters of the current port stop; the current port is the last of `_keys`, or else `_row`."""
        self._row = -1
        self._forms = dict[bytes, _Form | None]()
        self._skipped, self._saturated = SkippedLines(), 0

    def read(self, path: Path) -> None:
        """Add the counters in a file."""
        self._guid = int(path.stem.partition("-")[0], 16) if self._kind is Kind.GUID else None
        first, self._row, line = len(self._keys), -1, 1
        for piece in pieces(path):
            self._read(f"{piece}\n".encode() if piece[-1:] != "\n" else piece.encode(), line)
            line += piece.count("\n")
        ports, count_before = [key for key in self._keys[first:] if key[1] != ALL_PORTS], len(self._ports_read)
        self._ports_read.update(ports)
        if len(self._ports_read) < count_before + len(ports):
            self._refuse_repeated(text_of(FIELD, path), set(self._keys[:first]))

    def _refuse_repeated(self, text: str, earlier: set[Key]) -> None:
        for number, line in enumerate(text.splitlines(), start=1):
            block = BLOCK.fullmatch(line.strip())
            if block is None or int(block["port"]) == ALL_PORTS:
                continue
            key = self._key_of(block)
            if key in earlier:
                raise error_at_line(FIELD, number, f"{name_of(self._kind, key)} has counters already")
            earlier.add(key)

    def _key_of(self, block: re.Match[str]) -> Key:
        return int(block["lid"] or 0) if self._guid is None else self._guid, int(block["port"])

    def _read(self, content: bytes, line: int) -> None:
        """Add the counters in some lines, of which the first has a number."""
        begin = _next_block(content, 0)
        line = self._read_lines(content[:begin], line)
        while begin < len(content):
            end = _next_block(content, begin + 1)
            form = self._form_of(content[begin:end])
            if form is not None and self._read_alike(content[begin:], form, line):
                return
            line = self._read_lines(content[begin:end], line)
            begin = end

    def _form_of(self, block: bytes) -> _Form | None:
        words = block.translate(None, b"0123456789.")
        if words not in self._forms and len(self._forms) < MAX_FORMS:
            self._forms[words] = _form_of(block, with_lid=self._guid is None)
        return self._forms.get(words)

    def _read_alike(self, content: bytes, form: _Form, line: int) -> bool:
        """Add all blocks of a form, and the lines in between; return false, with nothing added, for invalid values."""
        parts, every = form.pattern.split(content), form.pattern.groups + 1
        try:
            columns = [[int(text) for text in parts[k::every]] for k in range(1, every)]
        except ValueError:  # too many digits
            return False
        devices = columns.pop(0) if self._guid is None else [self._guid] * len(columns[0])
        ports, *values = columns
        if not ports or (self._guid is None and 0 in devices) or any(max(some) > MAX_COUNT for some in values):
            return False
        first = len(self._keys)
        self._add(*zip(devices, ports, strict=True))
        for row, column in zip(form.rows, values, strict=True):
            stops = max(column) >= form.limit
            self._columns[row][first:] = [self._counted(value, form.limit) for value in column] if stops else column
        for number, between in enumerate(parts[::every]):
            if between:
                self._row, self._limit = first + number - 1, form.limit
                self._read(between, line + number * form.lines)
                line += between.count(b"\n")
        if not parts[-1]:
            self._row, self._limit = first + len(ports) - 1, form.limit
        return True

    def _add(self, *keys: Key) -> None:
        """Add ports, without counters."""
        self._keys += keys
        for column in self._columns:
            column += [NO_VALUE] * len(keys)
        self._row = len(self._keys) - 1

    def _read_lines(self, content: bytes, first: int) -> int:
        """Add the counters in some lines, of which the first has a number; return the number of the next line."""
        lines = content.decode().splitlines()
        for number, line in enumerate(lines, start=first):
            stripped = line.strip()
            block = BLOCK.fullmatch(stripped) if stripped.startswith("#") else None
            counter = COUNTER.fullmatch(stripped) if block is None else None
            if block is not None:
                self._begin(block, number)
            elif counter is not None:
                self._take(counter, number)
            elif stripped:
                self._skipped.add(number, line)
        return first + len(lines)

    def _begin(self, block: re.Match[str], line: int) -> None:
        key = self._key_of(block)
        if not key[0] and self._guid is None:
            raise error_at_line(FIELD, line, "has no LID; name the file by the GUID of the device instead")
        self._add(key)
        self._limit = inf if block["extended"] else SATURATED

    def _take(self, counter: re.Match[str], line: int) -> None:
        row = COUNTERS.get(counter["name"].lower())
        if row is not None and self._row >= 0 and (counter["value"] or "").isdigit():
            self._columns[row][self._row] = self._counted(count_of(counter["value"], line), self._limit)

    def _counted(self, value: int, limit: float) -> int:
        self._saturated += value >= limit
        return NO_VALUE if value >= limit else value

    def reading(self) -> Reading:
        """Return all counters, with notes on omitted ones."""
        if not self._ports_read:
            sums = f"only sums of all ports of a device (port {ALL_PORTS})" if self._keys else "no counters"
            raise wrong(f"has {sums}; give the output of perfquery -x for each port")
        keys, columns, summed = self._keys, self._columns, len(self._keys) - len(self._ports_read)
        notes = list(self._skipped.notes())
        if summed:
            kept = [row for row, (_, port) in enumerate(keys) if port != ALL_PORTS]
            keys, columns = [keys[row] for row in kept], [[column[row] for row in kept] for column in columns]
            notes.append(f"omits the sums of all ports of {plural(summed, 'device')} (port {ALL_PORTS})")
        if self._saturated:
            notes.append(f"omits {plural(self._saturated, 'counter')} of 32 bits at their maximum; use perfquery -x")
        return Reading({self._kind: Samples.of(keys, columns, UNITS)}, tuple(notes))


def _next_block(content: bytes, begin: int) -> int:
    """Return where the next block begins, or the length of the content."""
    if not begin and content.startswith(HEAD):
        return 0
    return content.find(b"\n" + HEAD, max(begin - 1, 0)) + 1 or len(content)


def _form_of(block: bytes, *, with_lid: bool) -> _Form | None:
    """Return the form of a block, or None if it is irregular."""
    text, at, rows, spans = block.decode(), 0, list[int](), list[tuple[int, int]]()
    heading = BLOCK.fullmatch(text.partition("\n")[0].rstrip())
    if heading is None or (with_lid and heading["lid"] is None) or not text.isascii():
        return None
    head, *lines = text.splitlines(keepends=True)
    spans += [heading.span(name) for name in (("lid", "port") if with_lid else ("port",))]
    at = len(head)
    for line in lines:
        counter = COUNTER.fullmatch(text, at + len(line) - len(line.lstrip()), at + len(line.rstrip()))
        at += len(line)
        row = COUNTERS.get(counter["name"].lower()) if counter is not None else None
        if (counter is None and line.strip()) or row in rows:
            return None
        if counter is not None and row is not None and (counter["value"] or "").isdigit():
            rows.append(row)
            spans.append(counter.span("value"))
    cuts = [0, *(cut for span in spans for cut in span), len(block)]
    pieces = [_alike(block[begin:end]) for begin, end in zip(cuts[::2], cuts[1::2], strict=True)]
    pattern = re.compile(rb"(\d+)".join(pieces))
    limit = inf if heading["extended"] else SATURATED
    return _Form(pattern, tuple(rows), len(lines) + 1, limit) if pattern.fullmatch(block) else None


def _alike(text: bytes) -> bytes:
    """Return the pattern of texts that differ in numbers, and in dots in front of them, only."""
    return NUMBER.sub(lambda match: rb"\d+" if match[0].isdigit() else rb"\.*", re.escape(text))
