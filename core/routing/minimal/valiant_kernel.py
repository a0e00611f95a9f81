"""Kernels that carry volume between one vertex and all others, for `core.routing.minimal.valiant`."""

import numpy as np

from core.kernels import kernel
from core.network.adjacency import FAR, Adjacency
from core.routing.flows import Nodes, Volumes
from core.routing.minimal.kernel import PathScratch, carry, count_paths


@kernel
def carry_uniform(
    ends: Nodes,
    sent: Volumes,
    received: Volumes,
    weight: Volumes,
    parts: Nodes,
    adjacency: Adjacency,
    room: PathScratch,
    loads: Volumes,
) -> bool:
    """Carry, to and from each of some intermediates, its share of the volume that its part sends and receives.

    Return whether the paths could be counted. `sent`, `received` and `weight` have the shape ``(vertices,)``.
    """
    for begin in ends:
        mine, gets = weight[begin], received[begin]
        room.volume[:] = 0.0
        for u in range(parts.size):
            if parts[u] == parts[begin]:
                room.volume[u] = sent[u] * mine + gets * weight[u]
        if not carry(begin, adjacency, True, room, loads):
            return False
    return True


@kernel
def shares_on(
    link: int, nodes: Nodes, weight: Volumes, parts: Nodes, adjacency: Adjacency, room: PathScratch
) -> Volumes:
    """Return the load on one link of a unit between each of some nodes and the intermediates of its part."""
    # Loads of other links are ignored.
    loads, shares = np.zeros(adjacency.link.max() + 1), np.zeros(nodes.size)
    none, gets, end = np.zeros(parts.size), np.ones(parts.size), np.empty(1, np.int32)
    for i in range(nodes.size):
        loads[link], end[0] = 0.0, nodes[i]
        carry_uniform(end, none, gets, weight, parts, adjacency, room, loads)
        shares[i] = loads[link]
    return shares


@kernel
def mean_distances(nodes: int, adjacency: Adjacency, weight: Volumes, parts: Nodes, room: PathScratch) -> Volumes:
    """Return the mean distance from every node to the intermediates of its part, along `adjacency`."""
    room.volume[:] = 0.0
    mean = np.zeros(nodes)
    for u in range(nodes):
        count_paths(u, adjacency, room, -1)
        for v in range(parts.size):
            if parts[v] == parts[u] and weight[v] > 0.0 and room.distance[v] != FAR:
                mean[u] += weight[v] * room.distance[v]
    return mean
