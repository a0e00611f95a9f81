"""One flow for each ordered pair of nodes: hops, detours and disconnected pairs, and what every link carries."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.adjacency import Adjacency, distances_from
from core.routing.faulty import FaultyRouter
from core.routing.flows import FixedPoint, Nodes
from core.routing.minimal.scheme import EqualRouter
from core.routing.path_order import Paths
from core.routing.paths import all_pairs, single_paths
from core.routing.router import Router
from core.spec import Progress, no_progress

MAX_LISTED = 10
"""Disconnected pairs that are listed."""
HOPS, MAX_HOPS, DETOURS, UNREACHABLE = range(4)


@dataclass(frozen=True, eq=False)
class PathTotals:
    """Sums over the paths of all ordered pairs of different nodes."""

    pairs: int
    unreachable: int
    """Pairs without a path."""
    hops: int
    """Links crossed by all paths, including links to and from nodes."""
    max_hops: int
    """Links crossed by the longest path."""
    detours: int
    """Paths that are longer than a shortest path over the working links."""
    flows: FixedPoint
    """(links,) paths that cross each link."""
    destinations: FixedPoint
    """(links,) destinations with a path that crosses each link."""
    first_unreachable: NDArray[np.int32]
    """(listed, 2) source and destination of up to `MAX_LISTED` pairs without a path, by destination."""

    @property
    def mean_hops(self) -> float | None:
        """Return the mean number of links of a path, None without paths."""
        reached = self.pairs - self.unreachable
        return self.hops / reached if reached else None


def path_totals(router: Router, progress: Progress = no_progress) -> PathTotals:
    """Follow the path of every pair of nodes, some destinations at a time.

    Raises SpecError: if the routing splits flows. Raises Cancelled: when `progress` does.
    """
    network = router.network
    failed = router.failed if isinstance(router, FaultyRouter) else None
    in_links = EqualRouter(network, failed).incident.in_links
    flows, destinations = np.zeros(network.links, np.int64), np.zeros(network.links, np.int64)
    last, sums = np.full(network.links, -1, np.int32), np.zeros(4, np.int64)
    room, first = np.empty((2, network.vertices), np.int32), np.empty((MAX_LISTED, 2), np.int32)
    for src, dst in all_pairs(network.nodes):
        progress(int(dst[0]) / network.nodes)
        paths = single_paths(router, src, dst)
        _add(paths, src, dst, in_links, room, flows, destinations, last, sums, first)
    hops, max_hops, detours, unreachable = sums.tolist()
    pairs, listed = network.nodes * (network.nodes - 1), first[: min(unreachable, MAX_LISTED)]
    return PathTotals(pairs, unreachable, hops, max_hops, detours, flows, destinations, listed)


@kernel
def _add(
    paths: Paths, src: Nodes, dst: Nodes, in_links: Adjacency, room: Nodes, flows: FixedPoint,
    destinations: FixedPoint, last: Nodes, sums: FixedPoint, first: Nodes,
) -> None:  # fmt: skip
    # Pairs are sorted by destination; last[link] is the last destination counted for the link.
    target, distance = -1, room[0]
    for i in range(src.size):
        if dst[i] != target:
            target = dst[i]
            distances_from(target, in_links, distance, room[1])
        begin, end = paths.start[i], paths.start[i + 1]
        if src[i] == target:
            continue
        if begin == end:
            if sums[UNREACHABLE] < first.shape[0]:
                first[sums[UNREACHABLE], 0], first[sums[UNREACHABLE], 1] = src[i], target
            sums[UNREACHABLE] += 1
            continue
        hops = end - begin
        sums[HOPS] += hops
        sums[MAX_HOPS] = max(sums[MAX_HOPS], hops)
        sums[DETOURS] += hops > distance[src[i]]
        for place in range(begin, end):
            link = paths.links[place]
            flows[link] += 1
            if last[link] != target:
                last[link] = target
                destinations[link] += 1
