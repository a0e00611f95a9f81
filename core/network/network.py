"""Networks: nodes that host tasks, directed links in classes, nested levels."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import Adjacency, adjacency, components, reaches_all
from core.network.adjacency import Ints as Ints
from core.network.host_slots import HostSlots
from core.network.layout import Layout
from core.network.linked_groups import LinkedGroups
from core.network.ports import Ports
from core.spec import Spec, SpecError, declare
from core.text import counted, plural_noun

MAX_LINKS = 10_000_000
"""Directed links of a network: about 0.5 GB of arrays with loads and drawing."""

Gbs = Annotated[float, declare("Bandwidth", "bandwidth of each link, per direction", unit="GB/s", ge=1e-6, le=1e6)]
LinksPerNode = Annotated[int, declare("Links per node", "parallel links between each node and its switch", ge=1, le=64)]
TasksPerNode = Annotated[int, declare("Tasks per node", "task slots per node", ge=1, le=1024)]


@dataclass(frozen=True, slots=True)
class LinkClass:
    """Links of one kind and bandwidth; `links` is their contiguous range of link ids."""

    name: str
    gbs: float
    """Bandwidth of one link in one direction, GB/s."""
    links: slice
    multiplicity: int = 1
    """Real links represented by each stored one, in aggregated networks: see `Network.aggregation`."""

    @property
    def count(self) -> int:
        """Return the number of stored directed links."""
        return int(self.links.stop - self.links.start)

    def has(self, links: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which of some links are in the class, same shape."""
        return np.asarray((links >= self.links.start) & (links < self.links.stop))

    @property
    def real(self) -> int:
        """Return the number of directed links."""
        return self.count * self.multiplicity


@dataclass(frozen=True, eq=False)
class Level:
    """A partition of the nodes into equal groups (supernodes, drawers, planes ...), coarsest level first."""

    name: str
    group: Ints
    """(nodes,) group of each node."""
    count: int
    names: tuple[str, ...] = ()
    """Names of the groups in the network's file, such as its switches; empty if groups are numbered."""

    @cached_property
    def nodes_per_group(self) -> int:
        """Return the number of nodes in one group; all groups have the same."""
        return self.group.size // self.count

    def label(self, group: int) -> str:
        """Return the label of a group: its name in the network's file, else its number."""
        return self.names[group] if self.names else str(group)


@dataclass(frozen=True, eq=False)
class Cut:
    """A partition of the nodes into two sides: the nodes of one side, and the links of each class that leave it."""

    name: str
    nodes: int
    leaving: dict[str, int]


class Counts(NamedTuple):
    """What `core.network.metrics` counts in a network; for aggregated ones, which cannot be counted, from formulas."""

    joined: int
    """Unordered pairs of nodes with a link in any direction."""
    arcs: int
    """Ordered pairs of different nodes with a link."""
    loops: int
    """Links from a node to itself."""
    degree: int
    """Largest number of links out of a vertex, including loops and parallel ones."""
    diameter: int
    distance_sum: int
    """Length of the shortest path, summed over all ordered pairs of nodes."""


class SymmetryClasses(NamedTuple):
    """One representative node of each symmetry class, and the size of the class."""

    representative: Ints
    """(classes,)"""
    size: Ints
    """(classes,) nodes of each class."""


@dataclass(frozen=True, eq=False)
class Network:
    """A built network. Vertices are nodes first, then switches (if any); every link is directed."""

    spec: "NetworkSpec"
    nodes: int
    vertices: int
    src: Ints
    """(links,) tail vertex."""
    dst: Ints
    """(links,) head vertex."""
    classes: tuple[LinkClass, ...]
    slots_per_node: int
    lay_out: Callable[["Network"], Layout]
    """Computes the layout on demand."""
    levels: tuple[Level, ...] = ()
    cuts: tuple[Cut, ...] = ()
    warnings: tuple[str, ...] = ()
    src_ports: Ports | None = None
    """The port at the tail of every link, or None if the network does not number ports."""
    dst_ports: Ports | None = None
    """The port at the head of every link, or None."""
    port_counts: Ints | None = None
    """(vertices,) ports of each vertex for links of the network; None if the file that it was read from has none."""
    source: str = ""
    """Format of the file that it was read from: ``a DOT graph``; empty for other networks."""
    label: Callable[[int], str] = str
    """Label of a vertex."""
    devices: bool = False
    """Whether vertices are the devices of servers, and nodes GPUs; labels such as ``gpu0`` then include their kinds."""
    nics: Ints | None = None
    """NICs of each host, shape ``(hosts,)``, or None if every node is a host.

    Each NIC is a node, and the nodes of a host are consecutive.
    """
    hosts: tuple[str, ...] = ()
    """Names of the hosts; empty if unknown, see `host_names`."""
    switch_group: Ints | None = None
    """Coarsest-level group of each switch, shape ``(switches,)``, or None if no switch is in a group.

    -1 for a switch in no group; groups that consist of switches only are numbered after the others, such as the top
    switches above all groups.
    """
    cores: int = 0
    """Slots per socket of a node; 0 without sockets."""
    closed: int = 0
    """Vertices below this number begin and end paths, and do not forward; 0: all vertices with links may forward."""
    aggregation: int = 1
    """Real nodes represented by each node; more than 1 if the network has too many links to store.

    Then a link represents all links from one node to another, with the bandwidth of a single link and the mean of their
    loads; unlike real links, loops may carry load.
    """
    symmetry: SymmetryClasses | None = None
    """Symmetry classes of the nodes, or None if unknown."""
    find_alike: Callable[["Network"], Ints] | None = None
    """Computes `alike`; None if unknown."""
    find_tree: Callable[["Network"], object] | None = None
    """Computes `tree`; None for networks that are not trees."""
    find_counts: Callable[[], Counts] | None = None
    """Computes the counts of an aggregated network; None if they are counted directly."""
    plain: "Network | None" = None
    """The network without its added cables, whose links are the last; None if no cables were added."""

    @property
    def links(self) -> int:
        """Return the number of stored directed links."""
        return self.src.size

    @property
    def real_links(self) -> int:
        """Return the number of directed links of the full network."""
        return sum(c.real for c in self.classes)

    @property
    def real_nodes(self) -> int:
        """Return the number of nodes of the full network."""
        return self.nodes * self.aggregation

    @property
    def slots(self) -> int:
        """Return the number of slots."""
        return self.nodes * self.slots_per_node

    @property
    def without_cables(self) -> "Network":
        """Return the network without its added cables."""
        return self if self.plain is None else self.plain

    @cached_property
    def layout(self) -> Layout:
        """Return the layout, computed once."""
        return self.lay_out(self)

    @cached_property
    def alike(self) -> Ints | None:
        """Return the orbit of every link, shape ``(links,)``, if there are shifts that take every node to every other.

        Exactly one shift takes a given node to another, and shifts take the links of an orbit to each other: one shift
        each if there are as many links as nodes, several if there are fewer. None if there are no such shifts, or if
        unknown.
        """
        return None if self.find_alike is None else self.find_alike(self)

    @cached_property
    def tree(self) -> object:
        """Return the network as a tree, computed once: see `core.network.tree_embedding.tree_of`."""
        return None if self.find_tree is None else self.find_tree(self)

    def shifted(self, loads: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the loads of all shifts of the flows behind `loads`, routed together; needs `alike`."""
        assert self.alike is not None
        # In an orbit half as large as the number of nodes, two shifts take a link to another.
        together = np.bincount(self.alike, loads) * (self.nodes / np.maximum(np.bincount(self.alike), 1))
        return np.asarray(together[self.alike], np.float64)

    @cached_property
    def group_of(self) -> Ints:
        """Return the group of the coarsest level of every vertex, shape ``(vertices,)``, -1 for switches in none.

        Without levels every vertex is a group of its own.
        """
        if not self.levels:
            return np.arange(self.vertices, dtype=np.int32)
        group = np.full(self.vertices, -1, np.int32)
        group[: self.nodes] = self.levels[0].group
        if self.switch_group is not None:
            group[self.nodes :] = self.switch_group
        return group

    @cached_property
    def groups(self) -> int:
        """Return the number of groups in `group_of`: groups of the coarsest level, then groups of switches only."""
        return max(self.node_groups, int(self.group_of.max()) + 1)

    @property
    def node_groups(self) -> int:
        """Return the number of groups with nodes, which come first."""
        return self.levels[0].count if self.levels else self.nodes

    @property
    def group_kinds(self) -> tuple[str, ...]:
        """Return the kinds of groups: ``("pod", "plane")``, or without levels ``("node",)``."""
        first = self.levels[0].name if self.levels else "node"
        if self.groups == self.node_groups:
            return (first,)
        second = "switch" if not self.levels or (self._lone_switch >= 0).any() else "plane"
        return (first,) if first == second else (first, second)

    @cached_property
    def _lone_switch(self) -> Ints:
        # (groups,) the switch of each group that consists of a single switch, else -1.
        lone = np.full(self.groups, -1, np.int32)
        if self.levels:
            count = np.bincount(self.group_of[self.group_of >= 0], minlength=self.groups)
            switch = self.nodes + np.flatnonzero(self.group_of[self.nodes :] >= self.node_groups)
            alone = switch[count[self.group_of[switch]] == 1]
            lone[self.group_of[alone]] = alone
        return lone

    @cached_property
    def host_slots(self) -> HostSlots:
        """Return the nodes and slots of every host."""
        return HostSlots(self.nodes, self.slots_per_node, self.nics)

    @property
    def host_word(self) -> str:
        """Return the word for a host in messages: ``node`` if every node is a host."""
        return "node" if self.nics is None else "host"

    @cached_property
    def host_names(self) -> tuple[str, ...]:
        """Return the name of every host in files of other tools: ``n0000`` to ``n1023`` if there are no host names."""
        count = self.host_slots.count
        return self.hosts or tuple(f"n{host:0{len(str(count - 1))}}" for host in range(count))

    @cached_property
    def node_names(self) -> tuple[str, ...]:
        """Return the name of every node: its host's name, or its NIC's, ``n0012-nic3``, or its GPU's, ``s0-gpu3``."""
        if self.nics is None:
            return self.host_names
        if not self.devices:
            return nic_names(self.host_names, self.nics)
        servers = (self.host_names[host] for host in self.host_slots.host_of.tolist())
        return tuple(f"{name}-{self.label(gpu).rpartition('-')[2]}" for gpu, name in enumerate(servers))

    def host_named(self, name: str) -> int | None:
        """Return the host with a name, with or without its domain, or None if unknown."""
        host = self._host_of_name.get(name)
        return self._host_of_short_name.get(name.partition(".")[0]) if host is None else host

    def node_named(self, name: str) -> int | None:
        """Return the node with a name: its host's name, or ``n0012-nic3`` if the host has several NICs; or None."""
        host = self.host_named(name)
        if host is not None and self.host_slots.nics_of[host] == 1:
            return int(self.host_slots.first[host])
        return None if self.nics is None else self._node_of_name.get(name)

    def vertex_named(self, name: str) -> int | None:
        """Return the node with a name, or the vertex with a label; None if unknown."""
        node = self.node_named(name)
        return self._vertex_of_label.get(name) if node is None else node

    @cached_property
    def _vertex_of_label(self) -> dict[str, int]:
        return {self.label(vertex): vertex for vertex in reversed(range(self.vertices))}

    @cached_property
    def _node_of_name(self) -> dict[str, int]:
        return {name: node for node, name in enumerate(self.node_names)}

    @cached_property
    def _host_of_name(self) -> dict[str, int]:
        return {name: host for host, name in enumerate(self.host_names)}

    @cached_property
    def _host_of_short_name(self) -> dict[str, int]:
        # Names that differ only in their domain are ambiguous without it.
        short = [name.partition(".")[0] for name in self.host_names]
        count = Counter(short)
        return {name: host for host, name in enumerate(short) if count[name] == 1}

    def vertex_name(self, vertex: int) -> str:
        """Return ``node 21 · d1 · 12``, or ``switch g0 · r2``; labels that include their kind are returned alone."""
        label = self.label(vertex)
        return label if self.devices else _with_kind("node" if vertex < self.nodes else "switch", label)

    def links_between(self, src: int, dst: int) -> NDArray[np.intp]:
        """Return the links from one vertex to another, ascending."""
        start, heads, link, _ = self.out_links
        here = slice(start[src], start[src + 1])
        first, end = np.searchsorted(heads[here], dst, "left"), np.searchsorted(heads[here], dst, "right")
        return link[here][first:end].astype(np.intp)

    def link_ends(self, link: int) -> tuple[str, str]:
        """Return the names of the tail and the head of a link, with their ports if known: ``s1_0000 port 5``.

        A host that is a node with several NICs has the NIC instead, which is a single port: ``n0012-nic1``.
        Without ports, if several links of the class lead from one vertex to the other, the head has the link's number
        among all that do: ``s2 (parallel 1)``.
        """
        src, dst = int(self.src[link]), int(self.dst[link])
        if self.src_ports is not None and self.dst_ports is not None:
            return self._at_port(src, self.src_ports, link), self._at_port(dst, self.dst_ports, link)
        number = (
            f" (parallel {self._parallel[link]})"
            if self._parallel is not None and self._parallel_in_class[link]
            else ""
        )
        return self.label(src), self.label(dst) + number

    def ends_of_all_links(self) -> list[tuple[str, str]]:
        """Return the same for every link."""
        labels = [self.label(vertex) for vertex in range(self.vertices)]
        src, dst = self.src.tolist(), self.dst.tolist()
        if self.src_ports is not None and self.dst_ports is not None:
            ends = (
                [
                    f"{labels[vertex]}-nic{nic}" if has_nics else f"{labels[vertex]} port {number}"
                    for vertex, nic, number, has_nics in zip(
                        some, ports.nic.tolist(), ports.number.tolist(), self._has_nics[some].tolist(), strict=True
                    )
                ]
                for some, ports in ((src, self.src_ports), (dst, self.dst_ports))
            )
            return [*zip(*ends, strict=True)]
        heads = [labels[vertex] for vertex in dst]
        if self._parallel is not None:
            for link in np.flatnonzero(self._parallel_in_class).tolist():
                heads[link] += f" (parallel {self._parallel[link]})"
        return [*zip([labels[vertex] for vertex in src], heads, strict=True)]

    def _at_port(self, vertex: int, ports: Ports, link: int) -> str:
        port = f"-nic{ports.nic[link]}" if self._has_nics[vertex] else f" port {ports.number[link]}"
        return self.label(vertex) + port

    @cached_property
    def _has_nics(self) -> NDArray[np.bool_]:
        # (vertices,) which nodes are hosts with several NICs, rather than a NIC each.
        has_nics = np.zeros(self.vertices, np.bool_)
        if self.nics is None and self.src_ports is not None:
            has_nics[self.src[self.src_ports.nic > 0]] = True
        return has_nics

    def parallel(self, link: int) -> int:
        """Return the number, from 0 and ascending, of a link among the links between its vertices in its direction."""
        return 0 if self._parallel is None else int(self._parallel[link])

    @cached_property
    def _parallel(self) -> Ints | None:
        # (links,) the number of every link among the links with its ends, or None if no two links have the same ends.
        links, heads = self.out_links.link, self.out_links.vertex
        first = np.ones(self.links, np.bool_)
        first[1:] = (heads[1:] != heads[:-1]) | (self.src[links[1:]] != self.src[links[:-1]])
        if first.all():
            return None
        number, place = np.empty(self.links, np.int32), np.arange(self.links, dtype=np.int32)
        number[links] = place - np.maximum.accumulate(np.where(first, place, 0))
        return number

    @cached_property
    def _parallel_in_class(self) -> NDArray[np.bool_]:
        # (links,) which links have a link of the same class with the same ends.
        ends = (self.src.astype(np.int64) * self.vertices + self.dst) * len(self.classes) + self.class_of
        _, which, count = np.unique(ends, return_inverse=True, return_counts=True)
        return np.asarray(count[which] > 1)

    def link_name(self, link: int) -> str:
        """Return the class of a link and its ends: ``LR 21 · d1 · 12 → 21 · d0 · 4``."""
        return f"{self.classes[int(self.class_of[link])].name} {' → '.join(self.link_ends(link))}"

    def coordinates(self, vertex: int) -> str:
        """Return ``X 3 · Y 12 · Z 7`` for a vertex labelled by its coordinates, else nothing."""
        values = self.label(vertex).strip("()").split(",")
        named = len(values) == len(self.spec.axes) > 1
        return " · ".join(map(" ".join, zip(self.spec.axes, values, strict=True))) if named else ""

    def place_name(self, level: int, index: int) -> str:
        """Return the name of a group of a level, or of a node if `level` is the number of levels.

        ``supernode 5``, ``drawer 3 of supernode 5``, ``node 5 · d3 · 28``; a group named in the network's file
        keeps its name: ``switch s2``.
        """
        if level == len(self.levels):
            return self.vertex_name(index)
        fine = self.levels[level]
        if level == 0 or fine.names:
            return _with_kind(fine.name, fine.label(index))
        coarse = self.levels[level - 1]
        outer = int(coarse.group[int((fine.group == index).argmax())])
        return f"{fine.name} {index % (fine.count // coarse.count)} of {self.place_name(level - 1, outer)}"

    def group_name(self, group: int) -> str:
        """Return the name of a group of `group_of`: ``supernode 21``, or ``plane 3`` for a group of switches only.

        Vertices that are groups of their own keep their names.
        """
        if not self.levels:
            return self.vertex_name(group)
        if group < self.node_groups:
            return self.place_name(0, group)
        lone = int(self._lone_switch[group])
        return self.vertex_name(lone) if lone >= 0 else f"plane {group - self.node_groups}"

    def group_label(self, group: int) -> str:
        """Return the short name of a group of `group_of`: ``21``, ``s2``; for a group of switches only its name."""
        if not self.levels:
            return self.label(group)
        if group < self.node_groups:
            return self.levels[0].label(group)
        lone = int(self._lone_switch[group])
        return self.label(lone) if lone >= 0 and self.levels[0].names else self.group_name(group)

    def group_pair_name(self, a: int, b: int, between: str = "and") -> str:
        """Return ``supernode 4 and 1`` for two groups of `group_of`, ``plane 1 and pod 2`` if their kinds differ."""
        first, second, kind = self.group_name(a), self.group_name(b), f"{self.group_kinds[0]} "
        return f"{first} {between} {second.removeprefix(kind) if first.startswith(kind) else second}"

    def group_pair_names(self, a: int, b: int) -> str:
        """Return ``supernodes 4 and 1`` for two groups of `group_of`, ``plane 1 and pod 2`` if their kinds differ."""
        kind, pair = self.group_kinds[0], self.group_pair_name(a, b)
        alike = all(self.group_name(group).startswith(f"{kind} ") for group in (a, b))
        return f"{plural_noun(kind)}{pair.removeprefix(kind)}" if alike else pair

    @cached_property
    def out_links(self) -> Adjacency:
        """Return the links from every vertex, with their heads."""
        return adjacency(self.src, self.dst, self.vertices)

    @cached_property
    def in_links(self) -> Adjacency:
        """Return the links to every vertex, with their tails."""
        return adjacency(self.dst, self.src, self.vertices)

    @cached_property
    def gbs(self) -> NDArray[np.float64]:
        """Return the bandwidth of every link, shape ``(links,)``, GB/s."""
        return np.concatenate([np.full(c.count, c.gbs) for c in self.classes] or [np.zeros(0)])

    @cached_property
    def multiplicity(self) -> Ints:
        """Return the number of real links that every link represents, shape ``(links,)``."""
        return np.repeat(np.array([c.multiplicity for c in self.classes], np.int32), [c.count for c in self.classes])

    @cached_property
    def connected(self) -> bool:
        """Return whether every node reaches every other node."""
        if self.aggregation > 1:
            return True
        size, ends = (self.nodes, self.vertices, self.closed), (self.src, self.dst)
        if not self.closed:
            return all(reaches_all([0], *way, size) for way in (ends, ends[::-1]))
        return reaches_all(self._unlike_nodes, *ends, size)

    @cached_property
    def _unlike_nodes(self) -> list[int]:
        # A node for each symmetry class, or for each set of neighbours: like nodes reach the same nodes.
        if self.symmetry is not None:
            return [int(node) for node in self.symmetry.representative]
        ways = [(links.vertex, links.start.tolist()) for links in (self.out_links, self.in_links)]
        neighbours = (
            tuple(vertex[start[node] : start[node + 1]].tobytes() for vertex, start in ways)
            for node in range(self.nodes)
        )
        return list(dict(zip(neighbours, range(self.nodes), strict=True)).values())

    @cached_property
    def components(self) -> Ints:
        """Return the connected component of every node, shape ``(nodes,)``, with the largest numbered 0.

        Nodes of a component reach each other, possibly only through other nodes, even if these do not forward.
        """
        if self.connected:
            return np.zeros(self.nodes, np.int32)
        of_vertex = components(self.src, self.dst, self.vertices)
        _, first, component, size = np.unique(of_vertex[: self.nodes], True, True, True)
        number = np.empty(size.size, np.int32)
        number[np.lexsort((first, -size))] = np.arange(size.size)
        return number[component]

    @cached_property
    def degree(self) -> int:
        """Return the largest number of links out of a (real) vertex."""
        return int(np.bincount(self.src, self.multiplicity, self.vertices).max()) // self.aggregation

    @cached_property
    def class_of(self) -> NDArray[np.uint8]:
        """Return the index into `classes` of every link, shape ``(links,)``."""
        return np.repeat(np.arange(len(self.classes), dtype=np.uint8), [c.count for c in self.classes])

    def link_class(self, name: str) -> LinkClass:
        """Return the link class called `name`.

        Raises KeyError: if there is none.
        """
        return {links.name: links for links in self.classes}[name]


class NetworkSpec(Spec, frozen=True):
    """A network family: declared fields, `build` and `summary`.

    Other methods are optional. Without `sized` the family has a single size; without `of_degree` it is not offered
    among networks of equal degree. `congruence` is for families with a routing that loads some links equally.
    """

    congruence_name: ClassVar[str] = ""
    """Name of the classes of links with equal loads, if the family has some."""
    groups_joined: ClassVar[bool] = False
    """Whether a separate class of links connects every two groups of the coarsest level, each of them connected."""

    @property
    def axes(self) -> tuple[str, ...]:
        """Return the names of the coordinates by which nodes are labelled; empty if labels are not coordinates."""
        return ()

    @abstractmethod
    def build(self, folder: Path | None = None) -> Network:
        """Build the network; files that it names are in `folder`.

        Raises SpecError: if the fields cannot be built.
        """

    @abstractmethod
    def summary(self) -> str:
        """Return one short line for the form: sizes, and hardware."""

    def port_counts(self, network: Network) -> Ints | None:
        """Return the number of ports of every vertex for links of the network, shape ``(vertices,)``; None if unknown.

        It is 0 where no links can be added.
        """
        return None

    def free_ports(self, network: Network) -> Ints | None:
        """Return the number of free ports of every vertex, shape ``(vertices,)``; None if unknown."""
        ports = self.port_counts(network)
        if ports is None:
            return None
        free: Ints = np.maximum(ports - np.bincount(network.src, minlength=network.vertices), 0).astype(np.int32)
        return free

    def linked_groups(self) -> LinkedGroups | None:
        """Return the groups if equally many links join every two of them, and all places of a group; else None."""
        return None

    def sized(self, nodes: int) -> Self:
        """Return the network of the family with the number of nodes closest to `nodes`, and the other fields unchanged.

        Fields that cannot be kept change with the size. A family with a single size returns itself.
        """
        return self

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return networks of the family with `degree` links at a node or switch, networks of about `nodes` nodes first.

        Other fields are kept if possible. A few may miss the degree, if it is known only after building; families
        without sizes for any requested degree return none.
        """
        return ()

    def congruence(self, network: Network) -> Ints | None:
        """Return the congruence class of every link, shape ``(links,)``, -1 for none; or None without classes."""
        return None


def _with_kind(kind: str, label: str) -> str:
    # Labels such as "L1 switch 3" or "router 2" already include their kind.
    kinds = ("switch", "router") if kind == "switch" else (kind,)
    return label if any(word.lower() in label.lower() for word in kinds) else f"{kind} {label}"


def nic_names(hosts: Sequence[str], nics: Ints) -> tuple[str, ...]:
    """Return the name of every NIC of some hosts: the host's name, or ``n0012-nic3`` if it has several NICs."""
    return tuple(
        name if count == 1 else f"{name}-nic{nic}"
        for name, count in zip(hosts, nics.tolist(), strict=True)
        for nic in range(count)
    )


def vertex_transitive(nodes: int) -> SymmetryClasses:
    """Return the single class of a network whose nodes are all equivalent."""
    return SymmetryClasses(np.zeros(1, np.int32), np.full(1, nodes, np.int32))


def check_size(field: str, what: str, links: int) -> None:
    """Check the number of links before a network is built.

    Raises SpecError: naming the field and the limit, if there are more than `MAX_LINKS`.
    """
    if links > MAX_LINKS:
        raise SpecError(field, f"{what} have {counted(links)} directed links; must be at most {MAX_LINKS:,}")
