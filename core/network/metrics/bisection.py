"""Bisection bandwidth: declared by the family, or found by a search.

The minimum bisection is NP-hard in general, so a search gives an upper bound: bisections by node number, by the Fiedler
vector of the Laplacian and at random, each refined by moving single vertices (Fiduccia and Mattheyses, with up to one
node of imbalance). The draws are the same every time.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.fiedler import WeightedGraph, fiedler
from core.network.network import Cut, Ints, Network
from core.spec import Progress, no_progress

Sides = NDArray[np.int8]
Floats = NDArray[np.float64]

DRAWS, DRAWN = 32, 1 << 14
"""Number of random bisections, and limit on the vertices of all of them together."""
PASSES = 12
"""Passes of the refinement; mostly two or three suffice."""
ROUNDS = 8
"""Initial rounds in which switches move to the side of most of their links."""


@dataclass(frozen=True)
class Bisection:
    """A bisection of the nodes; one side has one node more if their number is odd (in aggregated networks more)."""

    links: int
    """Directed links from one side to the other, in the direction of less bandwidth; parallel links count each."""
    gbs: float
    """Their total bandwidth, GB/s."""
    declared: bool
    """Whether the family declares this cut; otherwise a search found it, and it is an upper bound."""
    note: str
    """Origin of the bisection, in words."""


def bisection(network: Network, progress: Progress = no_progress) -> Bisection:
    """Return the bisection of least bandwidth: the declared one, unless the search finds a smaller one.

    Raises Cancelled: when `progress` does.
    """
    half = network.nodes // 2
    halves = [cut for cut in network.cuts if cut.nodes in (half, network.nodes - half)]
    declared = min((_declared(network, cut) for cut in halves), key=lambda cut: cut.gbs, default=None)
    searched = _best_refined(network, progress)
    progress(1.0)
    return declared if declared is not None and declared.gbs <= searched.gbs * (1 + 1e-9) else searched


def _declared(network: Network, cut: Cut) -> Bisection:
    gbs = sum(network.link_class(name).gbs * count for name, count in cut.leaving.items())
    return Bisection(sum(cut.leaving.values()), gbs, True, f"declared by the family: {cut.name}" + _unevenness(network))


def _unevenness(network: Network) -> str:
    return f"; the sides differ by {network.aggregation} nodes" if network.aggregation > 1 and network.nodes % 2 else ""


def _best_refined(network: Network, progress: Progress) -> Bisection:
    graph = _graph(network)
    best: tuple[float, str, Sides] | None = None
    for words, sides in _starts(network, graph, progress):
        cost = _refined(graph, network.nodes, sides)
        if best is None or cost < best[0] * (1 - 1e-9):
            best = cost, words, sides
    assert best is not None
    gbs, links = min((_crossing(network, best[2], side) for side in (0, 1)), key=lambda crossing: crossing[0])
    note = f"upper bound from a search (best start: {best[1]})"
    return Bisection(links, gbs, False, note + _unevenness(network))


def _crossing(network: Network, sides: Sides, side: int) -> tuple[float, int]:
    # Total bandwidth and number of the links that leave a side.
    leaves = (sides[network.src] == side) & (sides[network.dst] != side)
    links = network.multiplicity[leaves]
    return float((links * network.gbs[leaves]).sum()), int(links.sum())


def _graph(network: Network) -> WeightedGraph:
    # The undirected graph: parallel links summed, loops omitted.
    proper = network.src != network.dst
    src, dst = network.src[proper].astype(np.int64), network.dst[proper].astype(np.int64)
    gbs, vertices = (network.gbs * network.multiplicity)[proper], network.vertices
    ends = np.concatenate([src * vertices + dst, dst * vertices + src])
    order = np.argsort(ends, kind="stable")
    ordered = ends[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    start = np.searchsorted(ordered[first], np.arange(vertices + 1) * vertices)
    joined = np.add.reduceat(np.concatenate([gbs, gbs])[order], first) if first.size else np.empty(0)
    return WeightedGraph(start.astype(np.int32), (ordered[first] % vertices).astype(np.int32), joined.astype(float))


def _starts(network: Network, graph: WeightedGraph, progress: Progress) -> Iterator[tuple[str, Sides]]:
    # Initial bisections, with their origin; `progress` is called before each.
    nodes, draws = network.nodes, min(DRAWS, DRAWN // network.vertices)
    starts = 2 + draws
    progress(0.0)
    yield "node order", _halves(np.arange(nodes), nodes, graph)
    progress(1 / starts)
    vector = fiedler(graph, lambda: progress(1 / starts))
    if vector is not None:
        sides = (vector > np.median(vector[:nodes])).astype(np.int8)
        sides[:nodes] = 1
        sides[np.argsort(vector[:nodes], kind="stable")[: nodes // 2]] = 0
        yield "Fiedler vector", sides
    chance = np.random.default_rng(0)
    for draw in range(draws):
        progress((2 + draw) / starts)
        yield "random", _halves(chance.permutation(nodes), nodes, graph)


def _halves(order: NDArray[np.int64], nodes: int, graph: WeightedGraph) -> Sides:
    # The first half of the nodes on side 0; switches on the side of most of their links, in a few rounds.
    vertices = graph.start.size - 1
    lean = np.zeros(vertices)
    lean[order] = 1.0
    lean[order[: nodes // 2]] = -1.0
    if vertices > nodes:
        _lean(graph, nodes, lean)
    return (lean > 0).astype(np.int8)


@kernel
def _lean(graph: WeightedGraph, nodes: int, lean: Floats) -> None:
    start, other, gbs = graph
    for _ in range(ROUNDS):
        for v in range(nodes, start.size - 1):
            total, weight = 0.0, 0.0
            for place in range(start[v], start[v + 1]):
                total += gbs[place] * lean[other[place]]
                weight += gbs[place]
            lean[v] = total / weight if weight > 0.0 else 0.0


def _refined(graph: WeightedGraph, nodes: int, sides: Sides) -> float:
    # Refine by moving vertices; return the bandwidth across in both directions, GB/s.
    patience = max(64, min(sides.size // 8, 1024))
    for _ in range(PASSES):
        gain, locked, moved = np.zeros(sides.size), np.zeros(sides.size, np.bool_), np.zeros(sides.size, np.int32)
        if _pass(graph, nodes, sides, gain, locked, moved, patience) <= 0.0:
            break
    return float(_cost(graph, sides))


@kernel
def _cost(graph: WeightedGraph, sides: Sides) -> float:
    start, other, gbs = graph
    cost = 0.0
    for v in range(sides.size):
        for place in range(start[v], start[v + 1]):
            if sides[other[place]] != sides[v]:
                cost += gbs[place] / 2
    return cost


@kernel
def _pass(
    graph: WeightedGraph, nodes: int, sides: Sides, gain: Floats, locked: NDArray[np.bool_], moved: Ints, patience: int
) -> float:
    """Move each vertex once, best gain first; undo the moves after the best state; return the gain."""
    _gains(graph, sides, gain)
    first = 0
    for v in range(nodes):
        first += sides[v] == 0
    total, best, count, kept = 0.0, 0.0, 0, 0
    while count < sides.size and count - kept <= patience:
        v = _best(nodes, sides, gain, locked, first)
        if v < 0:
            break
        total += gain[v]
        if v < nodes:
            first += 1 if sides[v] else -1
        _move(v, graph, sides, gain)
        locked[v], moved[count] = True, v
        count += 1
        if abs(2 * first - nodes) <= 1 and total > best + 1e-9:
            best, kept = total, count
    for place in range(kept, count):
        sides[moved[place]] ^= 1
    return best


@kernel
def _gains(graph: WeightedGraph, sides: Sides, gain: Floats) -> None:
    start, other, gbs = graph
    for v in range(sides.size):
        total = 0.0
        for place in range(start[v], start[v + 1]):
            total += gbs[place] if sides[other[place]] != sides[v] else -gbs[place]
        gain[v] = total


@kernel
def _best(nodes: int, sides: Sides, gain: Floats, locked: NDArray[np.bool_], first: int) -> int:
    # The vertex of highest gain; a node only if the halves then differ by at most 2 or 3.
    may = (2 * (first - 1) >= nodes - 3, 2 * (first + 1) <= nodes + 3)
    best = -1
    for v in range(sides.size):
        if not locked[v] and (v >= nodes or may[sides[v]]) and (best < 0 or gain[v] > gain[best]):
            best = v
    return best


@kernel
def _move(v: int, graph: WeightedGraph, sides: Sides, gain: Floats) -> None:
    start, other, gbs = graph
    for place in range(start[v], start[v + 1]):
        w = other[place]
        gain[w] += 2 * gbs[place] if sides[w] == sides[v] else -2 * gbs[place]
    gain[v] = -gain[v]
    sides[v] ^= 1
