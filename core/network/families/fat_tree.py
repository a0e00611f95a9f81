"""Fat trees: k-ary n-trees, k^n nodes beneath n levels of k^(n-1) switches each.

A switch has k links down and, but for those of the top level, k up. Levels are counted from L1, to which the nodes are
joined. Switches of level l and l + 1 are joined where their numbers, written with n - 1 digits to the base k, agree but
for digit l (from the last, which is digit 1). So above the lowest level digit 1 stays as it is: there the tree is k
planes, of which a path takes one. Source: Petrini and Vanneschi, "k-ary n-trees", 1997.
"""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.network.layouts.tree import tree
from core.network.network import (
    Cut,
    Gbs,
    Ints,
    Level,
    Network,
    NetworkSpec,
    Nics,
    TasksPerNode,
    check_size,
    vertex_transitive,
)
from core.network.sizes import off_by
from core.network.wiring import EdgeList, network_from_edges
from core.spec import declare
from core.text import counted, plural

MAX_NODES = 1 << 20


class FatTree(NetworkSpec, frozen=True, tag="fat-tree"):
    """A fat tree (k-ary n-tree): nodes beneath switches that have as many links up as down."""

    title: ClassVar[str] = "Fat tree"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        f"{k}-ary {n}-tree: {k**n:,} nodes": {"arity": k, "levels": n}
        for k, n in ((4, 2), (4, 3), (10, 3), (32, 2), (4, 5), (16, 3))
    }

    arity: Annotated[int, declare("Arity", "links down, and links up, of a switch: half its ports", ge=2, le=1024)] = 4
    levels: Annotated[int, declare("Levels", "of switches above the nodes", ge=1, le=16)] = 3
    gbs: Annotated[Gbs, declare("Switch links", "between switches, per direction", unit="GB/s")] = 12.5
    host_gbs: Annotated[Gbs, declare("Node links", "from a node to its switch, per direction", unit="GB/s")] = 12.5
    slots_per_node: TasksPerNode = 1
    nics: Nics = 1

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return int(self.arity**self.levels)

    @property
    def columns(self) -> int:
        """Return the number of switches on each level."""
        return int(self.arity ** (self.levels - 1))

    def summary(self) -> str:
        """Return the numbers of nodes, switches and cables."""
        switches, links = plural(self.levels * self.columns, "switch"), counted(links_of(self))
        return f"{counted(self.nodes)} nodes, {switches} of {2 * self.arity} ports, {links} links"

    def sized(self, nodes: int) -> Self:
        """Return the one of as many levels whose arity comes nearest to so many nodes."""
        most = max(int(MAX_NODES ** (1 / self.levels)), 2)
        arity = min(range(2, min(most, 1024) + 1), key=lambda k: abs(k**self.levels - nodes))
        return msgspec.structs.replace(self, arity=arity)

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return those whose switches have half the degree up and down, in the order of how near their sizes come."""
        arity = degree // 2
        if degree % 2 or not 2 <= arity <= 1024:
            return ()
        levels = [n for n in range(2, 17) if arity**n <= MAX_NODES]
        levels.sort(key=lambda n: off_by(arity**n, nodes))
        return tuple(msgspec.structs.replace(self, arity=arity, levels=n) for n in levels[:2])

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are host and, between levels of switches, L1-L2, L2-L3 ...

        Raises SpecError: beyond the limit on links.
        """
        check_size("network.arity", f"{self.arity} to the power of {self.levels} nodes", 2 * links_of(self))
        return network_from_edges(
            self,
            self.nodes,
            _edges(self),
            lambda network: tree(self.arity, self.levels, network.classes),
            slots=self.slots_per_node,
            switches=self.levels * self.columns,
            switch_group=_switch_groups(self),
            levels=_levels(self),
            cuts=_cuts(self),
            label=lambda vertex: _label(self, vertex),
            symmetry=vertex_transitive(self.nodes),
        )


def links_of(spec: FatTree) -> int:
    """Return the number of cables."""
    return int(spec.levels - 1 + spec.nics) * spec.nodes


def boundary(level: int) -> str:
    """Return the class of the links between the switches of a level and of the next above; of level 0 are the nodes."""
    return f"L{level}-L{level + 1}" if level else "host"


def _edges(spec: FatTree) -> list[EdgeList]:
    k, columns = spec.arity, spec.columns
    node = np.arange(spec.nodes, dtype=np.int32)
    edges = [
        EdgeList(boundary(0), spec.host_gbs, np.repeat(node, spec.nics), np.repeat(spec.nodes + node // k, spec.nics))
    ]
    switch, digit = node // k, node % k
    for level in range(1, spec.levels):
        weight = k ** (level - 1)
        above = switch + (digit - switch // weight % k) * weight
        lower = spec.nodes + (level - 1) * columns
        edges.append(EdgeList(boundary(level), spec.gbs, lower + switch, lower + columns + above))
    return edges


def _levels(spec: FatTree) -> tuple[Level, ...]:
    node = np.arange(spec.nodes, dtype=np.int32)
    sizes = [(level, spec.arity**level) for level in range(spec.levels - 1, 0, -1)]
    return tuple(Level(_subtree(level), node // np.int32(size), spec.nodes // size) for level, size in sizes)


def _switch_groups(spec: FatTree) -> Ints:
    # Of the coarsest level; the switches at the top make one for each plane.
    column, inside = np.arange(spec.columns), max(spec.columns // spec.arity, 1)
    return np.append(np.tile(column // inside, spec.levels - 1), spec.arity + column % spec.arity).astype(np.int32)


def _subtree(level: int) -> str:
    return {1: "leaf group", 2: "pod"}.get(level, f"L{level} subtree")


def _cuts(spec: FatTree) -> tuple[Cut, ...]:
    # Every subtree has as many links up as it has nodes.
    sizes = [(level, spec.arity**level) for level in range(spec.levels - 1, 0, -1)]
    half = spec.arity // 2 * spec.columns
    halved = f"{_subtree(spec.levels - 1)}s" if spec.levels > 1 else "nodes"
    return (
        *(Cut(f"one {_subtree(level)}", size, {boundary(level): size}) for level, size in sizes),
        Cut(f"half of the {halved}", half, {boundary(spec.levels - 1): half * (spec.nics if spec.levels == 1 else 1)}),
    )


def _label(spec: FatTree, vertex: int) -> str:
    if vertex < spec.nodes:
        return str(vertex)
    level, switch = divmod(vertex - spec.nodes, spec.columns)
    return f"L{level + 1} switch {switch}"
