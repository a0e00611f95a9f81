"""The minimal paths of a fabric, over usable links."""

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.network import Network
from core.optimise.routes.state import Adjacent, MinimalPaths
from core.routing.flows import Flags, Nodes
from core.routing.tables.fabric import NO_LINK, Fabric
from core.routing.tables.kernel import NO_PATH, Hops


def minimal_paths(network: Network, fabric: Fabric, usable: Flags) -> MinimalPaths:
    """Return the minimal paths to every LID, given which links may be used, ``(links,)``; hosts do not forward."""
    assert network.src_ports is not None
    port, at_switch = network.src_ports.number, usable & (network.src >= network.nodes)
    inner = at_switch & (network.dst >= network.nodes)
    out = _adjacent(network.src, np.flatnonzero(at_switch), port, network)
    into = _adjacent(network.dst, np.flatnonzero(inner), port, network)
    last = _last_links(network, fabric, usable)
    src, head = network.src.astype(np.int32), network.dst.astype(np.int32)
    hops = np.full((last.size, fabric.switches), NO_PATH, np.int16)
    paths = MinimalPaths(hops, last, out, into, src, head, network.nodes)
    _measure_hops(paths)
    return paths


def _adjacent(at: Nodes, links: NDArray[np.intp], port: Nodes, network: Network) -> Adjacent:
    switch = at[links] - network.nodes
    order = np.lexsort((links, switch))
    start = np.searchsorted(switch[order], np.arange(network.vertices - network.nodes + 1))
    return Adjacent(start.astype(np.int64), links[order].astype(np.int32), port[links[order]].astype(np.int32))


def _last_links(network: Network, fabric: Fabric, usable: Flags) -> Nodes:
    # The link to a NIC is the reverse of the link from it; a NIC whose cable leads to a host has none.
    assert network.dst_ports is not None
    nics = fabric.nics
    switch, port = network.dst[nics.link] - network.nodes, network.dst_ports.number[nics.link]
    last = np.where(switch >= 0, fabric.link_at[np.maximum(switch, 0), port], NO_LINK)
    last = np.where((last != NO_LINK) & usable[last], last, NO_LINK)
    return np.repeat(last, np.diff(nics.row_start)).astype(np.int32)


@kernel
def _measure_hops(paths: MinimalPaths) -> None:
    # Breadth first from the switch of each LID against the links; rows of one switch have equal hops.
    hops, into = paths.hops, paths.into
    rows, switches = hops.shape
    queue, row_of = np.empty(switches, np.int32), np.full(switches, -1, np.int32)
    for row in range(rows):
        if paths.last[row] == NO_LINK:
            continue
        first = paths.src[paths.last[row]] - paths.nodes
        if row_of[first] >= 0:
            for switch in range(switches):
                hops[row, switch] = hops[row_of[first], switch]
            continue
        row_of[first] = row
        hops[row, first] = 1
        queue[0] = first
        begin, end = 0, 1
        while begin < end:
            switch = queue[begin]
            begin += 1
            for k in range(into.start[switch], into.start[switch + 1]):
                tail = paths.src[into.link[k]] - paths.nodes
                if hops[row, tail] == NO_PATH:
                    hops[row, tail] = hops[row, switch] + 1
                    queue[end] = tail
                    end += 1


def not_minimal(hops: Hops, ports: NDArray[np.uint8], fabric: Fabric, paths: MinimalPaths) -> NDArray[np.bool_]:
    """Return which entries with a minimal path have another port, or none, shape ``(rows, switches)``."""
    switch = np.arange(fabric.switches)
    link = fabric.link_at[switch, ports]
    head = paths.head[link]
    before = hops[np.arange(hops.shape[0])[:, None], np.maximum(head - paths.nodes, 0)]
    nearer = (link != NO_LINK) & (head >= paths.nodes) & (before == hops - 1)
    arrives = (link == paths.last[:, None]) & (link != NO_LINK)
    usable = np.zeros(paths.head.size, np.bool_)
    usable[paths.out.link] = True
    minimal = np.where(hops == 1, arrives, nearer & usable[link])
    return np.asarray((hops != NO_PATH) & ~minimal)
