"""Converts a graph that networkx has read: named vertices, roles and bandwidths from attributes."""

from typing import Any

from core.network.formats.graph_builder import GraphBuilder
from core.network.formats.parsed_graph import ParsedGraph
from core.network.formats.roles import host_of, role_in, unread_rates, width_of


def graph_of(found: Any) -> ParsedGraph:
    """Convert a graph, a directed one by the rule of `directed`.

    Raises SpecError: naming the invalid vertex or the edge.
    """
    builder = GraphBuilder(directed=found.is_directed())
    for name, data in found.nodes(data=True):
        role = role_in(data)
        builder.add(str(name), host=host_of(role, f"node {name!r}"))
    for one, other, data in found.edges(data=True):
        builder.join(str(one), str(other), width_of(data, f"the edge {one!r} – {other!r}"))
    return builder.graph(unread_rates(data for _, _, data in found.edges(data=True)))
