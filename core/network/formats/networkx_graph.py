"""Converts a graph that networkx has read: named vertices, roles and bandwidths from attributes."""

from typing import Any

from core.network.formats.graph_builder import GraphBuilder
from core.network.formats.parsed_graph import ParsedGraph
from core.network.formats.roles import host_of, role_in, unread_rates, width_of


def graph_of(graph: Any) -> ParsedGraph:
    """Convert a graph, a directed one by the rule of `directed`.

    Raises SpecError: naming the invalid vertex or the edge.
    """
    builder = GraphBuilder(directed=graph.is_directed())
    for name, data in graph.nodes(data=True):
        role = role_in(data)
        builder.add(str(name), host=host_of(role, f"node {name!r}"))
    for u, v, data in graph.edges(data=True):
        builder.join(str(u), str(v), width_of(data, f"the edge {u!r} – {v!r}"))
    return builder.graph(unread_rates(data for _, _, data in graph.edges(data=True)))
