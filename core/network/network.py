"""What is wired to what: nodes that host tasks, directed links in classes, nested levels."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import Adjacency, adjacency
from core.network.adjacency import Ints as Ints
from core.network.layout import Layout
from core.spec import Spec, SpecError, declare
from core.text import counted

MAX_LINKS = 10_000_000
"""Directed links beyond which a network is refused: about 0.5 GB of arrays with loads and drawing."""

Gbs = Annotated[float, declare("Bandwidth", "one link, per direction", unit="GB/s", ge=1e-6, le=1e6)]
Nics = Annotated[int, declare("NICs", "parallel links from a node to its switch", ge=1, le=64)]
TasksPerNode = Annotated[int, declare("Tasks per node", "tasks a node hosts", ge=1, le=1024)]


@dataclass(frozen=True, slots=True)
class LinkClass:
    """Links of one kind and bandwidth; `links` is their contiguous range of link ids."""

    name: str
    gbs: float
    """Bandwidth of one link in one direction, GB/s."""
    links: slice
    multiplicity: int = 1
    """Real links that each of them stands for, where a network is folded: see `Network.aggregation`."""

    @property
    def count(self) -> int:
        """Return the number of directed links that are kept."""
        return int(self.links.stop - self.links.start)

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

    @cached_property
    def nodes_per_group(self) -> int:
        """Return the number of nodes in one group; all groups have the same."""
        return self.group.size // self.count


@dataclass(frozen=True, eq=False)
class Cut:
    """Two sides of the network: how many nodes lie on one, and how many links of each class leave it."""

    name: str
    nodes: int
    leaving: dict[str, int]


class Counts(NamedTuple):
    """What `core.network.metrics` counts in a network; of folded ones, in which it cannot be counted, from formulas."""

    joined: int
    """Pairs of nodes that links join, in whatever direction."""
    arcs: int
    """Ordered pairs of two nodes that a link leads along."""
    loops: int
    """Links from a node to itself."""
    degree: int
    """The most links that leave a vertex, loops and parallel ones too."""
    diameter: int
    distance_sum: int
    """Links on a shortest path, summed over all ordered pairs of nodes."""


class SymmetryClasses(NamedTuple):
    """One representative node of each symmetry class, and how many nodes the class has."""

    representative: Ints
    """(classes,)"""
    size: Ints
    """(classes,) together all nodes."""


@dataclass(frozen=True, eq=False)
class Network:
    """A built network. Vertices are nodes first, then switches (if any); every link is directed."""

    spec: "NetworkSpec"
    nodes: int
    vertices: int
    src: Ints
    """(links,) vertex a link leaves."""
    dst: Ints
    """(links,) vertex it reaches."""
    classes: tuple[LinkClass, ...]
    slots_per_node: int
    lay_out: Callable[["Network"], Layout]
    """Returns where to draw it; called when first asked for."""
    levels: tuple[Level, ...] = ()
    cuts: tuple[Cut, ...] = ()
    warnings: tuple[str, ...] = ()
    label: Callable[[int], str] = str
    """Name of a vertex, for people."""
    hosts: tuple[str, ...] = ()
    """Names of the nodes that a scheduler knows; empty: none are known, see `host_names`."""
    switch_group: Ints | None = None
    """(switches,) group of the coarsest level that each switch stands in; None: none stands in one.

    -1 for none, and from the number of these groups on for groups of switches alone: of those above all others.
    """
    cores: int = 0
    """Slots in a socket of a node; 0: they are not grouped."""
    closed: int = 0
    """Vertices below this number begin and end ways, and pass nothing on; 0: whatever has links may."""
    aggregation: int = 1
    """Real nodes that each node stands for. More than 1 where there are too many to keep every link.

    Then a link stands for all that lead from one such node to the other, with the bandwidth of one of them and the mean
    of their loads; it may lead from a node to itself and carry something, as what it stands for does not.
    """
    symmetry: SymmetryClasses | None = None
    """Symmetry classes of the nodes; None: not known, each node is looked at."""
    find_alike: Callable[["Network"], Ints] | None = None
    """Returns `alike`; None: that is not known."""
    find_counts: Callable[[], Counts] | None = None
    """Returns what cannot be counted in a folded network, where `aggregation` is more than 1; None: all can."""

    @property
    def links(self) -> int:
        """Return the number of directed links that are kept."""
        return self.src.size

    @property
    def real_links(self) -> int:
        """Return the number of directed links, those that folded ones stand for each."""
        return sum(c.real for c in self.classes)

    @property
    def real_nodes(self) -> int:
        """Return the number of nodes, those that folded ones stand for each."""
        return self.nodes * self.aggregation

    @property
    def slots(self) -> int:
        """Return the number of places for tasks."""
        return self.nodes * self.slots_per_node

    @cached_property
    def layout(self) -> Layout:
        """Return where to draw everything."""
        return self.lay_out(self)

    @cached_property
    def alike(self) -> Ints | None:
        """Return the set of every link, shape ``(links,)``, where shifts take every node to every other.

        One shift takes a node to each, and shifts take the links of a set to each other: by one each, where there are
        as many as nodes, and by more where there are fewer. None: there are no such shifts, or they are not known.
        """
        return None if self.find_alike is None else self.find_alike(self)

    def shifted(self, loads: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what links carry if all shifts of what makes these loads flow at once; for networks that have such."""
        assert self.alike is not None
        # Of a set half as large as there are nodes two shifts take each link to each.
        together = np.bincount(self.alike, loads) * (self.nodes / np.maximum(np.bincount(self.alike), 1))
        return np.asarray(together[self.alike], np.float64)

    @cached_property
    def group_of(self) -> Ints:
        """Return the group of the coarsest level of every vertex, shape ``(vertices,)``, -1 for switches in none.

        Where a network has no levels every vertex is a group of its own.
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
        """Return the number of groups in `group_of`: those of the coarsest level, then those of switches alone."""
        return max(self.node_groups, int(self.group_of.max()) + 1)

    @property
    def node_groups(self) -> int:
        """Return how many of the groups have nodes: the first ones."""
        return self.levels[0].count if self.levels else self.nodes

    @property
    def group_kinds(self) -> tuple[str, ...]:
        """Return what the groups are, each kind once: ``("pod", "plane")``, or without levels ``("node",)``."""
        first = self.levels[0].name if self.levels else "node"
        if self.groups == self.node_groups:
            return (first,)
        return (first, "switch" if not self.levels or (self._lone_switch >= 0).any() else "plane")

    @cached_property
    def _lone_switch(self) -> Ints:
        # (groups,) the switch that is all there is in a group of switches alone, -1: it is not one of a single switch.
        lone = np.full(self.groups, -1, np.int32)
        if self.levels:
            count = np.bincount(self.group_of[self.group_of >= 0], minlength=self.groups)
            switch = self.nodes + np.flatnonzero(self.group_of[self.nodes :] >= self.node_groups)
            alone = switch[count[self.group_of[switch]] == 1]
            lone[self.group_of[alone]] = alone
        return lone

    @cached_property
    def host_names(self) -> tuple[str, ...]:
        """Return the name of every node in files of other tools: ``n0000`` to ``n1023`` where none are known."""
        width = len(str(self.nodes - 1))
        return self.hosts or tuple(f"n{node:0{width}}" for node in range(self.nodes))

    def node_named(self, name: str) -> int | None:
        """Return the node of a host name, which may lack or add what follows the first dot; None: there is no such."""
        found = self._node_of_host.get(name)
        return self._node_of_short_host.get(name.partition(".")[0]) if found is None else found

    def vertex_named(self, name: str) -> int | None:
        """Return the node of a host name, or the vertex of a label; None: there is no such."""
        node = self.node_named(name)
        return self._vertex_of_label.get(name) if node is None else node

    @cached_property
    def _vertex_of_label(self) -> dict[str, int]:
        return {self.label(vertex): vertex for vertex in reversed(range(self.vertices))}

    @cached_property
    def _node_of_host(self) -> dict[str, int]:
        return {name: node for node, name in enumerate(self.host_names)}

    @cached_property
    def _node_of_short_host(self) -> dict[str, int]:
        # Of names alike up to the first dot none is meant by it.
        short = [name.partition(".")[0] for name in self.host_names]
        count = Counter(short)
        return {name: node for node, name in enumerate(short) if count[name] == 1}

    def vertex_name(self, vertex: int) -> str:
        """Return ``node 21 · d1 · 12``, or ``switch g0 · r2``; a label that says itself what it is is enough."""
        label = self.label(vertex)
        if vertex < self.nodes:
            return f"node {label}"
        return label if "switch" in label.lower() else f"switch {label}"

    def group_name(self, group: int) -> str:
        """Return what a group of `group_of` is called: ``supernode 21``, ``plane 3`` for one of switches alone.

        A vertex that is a group of its own keeps its name.
        """
        if not self.levels:
            return self.vertex_name(group)
        known, lone = self.node_groups, int(self._lone_switch[group])
        if lone >= 0:
            return self.vertex_name(lone)
        return f"{self.levels[0].name} {group}" if group < known else f"plane {group - known}"

    @cached_property
    def out_links(self) -> Adjacency:
        """Return for every vertex the links that leave it, and where they lead."""
        return adjacency(self.src, self.dst, self.vertices)

    @cached_property
    def in_links(self) -> Adjacency:
        """Return for every vertex the links that reach it, and where they come from."""
        return adjacency(self.dst, self.src, self.vertices)

    @cached_property
    def gbs(self) -> NDArray[np.float64]:
        """Return the bandwidth of every link, shape ``(links,)``, GB/s."""
        return np.concatenate([np.full(c.count, c.gbs) for c in self.classes] or [np.zeros(0)])

    @cached_property
    def multiplicity(self) -> Ints:
        """Return how many real links every link stands for, shape ``(links,)``."""
        return np.repeat(np.array([c.multiplicity for c in self.classes], np.int32), [c.count for c in self.classes])

    @cached_property
    def degree(self) -> int:
        """Return the most links that leave a vertex; of the nodes that one stands for, each."""
        return int(np.bincount(self.src, self.multiplicity, self.vertices).max()) // self.aggregation

    @cached_property
    def class_of(self) -> NDArray[np.uint8]:
        """Return the index into `classes` of every link, shape ``(links,)``."""
        return np.repeat(np.arange(len(self.classes), dtype=np.uint8), [c.count for c in self.classes])

    def link_class(self, name: str) -> LinkClass:
        """Return the class of that name.

        Raises KeyError: if the network has none such.
        """
        return {one.name: one for one in self.classes}[name]


class NetworkSpec(Spec, frozen=True):
    """A network family: declared fields, `build` and `summary`.

    The other methods may be left out. Without `sized` the family has a single size; without `of_degree` it is not
    offered among networks of equal degree. `congruence` is for those with a routing that loads some links alike.
    """

    congruence_name: ClassVar[str] = ""
    """What the family calls links that its routing loads alike, if it has such."""

    @abstractmethod
    def build(self, folder: Path | None = None) -> Network:
        """Return the built network; files that it names lie in `folder`.

        Raises SpecError: if the fields ask for something that cannot be built.
        """

    @abstractmethod
    def summary(self) -> str:
        """Return one short line for the form: sizes, and what the hardware would need."""

    def sized(self, nodes: int) -> Self:
        """Return the network of the family whose size is nearest to `nodes` nodes, with its other fields kept.

        Where these cannot be kept they change with the size. A network that has a single size returns itself.
        """
        return self

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return networks of the family with `degree` links at a node or switch, those of about `nodes` nodes first.

        They keep what they can of the other fields. A few may miss the degree, where it cannot be told but by building
        them; families that come in no degree that could be asked for return none.
        """
        return ()

    def congruence(self, network: Network) -> Ints | None:
        """Return the congruence class of every link, shape ``(links,)``, -1 for none; None: no classes."""
        return None


def vertex_transitive(nodes: int) -> SymmetryClasses:
    """Return the one class of a network in which all nodes are alike."""
    return SymmetryClasses(np.zeros(1, np.int32), np.full(1, nodes, np.int32))


def check_size(field: str, what: str, links: int) -> None:
    """Refuse a network with more than `MAX_LINKS` links before any of it is built.

    Raises SpecError: naming the field and the limit.
    """
    if links > MAX_LINKS:
        made = f"{what} make {counted(links)} directed links"
        raise SpecError(field, f"{made}; at most {MAX_LINKS:,} fit, choose fewer")
