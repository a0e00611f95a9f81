"""Metrics of networks: sizes, degrees, distances between nodes, and the bisection.

Sources: Ke Cui, "Efficient collective communication in interconnection networks with shortcut network topologies"
(thesis, SOKENDAI, 2024), chapter 3; Lenzen and Wattenhofer, "CLEX: yet another supercomputer architecture?", 2016,
section II. Conventions:

- `links`, the pairs of vertices that are joined: parallel links are one, and so are two of opposite directions; a
  one-way link is one, a loop none. A torus of 2 x 4 has 12, though it has 32 directed links.
- `directed_links`, every one, with parallel ones and loops: a CLEX of 3^2 has 45.
- degrees, the links that leave a vertex: with parallel ones and loops, which all need a port.

Distances are between nodes; switches are only passed through.
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
"""Links visited for distances: about a minute of work; larger networks are measured on request only, see `visits`."""
SEARCHING = 0.8
"""Fraction of the progress spent on distances; the rest is for the bisection."""


@dataclass(frozen=True)
class Metrics:
    """Metrics of a network; undefined ones are None."""

    nodes: int
    """Vertices that host tasks."""
    hosts: int
    """Hosts; fewer than nodes if nodes are the NICs of hosts with several."""
    switches: int
    """Vertices that host none; in networks without such vertices, the nodes count as switches."""
    switch_vertices: int
    """Vertices that host none."""
    links: int
    """Pairs of vertices with a link in any direction."""
    directed_links: int
    """All directed links, including parallel links and loops."""
    arcs: int
    """Ordered pairs of different vertices with a link."""
    loops: int
    """Directed links from a vertex to itself."""
    degree_min: int
    """Smallest number of links out of a vertex, node or switch, including parallel links and loops."""
    degree_max: int
    """Largest number of links out of a vertex."""
    pairs: int
    """Ordered pairs of different nodes, the second reachable from the first."""
    distance_sum: int
    """Length of the shortest path, summed over these pairs."""
    diameter: int | None
    """Length of the longest shortest path; None if not connected."""
    aspl: Fraction | None
    """Mean length of shortest paths over all ordered pairs of different nodes; None if not connected."""
    component_nodes: tuple[int, ...]
    """Nodes of each connected component, whose nodes reach each other, largest first."""
    bisection: Bisection
    """The bisection of least bandwidth."""

    @property
    def connected(self) -> bool:
        """Return whether every node reaches every other."""
        return self.pairs == self.nodes * (self.nodes - 1)


def measure(network: Network, progress: Progress = no_progress) -> Metrics:
    """Return the metrics; exact, except for the bisection of a network that declares none.

    Raises Cancelled: when `progress` does.
    """
    counts, reached, degree_min = count(network, subprogress(progress, 0.0, SEARCHING))
    nodes = network.real_nodes
    connected = reached == nodes * (nodes - 1)
    return Metrics(
        nodes=nodes,
        hosts=network.host_slots.count * network.aggregation,
        switches=network.vertices - network.nodes or nodes,
        switch_vertices=network.vertices - network.nodes,
        links=counts.joined,
        directed_links=network.real_links,
        arcs=counts.arcs,
        loops=counts.loops,
        degree_min=degree_min,
        degree_max=counts.degree,
        pairs=reached,
        distance_sum=counts.distance_sum,
        diameter=counts.diameter if connected else None,
        aspl=Fraction(counts.distance_sum, reached) if connected else None,
        component_nodes=tuple((np.bincount(network.components) * network.aggregation).tolist()),
        bisection=bisection(network, subprogress(progress, SEARCHING, 1.0)),
    )


def count(network: Network, progress: Progress = no_progress) -> tuple[Counts, int, int]:
    """Return the counts, the number of ordered pairs of mutually reachable nodes, and the least degree.

    Raises Cancelled: when `progress` does.
    """
    if network.find_counts is not None:
        counts = network.find_counts()
        progress(1.0)
        return counts, network.real_nodes * (network.real_nodes - 1), counts.degree
    sums, degrees = distances(network, progress), np.diff(network.out_links.start)
    loops = int(np.count_nonzero(network.src == network.dst))
    counts = Counts(*_joined(network), loops, int(degrees.max()), sums.farthest, sums.total)
    return counts, sums.pairs, int(degrees.min())


def visits(network: Network) -> int:
    """Return the approximate number of link visits for measuring a network; 0 if its counts are known by formula."""
    sources = network.nodes if network.symmetry is None else network.symmetry.representative.size
    return network.links * sources if network.aggregation == 1 else 0


def distances(network: Network, progress: Progress = no_progress) -> DistanceSums:
    """Return the sum of the distances between all nodes, the number of pairs, and the largest distance; exact.

    Raises Cancelled: when `progress` does.
    """
    sums = DistanceSums(0, 0, 0)
    portions = list(_sources(network))
    for done, (sources, each) in enumerate(portions):
        progress(done / len(portions))
        more = distances_from(sources, network.nodes, network.out_links)
        total, pairs = sums.total + each * more.total, sums.pairs + each * more.pairs
        sums = DistanceSums(total, pairs, max(sums.farthest, more.farthest))
    return sums


def _sources(network: Network) -> Iterator[tuple[Ints, int]]:
    # Nodes to search from, in batches, and the number of nodes that each node of a batch represents.
    if network.symmetry is None:
        groups = [(np.arange(network.nodes, dtype=np.int32), 1)]
    else:
        node, count = network.symmetry
        groups = [(node[count == weight].astype(np.int32), int(weight)) for weight in np.unique(count)]
    for nodes, weight in groups:
        for first in range(0, nodes.size, MAX_SOURCES):
            yield nodes[first : first + MAX_SOURCES], weight


def _joined(network: Network) -> tuple[int, int]:
    """Return the number of unordered and of ordered pairs of different vertices with a link."""
    src, dst = network.src.astype(np.int64), network.dst.astype(np.int64)
    proper = src != dst
    src, dst = src[proper], dst[proper]
    ordered = distinct(src * network.vertices + dst)
    u, v = np.divmod(ordered, network.vertices)
    unordered = distinct(np.minimum(u, v) * network.vertices + np.maximum(u, v))
    return unordered.size, ordered.size
