"""Paths that follow forwarding tables, in loops over destination LIDs."""

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.routing.flows import Flags, Nodes, Volumes
from core.routing.tables.fabric import NO_LINK, Fabric, Nics

NO_PATH = -1
"""Hops of a switch whose packets for a LID do not arrive."""
_NEW, _ON_PATH = -2, -3
Hops = NDArray[np.int16]
"""(rows, switches) links from a switch to the host with a LID, or `NO_PATH`."""


@inlined
def next_link(fabric: Fabric, usable: Flags, row: int, switch: int) -> int:
    """Return the link by which a switch forwards to a LID, or `NO_LINK`."""
    link = fabric.link_at[switch, fabric.ports[row, switch]]
    return link if link != NO_LINK and usable[link] else NO_LINK


@kernel
def count_hops(fabric: Fabric, usable: Flags) -> Hops:
    """Return the hops from every switch to every LID over usable links.

    Packets that a switch drops, that reach another host, or that go round in a loop do not arrive.
    """
    rows, switches = fabric.ports.shape
    hops = np.full((rows, switches), _NEW, np.int16)
    stack = np.empty(switches, np.int32)
    for row in range(rows):
        for first in range(switches):
            size, at, left = 0, first, NO_PATH
            while hops[row, at] == _NEW:
                hops[row, at] = _ON_PATH
                stack[size] = at
                size += 1
                link = next_link(fabric, usable, row, at)
                head = fabric.head[link] if link != NO_LINK else -1
                if head < fabric.nodes:
                    left = 1 if link != NO_LINK and head == fabric.target[row] else NO_PATH
                    break
                at = head - fabric.nodes
                left = _after(hops[row, at])
            while size:
                size -= 1
                hops[row, stack[size]] = left
                left = _after(left)
    return hops


@inlined
def _after(hops: int) -> int:
    """Return the hops from a switch before another, given its hops."""
    return hops + 1 if hops > 0 else NO_PATH


@inlined
def _entry(fabric: Fabric, usable: Flags, hops: Hops, nic: int, row: int) -> int:
    """Return the hops from a NIC to a LID, or `NO_PATH`."""
    link = fabric.nics.link[nic]
    if not usable[link]:
        return NO_PATH
    head = fabric.head[link]
    if head < fabric.nodes:
        return 1 if head == fabric.target[row] else NO_PATH
    return _after(hops[row, head - fabric.nodes])


@inlined
def peer(nics: Nics, u: int, v: int, nic: int) -> int:
    """Return the NIC of node v for a NIC of node u: NICs with equal numbers, modulo the number of NICs of v."""
    return int(nics.start[v] + (nic - nics.start[u]) % (nics.start[v + 1] - nics.start[v]))


@kernel
def reach(fabric: Fabric, usable: Flags, hops: Hops, src: Nodes, dst: Nodes, reached: Flags) -> None:
    """Set whether all paths of each flow arrive, in `reached`, ``(flows,)``."""
    nics = fabric.nics
    for flow in range(src.size):
        u, v = src[flow], dst[flow]
        arrives = u == v or (nics.start[u] < nics.start[u + 1] and nics.start[v] < nics.start[v + 1])
        if u != v and arrives:
            for nic in range(nics.start[u], nics.start[u + 1]):
                other = peer(nics, u, v, nic)
                for row in range(nics.row_start[other], nics.row_start[other + 1]):
                    arrives = arrives and _entry(fabric, usable, hops, nic, row) != NO_PATH
        reached[flow] = arrives


@kernel
def follow(fabric: Fabric, usable: Flags, hops: Hops, src: Nodes, dst: Nodes) -> tuple[NDArray[np.int64], Nodes]:
    """Return `start` and `links` of the paths of flows between nodes with one NIC and one LID each: see `Paths`."""
    nics, start = fabric.nics, np.zeros(src.size + 1, np.int64)
    for flow in range(src.size):
        u, v = src[flow], dst[flow]
        nic, other, length = nics.start[u], nics.start[v], 0
        if u != v and nic < nics.start[u + 1] and other < nics.start[v + 1]:
            row = nics.row_start[other]
            length = max(_entry(fabric, usable, hops, nic, row), 0) if row < nics.row_start[other + 1] else 0
        start[flow + 1] = start[flow] + length
    links = np.empty(start[-1], np.int32)
    for flow in range(src.size):
        link, row = NO_LINK, 0
        for k in range(start[flow], start[flow + 1]):
            if k == start[flow]:
                link, row = nics.link[nics.start[src[flow]]], nics.row_start[nics.start[dst[flow]]]
            else:
                switch = fabric.head[link] - fabric.nodes
                link = fabric.link_at[switch, fabric.ports[row, switch]]
            links[k] = link
    return start, links


@kernel
def inject(
    fabric: Fabric, hops: Hops, src: Nodes, dst: Nodes, volume: Volumes, entering: Volumes, loads: Volumes
) -> None:
    """Add flows to the loads of the links from NICs, and to the volume that enters each switch for each LID.

    Flows without a path are omitted. `entering` has the shape of `hops`, `loads` one value per link.
    """
    nics = fabric.nics
    for flow in range(src.size):
        u, v = src[flow], dst[flow]
        if u == v or nics.start[u] == nics.start[u + 1] or nics.start[v] == nics.start[v + 1]:
            continue
        for nic in range(nics.start[u], nics.start[u + 1]):
            other, link = peer(nics, u, v, nic), nics.link[nic]
            rows = nics.row_start[other + 1] - nics.row_start[other]
            part = volume[flow] / ((nics.start[u + 1] - nics.start[u]) * rows)
            for row in range(nics.row_start[other], nics.row_start[other + 1]):
                head = fabric.head[link]
                if head >= fabric.nodes and hops[row, head - fabric.nodes] > 0:
                    entering[row, head - fabric.nodes] += part
                    loads[link] += part
                elif head == v:
                    loads[link] += part


@kernel
def carry(fabric: Fabric, hops: Hops, first: int, last: int, entering: Volumes, loads: Volumes) -> None:
    """Add the volume that enters switches for the LIDs of rows `first` to `last` to the loads of links.

    `entering` is consumed.
    """
    switches = hops.shape[1]
    order, place = np.empty(switches, np.int32), np.empty(switches + 2, np.int32)
    for row in range(first, last):
        # By descending hops, so that a switch forwards after all that forward to it.
        place[:] = 0
        for switch in range(switches):
            place[switches - max(hops[row, switch], 0) + 1] += 1
        for k in range(switches + 1):
            place[k + 1] += place[k]
        for switch in range(switches):
            k = switches - max(hops[row, switch], 0)
            order[place[k]] = switch
            place[k] += 1
        for k in range(switches):
            switch = order[k]
            volume = entering[row, switch]
            if volume == 0.0 or hops[row, switch] == NO_PATH:
                continue
            link = fabric.link_at[switch, fabric.ports[row, switch]]
            loads[link] += volume
            head = fabric.head[link]
            if head >= fabric.nodes:
                entering[row, head - fabric.nodes] += volume
