"""Extended generalised fat trees as a family: see `core.network.tree_shape`."""

from abc import abstractmethod
from collections.abc import Callable
from math import gcd, prod
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec

from core.network.layout import Layout
from core.network.layouts.force_directed import rows
from core.network.network import Network, NetworkSpec, TasksPerNode, check_size, vertex_transitive
from core.network.nics import Nics, nodes_text, with_nics
from core.network.tree_embedding import whole_tree
from core.network.tree_shape import Tree, boundary
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError, declare
from core.text import counted, plural

MAX_LEVELS = 16
MAX_NODES = 1 << 20

Count = Annotated[int, declare("", "", ge=1, le=1024)]
Counts = tuple[Count, ...]
Each = Annotated[float, declare("", "", ge=1e-6, le=1e6)]
"""One bandwidth for all levels, or one per level."""


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
        find_tree=lambda network: whole_tree(network, tree),
    )
