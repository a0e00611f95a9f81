"""A graph that networkx has read: its vertices by their names, roles and widths from attributes."""

from typing import Any

from core.network.formats.parsed_graph import Graph, wrong
from core.network.formats.roles import ROLE_KEYS, host_of, width_of
from core.network.formats.wires import Wires


def graph_of(found: Any) -> Graph:
    """Return a networkx graph, in which each vertex without a role hosts tasks if it has a single edge.

    Raises SpecError: naming the vertex or the edge that is not right.
    """
    wires = Wires()
    for name, data in found.nodes(data=True):
        role = next((data[key] for key in ROLE_KEYS if key in data), None)
        wires.add(str(name), host=host_of(role, f"node {name!r}"))
    for one, other, data in found.edges(data=True):
        wires.join(str(one), str(other), width_of(data, f"the edge {one!r} – {other!r}"))
    if found.is_directed() and found.number_of_edges():
        raise wrong("is directed; give a graph whose edges lead both ways")
    return wires.graph()
