"""CLEX: cliques joined to copies, level by level, by directed links.

Node ``(v1 .. vt)``, coordinates from 0, has the number ``v1 + k v2 + .. + k^(t-1) vt``: copies of every level are
numbered consecutively. Level 1 connects all nodes with the same ``(v2 .. vt)``; a link of level l >= 2 leads from ``(v1
.. vt)`` to the node with ``j`` at place l - 1 and ``v(l-1)`` at place l, for every j. Some links of a node lead to
itself or duplicate one of another level: they are real links of the multigraph, kept and counted.

Links of a level are sorted by node, then by j. With fat links every node has one link of each level >= 2, as wide as k,
to the node with the two coordinates swapped. Source: Lenzen and Wattenhofer, "CLEX: yet another supercomputer
architecture?", 2016.

A network with too many links to store is aggregated: the nodes of a clique become one node, ``v2 + k v3 + ..``, and the
k links of a level from one clique to another become one: on level 2 the links of the node with the place of the
other clique, on higher levels one for each place. The k (k - 1) links inside a clique become a loop. The result is a
CLEX network of one level less whose lowest level has loops, too: 64^3, with 50 million links, keeps 528,384. A fat
link of level 2 represents only itself, and a fat link of a higher level represents k links.
"""

from functools import lru_cache
from math import perm
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.network.families.clex_counts import MAX_LEVELS, clex_counts
from core.network.layout import Layout
from core.network.layouts.cliques import cliques
from core.network.layouts.ring import ring
from core.network.metrics.metrics import count
from core.network.network import (
    MAX_LINKS,
    Counts,
    Cut,
    Gbs,
    Ints,
    Level,
    Network,
    NetworkSpec,
    SymmetryClasses,
    TasksPerNode,
    check_size,
)
from core.network.sizes import off_by
from core.network.wiring import EdgeList, network_from_edges
from core.spec import declare
from core.text import counted

MAX_SYMMETRY_CLASSES = 1000
"""Symmetry classes that are used; beyond six levels there are more."""


class Clex(NetworkSpec, frozen=True, tag="clex"):
    """Nested cliques: on every level, k copies of the level below are connected by directed links."""

    title: ClassVar[str] = "CLEX"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        f"{k}^{t}{', fat links' if fat else ''}, {k**t:,} nodes": {"k": k, "levels": t, "fat_links": fat}
        for k, t, fat in (
            (4, 3, False),
            (32, 2, False),
            (4, 5, False),
            (10, 3, True),
            (16, 3, False),
            (32, 3, True),
            (64, 3, False),
        )
    }

    k: Annotated[int, declare("Clique size", "nodes per clique, and copies per level (k)", ge=2, le=4096)] = 4
    levels: Annotated[int, declare("Levels", "levels of links (t), for k^t nodes", ge=1, le=20)] = 3
    fat_links: Annotated[
        bool, declare("Fat links", "one link of k times the bandwidth per node and level above 1, instead of k links")
    ] = False
    gbs: Annotated[
        Gbs, declare("Bandwidth", "bandwidth of a link, per direction (k times as much for a fat link)", unit="GB/s")
    ] = 12.5
    slots_per_node: TasksPerNode = 1

    @property
    def degree(self) -> int:
        """Return the number of links out of a node, including loops and duplicates."""
        return self.k - 1 + (self.levels - 1) * (1 if self.fat_links else self.k)

    def summary(self) -> str:
        """Return the numbers of nodes and directed links."""
        nodes = self.k**self.levels
        each, links = f"out-degree {self.degree:,}", counted(nodes * self.degree)
        return f"{self.k}^{self.levels} = {counted(nodes)} nodes of {each}, {links} directed links"

    def sized(self, nodes: int) -> Self:
        """Return the CLEX with the same levels and the cliques that bring it closest to `nodes` nodes."""
        root = int(nodes ** (1 / self.levels))
        near = range(min(max(root, 2), 4096), min(max(root, 2) + 2, 4096) + 1)
        return msgspec.structs.replace(self, k=min(near, key=lambda k: abs(k**self.levels - nodes)))

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the CLEX networks of this degree with any number of levels, closest in size first."""
        specs = []
        for levels in range(1, 21):
            # The formula of `degree`, solved for k.
            k, rest = (degree - levels + 2, 0) if self.fat_links else divmod(degree + 1, levels)
            if not rest and 2 <= k <= 4096:
                specs.append(msgspec.structs.replace(self, k=k, levels=levels))
        return tuple(sorted(specs, key=lambda spec: off_by(spec.k**spec.levels, nodes))[:4])

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are level 1, level 2 ... Too large a network is aggregated by clique.

        Raises SpecError: beyond `MAX_LINKS` links, which an aggregated network reaches at about ten times as many
        nodes.
        """
        if self.k**self.levels * self.degree > MAX_LINKS and self.levels in range(2, MAX_LEVELS + 1):
            check_size("network.k", f"{self.k}^{self.levels} nodes, aggregated by clique,", stored_links(self))
            return self.build_folded()
        what = f"cliques of {self.k:,} nodes and {self.levels} levels of {'fat links' if self.fat_links else 'links'}"
        check_size("network.levels", what, self.k**self.levels * self.degree)
        return network_from_edges(
            self,
            self.k**self.levels,
            [_cliques(self)] + [_above(self, level) for level in range(2, self.levels + 1)],
            lambda network: _layout(network, self.k, self.levels),
            slots=self.slots_per_node,
            levels=_groups(self, 1),
            cuts=self.cuts(),
            label=lambda node: f"({','.join(map(str, coordinates(node, self.k, self.levels)))})",
            symmetry=_symmetry(self.k, self.levels),
        )

    def build_folded(self) -> Network:
        """Return the aggregated network, even if it has few enough links to be stored; for two levels or more.

        Raises SpecError: if even the aggregated network has too many links.
        """
        k, cuts = self.k, (Cut(cut.name, cut.nodes // self.k, cut.leaving) for cut in self.cuts())
        warning = (
            f"has too many links to store, so each node stands for a clique of {k:,} nodes, and each link for all "
            "links of a level between two cliques; loads are means, assuming equal traffic of the nodes in a clique"
        )
        return network_from_edges(
            self,
            k ** (self.levels - 1),
            _folded_edges(self),
            lambda network: _layout(network, k, self.levels - 1),
            slots=self.slots_per_node * k,
            levels=_groups(self, 2),
            cuts=tuple(cuts),
            label=lambda node: f"(*,{','.join(map(str, coordinates(node, k, self.levels - 1)))})",
            warnings=(warning,),
            aggregation=k,
            find_counts=self.counts,
        )

    def cuts(self) -> tuple[Cut, ...]:
        """Return the known cuts: around one copy of the coarsest level, and around half of them."""
        if self.levels == 1:
            return ()
        name, k = f"level {self.levels}", self.k
        # Links from each copy of the coarsest level to each other copy.
        between = k ** (self.levels - 1 - int(self.fat_links))
        nodes, half = k ** (self.levels - 1), k // 2
        return (
            Cut("one copy", nodes, {name: (k - 1) * between}),
            Cut("half of the copies", half * nodes, {name: half * (k - half) * between}),
        )

    def counts(self) -> Counts:
        """Return the counts, from small networks: `core.network.families.clex_counts`."""
        return clex_counts(self.k, self.levels, self.degree, lambda k: _small(k, self.levels, self.fat_links))


def coordinates(node: int, k: int, levels: int) -> tuple[int, ...]:
    """Return ``(v1 .. vt)`` of a node; v1 is its place in its clique, vt the coarsest copy it belongs to."""
    return tuple(node // k**place % k for place in range(levels))


def _symmetry(k: int, levels: int) -> SymmetryClasses | None:
    # Links depend only on which coordinates are equal, so nodes with the same equalities are equivalent. In a
    # representative each coordinate equals an earlier one, or is the next number.
    representatives: list[tuple[int, ...]] = [(0,)]
    for _ in range(1, levels):
        representatives = [(*some, value) for some in representatives for value in range(min(max(some) + 2, k))]
        if len(representatives) > MAX_SYMMETRY_CLASSES:
            return None
    places = k ** np.arange(levels)
    node = np.array(representatives) @ places
    count = [perm(k, max(some) + 1) for some in representatives]
    return SymmetryClasses(node.astype(np.int32), np.array(count, np.int32))


def _cliques(spec: Clex) -> EdgeList:
    node = np.arange(spec.k**spec.levels, dtype=np.int32)
    first = node - node % spec.k
    other = np.arange(spec.k - 1, dtype=np.int32)
    # Node v1 has links to 0 .. v1 - 1, v1 + 1 .. k - 1.
    target = first[:, None] + other + (other >= (node - first)[:, None])
    return EdgeList("level 1", spec.gbs, np.repeat(node, spec.k - 1), target.ravel(), one_way=True)


def _above(spec: Clex, level: int) -> EdgeList:
    ends = _between_copies(spec, spec.levels, level)
    return EdgeList(f"level {level}", spec.gbs * (spec.k if spec.fat_links else 1), *ends, one_way=True)


def _between_copies(spec: Clex, levels: int, level: int) -> tuple[Ints, Ints]:
    # The ends of the links of a level >= 2, in order, in a network of `levels` levels.
    k = spec.k
    node = np.arange(k**levels, dtype=np.int32)
    low, high = k ** (level - 2), k ** (level - 1)
    inner, copy = node // low % k, node // high % k
    # The node without its digits at the two places, plus v(l-1) at place l; j is added at place l - 1.
    base = node - inner * low - copy * high + inner * high
    if spec.fat_links:
        return node, base + copy * low
    return np.repeat(node, k), (base[:, None] + np.arange(k, dtype=np.int32) * low).ravel()


def _groups(spec: Clex, finest: int) -> tuple[Level, ...]:
    # Copies of k^size nodes for sizes from `finest`: 1 are cliques; 2 if each node represents a clique.
    nodes = np.arange(spec.k ** (spec.levels + 1 - finest), dtype=np.int32)
    levels = []
    for size in range(spec.levels - 1, finest - 1, -1):
        copy = nodes // np.int32(spec.k ** (size + 1 - finest))
        levels.append(Level(f"level {size} copy" if size > 1 else "clique", copy, spec.k ** (spec.levels - size)))
    return tuple(levels)


def _layout(network: Network, k: int, levels: int) -> Layout:
    return ring(network) if levels == 1 else cliques(network, k, levels)


def stored_links(spec: Clex) -> int:
    """Return the number of links that the aggregated network stores."""
    above = 1 if spec.fat_links else spec.k
    return int(spec.k ** (spec.levels - 1)) * (1 + spec.k + above * (spec.levels - 2))


def _folded_edges(spec: Clex) -> list[EdgeList]:
    k, fat = spec.k, spec.fat_links
    clique, wide = np.arange(k ** (spec.levels - 1), dtype=np.int32), spec.gbs * (k if fat else 1)
    # From each clique to all cliques of its copy.
    within = np.repeat(clique, k), ((clique - clique % k)[:, None] + np.arange(k, dtype=np.int32)).ravel()
    edges = [
        EdgeList("level 1", spec.gbs, clique, clique, one_way=True, multiplicity=k * (k - 1)),
        EdgeList("level 2", wide, *within, one_way=True, multiplicity=1 if fat else k),
    ]
    for level in range(3, spec.levels + 1):
        # As in the network of one level less.
        ends = _between_copies(spec, spec.levels - 1, level - 1)
        edges.append(EdgeList(f"level {level}", wide, *ends, one_way=True, multiplicity=k))
    return edges


@lru_cache(maxsize=64)
def _small(k: int, levels: int, fat: bool) -> Counts:
    return count(Clex(k=k, levels=levels, fat_links=fat).build())[0]
