"""Kernels of minimum-congestion flow, which minimises the longest link time: see `solver.py`.

All flows to one destination are one commodity, whose flow is stored as the list of links used and their volumes, in
topological order. The cost of a link grows exponentially with its time.
"""

from math import exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.flows import Nodes, Volumes

Places = NDArray[np.int64]

MAX_STEPS, STEP_TOLERANCE = 20, 0.003
"""Steps of the line search for the volume to move, and its relative tolerance."""
NOISE_FLOOR = 1e-13
"""Fraction of the volume received by a destination below which the flow on a link is treated as zero."""
COST_TOLERANCE = 1e-9
"""Relative difference of costs below which paths are equally good."""
MIN_COST = exp(-40.0)
"""Added to every cost, so that the faster of two idle paths is cheaper."""
NO_LINK = -1
UNSEEN, ON_PATH, IN_ORDER = range(3)


class UsableLinks(NamedTuple):
    """Usable links, sorted by head; and tails and heads of all links."""

    start: Places
    vertex: Nodes
    """(used links,) tails of the links to v, at ``start[v]`` to ``start[v + 1]``."""
    link: Nodes
    src: Nodes
    """(links,) tails of all links."""
    dst: Nodes
    seconds_per_unit: Volumes
    """(links,) time for one unit of volume; 0 for failed links."""
    closed: int = 0
    """Vertices below this number do not forward: see `Network.closed`."""


class DestinationFlow(NamedTuple):
    """Flow to one destination: its links and their volumes, grouped by tail, in topological order."""

    link: Nodes
    volume: Volumes


class Workspace(NamedTuple):
    """Arrays that the kernels write to; arrays by link are zero between calls."""

    cost: Volumes
    """(links,) marginal cost of a unit of volume at the present loads."""
    flow: Volumes
    change: Volumes
    distance: Volumes
    """(vertices,) cost of the cheapest path to the destination."""
    first: Nodes
    """(vertices,) first link of this path."""
    order: Nodes
    """Vertices by ascending cost."""
    heap: Nodes
    place: Nodes
    pending: NDArray[np.int8]
    """1 for vertices whose cheapest path is requested; all zero between calls."""


def workspace(links: int, vertices: int) -> Workspace:
    """Return the arrays for a network of some size."""
    return Workspace(
        cost=np.zeros(links),
        flow=np.zeros(links),
        change=np.zeros(links),
        distance=np.empty(vertices),
        first=np.empty(vertices, np.int32),
        order=np.empty(vertices, np.int32),
        heap=np.empty(vertices, np.int32),
        place=np.empty(vertices, np.int32),
        pending=np.zeros(vertices, np.int8),
    )


@kernel
def _sink(heap: Nodes, place: Nodes, distance: Volumes, size: int, vertex: int) -> None:
    # Put a vertex on top of a binary heap and sift it down.
    i = 0
    while True:
        child = 2 * i + 1
        if child + 1 < size and distance[heap[child + 1]] < distance[heap[child]]:
            child += 1
        if child >= size or distance[heap[child]] >= distance[vertex]:
            break
        heap[i] = heap[child]
        place[heap[i]] = i
        i = child
    heap[i] = vertex
    place[vertex] = i


@kernel
def _rise(heap: Nodes, place: Nodes, distance: Volumes, i: int, vertex: int) -> None:
    while i > 0 and distance[heap[(i - 1) // 2]] > distance[vertex]:
        heap[i] = heap[(i - 1) // 2]
        place[heap[i]] = i
        i = (i - 1) // 2
    heap[i] = vertex
    place[vertex] = i


@kernel
def _mark_pending(vertices: Nodes, pending: NDArray[np.int8]) -> int:
    # Mark vertices; return how many were not marked before.
    more = 0
    for v in vertices:
        more += 1 - pending[v]
        pending[v] = 1
    return more


@kernel
def cheapest(target: int, pending: int, graph: UsableLinks, workspace: Workspace) -> int:
    """Find the cheapest paths to a vertex (Dijkstra), in `distance`, `first`, `order`; return the length of `order`.

    Stops when `pending` of the vertices marked in `workspace.pending` are in order; their marks are cleared.
    """
    distance, first, order, heap, place = (
        workspace.distance,
        workspace.first,
        workspace.order,
        workspace.heap,
        workspace.place,
    )
    distance[:], first[:], place[:] = np.inf, NO_LINK, -1
    distance[target], heap[0], place[target] = 0.0, target, 0
    size, done = 1, 0
    while size and pending:
        v = heap[0]
        order[done] = v
        done, size = done + 1, size - 1
        pending -= workspace.pending[v]
        workspace.pending[v] = 0
        if size:
            _sink(heap, place, distance, size, heap[size])
        if v < graph.closed and v != target:
            continue
        for at in range(graph.start[v], graph.start[v + 1]):
            u = graph.vertex[at]
            cost = distance[v] + workspace.cost[graph.link[at]]
            if cost < distance[u]:
                distance[u], first[u] = cost, graph.link[at]
                if place[u] < 0:
                    place[u], size = size, size + 1
                _rise(heap, place, distance, place[u], u)
    return done


@kernel
def equal_on_shortest(
    target: int, src: Nodes, volume: Volumes, graph: UsableLinks, workspace: Workspace
) -> DestinationFlow:
    """Return the flow split equally over all shortest paths (by links)."""
    vertices = graph.start.size - 1
    hops, paths, held = np.full(vertices, -1), np.zeros(vertices), np.zeros(vertices)
    queue = workspace.order
    queue[0], hops[target], paths[target] = target, 0, 1.0
    done, reached = 0, 1
    while done < reached:
        v = queue[done]
        done += 1
        if v < graph.closed and v != target:
            continue
        for at in range(graph.start[v], graph.start[v + 1]):
            u = graph.vertex[at]
            if hops[u] < 0:
                hops[u], queue[reached] = hops[v] + 1, u
                reached += 1
            if hops[u] == hops[v] + 1:
                paths[u] += paths[v]
    for i in range(src.size):
        held[src[i]] += volume[i]
    # Volume reaches a vertex only from farther ones: processed by descending distance, each vertex is complete in turn.
    for i in range(reached - 1, -1, -1):
        v = queue[i]
        for at in range(graph.start[v], graph.start[v + 1]):
            u = graph.vertex[at]
            if hops[u] == hops[v] + 1 and held[u] > 0.0 and (v >= graph.closed or v == target):
                part = held[u] * paths[v] / paths[u]
                workspace.flow[graph.link[at]] += part
                held[v] += part
    links = np.flatnonzero(workspace.flow).astype(np.int32)
    return _packed(links, graph, workspace.flow, 0.0)


@kernel
def _packed(links: Nodes, graph: UsableLinks, flow: Volumes, noise_floor: float) -> DestinationFlow:
    # The flow on these links as a `DestinationFlow` without cycles; `flow` is zeroed.
    by_tail, start = _by_tail(links, graph.src, graph.start.size - 1)
    for link in by_tail:
        if flow[link] <= noise_floor:
            flow[link] = 0.0
    link, volume, kept = np.empty(by_tail.size, np.int32), np.empty(by_tail.size), 0
    for v in _downstream(by_tail, start, graph, flow):
        for k in range(start[v], start[v + 1]):
            if flow[by_tail[k]] > 0.0:
                link[kept], volume[kept] = by_tail[k], flow[by_tail[k]]
                kept += 1
            flow[by_tail[k]] = 0.0
    return DestinationFlow(link[:kept].copy(), volume[:kept].copy())


@kernel
def _by_tail(links: Nodes, src: Nodes, vertices: int) -> tuple[Nodes, Places]:
    start = np.zeros(vertices + 1, np.int64)
    for link in links:
        start[src[link] + 1] += 1
    for v in range(vertices):
        start[v + 1] += start[v]
    place, sorted_links = start[:-1].copy(), np.empty(links.size, np.int32)
    for link in links:
        sorted_links[place[src[link]]] = link
        place[src[link]] += 1
    return sorted_links, start


@kernel
def _downstream(links: Nodes, start: Places, graph: UsableLinks, flow: Volumes) -> Nodes:
    # All vertices in topological order of the flow, with cycles cancelled. (Depth first: a vertex is put in front of
    # the order once all its successors are in it.)
    vertices = start.size - 1
    order, left = np.empty(vertices, np.int32), vertices
    state, at = np.zeros(vertices, np.int8), start[:-1].copy()
    path, came = np.empty(vertices, np.int32), np.empty(vertices, np.int32)
    for root in range(vertices):
        if state[root] != UNSEEN:
            continue
        path[0], state[root], depth = root, ON_PATH, 1
        while depth:
            u = path[depth - 1]
            if at[u] == start[u + 1]:
                depth, left = depth - 1, left - 1
                state[u], order[left] = IN_ORDER, u
                continue
            link = links[at[u]]
            w = graph.dst[link]
            if flow[link] <= 0.0 or state[w] == IN_ORDER:
                at[u] += 1
            elif state[w] == UNSEEN:
                path[depth], came[depth], state[w] = w, link, ON_PATH
                depth += 1
            else:
                depth = _cancel(link, w, path, came, depth, state, flow)
    return order


@kernel
def _cancel(link: int, w: int, path: Nodes, came: Nodes, depth: int, state: NDArray[np.int8], flow: Volumes) -> int:
    # Cancel a cycle at the end of the path, back to w; return the length of the path up to the first link without flow.
    least, i = flow[link], depth - 1
    while path[i] != w:
        least = min(least, flow[came[i]])
        i -= 1
    flow[link] -= least
    kept, i = depth, depth - 1
    while path[i] != w:
        flow[came[i]] -= least
        if flow[came[i]] <= 0.0:
            kept = i
        i -= 1
    for k in range(kept, depth):
        state[path[k]] = UNSEEN
    return kept


@kernel
def add_flow(row: DestinationFlow, load: Volumes) -> None:
    """Add the loads of a destination's flow."""
    for k in range(row.link.size):
        load[row.link[k]] += row.volume[k]


@kernel
def link_cost(load: float, seconds_per_unit: float, exponent: float, top: float) -> float:
    """Return the cost of a unit on a link: see `price`."""
    return seconds_per_unit * (exp(exponent * (load * seconds_per_unit - top)) + MIN_COST)


@kernel
def price(load: Volumes, seconds_per_unit: Volumes, exponent: float, top: float, cost: Volumes) -> None:
    """Set the cost of a unit on every link: its time per unit, times ``exp(exponent * (time of the link - top))``."""
    for link in range(load.size):
        cost[link] = link_cost(load[link], seconds_per_unit[link], exponent, top)


@kernel
def least_cost(target: int, src: Nodes, volume: Volumes, graph: UsableLinks, workspace: Workspace) -> float:
    """Return the cost of all flow to a destination over the cheapest paths."""
    cheapest(target, _mark_pending(src, workspace.pending), graph, workspace)
    total = 0.0
    for i in range(src.size):
        total += volume[i] * workspace.distance[src[i]]
    return total


@kernel
def improve(
    target: int,
    src: Nodes,
    volume: Volumes,
    row: DestinationFlow,
    load: Volumes,
    exponent: float,
    top: float,
    move_all: bool,
    graph: UsableLinks,
    workspace: Workspace,
) -> DestinationFlow:
    """Move part of a destination's flow to the cheapest paths; return the new flow.

    Candidates are all paths if `move_all`, else at every vertex the paths that cost more than the cheapest; the
    fraction of these that minimises the total cost of all links is moved. `load` and `workspace.cost` are updated.
    """
    pending = _mark_pending(src, workspace.pending)
    if not move_all:
        pending += _mark_pending(graph.src[row.link], workspace.pending)
    reached = cheapest(target, pending, graph, workspace)
    touched = np.empty(row.link.size + graph.start.size, np.int32)
    if move_all:
        count, moving = _leave_all(src, volume, row, workspace.change, touched, graph.start.size - 1)
    else:
        count, moving = _leave_dearer(row, exponent, graph, workspace, touched)
    if not count:
        return row
    count = _take(moving, target, reached, graph, workspace, touched, count)
    touched = _distinct(touched[:count], workspace.flow)
    part = best_part(touched, load, exponent, top, graph.seconds_per_unit, workspace.change)
    for k in range(row.link.size):
        workspace.flow[row.link[k]] = row.volume[k]
    for link in touched:
        load[link] = max(load[link] + part * workspace.change[link], 0.0)
        workspace.cost[link] = link_cost(load[link], graph.seconds_per_unit[link], exponent, top)
        workspace.flow[link] += part * workspace.change[link]
        workspace.change[link] = 0.0
    links = np.concatenate((row.link, touched))
    for link in links:
        workspace.change[link] = 0.0
    return _packed(_distinct(links, workspace.change), graph, workspace.flow, NOISE_FLOOR * volume.sum())


@kernel
def _mean_costs(row: DestinationFlow, graph: UsableLinks, cost: Volumes) -> tuple[Volumes, Volumes]:
    # For every vertex of the flow: the volume that leaves it, and the mean cost of a unit from there on.
    out, mean = np.zeros(graph.start.size - 1), np.zeros(graph.start.size - 1)
    # From the end of the row: successors come first.
    for k in range(row.link.size - 1, -1, -1):
        link = row.link[k]
        u = graph.src[link]
        out[u] += row.volume[k]
        mean[u] += row.volume[k] * (cost[link] + mean[graph.dst[link]])
        if k == 0 or graph.src[row.link[k - 1]] != u:
            mean[u] /= out[u]
    return out, mean


@kernel
def _leave_all(
    src: Nodes, volume: Volumes, row: DestinationFlow, change: Volumes, touched: Nodes, vertices: int
) -> tuple[int, Volumes]:
    # Take all volume off all links; return the number of links, and the volume to be sent from each vertex.
    moving = np.zeros(vertices)
    for k in range(row.link.size):
        change[row.link[k]] = -row.volume[k]
        touched[k] = row.link[k]
    for i in range(src.size):
        moving[src[i]] += volume[i]
    return row.link.size, moving


@kernel
def _leave_dearer(
    row: DestinationFlow, exponent: float, graph: UsableLinks, workspace: Workspace, touched: Nodes
) -> tuple[int, Volumes]:
    # Take volume off too expensive paths, where they begin; return the number of links, and the volumes to resend.
    out, mean = _mean_costs(row, graph, workspace.cost)
    count, held, moving = 0, np.zeros(out.size), np.zeros(out.size)
    for k in range(row.link.size):
        link = row.link[k]
        u, v = graph.src[link], graph.dst[link]
        follows = held[u] * row.volume[k] / out[u]
        cost, least = workspace.cost[link] + mean[v], workspace.distance[u]
        begins = 0.0
        if cost > least * (1 + COST_TOLERANCE):
            # Approximately this much more volume makes the cheap path as expensive.
            begins = min(
                row.volume[k] - follows, (cost - least) / (cost + least) / (exponent * graph.seconds_per_unit[link])
            )
        if follows + begins > 0.0:
            workspace.change[link] -= follows + begins
            held[v] += follows + begins
            moving[u] += begins
            touched[count] = link
            count += 1
    return count, moving


@kernel
def _take(
    moving: Volumes, target: int, reached: int, graph: UsableLinks, workspace: Workspace, touched: Nodes, count: int
) -> int:
    # Send it over the cheapest paths, farthest sources first.
    held, order = moving.copy(), workspace.order
    for i in range(reached - 1, -1, -1):
        u = order[i]
        if u != target and held[u] > 0.0:
            link = workspace.first[u]
            workspace.change[link] += held[u]
            held[graph.dst[link]] += held[u]
            held[u] = 0.0
            touched[count] = link
            count += 1
    return count


@kernel
def _distinct(links: Nodes, mark: Volumes) -> Nodes:
    count = 0
    for link in links:
        if mark[link] == 0.0:
            mark[link] = 1.0
            links[count] = link
            count += 1
    for link in links[:count]:
        mark[link] = 0.0
    return links[:count]


@kernel
def _slope(
    part: float, touched: Nodes, load: Volumes, exponent: float, top: float, seconds_per_unit: Volumes, change: Volumes
) -> float:
    slope = 0.0
    for link in touched:
        slope += (
            change[link]
            * seconds_per_unit[link]
            * np.exp(exponent * ((load[link] + part * change[link]) * seconds_per_unit[link] - top))
        )
    return slope


@kernel
def best_part(
    touched: Nodes, load: Volumes, exponent: float, top: float, seconds_per_unit: Volumes, change: Volumes
) -> float:
    """Return the fraction of a change, 0 to 1, that minimises the total cost; `touched` are its links."""
    # The cost is convex in the fraction; find the zero of its slope. Between bounds on both sides the slope is
    # interpolated linearly, falling back to bisection where that converges slowly.
    low, high = 0.0, 1.0
    falls, climbs = (
        _slope(low, touched, load, exponent, top, seconds_per_unit, change),
        _slope(high, touched, load, exponent, top, seconds_per_unit, change),
    )
    if climbs <= 0.0:
        return high
    steps = 0
    while falls < 0.0 and high - low > STEP_TOLERANCE * high and steps < MAX_STEPS:
        part = low + (high - low) * falls / (falls - climbs)
        if steps % 2 == 1:
            part = (low + high) / 2
        slope = _slope(part, touched, load, exponent, top, seconds_per_unit, change)
        if slope <= 0.0:
            low, falls = part, slope
        else:
            high, climbs = part, slope
        steps += 1
    return low
