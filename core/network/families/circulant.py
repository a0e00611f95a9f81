"""Circulant networks C(n; c1 .. ck): node i is linked to i + c and i - c for every jump c.

With the jumps 1, 2, 4 .. n/2 it is G(n, log2 n). Source: Ke Cui, "Efficient collective communication in interconnection
networks with shortcut network topologies" (thesis, SOKENDAI, 2024), chapter 3.
"""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.network.layouts.ring import ring
from core.network.network import Gbs, Network, NetworkSpec, TasksPerNode, vertex_transitive
from core.network.wiring import EdgeList, by_jump, network_from_edges
from core.spec import SpecError, declare

Jump = Annotated[int, declare("", "", ge=1, le=1 << 20)]


class Circulant(NetworkSpec, frozen=True, tag="circulant"):
    """A ring whose nodes are linked to the nodes at given distances ahead and behind."""

    title: ClassVar[str] = "Circulant"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        f"G({n:,}, log2 n)": {"nodes": n, "jumps": tuple(1 << k for k in range(n.bit_length() - 1))}
        for n in (64, 256, 1024, 4096)
    }

    nodes: Annotated[int, declare("Nodes", "number of nodes on the ring", ge=2, le=1 << 20)] = 64
    jumps: Annotated[
        tuple[Jump, ...], declare("Jumps", "distances along the ring between linked nodes", min_length=1, max_length=64)
    ] = (1, 2, 4, 8, 16, 32)
    gbs: Gbs = 12.5
    slots_per_node: TasksPerNode = 1

    def summary(self) -> str:
        """Return the number of nodes and their degree."""
        degree = sum(1 if 2 * jump == self.nodes else 2 for jump in set(self.jumps))
        return f"{self.nodes:,} nodes of degree {degree}"

    def sized(self, nodes: int) -> Self:
        """Return the circulant with `nodes` nodes; powers of two are kept complete, other jumps if they fit."""
        nodes = min(max(nodes, 2), 1 << 20)
        if nodes == self.nodes:
            return self
        complete = tuple(sorted(self.jumps)) == _powers(self.nodes)
        jumps = _powers(nodes) if complete else tuple(jump for jump in self.jumps if 2 * jump <= nodes) or (1,)
        return msgspec.structs.replace(self, nodes=nodes, jumps=jumps)

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the circulant with `nodes` nodes whose jumps grow geometrically, as powers of two do."""
        nodes = min(max(nodes, degree + 1, 2), 1 << 20)
        # A jump halfway around is one link per node; others are two.
        half, count = degree % 2, degree // 2
        nodes += nodes % 2 if half else 0
        if not 1 <= count + half <= 64 or degree > 127:
            return ()
        jumps = _growing(count, (nodes - 1) // 2) + ((nodes // 2,) if half else ())
        return (msgspec.structs.replace(self, nodes=nodes, jumps=jumps),)

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are named after the jumps, C1, C2, C4 ...

        Raises SpecError: for a jump beyond half the ring, or given twice.
        """
        for jump in self.jumps:
            if 2 * jump > self.nodes:
                raise SpecError(
                    "network.jumps", f"has {jump:,}; must be at most {self.nodes // 2:,} for {self.nodes:,} nodes"
                )
        if len(set(self.jumps)) < len(self.jumps):
            raise SpecError("network.jumps", "has a jump twice; give each once")
        node = np.arange(self.nodes, dtype=np.int32)
        edges = []
        for jump in sorted(self.jumps):
            start = node[: self.nodes // 2] if 2 * jump == self.nodes else node
            edges.append(EdgeList(f"C{jump}", self.gbs, start, (start + np.int32(jump)) % np.int32(self.nodes)))
        symmetry = vertex_transitive(self.nodes)
        return network_from_edges(
            self, self.nodes, edges, ring, slots=self.slots_per_node, symmetry=symmetry, find_alike=by_jump
        )


def _growing(count: int, most: int) -> tuple[int, ...]:
    # `count` distinct jumps, ascending, the last at most `most`.
    jumps, factor = [1][:count], (most + 1) ** (1 / max(count, 1))
    for place in range(1, count):
        # Leaves room for the jumps that follow.
        jumps.append(min(max(round(factor**place), jumps[-1] + 1), most - (count - 1 - place)))
    return tuple(jumps)


def _powers(nodes: int) -> tuple[int, ...]:
    # The powers of two up to half the ring.
    return tuple(1 << k for k in range((nodes // 2).bit_length()))
