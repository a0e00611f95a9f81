"""Rings with random shortcuts: every node has two neighbours on the ring and, if possible, the same degree.

Shortcuts join uniformly drawn pairs of nodes with free ports; the last ones, whose nodes are already joined, are placed
by edge swaps. Sources: Ke Cui, "Efficient collective communication in interconnection networks with shortcut network
topologies" (thesis, SOKENDAI, 2024), section 2.4; Koibuchi et al., "A case for random shortcut topologies for HPC
interconnects", 2012.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.network.layouts.ring import ring
from core.network.network import Gbs, Ints, Network, NetworkSpec, TasksPerNode, check_size
from core.network.wiring import EdgeList, network_from_edges
from core.spec import Seed, SpecError, declare
from core.text import plural

TRIES = 200
"""Pairs drawn per node with free ports before swaps begin, and random swaps before free ports are given up."""


def _degree(nodes: int) -> int:
    # The degree of the circulant network with jumps 1, 2, 4 .. n/2.
    return 2 * (nodes.bit_length() - 1) - 1


class Shortcut(NetworkSpec, frozen=True, tag="shortcut"):
    """A ring with random shortcuts, in which all nodes have the same degree and most paths are short."""

    title: ClassVar[str] = "Ring with shortcuts"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        f"{n:,} nodes, degree {_degree(n)}": {"nodes": n, "degree": _degree(n)} for n in (64, 256, 1024, 4096)
    }

    nodes: Annotated[int, declare("Nodes", "number of nodes on the ring", ge=3, le=1 << 20)] = 64
    degree: Annotated[int, declare("Degree", "links per node, two of them along the ring", ge=2, le=4096)] = 11
    seed: Seed = 0
    gbs: Gbs = 12.5
    slots_per_node: TasksPerNode = 1

    def summary(self) -> str:
        """Return the numbers of nodes and of links."""
        odd = " (one node one less)" if self.nodes * self.degree % 2 else ""
        return f"{self.nodes:,} nodes of degree {self.degree}{odd} · {self.nodes * self.degree // 2:,} links"

    def sized(self, nodes: int) -> Self:
        """Return the network with `nodes` nodes; a degree that follows from the size is adapted."""
        nodes = min(max(nodes, 3), 1 << 20)
        degree = _degree(nodes) if self.degree == _degree(self.nodes) else self.degree
        return msgspec.structs.replace(self, nodes=nodes, degree=max(min(degree, nodes - 1), 2))

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the network with `nodes` nodes, but at least twice the degree, so that shortcuts can be random."""
        if not 2 <= degree <= 4096:
            return ()
        nodes = min(max(nodes, 2 * degree), 1 << 20)
        return (msgspec.structs.replace(self, nodes=nodes, degree=degree),)

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are ring and shortcut.

        Raises SpecError: if the degree exceeds the number of possible neighbours.
        """
        if self.degree >= self.nodes:
            most = self.nodes - 1
            raise SpecError("network.degree", f"is {self.degree:,}; must be at most {most:,} for {self.nodes:,} nodes")
        check_size("network.degree", f"{self.nodes:,} nodes of degree {self.degree:,}", self.nodes * self.degree)
        node = np.arange(self.nodes, dtype=np.int32)
        edges = [
            EdgeList("ring", self.gbs, node, np.roll(node, -1)),
            EdgeList("shortcut", self.gbs, *_shortcuts(self.nodes, self.degree, self.seed)),
        ]
        warnings = self._warnings(edges)
        return network_from_edges(self, self.nodes, edges, ring, slots=self.slots_per_node, warnings=warnings)

    def _warnings(self, edges: list[EdgeList]) -> tuple[str, ...]:
        degrees = np.bincount(
            np.concatenate([end for links in edges for end in (links.u, links.v)]), minlength=self.nodes
        )
        less = np.flatnonzero(degrees < self.degree)
        if not less.size:
            return ()
        if less.size == 1 and self.nodes * self.degree % 2:
            return (f"node {less[0]} has {degrees[less[0]]} links, because nodes × degree is odd",)
        nodes = f"{plural(less.size, 'node')} {'has' if less.size == 1 else 'have'}"
        return (f"{nodes} fewer than {self.degree} links, as no swap frees a port",)


def _shortcuts(nodes: int, degree: int, seed: int) -> tuple[Ints, Ints]:
    """Return the ends of the shortcuts, ascending, shape ``(shortcuts,)`` each."""
    graph = _RandomGraph(nodes, degree, _draws(seed))
    graph.join_at_random()
    graph.complete()
    ends = np.array(sorted(graph.shortcuts()), np.int32).reshape(-1, 2)
    return ends[:, 0], ends[:, 1]


def _draws(seed: int) -> Iterator[float]:
    # Numbers in [0, 1), drawn in blocks, which is ten times as fast.
    generator = np.random.default_rng(seed)
    while True:
        yield from generator.random(1 << 14).tolist()


class _RandomGraph:
    """A ring to which random shortcuts are added."""

    def __init__(self, nodes: int, degree: int, draws: Iterator[float]) -> None:
        self.nodes, self.degree, self.draws = nodes, degree, draws
        self.neighbours: list[set[int]] = [{(i - 1) % nodes, (i + 1) % nodes} for i in range(nodes)]
        self.open = list(range(nodes)) if degree > 2 else []
        """Nodes with free ports."""

    def shortcuts(self) -> Iterator[tuple[int, int]]:
        """Yield all shortcuts (u, v), u < v."""
        for u, joined in enumerate(self.neighbours):
            yield from ((u, v) for v in joined if u < v and not self._on_ring(u, v))

    def _below(self, end: int) -> int:
        return int(next(self.draws) * end)

    def _on_ring(self, u: int, v: int) -> bool:
        return (u - v) % self.nodes in (1, self.nodes - 1)

    def _room(self, u: int) -> int:
        return self.degree - len(self.neighbours[u])

    def _join(self, u: int, v: int) -> None:
        self.neighbours[u].add(v)
        self.neighbours[v].add(u)

    def _part(self, u: int, v: int) -> None:
        self.neighbours[u].remove(v)
        self.neighbours[v].remove(u)

    def join_at_random(self) -> None:
        """Join uniformly drawn pairs with free ports, until hardly any unjoined pair is left."""
        missed = 0
        while len(self.open) > 1 and missed < TRIES + len(self.open):
            i, j = self._below(len(self.open)), self._below(len(self.open))
            u, v = self.open[i], self.open[j]
            if u == v or v in self.neighbours[u]:
                missed += 1
                continue
            missed = 0
            self._join(u, v)
            for place in sorted((i, j), reverse=True):
                if not self._room(self.open[place]):
                    self.open[place] = self.open[-1]
                    self.open.pop()

    def complete(self) -> None:
        """Give the remaining nodes their shortcuts: u and v take the ends of a shortcut x - y of other nodes."""
        shuffles = TRIES
        while ends := self._short_of_links():
            if self._insert(*ends):
                continue
            if not shuffles:
                return
            shuffles -= 1
            self._shuffle()

    def _short_of_links(self) -> tuple[int, int] | None:
        self.open = [u for u in self.open if self._room(u)]
        if len(self.open) > 1:
            return self.open[0], self.open[1]
        return (self.open[0], self.open[0]) if self.open and self._room(self.open[0]) > 1 else None

    def _insert(self, u: int, v: int) -> bool:
        if u != v and v not in self.neighbours[u]:
            self._join(u, v)
            return True
        start = self._below(self.nodes)
        for x in (*range(start, self.nodes), *range(start)):
            if x in (u, v) or x in self.neighbours[u]:
                continue
            for y in sorted(self.neighbours[x]):
                if y not in (u, v) and y not in self.neighbours[v] and not self._on_ring(x, y):
                    self._part(x, y)
                    self._join(u, x)
                    self._join(v, y)
                    return True
        return False

    def _shuffle(self) -> None:
        # Shortcuts a - b and x - y become a - x and b - y: degrees stay, but other pairs are joined.
        ends = sorted(self.shortcuts())
        if len(ends) < 2:
            return
        (a, b), (x, y) = ends[self._below(len(ends))], ends[self._below(len(ends))]
        if len({a, b, x, y}) == 4 and x not in self.neighbours[a] and y not in self.neighbours[b]:
            self._part(a, b)
            self._part(x, y)
            self._join(a, x)
            self._join(b, y)
