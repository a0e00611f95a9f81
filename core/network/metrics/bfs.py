"""Distances between all nodes: breadth-first search from many sources at once, one bit each."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.adjacency import Adjacency, Ints

Words = NDArray[np.uint64]

WORDS = 4
"""Words of 64 sources per search. More are faster at low degree, and slower on long rings."""

MAX_SOURCES = 64 * WORDS


class DistanceSums(NamedTuple):
    """Sums over ordered pairs of a source and another node reachable from it."""

    total: int
    """Length of the shortest path, summed over the pairs."""
    pairs: int
    farthest: int
    """Length of the longest of these paths."""


def distances_from(sources: Ints, nodes: int, out_links: Adjacency) -> DistanceSums:
    """Return the distances from some vertices (at most `MAX_SOURCES`) to all nodes."""
    vertices = out_links.start.size - 1
    masks, queues = np.zeros((3, vertices, WORDS), np.uint64), np.empty((2, vertices), np.int32)
    total, pairs, farthest = _search(sources, nodes, out_links, masks, queues)
    return DistanceSums(int(total), int(pairs), int(farthest))


@kernel
def _search(
    sources: Ints, nodes: int, out_links: Adjacency, masks: Words, queues: Ints
) -> tuple[np.int64, np.int64, int]:
    # The sources that have reached each vertex: so far, in the last step, in this step.
    seen, now, later = masks[0], masks[1], masks[2]
    for place in range(sources.size):
        source, bit = sources[place], np.uint64(1) << np.uint64(place % 64)
        seen[source, place // 64] = now[source, place // 64] = bit
        queues[0, place] = source
    size, turn, distance = sources.size, 0, 0
    total, pairs, farthest = np.int64(0), np.int64(0), 0
    # Pairs not yet reached; when all are reached, the last step, which costs most, is skipped.
    missing = np.int64(sources.size * (seen.shape[0] - 1))
    while size and missing:
        distance += 1
        size = _step(queues[turn], size, out_links, now, later, queues[1 - turn])
        size, reached, everywhere = _drop_seen(queues[1 - turn], size, nodes, seen, later)
        now, later, turn = later, now, 1 - turn
        missing -= everywhere
        if reached:
            total, pairs, farthest = total + distance * reached, pairs + reached, distance
    return total, pairs, farthest


@kernel
def _step(queue: Ints, size: int, out_links: Adjacency, now: Words, later: Words, reached: Ints) -> int:
    # Pass the bits of queued vertices to their neighbours; return how many vertices have any now.
    start, vertex = out_links.start, out_links.vertex
    count = 0
    for place in range(size):
        v = queue[place]
        for link in range(start[v], start[v + 1]):
            w = vertex[link]
            before = np.uint64(0)
            after = np.uint64(0)
            for k in range(WORDS):
                before |= later[w, k]
                later[w, k] |= now[v, k]
                after |= later[w, k]
            if not before and after:
                reached[count] = w
                count += 1
        for k in range(WORDS):
            now[v, k] = np.uint64(0)
    return count


@kernel
def _drop_seen(queue: Ints, size: int, nodes: int, seen: Words, later: Words) -> tuple[int, np.int64, np.int64]:
    # Remove bits seen before; return the number of vertices left, and of new pairs with nodes and with all vertices.
    left, reached, everywhere = 0, np.int64(0), np.int64(0)
    for place in range(size):
        v = queue[place]
        new = np.int64(0)
        for k in range(WORDS):
            later[v, k] &= ~seen[v, k]
            seen[v, k] |= later[v, k]
            new += _bits(later[v, k])
        if new:
            queue[left] = v
            left += 1
        everywhere += new
        if v < nodes:
            reached += new
    return left, reached, everywhere


@kernel
def _bits(word: np.uint64) -> np.int64:
    # Population count: sums of two, of four, of eight bits; then of the eight bytes by a product.
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
