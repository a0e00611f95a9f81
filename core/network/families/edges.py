"""Any graph from a file: an edge list, or a format of schedulers, fabrics, simulators or graph tools.

Vertices that host tasks come first, in the order of the file, then switches. Link classes are formed by the kinds of
the ends, and by bandwidth.
"""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from core.formats import choice_of_format
from core.network.adjacency import components, distinct
from core.network.formats import FIELD, OPTIONS, ParsedGraph, read_graph, wrong
from core.network.formats.host_choice import hosts_by
from core.network.formats.infiniband.hosts import LEAVE_OUT, NODE_OF
from core.network.formats.own_nics import with_own_nics
from core.network.layout import Layout
from core.network.layouts.force_directed import at_positions, force_directed
from core.network.layouts.levels import in_levels
from core.network.network import Gbs, Ints, Level, Network, NetworkSpec, TasksPerNode
from core.network.nics import on_hosts
from core.network.ports import at_both_ends
from core.network.tree_recognition import recognise_tree
from core.network.wiring import EdgeList, network_from_edges
from core.spec import SpecError, declare, errors_naming
from core.text import plural

if TYPE_CHECKING:
    Format = str
else:
    Format = choice_of_format("network")
File = Annotated[
    str,
    declare("File", "graph or topology file in the scenario's folder", is_file=True, max_length=1024),
]
MAX_CLASSES = 24
"""Link classes; more could not be distinguished."""
KINDS = ("switch link", "node link", "direct link")
"""Classes by the number of their ends that are nodes."""
MAX_NAME = 64
"""Characters of a vertex's name."""
NAMED = 4
"""Vertices named in a warning."""


class Edges(NetworkSpec, frozen=True, tag="edges"):
    """Any network from a file: an edge list, GraphML, DOT, or a scheduler, fabric or simulator format."""

    title: ClassVar[str] = "Graph from a file"

    file: File | None = None
    format: Annotated[Format, declare("Format", "format of the file (auto: detected from the content)")] = "auto"
    hosts: Annotated[
        str,
        declare(
            "Nodes",
            "vertices that host tasks: all or leaves (vertices with a single link) if the file gives no roles; or, "
            "for any file, a host list such as h[1-16] or a regular expression such as /^node/",
            max_length=4096,
        ),
    ] = "all"
    gbs: Annotated[
        Gbs, declare("Bandwidth", "bandwidth of links for which the file gives none, per direction", unit="GB/s")
    ] = 12.5
    unknown_gbs: Annotated[
        Gbs | None,
        declare(
            "Unknown rates",
            "bandwidth of InfiniBand links whose rate has no meaning here, such as 4x ??? (default: gbs)",
            unit="GB/s",
        ),
    ] = None
    node_of: Annotated[
        str,
        declare(
            "Host names",
            "regular expression for descriptions of InfiniBand adapters; its first group is the host's name, and "
            "adapters of one host are one node",
            min_length=1,
            max_length=256,
        ),
    ] = NODE_OF
    leave_out: Annotated[
        str,
        declare(
            "Leave out",
            "regular expression for descriptions of InfiniBand adapters that are not hosts, such as units for SHARP "
            "(empty: none)",
            max_length=256,
        ),
    ] = LEAVE_OUT
    servers: Annotated[
        int, declare("Servers", "copies of the server in a topology file of NCCL (k)", ge=1, le=4096)
    ] = 1
    fabric: Annotated[
        Literal["none", "rail", "single"],
        declare(
            "Fabric",
            "switches that join the NICs of servers (none: not joined; rail: a switch for NIC i of every server; "
            "single: one switch)",
        ),
    ] = "none"
    nvlink_gbs: Annotated[
        Gbs | None,
        declare(
            "NVLink",
            "bandwidth of an NVLink or xGMI link of a GPU, per direction (default: by its generation)",
            unit="GB/s",
        ),
    ] = None
    numa_gbs: Annotated[
        Gbs | None,
        declare("CPU links", "bandwidth between two CPUs of a server, per direction (default: 10)", unit="GB/s"),
    ] = None
    slots_per_node: TasksPerNode = 1
    nics: Annotated[
        Literal["shared", "own"],
        declare(
            "NICs",
            "NICs of a host (shared: the host is a node, and its tasks use all links; own: every NIC is a node)",
        ),
    ] = "shared"

    def port_counts(self, network: Network) -> Ints | None:
        """Return the number of ports; None if the file has none."""
        return network.port_counts

    def summary(self) -> str:
        """Return the file's name."""
        return (
            f"graph from {self.file}" if self.file else "an edge list, GraphML, or a Slurm or InfiniBand topology ..."
        )

    def build(self, folder: Path | None = None) -> Network:
        """Return the network.

        Raises SpecError: if the file is missing or invalid, or has fewer than two nodes that host tasks.
        """
        graph = read_graph(self.file, folder, self.format, self._options())
        with errors_naming(FIELD, Path(self.file or "")):
            return self._built(graph)

    def _options(self) -> dict[str, Any]:
        """Return the fields for some formats only that are not at their defaults."""
        given, default = msgspec.structs.asdict(self), msgspec.structs.asdict(Edges())
        return {field: given[field] for field in OPTIONS if given[field] != default[field]}

    def _built(self, graph: ParsedGraph) -> Network:
        hosts = hosts_by(self.hosts, graph)
        if graph.hosts is not None and not np.array_equal(hosts, graph.hosts):
            # Levels, servers and drawings assume the hosts of the file.
            graph = replace(graph, blocks=(), layout=None, servers=())
        host_names = [name for name, host in zip(graph.names, hosts.tolist(), strict=True) if host]
        nics = None
        if self.nics == "own" and graph.devices:
            raise SpecError("network.nics", "is own, but nodes of the file are GPUs, not NICs; choose shared")
        if self.nics == "own":
            graph, count = with_own_nics(graph, hosts)
            nics, hosts = count[hosts], np.repeat(hosts, count)
        order = np.concatenate([np.flatnonzero(hosts), np.flatnonzero(~hosts)])
        nodes = int(hosts.sum())
        if nodes < 2:
            cure = "choose hosts=all to make every vertex a node" if graph.hosts is None and self.hosts != "all" else ""
            few = "1 vertex that hosts tasks" if nodes == 1 else f"{nodes} vertices that host tasks"
            raise wrong(f"has {few}; {cure or 'at least two are needed'}")
        number = np.empty(order.size, np.int32)
        number[order] = np.arange(order.size, dtype=np.int32)
        names = [_line(graph.names[vertex]) for vertex in order.tolist()]
        src, dst = number[graph.src], number[graph.dst]
        gbs = np.where(np.isnan(graph.gbs), self.gbs, graph.gbs)
        switches = order.size - nodes
        levels, group = (
            _levels(graph, nodes, names[nodes:]) if graph.blocks else _by_switch(src, dst, nodes, names[nodes:])
        )
        places = None if graph.positions is None else graph.positions[order]
        edges, edge_order = _edges(graph, src, dst, gbs, nodes)
        src_ports, dst_ports = at_both_ends(graph.ports, edge_order) if graph.ports else (None, None)
        network = network_from_edges(
            self,
            nodes,
            edges,
            graph.layout or (lambda network: _drawn(network, places)),
            slots=self.slots_per_node,
            switches=switches,
            switch_group=None if group is None else _each_alone(group, levels),
            levels=levels,
            label=names.__getitem__,
            warnings=graph.warnings + _warnings(graph, names, src, dst),
            find_tree=recognise_tree,
        )
        network = replace(
            network,
            closed=nodes if graph.ports and _has_transit(src, dst, nodes) else 0,
            hosts=graph.servers or _host_names(host_names),
            devices=graph.devices,
            source=graph.source,
            src_ports=src_ports,
            dst_ports=dst_ports,
            port_counts=_port_counts(network, graph.free_ports, order),
        )
        if graph.servers:
            each = nodes // len(graph.servers)
            return replace(network, nics=np.full(len(graph.servers), each, np.int32))
        return network if nics is None or (nics == 1).all() else on_hosts(network, nics)


def _port_counts(network: Network, free: Ints | None, order: NDArray[np.intp]) -> Ints | None:
    """Return the number of ports of each vertex, with links or free, given the free ports in the order of the file."""
    if free is None:
        return None
    return (free[order] + np.bincount(network.src, minlength=order.size)).astype(np.int32)


def _line(name: str) -> str:
    """Return a name as a label, which is a single, short line."""
    return " ".join(name.split())[:MAX_NAME]


def _has_transit(src: Ints, dst: Ints, nodes: int) -> bool:
    """Return whether a path could lead through a node."""
    low, high = _pairs(src, dst, int(max(src.max(), dst.max())) + 1)
    neighbours = np.bincount(np.concatenate([low, high]))
    return bool((neighbours[:nodes] > 1).any())


def _drawn(network: Network, places: NDArray[np.float64] | None) -> Layout:
    """Return the picture with the file's positions; without any, a hierarchy in levels, and other graphs by forces."""
    if places is not None:
        return at_positions(network, places)
    return in_levels(network) or force_directed(network)


def _host_names(given: list[str]) -> tuple[str, ...]:
    # Usable as host names: unique, without blanks.
    names = [_line(name) for name in given]
    sound = len(set(names)) == len(names) and not any(" " in name or not name for name in names)
    return tuple(names) if sound else ()


def _pairs(src: Ints, dst: Ints, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct pairs of linked vertices."""
    low, high = np.minimum(src, dst).astype(np.int64), np.maximum(src, dst)
    both = distinct(low * count + high)
    return both // count, both % count


def _edges(
    graph: ParsedGraph, src: Ints, dst: Ints, gbs: NDArray[np.float64], nodes: int
) -> tuple[list[EdgeList], NDArray[np.intp]]:
    """Return the edges by class, and their order: indices into the edges of the graph."""
    kinds, kind = graph.kinds, graph.kind
    if kind is None:
        # The number of ends that are nodes.
        kinds, kind = KINDS, (src < nodes).astype(np.intp) + (dst < nodes)
        kinds = kinds if (kind < len(KINDS) - 1).any() else ("", "", "link")
    classes = np.unique(np.column_stack([kind, -gbs]), axis=0)
    if len(classes) > MAX_CLASSES:
        raise wrong(f"has {len(classes):,} kinds and bandwidths of links; at most {MAX_CLASSES} are supported")
    edges: list[EdgeList] = []
    order = [np.zeros(0, np.intp)]
    for which, width in classes.tolist():
        name = kinds[int(which)]
        widths = -classes[classes[:, 0] == which, 1]
        if widths.size > 1:
            name += f" {_width_text(-width, widths)} GB/s"
        some = np.flatnonzero((kind == which) & (gbs == -width))
        edges.append(EdgeList(name, -width, src[some], dst[some], one_way=graph.directed))
        order.append(some)
    return edges, np.concatenate(order)


def _width_text(width: float, widths: NDArray[np.float64]) -> str:
    """Return a bandwidth in at most four digits, unless another one has the same text."""
    texts = [np.format_float_positional(each, 4, fractional=False, trim="-") for each in widths.tolist()]
    text = np.format_float_positional(width, 4, fractional=False, trim="-")
    return text if texts.count(text) == 1 else np.format_float_positional(width, trim="-")


def _levels(graph: ParsedGraph, nodes: int, switches: list[str]) -> tuple[tuple[Level, ...], Ints | None]:
    """Return the levels in the file, and the coarsest group of each switch, given the names of the switches."""
    host = np.arange(nodes, dtype=np.int32)
    blocks = [block for block in graph.blocks if 1 < block.hosts < nodes]
    levels = []
    for block in blocks:
        count = nodes // block.hosts
        group = host // block.hosts if block.group is None else block.group
        names = block.names or _names_of_groups(block.switches, count, switches)
        levels.append(Level(block.name, group, count, names))
    return tuple(levels), blocks[0].switches if blocks else None


def _names_of_groups(group: Ints, count: int, switches: list[str]) -> tuple[str, ...]:
    """Return the name of the switch of each group if each has exactly one switch, else none."""
    inside = np.flatnonzero(group >= 0)
    if not np.array_equal(np.sort(group[inside]), np.arange(count)):
        return ()
    return tuple(switches[place] for place in inside[np.argsort(group[inside])].tolist())


def _each_alone(group: Ints, levels: tuple[Level, ...]) -> Ints:
    """Return the groups of switches, where every switch outside a group becomes a group of its own."""
    none = group < 0
    return np.where(none, (levels[0].count if levels else 0) + np.cumsum(none) - 1, group).astype(np.int32)


def _by_switch(src: Ints, dst: Ints, nodes: int, switches: list[str]) -> tuple[tuple[Level, ...], Ints | None]:
    """Return the level of nodes by switch, if each node has one switch and all switches have equally many nodes."""
    low, high = _pairs(src, dst, nodes + len(switches))
    host, above = low[low < nodes], high[low < nodes]
    # One pair for each node: no node has two switches, or a link to another node.
    if not np.array_equal(host, np.arange(nodes)) or (above < nodes).any():
        return (), None
    lowest, group, count = np.unique(above, return_inverse=True, return_counts=True)
    if lowest.size < 2 or count[0] < 2 or (count != count[0]).any():
        return (), None
    switch_group = np.full(len(switches), -1, np.int32)
    switch_group[lowest - nodes] = np.arange(lowest.size)
    names = _names_of_groups(switch_group, lowest.size, switches)
    return (Level("switch", group.astype(np.int32), lowest.size, names),), switch_group


def _warnings(graph: ParsedGraph, names: list[str], src: Ints, dst: Ints) -> tuple[str, ...]:
    warnings = []
    first, other = (src, dst) if graph.directed else (np.minimum(src, dst), np.maximum(src, dst))
    _, times = np.unique(first.astype(np.int64) * len(names) + other, return_counts=True)
    several = int((times > 1).sum())
    if several and not graph.kinds and graph.ports is None:
        pairs = plural(several, "pair")
        warnings.append(f"lists {pairs} of vertices more than once, which gives parallel links")
    component = components(src, dst, len(names), graph.directed)
    count = int(component.max(initial=-1)) + 1
    if count > 1:
        outside = np.flatnonzero(component != component[0])
        some = ", ".join(names[vertex] for vertex in outside[:NAMED]) + (" ..." if outside.size > NAMED else "")
        paths = "no paths in both directions" if graph.directed else "no path"
        warnings.append(f"has {count:,} connected components, with {paths} between {names[0]} and {some}")
    return tuple(warnings)
