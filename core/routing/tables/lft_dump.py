"""Writes forwarding tables as OpenSM dumps them, which ``opensm -R file -U FILE`` loads.

Source: OpenSM, osm_dump.c (dump_ucast_lfts) and osm_ucast_file.c.
"""

from typing import NamedTuple

import numpy as np

from core.export_result import Exported
from core.network.network import Network
from core.routing.flows import Flags
from core.routing.router import Router
from core.routing.tables.derived import tables_of
from core.routing.tables.forwarding import NO_PORT, ForwardingTables

UNKNOWN = "unknown node and type"
"""For LIDs that the network does not have."""


def write_opensm_lfts(router: Router, failed: Flags | None = None) -> Exported:
    """Return the forwarding tables of a routing, as in opensm-lfts.dump.

    Raises SpecError: if tables cannot hold its paths, or the network has no LIDs.
    """
    return dump_of(tables_of(router, failed), router.network)


def dump_of(tables: ForwardingTables, network: Network) -> Exported:
    """Return tables as in opensm-lfts.dump, with the names and GUIDs of ports from the network."""
    ports = _named_ports(network)
    lid_of_guid = {port.guid: lid for lid, port in ports.items()}
    described = [f" # {_described(ports.get(lid))}\n" for lid in range(tables.ports.shape[1])]
    lids = [f"0x{lid:04x} " for lid in range(tables.ports.shape[1])]
    highest = int(np.flatnonzero((tables.ports != NO_PORT).any(axis=0)).max(initial=0))
    text = []
    for guid, name, row in zip(tables.guids.tolist(), tables.names, tables.ports, strict=True):
        lid = lid_of_guid.get(guid, 0)
        label = ports[lid].name if lid else name
        text.append(f"Unicast lids [0-{highest}] of switch Lid {lid} guid 0x{guid:016x} ('{label}'):\n")
        used = np.flatnonzero(row != NO_PORT)
        for lid, port in zip(used.tolist(), row[used].tolist(), strict=True):
            text.append(f"{lids[lid]}{port:03d}{described[lid]}")
        text.append(f"{highest} lids dumped\n")
    return Exported("".join(text))


class _Port(NamedTuple):
    kind: str
    guid: int
    """0 if unknown."""
    name: str


def _named_ports(network: Network) -> dict[int, _Port]:
    """Return the ports with LIDs, by LID."""
    ends = network.src_ports
    if ends is None:
        return {}
    columns = (network.src, ends.nic, ends.port_guid, ends.lid, ends.lmc)
    ports = dict[int, _Port]()
    for vertex, nic, guid, lid, lmc in zip(*(column.tolist() for column in columns), strict=True):
        if lid and lid not in ports:
            port = _Port("Switch" if nic < 0 else "Channel Adapter", guid, network.label(vertex))
            ports |= dict.fromkeys(range(lid, lid + (1 << lmc if nic >= 0 else 1)), port)
    return ports


def _described(port: _Port | None) -> str:
    if port is None:
        return UNKNOWN
    guid = f" portguid 0x{port.guid:016x}" if port.guid else ""
    return f"{port.kind}{guid}: '{port.name}'"
