"""CLEX: cliques joined to copies, level by level, by directed links.

Node ``(v1 .. vt)``, coordinates from 0, has the number ``v1 + k v2 + .. + k^(t-1) vt``: copies of every level are
numbered in a row. Level 1 joins all that share ``(v2 .. vt)``; a link of level l >= 2 leads from ``(v1 .. vt)`` to
the node with ``j`` at place l - 1 and ``v(l-1)`` at place l, for every j. Of a node's links of a level some may lead
to itself or double one of another level: they are real links of the multigraph, kept and counted.

In order of their numbers, links of a level leave node after node and reach j after j. With fat links a node has one
link of each level >= 2, as wide as the k it stands for, to the node with the two coordinates swapped.
Source: Lenzen and Wattenhofer, "CLEX: yet another supercomputer architecture?", 2016.
"""

from functools import lru_cache
from math import perm
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.network.families.clex_counts import MAX_LEVELS, Sums, clex_counts, sums
from core.network.families.clex_folded import copies, folded_clex, links_between_copies, stored_links
from core.network.layout import Layout
from core.network.layouts.cliques import cliques
from core.network.layouts.ring import ring
from core.network.network import (
    MAX_LINKS,
    Counts,
    Cut,
    Gbs,
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
"""Nodes that may stand for all; there are that many beyond six levels."""


class Clex(NetworkSpec, frozen=True, tag="clex"):
    """A CLEX network: cliques of k nodes, k of them joined to a copy, k of these to the next, by directed links."""

    title: ClassVar[str] = "CLEX"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        f"{k}^{t}{', fat links' if fat else ''} ({k**t:,} nodes)": {"k": k, "levels": t, "fat_links": fat}
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

    k: Annotated[int, declare("Clique size", "nodes of a clique, and copies joined to the next", ge=2, le=4096)] = 4
    levels: Annotated[int, declare("Levels", "levels of links; k^levels nodes", ge=1, le=20)] = 3
    fat_links: Annotated[
        bool, declare("Fat links", "one link k times as wide instead of a node's k links of a level above 1")
    ] = False
    gbs: Annotated[Gbs, declare("Bandwidth", "one link (a fat one: k times that), per direction", unit="GB/s")] = 12.5
    slots_per_node: TasksPerNode = 1

    @property
    def degree(self) -> int:
        """Return the number of links that leave a node, loops and duplicates included."""
        return self.k - 1 + (self.levels - 1) * (1 if self.fat_links else self.k)

    def summary(self) -> str:
        """Return the numbers of nodes and directed links."""
        nodes = self.k**self.levels
        each, links = f"out-degree {self.degree:,}", counted(nodes * self.degree)
        return f"{self.k}^{self.levels} = {counted(nodes)} nodes of {each} · {links} directed links"

    def sized(self, nodes: int) -> Self:
        """Return the network of as many levels whose cliques give the number of nodes nearest to `nodes`."""
        root = int(nodes ** (1 / self.levels))
        near = range(min(max(root, 2), 4096), min(max(root, 2) + 2, 4096) + 1)
        return msgspec.structs.replace(self, k=min(near, key=lambda k: abs(k**self.levels - nodes)))

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return those of any number of levels that have the degree, in the order of how near their sizes come."""
        found = []
        for levels in range(1, 21):
            # What `degree` is of k and the levels, solved for k.
            k, rest = (degree - levels + 2, 0) if self.fat_links else divmod(degree + 1, levels)
            if not rest and 2 <= k <= 4096:
                found.append(msgspec.structs.replace(self, k=k, levels=levels))
        return tuple(sorted(found, key=lambda spec: off_by(spec.k**spec.levels, nodes))[:4])

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are level 1, level 2 ... One too large is folded, clique by clique.

        Raises SpecError: beyond `MAX_LINKS` links, which a folded one has from about ten times as many nodes on.
        """
        if self.k**self.levels * self.degree > MAX_LINKS and self.levels in range(2, MAX_LEVELS + 1):
            bundles = stored_links(self.k, self.levels, self.fat_links)
            check_size("network.k", f"{self.summary()}: even the bundles between cliques", bundles)
            return self.build_folded()
        what = f"cliques of {self.k:,} nodes and {self.levels} levels of {'fat links' if self.fat_links else 'links'}"
        check_size("network.levels", what, self.k**self.levels * self.degree)
        edges = [_cliques(self)] + [_above(self, level) for level in range(2, self.levels + 1)]
        nodes = self.k**self.levels
        return network_from_edges(
            self,
            nodes,
            edges,
            self._layout,
            slots=self.slots_per_node,
            levels=_groups(self.k, self.levels),
            cuts=self.cuts(),
            label=lambda node: f"({','.join(map(str, coordinates(node, self.k, self.levels)))})",
            symmetry=_symmetry(self.k, self.levels),
        )

    def build_folded(self) -> Network:
        """Return the network folded, clique by clique, also where its links are not too many; of two levels or more."""
        return folded_clex(self, self.k, self.levels, self.fat_links, self.gbs, self.slots_per_node, self.cuts())

    def cuts(self) -> tuple[Cut, ...]:
        """Return the cuts that are known: around one copy of the coarsest level, and around half of them."""
        if self.levels == 1:
            return ()
        name, k = f"level {self.levels}", self.k
        # From each copy of the coarsest level to each other.
        between = k ** (self.levels - 1 - int(self.fat_links))
        nodes, half = k ** (self.levels - 1), k // 2
        return (
            Cut("one copy", nodes, {name: (k - 1) * between}),
            Cut("half of the copies", half * nodes, {name: half * (k - half) * between}),
        )

    def counts(self) -> Counts:
        """Return what the network measures, from small ones: `core.network.families.clex_counts`."""
        return clex_counts(self.k, self.levels, self.degree, lambda k: _sums(k, self.levels, self.fat_links))

    def _layout(self, network: Network) -> Layout:
        return ring(network) if self.levels == 1 else cliques(network, self.k, self.levels)


def coordinates(node: int, k: int, levels: int) -> tuple[int, ...]:
    """Return ``(v1 .. vt)`` of a node; v1 is its place in its clique, vt the coarsest copy it belongs to."""
    return tuple(node // k**place % k for place in range(levels))


def _symmetry(k: int, levels: int) -> SymmetryClasses | None:
    # Links only tell which coordinates are equal: a node stands for all in which the same ones are. Each coordinate of
    # those that stand is one of those before, or the next number.
    found: list[tuple[int, ...]] = [(0,)]
    for _ in range(1, levels):
        found = [(*some, value) for some in found for value in range(min(max(some) + 2, k))]
        if len(found) > MAX_SYMMETRY_CLASSES:
            return None
    places = k ** np.arange(levels)
    node = np.array(found) @ places
    count = [perm(k, max(some) + 1) for some in found]
    return SymmetryClasses(node.astype(np.int32), np.array(count, np.int32))


def _cliques(spec: Clex) -> EdgeList:
    node = np.arange(spec.k**spec.levels, dtype=np.int32)
    first = node - node % spec.k
    other = np.arange(spec.k - 1, dtype=np.int32)
    # Node v1 reaches 0 .. v1 - 1, v1 + 1 .. k - 1.
    there = first[:, None] + other + (other >= (node - first)[:, None])
    return EdgeList("level 1", spec.gbs, np.repeat(node, spec.k - 1), there.ravel(), one_way=True)


def _above(spec: Clex, level: int) -> EdgeList:
    ends = links_between_copies(spec.k**spec.levels, spec.k, level, spec.fat_links)
    return EdgeList(f"level {level}", spec.gbs * (spec.k if spec.fat_links else 1), *ends, one_way=True)


def _groups(k: int, levels: int) -> tuple[Level, ...]:
    # The finest copies are the cliques.
    names = [(f"level {size} copy" if size > 1 else "clique", size) for size in range(levels - 1, 0, -1)]
    return tuple(Level(name, *copies(k**levels, k, levels - size)) for name, size in names)


@lru_cache(maxsize=64)
def _sums(k: int, levels: int, fat: bool) -> Sums:
    return sums(Clex(k=k, levels=levels, fat_links=fat).build())
