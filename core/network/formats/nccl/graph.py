"""Copies of the servers in a topology file, joined at their NICs by switches."""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

import numpy as np

from core.network.formats.graph_builder import UNKNOWN
from core.network.formats.nccl.pci_tree import ServersRead
from core.network.formats.nccl.server import Server
from core.network.formats.parsed_graph import Block, ParsedGraph, check_edges, wrong
from core.network.layouts.servers import Kind, Part, servers_and_switches
from core.network.network import Ints

Fabric = Literal["none", "rail", "single"]
"""How NICs are joined: not at all; NIC i of every server by switch i; all by one switch."""
CLASSES = ("nvlink", "xgmi", "c2c", "pcie", "numa", "net")
"""Link classes in the order of a network's classes."""


class _Edge(NamedTuple):
    u: int
    v: int
    name: str
    gbs: float


class _Vertices(NamedTuple):
    """All vertices: the GPUs, server by server; the others, server by server; switches outside of servers."""

    names: list[str]
    of: list[Ints]
    """Number of each vertex of each server, ``(vertices,)``."""
    gpus: int
    outside: int
    """The first switch outside of servers."""


def graph_of(read: ServersRead, copies: int, fabric: Fabric) -> ParsedGraph:
    """Return the graph of copies of the servers, each GPU a node.

    Raises SpecError: if a fabric joins servers without NICs, or there are too many links.
    """
    servers = read.servers * copies
    ports = max(len(server.nets) for server in servers)
    if fabric != "none" and not ports:
        raise wrong(f"has no NIC, so the fabric {fabric} joins nothing; choose none")
    check_edges(copies * sum(len(server.links) + len(server.nets) for server in read.servers))
    vertices = _numbered(servers, len(read.servers))
    switches = {"none": [], "rail": [f"rail{port}" for port in range(ports)], "single": ["switch"]}[fabric]
    first = len(vertices.names)
    vertices.names.extend(switches)
    edges = [*_edges(servers, vertices.of, first, len(switches))]
    kinds = [name for name in CLASSES if any(edge.name == name for edge in edges)]
    parts = [Part(number, server.kinds, server.parents) for number, server in zip(vertices.of, servers, strict=True)]
    equal = len({server.gpus for server in servers}) == 1
    return ParsedGraph(
        vertices.names,
        np.array([edge.u for edge in edges], np.int32),
        np.array([edge.v for edge in edges], np.int32),
        np.array([edge.gbs for edge in edges]),
        hosts=np.arange(len(vertices.names)) < vertices.gpus,
        kind=np.array([kinds.index(edge.name) for edge in edges], np.intp),
        kinds=tuple(kinds),
        blocks=_blocks(servers, vertices) if equal else (),
        layout=lambda network: servers_and_switches(network, parts, vertices.outside),
        warnings=read.notes,
        devices=True,
        servers=_names(servers) if equal and len(servers) > 1 else (),
    )


def _edges(servers: Sequence[Server], numbers: Sequence[Ints], first: int, switches: int) -> Iterator[_Edge]:
    """Yield the links of all servers, and the links of their NICs to switches, the first of which is `first`."""
    for server, number in zip(servers, numbers, strict=True):
        of = number.tolist()
        for u, v, name, gbs in server.links:
            yield _Edge(of[u], of[v], name, gbs)
        for port, (nic, rate) in enumerate(server.nets if switches else ()):
            yield _Edge(of[nic], first + min(port, switches - 1), "net", UNKNOWN if rate is None else rate)


def _names(servers: Sequence[Server]) -> tuple[str, ...]:
    return tuple(f"s{place}" for place in range(len(servers)))


def _numbered(servers: Sequence[Server], of_copy: int) -> _Vertices:
    """Return the vertices; the `of_copy` servers of a file with several share their NVSwitches."""
    prefixes = [f"{name}-" if len(servers) > 1 else "" for name in _names(servers)]
    named = list(zip(prefixes, servers, strict=True))
    names = [prefix + name for prefix, server in named for name in server.names[: server.gpus]]
    numbers, gpus, first = list[Ints](), len(names), 0
    elsewhere = (Kind.GPU, Kind.NVSWITCH) if of_copy > 1 else (Kind.GPU,)
    for prefix, server in named:
        number = np.full(len(server.names), -1, np.int32)
        number[: server.gpus] = first + np.arange(server.gpus)
        own = [vertex for vertex, kind in enumerate(server.kinds) if kind not in elsewhere]
        number[own] = len(names) + np.arange(len(own))
        names += [prefix + server.names[vertex] for vertex in own]
        numbers.append(number)
        first += server.gpus
    outside = len(names)
    for start in range(0, len(servers), of_copy):
        shared = [number for number in numbers[start : start + of_copy] if (number < 0).any()]
        for number in shared:
            number[number < 0] = len(names)
        if shared:
            names.append(f"nvswitch{start // of_copy}" if len(servers) > of_copy else "nvswitch")
    return _Vertices(names, numbers, gpus, outside)


def _blocks(servers: Sequence[Server], vertices: _Vertices) -> tuple[Block, ...]:
    """Return the levels of servers and of CPUs, the latter only if CPUs with GPUs have equally many."""
    server_of, cpu_of = (np.full(len(vertices.names), -1, np.int32) for _ in range(2))
    cpus = list[str]()
    for place, (server, number) in enumerate(zip(servers, vertices.of, strict=True)):
        above = [server.cpu_above(vertex) for vertex in range(len(server.names))]
        group = {cpu: len(cpus) + k for k, cpu in enumerate(dict.fromkeys(above[: server.gpus]))}
        cpus += [vertices.names[number[cpu]] for cpu in group]
        own = number < vertices.outside
        server_of[number[own]] = place
        cpu_of[number[own]] = np.array([group.get(cpu, -1) for cpu in above], np.int32)[own]
    gpus, each = vertices.gpus, servers[0].gpus
    blocks = [Block("server", each, server_of[gpus:], _names(servers))]
    at_cpu = np.bincount(cpu_of[:gpus])
    if (at_cpu == at_cpu[0]).all() and at_cpu[0] < each:
        blocks.append(Block("CPU", int(at_cpu[0]), cpu_of[gpus:], tuple(cpus), cpu_of[:gpus]))
    return tuple(blocks)
