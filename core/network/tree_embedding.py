"""The place of every vertex and cable of a network in a tree (`core.network.tree_shape`)."""

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import NDArray

from core.network.network import Cut, Ints, Network
from core.network.ports import Ports
from core.network.tree_shape import Tree, subtree
from core.text import enumerated, plural

NAMED = 3
"""Missing cables that are named."""


@dataclass(frozen=True, eq=False)
class TreeEmbedding:
    """A network as a tree, less some vertices and cables."""

    network: Network
    tree: Tree
    place: Ints
    """(vertices,) number of every vertex among the vertices of the tree; -1 for a spare switch without cables."""
    link: Ints
    """(2 cables of the tree,) link of the network up every cable, followed by the link down it; -1 if missing."""

    @cached_property
    def vertex(self) -> Ints:
        """Return the vertex of the network at every place of the tree, -1 if missing."""
        vertex = np.full(self.tree.first[-1], -1, np.int32)
        placed = np.flatnonzero(self.place >= 0)
        vertex[self.place[placed]] = placed
        return vertex

    @cached_property
    def exact(self) -> bool:
        """Return whether no vertex and no cable of the tree is missing."""
        return bool((self.vertex >= 0).all() and (self.link >= 0).all())

    @cached_property
    def missing(self) -> tuple[int, ...]:
        """Return the number of missing vertices of each level, nodes first."""
        absent = np.append(0, np.cumsum(self.vertex < 0))[list(self.tree.first)]
        return tuple(np.diff(absent).tolist())

    @cached_property
    def missing_cables(self) -> NDArray[np.intp]:
        """Return the missing cables whose ends are both present, ascending: see `Tree.first_cable`."""
        ends = [self.tree.parents(level) for level in range(self.tree.height)]
        lower, upper = (np.concatenate(end) for end in zip(*ends, strict=True))
        return np.flatnonzero((self.link[::2] < 0) & (self.vertex[lower] >= 0) & (self.vertex[upper] >= 0))

    @property
    def name(self) -> str:
        """Return the name of the tree, with its missing parts.

        ``8-ary 2-tree, XGFT(2; 8,8; 1,8), less 2 cables: s1_0000 port 9 - s2_0000 port 1, ...``
        """
        nodes, *switches = self.missing
        kinds = zip(switches, self.tree.level_names, strict=True)
        less = [plural(count, f"{kind} switch") for count, kind in kinds if count]
        less += [plural(nodes, "node")] * (nodes > 0)
        cables = self.missing_cables
        if cables.size:
            few = ", ".join(self.cable_text(int(cable)) for cable in cables[:NAMED])
            more = f" and {cables.size - NAMED:,} more" if cables.size > NAMED else ""
            less.append(f"{plural(cables.size, 'cable')}: {few}{more}")
        return f"{self.tree.name}, less {enumerated(less)}" if less else self.tree.name

    @property
    def switches_text(self) -> str:
        """Return the number of switches of each level: ``8 leaf switches and 8 spine switches``."""
        sizes = zip(self.tree.sizes[1:], self.missing[1:], self.tree.level_names, strict=True)
        return enumerated([plural(size - absent, f"{kind} switch") for size, absent, kind in sizes])

    def ends(self, cable: int) -> tuple[int, int]:
        """Return the places of the lower and the upper end of a cable."""
        tree, level = self.tree, self._level(cable)
        below, port = divmod(cable - tree.first_cable[level], tree.up[level] * tree.parallel[level])
        above = int(tree.parent(level, np.array(below), port % tree.up[level]))
        return tree.first[level] + below, tree.first[level + 1] + above

    def cable_text(self, cable: int) -> str:
        """Return the ends of a missing cable, with the ports that all similar cables have: ``s1 port 9 - s2 port 1``.

        A port is not named if similar cables have different ports, or if another cable has this port.
        """
        ends = [int(self.vertex[place]) for place in self.ends(cable)]
        ports = self.network.src_ports, self.network.dst_ports
        alike = self._alike_below(cable), self._alike_above(cable)
        texts = [self.network.label(vertex) for vertex in ends]
        for end, (vertex, at, cables) in enumerate(zip(ends, ports, alike, strict=True)):
            port = None if at is None else self._common_port(vertex, at, cables)
            texts[end] += "" if port is None else f" port {port}"
        return " - ".join(texts)

    def _level(self, cable: int) -> int:
        return int(np.searchsorted(self.tree.first_cable, cable, "right")) - 1

    def _alike_below(self, cable: int) -> NDArray[np.intp]:
        # Cables of the level that lead to the same parent, counted at their lower ends.
        tree, level = self.tree, self._level(cable)
        step, first = tree.up[level] * tree.parallel[level], tree.first_cable[level]
        return np.arange(first + (cable - first) % step, tree.first_cable[level + 1], step)

    def _alike_above(self, cable: int) -> NDArray[np.intp]:
        # Cables of the level that lead to the same child, counted at their upper ends.
        tree, level = self.tree, self._level(cable)
        roots, down, up = tree.roots[level], tree.down[level], tree.up[level]
        cables = np.arange(*tree.first_cable[level : level + 2])
        below, port = np.divmod(cables - tree.first_cable[level], up * tree.parallel[level])
        slot = below // roots % down + down * (port // up)
        return np.asarray(cables[slot == slot[cable - tree.first_cable[level]]])

    def _common_port(self, vertex: int, ports: Ports, cables: NDArray[np.intp]) -> int | None:
        links = self.link[2 * cables]
        numbers = np.unique(ports.number[links[links >= 0]])
        if numbers.size != 1:
            return None
        # In `ports` of tails and of heads, all links at the vertex appear at one of their ends.
        network, number = self.network, int(numbers[0])
        sides = ((network.src, network.src_ports), (network.dst, network.dst_ports))
        used = any(side is not None and (side.number[end == vertex] == number).any() for end, side in sides)
        return None if used else number

    def cuts(self) -> tuple[Cut, ...]:
        """Return cuts around a subtree of each level, and around half of the largest.

        Each counts the links that the network has. Among the subtrees of a level it chooses subtrees with the least
        bandwidth for their nodes.
        """
        cuts, tree = [], self.tree
        for level in range(tree.height - 1, 0, -1):
            nodes, gbs = self._subtrees(level)
            best = int(np.argmin(gbs / np.maximum(nodes, 1)))
            cuts.append(self._cut(f"one {subtree(level)}", level, np.arange(nodes.size) == best))
        top = tree.height - 1
        nodes, gbs = self._subtrees(top)
        half = np.argsort(gbs / np.maximum(nodes, 1), kind="stable")[: tree.down[-1] // 2]
        what = f"{subtree(top)}s" if top else "nodes"
        return (*cuts, self._cut(f"half of the {what}", top, np.isin(np.arange(nodes.size), half)))

    def _subtrees(self, level: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the nodes of each subtree of a level, and the bandwidth of the links upwards out of it."""
        tree, count = self.tree, self.tree.nodes // self.tree.leaves[level]
        nodes = np.bincount(self.place[: self.network.nodes] // tree.leaves[level], minlength=count)
        links, of = self._upwards(level)
        return nodes, np.bincount(of, self.network.gbs[links], count).astype(np.float64)

    def _upwards(self, level: int) -> tuple[Ints, NDArray[np.intp]]:
        # The links from a level to the next, and the subtree that each leaves.
        tree = self.tree
        cables = np.arange(*tree.first_cable[level : level + 2])
        below = (cables - tree.first_cable[level]) // (tree.up[level] * tree.parallel[level])
        links = self.link[2 * cables]
        return links[links >= 0], (below // tree.roots[level])[links >= 0]

    def _cut(self, name: str, level: int, inside: NDArray[np.bool_]) -> Cut:
        links, of = self._upwards(level)
        leaving = links[inside[of]]
        counts = {c.name: int(c.has(leaving.astype(np.intp)).sum()) for c in self.network.classes}
        nodes = inside[self.place[: self.network.nodes] // self.tree.leaves[level]].sum()
        return Cut(name, int(nodes), {kind: count for kind, count in counts.items() if count})


def whole_tree(network: Network, tree: Tree) -> TreeEmbedding:
    """Return the embedding of a network that was built as a tree, with the same numbers."""
    return TreeEmbedding(
        network, tree, np.arange(network.vertices, dtype=np.int32), np.arange(network.links, dtype=np.int32)
    )


def tree_of(network: Network) -> TreeEmbedding | None:
    """Return a network as a fat tree, possibly with exceptions, computed once; None if it is not a tree."""
    return cast(TreeEmbedding | None, network.tree)
