"""Slim flies: networks of diameter 2 with few ports per switch.

Graphs of McKay, Miller and Siran over a finite field of q elements. Switch (s, a, y), s 0 or 1, has the number ``(s q +
a) q + y``; the q switches of a column (s, a) are linked if their y differ by certain powers of a generator, roughly the
even ones for s = 0 and the odd ones for s = 1; and (0, a, y) is linked to (1, m, c) if y = m a + c. Source: Besta and
Hoefler, "Slim Fly: a cost effective low-diameter network topology", 2014.
"""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.network.families.finite_field import FiniteField, finite_field, prime_power
from core.network.layouts.groups import groups_on_a_circle
from core.network.network import Gbs, Ints, Level, Network, NetworkSpec, SymmetryClasses, TasksPerNode, check_size
from core.network.sizes import off_by
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError, declare
from core.text import counted

SIZES = tuple(q for q in range(3, 33) if prime_power(q) and q % 4 != 2)
"""The values of q for which slim flies exist and have been checked."""


class SlimFly(NetworkSpec, frozen=True, tag="slim-fly"):
    """2 q² switches with few ports, any two of which are at most two hops apart."""

    title: ClassVar[str] = "Slim Fly"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "50 switches as nodes (Hoffman and Singleton)": {"q": 5, "nodes_per_switch": 1},
        "200 nodes": {"q": 5, "nodes_per_switch": 4},
        "1,134 nodes": {"q": 9, "nodes_per_switch": 7},
        "10,830 nodes": {"q": 19, "nodes_per_switch": 15},
    }

    q: Annotated[int, declare("Field order", "order of the finite field (q), a prime power", ge=3, le=32)] = 5
    nodes_per_switch: Annotated[
        int,
        declare(
            "Nodes per switch",
            "nodes per switch, ideally half the number of its other links, where 1 makes the switches the nodes",
            ge=1,
            le=256,
        ),
    ] = 1
    local_gbs: Annotated[
        Gbs, declare("Local links", "bandwidth of a link within a column, per direction", unit="GB/s")
    ] = 12.5
    global_gbs: Annotated[
        Gbs, declare("Global links", "bandwidth of a link between columns, per direction", unit="GB/s")
    ] = 12.5
    host_gbs: Annotated[
        Gbs, declare("Node links", "bandwidth of a link between a node and its switch, per direction", unit="GB/s")
    ] = 12.5
    slots_per_node: TasksPerNode = 1

    @property
    def switches(self) -> int:
        """Return the number of switches."""
        return 2 * self.q**2

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return self.switches * self.nodes_per_switch

    @property
    def hosted(self) -> bool:
        """Return whether nodes are linked to switches; else the switches are the nodes."""
        return self.nodes_per_switch > 1

    @property
    def degree(self) -> int:
        """Return the number of switches linked to each switch."""
        return (3 * self.q - _delta(self.q)) // 2

    def summary(self) -> str:
        """Return the numbers of nodes and switches, and the ports that a switch needs."""
        ports = self.degree + self.nodes_per_switch * self.hosted
        switches = f"{self.switches:,} switches"
        if self.hosted:
            return f"{counted(self.nodes)} nodes, {switches} with {ports} ports"
        return f"{switches} of degree {ports}"

    def sized(self, nodes: int) -> Self:
        """Return the slim fly with as many nodes per switch that is closest to `nodes` nodes."""
        q = min(SIZES, key=lambda q: off_by(2 * q**2 * self.nodes_per_switch, nodes))
        return msgspec.structs.replace(self, q=q)

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return slim flies whose switches have `degree` ports, all filled by nodes, closest in size first.

        Each switch has at least one node, and at most as many nodes as links to other switches.
        """
        fields = [{"q": q, "nodes_per_switch": degree - (3 * q - _delta(q)) // 2 or 1} for q in SIZES]
        specs = [msgspec.structs.replace(self, **values) for values in fields if values["nodes_per_switch"] >= 1]
        specs = [spec for spec in specs if spec.degree + spec.nodes_per_switch * spec.hosted == degree]
        specs = [spec for spec in specs if spec.nodes_per_switch <= spec.degree]
        return tuple(sorted(specs, key=lambda spec: off_by(spec.nodes, nodes))[:2])

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are local, global and, with several nodes at a switch, host.

        Raises SpecError: if there is no slim fly for q, or beyond the limit on links.
        """
        if self.q not in SIZES:
            near = ", ".join(str(q) for q in sorted(SIZES, key=lambda q: abs(q - self.q))[:2])
            raise SpecError("network.q", f"is {self.q}; must be a prime power, such as {near}")
        links = self.switches * self.degree + 2 * self.nodes * self.hosted
        check_size("network.nodes_per_switch", f"{self.nodes:,} nodes", links)
        columns = 2 * self.q
        return network_from_edges(
            self,
            self.nodes,
            _edges(self),
            lambda _: groups_on_a_circle(columns, self.q, self.nodes_per_switch),
            slots=self.slots_per_node,
            switches=self.switches if self.hosted else 0,
            switch_group=np.repeat(np.arange(columns, dtype=np.int32), self.q) if self.hosted else None,
            levels=_levels(self),
            label=lambda vertex: _label(self, vertex),
            symmetry=_symmetry(self),
        )


def _delta(q: int) -> int:
    return {0: 0, 1: 1, 3: -1}[q % 4]


def _exponents(q: int) -> tuple[list[int], list[int]]:
    """Return the powers of the generator by which y of linked switches of a column differ, for s = 0 and 1."""
    if _delta(q) >= 0:
        odd = range(1, q - 1 if _delta(q) else q, 2)
        return list(range(0, q - 1, 2)), list(odd)
    half = (q + 1) // 2
    return [*range(0, half, 2), *range(half - 1, q - 1, 2)], [*range(1, half, 2), *range(half, q, 2)]


def _edges(spec: SlimFly) -> list[EdgeList]:
    q, field, first = spec.q, finite_field(spec.q), spec.nodes if spec.hosted else 0
    column, power = np.arange(q), _exponents(q)
    local = []
    for s in range(2):
        apart = np.isin(field.minus, field.powers[np.array(power[s]) % (q - 1)])
        y, other = np.nonzero(np.triu(apart, 1))
        start = (s * q + column[:, None]) * q
        local.append(np.stack([start + y, start + other]).reshape(2, -1))
    between = _between(field, q)
    ends = [(first + both).astype(np.int32) for both in (np.concatenate(local, axis=1), between)]
    edges = [EdgeList("local", spec.local_gbs, *ends[0]), EdgeList("global", spec.global_gbs, *ends[1])]
    if spec.hosted:
        node = np.arange(spec.nodes, dtype=np.int32)
        edges.append(EdgeList("host", spec.host_gbs, node, spec.nodes + node // np.int32(spec.nodes_per_switch)))
    return edges


def _between(field: FiniteField, q: int) -> Ints:
    a, m, c = (index.ravel() for index in np.indices((q, q, q)))
    y = field.plus[field.times[m, a], c]
    return np.stack([a * q + y, (q + m) * q + c])


def _levels(spec: SlimFly) -> tuple[Level, ...]:
    node = np.arange(spec.nodes, dtype=np.int32)
    levels = [Level("column", node // np.int32(spec.q * spec.nodes_per_switch), 2 * spec.q)]
    if spec.hosted:
        levels.append(Level("switch", node // np.int32(spec.nodes_per_switch), spec.switches))
    return tuple(levels)


def _symmetry(spec: SlimFly) -> SymmetryClasses:
    # Adding a constant to all y and c maps each column to itself, and every switch of it to every other.
    each = spec.q * spec.nodes_per_switch
    return SymmetryClasses(np.arange(0, spec.nodes, each, dtype=np.int32), np.full(2 * spec.q, each, np.int32))


def _label(spec: SlimFly, vertex: int) -> str:
    switch, place = divmod(vertex, spec.nodes_per_switch)
    if vertex >= spec.nodes:
        switch = vertex - spec.nodes
    s, rest = divmod(switch, spec.q**2)
    name = f"({s},{rest // spec.q},{rest % spec.q})"
    return name if vertex >= spec.nodes or not spec.hosted else f"{name} · n{place}"
