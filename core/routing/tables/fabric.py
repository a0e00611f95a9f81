"""The switches, NICs and LIDs of a fabric, as arrays for the kernels that follow forwarding tables."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.network import Network
from core.routing.flows import Nodes
from core.routing.tables.forwarding import MAX_LID, NO_PORT, ForwardingTables
from core.spec import SpecError
from core.text import first_few, plural

PORTS = 256
"""Values of a table's entry."""
NO_LINK = -1


class Nics(NamedTuple):
    """NICs of the nodes, node by node, and their LIDs, NIC by NIC: a row of `Fabric.ports` for each LID."""

    start: NDArray[np.int64]
    """(nodes + 1,) the NICs of node u are ``start[u]`` to ``start[u + 1]``."""
    link: Nodes
    """(NICs,) link from each NIC."""
    row_start: NDArray[np.int64]
    """(NICs + 1,) the rows of NIC i are ``row_start[i]`` to ``row_start[i + 1]``."""


class Fabric(NamedTuple):
    """Forwarding tables on the links of a network."""

    nics: Nics
    lid: Nodes
    """(rows,) the LID of each row."""
    target: Nodes
    """(rows,) the node with each LID."""
    ports: NDArray[np.uint8]
    """(rows, switches) port by which each switch of the network forwards to the LID."""
    link_at: Nodes
    """(switches, 256) link at each port of a switch, or `NO_LINK`."""
    head: Nodes
    """(links,) head of each link."""
    nodes: int

    @property
    def switches(self) -> int:
        """Return the number of switches in the network."""
        return int(self.link_at.shape[0])


def fabric_of(network: Network, tables: ForwardingTables, all_lids: bool) -> tuple[Fabric, tuple[str, ...]]:
    """Return the tables on a network's links, and notes on switches, ports and LIDs that differ.

    `all_lids`: use all 2^LMC LIDs of a port, not only its base LID.

    Raises SpecError: if the network has no LIDs, or shares no switch with the tables.
    """
    nics, lid, target = _nics(network, all_lids)
    guid = _switch_guids(network)
    place = np.clip(np.searchsorted(tables.guids, guid), 0, tables.guids.size - 1)
    listed = tables.guids[place] == guid
    if not listed.any():
        first = f"0x{int(tables.guids[0]):x}"
        why = f"are of other switches: {first} is not among the {plural(guid.size, 'switch')} of the network"
        raise SpecError("routing.file", f"the tables {why}")
    ports = np.full((lid.size, guid.size), NO_PORT, np.uint8)
    within = lid < tables.ports.shape[1]
    ports[np.ix_(within, listed)] = tables.ports[place[listed]][:, lid[within]].T
    fabric = Fabric(nics, lid, target, ports, _links_at_ports(network), network.dst.astype(np.int32), network.nodes)
    return fabric, _notes(network, tables, guid, listed, fabric)


def _nics(network: Network, all_lids: bool) -> tuple[Nics, Nodes, Nodes]:
    ends = network.src_ports
    link = np.flatnonzero(network.src < network.nodes)
    if ends is None or not ends.lid[link].all():
        need = "needs a network with the LIDs of its hosts"
        raise SpecError("routing.type", f"tables {need}, such as the output of ibnetdiscover or iblinkinfo")
    link = link[np.lexsort((link, ends.nic[link], network.src[link]))]
    base, nics = ends.lid[link].astype(np.int64), network.src[link]
    lids = 1 << ends.lmc[link].astype(np.int64) if all_lids else np.ones(link.size, np.int64)
    row_start = np.append(0, np.cumsum(lids))
    lid = np.repeat(base - row_start[:-1], lids) + np.arange(row_start[-1])
    if (lid > MAX_LID).any():
        raise SpecError("network.file", f"has the LID {int(lid.max()):,}, above the last unicast LID {MAX_LID:,}")
    start = np.searchsorted(nics, np.arange(network.nodes + 1))
    return Nics(start, link.astype(np.int32), row_start), lid.astype(np.int32), np.repeat(nics, lids).astype(np.int32)


def _switch_guids(network: Network) -> NDArray[np.uint64]:
    assert network.src_ports is not None
    guid = np.zeros(network.vertices - network.nodes, np.uint64)
    at_switch = network.src >= network.nodes
    guid[network.src[at_switch] - network.nodes] = network.src_ports.guid[at_switch]
    return guid


def _links_at_ports(network: Network) -> Nodes:
    assert network.src_ports is not None
    link_at = np.full((network.vertices - network.nodes, PORTS), NO_LINK, np.int32)
    link = np.flatnonzero(network.src >= network.nodes)
    link_at[network.src[link] - network.nodes, network.src_ports.number[link]] = link
    return link_at


def _notes(
    network: Network, tables: ForwardingTables, guid: NDArray[np.uint64], listed: NDArray[np.bool_], fabric: Fabric
) -> tuple[str, ...]:
    notes = []
    without = [network.label(network.nodes + switch) for switch in np.flatnonzero(~listed).tolist()]
    if without:
        notes.append(f"no table for {plural(len(without), 'switch')}: {first_few(without)}")
    foreign = np.flatnonzero(~np.isin(tables.guids, guid)).tolist()
    if foreign:
        names = [tables.names[place] or f"0x{int(tables.guids[place]):x}" for place in foreign]
        notes.append(f"tables of {plural(len(foreign), 'switch')} that the network does not have: {first_few(names)}")
    switch = np.arange(fabric.switches)
    dark = (fabric.ports != NO_PORT) & (fabric.link_at[switch, fabric.ports] == NO_LINK)
    if dark.any():
        rows, switches = np.nonzero(dark)
        texts = [
            f"{network.label(network.nodes + s)} port {fabric.ports[row, s]} for LID {fabric.lid[row]}"
            for row, s in zip(rows[:4].tolist(), switches[:4].tolist(), strict=True)
        ]
        texts += [""] * (rows.size - len(texts))
        entries = "entry names" if rows.size == 1 else "entries name"
        notes.append(f"the tables are stale: {rows.size:,} {entries} a port without a cable: {first_few(texts)}")
    return tuple(notes)
