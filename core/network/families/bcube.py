"""BCube: nodes with a link to a switch of each level; nodes forward.

The n^(k + 1) nodes are numbered with k + 1 digits to the base n; nodes that differ in digit i only are linked to one
switch of level i (digit 0 is the last): each level has n^k switches with n ports. Source: Guo et al., "BCube: a high
performance, server-centric network architecture for modular data centers", 2009.
"""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.network.layouts.force_directed import rows
from core.network.network import (
    Cut,
    Gbs,
    Ints,
    Level,
    Network,
    NetworkSpec,
    TasksPerNode,
    check_size,
    vertex_transitive,
)
from core.network.sizes import off_by
from core.network.wiring import EdgeList, network_from_edges
from core.spec import declare
from core.text import counted, plural

MAX_NODES = 1 << 20


class BCube(NetworkSpec, frozen=True, tag="bcube"):
    """A server-centric network: every node is linked to one switch on each level and forwards traffic."""

    title: ClassVar[str] = "BCube"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        f"{n} ports, {plural(k + 1, 'level')}, {n ** (k + 1):,} nodes": {"ports": n, "levels": k}
        for n, k in ((4, 1), (8, 1), (4, 2), (8, 2), (8, 3))
    }

    ports: Annotated[
        int, declare("Ports per switch", "ports per switch, each connected to a node (n)", ge=2, le=1024)
    ] = 4
    levels: Annotated[int, declare("Upper levels", "levels of switches above the lowest (k)", ge=0, le=15)] = 1
    gbs: Annotated[
        Gbs, declare("Bandwidth", "bandwidth of a link between a node and a switch, per direction", unit="GB/s")
    ] = 12.5
    slots_per_node: TasksPerNode = 1

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return int(self.ports ** (self.levels + 1))

    @property
    def switches(self) -> int:
        """Return the number of switches on each level."""
        return int(self.ports**self.levels)

    def summary(self) -> str:
        """Return the numbers of nodes and switches, and the ports of both."""
        switches = plural((self.levels + 1) * self.switches, "switch")
        return f"{counted(self.nodes)} nodes with {plural(self.levels + 1, 'port')}, {switches} with {self.ports}"

    def sized(self, nodes: int) -> Self:
        """Return the BCube with the same levels and the number of ports that brings it closest to `nodes` nodes."""
        most = min(max(int(MAX_NODES ** (1 / (self.levels + 1))), 2), 1024)
        ports = min(range(2, most + 1), key=lambda n: off_by(n ** (self.levels + 1), nodes))
        return msgspec.structs.replace(self, ports=ports)

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return the BCube with switches of `degree` ports and the number of levels closest to `nodes` nodes."""
        if not 2 <= degree <= 1024:
            return ()
        levels = [k for k in range(min(degree, 16)) if degree ** (k + 1) <= MAX_NODES]
        k = min(levels, key=lambda k: off_by(degree ** (k + 1), nodes))
        return (msgspec.structs.replace(self, ports=degree, levels=k),)

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are L0, L1 ..., by the level of the switch.

        Raises SpecError: beyond the limit on links.
        """
        what = f"{self.ports} to the power of {self.levels + 1} nodes"
        check_size("network.ports", what, 2 * (self.levels + 1) * self.nodes)
        sizes = [self.nodes, *[self.switches] * (self.levels + 1)]
        return network_from_edges(
            self,
            self.nodes,
            [EdgeList(f"L{i}", self.gbs, *_ends(self, i)) for i in range(self.levels + 1)],
            lambda network: rows(network, sizes, self.ports, first_level=0),
            slots=self.slots_per_node,
            switches=(self.levels + 1) * self.switches,
            switch_group=_switch_groups(self) if self.levels else None,
            levels=_levels(self),
            cuts=(_half(self),),
            label=lambda vertex: _label(self, vertex),
            symmetry=vertex_transitive(self.nodes),
        )


def _ends(spec: BCube, level: int) -> tuple[Ints, Ints]:
    # A switch has the number of its nodes without their digit of the level.
    node, weight = np.arange(spec.nodes, dtype=np.int32), spec.ports**level
    switch = node // (weight * spec.ports) * weight + node % weight
    return node, (spec.nodes + level * spec.switches + switch).astype(np.int32)


def _levels(spec: BCube) -> tuple[Level, ...]:
    node, levels = np.arange(spec.nodes, dtype=np.int32), []
    for level in range(spec.levels, 0, -1):
        size = spec.ports**level
        levels.append(Level(f"BCube {level - 1}", node // np.int32(size), spec.nodes // size))
    return tuple(levels)


def _switch_groups(spec: BCube) -> Ints:
    # Switches of the highest level are above all groups, in a group of their own.
    within = np.arange(spec.switches) // (spec.switches // spec.ports)
    groups: Ints = np.append(np.tile(within, spec.levels), np.full(spec.switches, spec.ports)).astype(np.int32)
    return groups


def _half(spec: BCube) -> Cut:
    half = spec.ports // 2 * spec.switches
    name = f"half of the BCube {spec.levels - 1}s" if spec.levels else "half of the nodes"
    return Cut(name, half, {f"L{spec.levels}": half})


def _label(spec: BCube, vertex: int) -> str:
    if vertex < spec.nodes:
        return str(vertex)
    level, switch = divmod(vertex - spec.nodes, spec.switches)
    return f"L{level} switch {switch}"
