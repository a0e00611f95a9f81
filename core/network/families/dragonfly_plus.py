"""Dragonfly+ (Megafly): groups of two rows of switches, and global links between all groups.

In each group every leaf switch is linked to every spine switch. Nodes are on leaves, global links on spines, arranged
as in dragonflies: see `global_wiring.py`. Sources: Shpiner et al., "Dragonfly+: low cost topology for scaling
datacenters", 2017; Flajslik, Borch and Parker, "Megafly: a topology for exascale systems", 2018.
"""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.network.families.global_wiring import MAX_GROUPS, MAX_SIZE, Arrangement, GlobalWiring, LinksPerPair
from core.network.layouts.groups import leaves_and_spines_on_a_circle
from core.network.network import Gbs, Ints, Level, Network, NetworkSpec, TasksPerNode, check_size
from core.network.wiring import EdgeList, network_from_edges
from core.spec import declare


class DragonflyPlus(NetworkSpec, frozen=True, tag="dragonfly-plus"):
    """Groups of leaf and spine switches, with global links between the spines of every two groups."""

    title: ClassVar[str] = "Dragonfly+ (Megafly)"
    groups_joined: ClassVar[bool] = True
    presets: ClassVar[dict[str, dict[str, Any]]] = {
        "12 nodes": {"leaves": 2, "spines": 2, "global_links": 1, "groups": 3, "nodes_per_leaf": 2},
        "72 nodes": {"leaves": 4, "spines": 4, "global_links": 2, "groups": 9, "nodes_per_leaf": 2},
        "1,040 nodes": {"leaves": 8, "spines": 8, "global_links": 8, "groups": 65, "nodes_per_leaf": 2},
        "Like Leonardo": {
            "leaves": 18,
            "spines": 18,
            "global_links": 22,
            "groups": 23,
            "nodes_per_leaf": 10,
            "links_per_pair": 18,
            "local_gbs": 25.0,
            "global_gbs": 25.0,
            "host_gbs": 50.0,
        },
    }
    preset_notes: ClassVar[dict[str, str]] = {
        "Like Leonardo": "4,140 nodes in 23 cells of 18 leaves, 18 spines and 180 nodes (public HPC notes); the number "
        "of cells and one link per spine to each cell are assumed. The machine has 3,456 + 1,536 nodes in unequal "
        "cells (cineca.eu)"
    }

    leaves: Annotated[
        int, declare("Leaves per group", "leaf switches per group, which hold the nodes (l)", ge=1, le=MAX_SIZE)
    ] = 4
    spines: Annotated[
        int, declare("Spines per group", "spine switches per group, which hold the global links (s)", ge=1, le=MAX_SIZE)
    ] = 4
    global_links: Annotated[
        int, declare("Global links per spine", "links from each spine to other groups (h)", ge=1, le=MAX_SIZE)
    ] = 2
    groups: Annotated[int, declare("Groups", "number of groups (g), at most s × h + 1", ge=2, le=MAX_GROUPS)] = 9
    nodes_per_leaf: Annotated[
        int, declare("Nodes per leaf", "nodes per leaf (p), where 1 makes the leaves the nodes", ge=1, le=256)
    ] = 2
    arrangement: Arrangement = "relative"
    links_per_pair: LinksPerPair = 0
    local_gbs: Annotated[
        Gbs, declare("Local links", "bandwidth of a link within a group, per direction", unit="GB/s")
    ] = 12.5
    global_gbs: Annotated[
        Gbs, declare("Global links", "bandwidth of a link between groups, per direction", unit="GB/s")
    ] = 12.5
    host_gbs: Annotated[
        Gbs, declare("Node links", "bandwidth of a link between a node and its leaf, per direction", unit="GB/s")
    ] = 12.5
    slots_per_node: TasksPerNode = 1

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return self.groups * self.leaves * self.nodes_per_leaf

    @property
    def hosted(self) -> bool:
        """Return whether nodes are linked to leaves; else the leaves are the nodes."""
        return self.nodes_per_leaf > 1

    @property
    def wiring(self) -> GlobalWiring:
        """Return the links between groups."""
        fields = self.groups, self.spines, self.global_links, self.arrangement, self.links_per_pair
        return GlobalWiring(*fields, called="spines")

    def summary(self) -> str:
        """Return the numbers of nodes, of switches, and of links between two groups."""
        count = self.groups * (self.leaves * self.hosted + self.spines)
        return f"{self.nodes:,} nodes, {count:,} switches, {self.wiring.between} between every two groups"

    def sized(self, nodes: int) -> Self:
        """Return the network with the number of groups that brings it closest to `nodes` nodes.

        If spines do not have enough ports, groups have as many leaves and spines as spines have ports.
        """
        share, spec = max(self.links_per_pair, 1), self
        if nodes > self.leaves * self.nodes_per_leaf * (self.spines * self.global_links // share + 1):
            fitting = (h for h in range(1, MAX_SIZE) if h * self.nodes_per_leaf * (h * h // share + 1) >= nodes)
            ports = next(fitting, MAX_SIZE)
            spec = msgspec.structs.replace(self, leaves=ports, spines=ports, global_links=ports)
        most = min(spec.spines * spec.global_links // share + 1, MAX_GROUPS)
        groups = min(max(round(nodes / (spec.leaves * spec.nodes_per_leaf)), 2), max(most, 2))
        return msgspec.structs.replace(spec, groups=groups)

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are local, global and, with several nodes at a leaf, host.

        Raises SpecError: if the spines do not have enough ports, or beyond the limit on links.
        """
        wiring, each = self.wiring, self.leaves * self.nodes_per_leaf
        wiring.check()
        links = 2 * self.groups * self.leaves * self.spines + wiring.links + 2 * self.nodes * self.hosted
        check_size("network.groups", f"{self.groups:,} groups of {self.leaves:,} leaves", links)
        switches = self.spines + self.leaves * self.hosted
        return network_from_edges(
            self,
            self.nodes,
            _edges(self, *wiring.ends),
            lambda _: leaves_and_spines_on_a_circle(self.groups, self.leaves, self.spines, self.nodes_per_leaf),
            slots=self.slots_per_node,
            switches=self.groups * switches,
            switch_group=np.repeat(np.arange(self.groups, dtype=np.int32), switches),
            levels=_levels(self),
            cuts=wiring.cuts(each),
            label=lambda vertex: _label(self, vertex),
            warnings=wiring.warnings,
            symmetry=wiring.symmetry(each),
        )


def _leaf(spec: DragonflyPlus, group: Ints, leaf: Ints) -> Ints:
    if not spec.hosted:
        return (group * spec.leaves + leaf).astype(np.int32)
    return (spec.nodes + group * (spec.leaves + spec.spines) + leaf).astype(np.int32)


def _spine(spec: DragonflyPlus, group: Ints, spine: Ints) -> Ints:
    leaves = spec.leaves if spec.hosted else 0
    return (spec.nodes + group * (leaves + spec.spines) + leaves + spine).astype(np.int32)


def _edges(spec: DragonflyPlus, u: Ints, v: Ints) -> list[EdgeList]:
    group, leaf, spine = (index.ravel() for index in np.indices((spec.groups, spec.leaves, spec.spines)))
    u_spine, v_spine = (_spine(spec, end // spec.spines, end % spec.spines) for end in (u, v))
    edges = [
        EdgeList("local", spec.local_gbs, _leaf(spec, group, leaf), _spine(spec, group, spine)),
        EdgeList("global", spec.global_gbs, u_spine, v_spine),
    ]
    if spec.hosted:
        node = np.arange(spec.nodes, dtype=np.int32)
        leaf = node // np.int32(spec.nodes_per_leaf)
        edges.append(EdgeList("host", spec.host_gbs, node, _leaf(spec, leaf // spec.leaves, leaf % spec.leaves)))
    return edges


def _levels(spec: DragonflyPlus) -> tuple[Level, ...]:
    node = np.arange(spec.nodes, dtype=np.int32)
    levels = [Level("group", node // np.int32(spec.leaves * spec.nodes_per_leaf), spec.groups)]
    if spec.hosted and spec.leaves > 1:
        levels.append(Level("leaf", node // np.int32(spec.nodes_per_leaf), spec.groups * spec.leaves))
    return tuple(levels)


def _label(spec: DragonflyPlus, vertex: int) -> str:
    if vertex < spec.nodes:
        leaf, place = divmod(vertex, spec.nodes_per_leaf)
        name = f"g{leaf // spec.leaves} · leaf {leaf % spec.leaves}"
        return f"{name} · n{place}" if spec.hosted else name
    leaves = spec.leaves if spec.hosted else 0
    group, place = divmod(vertex - spec.nodes, leaves + spec.spines)
    return f"g{group} · " + (f"leaf {place}" if place < leaves else f"spine {place - leaves}")
