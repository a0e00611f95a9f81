"""Kernels of `core.routing.ugal.solver`: costs of paths over intermediates, and moving volume to cheaper ones."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.congestion.kernel import COST_TOLERANCE, best_part, link_cost
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.routing.node_pairs import NodePairDemand

NONE = -1


class Segments(NamedTuple):
    """Minimal paths between ends: the shares of a unit from end u to end v on links are in row ``u * ends + v``."""

    start: FixedPoint
    """(ends * ends + 1,) where each row begins; rows of disconnected ends are empty."""
    link: Nodes
    share: Volumes


class Choices(NamedTuple):
    """The split of each pair's volume, two arrays of shape ``(pairs, choices)``."""

    via: Nodes
    """The intermediate end of each part; the pair's source for the minimal path, `NONE` for an unused entry."""
    share: Volumes


class UgalWorkspace(NamedTuple):
    """Arrays that the kernels write to, of shape ``(links,)``; `change` and `mark` are zero between calls."""

    cost: Volumes
    """Marginal cost of a unit of volume at the present loads."""
    change: Volumes
    mark: NDArray[np.int8]
    touched: Nodes


@kernel
def segment_costs(ends: int, segments: Segments, cost: Volumes, mean: Volumes) -> None:
    """Fill in the cost of a unit from every end (row) to every other; infinite if there is no path."""
    for u in range(ends):
        for v in range(ends):
            row = u * ends + v
            mean[u, v] = _row_cost(row, segments, cost)
            if u != v and segments.start[row] == segments.start[row + 1]:
                mean[u, v] = np.inf


@kernel
def _row_cost(row: int, segments: Segments, cost: Volumes) -> float:
    total = 0.0
    for k in range(segments.start[row], segments.start[row + 1]):
        total += segments.share[k] * cost[segments.link[k]]
    return total


@kernel
def cheapest_turns(
    first: int, last: int, pairs: NodePairDemand, turns: Nodes, out: Volumes, back: Volumes, mean: Volumes, turn: Nodes
) -> float:
    """Find the cheapest intermediate of some pairs (their source if minimal); return the total cost over them.

    `out` and `back`, ``(ends, turns)``, are the costs from each end to each intermediate, and from there to each end.
    """
    total = 0.0
    for pair in range(first, last):
        u, v = pairs.src[pair], pairs.dst[pair]
        least, best = mean[u, v], NONE
        for k in range(turns.size):
            cost = out[u, k] + back[v, k]
            if cost < least:
                least, best = cost, k
        turn[pair] = u if best == NONE else turns[best]
        total += pairs.volume[pair] * least
    return total


@kernel
def improve(
    first: int,
    last: int,
    ends: int,
    pairs: NodePairDemand,
    turn: Nodes,
    segments: Segments,
    choices: Choices,
    load: Volumes,
    exponent: float,
    top: float,
    seconds_per_unit: Volumes,
    work: UgalWorkspace,
) -> None:
    """Move part of each pair's volume from its most expensive path to the cheapest, given by `turn` or in use.

    The fraction minimises the total cost of all links. `load` and `work.cost` are updated.
    """
    for pair in range(first, last):
        u, v = pairs.src[pair], pairs.dst[pair]
        dearest, cheapest = _extremes(u, v, ends, turn[pair], segments, choices.via[pair], choices.share[pair], work)
        if dearest == cheapest:
            continue
        volume = pairs.volume[pair] * choices.share[pair, dearest]
        count = _change(u, v, ends, choices.via[pair, dearest], segments, -volume, 0, work)
        count = _change(u, v, ends, choices.via[pair, cheapest], segments, volume, count, work)
        touched = work.touched[:count]
        part = best_part(touched, load, exponent, top, seconds_per_unit, work.change)
        for link in touched:
            load[link] = max(load[link] + part * work.change[link], 0.0)
            work.cost[link] = link_cost(load[link], seconds_per_unit[link], exponent, top)
            work.change[link], work.mark[link] = 0.0, 0
        moved = part * choices.share[pair, dearest]
        choices.share[pair, cheapest] += moved
        choices.share[pair, dearest] -= moved
        if part >= 1.0:
            choices.via[pair, dearest], choices.share[pair, dearest] = NONE, 0.0


@kernel
def _extremes(
    u: int, v: int, ends: int, turn: int, segments: Segments, via: Nodes, share: Volumes, work: UgalWorkspace
) -> tuple[int, int]:
    # The entries of a pair's most expensive and cheapest path; equal if a move is not worthwhile. A new path gets a
    # free entry; without one, it is ignored.
    dearest, cheapest, most, least, free, in_use = NONE, NONE, -np.inf, np.inf, NONE, False
    for k in range(via.size):
        if via[k] == NONE:
            free = k
            continue
        cost = _row_cost(u * ends + via[k], segments, work.cost) + _row_cost(via[k] * ends + v, segments, work.cost)
        in_use |= via[k] == turn
        if cost > most:
            dearest, most = k, cost
        if cost < least:
            cheapest, least = k, cost
    if not in_use and free != NONE:
        cost = _row_cost(u * ends + turn, segments, work.cost) + _row_cost(turn * ends + v, segments, work.cost)
        if cost < least:
            via[free], share[free] = turn, 0.0
            cheapest, least = free, cost
    return (dearest, cheapest) if most > least * (1.0 + COST_TOLERANCE) else (cheapest, cheapest)


@kernel
def _change(
    u: int, v: int, ends: int, via: int, segments: Segments, volume: float, count: int, work: UgalWorkspace
) -> int:
    # Record the load changes of volume on one path; return how many links have been recorded so far.
    for row in (u * ends + via, via * ends + v):
        for k in range(segments.start[row], segments.start[row + 1]):
            link = segments.link[k]
            work.change[link] += volume * segments.share[k]
            if not work.mark[link]:
                work.mark[link], work.touched[count] = 1, link
                count += 1
    return count


@kernel
def add_loads(ends: int, pairs: NodePairDemand, segments: Segments, choices: Choices, load: Volumes) -> None:
    """Add the loads of all pairs."""
    for pair in range(pairs.src.size):
        for k in range(choices.via.shape[1]):
            via = choices.via[pair, k]
            if via != NONE:
                volume = pairs.volume[pair] * choices.share[pair, k]
                for row in (pairs.src[pair] * ends + via, via * ends + pairs.dst[pair]):
                    for at in range(segments.start[row], segments.start[row + 1]):
                        load[segments.link[at]] += volume * segments.share[at]
