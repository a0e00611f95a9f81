"""What a network measures: sizes, degrees, distances between its nodes, and how little joins its halves.

Sources: Ke Cui, "Efficient collective communication in interconnection networks with shortcut network topologies"
(thesis, SOKENDAI, 2024), chapter 3; Lenzen and Wattenhofer, "CLEX: yet another supercomputer architecture?", 2016,
section II. Counted are

- `links`, the pairs of vertices that are joined: parallel links are one, and so are two of opposite directions; a
  one-way link is one, a loop none. A torus of 2 x 4 has 12, though it has 32 directed links.
- `directed_links`, every one, with parallel ones and loops: a CLEX of 3^2 has 45.
- degrees, the links that leave a vertex: with parallel ones and loops, which all need a port.

Distances are between nodes. Switches, where there are any, are only passed through.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from core.network.adjacency import distinct
from core.network.metrics.bfs import MAX_SOURCES, DistanceSums, distances_from
from core.network.metrics.bisection import Bisection, bisection
from core.network.network import Counts, Ints, Network
from core.spec import Progress, no_progress, subprogress

MAX_VISITS = 40_000_000_000
"""Links looked at, about a minute of work, beyond which a network is not measured by the way: see `visits`."""
SEARCHING = 0.8
"""About what part of the work it is to find all distances; the rest is for the bisection."""


@dataclass(frozen=True)
class Sizes:
    """What there is of a network."""

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


@dataclass(frozen=True)
class Metrics(Sizes):
    """The figures of a network. Those that no number can be given for are None."""

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


def measure(network: Network, progress: Progress = no_progress) -> Metrics:
    """Return the metrics; exact, but for the bisection of a network that declares none.

    Raises Cancelled: when `progress` does.
    """
    counts, reached, degree_min = count(network, subprogress(progress, 0.0, SEARCHING))
    nodes = network.real_nodes
    whole = reached == nodes * (nodes - 1)
    return Metrics(
        nodes=nodes,
        switches=network.vertices - network.nodes or nodes,
        links=counts.joined,
        directed_links=network.real_links,
        arcs=counts.arcs,
        loops=counts.loops,
        degree_min=degree_min,
        degree_max=counts.degree,
        pairs=reached,
        distance_sum=counts.distance_sum,
        diameter=counts.diameter if whole else None,
        aspl=Fraction(counts.distance_sum, reached) if whole else None,
        bisection=bisection(network, subprogress(progress, SEARCHING, 1.0)),
    )


def count(network: Network, progress: Progress = no_progress) -> tuple[Counts, int, int]:
    """Return what is counted, of how many ordered pairs of nodes one reaches the other, and the least degree.

    Raises Cancelled: when `progress` does.
    """
    if network.find_counts is not None:
        counts = network.find_counts()
        progress(1.0)
        return counts, network.real_nodes * (network.real_nodes - 1), counts.degree
    found, degrees = distances(network, progress), np.diff(network.out_links.start)
    loops = int(np.count_nonzero(network.src == network.dst))
    counts = Counts(*_joined(network), loops, int(degrees.max()), found.farthest, found.total)
    return counts, found.pairs, int(degrees.min())


def visits(network: Network) -> int:
    """Return about how many links are looked at to measure a network; the figures of a folded one are known."""
    sources = network.nodes if network.symmetry is None else network.symmetry.representative.size
    return network.links * sources if network.aggregation == 1 else 0


def distances(network: Network, progress: Progress = no_progress) -> DistanceSums:
    """Return the sum of the distances between all nodes, of how many pairs it is, and the largest; exact.

    Raises Cancelled: when `progress` does.
    """
    found = DistanceSums(0, 0, 0)
    portions = list(_sources(network))
    for done, (sources, each) in enumerate(portions):
        progress(done / len(portions))
        more = distances_from(sources, network.nodes, network.out_links)
        total, pairs = found.total + each * more.total, found.pairs + each * more.pairs
        found = DistanceSums(total, pairs, max(found.farthest, more.farthest))
    return found


def _sources(network: Network) -> Iterator[tuple[Ints, int]]:
    # Nodes to search from, in portions, and for how many each of a portion stands.
    if network.symmetry is None:
        groups = [(np.arange(network.nodes, dtype=np.int32), 1)]
    else:
        node, count = network.symmetry
        groups = [(node[count == one].astype(np.int32), int(one)) for one in np.unique(count)]
    for nodes, one in groups:
        for first in range(0, nodes.size, MAX_SOURCES):
            yield nodes[first : first + MAX_SOURCES], one


def _joined(network: Network) -> tuple[int, int]:
    """Return the number of unordered and of ordered pairs of two vertices that a link joins."""
    src, dst = network.src.astype(np.int64), network.dst.astype(np.int64)
    proper = src != dst
    src, dst = src[proper], dst[proper]
    ordered = distinct(src * network.vertices + dst)
    u, v = np.divmod(ordered, network.vertices)
    unordered = distinct(np.minimum(u, v) * network.vertices + np.maximum(u, v))
    return unordered.size, ordered.size
