"""IBM Power 775 (PERCS): a two-level direct network, all-to-all at both levels.

Source: Chakaravarthy et al., "Mapping strategies for the PERCS architecture", 2012, section 2. The D-link of
bucket j from supernode a to b leaves node ``s(j, b) = j W + (b mod W)`` of a and reaches node ``s(j, a)`` of
b, with W = 32 / nd.
"""

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.network.layout import ring_of_boxes
from core.network.network import Cut, Gbs, Ints, Level, Network, NetworkSpec, TasksPerNode, check_size
from core.network.sizes import off_by
from core.network.wiring import EdgeList, network_from_edges
from core.spec import declare
from core.text import plural

SUPERNODE = 32
"""Nodes in a supernode."""
DRAWER = 8
"""Nodes in a drawer."""
D_LINKS = (1, 2, 4, 8, 16, 32)
"""D-links between two supernodes that nodes can take evenly."""
MAX_SUPERNODES = 4096
MAX_D_PORTS = 16
"""Of a Power 775 node."""


class Percs(NetworkSpec, frozen=True, tag="percs"):
    """IBM Power 775: supernodes of 32 nodes in 4 drawers, all-to-all inside and between supernodes."""

    title: ClassVar[str] = "Power 775 (PERCS)"
    congruence_name: ClassVar[str] = "congruence class"

    supernodes: Annotated[int, declare("Supernodes", "supernodes of 32 nodes", ge=1, le=MAX_SUPERNODES)] = 32
    d_links: Annotated[
        Literal[1, 2, 4, 8, 16, 32], declare("D-links / pair", "D-links between each pair of supernodes")
    ] = 4
    ll_gbs: Annotated[Gbs, declare("LL", "link inside a drawer, per direction", unit="GB/s")] = 21.0
    lr_gbs: Annotated[Gbs, declare("LR", "link between drawers of a supernode, per direction", unit="GB/s")] = 5.0
    d_gbs: Annotated[Gbs, declare("D", "link between supernodes, per direction", unit="GB/s")] = 10.0
    slots_per_node: Annotated[TasksPerNode, declare("Tasks per node", "tasks (chips) a node hosts")] = 4

    @property
    def bucket(self) -> int:
        """Return W, the nodes per bucket: D-links to supernodes equal mod W leave the same nodes."""
        return SUPERNODE // self.d_links

    @property
    def d_ports(self) -> float:
        """Return h, the D-ports a node uses; the hardware has `MAX_D_PORTS`."""
        return self.supernodes * self.d_links / SUPERNODE if self.supernodes > 1 else 0.0

    def summary(self) -> str:
        """Return the size and the D-ports used."""
        return f"{self.supernodes * SUPERNODE:,} nodes · h = {self.d_ports:g} of {MAX_D_PORTS} D-ports per node"

    def sized(self, nodes: int) -> Self:
        """Return the network with so many supernodes, at least 2, and as many D-links as there are ports for."""
        supernodes = min(max(round(nodes / SUPERNODE), 2), MAX_SUPERNODES)
        fitting = [d for d in D_LINKS if d <= self.d_links and supernodes * d <= MAX_D_PORTS * SUPERNODE]
        return msgspec.structs.replace(self, supernodes=supernodes, d_links=max(fitting, default=1))

    def of_degree(self, nodes: int, degree: int) -> tuple[Self, ...]:
        """Return those with so many D-ports beside the 31 L-links of a node, in the order of how near their sizes come.

        Those with as many D-links between two supernodes as this one come first among equals.
        """
        ports, found = degree - (SUPERNODE - 1), []
        for d_links in (self.d_links, *D_LINKS) if ports > 0 else ():
            bucket = SUPERNODE // d_links
            # Of the supernodes equal modulo W each takes a port of the same node; of W = 1 but for its own.
            least, most = (ports + 1, ports + 1) if bucket == 1 else (bucket * (ports - 1) + 1, bucket * ports)
            supernodes = min(max(round(nodes / SUPERNODE), least, 2), most)
            if 2 <= supernodes <= MAX_SUPERNODES:
                found.append(msgspec.structs.replace(self, supernodes=supernodes, d_links=d_links))
        return tuple(sorted(found, key=lambda spec: off_by(spec.supernodes * SUPERNODE, nodes))[:4])

    def build(self, folder: Path | None = None) -> Network:
        """Return the network with its LL, LR and D links, in this order.

        Raises SpecError: beyond `MAX_LINKS` links.
        """
        ns = self.supernodes
        links = ns * SUPERNODE * (SUPERNODE - 1) + ns * (ns - 1) * self.d_links
        check_size("network.supernodes", f"{ns:,} supernodes with {plural(self.d_links, 'D-link')} per pair", links)
        node = np.arange(ns * SUPERNODE, dtype=np.int32)
        return network_from_edges(
            self,
            node.size,
            _edges(self),
            lambda _: ring_of_boxes(ns, rows=SUPERNODE // DRAWER, cols=DRAWER),
            slots=self.slots_per_node,
            levels=(
                Level("supernode", node // SUPERNODE, ns),
                Level("drawer", node // DRAWER, ns * SUPERNODE // DRAWER),
            ),
            cuts=_cuts(self),
            warnings=_warnings(self),
            label=_label,
        )

    def congruence(self, network: Network) -> Ints:
        """Return ``(u mod W) W + (v mod W)`` for L-links inside a bucket, else -1 (Chakaravarthy et al., section 6.1).

        Indirect routing loads the links of one class alike on its middle hop; each class has ns nd links.
        """
        u, v = network.src % SUPERNODE, network.dst % SUPERNODE
        same = (u // self.bucket == v // self.bucket) & (network.src // SUPERNODE == network.dst // SUPERNODE)
        return np.where(same, u % self.bucket * self.bucket + v % self.bucket, -1).astype(np.int32)


def local_links() -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the flat positions ``32 u + v`` of the LL and of the LR links of a supernode, in link order."""
    u, v = np.divmod(np.arange(SUPERNODE * SUPERNODE), SUPERNODE)
    same = u // DRAWER == v // DRAWER
    return np.flatnonzero(same & (u != v)), np.flatnonzero(~same)


def remote_pairs(supernodes: int) -> NDArray[np.intp]:
    """Return the flat positions ``ns a + b``, a != b, of the supernode pairs, in the order of the D-links."""
    flat = np.arange(supernodes * supernodes)
    return np.asarray(flat[flat // supernodes != flat % supernodes])


def _edges(spec: Percs) -> list[EdgeList]:
    base = np.arange(spec.supernodes)[:, None] * SUPERNODE
    ll, lr = ((base + flat // SUPERNODE, base + flat % SUPERNODE) for flat in local_links())
    a, b = np.divmod(remote_pairs(spec.supernodes)[:, None], spec.supernodes)
    j = np.arange(spec.d_links) * spec.bucket
    d = (a * SUPERNODE + j + b % spec.bucket, b * SUPERNODE + j + a % spec.bucket)
    classes = (("LL", spec.ll_gbs, ll), ("LR", spec.lr_gbs, lr), ("D", spec.d_gbs, d))
    return [
        EdgeList(name, gbs, u.ravel().astype(np.int32), v.ravel().astype(np.int32), one_way=True)
        for name, gbs, (u, v) in classes
    ]


def _cuts(spec: Percs) -> tuple[Cut, ...]:
    if spec.supernodes == 1:
        return ()
    out = (spec.supernodes - 1) * spec.d_links
    half = spec.supernodes // 2
    return (
        Cut("one supernode", SUPERNODE, {"D": out}),
        Cut("half of the supernodes", half * SUPERNODE, {"D": half * (spec.supernodes - half) * spec.d_links}),
    )


def _warnings(spec: Percs) -> tuple[str, ...]:
    found = []
    if spec.d_ports > MAX_D_PORTS:
        found.append(f"needs {spec.d_ports:g} D-ports per node; Power 775 has {MAX_D_PORTS}: it cannot be built")
    if spec.d_ports != int(spec.d_ports):
        found.append(f"h = {spec.d_ports:g} D-ports per node is not whole: some nodes would have more than others")
    return tuple(found)


def _label(node: int) -> str:
    a, u = divmod(node, SUPERNODE)
    return f"{a} · d{u // DRAWER} · {u}"
