"""Base of routers that list the hops of many flows at once."""

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from core.routing.flows import FixedPoint, Hops, Nodes, Traced, Volumes
from core.routing.router import Route, Router

FLOWS_AT_ONCE = 1 << 12
"""Flows whose hops are listed at once."""


class HopListRouter(Router):
    """A scheme for which everything follows from `hops_of`."""

    @abstractmethod
    def hops_of(self, src: Nodes, dst: Nodes) -> Hops:
        """Return all hops of flows."""

    def _portions(self, src: Nodes, dst: Nodes) -> Iterator[tuple[int, Hops]]:
        """Yield the hops of some flows at a time, with the index of the first of these flows."""
        for first in range(0, src.size, FLOWS_AT_ONCE):
            some = slice(first, first + FLOWS_AT_ONCE)
            yield first, self.hops_of(src[some], dst[some])

    def route(self, u: int, v: int) -> Route:
        """Return the links of one pair; empty if there is no path."""
        hops = self.hops_of(np.array([u], np.int32), np.array([v], np.int32))
        return Route.of(hops.link, hops.share, hops.role)

    def trace(self, src: Nodes, dst: Nodes, volume: FixedPoint) -> Traced:
        """Return the links of every flow; every share is rounded separately."""
        return self.hops_of(src, dst).traced(volume)

    def crossing(self, link: int, src: Nodes, dst: Nodes) -> Volumes:
        """Return the share of each flow that crosses `link`."""
        shares = np.zeros((len(self.roles), src.size))
        for first, hops in self._portions(src, dst):
            crosses = hops.link == link
            np.add.at(shares, (hops.role[crosses], first + hops.flow[crosses]), hops.share[crosses])
        return shares
