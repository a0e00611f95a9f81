"""Routing by forwarding tables: the next hop depends on the switch and the destination's LID alone."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.formats import AUTO, choice_of_format, read_of
from core.network.network import Network, NetworkSpec
from core.routing.closed_form import ClosedFormRouter, HopBatch
from core.routing.flows import Flags, Ints, NodeFlows, Nodes, Volumes
from core.routing.minimal.scheme import EqualRouter
from core.routing.path_order import Paths
from core.routing.router import Router, RoutingSpec
from core.routing.tables.dumps import FIELD, format_of
from core.routing.tables.fabric import Fabric, fabric_of
from core.routing.tables.forwarding import ForwardingTables
from core.routing.tables.kernel import Hops, carry, count_hops, follow, inject, reach
from core.spec import Progress, SpecError, declare, no_progress, parsing, path_in_folder

if TYPE_CHECKING:
    Format = str
else:
    Format = choice_of_format("routing")
File = Annotated[
    str,
    declare("File", "dump of forwarding tables in the scenario's folder", is_file=True, max_length=1024),
]
MAX_BYTES = 1 << 30
FROM_HOST, BETWEEN_SWITCHES, TO_HOST = range(3)
ROLES = ("from the host", "between switches", "to the host")
ROWS_AT_ONCE = 1 << 9
"""LIDs whose flows are carried between two calls of progress."""


class Tables(RoutingSpec, frozen=True, tag="tables"):
    """The forwarding tables of an InfiniBand fabric, as dumped from its switches or its subnet manager.

    A switch forwards by the destination's LID alone, so there is one path for each pair of LIDs. Flows are disconnected
    if a switch has no port for the LID, if the port has no cable or has failed, or if the path is a loop.
    """

    title: ClassVar[str] = "Forwarding tables"

    file: File | None = None
    format: Annotated[Format, declare("Format", "format of the file (auto: detected from the content)")] = "auto"
    lids: Annotated[
        Literal["first", "all"],
        declare(
            "LIDs",
            "LIDs to which a host's flows are sent (first: its base LID; all: equal shares to the 2^LMC LIDs of the "
            "port)",
        ),
    ] = "first"

    def check(self, network: Network) -> NetworkSpec:
        """Return the spec of a network with LIDs."""
        if network.src_ports is None or not network.src_ports.lid.any():
            raise SpecError(
                "routing.type",
                "tables supports InfiniBand fabrics with LIDs only, such as the output of ibnetdiscover; choose "
                "minimal with equal shares",
            )
        self.refuse_cables(network)
        return network.spec

    def router(self, network: Network) -> Router:
        """Return the router for a file with an absolute name."""
        return self.build(network, None)

    def build(self, network: Network, folder: Path | None) -> Router:
        """Return the router.

        Raises SpecError: if the file is missing or invalid, or its tables belong to another fabric.
        """
        self.check(network)
        path = path_in_folder(FIELD, self.file, folder, MAX_BYTES)
        with parsing(FIELD, path, "forwarding tables"):
            form = format_of(path) if self.format == AUTO else read_of("routing")[self.format]
            tables: ForwardingTables = form.read(path)
            fabric, notes = fabric_of(network, tables, self.lids == "all")
        router = TableRouter(network, fabric)
        router.tables = tables
        router.source, router.contents, router.warnings = form.title, (tables.summary,), tables.warnings + notes
        return router

    def summary(self) -> str:
        """Return the file's name."""
        return f"forwarding tables from {self.file}" if self.file else "no file chosen"


class TableRouter(ClosedFormRouter):
    """Paths along forwarding tables, equally many flows over the NICs of the source.

    NIC i of a source sends to NIC i of the destination, modulo its number of NICs, and to its LIDs in equal shares.
    """

    roles = ROLES
    tables: ForwardingTables | None = None
    """The tables as in the file."""

    def __init__(self, network: Network, fabric: Fabric, failed: Flags | None = None) -> None:
        super().__init__(network)
        self.fabric = fabric
        self._usable = np.ones(network.links, np.bool_) if failed is None else ~failed
        single = bool((np.diff(fabric.nics.row_start) == 1).all())
        self.memoryless = single and bool((np.diff(fabric.nics.start) <= 1).all())

    @cached_property
    def hop_counts(self) -> Hops:
        """Return the hops from each switch to each LID, shape ``(rows, switches)``; -1 without a path."""
        return count_hops(self.fabric, self._usable)

    def reaches(self, src: Nodes, dst: Nodes) -> Flags:
        """Return whether all paths of each flow arrive."""
        reached = np.empty(src.size, np.bool_)
        reach(self.fabric, self._usable, self.hop_counts, src, dst, reached)
        return reached

    @cached_property
    def complete(self) -> bool:
        """Return whether there is a path between any two nodes."""
        node, first = np.arange(self.network.nodes, dtype=np.int32), self._distinct_nodes
        return all(self.reaches(np.full_like(node, u), node).all() for u in first.tolist())

    @cached_property
    def _distinct_nodes(self) -> Ints:
        # One node for each set of switches: other nodes on the same switches have the same paths.
        nics, heads = self.fabric.nics, self.fabric.head[self.fabric.nics.link].tolist()
        ends = [tuple(heads[a:b]) for a, b in zip(nics.start[:-1].tolist(), nics.start[1:].tolist(), strict=True)]
        return np.array(list(dict(zip(ends, range(len(ends)), strict=True)).values()), np.int32)

    def loads(self, flows: Iterable[NodeFlows], progress: Progress = no_progress) -> Volumes:
        """Return the load of every link."""
        loads, entering = np.zeros(self.network.links), np.zeros(self.hop_counts.shape)
        for block in flows:
            inject(self.fabric, self.hop_counts, *block, entering, loads)
        rows = self.fabric.lid.size
        for first in range(0, rows, ROWS_AT_ONCE):
            progress(first / rows)
            carry(self.fabric, self.hop_counts, first, min(first + ROWS_AT_ONCE, rows), entering, loads)
        return loads

    def paths(self, src: Nodes, dst: Nodes) -> Paths:
        """Return the path of every flow, if nodes have one NIC and one LID each."""
        return Paths(*follow(self.fabric, self._usable, self.hop_counts, src, dst))

    def hop_batches(self, src: Nodes, dst: Nodes) -> Iterator[HopBatch]:
        """Yield the hops of flows that arrive, path by path, link by link."""
        reached = self.reaches(src, dst) & (src != dst)
        for which, nic, row, share in self._paths(src, dst, reached):
            link, goes = np.zeros(src.size, np.int32), np.zeros(src.size, np.bool_)
            link[which], goes[which] = self.fabric.nics.link[nic], True
            yield HopBatch(FROM_HOST, goes, link, share)
            yield from self._onward(link, goes, row, share)

    def _onward(self, link: Nodes, goes: Flags, row: Ints, share: float) -> Iterator[HopBatch]:
        fabric, rows = self.fabric, np.zeros(link.size, np.int64)
        rows[goes] = row
        while True:
            head = fabric.head[link]
            goes = goes & (head >= fabric.nodes)
            if not goes.any():
                return
            switch = np.where(goes, head - fabric.nodes, 0)
            link = np.where(goes, fabric.link_at[switch, fabric.ports[rows, switch]], 0)
            last = fabric.head[link] < fabric.nodes
            for role, some in ((BETWEEN_SWITCHES, goes & ~last), (TO_HOST, goes & last)):
                if some.any():
                    yield HopBatch(role, some, link, share)

    def _paths(self, src: Nodes, dst: Nodes, reached: Flags) -> Iterator[tuple[Ints, Ints, Ints, float]]:
        """Yield paths with equal shares: their flows, NICs, rows, and the share of each path."""
        nics = self.fabric.nics
        count = np.where(reached, nics.start[src + 1] - nics.start[src], 0)
        for k in range(int(count.max(initial=0))):
            flow = np.flatnonzero(count > k)
            peers = nics.start[dst[flow] + 1] - nics.start[dst[flow]]
            other = nics.start[dst[flow]] + k % peers
            rows = nics.row_start[other + 1] - nics.row_start[other]
            parts = count[flow] * rows
            for j in range(int(rows.max(initial=0))):
                for number in np.unique(parts[rows > j]).tolist():
                    some = (rows > j) & (parts == number)
                    yield flow[some], nics.start[src[flow[some]]] + k, nics.row_start[other[some]] + j, 1 / number

    def nearest(self) -> NDArray[np.int64] | None:
        """Return the distances of minimal routing, which are lower bounds."""
        return EqualRouter(self.network).nearest()

    def updates(self, flows: int) -> int:
        """Return the number of links of the longest path for each flow and path."""
        longest = int(self.hop_counts.max(initial=0)) + 1
        return flows * longest * self._most_paths

    @cached_property
    def _most_paths(self) -> int:
        nics = self.fabric.nics
        return int(np.diff(nics.start).max(initial=1) * np.diff(nics.row_start).max(initial=1))

    def share_quantum(self, name: str) -> Fraction:
        """Return the unit fraction that divides all shares."""
        nics = self.fabric.nics
        counts = [lcm(*(n for n in set(np.diff(starts).tolist()) if n)) for starts in (nics.start, nics.row_start)]
        return Fraction(1, counts[0] * counts[1])
