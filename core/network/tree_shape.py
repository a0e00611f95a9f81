"""Extended generalised fat trees: levels of any width, each linked to the next by any number of cables.

Level 0 consists of the nodes. A vertex of level l has h digits d1 to dh, d1 the fastest: the first l number parents
(d_i < w_i), the others children (d_i < m_i). Vertices of level l - 1 and l are linked by p_l cables if all digits but
d_l are equal. So a vertex of level l has m_l children, and a vertex of level l - 1 has w_l parents.
Sources: Ohring, Ibel, Das and Kumar, "On generalized fat trees", 1995; the manual of SimGrid, FAT_TREE. With parallel
cables they are the PGFT of Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations", 2010.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.network.network import Cut, Ints, Level

Numbers = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Tree:
    """The shape of a tree: for each level, from the lowest, children, parents of a child, and cables to each."""

    down: tuple[int, ...]
    up: tuple[int, ...]
    parallel: tuple[int, ...]

    @property
    def height(self) -> int:
        """Return the number of levels above the nodes."""
        return len(self.down)

    @cached_property
    def leaves(self) -> tuple[int, ...]:
        """Return, for each level from the nodes up, the number of nodes below a vertex."""
        return tuple(accumulate(self.down, lambda a, b: a * b, initial=1))

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Return, for each level, the number of vertices above the same nodes."""
        return tuple(accumulate(self.up, lambda a, b: a * b, initial=1))

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return self.leaves[-1]

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the number of vertices of each level."""
        return tuple(self.nodes // leaves * roots for leaves, roots in zip(self.leaves, self.roots, strict=True))

    @property
    def first(self) -> tuple[int, ...]:
        """Return the first vertex of each level, and the number of vertices."""
        return tuple(accumulate(self.sizes, initial=0))

    @property
    def cables(self) -> tuple[int, ...]:
        """Return the number of cables below each level of switches."""
        each = zip(self.sizes, self.up, self.parallel, strict=False)
        return tuple(size * up * parallel for size, up, parallel in each)

    @cached_property
    def first_cable(self) -> tuple[int, ...]:
        """Return the first cable below each level of switches, and the number of cables.

        Cables are numbered level by level, in each level by their lower ends, and there port by port.
        """
        return tuple(accumulate(self.cables, initial=0))

    @property
    def name(self) -> str:
        """Return ``4-ary 2-tree, XGFT(2; 4,4; 1,4)``; with parallel cables ``PGFT(2; 24,36; 1,6; 1,2)``."""
        numbers = [self.down, self.up] + [self.parallel] * (max(self.parallel) > 1)
        lists = "; ".join(",".join(map(str, each)) for each in numbers)
        shape = f"{'XGFT' if len(numbers) == 2 else 'PGFT'}({self.height}; {lists})"
        arity = self.down[0]
        regular = set(self.down) == {arity} and self.up == (1, *self.down[1:]) and len(numbers) == 2
        return f"{arity}-ary {self.height}-tree, {shape}" if regular and self.height > 1 else shape

    @property
    def level_names(self) -> tuple[str, ...]:
        """Return the names of the levels of switches: ``("leaf", "spine", "core")``; of more levels only numbers."""
        names = {1: ("leaf",), 2: ("leaf", "spine"), 3: ("leaf", "spine", "core")}
        return names.get(self.height) or tuple(f"L{level}" for level in range(1, self.height + 1))

    @property
    def tapers(self) -> tuple[float, ...]:
        """Return, for all levels of switches except the highest, the cables down per cable up."""
        steps = zip(self.down, self.parallel, self.up[1:], self.parallel[1:], strict=False)
        return tuple(down * below / (up * above) for down, below, up, above in steps)

    def parent(self, level: int, below: Numbers, digit: Numbers | int) -> Numbers:
        """Return the parents of vertices of a level; both are numbered from 0 in their level."""
        roots, up = self.roots[level], self.up[level]
        return below % roots + (digit + below // roots // self.down[level] * up) * roots

    def parents(self, level: int) -> tuple[Ints, Ints]:
        """Return the ends of all cables between a level and the next, lower ends first, port by port."""
        up, parallel = self.up[level], self.parallel[level]
        below = np.repeat(np.arange(self.sizes[level]), up * parallel)
        port = np.tile(np.arange(up * parallel), self.sizes[level])
        above = self.parent(level, below, port % up)
        ends = self.first[level] + below, self.first[level + 1] + above
        return ends[0].astype(np.int32), ends[1].astype(np.int32)

    def levels(self) -> tuple[Level, ...]:
        """Return the subtrees of each level except the highest, largest first."""
        node = np.arange(self.nodes, dtype=np.int32)
        sizes = [(level, self.leaves[level]) for level in range(self.height - 1, 0, -1)]
        return tuple(Level(subtree(level), node // np.int32(size), self.nodes // size) for level, size in sizes)

    def switch_groups(self) -> Ints:
        """Return the coarsest subtree of every switch; switches of the top level form one group per plane.

        The choice among the first parents with several fixes the plane for the rest of a path.
        """
        top, planes = self.down[-1], next((up for up in self.up if up > 1), 1)
        inside = [np.arange(size) // max(size // top, 1) for size in self.sizes[1:-1]]
        return np.concatenate([*inside, top + np.arange(self.sizes[-1]) % planes]).astype(np.int32)

    def cuts(self) -> tuple[Cut, ...]:
        """Return the cuts around a subtree of each level, and around half of the largest."""
        cuts = []
        for level in range(self.height - 1, 0, -1):
            leaving = self.roots[level] * self.up[level] * self.parallel[level]
            cuts.append(Cut(f"one {subtree(level)}", self.leaves[level], {boundary(level): leaving}))
        top, half = self.height - 1, self.down[-1] // 2
        what = f"{subtree(top)}s" if top else "nodes"
        crossing = self.roots[-1] * self.parallel[-1] * half
        return (*cuts, Cut(f"half of the {what}", half * self.leaves[top], {boundary(top): crossing}))

    def label(self, vertex: int) -> str:
        """Return the name of a vertex."""
        if vertex < self.nodes:
            return str(vertex)
        level = next(level for level in range(1, self.height + 1) if vertex < self.first[level + 1])
        return f"L{level} switch {vertex - self.first[level]}"


def boundary(level: int) -> str:
    """Return the link class between the switches of a level and the next higher level; level 0 holds the nodes."""
    return f"L{level}-L{level + 1}" if level else "host"


def subtree(level: int) -> str:
    """Return the name of the part of a tree beneath switches of a level."""
    return {1: "leaf group", 2: "pod"}.get(level, f"L{level} subtree")
