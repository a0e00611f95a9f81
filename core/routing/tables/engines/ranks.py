"""Ranks of switches: the direction of cables, up or down, for engines whose paths lead up and then down."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.adjacency import FAR, Ints, components
from core.routing.flows import Flags
from core.routing.tables.engines.shortest import nearest
from core.routing.tables.engines.subnet import Cables, Subnet

LEAF_PART = 4
"""Switches with at most this fraction, 1 / 4, of the most hosts of a switch may be above the leaves."""


class Ranks(NamedTuple):
    """A total order of the switches: a link to an earlier switch leads up."""

    order: Ints
    """(switches,) the switches, the highest first."""
    up: Flags
    """(links,) whether each link leads up."""


def ranks_by(key: Ints, cables: Cables) -> Ranks:
    """Return ranks by a key, lowest first; equal keys are in the order of switches."""
    order = np.argsort(key, kind="stable").astype(np.int32)
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size, dtype=np.int32)
    return Ranks(order, rank[cables.head] < rank[cables.tail])


def tree_levels(subnet: Subnet) -> Ints | None:
    """Return the level of each switch, shape ``(switches,)``: its distance to the nearest leaf.

    All switches with hosts are leaves, or if that gives no levels, all with many hosts: a management node may be at a
    top switch. Switches without cables have the highest level. None if cables join switches whose levels do not differ
    by 1, which is not a tree.
    """
    hosts = subnet.host_count
    for few in (0, int(hosts.max(initial=0)) // LEAF_PART):
        level = np.where(hosts > few, 0, FAR).astype(np.int32)
        _spread_levels(subnet.cables, level)
        across = np.abs(level[subnet.cables.head].astype(np.int64) - level[subnet.cables.tail])
        if across.size and (across == 1).all():
            level[level == FAR] = level[level < FAR].max()
            return level
    return None


@kernel
def _spread_levels(cables: Cables, level: Ints) -> None:
    queue = np.empty(level.size, np.int32)
    done = reached = 0
    for switch in range(level.size):
        if level[switch] == 0:
            queue[reached] = switch
            reached += 1
    while done < reached:
        switch = queue[done]
        done += 1
        for link in range(cables.start[switch], cables.start[switch + 1]):
            head = cables.head[link]
            if level[head] == FAR:
                level[head] = level[switch] + 1
                queue[reached] = head
                reached += 1


def root_distances(cables: Cables) -> Ints:
    """Return the distance of each switch from the root of its connected component, shape ``(switches,)``.

    The root is a switch with the least distance to the farthest switch; of several, one with the least sum of
    distances, and then the first.
    """
    component = components(cables.tail, cables.head, cables.switches, directed=False)
    farthest, total = _extents(cables)
    order = np.lexsort((total, farthest, component))
    _, first = np.unique(component[order], return_index=True)
    level = np.full(cables.start.size - 1, FAR, np.int32)
    level[order[first]] = 0
    _spread_levels(cables, level)
    return level


@kernel
def _extents(cables: Cables) -> tuple[Ints, NDArray[np.int64]]:
    """Return the largest distance to every switch, and the sum of all."""
    switches = cables.start.size - 1
    farthest, total = np.zeros(switches, np.int32), np.zeros(switches, np.int64)
    distance, queue = np.empty(switches, np.int32), np.empty(switches, np.int32)
    for switch in range(switches):
        reached = nearest(cables, switch, distance, queue)
        farthest[switch] = distance[queue[reached - 1]]
        total[switch] = distance[queue[:reached]].sum()
    return farthest, total
