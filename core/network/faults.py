"""Faults: failed or slow links, nodes and bundles, as declared in scenario files.

A fault affects both directions of a cable. Where faults overlap the slowest counts.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.network.link_ends import end_named, links_at
from core.network.network import Network
from core.spec import Spec, SpecError, declare
from core.text import plural, plural_noun

MIN_SPEED = 1e-6
"""Slowest speed of a link that has not failed: slower ones would make times overflow."""

MAX_NAMED = 8
"""Vertices listed in a message."""

MAX_EXAMPLES = 3
"""Faults named in a summary."""

Links = NDArray[np.intp]
Vertex = Annotated[int, declare("", "", ge=0, lt=1 << 31)]
Named = Vertex | Annotated[str, msgspec.Meta(max_length=256)]
"""A vertex by number, or by the name of its host or switch."""
Speed = Annotated[float, declare("Speed", "remaining share of the bandwidth", zero="failed", ge=0, lt=1)]


class FaultSpec(Spec, frozen=True):
    """A failed or slow component; every fault has a `speed`."""

    @abstractmethod
    def numbered(self, network: Network) -> Self:
        """Return the fault with numbers instead of names.

        Raises SpecError: naming the field, if the vertex does not exist.
        """

    @abstractmethod
    def links(self, network: Network) -> Links:
        """Return the affected links, in both directions.

        Raises SpecError: naming the field, if the component does not exist.
        """

    def nodes(self) -> tuple[int, ...]:
        """Return the vertices that fail themselves, not only their links."""
        return ()

    @abstractmethod
    def what(self, network: Network) -> str:
        """Return the component in words, without its speed."""


class LinkFault(FaultSpec, frozen=True, tag="link"):
    """A failed or slow cable: a link and its reverse, if there is one."""

    title: ClassVar[str] = "Link"

    src: Annotated[
        Named,
        declare(
            "From", "number or name of the vertex that the link leaves; the name may include the port, as in s1 port 5"
        ),
    ]
    dst: Annotated[
        Named,
        declare(
            "To", "number or name of the vertex that the link enters; the name may include the port, as in s1 port 5"
        ),
    ]
    parallel: Annotated[
        int, declare("Parallel link", "index among the links between these vertices, as listed by --links", ge=0)
    ] = 0
    speed: Speed = 0.0

    @classmethod
    def of(cls, network: Network, link: int, speed: float = 0.0) -> Self:
        """Return the fault of a link; both directions of a cable give the same."""
        first = min([link, *_back(network, link)])
        src, dst = int(network.src[first]), int(network.dst[first])
        return cls(src, dst, network.parallel(first), speed)

    def numbered(self, network: Network) -> Self:
        """Return the fault with the vertex numbers of its ends."""
        link = self.link(network)
        return type(self)(int(network.src[link]), int(network.dst[link]), network.parallel(link), self.speed)

    def links(self, network: Network) -> Links:
        """Return the link and its reverse."""
        link = self.link(network)
        return np.array([link, *_back(network, link)], np.intp)

    def link(self, network: Network) -> int:
        """Return the link from `src` to `dst`.

        Raises SpecError: naming the field, if there is no such link.
        """
        (src, tail), (dst, head) = _end("src", self.src, network), _end("dst", self.dst, network)
        links = network.links_between(src, dst)
        if not links.size:
            reached = np.unique(network.dst[network.src == src]).tolist()
            some = ", ".join(map(network.label if isinstance(self.dst, str) else str, reached[:MAX_NAMED]))
            some += ", ..." if len(reached) > MAX_NAMED else ""
            start = network.label(src) if isinstance(self.src, str) else src
            raise SpecError("dst", f"is {self.dst}; links from {start} lead to {some}")
        at_ports = links_at(network, src, dst, (tail, head))
        if not at_ports.size:
            some = ", ".join(" → ".join(network.link_ends(link)) for link in links[:MAX_NAMED].tolist())
            field, given = ("src", self.src) if tail else ("dst", self.dst)
            raise SpecError(field, f"no such link at {given}; links between these vertices: {some}")
        _check_range("parallel", self.parallel, at_ports.size, "parallel links")
        return int(at_ports[self.parallel])

    def what(self, network: Network) -> str:
        """Return the class and the ends."""
        link = self.link(network)
        name = network.classes[network.class_of[link]].name
        return f"{name.removesuffix(' link')} link {' – '.join(network.link_ends(link))}"


class NodeFault(FaultSpec, frozen=True, tag="node"):
    """A failed or slow node or switch, with all its links; a failed node runs no tasks."""

    title: ClassVar[str] = "Node"

    node: Annotated[
        Named, declare("Node", "number or name of the node or switch (switches are numbered after the nodes)")
    ]
    speed: Speed = 0.0

    def numbered(self, network: Network) -> Self:
        """Return the fault with the number of its vertex."""
        return msgspec.structs.replace(self, node=numbered_vertex("node", self.node, network))

    def links(self, network: Network) -> Links:
        """Return the links from and to it."""
        node = numbered_vertex("node", self.node, network)
        return np.flatnonzero((network.src == node) | (network.dst == node))

    def nodes(self) -> tuple[int, ...]:
        """Return the node if it fails; the fault must be `numbered`."""
        return () if self.speed or isinstance(self.node, str) else (self.node,)

    def what(self, network: Network) -> str:
        """Return the name of the node or switch."""
        return network.vertex_name(numbered_vertex("node", self.node, network))


class BundleFault(FaultSpec, frozen=True, tag="bundle"):
    """All links between two groups of the coarsest level in both directions, such as the D links of two supernodes.

    Groups that consist of switches only, such as the planes of a fat tree, are numbered after the others.
    """

    title: ClassVar[str] = "Bundle"

    a: Annotated[Named, declare("First group", "number or name of a group of the coarsest level")]
    b: Annotated[Named, declare("Second group", "number or name of another group of the coarsest level")]
    speed: Speed = 0.0

    def numbered(self, network: Network) -> Self:
        """Return the fault with the numbers of its groups."""
        a, b = self._groups(network)
        return msgspec.structs.replace(self, a=a, b=b)

    def links(self, network: Network) -> Links:
        """Return the links from a to b and from b to a."""
        a, b = self._groups(network)
        if a == b:
            raise SpecError("b", f"is {self.b}, the same as a; give two different {_kinds(network)}")
        src, dst = network.group_of[network.src], network.group_of[network.dst]
        links = np.flatnonzero(((src == a) & (dst == b)) | ((src == b) & (dst == a)))
        if not links.size:
            first, second = network.group_name(a), network.group_name(b)
            raise SpecError("b", f"is {self.b} ({second}), which has no link to {first}")
        return links

    def what(self, network: Network) -> str:
        """Return the two groups."""
        return f"the bundle of {network.group_pair_names(*self._groups(network))}"

    def _groups(self, network: Network) -> tuple[int, int]:
        return _group("a", self.a, network), _group("b", self.b, network)


AnyFault = LinkFault | NodeFault | BundleFault


@dataclass(frozen=True, eq=False)
class Faults:
    """The faults of a built network, as arrays."""

    network: Network
    declared: tuple[AnyFault, ...]
    """Declared faults, with numbers instead of names."""
    taken: tuple[Links, ...]
    """Affected links of each declared fault."""

    @classmethod
    def of(cls, network: Network, declared: tuple[AnyFault, ...]) -> Self:
        """Return the faults on a network.

        Raises SpecError: naming the field (``faults[2].dst``) and valid values.
        """
        taken = tuple(_taken(network, i, fault) for i, fault in enumerate(declared))
        return cls(network, tuple(fault.numbered(network) for fault in declared), taken)

    @cached_property
    def speed(self) -> NDArray[np.float64]:
        """Return the remaining fraction of every link's bandwidth, shape ``(links,)``: 1 intact, 0 failed."""
        speed = np.ones(self.network.links)
        for fault, links in zip(self.declared, self.taken, strict=True):
            speed[links] = np.minimum(speed[links], fault.speed)
        return speed

    @cached_property
    def gbs(self) -> NDArray[np.float64]:
        """Return the remaining bandwidth of every link, shape ``(links,)``, GB/s; 0 if failed."""
        return self.network.gbs * self.speed

    @cached_property
    def failed(self) -> NDArray[np.bool_]:
        """Return which links have failed, shape ``(links,)``."""
        return np.asarray(self.speed == 0)

    @cached_property
    def slowed(self) -> NDArray[np.bool_]:
        """Return which links are slow but have not failed, shape ``(links,)``."""
        return (self.speed > 0) & (self.speed < 1)

    @cached_property
    def failed_nodes(self) -> NDArray[np.bool_]:
        """Return which vertices have failed, shape ``(vertices,)``."""
        failed = np.zeros(self.network.vertices, np.bool_)
        failed[[node for fault in self.declared for node in fault.nodes()]] = True
        return failed

    @cached_property
    def any_failed(self) -> bool:
        """Return whether a link has failed."""
        return bool(self.failed.any())

    @cached_property
    def any_slowed(self) -> bool:
        """Return whether a link is slow."""
        return bool(self.slowed.any())

    def words(self) -> str:
        """Return a summary in one line: ``32 links failed, 1 node failed, 2 links slow``."""
        nodes = self.network.nodes
        counts = (
            (int(self.failed.sum()), "link", "failed"),
            (int(self.failed_nodes[:nodes].sum()), "node", "failed"),
            (int(self.failed_nodes[nodes:].sum()), "switch", "failed"),
            (int(self.slowed.sum()), "link", "slow"),
        )
        return ", ".join(f"{plural(n, what)} {how}" for n, what, how in counts if n)

    def named_words(self) -> str:
        """Return the summary with the names of some components: ``2 links failed: D link 0 – 1``."""
        return f"{self.words()}: {self.names()}"

    def names(self) -> str:
        """Return the names of some components: ``D link 0 – 1, D link 0 – 2, node 3 and 2 more``."""
        names = [fault.what(self.network) for fault in self.declared[:MAX_EXAMPLES]]
        more = len(self.declared) - len(names)
        return ", ".join(names) + (f" and {more:,} more" if more else "")


def cables_of(network: Network) -> list[LinkFault]:
    """Return the failure of each cable, in the order of the links."""
    return list(dict.fromkeys(LinkFault.of(network, link) for link in range(network.links)))


def fault_text(fault: AnyFault, network: Network) -> str:
    """Return a fault in words: ``D link 0 · d0 · 3 – 1 · d2 · 20 failed``, or ``... at 50 % of its bandwidth``."""
    how = f"at {fault.speed * 100:.4g} % of its bandwidth" if fault.speed else "failed"
    return f"{fault.what(network)} {how}"


def with_fault(faults: Sequence[AnyFault], fault: AnyFault) -> tuple[AnyFault, ...]:
    """Return the faults plus `fault`, which replaces an existing fault of the same component."""
    return (*without_fault(faults, fault), fault)


def without_fault(faults: Sequence[AnyFault], fault: AnyFault) -> tuple[AnyFault, ...]:
    """Return the faults of all components except the component of `fault`, at any speed."""
    return tuple(f for f in faults if msgspec.structs.replace(f, speed=fault.speed) != fault)


def fitting_faults(network: Network, faults: Sequence[AnyFault]) -> tuple[AnyFault, ...]:
    """Return the faults whose components exist in the network."""
    return tuple(fault for fault in faults if _fits(network, fault))


def _fits(network: Network, fault: AnyFault) -> bool:
    try:
        fault.links(network)
    except SpecError:
        return False
    return True


def _taken(network: Network, index: int, fault: AnyFault) -> Links:
    if not (fault.speed == 0 or MIN_SPEED <= fault.speed < 1):
        message = f"is {fault.speed:g}; give 0 for failed, or a share from {MIN_SPEED:g} to below 1"
        raise SpecError(f"faults[{index}].speed", message)
    try:
        return fault.links(network)
    except SpecError as error:
        raise SpecError(f"faults[{index}].{error.field}", error.message) from error


def numbered_vertex(field: str, given: Named, network: Network) -> int:
    """Return the number of a vertex, which is given by its number or name.

    Raises SpecError: naming the field, if there is no such vertex.
    """
    if isinstance(given, int):
        _check_range(field, given, network.vertices, "vertices")
        return given
    vertex = network.vertex_named(given)
    if vertex is None:
        names = network.node_names
        raise SpecError(field, f"no node or switch has the name {given!r}; nodes are {names[0]} to {names[-1]}")
    return vertex


def _end(field: str, given: int | str, network: Network) -> tuple[int, str]:
    # The vertex of a link's end, and its port if it is named.
    vertex, port = (None, "") if isinstance(given, int) else end_named(given, network.vertex_named)
    return (numbered_vertex(field, given, network) if vertex is None else vertex), port


def _group(field: str, given: int | str, network: Network) -> int:
    if isinstance(given, int):
        _check_range(field, given, network.groups, _kinds(network))
        return given
    groups = range(network.groups)
    number = next((group for group in groups if given in (network.group_label(group), network.group_name(group))), None)
    if number is None:
        names = f"{network.group_name(0)} to {network.group_name(network.groups - 1)}"
        raise SpecError(field, f"no group has the name {given!r}; {_kinds(network)} are {names}")
    return number


def _kinds(network: Network) -> str:
    return " and ".join(map(plural_noun, network.group_kinds))


def _check_range(field: str, value: int, count: int, what: str) -> None:
    if not 0 <= value < count:
        raise SpecError(field, f"is {value:,}; the network has {count:,} {what}, 0 to {count - 1:,}")


def _back(network: Network, link: int) -> list[int]:
    # The other direction of a cable, if there is one. Without ports, parallel links are paired by bandwidth. Links of
    # equal bandwidth are paired first with last: in a ring of two, + of one node and - of the other share a cable.
    if network.src_ports is not None:
        src, dst = network.link_ends(link)
        return [int(back) for back in links_at(network, int(network.dst[link]), int(network.src[link]), (dst, src))]
    low, high = sorted((int(network.src[link]), int(network.dst[link])))
    up, down = network.links_between(low, high), network.links_between(high, low)
    up, down = up[np.lexsort((up, network.gbs[up]))], down[np.lexsort((-down, network.gbs[down]))]
    own, other = (up, down) if network.src[link] == low else (down, up)
    place = int(np.flatnonzero(own == link)[0])
    return [int(other[place])] if place < other.size else []
