"""Links by tail or head, connected components, and distances in links, on any network."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel

Ints = NDArray[np.int32]

Number = TypeVar("Number", bound=np.number)

FAR = np.iinfo(np.int32).max
"""Distance of unreachable vertices."""


class Adjacency(NamedTuple):
    """Links at each vertex: for v, ``start[v]`` to ``start[v + 1]``, neighbours ascending."""

    start: NDArray[np.int64]
    """(vertices + 1,)"""
    vertex: Ints
    """(links,) the neighbour; repeated for parallel links; v itself for loops."""
    link: Ints
    """(links,) the link to it."""
    closed: int = 0
    """Vertices below this number do not forward: see `Network.closed`."""


def adjacency(end: Ints, other: Ints, vertices: int) -> Adjacency:
    """Sort links by one of their ends: `end` and `other`, shape ``(links,)`` each, are that end and the other."""
    order = np.lexsort((other, end)).astype(np.int32)
    start = np.searchsorted(end[order], np.arange(vertices + 1)).astype(np.int64)
    return Adjacency(start, other[order].astype(np.int32), order)


def components(src: Ints, dst: Ints, vertices: int, directed: bool = True) -> Ints:
    """Return the component of each vertex, shape ``(vertices,)``; strongly connected ones if `directed`."""
    from scipy.sparse import coo_array  # 0.2 s of imports that most networks never need
    from scipy.sparse.csgraph import connected_components

    matrix = coo_array((np.ones(src.size), (src, dst)), shape=(vertices, vertices))
    component: Ints = connected_components(matrix, directed=directed, connection="strong")[1].astype(np.int32)
    return component


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the distinct values, ascending, without holding the GIL.

    numpy's `unique` holds it, for seconds with ten million values.
    """
    ordered = np.sort(values, axis=None)
    new = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


@kernel
def distances_from(begin: int, adjacency: Adjacency, distance: Ints, queue: Ints) -> int:
    """Fill `distance` with the links to every vertex, `FAR` if unreachable; return how many were reached.

    With `Network.in_links` these are the distances to `begin`. `queue`, shape ``(vertices,)``, receives the vertices
    reached by distance, `begin` first.
    """
    start, vertex = adjacency.start, adjacency.vertex
    distance[:] = FAR
    distance[begin], queue[0] = 0, begin
    done, reached = 0, 1
    while done < reached:
        v = queue[done]
        done += 1
        if v < adjacency.closed and v != begin:
            continue
        for place in range(start[v], start[v + 1]):
            w = vertex[place]
            if distance[w] == FAR:
                distance[w] = distance[v] + 1
                queue[reached] = w
                reached += 1
    return reached


def reaches_all(begins: Sequence[int], src: Ints, dst: Ints, size: tuple[int, int, int]) -> bool:
    """Return whether paths lead from some nodes to all; `size`: `nodes`, `vertices` and `closed` of the network."""
    nodes, vertices, closed = size
    start, heads = _heads_by_tail(src, dst, vertices)
    distance, queue = np.empty(vertices, np.int32), np.empty(vertices, np.int32)
    for begin in begins:
        distances_from(begin, Adjacency(start, heads, heads, closed), distance, queue)
        if (distance[:nodes] == FAR).any():
            return False
    return True


@kernel
def _heads_by_tail(src: Ints, dst: Ints, vertices: int) -> tuple[NDArray[np.int64], Ints]:
    start = np.zeros(vertices + 2, np.int64)
    for k in range(src.size):
        start[src[k] + 2] += 1
    for v in range(2, vertices + 2):
        start[v] += start[v - 1]
    ends = np.empty(src.size, np.int32)
    for k in range(src.size):
        ends[start[src[k] + 1]] = dst[k]
        start[src[k] + 1] += 1
    return start, ends
