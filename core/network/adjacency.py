"""Links by the vertex they leave or reach, and how many links away vertices are: what works on any network."""

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel

Ints = NDArray[np.int32]

Number = TypeVar("Number", bound=np.number)

FAR = np.iinfo(np.int32).max
"""Distance of what cannot be reached."""


class Adjacency(NamedTuple):
    """Neighbours of vertex v, ascending, at places ``start[v]`` up to, not with, ``start[v + 1]``."""

    start: NDArray[np.int64]
    """(vertices + 1,)"""
    vertex: Ints
    """(links,) the neighbour; parallel links name it more than once, loops name v itself."""
    link: Ints
    """(links,) the link that joins them."""
    closed: int = 0
    """Vertices below this number pass nothing on: see `Network.closed`."""


def adjacency(end: Ints, other: Ints, vertices: int) -> Adjacency:
    """Return the links by one of their ends: shape ``(links,)`` each, the end and the other end."""
    order = np.lexsort((other, end)).astype(np.int32)
    start = np.searchsorted(end[order], np.arange(vertices + 1)).astype(np.int64)
    return Adjacency(start, other[order].astype(np.int32), order)


def components(src: Ints, dst: Ints, vertices: int, directed: bool = True) -> Ints:
    """Return the component of each vertex, shape ``(vertices,)``; of directed links the strongly connected ones."""
    from scipy.sparse import coo_array  # 0.2 s of imports that most networks never need
    from scipy.sparse.csgraph import connected_components

    matrix = coo_array((np.ones(src.size), (src, dst)), shape=(vertices, vertices))
    component: Ints = connected_components(matrix, directed=directed, connection="strong")[1].astype(np.int32)
    return component


def distinct(values: NDArray[Number]) -> NDArray[Number]:
    """Return the different values, ascending, while other threads go on.

    numpy's own `unique` holds the interpreter's lock all the while, for seconds where there are ten million values.
    """
    ordered = np.sort(values, axis=None)
    new = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    return ordered[new]


@kernel
def distances_from(begin: int, adjacency: Adjacency, distance: Ints, queue: Ints) -> int:
    """Fill `distance` with the number of links to every vertex, `FAR` where none leads; return how many were reached.

    Along links that arrive (`Network.in_links`) it is the distance to `begin`. `queue`, shape ``(vertices,)``, then
    holds what was reached in the order of distance, `begin` first.
    """
    start, vertex = adjacency.start, adjacency.vertex
    distance[:] = FAR
    distance[begin], queue[0] = 0, begin
    done, found = 0, 1
    while done < found:
        v = queue[done]
        done += 1
        if v < adjacency.closed and v != begin:
            continue
        for place in range(start[v], start[v + 1]):
            w = vertex[place]
            if distance[w] == FAR:
                distance[w] = distance[v] + 1
                queue[found] = w
                found += 1
    return found
