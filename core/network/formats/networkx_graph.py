"""Converts a graph that networkx has read: named vertices, roles and bandwidths from attributes."""

from typing import Any

from core.network.formats.parsed_graph import ParsedGraph
from core.network.formats.roles import AttributedGraph


def graph_of(graph: Any) -> ParsedGraph:
    """Convert a graph, a directed one by the rule of `directed`.

    Raises SpecError: naming the edge, if it is a loop or its bandwidth is invalid.
    """
    converted = AttributedGraph(directed=graph.is_directed())
    converted.nodes = {str(name): data for name, data in graph.nodes(data=True)}
    for u, v, data in graph.edges(data=True):
        converted.join(str(u), str(v), data)
    return converted.graph()
