"""Roles of vertices and bandwidths of edges from the attributes in graph files.

An attribute that many tools use for something else, such as `type` or `weight`, is read as a role or a bandwidth only
if all its values can be one; a warning names it otherwise.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from core.network.formats.graph_builder import UNKNOWN, GraphBuilder
from core.network.formats.parsed_graph import ParsedGraph, bandwidth, shown, some, wrong

ROLES = {"host": True, "node": True, "switch": False, "router": False}
ROLE_KEYS = ("role", "type")
"""Attributes for roles; the first that a vertex has counts."""
WIDTH_KEYS = ("gbs", "bandwidth", "bw")
"""Attributes for GB/s in one direction; the first that an edge has counts."""
WEIGHT = "weight"
"""Attribute for GB/s of edges without any of `WIDTH_KEYS`; in many files it is a cost, a length or a count."""
RATE = re.compile(r"speed|rate|bandwidth|bw|capacity|throughput|gbit|gbps", re.IGNORECASE)
"""Names of attributes that look like bandwidths."""

Attributes = Mapping[str, Any]


class AttributedGraph:
    """Vertices and links with their attributes, which are read as roles and bandwidths when all are known."""

    def __init__(self, *, directed: bool | None = False) -> None:
        self.directed = directed
        """As in `GraphBuilder`."""
        self.nodes: dict[str, Attributes] = {}
        """Attributes of each vertex, by name."""
        self._links: list[tuple[str, str]] = []
        self._edges: list[Attributes] = []

    @property
    def edges(self) -> int:
        """Return the number of links."""
        return len(self._links)

    def join(self, u: str, v: str, attributes: Attributes) -> None:
        """Add a link between two vertices."""
        self._links.append((u, v))
        self._edges.append(attributes)

    def graph(self) -> ParsedGraph:
        """Return the graph.

        Raises SpecError: naming the edge, if its bandwidth is invalid.
        """
        builder = GraphBuilder(directed=self.directed)
        role_keys, roles_unread = _role_keys(self.nodes.values())
        for name, data in self.nodes.items():
            builder.add(name, host=next((_role(data[key]) for key in role_keys if key in data), None))
        weighted, weights_noted = _weights([data for data in self._edges if not any(key in data for key in WIDTH_KEYS)])
        for (u, v), data in zip(self._links, self._edges, strict=True):
            builder.join(u, v, _width(data, u, v, weighted=weighted))
        return builder.graph((*roles_unread, *unread_rates(self._edges), *weights_noted))


def unread_rates(edges: Iterable[Attributes], read: Collection[str] = WIDTH_KEYS) -> tuple[str, ...]:
    """Return a warning on attributes of edges that look like bandwidths but are not among those `read`."""
    names = list({key: None for data in edges for key in map(str, data) if RATE.search(key) and key not in read})
    if not names:
        return ()
    advice = f"give GB/s as {' or '.join(read)}" if read else "links have the network's bandwidth (gbs)"
    return (f"attributes not read as bandwidths: {some(names)}; {advice}",)


def _role_keys(nodes: Collection[Attributes]) -> tuple[list[str], tuple[str, ...]]:
    """Return the attributes that are roles of vertices, and a warning on each other attribute of that name."""
    keys, warnings = list[str](), list[str]()
    for key in ROLE_KEYS:
        values = {_text(data[key]): None for data in nodes if key in data}
        others = [value for value in values if _role(value) is None]
        if others:
            warnings.append(
                f"attribute {key!r} is not read as a role, host or switch: it has values such as {some(others)}"
            )
        elif values:
            keys.append(key)
    return keys, tuple(warnings)


def _role(value: Any) -> bool | None:
    """Return whether a vertex with this role hosts tasks, or None if it is not a role."""
    return ROLES.get(_text(value).lower())


def _weights(edges: list[Attributes]) -> tuple[bool, tuple[str, ...]]:
    """Return whether the weights of the edges are bandwidths, and a warning either way."""
    values = {_text(data[WEIGHT]): None for data in edges if WEIGHT in data}
    others = [value for value in values if bandwidth(value) is None]
    if others:
        return False, (f"attribute {WEIGHT!r} is not read as GB/s: it has values such as {some(others)}",)
    if not values:
        return False, ()
    return True, (f"attribute {WEIGHT!r} is read as GB/s; if it is something else, rename it, and give GB/s as bw",)


def _width(data: Attributes, u: str, v: str, *, weighted: bool) -> float:
    """Return the bandwidth of an edge, GB/s, or NaN if it has none.

    Raises SpecError: naming the edge, if it is invalid.
    """
    key = next((key for key in (*WIDTH_KEYS, *[WEIGHT] * weighted) if key in data), None)
    if key is None:
        return UNKNOWN
    value = bandwidth(_text(data[key]))
    if value is None:
        edge = f"the edge {shown(u)} – {shown(v)}"
        raise wrong(f"{edge} has the bandwidth {shown(_text(data[key]))}; give GB/s from 1e-06 to 1e+06")
    return value


def _text(value: Any) -> str:
    return str(value).strip('"')
