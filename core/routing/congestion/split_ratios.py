"""Kernels that route by split ratios: for each destination, the fraction of the volume at a vertex on each link."""

import numpy as np

from core.kernels import kernel
from core.routing.congestion.kernel import DestinationFlow, Places, UsableLinks
from core.routing.flows import Nodes, Volumes


@kernel
def shares(row: DestinationFlow, src: Nodes) -> Volumes:
    """Return, for each link of a flow, its fraction of the volume leaving its tail."""
    part, first = np.empty(row.link.size), 0
    while first < row.link.size:
        last, total = first, 0.0
        while last < row.link.size and src[row.link[last]] == src[row.link[first]]:
            total += row.volume[last]
            last += 1
        for k in range(first, last):
            part[k] = row.volume[k] / total
        first = last
    return part


@kernel
def carry_by_ratios(
    start: Places,
    src: Nodes,
    volume: Volumes,
    first: Places,
    link: Nodes,
    share: Volumes,
    graph: UsableLinks,
    loads: Volumes,
) -> None:
    """Carry volumes to their destinations by split ratios, and add the loads.

    Sources and volumes of destination v are at ``start[v]`` to ``start[v + 1]``, its links from ``first[v]``.
    """
    held = np.zeros(graph.start.size - 1)
    for v in range(start.size - 1):
        if start[v] == start[v + 1]:
            continue
        for i in range(start[v], start[v + 1]):
            held[src[i]] += volume[i]
        for k in range(first[v], first[v + 1]):
            part = held[graph.src[link[k]]] * share[k]
            loads[link[k]] += part
            held[graph.dst[link[k]]] += part
        held[:] = 0.0


@kernel
def crossed(
    wanted: int,
    src: Nodes,
    dst: Nodes,
    order: Places,
    first: Places,
    link: Nodes,
    share: Volumes,
    graph: UsableLinks,
    fractions: Volumes,
) -> None:
    """Fill in the share of each flow that crosses a link; `order` sorts flows by destination."""
    comes, at = np.zeros(graph.start.size - 1), -1
    for i in order:
        v = dst[i]
        if v != at:
            at = v
            comes[:] = 0.0
            # From the end: the fraction of the volume at each vertex that crosses the link.
            for k in range(first[v + 1] - 1, first[v] - 1, -1):
                u = graph.src[link[k]]
                comes[u] += share[k] * (1.0 if link[k] == wanted else comes[graph.dst[link[k]]])
        if src[i] != v:
            fractions[i] = comes[src[i]]
