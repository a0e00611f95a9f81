"""Paths along forwarding tables, followed hop by hop in dictionaries."""

from fractions import Fraction


def paths(network, ports, lids, u, v):
    """The paths from node u to node v with their shares: links, or None where packets do not arrive.

    `ports` has the port by switch and LID, `lids` the number of LIDs of each port that are used.
    """
    nics = {node: nics_of(network, node) for node in (u, v)}
    if not nics[u] or not nics[v]:
        return [(Fraction(1), None)]
    listed = []
    for number, first in enumerate(nics[u]):
        peer = nics[v][number % len(nics[v])]
        count = lids(int(network.src_ports.lmc[peer]))
        for k in range(count):
            lid = int(network.src_ports.lid[peer]) + k
            listed.append((Fraction(1, len(nics[u]) * count), followed(network, ports, first, lid, v)))
    return listed


def nics_of(network, node):
    """The links from the NICs of a node, in their order."""
    links = [link for link in range(network.links) if network.src[link] == node]
    return sorted(links, key=lambda link: (network.src_ports.nic[link], link))


def followed(network, ports, link, lid, target):
    """The links from a first link to a LID of a node, or None."""
    at_port = {(int(network.src[k]), int(network.src_ports.number[k])): k for k in range(network.links)}
    links = [link]
    while network.dst[links[-1]] >= network.nodes:
        switch = int(network.dst[links[-1]])
        onward = at_port.get((switch, ports.get((switch, lid))))
        if onward is None or onward in links:
            return None
        links.append(onward)
    return links if network.dst[links[-1]] == target else None
