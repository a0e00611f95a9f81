"""Carrying volume between one node and all others, for `core.routing.valiant`."""

import numpy as np
from numba import njit

from core.network.adjacency import FAR, Adjacency
from core.routing.minimal_kernel import Scratch, carry, count_paths
from core.routing.routing import Nodes, Volumes


@njit(cache=True, nogil=True)
def carry_uniform(
    nodes: Nodes, sent: Volumes, received: Volumes, parts: Nodes, near: Adjacency, room: Scratch, loads: Volumes
) -> bool:
    """Carry to each of some nodes, from every node of its part, what that sends to each and what it gets from each.

    Returns whether the paths could be counted.
    """
    for begin in nodes:
        room.volume[:] = 0.0
        for u in range(parts.size):
            if parts[u] == parts[begin]:
                room.volume[u] = sent[u] + received[begin]
        if not carry(begin, near, True, room, loads):
            return False
    return True


@njit(cache=True, nogil=True)
def shares_on(link: int, nodes: Nodes, weight: Volumes, parts: Nodes, near: Adjacency, room: Scratch) -> Volumes:
    """Return what a unit to each of some nodes, in equal parts from all of its part, puts on one link."""
    # The other links only gather what nobody reads.
    loads, shares = np.zeros(near.link.max() + 1), np.zeros(nodes.size)
    none, one = np.zeros(parts.size), np.empty(1, np.int32)
    for i in range(nodes.size):
        loads[link], one[0] = 0.0, nodes[i]
        carry_uniform(one, none, weight, parts, near, room, loads)
        shares[i] = loads[link]
    return shares


@njit(cache=True, nogil=True)
def mean_distances(near: Adjacency, weight: Volumes, parts: Nodes, room: Scratch) -> Volumes:
    """Return the mean distance from every node to those of its part, itself among them, along `near`."""
    room.volume[:] = 0.0
    mean = np.zeros(parts.size)
    for u in range(parts.size):
        count_paths(u, near, room, -1)
        for v in range(parts.size):
            if parts[v] == parts[u] and room.away[v] != FAR:
                mean[u] += room.away[v]
        mean[u] *= weight[u]
    return mean
