"""Kernels of `core.routing.ugal.solver`: what ways by intermediates cost, and moving volume to cheaper ones."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.congestion.kernel import COST_TOLERANCE, best_part, link_cost
from core.routing.flows import FixedPoint, Nodes, Volumes
from core.routing.node_pairs import NodePairDemand

NONE = -1


class Segments(NamedTuple):
    """Minimal ways between ends: what a unit from end u to end v puts on links stands in row ``u * ends + v``."""

    start: FixedPoint
    """(ends * ends + 1,) where each row begins; a row of two ends that no way joins is empty."""
    link: Nodes
    share: Volumes


class Choices(NamedTuple):
    """How the volume of each pair is split, both arrays of shape ``(pairs, choices)``."""

    via: Nodes
    """The end where a part turns round: the pair's source for the minimal way, `NONE` where there is no such part."""
    share: Volumes


class UgalWorkspace(NamedTuple):
    """Arrays that the kernels write to, of shape ``(links,)``; `change` and `mark` are zero between two calls."""

    cost: Volumes
    """Of a unit of volume, at the loads as they are."""
    change: Volumes
    mark: NDArray[np.int8]
    touched: Nodes


@kernel
def segment_costs(ends: int, segments: Segments, cost: Volumes, mean: Volumes) -> None:
    """Fill in what a unit costs from every end (row) to every other; infinite where no way leads."""
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
    """Find for some pairs where it is cheapest to turn round, the source if nowhere; return what all would cost so.

    `out` and `back`, ``(ends, turns)``, are the costs from each end to where it turns, and from there to each end.
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
    """Move part of each pair's volume from the dearest of its ways to the cheapest, that by `turn` among them.

    The part moves for which the costs of all links together are least. `load` and `work.cost` follow.
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
    # The places of the dearest and the cheapest way of a pair; the same if none is worth a move. What is new gets a
    # free place, or, where there is none, no place.
    dearest, cheapest, most, least, free, known = NONE, NONE, -np.inf, np.inf, NONE, False
    for k in range(via.size):
        if via[k] == NONE:
            free = k
            continue
        cost = _row_cost(u * ends + via[k], segments, work.cost) + _row_cost(via[k] * ends + v, segments, work.cost)
        known |= via[k] == turn
        if cost > most:
            dearest, most = k, cost
        if cost < least:
            cheapest, least = k, cost
    if not known and free != NONE:
        cost = _row_cost(u * ends + turn, segments, work.cost) + _row_cost(turn * ends + v, segments, work.cost)
        if cost < least:
            via[free], share[free] = turn, 0.0
            cheapest, least = free, cost
    return (dearest, cheapest) if most > least * (1.0 + COST_TOLERANCE) else (cheapest, cheapest)


@kernel
def _change(
    u: int, v: int, ends: int, via: int, segments: Segments, volume: float, count: int, work: UgalWorkspace
) -> int:
    # Note what so much volume by a way changes; return how many links have been noted by now.
    for row in (u * ends + via, via * ends + v):
        for k in range(segments.start[row], segments.start[row + 1]):
            link = segments.link[k]
            work.change[link] += volume * segments.share[k]
            if not work.mark[link]:
                work.mark[link], work.touched[count] = 1, link
                count += 1
    return count


@kernel
def carry(ends: int, pairs: NodePairDemand, segments: Segments, choices: Choices, load: Volumes) -> None:
    """Add what all pairs put on links."""
    for pair in range(pairs.src.size):
        for k in range(choices.via.shape[1]):
            via = choices.via[pair, k]
            if via != NONE:
                volume = pairs.volume[pair] * choices.share[pair, k]
                for row in (pairs.src[pair] * ends + via, via * ends + pairs.dst[pair]):
                    for at in range(segments.start[row], segments.start[row + 1]):
                        load[segments.link[at]] += volume * segments.share[at]
