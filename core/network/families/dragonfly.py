"""Dragonflies: groups of fully connected routers, and global links between all groups.

Sources: Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", 2008; for the arrangements
of global links see `global_wiring.py`.
"""

from math import gcd
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
import numpy as np

from core.network.families.global_wiring import MAX_GROUPS, MAX_SIZE, Arrangement, GlobalWiring, LinksPerPair
from core.network.layouts.groups import groups_on_a_circle
from core.network.linked_groups import LinkedGroups
from core.network.network import Gbs, Ints, Level, LinksPerNode, Network, NetworkSpec, TasksPerNode, check_size
from core.network.nics import Nics, nodes_text, with_nics
from core.network.sizes import off_by
from core.network.wiring import EdgeList, network_from_edges
from core.spec import declare

Values = dict[str, Any]


SLINGSHOT = "32 Slingshot switches per group, 200 Gb/s per link."
ASSUMED = "The switches of global links are assumed, and so is a common switch of all NICs of a host"


def _values(routers: int, ports: int, groups: int, nodes: int, nics: int = 1, links: int = 0) -> Values:
    # Machines have several links between two groups.
    bandwidths = dict.fromkeys(("local_gbs", "global_gbs", "host_gbs"), 25.0 if links else 12.5)
    sizes = {"routers": routers, "global_links": ports, "groups": groups, "nodes_per_router": nodes}
    return {**sizes, "links_per_pair": links, **bandwidths, "nics": nics}


class Dragonfly(NetworkSpec, frozen=True, tag="dragonfly"):
    """Groups of fully connected routers, with global links between every two groups."""

    title: ClassVar[str] = "Dragonfly"
    groups_joined: ClassVar[bool] = True
    presets: ClassVar[dict[str, Values]] = {
        "36 routers as nodes": _values(4, 2, 9, 1),
        "1,040 routers as nodes": _values(16, 4, 65, 1),
        "Balanced, 72 nodes": _values(4, 2, 9, 2),
        "Balanced, 1,056 nodes": _values(8, 4, 33, 4),
        "Frontier": _values(32, 10, 74, 16, nics=4, links=4),
        "Aurora": _values(32, 11, 166, 16, nics=8, links=2),
        "LUMI-G": _values(32, 15, 24, 16, nics=4, links=20),
    }
    preset_notes: ClassVar[dict[str, str]] = {
        "Frontier": f"{SLINGSHOT} 9,472 hosts with 4 NICs fill the 74 groups; the machine has 9,408 (public notes on "
        f"HPC systems), so 64 of these are extra. {ASSUMED}",
        "Aurora": f"{SLINGSHOT} 10,624 hosts with 8 NICs (arXiv 2512.04291); the 8 storage groups and the "
        f"service group are omitted. {ASSUMED}",
        "LUMI-G": f"{SLINGSHOT} 3,072 hosts with 4 NICs fill the 24 groups; the machine has 2,978 (LUMI user guide), "
        "so 94 of these are extra. The 20 links between two groups are derived from 276 TB/s of total global bandwidth "
        f"(LUMI user guide, Network). {ASSUMED}",
    }

    routers: Annotated[
        int, declare("Routers per group", "routers per group, fully connected (a)", ge=1, le=MAX_SIZE)
    ] = 4
    global_links: Annotated[
        int, declare("Global links per router", "links from each router to other groups (h)", ge=1, le=MAX_SIZE)
    ] = 2
    groups: Annotated[int, declare("Groups", "number of groups (g), at most a × h + 1", ge=2, le=MAX_GROUPS)] = 9
    nodes_per_router: Annotated[
        int, declare("Nodes per router", "nodes per router (p), where 1 makes the routers the nodes", ge=1, le=256)
    ] = 1
    arrangement: Arrangement = "relative"
    links_per_pair: LinksPerPair = 0
    local_gbs: Annotated[
        Gbs, declare("Local links", "bandwidth of a link within a group, per direction", unit="GB/s")
    ] = 12.5
    global_gbs: Annotated[
        Gbs, declare("Global links", "bandwidth of a link between groups, per direction", unit="GB/s")
    ] = 12.5
    host_gbs: Annotated[
        Gbs, declare("Node links", "bandwidth of a link between a node and its router, per direction", unit="GB/s")
    ] = 12.5
    slots_per_node: TasksPerNode = 1
    nics: Nics = 1
    links_per_node: LinksPerNode = 1

    @property
    def nodes(self) -> int:
        """Return the number of nodes."""
        return self.groups * self.routers * self.nodes_per_router

    @property
    def hosted(self) -> bool:
        """Return whether nodes are linked to routers; else the routers are the nodes."""
        return self.nodes_per_router > 1

    @property
    def wiring(self) -> GlobalWiring:
        """Return the links between groups."""
        return GlobalWiring(self.groups, self.routers, self.global_links, self.arrangement, self.links_per_pair)

    def summary(self) -> str:
        """Return the numbers of nodes, of routers if they differ from the nodes, and of links between two groups."""
        routers = self.groups * self.routers
        nodes = nodes_text(self.nodes, self.nodes // self.nics)
        return (
            f"{nodes}{f', {routers:,} routers' if self.hosted else ''}, {self.wiring.between} between every two groups"
        )

    def sized(self, nodes: int) -> Self:
        """Return the dragonfly with the number of groups that brings it closest to `nodes` nodes.

        If there are not enough ports, groups have twice as many routers as global links.
        """
        each, share = self.routers * self.nodes_per_router, max(self.links_per_pair, 1)
        routers, ports, halves = self.routers, self.global_links, range(1, MAX_SIZE // 2 + 1)
        if nodes < 2 * each:
            routers = max(round(nodes / 2 / self.nodes_per_router), 1)
        elif nodes > each * (routers * ports // share + 1):
            # The smallest balanced dragonfly that is large enough.
            fitting = (h for h in halves if 2 * h * self.nodes_per_router * (2 * h * h // share + 1) >= nodes)
            ports = next(fitting, halves[-1])
            routers = 2 * ports
        most = min(routers * ports // share + 1, MAX_GROUPS)
        groups = min(max(round(nodes / (routers * self.nodes_per_router)), 2), max(most, 2))
        return msgspec.structs.replace(
            self,
            routers=routers,
            global_links=ports,
            groups=groups,
            links_per_pair=min(self.links_per_pair, routers * ports // (groups - 1)),
            nics=gcd(self.nics, routers * self.nodes_per_router),
        )

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return dragonflies whose routers have `degree` links and the same number of nodes, closest in size first.

        Among similar sizes, dragonflies with about twice as many routers per group as global links per router come
        first.
        """
        ranked, degree = [], degree - self.nodes_per_router * self.links_per_node * self.hosted
        for ports in range(1, min(degree + 1, MAX_SIZE) + 1):
            routers = degree - ports + 1
            most = min(routers * ports // max(self.links_per_pair, 1) + 1, MAX_GROUPS)
            if 1 <= routers <= MAX_SIZE and most >= 2:
                groups = min(max(round(nodes / (routers * self.nodes_per_router)), 2), most)
                nics = gcd(self.nics, routers * self.nodes_per_router)
                spec = msgspec.structs.replace(self, routers=routers, global_links=ports, groups=groups, nics=nics)
                ranked.append((round(off_by(spec.nodes, nodes), 1), abs(routers - 2 * ports), ports, spec))
        return tuple(spec for *_, spec in sorted(ranked, key=lambda entry: entry[:3])[:4])

    def linked_groups(self) -> LinkedGroups | None:
        """Return the groups if equally many links join every two of them; a place is a router."""
        gates = self.wiring.gates
        if gates is None:
            return None
        return LinkedGroups(
            groups=self.groups,
            places=self.routers,
            room=self.nodes_per_router * self.slots_per_node,
            gates=gates,
            drawer=self.routers,
            near_gbs=self.local_gbs,
            far_gbs=self.local_gbs,
            between_gbs=self.global_gbs,
        )

    def port_counts(self, network: Network) -> Ints:
        """Return the number of ports; free ones are for links to further groups."""
        each = self.routers - 1 + self.global_links + self.nodes_per_router * self.links_per_node * self.hosted
        ports = np.full(network.vertices, each, np.int32)
        if self.hosted:
            ports[: network.nodes] = 0
        return ports

    def build(self, folder: Path | None = None) -> Network:
        """Return the network; its link classes are local, global and, with more than one node per router, host.

        Raises SpecError: if the routers do not have enough ports, `nics` does not divide the nodes of a group, or
        beyond the limit on links.
        """
        wiring, each = self.wiring, self.routers * self.nodes_per_router
        wiring.check()
        routers = self.groups * self.routers
        links = routers * (self.routers - 1) + wiring.links + 2 * self.nodes * self.links_per_node * self.hosted
        check_size("network.groups", f"{self.groups:,} groups of {self.routers:,} routers", links)
        network = network_from_edges(
            self,
            self.nodes,
            _edges(self, wiring.ends),
            lambda network: groups_on_a_circle(self.groups, self.routers, self.nodes_per_router),
            slots=self.slots_per_node,
            switches=routers if self.hosted else 0,
            switch_group=np.repeat(np.arange(self.groups, dtype=np.int32), self.routers) if self.hosted else None,
            levels=_levels(self),
            cuts=wiring.cuts(each),
            label=lambda vertex: _label(self, vertex),
            warnings=wiring.warnings,
            symmetry=wiring.symmetry(each),
        )
        return with_nics(network, self.nics, each, "a group")


def _edges(spec: Dragonfly, between: tuple[Ints, Ints]) -> list[EdgeList]:
    first = np.int32(spec.nodes if spec.hosted else 0)
    u, v = (end.astype(np.int32) for end in np.triu_indices(spec.routers, 1))
    start = first + np.int32(spec.routers) * np.arange(spec.groups, dtype=np.int32)[:, None]
    edges = [
        EdgeList("local", spec.local_gbs, (start + u).ravel(), (start + v).ravel()),
        EdgeList("global", spec.global_gbs, first + between[0], first + between[1]),
    ]
    if spec.hosted:
        node = np.arange(spec.nodes, dtype=np.int32)
        router = first + node // np.int32(spec.nodes_per_router)
        edges.append(
            EdgeList(
                "host", spec.host_gbs, np.repeat(node, spec.links_per_node), np.repeat(router, spec.links_per_node)
            )
        )
    return edges


def _levels(spec: Dragonfly) -> tuple[Level, ...]:
    node = np.arange(spec.nodes, dtype=np.int32)
    each = spec.routers * spec.nodes_per_router
    levels = [Level("group", node // np.int32(each), spec.groups)]
    if spec.hosted and spec.routers > 1:
        levels.append(Level("router", node // np.int32(spec.nodes_per_router), spec.groups * spec.routers))
    return tuple(levels)


def _label(spec: Dragonfly, vertex: int) -> str:
    router, place = divmod(vertex, spec.nodes_per_router)
    if vertex >= spec.nodes:
        router = vertex - spec.nodes
    group, in_group = divmod(router, spec.routers)
    name = f"g{group} · r{in_group}"
    return name if vertex >= spec.nodes or spec.nodes_per_router == 1 else f"{name} · n{place}"
