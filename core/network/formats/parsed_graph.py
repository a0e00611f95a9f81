"""What every reader of graphs returns, and what several check."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import spec
from core.network.layout import Layout
from core.network.network import MAX_LINKS, Ints, Network
from core.spec import SpecError

FIELD = "network.file"
MAX_BYTES = 64 << 20
MAX_EDGES = min(500_000, MAX_LINKS // 2)
"""Edges of a file; half a million lines take a few seconds to read."""
MAX_GBS = 1e6


class Block(NamedTuple):
    """A level whose groups are consecutive hosts."""

    name: str
    hosts: int
    """In one group."""
    switches: Ints
    """(switches,) group in which each stands, -1 for none."""


@dataclass(frozen=True, eq=False)
class ParsedGraph:
    """A graph as a file gives it: vertices in the order of the file, edges with or without bandwidth."""

    names: list[str]
    src: Ints
    """(edges,) an end of each edge; the end it leaves, of a directed graph."""
    dst: Ints
    """(edges,) the other end."""
    gbs: NDArray[np.float64]
    """(edges,) bandwidth in one direction, GB/s; NaN where the file names none."""
    hosts: NDArray[np.bool_] | None = None
    """(vertices,) which vertices host tasks; None: the file does not say."""
    directed: bool = False
    """Whether an edge leads one way only."""
    kind: NDArray[np.intp] | None = None
    """(edges,) index into `kinds`; None: they are told apart by their ends."""
    kinds: tuple[str, ...] = ()
    """Names of link classes."""
    blocks: tuple[Block, ...] = ()
    """Levels, coarsest first."""
    positions: NDArray[np.float64] | None = None
    """(vertices, 2) where the file says that they lie."""
    layout: Callable[[Network], Layout] | None = None
    """How to draw it, where its family is known."""
    warnings: tuple[str, ...] = ()


def wrong(what: str) -> SpecError:
    """Return the error to raise for a file that is not right."""
    return SpecError(FIELD, what)


def at_line(line: int, what: str) -> SpecError:
    """Return the error to raise for a line, counted from 1."""
    return wrong(f"line {line:,}: {what}")


def shown(text: str) -> str:
    """Return a word of a file in quotes, short enough for a message."""
    return repr(text if len(text) <= 40 else text[:39] + "…")


def bandwidth(text: object) -> float | None:
    """Return GB/s from a word of a file, None if that is none that links can have."""
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if 1e-6 <= value <= MAX_GBS else None


def text_of(path: Path) -> str:
    """Return the text of a file.

    Raises SpecError: naming the line that is no text in UTF-8.
    """
    return spec.text_of(FIELD, path)


def checked_xml(path: Path) -> bytes:
    """Return the content of an XML file in UTF-8.

    Raises SpecError: if it is none, or declares entities, which no such file needs and some use to flood the memory.
    """
    content = path.read_bytes()
    if b"<!ENTITY" in content:
        raise wrong("declares XML entities; write out what they stand for")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise wrong(f"byte {error.start:,} is no text in UTF-8; save the file in UTF-8") from error
    return content


def check_edges(count: int) -> None:
    """Refuse files with too many edges before they are parsed.

    Raises SpecError: naming the limit.
    """
    if count > MAX_EDGES:
        raise wrong(f"has {count:,} edges; at most {MAX_EDGES:,} are read")
