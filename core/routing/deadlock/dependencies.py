"""The channel dependency graph, which links paths use directly one after the other, and its cycles.

A channel is a virtual lane of a link, ``link * lanes + lane``. A message that holds a channel may wait for each channel
that depends on it; a routing is free of deadlocks if these dependencies have no cycle. Source: Dally and Seitz,
"Deadlock-free message routing in multiprocessor interconnection networks", 1987.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.network.adjacency import Adjacency, components
from core.routing.flows import Ints, Nodes

Channels = NDArray[np.int64]
Keys = NDArray[np.int64]
"""Arcs as ``first * channels + second``, in a table with open addressing; -1 if a place is free."""
FIRST_ROOM = 1 << 16
"""Places of the first table."""
FREE = NOWHERE = -1


class Dependencies(NamedTuple):
    """The arcs of the graph, sorted, as arrays of shape ``(arcs,)``: `second` is used directly after `first`."""

    channels: int
    """Number of channels of all links."""
    first: Channels
    second: Channels


class DependencySet:
    """Collects arcs; its memory depends on the number of different arcs only."""

    def __init__(self, channels: int) -> None:
        self._channels = channels
        self._table: Keys = np.full(FIRST_ROOM, FREE)
        self._used = 0

    def add_paths(self, start: Channels, channel: Channels) -> None:
        """Add the arcs of paths: path i has the channels ``channel[start[i]]`` to ``channel[start[i + 1]]``."""
        done, paths = 0, start.size - 1
        longest = int(np.diff(start).max(initial=0))
        while done < paths:
            self._make_room(longest)
            done, self._used = _add_paths(start, channel, done, self._channels, self._table, self._used)

    def add_sets(self, start: Channels, channel: Channels, rank: Ints, heads: Ints, lanes: int, out: Adjacency) -> None:
        """Add the arcs of sets of channels: all pairs where a link begins at the end of another.

        Parameters
        ----------
        rank
            ``(channels of all sets,)`` position in the order of hops: no path uses a lower rank after a higher one.
        heads
            ``(links,)`` the vertex at the end of every link.
        """
        done, sets = 0, start.size - 1
        of_set = np.full((2, self._channels), FREE)
        while done < sets:
            self._make_room()
            done, self._used = _add_sets(
                start, channel, rank, heads, lanes, out, done, of_set, self._channels, self._table, self._used
            )

    def _make_room(self, more: int = 0) -> None:
        # Kernels stop when half of all places are taken.
        size = self._table.size
        while 4 * (self._used + more) > size:
            size *= 4
        if size > self._table.size:
            table = np.full(size, FREE)
            _move(self._table, table)
            self._table = table

    def dependencies(self) -> Dependencies:
        """Return the graph."""
        keys = np.sort(self._table[self._table != FREE])
        return Dependencies(self._channels, *np.divmod(keys, self._channels))


@inlined
def _insert(key: int, table: Keys) -> int:
    # Return 1 if the key is new, else 0.
    mask = table.size - 1
    place = ((key ^ (key >> 29)) * 0x9E3779B97F4A7 >> 20) & mask
    while table[place] != FREE:
        if table[place] == key:
            return 0
        place = (place + 1) & mask
    table[place] = key
    return 1


@kernel
def _move(old: Keys, new: Keys) -> None:
    for key in old:
        if key != FREE:
            _insert(key, new)


@kernel
def _add_paths(
    start: Channels, channel: Channels, begin: int, channels: int, table: Keys, used: int
) -> tuple[int, int]:
    for i in range(begin, start.size - 1):
        if 2 * (used + start[i + 1] - start[i]) > table.size:
            return i, used
        for k in range(start[i] + 1, start[i + 1]):
            used += _insert(channel[k - 1] * channels + channel[k], table)
    return start.size - 1, used


@kernel
def _add_sets(
    start: Channels,
    channel: Channels,
    rank: Ints,
    heads: Ints,
    lanes: int,
    out: Adjacency,
    begin: int,
    of_set: Channels,
    channels: int,
    table: Keys,
    used: int,
) -> tuple[int, int]:
    for i in range(begin, start.size - 1):
        for k in range(start[i], start[i + 1]):
            of_set[0, channel[k]], of_set[1, channel[k]] = i, rank[k]
        for k in range(start[i], start[i + 1]):
            end = heads[channel[k] // lanes]
            for place in range(out.start[end], out.start[end + 1]):
                for lane in range(lanes):
                    after = int(out.link[place]) * lanes + lane
                    if of_set[0, after] == i and of_set[1, after] >= rank[k]:
                        used += _insert(channel[k] * channels + after, table)
                        if 2 * used > table.size:
                            return i, used
    return start.size - 1, used


def shortest_cycle(graph: Dependencies) -> Channels:
    """Return the channels of a shortest cycle in order, the lowest first; empty if the graph has no cycle."""
    number, first, second = compact(graph)
    component = components(first, second, number.size)
    inside = component[first] == component[second]
    first, second = first[inside], second[inside]
    if not first.size:
        return np.zeros(0, np.int64)
    start = np.searchsorted(first, np.arange(number.size + 1)).astype(np.int64)
    cycle = _shortest(start, second)
    return number[np.roll(cycle, -int(cycle.argmin()))]


def compact(graph: Dependencies) -> tuple[Channels, Nodes, Nodes]:
    """Return the channels with arcs, ascending, and the arcs by index among them, shape ``(arcs,)`` each."""
    used = np.zeros(graph.channels, np.bool_)
    used[graph.first] = used[graph.second] = True
    index = np.cumsum(used) - 1
    return np.flatnonzero(used), index[graph.first].astype(np.int32), index[graph.second].astype(np.int32)


@kernel
def _shortest(start: Channels, second: Nodes) -> Channels:
    # Breadth-first from every channel, never deeper than the shortest cycle so far; then the channel is removed.
    size = start.size - 1
    before, depth, queue = np.empty(size, np.int64), np.full(size, NOWHERE), np.empty(size, np.int64)
    removed, best, length = np.zeros(size, np.bool_), np.zeros(0, np.int64), size + 1
    for begin in range(size):
        depth[begin], queue[0], done, reached, closed = 0, begin, 0, 1, False
        while done < reached and not closed and depth[queue[done]] + 1 < length:
            at = queue[done]
            done += 1
            for k in range(start[at], start[at + 1]):
                to = second[k]
                if to == begin:
                    length, closed = depth[at] + 1, True
                    best = np.empty(length, np.int64)
                    for hop in range(length - 1, -1, -1):
                        best[hop], at = at, before[at]
                    break
                if depth[to] == NOWHERE and not removed[to]:
                    depth[to], before[to], queue[reached] = depth[at] + 1, at, to
                    reached += 1
        for k in range(reached):
            depth[queue[k]] = NOWHERE
        removed[begin] = True
    return best
