"""What readers of graphs return, and checks that they share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core import spec
from core.network.layout import Layout
from core.network.network import MAX_LINKS, Ints, Network
from core.network.ports import Ports
from core.spec import SpecError
from core.text import first_few

FIELD = "network.file"
MAX_BYTES = 64 << 20
MAX_GBS = 1e6
MAX_EDGES = min(500_000, MAX_LINKS // 2)
"""Edges of a file; half a million lines take a few seconds to read."""

text_of = partial(spec.text_of, FIELD)
wrong = partial(SpecError, FIELD)
at_line = partial(spec.error_at_line, FIELD)
checked_xml = partial(spec.checked_xml, FIELD)


class Block(NamedTuple):
    """A level of equal groups of hosts."""

    name: str
    hosts: int
    """Per group."""
    switches: Ints
    """(switches,) group of each switch, -1 for none."""
    names: tuple[str, ...] = ()
    """Names of the groups; empty if they have the name of their only switch, or none."""
    group: Ints | None = None
    """(hosts,) group of each host; None if groups are consecutive hosts."""


@dataclass(frozen=True, eq=False)
class ParsedGraph:
    """The contents of a file: vertices in its order, edges with or without bandwidth."""

    names: list[str]
    src: Ints
    """(edges,) one end of each edge; in directed graphs the source."""
    dst: Ints
    """(edges,) the other end."""
    gbs: NDArray[np.float64]
    """(edges,) bandwidth in one direction, GB/s; NaN where the file gives none."""
    hosts: NDArray[np.bool_] | None = None
    """(vertices,) whether each vertex hosts tasks; None if the file does not specify it."""
    directed: bool = False
    """Whether edges are one-way links."""
    kind: NDArray[np.intp] | None = None
    """(edges,) index into `kinds`, or None if classes follow from the kinds of the ends."""
    kinds: tuple[str, ...] = ()
    """Names of link classes."""
    blocks: tuple[Block, ...] = ()
    """Levels, coarsest first."""
    positions: NDArray[np.float64] | None = None
    """(vertices, 2) positions given in the file."""
    layout: Callable[[Network], Layout] | None = None
    """Layout of the network family, if known."""
    warnings: tuple[str, ...] = ()
    ports: Ports | None = None
    """(2 * edges,) the ports at `src` of all edges, then at `dst`; None if not given. Only for undirected graphs."""
    free_ports: Ints | None = None
    """(vertices,) ports of each switch without a cable, 0 for hosts; None if not given."""
    devices: bool = False
    """Whether vertices are the devices of servers, with names such as ``gpu0``; then `hosts` are the GPUs."""
    servers: tuple[str, ...] = ()
    """Names of several servers, each with equally many consecutive GPUs; else empty."""
    source: str = ""
    """Format of the file: ``a DOT graph``."""


def shown(text: str) -> str:
    """Return a word from a file in quotes, short enough for a message."""
    return repr(text if len(text) <= 40 else text[:39] + "…")


def some(texts: Sequence[str]) -> str:
    """Return the first texts from a file in quotes, and the number of the others."""
    return first_few([shown(text) for text in texts])


def bandwidth(text: object) -> float | None:
    """Parse a bandwidth in GB/s; None if invalid or out of range."""
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if 1e-6 <= value <= MAX_GBS else None


def check_edges(count: int) -> None:
    """Check the number of edges before they are parsed.

    Raises SpecError: naming the limit, if it is exceeded.
    """
    if count > MAX_EDGES:
        raise wrong(f"has {count:,} edges; at most {MAX_EDGES:,} are supported")
