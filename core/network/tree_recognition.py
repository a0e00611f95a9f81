"""Recognises trees (`core.network.tree_shape`) in networks with any numbering of nodes, switches and ports.

The graph of the levels up to l consists of one component for each subtree of level l, and the graph of the levels from
l upwards of one component for each choice of the first l parents, whose number is the product of w_1 to w_l. A vertex
of level l is the only one in both its subtree and its component upwards. As both kinds of components are nested, any
order of the components within the next larger one gives the digits of all vertices. So no search is needed, and
missing cables and vertices do no harm as long as they disconnect no component.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import components
from core.network.network import Ints, Network
from core.network.tree_embedding import TreeEmbedding
from core.network.tree_shape import Tree

MAX_HEIGHT = 12
"""Levels of switches."""
MIN_NODES, MIN_SWITCHES, MIN_CABLES = 0.5, 0.75, 0.75
"""Fractions of the nodes, of the switches, and of the cables between them, that a tree with exceptions has."""

Numbers = NDArray[np.int64]


class _Cables(NamedTuple):
    """Cables between neighbouring levels."""

    lower: Ints
    upper: Ints
    link: Ints
    """The link upwards."""


def recognise_tree(network: Network) -> TreeEmbedding | None:
    """Return the network as a tree, or None if it is not one.

    A tree may lack some of its vertices and cables: see `TreeEmbedding.name`.
    """
    if network.vertices == network.nodes or network.aggregation > 1 or not network.links:
        return None
    level = _levels(network)
    cables = None if level is None else _rising(network, level)
    if level is None or cables is None:
        return None
    linked = np.bincount(cables.lower, minlength=network.vertices) + np.bincount(
        cables.upper, minlength=network.vertices
    )
    level[linked == 0] = -1
    return _embedded(network, level, cables)


def _levels(network: Network) -> Ints | None:
    """Return the distance of every vertex from the nearest node, shape ``(vertices,)``; None if it is too large."""
    level = np.full(network.vertices, MAX_HEIGHT + 1, np.int32)
    level[: network.nodes] = 0
    for height in range(MAX_HEIGHT):
        heads = network.dst[level[network.src] == height]
        level[heads] = np.minimum(level[heads], height + 1)
    return level if level[network.src].max() <= MAX_HEIGHT else None


def _rising(network: Network, level: Ints) -> _Cables | None:
    """Return the cables with their lower ends; None if some link is one-way, or does not join neighbouring levels."""
    src, dst = network.src[::2], network.dst[::2]
    if network.links % 2 or not (np.array_equal(src, network.dst[1::2]) and np.array_equal(dst, network.src[1::2])):
        return None
    step = level[dst] - level[src]
    if (np.abs(step) != 1).any():
        return None
    rises = step > 0
    link = 2 * np.arange(src.size, dtype=np.int32) + ~rises
    return _Cables(np.where(rises, src, dst), np.where(rises, dst, src), link.astype(np.int32))


def _embedded(network: Network, level: Ints, cables: _Cables) -> TreeEmbedding | None:
    height = int(level.max())
    split = _components_by(network.vertices, cables)
    below, above = level[cables.lower], level[cables.upper]
    everything = split(above <= height)[level >= 0]
    if np.ptp(everything):
        return None
    down, up = [1] * height, [1] * height
    subtree, root = np.zeros(network.vertices, np.int64), np.zeros(network.vertices, np.int64)
    for each in reversed(range(height)):
        inside = (level >= 0) & (level <= each)
        rank, down[each] = _ranks(subtree[inside], split(above <= each)[inside])
        subtree[inside] = subtree[inside] * down[each] + rank
    roots = 1
    for each in range(height):
        inside = level > each
        rank, up[each] = _ranks(root[inside], split(below > each)[inside])
        root[inside] += roots * rank
        roots *= up[each]
    parallel, number = _parallel(network.vertices, below, cables, height)
    tree = Tree(tuple(down), tuple(up), parallel)
    if not _is_filled(network, level, below, tree):
        return None
    place = _places(network, level, subtree, root, tree)
    return None if place is None else TreeEmbedding(network, tree, place, _links(cables, place, number, tree))


def _components_by(vertices: int, cables: _Cables) -> Callable[[NDArray[np.bool_]], Ints]:
    def _split(which: NDArray[np.bool_]) -> Ints:
        return components(cables.lower[which], cables.upper[which], vertices, directed=False)

    return _split


def _ranks(outer: Numbers, component: Ints) -> tuple[Numbers, int]:
    """Return the rank of each vertex's component within its outer component, and the largest number of ranks.

    Components are in the order of their first vertices.
    """
    _, first, which = np.unique(component, return_index=True, return_inverse=True)
    order = np.lexsort((first, outer[first]))
    ordered = outer[first][order]
    rank = np.empty(first.size, np.int64)
    rank[order] = np.arange(first.size) - np.searchsorted(ordered, ordered)
    return rank[which], int(rank.max()) + 1


def _parallel(vertices: int, below: Ints, cables: _Cables, height: int) -> tuple[tuple[int, ...], Numbers]:
    """Return the most parallel cables of each level, and the number of each cable among the cables with its ends."""
    ends = cables.lower.astype(np.int64) * vertices + cables.upper
    order = np.argsort(ends, kind="stable")
    number = np.empty(ends.size, np.int64)
    number[order] = np.arange(ends.size) - np.searchsorted(ends[order], ends[order])
    most = np.zeros(height, np.int64)
    np.maximum.at(most, below, number + 1)
    return tuple(most.tolist()), number


def _is_filled(network: Network, level: Ints, below: Ints, tree: Tree) -> bool:
    """Return whether enough of a tree is present."""
    placed = np.bincount(level[level >= 0], minlength=tree.height + 1)
    joined = np.bincount(below, minlength=tree.height)
    return bool(
        placed[0] >= MIN_NODES * tree.nodes
        and (placed[1:] >= MIN_SWITCHES * np.array(tree.sizes[1:])).all()
        and joined[0] >= MIN_NODES * tree.cables[0]
        and (joined[1:] >= MIN_CABLES * np.array(tree.cables[1:])).all()
    )


def _places(network: Network, level: Ints, subtree: Numbers, root: Numbers, tree: Tree) -> Ints | None:
    """Return the place of each vertex, where vertices without cables fill gaps; None if two have the same place."""
    first, roots = np.array(tree.first), np.array(tree.roots)
    place = np.where(level >= 0, first[level] + root + roots[level] * subtree, -1)
    placed = place[level >= 0]
    taken = np.zeros(tree.first[-1], np.bool_)
    taken[placed] = True
    if taken.sum() < placed.size:
        return None
    vertex = np.arange(network.vertices)
    gaps = np.flatnonzero(~taken)
    for alone, free in (
        (np.flatnonzero((level < 0) & (vertex < network.nodes)), gaps[gaps < tree.nodes]),
        (np.flatnonzero((level < 0) & (vertex >= network.nodes)), gaps[gaps >= tree.nodes]),
    ):
        place[alone[: free.size]] = free[: alone.size]
    return None if (place[: network.nodes] < 0).any() else place.astype(np.int32)


def _links(cables: _Cables, place: Ints, number: Numbers, tree: Tree) -> Ints:
    """Return the links up and down every cable of the tree, -1 if missing."""
    lower, upper = place[cables.lower], place[cables.upper]
    level = np.searchsorted(tree.first, lower, "right") - 1
    first, roots, up = np.array(tree.first), np.array(tree.roots), np.array(tree.up)
    digit = (upper - first[level + 1]) // roots[level] % up[level]
    ports = (up * np.array(tree.parallel))[level]
    cable = np.array(tree.first_cable)[level] + (lower - first[level]) * ports + digit + up[level] * number
    links = np.full(2 * tree.first_cable[-1], -1, np.int32)
    links[2 * cable], links[2 * cable + 1] = cables.link, cables.link ^ 1
    return links
