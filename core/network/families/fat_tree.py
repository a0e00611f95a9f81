"""Fat trees: k-ary n-trees, k^n nodes beneath n levels of k^(n-1) switches each.

A switch has k links down and, except on the top level, k up. Levels are counted from L1, to which the nodes are linked.
Switches of levels l and l + 1 are linked if their numbers, written with n - 1 digits to the base k, differ at most in
digit l (counted from the last, which is digit 1). So above the lowest level digit 1 never changes: there the tree
consists of k planes, of which a path uses one. Among the trees of `core.network.tree_shape` it has k for all m, and
1, k, k ... for w.
Source: Petrini and Vanneschi, "k-ary n-trees", 1997.
"""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec

from core.network.families.xgft import TreeFamily, build_tree
from core.network.layouts.tree import tree
from core.network.network import Gbs, LinksPerNode, Network, TasksPerNode
from core.network.sizes import off_by
from core.network.tree_shape import Tree
from core.spec import declare
from core.text import counted, plural

MAX_NODES = 1 << 20


class FatTree(TreeFamily, frozen=True, tag="fat-tree"):
    """A k-ary n-tree, a fat tree with full bisection bandwidth: switches have as many links up as down."""

    title: ClassVar[str] = "Fat tree"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        f"{k}-ary {n}-tree, {k**n:,} nodes": {"arity": k, "levels": n}
        for k, n in ((4, 2), (4, 3), (10, 3), (32, 2), (4, 5), (16, 3))
    }

    arity: Annotated[
        int, declare("Arity", "links up and links down of each switch, half of its ports (k)", ge=2, le=1024)
    ] = 4
    levels: Annotated[int, declare("Levels", "levels of switches (n)", ge=1, le=16)] = 3
    gbs: Annotated[Gbs, declare("Switch links", "bandwidth of a link between switches, per direction", unit="GB/s")] = (
        12.5
    )
    host_gbs: Annotated[
        Gbs, declare("Node links", "bandwidth of a link between a node and its switch, per direction", unit="GB/s")
    ] = 12.5
    slots_per_node: TasksPerNode = 1
    links_per_node: LinksPerNode = 1

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
        return f"{counted(self.nodes)} nodes, {switches} with {2 * self.arity} ports, {links} links"

    def sized(self, nodes: int) -> Self:
        """Return the tree with the same levels and the arity that brings it closest to `nodes` nodes."""
        most = max(int(MAX_NODES ** (1 / self.levels)), 2)
        arity = min(range(2, min(most, 1024) + 1), key=lambda k: abs(k**self.levels - nodes))
        return msgspec.structs.replace(self, arity=arity)

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the trees whose switches have half of `degree` up and half down, closest in size first."""
        arity = degree // 2
        if degree % 2 or not 2 <= arity <= 1024:
            return ()
        levels = [n for n in range(2, 17) if arity**n <= MAX_NODES]
        levels.sort(key=lambda n: off_by(arity**n, nodes))
        return tuple(msgspec.structs.replace(self, arity=arity, levels=n) for n in levels[:2])

    @property
    def tree(self) -> Tree:
        """Return the shape: as many parents as children above the lowest level."""
        above = (self.arity,) * (self.levels - 1)
        return Tree((self.arity, *above), (1, *above), (self.links_per_node, *(1 for _ in above)))

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are host and, between levels of switches, L1-L2, L2-L3 ...

        Raises SpecError: beyond the limit on links.
        """
        what = f"{self.arity} to the power of {self.levels} nodes"
        gbs = (self.host_gbs, *[self.gbs] * (self.levels - 1))
        return build_tree(
            self,
            self.tree,
            gbs,
            self.slots_per_node,
            lambda network: tree(self.arity, self.levels, network.classes),
            ("network.arity", what),
        )


def links_of(spec: FatTree) -> int:
    """Return the number of cables."""
    return int(spec.levels - 1 + spec.links_per_node) * spec.nodes
