"""Reads dumped forwarding tables: opensm-lfts.dump, opensm.fdbs, and the output of ibroute and dump_fts.

A heading names a switch by its GUID, and rows follow: ``0xLID PORT``, with the LID in hexadecimal and the port in
decimal, or ``0xLID : PORT : HOPS : OPTIMAL``. Sources: the manual pages opensm(8), ibroute(8) and dump_fts(8).
"""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.filekind import BINARY, START, refusal
from core.formats import FileFormat, read_of, recognised
from core.network.formats.infiniband.dump import SkippedLines
from core.network.formats.parsed_graph import shown
from core.routing.tables.forwarding import MAX_LID, NO_PORT, ForwardingTables
from core.routing.tables.rows import NOT_A_ROW, parse_rows
from core.spec import SpecError, control_words, error_at_line
from core.text import CONTROL

FIELD = "routing.file"
EXPECTED = "give forwarding tables, such as opensm-lfts.dump"
HEADING = re.compile(
    rb"[ \t]*(?:unicast lids .*\bguid (?P<guid>0x[0-9a-f]{1,16})\s*(?:\((?P<name>.*)\))?:?"
    rb"|(?:\w+:\s*)?switch (?P<fdb>0x[0-9a-f]{1,16})\s*(?:\((?P<fdb_name>.*)\))?)\s*",
    re.IGNORECASE,
)
IGNORED = re.compile(
    rb"\s*(#.*|lid\s+out\s+destination|port\s+info|lid\s*:\s*port\s*:\s*hops\s*:\s*optimal"
    rb"|\d+\s+(valid )?lids dumped)?\s*",
    re.IGNORECASE,
)
MULTICAST = re.compile(rb"\s*multicast", re.IGNORECASE)


def read_tables(path: Path) -> ForwardingTables:
    """Return the forwarding tables in a file.

    Raises SpecError: naming the line that is invalid, or two rows that disagree.
    """
    content = path.read_bytes()
    text = np.frombuffer(content, np.uint8)
    newlines = np.flatnonzero(text == ord("\n")) + 1
    starts = np.concatenate([[0], newlines, [text.size] * (not content.endswith(b"\n"))]).astype(np.int64)
    lid, port = np.empty((2, starts.size - 1), np.int32)
    parse_rows(text, starts, lid, port)
    headings, skipped = list[tuple[int, int, str]](), SkippedLines()
    for line in np.flatnonzero(port == NOT_A_ROW).tolist():
        words = content[starts[line] : starts[line + 1]].rstrip(b"\r\n").removeprefix(b"\xef\xbb\xbf")
        heading = HEADING.fullmatch(words)
        if heading is not None:
            headings.append((line, *_switch(heading, line)))
        elif IGNORED.fullmatch(words) is None:
            _check_skipped(words, line)
            skipped.add(line + 1, words.decode("utf-8", "replace"))
    return replace(_tables(headings, lid, port), warnings=skipped.notes())


def format_of(path: Path) -> FileFormat:
    """Return the format of a file of forwarding tables, by its content.

    Raises SpecError: if it is a file of another kind.
    """
    with path.open("rb") as file:
        start = file.read(START)
    form = recognised(start)
    if form is not None and form.part == "routing":
        return form
    why = refusal(start, path.name, EXPECTED)
    if why and BINARY not in why:  # the message about a mostly textual file names its first invalid line
        raise SpecError(FIELD, why)
    return next(iter(read_of("routing").values()))  # all have one reader


def _switch(heading: re.Match[bytes], line: int) -> tuple[int, str]:
    guid, name = heading["guid"] or heading["fdb"], heading["name"] or heading["fdb_name"] or b""
    text = name.decode("utf-8", "replace").strip().strip("'\"")
    if CONTROL.search(text):
        raise error_at_line(FIELD, line + 1, control_words(text))
    return int(guid, 16), text


def _check_skipped(words: bytes, line: int) -> None:
    # Only lines that cannot be a part of the tables are skipped.
    if MULTICAST.match(words):
        raise error_at_line(FIELD, line + 1, "begins a multicast table; give unicast tables only (ibroute without -M)")
    if words.lstrip()[:2].lower() == b"0x" or re.match(rb"\s*unicast", words, re.IGNORECASE):
        text = shown(words.decode("utf-8", "replace").strip())
        raise error_at_line(FIELD, line + 1, f"{text} is not a row such as '0x0005 012', nor the heading of a switch")


def _tables(headings: list[tuple[int, int, str]], lid: NDArray[np.int32], port: NDArray[np.int32]) -> ForwardingTables:
    """Return the tables, given the line, GUID and name of each heading, and the LID and port of each line."""
    lines = np.flatnonzero(port != NOT_A_ROW)
    if not headings:
        raise SpecError(FIELD, "names no switch; give the dump of forwarding tables, such as opensm-lfts.dump")
    if lines.size and lines[0] < headings[0][0]:
        raise error_at_line(FIELD, int(lines[0]) + 1, "is a row before the heading of any switch")
    lid, port = lid[lines], port[lines]
    wrong = (lid < 1) | (lid > MAX_LID) | (port > NO_PORT)
    if wrong.any():
        row = int(wrong.argmax())
        what = (
            f"port {port[row]:,} is above 254, the last port"
            if port[row] > NO_PORT
            else f"LID 0x{lid[row]:04x} is not a unicast LID, which are 0x0001 to 0x{MAX_LID:04x}"
        )
        raise error_at_line(FIELD, int(lines[row]) + 1, what)
    guids, of_heading = np.unique(np.array([guid for _, guid, _ in headings], np.uint64), return_inverse=True)
    switch = of_heading[np.searchsorted([line for line, *_ in headings], lines) - 1]
    ports = np.full((guids.size, int(lid.max(initial=0)) + 1), NO_PORT, np.uint8)
    ports[switch, lid] = port
    different = ports[switch, lid] != port
    if different.any():
        row = int(different.argmax())
        first = f"port {port[row]} for LID 0x{lid[row]:04x}"
        raise error_at_line(
            FIELD, int(lines[row]) + 1, f"gives {first} of a switch that has port {ports[switch, lid][row]} elsewhere"
        )
    names = [""] * guids.size
    for (_, _, name), place in zip(headings, of_heading.tolist(), strict=True):
        names[place] = names[place] or name
    return ForwardingTables(guids, tuple(names), ports)
