"""Engines with minimal paths only: the nearest switches to every destination, and a choice among them.

Sources: OpenSM, osm_ucast_mgr.c (minhop); Hoefler, Schneider, Lumsdaine, "Optimized routing for large-scale InfiniBand
networks", 2009, and Domke, Hoefler, Nagel, "Deadlock-free oblivious routing for arbitrary topologies", 2011 (SSSP).
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.network.adjacency import FAR, Ints
from core.routing.tables.engines.subnet import Cables, Entries, Subnet
from core.spec import Progress

Counts = NDArray[np.int64]


def minhop(subnet: Subnet, progress: Progress) -> Entries:
    """Return tables in which every switch forwards to its least used port among those nearest to the destination.

    Every switch counts the LIDs of hosts that it forwards to each port, and knows no other counts.
    """
    used = np.zeros(subnet.cables.tail.size, np.int64)
    return _by_destination(subnet, partial(_least_used, used), progress)


def sssp(subnet: Subnet, progress: Progress) -> Entries:
    """Return tables of shortest paths on which few paths of hosts lie already.

    A link's weight is the number of paths from hosts' ports to the destinations so far, and a path has the least sum of
    weights among the shortest. So the switches of a fabric share its load.
    """
    weight = np.zeros(subnet.cables.tail.size, np.int64)
    cost, through = np.zeros((2, subnet.guids.size), np.int64)
    hosts = subnet.host_count
    return _by_destination(subnet, partial(_lightest, weight, cost, through, hosts), progress)


def _by_destination(subnet: Subnet, choose: Callable[..., None], progress: Progress) -> Entries:
    """Return tables, given a function that fills the row of an LID.

    Its arguments: the cables, the switches reached in the order of their distance, the distances to the LID's switch,
    the row, and whether the paths count.
    """
    entries, switches = subnet.no_entries(), subnet.guids.size
    lids = np.append(subnet.hosts.lid, subnet.lids)
    at = np.append(subnet.hosts.switch, np.arange(switches))
    distance, queue = np.empty((2, switches), np.int32)
    before = -1
    for number, (lid, switch) in enumerate(zip(lids.tolist(), at.tolist(), strict=True)):
        if switch != before:
            progress(number / lids.size)
            reached = nearest(subnet.cables, switch, distance, queue)
            before = switch
        if lid:
            choose(subnet.cables, queue[:reached], distance, entries[lid], number < subnet.hosts.lid.size)
    return entries


@kernel
def nearest(cables: Cables, target: int, distance: Ints, queue: Ints) -> int:
    """Fill `distance` with the links from every switch to `target`, `FAR` if there is no path.

    Return how many switches reach it; `queue` receives them by distance, `target` first.
    """
    distance[:] = FAR
    distance[target], queue[0] = 0, target
    done, reached = 0, 1
    while done < reached:
        switch = queue[done]
        done += 1
        for place in range(cables.in_start[switch], cables.in_start[switch + 1]):
            tail = cables.tail[cables.in_link[place]]
            if distance[tail] == FAR:
                distance[tail] = distance[switch] + 1
                queue[reached] = tail
                reached += 1
    return reached


@inlined
def _is_nearer(cables: Cables, distance: Ints, link: int) -> bool:
    return bool(distance[cables.head[link]] < distance[cables.tail[link]])


@kernel
def _least_used(
    used: Counts, cables: Cables, queue: Ints, distance: Ints, row: NDArray[np.uint8], counts: bool
) -> None:
    for place in range(1, queue.size):
        switch, best = queue[place], -1
        for link in range(cables.start[switch], cables.start[switch + 1]):
            if _is_nearer(cables, distance, link) and (best < 0 or used[link] < used[best]):
                best = link
        row[switch] = cables.port[best]
        used[best] += counts


@kernel
def _lightest(
    weight: Counts,
    cost: Counts,
    through: Counts,
    hosts: Counts,
    cables: Cables,
    queue: Ints,
    distance: Ints,
    row: NDArray[np.uint8],
    counts: bool,
) -> None:
    chosen = np.empty(queue.size, np.int64)
    cost[queue[0]] = 0
    for place in range(1, queue.size):
        switch, best = queue[place], -1
        for link in range(cables.start[switch], cables.start[switch + 1]):
            total = cost[cables.head[link]] + weight[link]
            if _is_nearer(cables, distance, link) and (best < 0 or total < cost[switch]):
                best, cost[switch] = link, total
        row[switch], chosen[place] = cables.port[best], best
    if counts:
        through[:] = hosts
        for place in range(queue.size - 1, 0, -1):
            link, flows = chosen[place], through[queue[place]]
            weight[link] += flows
            through[cables.head[link]] += flows
