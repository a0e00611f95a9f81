"""The switches of an InfiniBand subnet, the working cables between them, and the LIDs of all ports."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import Ints
from core.network.network import Network
from core.network.ports import Ports
from core.routing.flows import Flags
from core.routing.tables.forwarding import MAX_LID, NO_PORT, SWITCH_ITSELF, ForwardingTables
from core.spec import SpecError

Entries = NDArray[np.uint8]
"""(LIDs, switches) port by which each switch forwards to each LID, by LID from 0, or `NO_PORT`."""
FIELD = "network"
NEEDS = "forwarding tables need an InfiniBand fabric with LIDs, such as the output of ibnetdiscover or iblinkinfo"


class Cables(NamedTuple):
    """Working cables between switches, a directed link for each direction."""

    start: NDArray[np.int64]
    """(switches + 1,) the links from switch s are ``start[s]`` to ``start[s + 1]``."""
    tail: Ints
    head: Ints
    port: NDArray[np.uint8]
    """(links,) port at the tail."""
    in_start: NDArray[np.int64]
    """(switches + 1,) the links to switch s are ``in_link[in_start[s]]`` to ``in_link[in_start[s + 1] - 1]``."""
    in_link: Ints

    @property
    def switches(self) -> int:
        """Return the number of switches."""
        return self.start.size - 1


class HostPorts(NamedTuple):
    """The LIDs of the hosts' ports, by switch and then by the port of the switch."""

    lid: Ints
    """A port with an LMC has several."""
    switch: Ints
    port: NDArray[np.uint8]
    """Port of the switch."""
    offset: Ints
    """Number of the LID at its port: 0 for the base LID."""


class Subnet(NamedTuple):
    """The input of a routing engine."""

    guids: NDArray[np.uint64]
    """(switches,)"""
    names: tuple[str, ...]
    lids: Ints
    """(switches,) LID of each switch, 0 if unknown."""
    cables: Cables
    """Links in the order of ports."""
    hosts: HostPorts

    @property
    def host_count(self) -> NDArray[np.int64]:
        """Return the number of hosts' ports at each switch, shape ``(switches,)``."""
        return np.bincount(self.hosts.switch[self.hosts.offset == 0], minlength=self.guids.size).astype(np.int64)

    def no_entries(self) -> Entries:
        """Return tables with entries only for ports at the switch itself: its own port 0, and its hosts' ports."""
        highest = max(int(self.hosts.lid.max(initial=0)), int(self.lids.max(initial=0)))
        entries = np.full((highest + 1, self.guids.size), NO_PORT, np.uint8)
        entries[self.hosts.lid, self.hosts.switch] = self.hosts.port
        own = np.flatnonzero(self.lids)
        entries[self.lids[own], own] = SWITCH_ITSELF
        return entries

    def tables(self, entries: Entries) -> ForwardingTables:
        """Return the forwarding tables with these entries."""
        order = np.argsort(self.guids)
        return ForwardingTables(
            self.guids[order], tuple(self.names[switch] for switch in order.tolist()), entries.T[order].copy()
        )


def subnet_of(network: Network, failed: Flags | None = None) -> Subnet:
    """Return the subnet of a discovered fabric; `failed`, shape ``(links,)``, marks the links that have failed.

    Raises SpecError: if the network gives no LIDs of hosts, no GUIDs of switches, or an LID twice.
    """
    check_lids(network)
    tails, heads = network.src_ports, network.dst_ports
    assert tails is not None
    assert heads is not None
    vertices = np.unique(network.src[tails.nic < 0])
    number = np.full(network.vertices, -1, np.int32)
    number[vertices] = np.arange(vertices.size, dtype=np.int32)
    guids, lids = np.zeros(vertices.size, np.uint64), np.zeros(vertices.size, np.int32)
    at_switch = np.flatnonzero(tails.nic < 0)
    guids[number[network.src[at_switch]]] = tails.guid[at_switch]
    lids[number[network.src[at_switch]]] = tails.lid[at_switch]
    names = tuple(network.label(vertex) for vertex in vertices.tolist())
    _check_guids(guids, names)
    works = np.ones(network.links, np.bool_) if failed is None else ~failed
    between = np.flatnonzero(works & (tails.nic < 0) & (heads.nic < 0))
    cables = cables_between(
        number[network.src[between]], number[network.dst[between]], tails.number[between], vertices.size
    )
    to_hosts = np.flatnonzero(works & (tails.nic < 0) & (heads.nic >= 0))
    hosts = _host_ports(number[network.src[to_hosts]], tails.number[to_hosts], heads.of(to_hosts))
    subnet = Subnet(guids, names, lids, cables, hosts)
    _check_distinct(subnet)
    return subnet


def has_lids(network: Network) -> bool:
    """Return whether a network gives LIDs of hosts."""
    ports = network.src_ports
    return ports is not None and bool((ports.lid[ports.nic >= 0] > 0).any())


def check_lids(network: Network) -> None:
    """Check that a network has LIDs.

    Raises SpecError: with an example of networks that do.
    """
    if not has_lids(network):
        raise SpecError(FIELD, NEEDS)


def cables_between(tail: Ints, head: Ints, port: Ints, switches: int, key: NDArray[np.int64] | None = None) -> Cables:
    """Return links between switches, sorted at each switch by a key and then by port."""
    order = np.lexsort((port, port if key is None else key, tail))
    tail, head, port = tail[order], head[order], port[order]
    number = np.arange(switches + 1)
    in_link = np.argsort(head, kind="stable").astype(np.int32)
    start, in_start = np.searchsorted(tail, number), np.searchsorted(head[in_link], number)
    return Cables(start, tail, head, port.astype(np.uint8), in_start, in_link)


def _host_ports(switch: Ints, port: Ints, ends: Ports) -> HostPorts:
    order = np.lexsort((port, switch))
    order = order[ends.lid[order] > 0]
    count = 1 << ends.lmc[order].astype(np.int64)
    place = np.repeat(order, count)
    offset = np.arange(place.size) - np.repeat(np.cumsum(count) - count, count)
    lid = ends.lid[place] + offset
    return HostPorts(lid.astype(np.int32), switch[place], port[place].astype(np.uint8), offset.astype(np.int32))


def _check_guids(guids: NDArray[np.uint64], names: tuple[str, ...]) -> None:
    distinct, first, count = np.unique(guids, return_index=True, return_counts=True)
    if distinct.size and not distinct[0]:
        raise SpecError(FIELD, f"gives no GUID of switch {names[int(first[0])]}; {NEEDS}")
    if (count > 1).any():
        again = int(np.argmax(count > 1))
        raise SpecError(FIELD, f"has the GUID 0x{int(distinct[again]):x} at {count[again]:,} switches")


def _check_distinct(subnet: Subnet) -> None:
    lids = np.concatenate([subnet.hosts.lid, subnet.lids[subnet.lids > 0]])
    distinct, count = np.unique(lids, return_counts=True)
    if (count > 1).any():
        raise SpecError(FIELD, f"has LID {int(distinct[np.argmax(count > 1)])} at several ports; LIDs are unique")
    if distinct.size and distinct[-1] > MAX_LID:
        raise SpecError(FIELD, f"has LID {int(distinct[-1])}, above the last unicast LID {MAX_LID:,}")
