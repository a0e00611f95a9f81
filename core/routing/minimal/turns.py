"""The intermediates of Valiant's routing through nodes or their switches."""

import numpy as np

from core.network.adjacency import FAR, distances_from
from core.network.network import Network
from core.routing.flows import Flags, Nodes, Volumes
from core.routing.minimal.trunk import islands_of

ROLES = ("to the intermediate", "from the intermediate")


def parts_of(network: Network) -> Nodes:
    """Return the part of the network of each vertex, ``(vertices,)``: no flow leaves it.

    In a network where all nodes reach each other: 0 for every vertex with paths to and from the nodes, else -1.
    """
    if not network.connected:
        return islands_of(network, None)
    part = np.zeros(network.vertices, np.int32)
    distance, queue = np.empty(network.vertices, np.int32), np.empty(network.vertices, np.int32)
    for adjacency in (network.out_links, network.in_links):
        distances_from(0, adjacency, distance, queue)
        part[distance == FAR] = -1
    return part


def turning(network: Network, parts: Nodes, failed: Flags | None) -> Volumes:
    """Return the probability that a vertex is the intermediate of flows of its part, shape ``(vertices,)``.

    `parts`: the part of the network of each vertex. Nodes without a link to a switch of their part are intermediates
    themselves.
    """
    hangs = (network.src < network.nodes) & (network.dst >= network.nodes) & (parts[network.src] == parts[network.dst])
    if failed is not None:
        hangs &= ~failed
    node, switch = network.src[hangs], network.dst[hangs]
    own = parts[: network.nodes]
    each, hosts = 1.0 / np.bincount(own)[own], np.bincount(node, minlength=network.nodes)
    weight = np.zeros(network.vertices)
    weight[: network.nodes] = np.where(hosts > 0, 0.0, each)
    np.add.at(weight, switch, each[node] / hosts[node])
    return weight
