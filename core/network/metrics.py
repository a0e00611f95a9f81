"""What a network measures: sizes, degrees, distances between its nodes, and how little joins its halves.

Sources: shortcut networks, chapter 3 of the thesis; CLEX, section 2. Counted are

- `links`, the pairs of vertices that are joined: parallel links are one, and so are two of opposite directions; a
  one-way link is one, a loop none. A torus of 2 x 4 has 12, though it has 32 directed links.
- `directed_links`, every one, with parallel ones and loops: a CLEX of 3^2 has 45.
- degrees, the links that leave a vertex: with parallel ones and loops, which all need a port.

Distances are between nodes. Switches, where there are any, are only passed through.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from core.network.bisection import Bisection, bisection
from core.network.metrics_kernel import SOURCES, Distances, Scratch, search
from core.network.network import Network
from core.spec import Progress, unheard

SEARCHING = 0.8
"""About what part of the work it is to find all distances; the rest is for the bisection."""


@dataclass(frozen=True)
class Metrics:
    """The figures of a network. Those that no number can be given for are None."""

    nodes: int
    """Vertices that host tasks."""
    switches: int
    """Vertices that host none; in a network without such every node is the one node of a switch, and counts."""
    links: int
    """Pairs of vertices that are joined, in whatever direction and by however many."""
    directed_links: int
    """Every directed link, parallel ones and loops too."""
    arcs: int
    """Ordered pairs of two vertices that a directed link leads along: without parallel ones and loops."""
    loops: int
    """Directed links from a vertex to itself."""
    degree_min: int
    """Fewest links that leave a vertex, node or switch; parallel ones and loops too."""
    degree_max: int
    """Most links that leave a vertex."""
    pairs: int
    """Ordered pairs of two nodes of which the second can be reached from the first."""
    distance_sum: int
    """Links on a shortest path, summed over these pairs."""
    diameter: int | None
    """Links on the longest of the shortest paths; None if some node reaches not every other."""
    aspl: Fraction | None
    """Average links on a shortest path, over all ordered pairs of two nodes; None as above."""
    bisection: Bisection
    """How little joins two halves."""

    @property
    def connected(self) -> bool:
        """Return whether every node reaches every other."""
        return self.pairs == self.nodes * (self.nodes - 1)


def measure(network: Network, progress: Progress = unheard) -> Metrics:
    """Return the metrics; exact, but for the bisection of a network that declares none.

    Raises Cancelled: when `progress` does.
    """
    if network.folded > 1:
        return _of_folded(network, progress)
    found = distances(network, _part(progress, 0.0, SEARCHING))
    degrees = np.diff(network.leaving.start)
    pairs, arcs = joined(network)
    whole = found.pairs == network.nodes * (network.nodes - 1)
    return Metrics(
        nodes=network.nodes,
        switches=network.vertices - network.nodes or network.nodes,
        links=pairs,
        directed_links=network.links,
        arcs=arcs,
        loops=int(np.count_nonzero(network.src == network.dst)),
        degree_min=int(degrees.min()),
        degree_max=int(degrees.max()),
        pairs=found.pairs,
        distance_sum=found.total,
        diameter=found.farthest if whole else None,
        aspl=Fraction(found.total, found.pairs) if whole else None,
        bisection=bisection(network, _part(progress, SEARCHING, 1.0)),
    )


def distances(network: Network, progress: Progress = unheard) -> Distances:
    """Return the sum of the distances between all nodes, of how many pairs it is, and the largest; exact.

    Raises Cancelled: when `progress` does.
    """
    near, scratch = network.leaving, Scratch(network.vertices)
    found = Distances(0, 0, 0)
    for first in range(0, network.nodes, SOURCES):
        progress(first / network.nodes)
        more = search(first, min(first + SOURCES, network.nodes), network.nodes, near, scratch)
        found = Distances(found.total + more.total, found.pairs + more.pairs, max(found.farthest, more.farthest))
    return found


def _of_folded(network: Network, progress: Progress) -> Metrics:
    counts, nodes = network.spec.counts(), network.real_nodes
    progress(SEARCHING)
    pairs = nodes * (nodes - 1)
    return Metrics(
        nodes=nodes,
        switches=nodes,
        links=counts.joined,
        directed_links=network.real_links,
        arcs=counts.arcs,
        loops=counts.loops,
        degree_min=counts.degree,
        degree_max=counts.degree,
        pairs=pairs,
        distance_sum=counts.distance_sum,
        diameter=counts.diameter,
        aspl=Fraction(counts.distance_sum, pairs),
        bisection=bisection(network, _part(progress, SEARCHING, 1.0)),
    )


def joined(network: Network) -> tuple[int, int]:
    """Return the number of unordered and of ordered pairs of two vertices that a link joins."""
    src, dst = network.src.astype(np.int64), network.dst.astype(np.int64)
    proper = src != dst
    src, dst = src[proper], dst[proper]
    ordered = np.unique(src * network.vertices + dst)
    u, v = np.divmod(ordered, network.vertices)
    unordered = np.unique(np.minimum(u, v) * network.vertices + np.maximum(u, v))
    return unordered.size, ordered.size


def _part(progress: Progress, start: float, end: float) -> Callable[[float], None]:
    return lambda fraction: progress(start + (end - start) * fraction)
