"""Extended generalised fat trees: levels of any width, each linked to the next by any number of cables.

Level 0 consists of the nodes. A vertex of level l has h digits d1 to dh, d1 the fastest: the first l number parents
(d_i < w_i), the others children (d_i < m_i). Vertices of level l - 1 and l are linked by p_l cables if all digits but
d_l are equal. So a vertex of level l has m_l children, and a vertex of level l - 1 has w_l parents.
Sources: Ohring, Ibel, Das and Kumar, "On generalized fat trees", 1995; the manual of SimGrid, FAT_TREE.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import gcd, prod
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.network.layout import Layout
from core.network.layouts.force_directed import rows
from core.network.network import Cut, Ints, Level, Network, NetworkSpec, TasksPerNode, check_size, vertex_transitive
from core.network.nics import Nics, nodes_text, with_nics
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError, declare
from core.text import counted, plural

MAX_LEVELS = 16
MAX_NODES = 1 << 20

Count = Annotated[int, declare("", "", ge=1, le=1024)]
Counts = tuple[Count, ...]
Each = Annotated[float, declare("", "", ge=1e-6, le=1e6)]
"""One bandwidth for all levels, or one per level."""


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

    @property
    def tapers(self) -> tuple[float, ...]:
        """Return, for all levels of switches except the highest, the cables down per cable up."""
        steps = zip(self.down, self.parallel, self.up[1:], self.parallel[1:], strict=False)
        return tuple(down * below / (up * above) for down, below, up, above in steps)

    def parents(self, level: int) -> tuple[Ints, Ints]:
        """Return the ends of all cables between a level and the next, lower ends first, port by port."""
        up, parallel = self.up[level], self.parallel[level]
        below = np.repeat(np.arange(self.sizes[level]), up * parallel)
        port = np.tile(np.arange(up * parallel), self.sizes[level])
        roots = self.roots[level]
        subtree = below // roots // self.down[level]
        above = below % roots + (port % up + subtree * up) * roots
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


class TreeFamily(NetworkSpec, frozen=True):
    """Families of such trees."""

    @property
    @abstractmethod
    def tree(self) -> Tree:
        """Return the shape."""


class Xgft(TreeFamily, frozen=True, tag="xgft"):
    """An extended generalised fat tree, XGFT(h; m; w), with any tapering and parallel cables."""

    title: ClassVar[str] = "Tapered fat tree (XGFT)"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "Leaf-spine 2:1, 36 ports, 864 nodes": {"down": (24, 36), "up": (1, 12), "parallel": (1,)},
        "Three levels, 64 ports, 65,536 nodes": {"down": (32, 32, 64), "up": (1, 32, 32), "parallel": (1,)},
        "Dual-homed, 1,024 nodes": {"down": (32, 32), "up": (2, 16), "parallel": (1, 2)},
        "Frontera": {"down": (44, 182), "up": (1, 6), "parallel": (1, 3), "gbs": (12.5, 25.0)},
        "Like Summit": {"down": (18, 256), "up": (2, 18), "parallel": (1,), "gbs": (12.5,)},
        "Like Sierra": {"down": (18, 240), "up": (2, 9), "parallel": (1,), "gbs": (12.5,)},
    }
    preset_notes: ClassVar[dict[str, str]] = {
        "Dual-homed, 1,024 nodes": "each node has two ports, as on a DPU, connected to two leaf switches",
        "Frontera": "8,008 nodes, 182 leaf switches and 6 core switches (TACC user guide)",
        "Like Summit": "4,608 nodes, not tapered (ornl.gov; eetimes, CORAL interconnects); core wiring assumed",
        "Like Sierra": "4,320 nodes, 2:1 taper (eetimes, CORAL interconnects); number of nodes and core wiring assumed",
    }

    down: Annotated[
        Counts,
        declare("Down", "children of each switch, per level from the lowest (m)", min_length=1, max_length=MAX_LEVELS),
    ] = (8, 8)
    up: Annotated[
        Counts,
        declare(
            "Up", "parents of each node or switch, per level from the nodes (w)", min_length=1, max_length=MAX_LEVELS
        ),
    ] = (1, 4)
    parallel: (
        Annotated[
            Counts,
            declare(
                "Parallel cables",
                "cables to each parent (p; one value, or one per level)",
                min_length=1,
                max_length=MAX_LEVELS,
            ),
        ]
        | Count
    ) = (1,)
    gbs: (
        Annotated[
            tuple[Each, ...],
            declare(
                "Bandwidth",
                "bandwidth of a cable, per direction (one value, or one per level)",
                unit="GB/s",
                min_length=1,
                max_length=MAX_LEVELS,
            ),
        ]
        | Each
    ) = (12.5,)
    slots_per_node: TasksPerNode = 1
    nics: Nics = 1

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return prod(self.down)

    @property
    def tree(self) -> Tree:
        """Return the shape.

        Raises SpecError: if fields disagree on the number of levels.
        """
        if len(self.up) != len(self.down):
            counts = f"{plural(len(self.up), 'value')} for {plural(len(self.down), 'level')}"
            raise SpecError("network.up", f"has {counts}; give one per level")
        return Tree(self.down, self.up, _per_level("parallel", self.parallel, len(self.down)))

    def summary(self) -> str:
        """Return the numbers of nodes, switches and cables, and where it tapers."""
        tree, gbs = self.tree, _per_level("gbs", self.gbs, len(self.down))
        tapers = [taper * low / high for taper, low, high in zip(tree.tapers, gbs, gbs[1:], strict=False)]
        switches = " + ".join(counted(size) for size in tree.sizes[1:])
        tapering = ", ".join(f"{taper:.3g}:1 at L{level}" for level, taper in enumerate(tapers, start=1) if taper > 1)
        nodes = nodes_text(tree.nodes, tree.nodes // self.nics)
        words = f"{nodes}, {switches} switches, {counted(sum(tree.cables))} cables"
        return f"{words}, {tapering}" if tapering else words

    def sized(self, nodes: int) -> Self:
        """Return the tree with the number of largest subtrees that brings it closest to `nodes` nodes."""
        *inner, _ = self.down
        top = min(max(round(nodes / prod(inner)), 1 if prod(inner) > 1 else 2), 1024)
        return msgspec.structs.replace(self, down=(*inner, top), nics=gcd(self.nics, prod(inner) * top))

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are host and, between levels of switches, L1-L2, L2-L3 ...

        Raises SpecError: if fields disagree on the number of levels, `nics` does not divide the nodes, or beyond the
        limit on links.
        """
        shape, gbs = self.tree, _per_level("gbs", self.gbs, len(self.down))
        size = "network.down", f"{' × '.join(map(str, self.down))} nodes"
        network = build_tree(
            self, shape, gbs, self.slots_per_node, lambda network: rows(network, list(shape.sizes), self.down[0]), size
        )
        return with_nics(network, self.nics, self.nodes, "the network")


def _per_level(name: str, given: Any, levels: int) -> tuple[Any, ...]:
    values = given if isinstance(given, tuple) else (given,)
    if len(values) not in (1, levels):
        counts = f"{plural(len(values), 'value')} for {plural(levels, 'level')}"
        raise SpecError(f"network.{name}", f"has {counts}; give one for all, or one per level")
    return values if len(values) == levels else values * levels


def build_tree(
    spec: NetworkSpec,
    tree: Tree,
    gbs: tuple[float, ...],
    slots: int,
    lay_out: Callable[[Network], Layout],
    size: tuple[str, str],
) -> Network:
    """Return a built tree; `gbs` are the bandwidths of its levels' cables, from the lowest.

    `size` is the field to change and the size that it gives, for the error.

    Raises SpecError: beyond the limit on links.
    """
    check_size(*size, 2 * sum(tree.cables))
    return network_from_edges(
        spec,
        tree.nodes,
        [EdgeList(boundary(level), gbs[level], *tree.parents(level)) for level in range(tree.height)],
        lay_out,
        slots=slots,
        switches=sum(tree.sizes[1:]),
        switch_group=tree.switch_groups(),
        levels=tree.levels(),
        cuts=tree.cuts(),
        label=tree.label,
        symmetry=vertex_transitive(tree.nodes),
    )
