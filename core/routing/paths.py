"""Single paths of many flows: the links of each, in the order of hops."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.network import Network
from core.routing.flows import Nodes, Traced
from core.spec import SpecError

if TYPE_CHECKING:
    from core.routing.router import Router

PAIRS_AT_ONCE = 1 << 18
"""Approximate number of pairs whose paths are listed at once: some 50 MB."""

SINGLE = (
    "tables with one NIC and one LID per node (network nics=own, routing lids=first), d-mod-k on fat trees, "
    "dimension-order without rings of even size, or minimal with spread single"
)
"""The most common schemes with single paths, for messages."""


class Paths(NamedTuple):
    """The links of the only path of each flow, in the order of hops."""

    start: NDArray[np.int64]
    """(flows + 1,) the path of flow i is at ``start[i]`` to ``start[i + 1]``; empty if it has none."""
    links: Nodes

    def of(self, flow: int) -> Nodes:
        """Return the links of a flow's path."""
        return self.links[self.start[flow] : self.start[flow + 1]]


def single_paths(router: "Router", src: Nodes, dst: Nodes) -> Paths:
    """Return the path of every flow; without links from a node to itself, and for disconnected flows.

    Raises SpecError: if the router splits flows (`Router.single_path`).
    """
    if not router.single_path:
        words = "splits flows over several paths; choose a scheme with a single path"
        raise SpecError("routing.type", f"{words}: {SINGLE}")
    return router.paths(src, dst)


def all_pairs(nodes: int) -> Iterator[tuple[Nodes, Nodes]]:
    """Yield all ordered pairs of nodes, including pairs of equal nodes, some destinations at a time."""
    node, step = np.arange(nodes, dtype=np.int32), max(PAIRS_AT_ONCE // nodes, 1)
    for first in range(0, nodes, step):
        some = node[first : first + step]
        yield np.tile(node, some.size), np.repeat(some, nodes)


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
