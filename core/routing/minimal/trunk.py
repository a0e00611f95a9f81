"""A network without the nodes that hang on a single cable: all they send and receive passes one vertex.

Between two such vertices shortest paths are those of all nodes that hang on them, but for the first and the last hop.
So what these send each other is added up and carried once: in a fat tree 47 switches wide once for 47 nodes.
"""

from typing import NamedTuple

import numpy as np

from core.network.adjacency import components
from core.network.network import Network
from core.routing.flows import Flags, NodeFlows, Nodes, Volumes
from core.routing.minimal.kernel import IncidentLinks, incident_links


class Trunk(NamedTuple):
    """What is left without them; its vertices are numbered anew, in the same order."""

    at: Nodes
    """(vertices,) the vertex, by its old number, through which all reach one: that on which it hangs, or itself."""
    number: Nodes
    """(vertices,) the new number of what is left, -1 of the others."""
    incident: IncidentLinks
    """Of what is left, with the numbers that links have in the network."""
    up: Nodes
    """(vertices,) the link with which all begins that a node sends; -1: it hangs on no single one."""
    down: Nodes
    """(vertices,) the link with which all ends that it receives."""
    island: Nodes | None
    """(vertices,) where there are ways there and back; None: everywhere."""

    @property
    def vertices(self) -> int:
        """Return the number of vertices that are left."""
        return self.incident.in_links.start.size - 1


def trunk_of(network: Network, failed: Flags | None) -> Trunk | None:
    """Return the network without nodes on single cables.

    None: there are no such, or ways lead somewhere and not back.
    """
    links = np.arange(network.links, dtype=np.int32) if failed is None else np.flatnonzero(~failed).astype(np.int32)
    src, dst, count = network.src[links], network.dst[links], network.vertices
    hangs = _hanging(src, dst, network.nodes, count)
    if network.closed or not hangs.any():
        return None
    island = None if failed is None else islands_of(network, failed)
    if island is not None and (island[src] != island[dst]).any():
        return None
    at, up, down = np.arange(count, dtype=np.int32), *(np.full(count, -1, np.int32) for _ in range(2))
    out, into = hangs[src], hangs[dst]
    at[src[out]], up[src[out]], down[dst[into]] = dst[out], links[out], links[into]
    number = np.where(hangs, -1, np.cumsum(~hangs) - 1).astype(np.int32)
    kept = ~(out | into)
    incident = incident_links(number[src[kept]], number[dst[kept]], links[kept], int(count - hangs.sum()))
    return Trunk(at, number, incident, up, down, island)


def _hanging(src: Nodes, dst: Nodes, nodes: int, count: int) -> Flags:
    # Nodes with one link there and one back; not where two such make a network of their own.
    leaving, arriving = np.bincount(src, minlength=count), np.bincount(dst, minlength=count)
    single = (leaving == 1) & (arriving == 1) & (np.arange(count) < nodes)
    reaches, reached = np.arange(count), np.arange(count)
    reaches[src[single[src]]], reached[dst[single[dst]]] = dst[single[src]], src[single[dst]]
    found: Flags = single & (reaches == reached) & ~single[reaches]
    return found


def islands_of(network: Network, failed: Flags) -> Nodes:
    """Return for every vertex on which island of what is left it is: within one there are ways there and back."""
    if network.closed:
        # What two nodes reach of a third that passes nothing on is not what they reach of each other.
        return np.arange(network.vertices, dtype=np.int32)
    return components(network.src[~failed], network.dst[~failed], network.vertices)


class Entering:
    """What enters and leaves a trunk by single cables, added up node by node."""

    def __init__(self, trunk: Trunk) -> None:
        self._trunk = trunk
        self._sent, self._received = np.zeros(trunk.at.size), np.zeros(trunk.at.size)

    def through(self, flows: NodeFlows) -> NodeFlows:
        """Take note of flows between nodes or other vertices; return them as they go through the trunk."""
        trunk = self._trunk
        goes = flows.src != flows.dst
        if trunk.island is not None:
            goes &= trunk.island[flows.src] == trunk.island[flows.dst]
        src, dst, volume = flows.src[goes], flows.dst[goes], flows.volume[goes]
        self._sent += np.bincount(src, volume, trunk.at.size)
        self._received += np.bincount(dst, volume, trunk.at.size)
        start, end = trunk.number[trunk.at[src]], trunk.number[trunk.at[dst]]
        inside = start != end
        return NodeFlows(start[inside], end[inside], volume[inside])

    def note(self, sent: Volumes, received: Volumes) -> None:
        """Take note of what vertices send and receive in all, shape ``(vertices,)``."""
        self._sent += sent
        self._received += received

    def load(self, loads: Volumes) -> None:
        """Add it to the loads of the cables."""
        for cable, volume in ((self._trunk.up, self._sent), (self._trunk.down, self._received)):
            hung = np.flatnonzero(cable >= 0)
            loads[cable[hung]] += volume[hung]
