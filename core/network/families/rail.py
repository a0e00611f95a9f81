"""Clusters of GPU servers with rails: GPUs with the same number in all servers of a unit share a leaf switch.

Nodes are the GPUs, numbered server by server: server * gpus + rail. Then come the servers' switches (NVLink), the
leaves (unit * gpus + rail) and the spines. Every GPU has a link to its server's switch and one to the leaf of its unit
and rail; `parallel` cables connect every leaf to every spine. So a shortest path to a GPU on another rail uses two
leaves and a spine, or a GPU in the server of the source or the destination (PXN in NCCL). Source: NVIDIA, "DGX SuperPOD
reference architecture" (B200), its table of switches and cables.
"""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.network.layouts.racks import racks
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
from core.network.nics import SERVER, Nics, nodes_text, with_nics
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError, declare
from core.text import counted, plural

MAX_SIZE = 65536


class Rail(NetworkSpec, frozen=True, tag="rail"):
    """Rail-optimised GPU servers: an NVLink switch per server, a leaf per rail of each unit, and spines."""

    title: ClassVar[str] = "GPU cluster, rails"
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "16 GPUs": {"units": 2, "servers": 2, "gpus": 4, "spines": 2, "parallel": 1, "nics": 4},
        "One unit, 256 GPUs": {"units": 1, "servers": 32, "gpus": 8, "spines": 8, "parallel": 4, "nics": 8},
        "DGX SuperPOD": {"units": 4, "servers": 32, "gpus": 8, "spines": 16, "parallel": 2, "nics": 8},
    }
    preset_notes: ClassVar[dict[str, str]] = {
        "DGX SuperPOD": "128 hosts of 8 GPUs, each with a NIC, and 1,024 cables between 32 leaves and 16 spines "
        "(NVIDIA DGX SuperPOD reference architecture, B200)"
    }

    units: Annotated[
        int, declare("Scalable units", "scalable units, each with its own leaves (u)", ge=1, le=MAX_SIZE)
    ] = 2
    servers: Annotated[int, declare("Servers per unit", "servers per unit (n)", ge=1, le=MAX_SIZE)] = 4
    gpus: Annotated[int, declare("GPUs per server", "GPUs per server, each on its own rail (r)", ge=1, le=MAX_SIZE)] = 8
    spines: Annotated[
        int,
        declare(
            "Spines", "spine switches above all leaves (k), required for several units", zero="none", ge=0, le=MAX_SIZE
        ),
    ] = 4
    parallel: Annotated[
        int, declare("Parallel cables", "cables from each leaf to each spine (p)", ge=1, le=MAX_SIZE)
    ] = 1
    relays: Annotated[bool, declare("GPUs as relays", "whether shortest paths may pass through GPUs")] = True
    nvlink_gbs: Annotated[
        Gbs, declare("NVLink", "bandwidth between a GPU and its NVLink switch, per direction", unit="GB/s")
    ] = 450
    rail_gbs: Annotated[
        Gbs, declare("Rail links", "bandwidth between a GPU and its leaf, per direction", unit="GB/s")
    ] = 50
    spine_gbs: Annotated[
        Gbs, declare("Spine links", "bandwidth of a cable between a leaf and a spine, per direction", unit="GB/s")
    ] = 50
    slots_per_node: TasksPerNode = 1
    nics: Nics = 1

    @property
    def nodes(self) -> int:
        """Return the number of GPUs."""
        return self.units * self.servers * self.gpus

    @property
    def leaves(self) -> int:
        """Return the number of leaf switches."""
        return self.units * self.gpus

    def summary(self) -> str:
        """Return the numbers of GPUs, leaves, spines, and cables between leaves and spines."""
        leaves = f"{nodes_text(self.nodes, self.nodes // self.nics, 'GPU')}, {counted(self.leaves)} leaves"
        cables = self.leaves * self.spines * self.parallel
        return f"{leaves}, {plural(self.spines, 'spine')}, {counted(cables)} cables between them"

    def sized(self, nodes: int) -> Self:
        """Return the cluster with the number of units (without spines: of servers) closest to `nodes` GPUs."""
        if self.spines == 0:
            servers = min(max(round(nodes / self.gpus), 1 if self.gpus > 1 else 2), MAX_SIZE)
            return msgspec.structs.replace(self, units=1, servers=servers)
        each = self.servers * self.gpus
        if nodes < each:
            return msgspec.structs.replace(self, units=1, servers=max(round(nodes / self.gpus), 1))
        return msgspec.structs.replace(self, units=min(round(nodes / each), MAX_SIZE))

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are nvlink, rail and, with spines, spine.

        Raises SpecError: if several units have no spines, or rails are not connected at all; if `nics` does not divide
        the GPUs of a server; beyond the limit on links.
        """
        _check(self)
        servers = self.units * self.servers
        network = network_from_edges(
            self,
            self.nodes,
            _edges(self),
            lambda _: racks(self.units, self.servers, self.gpus, self.spines),
            slots=self.slots_per_node,
            switches=servers + self.leaves + self.spines,
            switch_group=_switch_groups(self),
            levels=_levels(self),
            cuts=_cuts(self),
            label=lambda vertex: _label(self, vertex),
            symmetry=vertex_transitive(self.nodes),
            find_alike=lambda _: _alike(self),
            closed=0 if self.relays else self.nodes,
        )
        return with_nics(network, self.nics, self.gpus, "a server")


def _check(spec: Rail) -> None:
    if spec.spines == 0 and spec.units > 1:
        raise SpecError("network.spines", f"is 0; {spec.units:,} units need spines to connect them")
    if spec.spines == 0 and not spec.relays and spec.gpus > 1 and spec.servers > 1:
        raise SpecError("network.relays", "is false; without spines, only GPUs connect the rails")
    what = f"{spec.units:,} units of {spec.servers:,} servers with {plural(spec.gpus, 'GPU')}"
    check_size("network.units", what, 4 * spec.nodes + 2 * spec.leaves * spec.spines * spec.parallel)


def _edges(spec: Rail) -> list[EdgeList]:
    gpu, servers = np.arange(spec.nodes), spec.units * spec.servers
    unit, rail = gpu // (spec.servers * spec.gpus), gpu % spec.gpus
    first_leaf = spec.nodes + servers
    leaf, spine = np.divmod(np.arange(spec.leaves * spec.spines).repeat(spec.parallel), max(spec.spines, 1))
    ends = (
        ("nvlink", spec.nvlink_gbs, gpu, spec.nodes + gpu // spec.gpus),
        ("rail", spec.rail_gbs, gpu, first_leaf + unit * spec.gpus + rail),
        ("spine", spec.spine_gbs, first_leaf + leaf, first_leaf + spec.leaves + spine),
    )
    return [EdgeList(name, gbs, u.astype(np.int32), v.astype(np.int32)) for name, gbs, u, v in ends]


def _alike(spec: Rail) -> Ints:
    # Shifts of units, servers and rails, each modulo their number; spines, and the cables to each, stay.
    cables = np.tile(np.arange(spec.spines * spec.parallel), spec.leaves)
    kind = np.concatenate([np.zeros(spec.nodes, np.int32), np.ones(spec.nodes, np.int32), 2 + cables])
    return np.stack([2 * kind, 2 * kind + 1], axis=1).ravel().astype(np.int32)


def _levels(spec: Rail) -> tuple[Level, ...]:
    gpu, servers = np.arange(spec.nodes, dtype=np.int32), spec.units * spec.servers
    each = np.int32(spec.servers * spec.gpus)
    return Level("unit", gpu // each, spec.units), Level(SERVER, gpu // np.int32(spec.gpus), servers)


def _switch_groups(spec: Rail) -> Ints:
    # Spines are above all units, in a group of their own.
    inside = [np.repeat(np.arange(spec.units), each) for each in (spec.servers, spec.gpus)]
    return np.concatenate([*inside, np.full(spec.spines, spec.units)]).astype(np.int32)


def _cuts(spec: Rail) -> tuple[Cut, ...]:
    each, cables = spec.servers * spec.gpus, spec.gpus * spec.spines * spec.parallel
    server = Cut("one server", spec.gpus, {"rail": spec.gpus})
    if spec.units == 1:
        half = spec.servers // 2 * spec.gpus
        return server, Cut("half of the servers", half, {"rail": half})
    half = spec.units // 2
    return (
        server,
        Cut("one unit", each, {"spine": cables}),
        Cut("half of the units", half * each, {"spine": half * cables}),
    )


def _label(spec: Rail, vertex: int) -> str:
    servers = spec.units * spec.servers
    leaf = vertex - spec.nodes - servers
    if leaf >= spec.leaves:
        return f"spine {leaf - spec.leaves}"
    if leaf >= 0:
        return f"u{leaf // spec.gpus} · leaf {leaf % spec.gpus}"
    server, place = divmod(vertex, spec.gpus) if vertex < spec.nodes else (vertex - spec.nodes, None)
    name = f"u{server // spec.servers} · s{server % spec.servers}"
    return f"{name} · NVSwitch" if place is None else f"{name} · g{place}"
