"""Graphs of unknown family: neighbours near each other, vertices of degree 1 around their only neighbour.

Initial positions come from distances in the graph (pivot MDS; Brandes and Pich, Eigensolver Methods for Progressive
Multidimensional Scaling of Large Data, 2007), so that networkx's spring layout (Fruchterman and Reingold, Graph Drawing
by Force-directed Placement, 1991) needs few steps from there. Deterministic.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import adjacency, components, distances_from, distinct
from core.network.layout import NODE, Floats, Layout, bowed, centred, in_plane
from core.network.layouts.tree import CAPTION_GAP, level_captions
from core.network.network import Ints, Network

MAX_FORCE_PAIRS = 30_000_000
"""Pairs of vertices between which forces are computed at most, over all steps: about two seconds."""
MAX_STEPS = 50
MIN_STEPS = 20
"""Minimum useful number of steps; graphs too large for it are placed by distances alone."""
MAX_PIVOTS, MIN_PIVOTS, MAX_PIVOT_DISTANCES = 48, 8, 1_500_000
"""Most and fewest vertices to which distances are measured, and the limit on distances between these."""
SEPARATION_ROUNDS = 25
"""Rounds in which vertices of large graphs that are too close are moved apart."""
MAX_SEPARATED = 20_000
"""Vertices up to which vertices are moved apart; larger graphs are put on rings."""
GOLDEN_ANGLE = np.pi * (3 - 5**0.5)
"""Angle between consecutive leaves of one vertex: spreads any number of them evenly."""
LEAF_DISTANCE = 0.7
"""Distance of the first leaf from its vertex; leaf i is √(i + 1) times as far away."""
MAX_NODES_PER_ROW = 6
"""Nodes below a switch that are drawn in one row; more are drawn in several rows."""
BOW = 0.06
"""How far the two directions of a link bow away from each other, relative to its length."""

ASPECT = 0.45
"""Distance between levels of switches, relative to their width."""

Places = NDArray[np.float64]


def force_directed(network: Network) -> Layout:
    """Place the vertices of any graph."""
    core = _core(network)
    places = np.zeros((network.vertices, 2))
    apart = 2 * LEAF_DISTANCE * np.sqrt(core.max_leaves + 0.5) + 1 if core.max_leaves else 1.0
    places[core.vertex] = _spaced(_arranged(core), apart)
    leaves = np.flatnonzero(core.parent >= 0)
    on = core.parent[leaves]
    order = np.argsort(on, kind="stable")
    leaves, on = leaves[order], on[order]
    rank = np.arange(on.size) - np.searchsorted(on, on)
    reach, angle = LEAF_DISTANCE * np.sqrt(rank + 1.0), GOLDEN_ANGLE * rank + on
    places[leaves] = places[on] + np.stack([reach * np.cos(angle), reach * np.sin(angle)], axis=1)
    return _drawn(places)


def at_positions(network: Network, places: Places) -> Layout:
    """Place vertices at the positions given by the file, shape ``(vertices, 2)``, scaled to a distance of about 1."""
    return _drawn(_spaced(places, 1.0))


def rows(network: Network, sizes: list[int], at_each: int, first_level: int = 1) -> Layout:
    """Place levels above each other, the lowest first: `sizes` vertices each; `at_each` nodes per lowest switch.

    Nodes are in rows below their switch; switches of a level are spread over the width of the lowest, whose number is
    `first_level`.
    """
    nodes, lowest = sizes[0], sizes[0] // at_each
    host = np.arange(nodes)
    columns = at_each if at_each <= MAX_NODES_PER_ROW else int(np.ceil(np.sqrt(2 * at_each)))
    step = max(max(sizes[1:]) / lowest, columns + 0.5)
    row, column = np.divmod(host % at_each, columns)
    below = [step * (host // at_each) + column - (columns - 1) / 2, -1.0 - row]
    rise = max(2.0, ASPECT * step * lowest / (len(sizes) - 1))
    parts = [np.stack(below, axis=1)]
    for level, count in enumerate(sizes[1:]):
        x = (np.arange(count) + 0.5) / count * lowest * step - step / 2
        parts.append(np.column_stack([x, np.full(count, 0.5 + rise * level)]))
    layout = _drawn(np.concatenate(parts))
    left, height = float(layout.positions[:, 0].min()), layout.positions[:, 1]
    heights = [float(height[:nodes].mean()), *height[np.cumsum(sizes[:-1])].tolist()]
    return replace(layout, captions=level_captions(heights, left - CAPTION_GAP, network.classes, first_level))


class _Core(NamedTuple):
    """A graph without the vertices of degree 1 (leaves)."""

    vertex: Ints
    """(core,) the remaining vertices."""
    src: Ints
    """(edges,) index into `vertex` of one end."""
    dst: Ints
    parent: Ints
    """(vertices,) the only neighbour of a leaf; -1 for others."""
    max_leaves: int
    """Most leaves of one vertex."""


def _core(network: Network) -> _Core:
    count = network.vertices
    low, high = np.minimum(network.src, network.dst), np.maximum(network.src, network.dst)
    edge = distinct((low.astype(np.int64) * count + high)[low != high])
    low, high = (edge // count).astype(np.int32), (edge % count).astype(np.int32)
    degree = np.bincount(np.concatenate([low, high]), minlength=count)
    parent = np.full(count, -1, np.int32)
    for leaf, other in ((low, high), (high, low)):
        # Of two vertices joined only to each other, one remains.
        hanging = (degree[leaf] == 1) & ((degree[other] > 1) | (leaf > other))
        parent[leaf[hanging]] = other[hanging]
    vertex = np.flatnonzero(parent < 0).astype(np.int32)
    number = np.full(count, -1, np.int32)
    number[vertex] = np.arange(vertex.size, dtype=np.int32)
    kept = (number[low] >= 0) & (number[high] >= 0)
    max_leaves = int(np.bincount(parent[parent >= 0], minlength=1).max())
    return _Core(vertex, number[low[kept]], number[high[kept]], parent, max_leaves)


def _arranged(core: _Core) -> Places:
    count = core.vertex.size
    if count < 3:
        return np.array([[0.0, 0.0], [1.0, 0.0]])[:count]
    src, dst = _joined(core)
    places = _by_distance(src, dst, count)
    if count > MAX_SEPARATED:
        return _on_rings(places)
    places = _on_disc(places)
    steps = min(MAX_FORCE_PAIRS // count**2, MAX_STEPS)
    if steps >= MIN_STEPS:
        return _relaxed(places, src, dst, steps)
    _separate(places)
    return places


def _joined(core: _Core) -> tuple[Ints, Ints]:
    """Return the edges, and one from each component to the next, so that components stay close."""
    piece = components(core.src, core.dst, core.vertex.size, directed=False)
    first = np.unique(piece, return_index=True)[1].astype(np.int32)
    return np.concatenate([core.src, first[:-1]]), np.concatenate([core.dst, first[1:]])


def _by_distance(src: Ints, dst: Ints, count: int) -> Places:
    """Return positions, shape ``(core, 2)``, whose distances approximate the distances in the graph.

    Pivot MDS: the two principal components of the distances to some vertices, each as far as possible from the previous
    ones.
    """
    both_ways = adjacency(np.concatenate([src, dst]), np.concatenate([dst, src]), count)
    distance, queue, nearest = (np.full(count, count, np.int32) for _ in range(3))
    columns = np.empty((count, min(count, max(min(MAX_PIVOT_DISTANCES // count, MAX_PIVOTS), MIN_PIVOTS))))
    for column in range(columns.shape[1]):
        distances_from(int(nearest.argmax()), both_ways, distance, queue)
        np.minimum(nearest, distance, out=nearest)
        columns[:, column] = np.square(distance, dtype=np.float64)
    columns = -(columns - columns.mean(0) - columns.mean(1, keepdims=True) + columns.mean()) / 2
    main = np.linalg.eigh(columns.T @ columns)[1][:, [-1, -2]]
    return np.asarray(columns @ main)


def _on_disc(places: Places) -> Places:
    """Return positions in a disc of unit area per vertex, in the order of their distance from the middle."""
    count = len(places)
    rank = np.empty(count)
    rank[np.argsort(np.hypot(*places.T), kind="stable")] = np.arange(count)
    angle = np.arctan2(places[:, 1], places[:, 0])
    reach = np.sqrt((rank + 0.5) / np.pi)
    # Vertices with the same neighbours would have equal positions, between which a force has no direction.
    apart = 0.01 * np.stack([np.cos(np.arange(count)), np.sin(np.arange(count))], axis=1)
    return np.asarray(reach[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1) + apart)


def _on_rings(places: Places) -> Places:
    """Return places on rings about the middle, 1 apart, in the order of their distance from it and their angle."""
    by_distance, angle = np.argsort(np.hypot(*places.T), kind="stable"), np.arctan2(places[:, 1], places[:, 0])
    ringed = np.zeros_like(places)
    first, ring = 0, 0
    while first < by_distance.size:
        members = by_distance[first : first + max(6 * ring, 1)]
        members = members[np.argsort(angle[members], kind="stable")]
        turn = 2 * np.pi * np.arange(members.size) / members.size - np.pi
        ringed[members] = ring * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        first, ring = first + members.size, ring + 1
    return ringed


def _separate(places: Places) -> None:
    """Move vertices closer than 1 away from each other, in small steps."""
    from scipy.spatial import cKDTree

    for _ in range(SEPARATION_ROUNDS):
        i, j = cKDTree(places).query_pairs(1.0, output_type="ndarray").T
        step = places[i] - places[j]
        length = np.maximum(np.hypot(*step.T), 1e-6)
        step *= (0.25 * (1 - length) / length)[:, None]
        for axis in (0, 1):
            places[:, axis] += np.bincount(i, step[:, axis], len(places)) - np.bincount(j, step[:, axis], len(places))


def _relaxed(places: Places, src: Ints, dst: Ints, steps: int) -> Places:
    """Return positions after forces; attraction and repulsion of two linked vertices balance at distance 1."""
    import networkx as nx  # 0.2 s of imports that most networks never need

    graph = nx.empty_graph(len(places))
    graph.add_edges_from(np.stack([src, dst], axis=1).tolist())
    start = dict(enumerate(places))
    moved = nx.spring_layout(graph, k=1.0, pos=start, iterations=steps, scale=None, method="force")
    return np.array([moved[vertex] for vertex in range(len(places))], np.float64)


def _spaced(places: Places, apart: float) -> Places:
    """Return positions about the origin, scaled so that four in five are `apart` or more from the nearest."""
    from scipy.spatial import cKDTree

    if len(places) < 2:
        return centred(places)
    nearest = cKDTree(places).query(places, k=2)[0][:, 1]
    return centred(places) * (apart / max(float(np.quantile(nearest, 0.2)), 1e-9))


def _drawn(places: Places) -> Layout:
    positions = in_plane(centred(places))

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        return bowed(positions[src], positions[dst], BOW)

    return Layout(positions, (NODE, NODE), _curves, near=False, scattered=True)
