"""Kernels of shortest paths to one destination, for `minimal.scheme`: counting, choosing, and carrying volume.

All flows to one destination are carried together: a breadth-first search from it against the links' direction
(`IncidentLinks.in_links`) finds the distance of every vertex; then volume moves inwards, farthest vertices first. Along
`IncidentLinks.out_links` the same kernels carry the volume that one source sends.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import copy, kernel
from core.network.adjacency import FAR, Adjacency, adjacency
from core.network.network import Network
from core.routing.flows import FixedPoint, Hops, Nodes, Volumes

Marks = NDArray[np.int8]

MAX_PATHS = 1e150
"""Paths between two nodes beyond which volumes cannot be split: products with volumes would overflow."""
NOWHERE = np.iinfo(np.int32).min
"""Used instead of a link if no path leads to the destination."""
FORCED, CHOSEN = range(2)
"""Marks of hops: without an alternative (on all shortest paths, or chosen without a choice), and with alternatives."""


class IncidentLinks(NamedTuple):
    """The links of all vertices."""

    in_links: Adjacency
    """By head: for searches from a destination."""
    out_links: Adjacency
    """By tail: for searches from a source."""


class PathScratch(NamedTuple):
    """Buffers for one search."""

    distance: Nodes
    """(vertices,)"""
    paths: Volumes
    """(vertices,) number of shortest paths."""
    link: Nodes
    """(vertices,) the chosen link; its complement (~link) if there were alternatives."""
    via: Nodes
    """(vertices,) head of the chosen link."""
    queue: Nodes
    """(vertices,) vertices found, by distance."""
    volume: Volumes
    """(vertices,) volume to be carried from each vertex."""
    hops: Nodes
    """(links, 3) hops on shortest paths, nearest first: tail, head, link."""


def incident_links(src: Nodes, dst: Nodes, links: Nodes, vertices: int, closed: int = 0) -> IncidentLinks:
    """Return the incidence of some links, given their ends and their numbers in the network."""
    both = adjacency(dst, src, vertices), adjacency(src, dst, vertices)
    return IncidentLinks(*(adjacency._replace(link=links[adjacency.link], closed=closed) for adjacency in both))


def path_scratch(network: Network) -> PathScratch:
    """Return buffers for a search."""
    return room_for(network.vertices, network.links)


def room_for(vertices: int, links: int) -> PathScratch:
    """Return buffers for a search among `vertices` vertices and `links` links."""
    buffers = [np.zeros(vertices, np.int32) for _ in range(4)]
    paths, volume = np.zeros(vertices), np.zeros(vertices)
    return PathScratch(buffers[0], paths, buffers[1], buffers[2], buffers[3], volume, np.zeros((links, 3), np.int32))


@kernel
def count_paths(begin: int, adjacency: Adjacency, room: PathScratch, left: int) -> tuple[int, int]:
    """Fill `distance`, `paths` and `hops` from `begin` on; return the numbers of vertices and of hops found.

    Ends early when `left` vertices with volume, that is all of them, have been found; -1 to find everything.
    """
    distance, paths, queue, hops = room.distance, room.paths, room.queue, room.hops
    distance[:] = FAR
    distance[begin], paths[begin], queue[0] = 0, 1.0, begin
    done, reached, count, last = 0, 1, 0, 0
    while done < reached:
        v = queue[done]
        done += 1
        if left == 0 and distance[v] >= last:
            break
        if v < adjacency.closed and v != begin:
            continue
        step, mine = distance[v] + 1, paths[v]
        for place in range(adjacency.start[v], adjacency.start[v + 1]):
            w = adjacency.vertex[place]
            if distance[w] == FAR:
                distance[w], paths[w], queue[reached] = step, 0.0, w
                reached += 1
                if room.volume[w] != 0.0:
                    left -= 1
                    last = step
            if distance[w] == step:
                paths[w] += mine
                hops[count, 0], hops[count, 1], hops[count, 2] = w, v, adjacency.link[place]
                count += 1
    return reached, count


@kernel
def choose_links(begin: int, adjacency: Adjacency, room: PathScratch, left: int) -> int:
    """Fill `distance`, and `link` and `via` with the chosen hop of every vertex; return the number of vertices found.

    The nearer vertex with the lowest number is chosen; of parallel links the first. `left` is as for `count_paths`.
    """
    distance, link, via, queue = room.distance, room.link, room.via, room.queue
    distance[:] = FAR
    distance[begin], link[begin], queue[0] = 0, NOWHERE, begin
    done, reached, last = 0, 1, 0
    while done < reached:
        v = queue[done]
        done += 1
        if left == 0 and distance[v] >= last:
            break
        if v < adjacency.closed and v != begin:
            continue
        step = distance[v] + 1
        for place in range(adjacency.start[v], adjacency.start[v + 1]):
            w = adjacency.vertex[place]
            if distance[w] == FAR:
                distance[w], link[w], via[w], queue[reached] = step, adjacency.link[place], v, w
                reached += 1
                if room.volume[w] != 0.0:
                    left -= 1
                    last = step
            elif distance[w] == step:
                if v < via[w]:
                    link[w], via[w] = adjacency.link[place], v
                link[w] = min(link[w], ~link[w])
    return reached


@kernel
def _carry_shares(count: int, room: PathScratch, loads: Volumes) -> bool:
    # Vertices farther than any volume carry none, so their hops do not matter, even if some are missing.
    paths, volume = room.paths, room.volume
    for k in range(count - 1, -1, -1):
        w, x = room.hops[k, 0], room.hops[k, 1]
        if volume[w] != 0.0:
            if paths[w] > MAX_PATHS:
                return False
            part = volume[w] * paths[x] / paths[w]
            loads[room.hops[k, 2]] += part
            volume[x] += part
    return True


@kernel
def _carry_whole(reached: int, room: PathScratch, loads: Volumes) -> None:
    for k in range(reached - 1, 0, -1):
        w = room.queue[k]
        if room.volume[w] != 0.0:
            link = room.link[w]
            loads[link if link >= 0 else ~link] += room.volume[w]
            room.volume[room.via[w]] += room.volume[w]


@kernel
def carry(begin: int, adjacency: Adjacency, equal: bool, room: PathScratch, loads: Volumes) -> bool:
    """Carry `volume` to `begin`; return whether the paths could be counted. Volume that cannot reach it stays."""
    left = 0
    room.volume[begin] = 0.0
    for v in range(room.volume.size):
        left += room.volume[v] != 0.0
    if left == 0:
        return True
    if equal:
        return _carry_shares(count_paths(begin, adjacency, room, left)[1], room, loads)
    _carry_whole(choose_links(begin, adjacency, room, left), room, loads)
    return True


@kernel
def carry_dense(
    matrix: Volumes, first: int, last: int, adjacency: Adjacency, equal: bool, room: PathScratch, loads: Volumes
) -> bool:
    """Carry rows `first` to `last` of the matrix, each to the node with its number."""
    for begin in range(first, last):
        room.volume[:] = 0.0
        copy(matrix[begin], room.volume[: matrix.shape[1]])
        if not carry(begin, adjacency, equal, room, loads):
            return False
    return True


@kernel
def carry_listed(
    start: FixedPoint,
    order: FixedPoint,
    other: Nodes,
    volume: Volumes,
    first: int,
    last: int,
    adjacency: Adjacency,
    equal: bool,
    room: PathScratch,
    loads: Volumes,
) -> bool:
    """Carry flows to nodes `first` to `last`, flows to node v at ``order[start[v] : start[v + 1]]``."""
    for begin in range(first, last):
        if start[begin] == start[begin + 1]:
            continue
        room.volume[:] = 0.0
        for k in range(start[begin], start[begin + 1]):
            room.volume[other[order[k]]] += volume[order[k]]
        if not carry(begin, adjacency, equal, room, loads):
            return False
    return True


@kernel
def count_rows(targets: Nodes, adjacency: Adjacency, room: PathScratch, distance: Nodes, paths: Volumes) -> None:
    """Write distances and numbers of paths to each target into its row."""
    room.volume[:] = 0.0
    for row in range(targets.size):
        room.paths[:] = 0.0
        count_paths(targets[row], adjacency, room, -1)
        copy(room.distance, distance[row])
        copy(room.paths, paths[row])


@kernel
def most_within(seen: Nodes, nodes: int, out_links: Adjacency, room: PathScratch) -> FixedPoint:
    """Return, by distance, the most nodes that any of `seen` has within it, itself included, shape ``(vertices,)``."""
    room.volume[:] = 0.0
    most, within = np.zeros(room.distance.size, np.int64), np.zeros(room.distance.size, np.int64)
    for u in seen:
        reached, _ = count_paths(u, out_links, room, -1)
        longest = room.distance[room.queue[reached - 1]]
        within[: longest + 1] = 0
        for v in range(nodes):
            if room.distance[v] != FAR:
                within[room.distance[v]] += 1
        total = 0
        for d in range(most.size):
            if d <= longest:
                total += within[d]
            most[d] = max(most[d], total)
    return most


@kernel
def choose_rows(targets: Nodes, adjacency: Adjacency, room: PathScratch, link: Nodes) -> None:
    """Write the chosen links to each target into its row; `NOWHERE` if there is no path."""
    room.volume[:] = 0.0
    for row in range(targets.size):
        choose_links(targets[row], adjacency, room, -1)
        for v in range(room.link.size):
            link[row, v] = room.link[v] if room.distance[v] != FAR else NOWHERE


@kernel
def walk(src: Nodes, dst: Nodes, row: FixedPoint, link: Nodes, ends: Nodes) -> Hops:
    """Return the hops of flows along chosen links."""
    hops = count_hops(src, dst, row, link, ends)
    total = 0
    for i in range(hops.size):
        total += max(hops[i], 0)
    flow, links = np.empty(total, np.int64), np.empty(total, np.int32)
    shares, marks = np.ones(total), np.empty(total, np.int8)
    at = 0
    for i in range(src.size):
        v = src[i]
        for _ in range(hops[i]):
            hop = link[row[i], v]
            flow[at], links[at], marks[at] = i, (hop if hop >= 0 else ~hop), (FORCED if hop >= 0 else CHOSEN)
            v = ends[links[at]]
            at += 1
    return Hops(flow, links, shares, marks)


@kernel
def count_hops(src: Nodes, dst: Nodes, row: FixedPoint, link: Nodes, ends: Nodes) -> FixedPoint:
    """Return the hops of every flow along chosen links; -1 if there is no path."""
    hops = np.zeros(src.size, np.int64)
    for i in range(src.size):
        v = src[i]
        while v != dst[i]:
            hop = link[row[i], v]
            if hop == NOWHERE:
                hops[i] = -1
                break
            v = ends[hop if hop >= 0 else ~hop]
            hops[i] += 1
    return hops


@kernel
def spread(src: Nodes, dst: Nodes, row: FixedPoint, distance: Nodes, paths: Volumes, out_links: Adjacency) -> Hops:
    """Return the hops of flows over all shortest paths.

    A share is the number of paths through the link over all paths: a quotient of integers, rounded once.
    """
    size, at = 1 << 10, 0
    lists = Hops(np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size), np.empty(size, np.int8))
    through, queue = np.zeros(distance.shape[1]), np.empty(distance.shape[1], np.int32)
    for i in range(src.size):
        if src[i] == dst[i] or distance[row[i], src[i]] == FAR:
            continue
        through[src[i]], queue[0] = 1.0, src[i]
        done, reached = 0, 1
        while done < reached:
            lists = _with_room(lists, at, out_links.start[queue[done] + 1] - out_links.start[queue[done]])
            flow = i, paths[row[i], src[i]]
            at, reached = _step(
                flow, queue[done], distance[row[i]], paths[row[i]], out_links, through, queue, reached, lists, at
            )
            done += 1
        for place in range(reached):
            through[queue[place]] = 0.0
    return Hops(lists.flow[:at], lists.link[:at], lists.share[:at], lists.role[:at])


@kernel
def _with_room(lists: Hops, at: int, count: int) -> Hops:
    if at + count <= lists.flow.size:
        return lists
    size = 2 * lists.flow.size + count
    more = Hops(np.empty(size, np.int64), np.empty(size, np.int32), np.empty(size), np.empty(size, np.int8))
    copy(lists.flow, more.flow[:at])
    copy(lists.link, more.link[:at])
    copy(lists.share, more.share[:at])
    copy(lists.role, more.role[:at])
    return more


@kernel
def _step(
    flow: tuple[int, float],
    w: int,
    distance: Nodes,
    paths: Volumes,
    out_links: Adjacency,
    through: Volumes,
    queue: Nodes,
    reached: int,
    lists: Hops,
    at: int,
) -> tuple[int, int]:
    # List the hops of a flow from vertex w on; `through` is the number of its paths that lead to each vertex.
    i, paths_of_flow = flow
    for place in range(out_links.start[w], out_links.start[w + 1]):
        x = out_links.vertex[place]
        if distance[x] == distance[w] - 1 and (x >= out_links.closed or distance[x] == 0):
            by = through[w] * paths[x]
            lists.flow[at], lists.link[at], lists.share[at] = i, out_links.link[place], by / paths_of_flow
            lists.role[at] = FORCED if by == paths_of_flow else CHOSEN
            at += 1
            if through[x] == 0.0:
                queue[reached] = x
                reached += 1
            through[x] += through[w]
    return at, reached


@kernel
def crossed_shares(
    end: int, src: Nodes, dst: Nodes, row: FixedPoint, distance: Nodes, paths: Volumes, before: Nodes, into: Volumes
) -> tuple[Volumes, Marks]:
    """Return, for flows over all shortest paths, the share that crosses a link to `end`, and its mark.

    `before` and `into` are the distances and numbers of paths from every vertex to the link's tail.
    """
    shares, marks = np.zeros(src.size), np.zeros(src.size, np.int8)
    for i in range(src.size):
        to_target, u = distance[row[i]], src[i]
        if to_target[u] != FAR and to_target[end] != FAR and before[u] + 1 + to_target[end] == to_target[u]:
            by, paths_of_flow = into[u] * paths[row[i], end], paths[row[i], u]
            shares[i], marks[i] = by / paths_of_flow, FORCED if by == paths_of_flow else CHOSEN
    return shares, marks
