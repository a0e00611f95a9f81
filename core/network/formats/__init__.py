"""Graphs from files, one file per format."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.filekind import BINARY, START, refusal
from core.formats import AUTO, FileFormat, by_ending, by_first_lines, by_root, read_of, recognised
from core.network.formats.parsed_graph import FIELD, MAX_BYTES, ParsedGraph, shown, wrong
from core.spec import control_words, errors_naming, parsing, path_in_folder
from core.text import CONTROL

EDGE_LIST = "edge-list"
FORMATS = read_of("network")
LISTED = [form.called for form in FORMATS.values() if form.called]
EXPECTED = f"give {', '.join(LISTED[:-1])} or {LISTED[-1]}"
OPTIONS = tuple(dict.fromkeys(field for form in FORMATS.values() for field in form.takes))
"""Fields of a network from a file that only some formats take."""
__all__ = ["FIELD", "OPTIONS", "ParsedGraph", "options_unused_by", "read_graph", "wrong"]


def read_graph(
    name: str | None, folder: Path | None, form: str = AUTO, options: Mapping[str, Any] | None = None
) -> ParsedGraph:
    """Return the graph of the file `name` in `folder`; its format is recognised by content unless given.

    `options` are values of the fields in `OPTIONS`; a warning names each that does not apply to the format.

    Raises SpecError: if the file is missing, too large or invalid; the message says where.
    """
    path = path_in_folder(FIELD, name, folder, MAX_BYTES)
    with errors_naming(FIELD, path):
        chosen = _format_of(path) if form == AUTO else form
    with parsing(FIELD, path, FORMATS[chosen].called or "a network"):
        form_read, options = FORMATS[chosen], options or {}
        taken = {field: value for field, value in options.items() if field in form_read.takes}
        graph: ParsedGraph = form_read.read(path, **taken)
        # Escapes in JSON, YAML and XML can produce control characters that the raw text does not contain.
        name = next((name for name in graph.names if CONTROL.search(name)), None)
        if name is not None:
            raise wrong(f"the name {shown(name)} {control_words(name)}")
        source = _source(form_read)
        unused = tuple(f"the field {field} does not apply to {source}" for field in options if field not in taken)
        return replace(graph, source=source, warnings=graph.warnings + unused)


def options_unused_by(source: str) -> frozenset[str]:
    """Return the fields in `OPTIONS` that do not apply to a format, such as ``a DOT graph``."""
    taken = {field for form in FORMATS.values() if _source(form) == source for field in form.takes}
    return frozenset(OPTIONS) - taken


def _source(form: FileFormat) -> str:
    return form.title or form.called


def _format_of(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(1 << 16)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        root = _root_of(start)
        read = by_root(root, "network")
        if read is None:
            other = refusal(start, path.name, EXPECTED) if by_root(root) is not None else ""
            raise wrong(other or f"begins with the XML element <{root}>; {EXPECTED}")
        return read.id
    kind = recognised(start)
    text = start.decode("utf-8-sig", "replace").strip()
    if text.startswith("{") and kind is None:
        if b'"fabriscope"' not in start[:START] and (form := by_first_lines("network", text)) is not None:
            return form.id
    elif kind is None or kind.part == "network":
        form = by_ending(path.name, "network") or kind
        if form is not None and form.id != EDGE_LIST:
            return form.id
    why = refusal(start, path.name, EXPECTED)
    if why and BINARY not in why:  # the message about a mostly textual file names its first invalid line
        raise wrong(why)
    return EDGE_LIST


def _root_of(content: bytes) -> str:
    # The name of the first element, without its namespace; empty if the content is not XML.
    tag = re.search(rb"<(?:[\w.-]+:)?([\w.-]+)", re.sub(rb"<!--.*?(-->|$)", b"", content, flags=re.DOTALL))
    return tag.group(1).decode() if tag else ""
