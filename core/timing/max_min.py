"""Max-min fair rates by water filling: all rates rise alike, and those that cross a full link stay as they are.

Bertsekas and Gallager, "Data Networks", 1992, section 6.5.2. A heap holds, for every link in use, a rate that it allows
at least. What the others leave it only grows as their rates come to stay, so a link is looked at anew when it comes to
the top, and is full if it still allows no more.
"""

from typing import NamedTuple

import numpy as np

from core.kernels import inlined, kernel
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.timing.paths import Paths

ROUNDING = 1e-12
"""Relative difference below which two rates, or two times, count as equal."""
RISING = -1.0
"""The rate of what does not cross a full link yet."""


class Room(NamedTuple):
    """Room for the work on one network; between two calls `users` and `weight` are 0."""

    users: Nodes
    """(links,) how many entries of paths a link has."""
    weight: Volumes
    """(links,) what the links would carry if all rates were 1."""
    end: FixedPoint
    """(links,) where the entries of a link end."""
    level: Volumes
    """(links,) a rate that each link allows at least."""
    heap: Nodes
    """Links, the one with the least level first."""
    pair: Nodes
    """(entries,) by link."""
    part: Volumes
    """(entries,) what the pair puts on the link at a rate of 1."""

    @classmethod
    def of(cls, links: int, entries: int) -> "Room":
        """Return room for so many links, and entries of paths."""
        users, heap, pair = np.zeros(links, np.int32), np.zeros(links, np.int32), np.zeros(entries, np.int32)
        return cls(users, np.zeros(links), np.zeros(links, np.int64), np.zeros(links), heap, pair, np.zeros(entries))


@inlined
def sink(heap: Nodes, size: int, key: Volumes, at: int, item: int) -> None:
    """Put an item at a place of a heap, the least key first, from where it sinks to its own."""
    while True:
        child = 2 * at + 1
        if child + 1 < size and key[heap[child + 1]] < key[heap[child]]:
            child += 1
        if child >= size or key[heap[child]] >= key[item]:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = item


@inlined
def rise(heap: Nodes, key: Volumes, at: int, item: int) -> None:
    """Put an item at a place of a heap, from where it rises to its own."""
    while at > 0 and key[heap[(at - 1) // 2]] > key[item]:
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = item


@kernel
def share_fairly(
    pairs: Nodes, count: int, many: Nodes, paths: Paths, capacity: Volumes, rate: Volumes, room: Room
) -> None:
    """Write the max-min fair rates of the first `count` of some pairs to `rate`.

    Parameters
    ----------
    many
        ``(pairs,)`` how many flows each has: they have the same path, hence the same rate.
    capacity
        ``(links,)`` bandwidth, above 0.
    """
    users, weight, end, level, heap, by_link, part = room
    start, links, shares = paths
    size = _tally(pairs, count, many, start, links, shares, rate, users, weight, heap)
    _list_by_link(pairs, count, many, start, links, shares, users, end, by_link, part, heap, size)
    for i in range(size):
        link = heap[i]
        level[link] = capacity[link] / weight[link]
    for i in range(size // 2 - 1, -1, -1):
        sink(heap, size, level, i, heap[i])
    while size:
        link = heap[0]
        last = end[link]
        first = last - users[link]
        carried, rising = _on_link(first, last, by_link, part, rate)
        if rising > 0.0:
            # Not below what it was: rounding aside, no rate that stays makes room smaller.
            allowed = max((capacity[link] - carried) / rising, level[link])
            if allowed > level[link] * (1 + ROUNDING):
                level[link] = allowed
                sink(heap, size, level, 0, link)
                continue
            for e in range(first, last):
                if rate[by_link[e]] < 0.0:
                    rate[by_link[e]] = allowed
        users[link], weight[link] = 0, 0.0
        size -= 1
        if size:
            sink(heap, size, level, 0, heap[size])


@inlined
def _on_link(first: int, last: int, by_link: Nodes, part: Volumes, rate: Volumes) -> tuple[float, float]:
    # What a link carries at rates that stay, and what it would carry more if all others were 1.
    carried, rising = 0.0, 0.0
    for e in range(first, last):
        if rate[by_link[e]] < 0.0:
            rising += part[e]
        else:
            carried += part[e] * rate[by_link[e]]
    return carried, rising


@inlined
def _tally(
    pairs: Nodes,
    count: int,
    many: Nodes,
    start: FixedPoint,
    links: Nodes,
    shares: Volumes,
    rate: Volumes,
    users: Nodes,
    weight: Volumes,
    used: Nodes,
) -> int:
    # Find the links in use, and all that is on each; return how many there are.
    size = 0
    for i in range(count):
        p = pairs[i]
        rate[p] = RISING
        for e in range(start[p], start[p + 1]):
            link = links[e]
            if users[link] == 0:
                used[size] = link
                size += 1
            users[link] += 1
            weight[link] += shares[e] * many[p]
    return size


@inlined
def _list_by_link(
    pairs: Nodes,
    count: int,
    many: Nodes,
    start: FixedPoint,
    links: Nodes,
    shares: Volumes,
    users: Nodes,
    end: FixedPoint,
    by_link: Nodes,
    part: Volumes,
    used: Nodes,
    size: int,
) -> None:
    # Sort the entries of the paths by link.
    at = 0
    for i in range(size):
        end[used[i]] = at
        at += users[used[i]]
    for i in range(count):
        p = pairs[i]
        for e in range(start[p], start[p + 1]):
            to = end[links[e]]
            by_link[to], part[to] = p, shares[e] * many[p]
            end[links[e]] = to + 1
