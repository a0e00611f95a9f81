"""IBM Power 775 (PERCS): a two-level direct network, all-to-all at both levels.

Source: Chakaravarthy et al., "Mapping strategies for the PERCS architecture", 2012, section 2. The D-link of bucket j
from supernode a to b leaves node ``s(j, b) = j W + (b mod W)`` of a and reaches node ``s(j, a)`` of b, with W = n / nd
for supernodes of n nodes; supernodes of a Power 775 have 4 drawers of 8 nodes.
"""

from pathlib import Path
from typing import Annotated, ClassVar, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.network.layout import ring_of_boxes
from core.network.linked_groups import LinkedGroups
from core.network.network import Cut, Gbs, Ints, Level, Network, NetworkSpec, TasksPerNode, check_size
from core.network.sizes import off_by
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError, declare
from core.text import plural

MAX_SUPERNODES, MAX_DRAWERS, MAX_NODES_PER_DRAWER = 4096, 64, 64
MAX_D_PORTS = 16
"""D-ports of a Power 775 node."""


class Percs(NetworkSpec, frozen=True, tag="percs"):
    """The two-level direct network of the IBM Power 775, fully connected within and between supernodes."""

    title: ClassVar[str] = "Power 775 (PERCS)"
    congruence_name: ClassVar[str] = "congruence class"

    supernodes: Annotated[
        int, declare("Supernodes", "number of supernodes, all of the same size", ge=1, le=MAX_SUPERNODES)
    ] = 32
    d_links: Annotated[
        int,
        declare(
            "D links per pair",
            "D links between each pair of supernodes, a divisor of the nodes per supernode",
            ge=1,
            le=MAX_DRAWERS * MAX_NODES_PER_DRAWER,
        ),
    ] = 4
    ll_gbs: Annotated[Gbs, declare("LL links", "bandwidth of a link within a drawer, per direction", unit="GB/s")] = (
        21.0
    )
    lr_gbs: Annotated[
        Gbs, declare("LR links", "bandwidth of a link between drawers of a supernode, per direction", unit="GB/s")
    ] = 5.0
    d_gbs: Annotated[Gbs, declare("D links", "bandwidth of a link between supernodes, per direction", unit="GB/s")] = (
        10.0
    )
    drawers: Annotated[int, declare("Drawers", "drawers per supernode", ge=1, le=MAX_DRAWERS)] = 4
    nodes_per_drawer: Annotated[int, declare("Nodes per drawer", "nodes per drawer", ge=1, le=MAX_NODES_PER_DRAWER)] = 8
    slots_per_node: Annotated[TasksPerNode, declare("Tasks per node", "task slots per node, one per chip")] = 4

    @property
    def unused(self) -> frozenset[str]:
        """Return the fields about D-links, if there is a single supernode."""
        return frozenset(("d_links", "d_gbs") if self.supernodes == 1 else ())

    @property
    def nodes_per_supernode(self) -> int:
        """Return n, the nodes of a supernode."""
        return self.drawers * self.nodes_per_drawer

    @property
    def bucket(self) -> int:
        """Return W, the nodes per bucket: D-links to supernodes equal mod W leave the same nodes."""
        return self.nodes_per_supernode // self.d_links

    @property
    def d_ports(self) -> float:
        """Return h, the number of D ports that a node uses; the hardware has `MAX_D_PORTS`."""
        return self.supernodes * self.d_links / self.nodes_per_supernode if self.supernodes > 1 else 0.0

    def summary(self) -> str:
        """Return the size and the D-ports used."""
        nodes = self.supernodes * self.nodes_per_supernode
        return f"{nodes:,} nodes · h = {self.d_ports:g} of {MAX_D_PORTS} D ports per node"

    def sized(self, nodes: int) -> Self:
        """Return the network with the supernodes closest to `nodes` nodes, and as many D-links as ports allow."""
        size = self.nodes_per_supernode
        supernodes = min(max(round(nodes / size), 2), MAX_SUPERNODES)
        fitting = [d for d in divisors(size) if d <= self.d_links and supernodes * d <= MAX_D_PORTS * size]
        return msgspec.structs.replace(self, supernodes=supernodes, d_links=max(fitting, default=1))

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return networks with `degree` L-links and D-ports per node in total, closest in size first.

        Among equally close sizes, networks with the same number of D-links between two supernodes come first.
        """
        size = self.nodes_per_supernode
        ports, specs = degree - (size - 1), []
        for d_links in (self.d_links, *divisors(size)) if ports > 0 else ():
            bucket = size // d_links
            # Each supernode equal modulo W takes a port of the same node; for W = 1, except its own.
            least, most = (ports + 1, ports + 1) if bucket == 1 else (bucket * (ports - 1) + 1, bucket * ports)
            supernodes = min(max(round(nodes / size), least, 2), most)
            if 2 <= supernodes <= MAX_SUPERNODES:
                specs.append(msgspec.structs.replace(self, supernodes=supernodes, d_links=d_links))
        return tuple(sorted(specs, key=lambda spec: off_by(spec.supernodes * size, nodes))[:4])

    def build(self, folder: Path | None = None) -> Network:
        """Return the network with its LL, LR and D links, in this order.

        Raises SpecError: if D-links do not divide the nodes of a supernode, or beyond `MAX_LINKS` links.
        """
        ns, size = self.supernodes, self.nodes_per_supernode
        if size % self.d_links:
            choices = ", ".join(map(str, divisors(size)))
            raise SpecError("network.d_links", f"must divide the {size} nodes of a supernode; give one of {choices}")
        links = ns * size * (size - 1) + ns * (ns - 1) * self.d_links
        check_size("network.supernodes", f"{ns:,} supernodes with {plural(self.d_links, 'D link')} per pair", links)
        node = np.arange(ns * size, dtype=np.int32)
        return network_from_edges(
            self,
            node.size,
            _edges(self),
            lambda _: ring_of_boxes(ns, rows=self.drawers, cols=self.nodes_per_drawer),
            slots=self.slots_per_node,
            levels=(
                Level("supernode", node // size, ns),
                Level("drawer", node // self.nodes_per_drawer, ns * self.drawers),
            ),
            cuts=_cuts(self),
            warnings=_warnings(self),
            label=lambda node: _label(self, node),
        )

    def linked_groups(self) -> LinkedGroups | None:
        """Return the supernodes if there are several; a place is a node."""
        if self.supernodes == 1:
            return None
        gates = np.arange(self.supernodes)[:, None] % self.bucket + np.arange(self.d_links) * self.bucket
        return LinkedGroups(
            groups=self.supernodes,
            places=self.nodes_per_supernode,
            room=self.slots_per_node,
            gates=np.broadcast_to(gates, (self.supernodes, *gates.shape)),
            drawer=self.nodes_per_drawer,
            near_gbs=self.ll_gbs,
            far_gbs=self.lr_gbs,
            between_gbs=self.d_gbs,
            striped=True,
            bucket=self.bucket,
        )

    def congruence(self, network: Network) -> Ints:
        """Return ``(u mod W) W + (v mod W)`` for L-links inside a bucket, else -1 (Chakaravarthy et al., section 6.1).

        Indirect routing loads the links of a class equally on its middle hop; each class has ns nd links.
        """
        (a, u), (b, v) = (np.divmod(ends, self.nodes_per_supernode) for ends in (network.src, network.dst))
        same = (a == b) & (u // self.bucket == v // self.bucket)
        return np.where(same, u % self.bucket * self.bucket + v % self.bucket, -1).astype(np.int32)


def divisors(number: int) -> list[int]:
    """Return all divisors, ascending; for the nodes of a supernode they are the valid numbers of D-links."""
    return [d for d in range(1, number + 1) if number % d == 0]


def local_links(spec: Percs) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the flat positions ``n u + v`` of the LL and of the LR links of a supernode, in link order."""
    size, mates = spec.nodes_per_supernode, spec.nodes_per_drawer
    u, v = np.divmod(np.arange(size * size), size)
    same = u // mates == v // mates
    return np.flatnonzero(same & (u != v)), np.flatnonzero(~same)


def remote_pairs(supernodes: int) -> NDArray[np.intp]:
    """Return the flat positions ``ns a + b``, a != b, of the supernode pairs, in the order of the D-links."""
    flat = np.arange(supernodes * supernodes)
    return np.asarray(flat[flat // supernodes != flat % supernodes])


def _edges(spec: Percs) -> list[EdgeList]:
    size = spec.nodes_per_supernode
    base = np.arange(spec.supernodes)[:, None] * size
    ll, lr = ((base + flat // size, base + flat % size) for flat in local_links(spec))
    a, b = np.divmod(remote_pairs(spec.supernodes)[:, None], spec.supernodes)
    j = np.arange(spec.d_links) * spec.bucket
    d = (a * size + j + b % spec.bucket, b * size + j + a % spec.bucket)
    classes = (("LL", spec.ll_gbs, ll), ("LR", spec.lr_gbs, lr), ("D", spec.d_gbs, d))
    return [
        EdgeList(name, gbs, u.ravel().astype(np.int32), v.ravel().astype(np.int32), one_way=True)
        for name, gbs, (u, v) in classes
    ]


def _cuts(spec: Percs) -> tuple[Cut, ...]:
    if spec.supernodes == 1:
        return ()
    out = (spec.supernodes - 1) * spec.d_links
    half, size = spec.supernodes // 2, spec.nodes_per_supernode
    return (
        Cut("one supernode", size, {"D": out}),
        Cut("half of the supernodes", half * size, {"D": half * (spec.supernodes - half) * spec.d_links}),
    )


def _warnings(spec: Percs) -> tuple[str, ...]:
    warnings = []
    if spec.d_ports > MAX_D_PORTS:
        warnings.append(f"cannot be built: needs {spec.d_ports:g} D ports per node, but a Power 775 has {MAX_D_PORTS}")
    if spec.d_ports != int(spec.d_ports):
        warnings.append(f"has an uneven number of D ports per node, h = {spec.d_ports:g} on average")
    return tuple(warnings)


def _label(spec: Percs, node: int) -> str:
    a, u = divmod(node, spec.nodes_per_supernode)
    return f"{a} · d{u // spec.nodes_per_drawer} · {u}"
