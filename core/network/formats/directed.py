"""One rule for directed graphs in all formats.

An edge and its opposite are one link of two directions. Edges without an opposite are one-way links where all vertices
that are joined reach each other along the edges, as in a one-way ring. Else the directions only show how the graph was
drawn, as in a tree with edges from its root: then every edge is a link of two directions, and a warning says so.

Edge lists and NetJSON do not say whether they are directed; they are if every pair is listed in both directions.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import components
from core.network.network import Ints
from core.text import plural


class LinkEnds(NamedTuple):
    """The links that a directed graph stands for."""

    src: Ints
    dst: Ints
    gbs: NDArray[np.float64]
    directed: bool
    """Whether each is a one-way link; else each link leads both ways."""
    warnings: tuple[str, ...] = ()


def links_of_directed(src: Ints, dst: Ints, gbs: NDArray[np.float64], vertices: int) -> LinkEnds:
    """Return the links of a directed graph, given its edges by source, destination and bandwidth."""
    alone = _without_opposite(src, dst, vertices)
    warnings: tuple[str, ...] = ()
    if alone.size and not _all_reached(src, dst, vertices):
        src, dst = np.concatenate([src, dst[alone]]), np.concatenate([dst, src[alone]])
        gbs = np.concatenate([gbs, gbs[alone]])
        edges = f"{plural(alone.size, 'edge')} {'has' if alone.size == 1 else 'have'} no opposite"
        warnings = (f"is directed, but {edges}; all links are read as bidirectional",)
        alone = alone[:0]
    forth, paired = _pairs(src, dst, gbs, vertices)
    if alone.size or not paired:
        return LinkEnds(src, dst, gbs, directed=True, warnings=warnings)
    return LinkEnds(src[forth], dst[forth], gbs[forth], directed=False, warnings=warnings)


def links_of_list(src: Ints, dst: Ints, gbs: NDArray[np.float64], vertices: int) -> LinkEnds:
    """Return the links of a list that does not say whether it is directed."""
    forth, paired = _pairs(src, dst, gbs, vertices)
    if not paired:
        return LinkEnds(src, dst, gbs, directed=False)
    both = ("lists every pair in both directions: together they are one link",)
    return LinkEnds(src[forth], dst[forth], gbs[forth], directed=False, warnings=both)


def _without_opposite(src: Ints, dst: Ints, vertices: int) -> NDArray[np.intp]:
    # Each parallel edge is paired with the opposite edge of the same rank in the file.
    own = src.astype(np.int64) * vertices + dst
    back = dst.astype(np.int64) * vertices + src
    keys, place, count = np.unique(own, return_inverse=True, return_counts=True)
    where = np.minimum(np.searchsorted(keys, back), keys.size - 1)
    returning = np.where(keys[where] == back, count[where], 0)
    return np.flatnonzero(_rank(place) >= returning)


def _rank(group: NDArray[np.intp]) -> NDArray[np.intp]:
    # How many earlier entries have the same value.
    order = np.argsort(group, kind="stable")
    start = np.searchsorted(group[order], group[order])
    rank = np.empty(group.size, np.intp)
    rank[order] = np.arange(group.size) - start
    return rank


def _all_reached(src: Ints, dst: Ints, vertices: int) -> bool:
    # Whether every piece is strongly connected.
    pieces, strong = (components(src, dst, vertices, directed=directed) for directed in (False, True))
    return int(pieces.max()) == int(strong.max())


def _pairs(src: Ints, dst: Ints, gbs: NDArray[np.float64], vertices: int) -> tuple[NDArray[np.intp], bool]:
    # One edge of each pair of opposites, in the order of the file, and whether both edges of every pair have equal
    # bandwidth.
    ends = np.stack([np.minimum(src, dst), np.maximum(src, dst), (src > dst)]).astype(np.int64)
    width = np.where(np.isnan(gbs), -1.0, gbs)
    pair = ends[0] * vertices + ends[1]
    forth, back = (np.flatnonzero(ends[2] == way) for way in (0, 1))
    sorted_forth, sorted_back = (some[np.lexsort((some, width[some], pair[some]))] for some in (forth, back))
    if sorted_forth.size != sorted_back.size or not np.array_equal(pair[sorted_forth], pair[sorted_back]):
        return forth, False
    # The edge that comes first in the file stands for both.
    first = np.minimum(sorted_forth, sorted_back)
    return np.sort(first), bool(np.array_equal(width[sorted_forth], width[sorted_back]))
