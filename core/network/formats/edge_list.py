"""Edge lists: a line for each edge, with two names and optionally the bandwidth in GB/s.

``#`` starts a comment. A line with one name is a vertex, perhaps without edges. A pair listed twice is two parallel
links, unless all pairs are listed in both directions: see `directed`. If all names are whole numbers, vertices are
sorted by them, else they keep the file's order. Graph Golf's lists have this form; if all names are coordinates such
as ``3,1``, they are the positions of the vertices.
"""

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.export_result import Exported
from core.network.formats.directed import links_of_list
from core.network.formats.parsed_graph import FIELD, ParsedGraph, at_line, bandwidth, check_edges, shown, wrong
from core.network.formats.written_graph import gbs_text, roles, two_way, vertex_names
from core.network.network import Network
from core.spec import decoded_text

COMMAS = {".csv"}
"""Suffixes of files whose words are separated by commas or semicolons."""
HEADERS = (
    ("src", "source", "from", "u"),
    ("dst", "destination", "target", "to", "v"),
    ("gbs", "bandwidth", "weight", "capacity"),
)
PLACE = re.compile(r"\d{1,6},\d{1,6}")
NUMBER = re.compile(r"\d{1,18}")
WORD = re.compile(r"[1-9]\d{0,17}|0|(?!\d+$)[^\s#,;]+")
"""Names that can be written: numbers without leading zeros."""


def read_edge_list(path: Path) -> ParsedGraph:
    """Return the graph of an edge list.

    Raises SpecError: naming the first invalid line.
    """
    content = path.read_bytes()
    check_edges(content.count(b"\n") + 1)
    lines = decoded_text(FIELD, content).splitlines()
    listing = _Listing(commas=path.suffix.lower() in COMMAS)
    begun = False
    for number, text in enumerate(lines, 1):
        if words := listing.words(text):
            if begun or not _is_header(words):
                listing.add(number, words)
            begun = True
    return listing.graph()


def _is_header(words: list[str]) -> bool:
    # Column names, as spreadsheets and tools write them.
    return len(words) > 1 and all(word.lower() in names for word, names in zip(words, HEADERS, strict=False))


class _Listing:
    """Parser state."""

    def __init__(self, *, commas: bool) -> None:
        self.commas = commas
        self.vertices: dict[str, int] = {}
        self.alone: dict[str, int] = {}
        """Lines with a single name that contains a comma: a position such as ``3,1``, or two unseparated names."""
        self.ends: tuple[list[int], list[int]] = ([], [])
        self.gbs: list[float] = []

    def words(self, line: str) -> list[str]:
        """Return the words of a line, without its comment."""
        line = line.partition("#")[0]
        return line.replace(",", " ").replace(";", " ").split() if self.commas else line.split()

    def add(self, number: int, words: list[str]) -> None:
        """Add a line: two names and perhaps a bandwidth, or one name.

        Raises SpecError: naming the line, if it has any other form.
        """
        if len(words) > 3:
            raise at_line(number, f"has {len(words)} words; give two names and optionally the bandwidth in GB/s")
        if len(words) == 1:
            self.vertices.setdefault(words[0], len(self.vertices))
            if re.search("[,;]", words[0]):
                self.alone.setdefault(words[0], number)
            return
        u, v = words[:2]
        if u == v:
            raise at_line(number, f"links {shown(u)} to itself; remove the line")
        value = float("nan") if len(words) == 2 else bandwidth(words[2])
        if value is None:
            raise at_line(
                number, f"{shown(words[2])} is not a bandwidth; give GB/s from 1e-06 to 1e+06, or two names only"
            )
        for end, name in zip(self.ends, (u, v), strict=True):
            end.append(self.vertices.setdefault(name, len(self.vertices)))
        self.gbs.append(value)

    def graph(self) -> ParsedGraph:
        """Return the graph.

        Raises SpecError: if there are no edges.
        """
        names = list(self.vertices)
        if self.alone and not (self.gbs and all(map(PLACE.fullmatch, names))):
            name, number = next(iter(self.alone.items()))
            raise at_line(number, f"{shown(name)} is one word; separate the two names by a space, or use a .csv file")
        if not self.gbs:
            raise wrong("has no edges; give a line with two names for each edge")
        order = _order(names)
        rank = np.empty(len(names), np.int32)
        rank[order] = np.arange(len(names), dtype=np.int32)
        src, dst = (rank[np.array(end, np.int32)] for end in self.ends)
        names = [names[place] for place in order]
        links = links_of_list(src, dst, np.array(self.gbs), len(names))
        return ParsedGraph(names, links.src, links.dst, links.gbs, positions=_places(names), warnings=links.warnings)


def _order(names: list[str]) -> list[int]:
    places = range(len(names))
    if all(NUMBER.fullmatch(name) for name in names):
        return sorted(places, key=lambda i: (int(names[i]), names[i]))
    if all(PLACE.fullmatch(name) for name in names):
        return sorted(places, key=lambda i: tuple(map(int, reversed(names[i].split(",")))))
    return list(places)


def _places(names: list[str]) -> NDArray[np.float64] | None:
    if not all(PLACE.fullmatch(name) for name in names):
        return None
    return np.array([name.split(",") for name in names], np.float64).reshape(-1, 2)


def write_edge_list(network: Network) -> Exported:
    """Return the edge list of a network with bandwidths; vertices have their numbers, nodes first.

    Host names are used instead if there are any and none could be read as another number.

    Raises SpecError: if some links are one-way.
    """
    links, names = two_way(network), vertex_names(network)
    if not network.hosts or not all(WORD.fullmatch(name) for name in names):
        names = [str(vertex) for vertex in range(network.vertices)]
    # Numbers are sorted when read; names keep the order of lines, so that each vertex gets a line of its own first.
    lone = np.arange(network.vertices)
    if all(map(NUMBER.fullmatch, names)):
        lone = np.setdiff1d(lone, [links.src, links.dst])
    edges = zip(links.src.tolist(), links.dst.tolist(), links.gbs.tolist(), strict=True)
    lines = [*(names[vertex] for vertex in lone), *(f"{names[u]} {names[v]} {gbs_text(gbs)}" for u, v, gbs in edges)]
    return Exported("\n".join(lines) + "\n", links.losses + roles(network))
