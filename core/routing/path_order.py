"""The links of paths in the order of hops."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.network import Network
from core.routing.flows import Nodes, Traced


class Paths(NamedTuple):
    """The links of the only path of each flow, in the order of hops."""

    start: NDArray[np.int64]
    """(flows + 1,) the path of flow i is at ``start[i]`` to ``start[i + 1]``; empty if it has none."""
    links: Nodes

    def of(self, flow: int) -> Nodes:
        """Return the links of a flow's path."""
        return self.links[self.start[flow] : self.start[flow + 1]]


def in_order(traced: Traced, src: Nodes, dst: Nodes, network: Network) -> Paths:
    """Return paths from the links of all flows in any order; the volume of flow i is ``i + 1``.

    Raises ValueError: if the links of a flow do not form a path from its source to its destination.
    """
    start, links, broken = _chain(traced.links, traced.volume, src, dst, network.src, network.dst)
    if broken >= 0:
        raise ValueError(f"the links from node {src[broken]} to node {dst[broken]} form no single path")
    return Paths(start, links)


@kernel
def _chain(
    links: Nodes, volume: NDArray[np.int64], src: Nodes, dst: Nodes, tails: Nodes, heads: Nodes
) -> tuple[NDArray[np.int64], Nodes, int]:
    # Sort the links by flow, then each flow's links by swaps: few, since most schemes list links in order.
    start, path = np.zeros(src.size + 2, np.int64), np.empty(links.size, np.int32)
    for number in volume:
        if number < 1 or number > src.size:
            return start[:-1], path, 0
        start[number + 1] += 1
    for i in range(src.size):
        start[i + 2] += start[i + 1]
    for k in range(links.size):
        path[start[volume[k]]] = links[k]
        start[volume[k]] += 1
    for i in range(src.size):
        first, last, at = start[i], start[i + 1], src[i]
        for k in range(first, last):
            j = k
            while j < last and tails[path[j]] != at:
                j += 1
            if j == last:
                return start[:-1], path, i
            path[k], path[j] = path[j], path[k]
            at = heads[path[k]]
        if last > first and at != dst[i]:
            return start[:-1], path, i
    return start[:-1], path, -1
