"""Hosts of a file split into their NICs, for networks in which each NIC is an endpoint of its own."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.network.formats.parsed_graph import ParsedGraph, shown
from core.network.network import Ints, nic_names
from core.spec import SpecError

FIELD = "network.nics"
Ends = NDArray[np.intp]


def with_own_nics(graph: ParsedGraph, hosts: NDArray[np.bool_]) -> tuple[ParsedGraph, Ints]:
    """Return the graph with a vertex for each NIC of a host, and the number of vertices of each, ``(vertices,)``.

    The NICs of a host are consecutive, by the numbers in the file. If the file numbers no NICs, every link of a host is
    a NIC.

    Raises SpecError: if the file numbers no NICs, and links are one-way or a host with several is linked to a host.
    """
    ends = np.concatenate([graph.src, graph.dst]).astype(np.intp)
    given = np.full(ends.size, -1) if graph.ports is None else graph.ports.nic
    nic = np.where(hosts[ends], np.where(given < 0, _in_order(ends), given), 0)
    # The NICs of a host that have a link are numbered from 0.
    wide = int(nic.max(initial=0)) + 1
    seen, place = np.unique(ends * wide + nic, return_inverse=True)
    owner = seen // wide
    first = np.searchsorted(owner, owner)
    count = np.maximum(np.bincount(owner, minlength=hosts.size), 1).astype(np.int32)
    guessed = np.zeros(hosts.size, np.bool_)
    guessed[ends[given < 0]] = True
    _check(graph, hosts, hosts & guessed & (count > 1))
    start = np.cumsum(count) - count
    vertex = (start[ends] + (np.arange(owner.size) - first)[place]).astype(np.int32)
    return _split(graph, hosts, count, vertex), count


def _in_order(ends: Ends) -> Ends:
    # The number of each end among the ends of its vertex, in the order of edges.
    order = np.lexsort((np.arange(ends.size) % (ends.size // 2), ends)) if ends.size else ends
    number = np.empty_like(ends)
    number[order] = np.arange(ends.size) - np.searchsorted(ends[order], ends[order])
    return number


def _check(graph: ParsedGraph, hosts: NDArray[np.bool_], several: NDArray[np.bool_]) -> None:
    direct = hosts[graph.src] & hosts[graph.dst] & (several[graph.src] | several[graph.dst])
    if direct.any():
        edge = int(direct.argmax())
        names = " and ".join(shown(graph.names[int(end[edge])]) for end in (graph.src, graph.dst))
        why = f"the hosts {names} are linked; links are NICs only if they lead to switches"
        raise SpecError(FIELD, f"is own, but {why}; choose shared")
    if graph.directed and several.any():
        raise SpecError(FIELD, "is own, but the file has one-way links, which NICs do not have; choose shared")


def _split(graph: ParsedGraph, hosts: NDArray[np.bool_], count: Ints, vertex: Ints) -> ParsedGraph:
    if (count == 1).all():
        return graph
    src, dst = np.split(vertex, 2)
    nics = count[hosts]
    equal = bool((nics == nics[0]).all())
    blocks = tuple(block._replace(hosts=block.hosts * int(nics[0])) for block in graph.blocks) if equal else ()
    return replace(
        graph,
        names=[*nic_names(graph.names, count)],
        src=src,
        dst=dst,
        hosts=np.repeat(hosts, count),
        blocks=blocks,
        layout=None,
        free_ports=None if graph.free_ports is None else np.repeat(graph.free_ports, count),
        positions=None if graph.positions is None else _side_by_side(graph.positions, count),
    )


def _side_by_side(positions: NDArray[np.float64], count: Ints) -> NDArray[np.float64]:
    # The NICs of a host share half of the mean room of a vertex.
    nic = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    room = float(np.ptp(positions, axis=0).max()) / np.sqrt(len(positions)) / 2
    spread = np.repeat(positions, count, axis=0)
    spread[:, 0] += ((nic + 0.5) / np.repeat(count, count) - 0.5) * room
    return spread
