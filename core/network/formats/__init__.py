"""Graphs from files, one file per format."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from core.filekind import BINARY, START, kind_of
from core.network.formats.edge_list import read_edge_list
from core.network.formats.graphml import read_graphml
from core.network.formats.parsed_graph import FIELD, MAX_BYTES, Graph, wrong
from core.network.formats.simgrid import read_simgrid
from core.spec import file_beside

Format = Literal["auto", "edge-list", "graphml", "simgrid"]

READERS: dict[str, Callable[[Path], Graph]] = {
    "edge-list": read_edge_list,
    "graphml": read_graphml,
    "simgrid": read_simgrid,
}
EXPECTED = "give an edge list, GraphML or a SimGrid platform"
ROOTS = {"graphml": "graphml", "platform": "simgrid"}
"""First elements of XML files."""

__all__ = ["FIELD", "Format", "Graph", "read_graph", "wrong"]


def read_graph(name: str | None, folder: Path | None, form: Format = "auto") -> Graph:
    """Return the graph of the file `name` in `folder`, its format told by its content unless it is given.

    Raises SpecError: if the file is missing, too large, or not right; the message says where.
    """
    path = file_beside(FIELD, name, folder, MAX_BYTES)
    try:
        return READERS[_format_of(path) if form == "auto" else form](path)
    except OSError as error:
        raise wrong(f"{name!r} cannot be read: {error.strerror}") from error
    except MemoryError as error:
        raise wrong(f"{name!r} is too large for this machine's memory") from error


def _format_of(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(1 << 16)
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        root = _root_of(start)
        if root not in ROOTS:
            raise wrong(f"has the XML element <{root}>; {EXPECTED}")
        return ROOTS[root]
    kind = kind_of(start[:START], path.name)
    if kind not in ("", BINARY):  # of a file that is nearly text a message names the first line that is not
        raise wrong(f"is {kind}; {EXPECTED}")
    return "edge-list"


def _root_of(content: bytes) -> str:
    # The name of the first element, without its namespace; empty if it is no XML.
    found = re.search(rb"<(?:[\w.-]+:)?([\w.-]+)", re.sub(rb"<!--.*?(-->|$)", b"", content, flags=re.DOTALL))
    return found.group(1).decode() if found else ""
