"""Tables whose paths lead up and then down, given the direction of every cable.

For every destination, a pass from its switch upwards gives the shortest paths that lead down only, and a pass from the
highest switch downwards decides for each switch whether it forwards down or up.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.network.adjacency import FAR, Ints
from core.routing.flows import Flags
from core.routing.tables.engines.ranks import Ranks
from core.routing.tables.engines.subnet import Cables, Entries, Subnet
from core.spec import Progress

NO_LINK = -1
NO_NUMBER = -1
"""Choose the link with the least weight, not by a number."""
Counts = NDArray[np.int64]


class Digits(NamedTuple):
    """Numbers that choose among several links: ``number // stride`` modulo the number of links."""

    number: Counts
    """(LIDs,) number of each destination: of the hosts' LIDs, and then of the switches."""
    stride: Counts
    """(switches,)"""


class _Paths(NamedTuple):
    """The paths to a destination, by switch."""

    hops: Ints
    """Links to the destination's switch: downwards only, and after the decision of the switch by its way."""
    cost: Counts
    """Sum of the weights of these links."""
    chosen: Ints
    """The link by which a switch forwards, or `NO_LINK`."""
    entered: Flags
    """Whether a higher switch forwards to it."""
    through: Counts
    """Hosts whose paths lead through it."""


def legal_tables(subnet: Subnet, ranks: Ranks, digits: Digits | None, progress: Progress) -> Entries:
    """Return tables with paths up and then down.

    Of the shortest, a switch chooses by the destination's digit if `digits` are given, else by weights: the number of
    paths of hosts on each link so far, added up along the path.
    """
    entries, cables, hosts = subnet.no_entries(), subnet.cables, subnet.host_count
    weight = np.zeros(cables.tail.size, np.int64)
    lids = np.append(subnet.hosts.lid, subnet.lids)
    at = np.append(subnet.hosts.switch, np.arange(hosts.size))
    number = np.full(lids.size, NO_NUMBER, np.int64) if digits is None else digits.number
    stride = np.ones(hosts.size, np.int64) if digits is None else digits.stride
    counts = np.arange(lids.size) < subnet.hosts.lid.size
    starts = np.flatnonzero(np.append(True, at[1:] != at[:-1]))
    for first, end in zip(starts.tolist(), [*starts[1:].tolist(), lids.size], strict=True):
        progress(first / lids.size)
        some = slice(first, end)
        _route_to(cables, ranks, int(at[first]), lids[some], number[some], counts[some], stride, weight, hosts, entries)
    return entries


@kernel
def _route_to(
    cables: Cables,
    ranks: Ranks,
    target: int,
    lids: Ints,
    number: Counts,
    counts: Flags,
    stride: Counts,
    weight: Counts,
    hosts: Counts,
    entries: Entries,
) -> None:
    """Fill the rows of the LIDs at a switch."""
    switches = hosts.size
    down, queue = np.empty(switches, np.int32), np.empty(switches, np.int32)
    reached = _downwards(cables, ranks.up, target, down, queue)
    paths = _Paths(
        np.empty(switches, np.int32),
        np.empty(switches, np.int64),
        np.empty(switches, np.int32),
        np.empty(switches, np.bool_),
        np.empty(switches, np.int64),
    )
    for k in range(lids.size):
        if lids[k] == 0:
            continue
        paths.hops[:], paths.chosen[:], paths.entered[:], paths.cost[target] = down, NO_LINK, False, 0
        for place in range(1, reached):
            switch = queue[place]
            _forward(cables, ranks.up, paths, switch, False, number[k], stride[switch], weight)
        for switch in ranks.order:
            if switch != target:
                _decide(cables, ranks.up, paths, switch, number[k], stride[switch], weight)
                if paths.chosen[switch] != NO_LINK:
                    entries[lids[k], switch] = cables.port[paths.chosen[switch]]
        if counts[k]:
            _add_paths(cables, ranks, paths, hosts, weight)


@kernel
def _downwards(cables: Cables, up: Flags, target: int, down: Ints, queue: Ints) -> int:
    """Fill `down` with the links of the shortest path that leads down only; return the number of switches with one."""
    down[:] = FAR
    down[target], queue[0] = 0, target
    done, reached = 0, 1
    while done < reached:
        switch = queue[done]
        done += 1
        for place in range(cables.in_start[switch], cables.in_start[switch + 1]):
            link = cables.in_link[place]
            tail = cables.tail[link]
            if not up[link] and down[tail] == FAR:
                down[tail] = down[switch] + 1
                queue[reached] = tail
                reached += 1
    return reached


@inlined
def _decide(cables: Cables, up: Flags, paths: _Paths, switch: int, number: int, stride: int, weight: Counts) -> None:
    """Let a switch forward up if that is shorter, and no higher switch forwards to it."""
    if not paths.entered[switch]:
        nearest = FAR
        for link in range(cables.start[switch], cables.start[switch + 1]):
            if up[link]:
                nearest = min(nearest, paths.hops[cables.head[link]])
        if nearest < FAR and nearest + 1 < paths.hops[switch]:
            paths.hops[switch] = nearest + 1
            _forward(cables, up, paths, switch, True, number, stride, weight)
    link = paths.chosen[switch]
    if link != NO_LINK and not up[link]:
        paths.entered[cables.head[link]] = True


@inlined
def _forward(
    cables: Cables, up: Flags, paths: _Paths, switch: int, upwards: bool, number: int, stride: int, weight: Counts
) -> None:
    """Choose one of the links in a direction that are on a path with the hops of the switch."""
    best, fits, least = NO_LINK, 0, 0
    for link in range(cables.start[switch], cables.start[switch + 1]):
        if up[link] == upwards and paths.hops[cables.head[link]] == paths.hops[switch] - 1:
            cost = paths.cost[cables.head[link]] + weight[link]
            if best == NO_LINK or (number == NO_NUMBER and cost < least):
                best, least = link, cost
            fits += 1
    if number != NO_NUMBER:
        wanted = (number // stride) % fits
        for link in range(best, cables.start[switch + 1]):
            if up[link] == upwards and paths.hops[cables.head[link]] == paths.hops[switch] - 1:
                if wanted == 0:
                    best = link
                    break
                wanted -= 1
    paths.chosen[switch], paths.cost[switch] = best, least


@inlined
def _add_paths(cables: Cables, ranks: Ranks, paths: _Paths, hosts: Counts, weight: Counts) -> None:
    """Add the paths of all hosts to the weights: upwards from the lowest switch, then downwards."""
    paths.through[:] = hosts
    for leads_up in (True, False):
        for place in range(hosts.size):
            switch = ranks.order[hosts.size - 1 - place if leads_up else place]
            link = paths.chosen[switch]
            if link != NO_LINK and ranks.up[link] == leads_up:
                weight[link] += paths.through[switch]
                paths.through[cables.head[link]] += paths.through[switch]
