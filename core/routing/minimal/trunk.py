"""The trunk: a network without the nodes on single cables, whose traffic all passes one vertex.

Between two such vertices the shortest paths of all their nodes are the same, except for the first and last hop. So
flows of these nodes are summed and carried once: in a fat tree of 47-port switches once for 47 nodes.
"""

from typing import NamedTuple

import numpy as np

from core.network.adjacency import components
from core.network.network import Network
from core.routing.flows import Flags, NodeFlows, Nodes, Volumes
from core.routing.minimal.kernel import IncidentLinks, incident_links


class Trunk(NamedTuple):
    """The network without the nodes on single cables; its vertices are renumbered in the same order."""

    at: Nodes
    """(vertices,) the vertex, by its old number, that all traffic of a vertex passes: its switch, or itself."""
    number: Nodes
    """(vertices,) new number of each remaining vertex, -1 for removed ones."""
    incident: IncidentLinks
    """Links of the remaining vertices, with their numbers in the network."""
    up: Nodes
    """(vertices,) the link from a node to its vertex; -1 if it is not on a single cable."""
    down: Nodes
    """(vertices,) the link to a node from its vertex."""
    island: Nodes | None
    """(vertices,) island of each vertex, whose vertices reach each other, or None if there is only one."""

    @property
    def vertices(self) -> int:
        """Return the number of remaining vertices."""
        return self.incident.in_links.start.size - 1


def trunk_of(network: Network, failed: Flags | None) -> Trunk | None:
    """Return the trunk of a network, or None if no node is removed, or some paths exist in one direction only."""
    links = np.arange(network.links, dtype=np.int32) if failed is None else np.flatnonzero(~failed).astype(np.int32)
    src, dst, count = network.src[links], network.dst[links], network.vertices
    hangs = _hanging(src, dst, network.nodes, count)
    if network.closed or not hangs.any():
        return None
    island = None if failed is None and network.connected else islands_of(network, failed)
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
    # Nodes with one link in each direction, to and from one switch. A neighbouring node does not count as a switch: it
    # may be in another group, and it may be an intermediate itself.
    leaving, arriving = np.bincount(src, minlength=count), np.bincount(dst, minlength=count)
    single = (leaving == 1) & (arriving == 1) & (np.arange(count) < nodes)
    reaches, reached = np.arange(count), np.arange(count)
    reaches[src[single[src]]], reached[dst[single[dst]]] = dst[single[src]], src[single[dst]]
    hanging: Flags = single & (reaches == reached) & (reaches >= nodes)
    return hanging


def islands_of(network: Network, failed: Flags | None) -> Nodes:
    """Return the island of every vertex in the remaining network; vertices of an island reach each other."""
    if network.closed:
        # Endpoints do not forward: two nodes with a common neighbour need not be connected.
        return np.arange(network.vertices, dtype=np.int32)
    left = slice(None) if failed is None else ~failed
    return components(network.src[left], network.dst[left], network.vertices)


class Entering:
    """Traffic over the single cables at a trunk, summed by node."""

    def __init__(self, trunk: Trunk) -> None:
        self._trunk = trunk
        self._sent, self._received = np.zeros(trunk.at.size), np.zeros(trunk.at.size)

    def through(self, flows: NodeFlows) -> NodeFlows:
        """Record flows between nodes or other vertices; return their flows in the trunk."""
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
        """Record the total volumes that vertices send and receive, shape ``(vertices,)``."""
        self._sent += sent
        self._received += received

    def load(self, loads: Volumes) -> None:
        """Add the loads of the single cables."""
        for cable, volume in ((self._trunk.up, self._sent), (self._trunk.down, self._received)):
            hung = np.flatnonzero(cable >= 0)
            loads[cable[hung]] += volume[hung]
