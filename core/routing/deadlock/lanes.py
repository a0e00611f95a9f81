"""Virtual lanes for any single paths: each path on the lowest lane where it closes no cycle.

This is the layering of LASH and DFSSSP, path by path. The number of lanes is an upper bound on the fewest: finding that
is NP-complete. Sources: Skeie, Lysne, Theiss, "Layered shortest path (LASH) routing in irregular system area networks",
2002; Domke, Hoefler, Nagel, "Deadlock-free oblivious routing for arbitrary topologies", 2011.

Every lane keeps a topological order of its channels, repaired where a new arc contradicts it. Source: Pearce and Kelly,
"A dynamic topological sort algorithm for directed acyclic graphs", 2007.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel
from core.network.adjacency import components
from core.routing.deadlock.dependencies import Channels, Dependencies, compact
from core.routing.flows import Flags, Nodes
from core.routing.path_order import Paths
from core.routing.paths import all_pairs, single_paths
from core.routing.router import Router
from core.spec import Progress, no_progress

MAX_LANES = 16
"""Limit on lanes: InfiniBand has at most 15 for data."""
NONE = -1


class Layers(NamedTuple):
    """The arcs that are part of cycles, and the arcs and the order of every lane."""

    channel: Nodes
    """(links,) index of a link among the links with arcs, or -1."""
    component: Nodes
    """(channels,) paths between different strongly connected components close no cycle."""
    start: Channels
    """(channels + 1,) arcs from a channel, by its index."""
    second: Nodes
    into: Channels
    """(channels + 1,) arcs to a channel, in `arc`."""
    arc: Channels
    first: Nodes
    present: Flags
    """(lanes, arcs)"""
    blocked: Flags
    """(lanes, arcs) arcs that would close a cycle."""
    rank: Nodes
    """(lanes, channels) topological order."""


def pairs_by_lane(router: Router, graph: Dependencies, progress: Progress = no_progress) -> NDArray[np.int64]:
    """Return the number of pairs of nodes on each lane, shape ``(lanes,)``; empty if `MAX_LANES` are too few.

    Parameters
    ----------
    graph
        The dependencies of the router on one lane, at least all that are part of a cycle.

    Raises SpecError: if the routing splits flows. Raises Cancelled: when `progress` does.
    """
    layers, pairs = _layers(graph), np.zeros(MAX_LANES, np.int64)
    scratch = np.zeros(layers.component.size, np.int8), np.empty((3, layers.component.size), np.int32)
    for src, dst in all_pairs(router.network.nodes):
        if not _assign(single_paths(router, src, dst), layers, *scratch, pairs):
            return pairs[:0]
        progress(float(dst[-1] + 1) / router.network.nodes)
    return pairs[: max(int(np.count_nonzero(pairs)), 1)]


def _layers(graph: Dependencies) -> Layers:
    number, first, second = compact(graph)
    component = components(first, second, number.size)
    inside = component[first] == component[second]
    first, second = first[inside], second[inside]
    index = np.full(graph.channels, NONE, np.int32)
    index[number] = np.arange(number.size)
    ends, arcs = np.arange(number.size + 1), (MAX_LANES, first.size)
    arc = np.argsort(second, kind="stable")
    return Layers(
        index, component, np.searchsorted(first, ends).astype(np.int64), second,
        np.searchsorted(second[arc], ends).astype(np.int64), arc.astype(np.int64), first,
        np.zeros(arcs, np.bool_), np.zeros(arcs, np.bool_),
        np.tile(np.arange(number.size, dtype=np.int32), (MAX_LANES, 1)),
    )  # fmt: skip


@kernel
def _assign(paths: Paths, layers: Layers, mark: NDArray[np.int8], room: Nodes, pairs: NDArray[np.int64]) -> bool:
    added = np.empty(layers.second.size, np.int64)
    for i in range(paths.start.size - 1):
        if paths.start[i] == paths.start[i + 1]:
            continue
        lane = 0
        while not _fits(paths, i, lane, layers, mark, room, added):
            lane += 1
            if lane == layers.rank.shape[0]:
                return False
        pairs[lane] += 1
    return True


@kernel
def _fits(
    paths: Paths, i: int, lane: int, layers: Layers, mark: NDArray[np.int8], room: Nodes, added: Channels
) -> bool:
    # Add the arcs of a path to a lane; if they close a cycle, remove them and return False.
    count = 0
    for k in range(paths.start[i] + 1, paths.start[i + 1]):
        x, y = layers.channel[paths.links[k - 1]], layers.channel[paths.links[k]]
        if x == NONE or y == NONE or layers.component[x] != layers.component[y]:
            continue
        arc = layers.start[x]
        while layers.second[arc] != y:
            arc += 1
        if layers.present[lane, arc]:
            continue
        if layers.blocked[lane, arc] or not _insert(x, y, lane, layers, mark, room):
            # Arcs of this path alone may be the reason, and are removed.
            layers.blocked[lane, arc] |= count == 0
            for done in range(count):
                layers.present[lane, added[done]] = False
            return False
        layers.present[lane, arc] = True
        added[count] = arc
        count += 1
    return True


@kernel
def _insert(x: int, y: int, lane: int, layers: Layers, mark: NDArray[np.int8], room: Nodes) -> bool:
    # Repair the order for an arc from x to y; False if there is a path from y to x.
    rank = layers.rank[lane]
    if rank[x] < rank[y]:
        return True
    ahead = _reach(y, x, lane, True, layers, mark, room[0])
    closes = mark[x] != 0
    behind = 0 if closes else _reach(x, y, lane, False, layers, mark, room[1])
    for k in range(ahead):
        mark[room[0, k]] = 0
    for k in range(behind):
        mark[room[1, k]] = 0
    if closes:
        return False
    # Channels before x, then channels after y, each in their old order, share the places of all.
    for k in range(ahead):
        room[1, behind + k] = room[0, k]
    places = room[2, : ahead + behind]
    for k in range(places.size):
        places[k] = rank[room[1, k]]
    order = np.append(np.argsort(places[:behind]), behind + np.argsort(places[behind:]))
    places.sort()
    for k in range(places.size):
        rank[room[1, order[k]]] = places[k]
    return True


@inlined
def _reach(begin: int, end: int, lane: int, forward: bool, layers: Layers, mark: NDArray[np.int8], queue: Nodes) -> int:
    # List the channels after (or before) `begin`, as far as the place of `end` in the order; forward, stop at `end`.
    rank, starts = layers.rank[lane], layers.start if forward else layers.into
    limit = rank[end]
    queue[0], mark[begin], done, reached = begin, 1, 0, 1
    while done < reached and not (forward and mark[end] != 0):
        at = queue[done]
        done += 1
        for k in range(starts[at], starts[at + 1]):
            arc = k if forward else layers.arc[k]
            to = layers.second[arc] if forward else layers.first[arc]
            inside = rank[to] <= limit if forward else rank[to] >= limit
            if layers.present[lane, arc] and inside and mark[to] == 0:
                mark[to] = 1
                queue[reached] = to
                reached += 1
    return reached
