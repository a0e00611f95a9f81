"""The vertices and links of a discovered fabric: hosts, switches and routers, and the cables between them."""

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import Ints
from core.network.formats.graph_builder import UNKNOWN
from core.network.formats.infiniband.dump import Cable, Dump, Lid, Port
from core.network.formats.infiniband.hosts import Hosts, hosts_of
from core.network.formats.parsed_graph import ParsedGraph, check_edges, shown, some, wrong
from core.network.ports import Ports
from core.text import enumerated, first_few, natural_order, plural

MANAGED = re.compile(r"MF0;(?P<host>[^\s;:]+):[^\s;:/]+/U\d+")
"""Description that the management software of NVIDIA switches sets: ``MF0;s1:MQM8700/U1`` for the switch s1.

Chips of modular switches, which share a host name, have their module, too: ``MF0;s1:CS7520/L01/U1``. They do not match.
"""


class _Vertices(NamedTuple):
    """Hosts, switches and routers, in the order of the file."""

    names: list[str]
    of: dict[str, int]
    """Vertex of each device, by id, without omitted ones."""
    notes: tuple[str, ...]

    def joined(self, cable: Cable) -> tuple[int, int]:
        """Return the two ends of a cable."""
        return self.of[cable.first[0]], self.of[cable.second[0]]

    def text(self, cable: Cable) -> str:
        """Return a cable with its ports: ``s1[5] - n1[1]``."""
        ends = zip(self.joined(cable), (cable.first, cable.second), strict=True)
        return " - ".join(f"{self.names[vertex]}[{port}]" for vertex, (_, port) in ends)

    def note(self, words: str, cables: Sequence[Cable]) -> tuple[str, ...]:
        """Return a warning about some cables, if any: `words` with their number and the first of them."""
        if not cables:
            return ()
        few = first_few([self.text(cable) for cable in cables])
        return (f"{words.format(plural(len(cables), 'cable'))}: {few}",)


def graph_of(dump: Dump, node_of: str, leave_out: str, unknown_gbs: float | None) -> ParsedGraph:
    """Return the graph of a fabric, where the adapters of a host are one vertex with several links.

    Raises SpecError: if the ends of a cable disagree, no cable is left, or a pattern is invalid.
    """
    listed = dump.cables()
    hosts = hosts_of(dump, listed, node_of, leave_out)
    vertices = _vertices(dump, hosts)
    inside = [cable for cable in listed if not hosts.left_out & {cable.first[0], cable.second[0]}]
    loops = [cable for cable in inside if len({*vertices.joined(cable)}) == 1]
    cables = [cable for cable in inside if len({*vertices.joined(cable)}) == 2]
    if not cables:
        raise wrong("has no cable between two devices")
    check_edges(len(cables))
    ports = [*(cable.first for cable in cables), *(cable.second for cable in cables)]
    ends = np.array([vertices.of[device] for device, _ in ports], np.int32)
    is_host = np.zeros(len(vertices.names), np.bool_)
    is_host[[vertices.of[device] for device in hosts.adapters]] = True
    gbs, guesses = _bandwidths(cables, unknown_gbs, vertices)
    notes = (
        *_nic_counts(np.bincount(ends, minlength=is_host.size)[is_host]),
        *hosts.notes,
        *vertices.notes,
        *guesses,
        *vertices.note("leaves out {} from a device to itself", loops),
        *vertices.note("{} listed at one end only", [cable for cable in cables if len(cable.ends) == 1]),
        *dump.skipped.notes(),
    )
    src, dst = np.split(ends, 2)
    attached = _ports(dump, hosts, ports)
    free = _free_ports(dump, vertices)
    return ParsedGraph(vertices.names, src, dst, gbs, hosts=is_host, warnings=notes, ports=attached, free_ports=free)


def _vertices(dump: Dump, hosts: Hosts) -> _Vertices:
    of, ids, names = dict[str, int](), list[str](), list[str]()
    host_vertex = dict[str, int]()
    for device_id, device in dump.devices.items():
        if device_id in hosts.left_out:
            continue
        adapter = hosts.adapters.get(device_id)
        vertex = len(ids) if adapter is None else host_vertex.setdefault(adapter.host, len(ids))
        if vertex == len(ids):
            ids.append(device_id)
            names.append(adapter.host if adapter else device.description or device_id)
        of[device_id] = vertex
    names = _with_host_names(names)
    count = Counter(names)
    taken = {name for name in names if count[name] > 1}
    # A host keeps its name.
    kept = [name not in taken or vertex == host_vertex.get(name) for vertex, name in enumerate(names)]
    words = f"{plural(len(taken), 'name')} of several devices, which are named by ID: {some(sorted(taken))}"
    names = [name if keeps else device_id for name, keeps, device_id in zip(names, kept, ids, strict=True)]
    return _Vertices(names, of, (words,) if taken else ())


def _with_host_names(names: Sequence[str]) -> list[str]:
    """Return the names of vertices, with the host names of managed switches where these are unique."""
    matches = [MANAGED.fullmatch(name) for name in names]
    hosts = [name if match is None else match["host"] for name, match in zip(names, matches, strict=True)]
    count = Counter(hosts)
    return [host if count[host] == 1 else name for host, name in zip(hosts, names, strict=True)]


def _nic_counts(nics: NDArray[np.intp]) -> tuple[str, ...]:
    """Return the warning on hosts with several NICs or none, given the NICs of each host."""
    counts = Counter(nics.tolist())
    hosts = plural(nics.size, "host")
    if len(counts) > 1:
        each = [f"{hosts_with:,} with {plural(number, 'NIC')}" for number, hosts_with in sorted(counts.items())]
        return (f"{hosts}: {enumerated(each)}",)
    return () if 1 in counts else tuple(f"{hosts} with {plural(number, 'NIC')} each" for number in counts)


def _bandwidths(
    cables: Sequence[Cable], unknown_gbs: float | None, vertices: _Vertices
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Return the bandwidth of each cable, NaN if it has no rate, and warnings on guesses."""
    unknown, without, different = list[Cable](), list[Cable](), list[Cable]()
    bandwidths = []
    for cable in cables:
        rated = any(end.rate for end in cable.ends)
        gbs = {end.gbs for end in cable.ends if end.gbs is not None}
        bandwidths.append(min(gbs, default=unknown_gbs if rated and unknown_gbs is not None else UNKNOWN))
        if not gbs:
            (unknown if rated else without).append(cable)
        elif len(gbs) > 1:
            different.append(cable)
    default = "the network's bandwidth (gbs)"
    guess = default if unknown_gbs is None else f"{unknown_gbs:g} GB/s (unknown_gbs)"
    notes = (
        *(vertices.note(f"{_first_unknown(unknown)}; {guess} is used for {{}}", unknown) if unknown else ()),
        *vertices.note(f"{{}} without a rate, for which {default} is used", without),
        *vertices.note("{} with different rates at both ends, of which the lower is used", different),
    )
    return np.array(bandwidths), notes


def _first_unknown(cables: Sequence[Cable]) -> str:
    end = min((end for cable in cables for end in cable.ends if end.rate), key=lambda end: end.line)
    return f"line {end.line:,}: unknown rate {shown(end.rate)}".replace("{", "{{").replace("}", "}}")


def _ports(dump: Dump, hosts: Hosts, ports: Sequence[Port]) -> Ports:
    devices = [dump.devices[device] for device, _ in ports]
    is_switch = [device.kind == "switch" for device in devices]
    at = [(device, 0 if own else port) for (device, port), own in zip(ports, is_switch, strict=True)]
    lids = [dump.lids.get(port, Lid(0)) for port in at]
    port_guids = [
        device.guid if own else dump.port_guids.get(port, 0)
        for port, device, own in zip(at, devices, is_switch, strict=True)
    ]
    nics = _nics(hosts, ports)
    return Ports(
        number=np.array([number for _, number in ports], np.int32),
        nic=np.array([nics.get(port, -1) for port in ports], np.int32),
        guid=np.array([device.guid for device in devices], np.uint64),
        lid=np.array([lid.base for lid in lids], np.int32),
        lmc=np.array([lid.lmc for lid in lids], np.int32),
        port_guid=np.array(port_guids, np.uint64),
    )


def _free_ports(dump: Dump, vertices: _Vertices) -> Ints | None:
    """Return the number of ports without a cable of each vertex, 0 for hosts; None if the file gives no port counts."""
    counted = {device_id: vertex for device_id, vertex in vertices.of.items() if dump.devices[device_id].ports}
    cabled = Counter(device for device, _ in {*dump.ends, *(end.to for end in dump.ends.values())})
    free = np.zeros(len(vertices.names), np.int32)
    for device_id, vertex in counted.items():
        if dump.devices[device_id].kind != "channel adapter":
            free[vertex] = max(dump.devices[device_id].ports - cabled[device_id], 0)
    return free if counted else None


def _nics(hosts: Hosts, ports: Sequence[Port]) -> dict[Port, int]:
    """Return the number of each NIC in its host: in the order of adapters' names, then of ports."""
    nics, count = dict[Port, int](), Counter[str]()
    own = [port for port in ports if port[0] in hosts.adapters]
    for port in sorted(own, key=lambda port: (natural_order(hosts.adapters[port[0]].name), port[1])):
        host = hosts.adapters[port[0]].host
        nics[port] = count[host]
        count[host] += 1
    return nics
