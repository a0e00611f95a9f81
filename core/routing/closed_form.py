"""Base of routers whose paths follow from the numbers of their ends, computed for many flows at once."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from core.routing.flows import Flags, Hops, NodeFlows, Nodes, Volumes
from core.routing.hop_list import HopListRouter
from core.routing.route_tables import ANY, RouteTable, RouteTables, concatenated
from core.spec import Progress, no_progress

MAX_ROWS = 1 << 22
"""Pairs of nodes up to which a search gets their paths as a table."""


class HopBatch(NamedTuple):
    """At most one hop of each flow."""

    role: int
    goes: Flags
    """Whether each flow makes the hop."""
    link: Nodes
    """Its link; arbitrary for flows that do not make the hop."""
    share: float
    """The fraction of the flow that makes the hop."""


class ClosedFormRouter(HopListRouter):
    """A scheme without choices; `hop_batches` lists all hops."""

    @abstractmethod
    def hop_batches(self, src: Nodes, dst: Nodes) -> Iterator[HopBatch]:
        """Yield all hops of flows, at most one of each flow at a time."""

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link."""
        loads = np.zeros(self.network.links)
        for block in flows:
            for batch in self.hop_batches(block.src, block.dst):
                loads += np.bincount(batch.link[batch.goes], batch.share * block.volume[batch.goes], loads.size)
        return loads

    def hops_of(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows."""
        hops = []
        for batch in self.hop_batches(src, dst):
            flow = np.flatnonzero(batch.goes)
            roles = np.full(flow.size, batch.role, np.int8)
            hops.append(Hops(flow, batch.link[flow], np.full(flow.size, batch.share), roles))
        return Hops.joined(hops)

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`."""
        shares = np.zeros((len(self.roles), src.size))
        for batch in self.hop_batches(src, dst):
            shares[batch.role] += batch.share * (batch.goes & (batch.link == link))
        return shares

    def route_tables(self) -> RouteTables | None:
        """Return one table with a row per pair, or None if too large."""
        nodes, denominator = self.network.nodes, self.parts
        if nodes * nodes > MAX_ROWS or denominator is None:
            return None
        node = np.arange(nodes, dtype=np.int32)
        hops = self.hops_of(np.repeat(node, nodes), np.tile(node, nodes))
        order = np.argsort(hops.flow, kind="stable")
        start = np.append(0, np.cumsum(np.bincount(hops.flow, minlength=nodes * nodes)))
        shares = np.rint(hops.share[order] * denominator).astype(np.int64)
        table = RouteTable(ANY, node, node, nodes, start, hops.link[order], shares)
        return concatenated([table], denominator, np.zeros(nodes, np.int32))

    def hops(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the number of links that a unit crosses, for each pair of nodes."""
        hops = np.zeros(src.size)
        for batch in self.hop_batches(src, dst):
            hops += batch.share * batch.goes
        return hops

    def squares(self, src: Nodes, dst: Nodes) -> Volumes:
        """Return the sums of the squares of a unit's shares: no link is crossed twice."""
        squares = np.zeros(src.size)
        for batch in self.hop_batches(src, dst):
            squares += batch.share**2 * batch.goes
        return squares
