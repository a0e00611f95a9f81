"""Forwarding tables with failed links or missing entries: they stay as they are, and their flows are disconnected."""

import numpy as np

from core.network.network import Network
from core.routing.faulty import DISCONNECTED, INTACT, FaultyRouter, States
from core.routing.flows import Flags, Nodes
from core.routing.path_order import Paths
from core.routing.tables.fabric import NO_LINK, Fabric
from core.routing.tables.forwarding import NO_PORT, SWITCH_ITSELF
from core.routing.tables.scheme import TableRouter

MAX_LOOP = 4
"""Switches of a loop that are named."""


class FaultyTableRouter(FaultyRouter):
    """Flows with a path that does not arrive are disconnected."""

    def __init__(self, base: TableRouter, failed: Flags) -> None:
        super().__init__(base, failed)
        self.left = TableRouter(base.network, base.fabric, failed)
        self.memoryless = base.memoryless

    @property
    def disconnects(self) -> bool:
        """Return whether any two nodes have no path."""
        return not self.left.complete

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return `DISCONNECTED` for flows that do not arrive."""
        return np.where(self.left.reaches(src, dst), INTACT, DISCONNECTED).astype(np.int8)

    def paths(self, src: Nodes, dst: Nodes) -> Paths:
        """Return the path of every flow, without links if it does not arrive."""
        return self.left.paths(src, dst)

    def reason(self, u: int, v: int) -> str:
        """Return the entry or link because of which packets from node u to node v do not arrive."""
        return _reason(self.network, self.left.fabric, self.failed, u, v)


def _reason(network: Network, fabric: Fabric, failed: Flags, u: int, v: int) -> str:
    """Return the first problem on the paths from node u to node v, or nothing if all arrive."""
    nics = fabric.nics
    for node in (u, v):
        if nics.start[node] == nics.start[node + 1]:
            return f"{network.vertex_name(node)} has no cable"
    peers = range(int(nics.start[v]), int(nics.start[v + 1]))
    for number, nic in enumerate(range(int(nics.start[u]), int(nics.start[u + 1]))):
        peer = peers[number % len(peers)]
        for row in range(int(nics.row_start[peer]), int(nics.row_start[peer + 1])):
            problem = _problem(network, fabric, failed, int(nics.link[nic]), row)
            if problem:
                return problem
    return ""


def _problem(network: Network, fabric: Fabric, failed: Flags, link: int, row: int) -> str:
    # Follow a path to the LID of a row from its first link.
    passed = list[int]()
    to = f"LID {fabric.lid[row]}"
    while not failed[link]:
        head = int(fabric.head[link])
        if head < fabric.nodes:
            reached = head == fabric.target[row]
            return "" if reached else f"{to} leads to {network.vertex_name(head)}"
        if head in passed:
            loop = [network.label(switch) for switch in (*passed[passed.index(head) :], head)]
            more = [*loop[:MAX_LOOP], "...", loop[-1]] if len(loop) > MAX_LOOP + 1 else loop
            return f"the path to {to} is a loop, {' → '.join(more)}"
        passed.append(head)
        switch, name = head - fabric.nodes, network.vertex_name(head)
        port = int(fabric.ports[row, switch])
        link = int(fabric.link_at[switch, port])
        if port == NO_PORT:
            return f"{name} has no port for {to}"
        if port == SWITCH_ITSELF:
            return f"{name} keeps packets for {to} (port 0)"
        if link == NO_LINK:
            return f"{name} forwards {to} to port {port}, which has no cable"
    return f"{' → '.join(network.link_ends(link))}, on the path to {to}, has failed"
