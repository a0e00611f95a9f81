"""A server as it is read: its vertices, its links, and notes on assumptions and omitted parts."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from core.network.formats.nccl.elements import Element
from core.network.formats.parsed_graph import shown
from core.network.layouts.servers import Kind
from core.text import plural


class Rates(NamedTuple):
    """Bandwidths that a file does not have, GB/s per direction; None for the defaults."""

    nvlink_gbs: float | None
    """Of an NVLink or xGMI link."""
    numa_gbs: float | None
    """Of the link between two CPUs."""


class Link(NamedTuple):
    """A link between two vertices of a server."""

    first: int
    second: int
    name: str
    """Name of its class."""
    gbs: float


class Net(NamedTuple):
    """A network port of a NIC."""

    nic: int
    gbs: float | None
    """None if the file does not specify it."""


@dataclass(eq=False)
class Server:
    """The vertices of a server, GPUs first, and its links."""

    names: list[str] = field(default_factory=list)
    kinds: list[Kind] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    """The vertex above each vertex in the PCI tree, -1 for none."""
    links: list[Link] = field(default_factory=list)
    nets: list[Net] = field(default_factory=list)
    """In the order of their device numbers."""
    vertex_of: dict[Element, int] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    @property
    def gpus(self) -> int:
        """Return the number of GPUs."""
        return self.kinds.count(Kind.GPU)

    def add(self, name: str, kind: Kind, element: Element | None = None) -> int:
        """Add a vertex and return its number; a name that another vertex has gets a number."""
        vertex, unique, number = len(self.names), name, 2
        while unique in self._taken:
            unique, number = f"{name}-{number}", number + 1
        self._taken.add(unique)
        self.names.append(unique)
        self.kinds.append(kind)
        self.parents.append(-1)
        if element is not None:
            self.vertex_of[element] = vertex
        return vertex

    def attach(self, vertex: int, parent: int, gbs: float) -> None:
        """Link a vertex to the vertex above it in the PCI tree."""
        self.parents[vertex] = parent
        self.links.append(Link(vertex, parent, "pcie", gbs))

    def cpu_above(self, vertex: int) -> int:
        """Return the CPU above a vertex."""
        while self.parents[vertex] >= 0:
            vertex = self.parents[vertex]
        return vertex

    def nvswitch(self) -> int:
        """Return the vertex of the NVSwitches, which is added if there is none."""
        if Kind.NVSWITCH in self.kinds:
            return self.kinds.index(Kind.NVSWITCH)
        return self.add("nvswitch", Kind.NVSWITCH)


@dataclass(eq=False)
class Notes:
    """Assumptions, and merged or omitted parts."""

    assumed: dict[str, None] = field(default_factory=dict)
    pcie: list[Element] = field(default_factory=list)
    """PCI devices with a link of unknown speed or width."""
    counted: Counter[tuple[str, str]] = field(default_factory=Counter)

    def assume(self, what: str) -> None:
        """Note an assumption, once."""
        self.assumed[what] = None

    def count(self, words: str, noun: str) -> None:
        """Count one more thing for a note, in which ``{}`` stands for the number and the noun."""
        self.counted[words, noun] += 1

    def texts(self) -> Iterator[str]:
        """Yield the notes."""
        for what in self.assumed:
            yield f"assumes {what}"
        if self.pcie:
            first = self.pcie[0]
            given = f"link_speed {shown(first.get('link_speed'))}, link_width {shown(first.get('link_width'))}"
            links = plural(len(self.pcie), "such link")
            yield f"line {first.line:,}: {given}; 8 GT/s and 16 lanes are assumed if unknown, as in NCCL, for {links}"
        for (words, noun), count in self.counted.items():
            yield words.format(plural(count, noun))
