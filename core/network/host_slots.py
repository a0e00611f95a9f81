"""Hosts with one or several NICs: each NIC is a node of the network, and the nodes of a host are consecutive.

Launchers number the slots of a host. Slot s of a host with k NICs uses NIC s mod k: it is slot s // k of that node.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from core.network.adjacency import Ints


@dataclass(frozen=True, eq=False)
class HostSlots:
    """The nodes and the slots of every host."""

    nodes: int
    slots_per_node: int
    nics: Ints | None
    """(hosts,) NICs of each host, or None if every node is a host."""

    @property
    def count(self) -> int:
        """Return the number of hosts."""
        return self.nodes if self.nics is None else self.nics.size

    @cached_property
    def nics_of(self) -> Ints:
        """Return the number of NICs of every host, shape ``(hosts,)``."""
        return np.ones(self.nodes, np.int32) if self.nics is None else self.nics

    @cached_property
    def first(self) -> Ints:
        """Return the first node of every host, shape ``(hosts,)``."""
        return (np.cumsum(self.nics_of) - self.nics_of).astype(np.int32)

    @cached_property
    def host_of(self) -> Ints:
        """Return the host of every node, shape ``(nodes,)``."""
        return np.repeat(np.arange(self.count, dtype=np.int32), self.nics_of)

    @cached_property
    def room(self) -> Ints:
        """Return the number of slots of every host, shape ``(hosts,)``."""
        return (self.nics_of * np.int32(self.slots_per_node)).astype(np.int32)

    def nodes_of(self, hosts: Ints) -> Ints:
        """Return the nodes of some hosts, host by host."""
        if self.nics is None:
            return hosts
        many = self.nics_of[hosts]
        nic = np.arange(many.sum()) - np.repeat(np.cumsum(many) - many, many)
        return np.asarray(np.repeat(self.first[hosts], many) + nic, np.int32)

    def hosts_of(self, nodes: Ints) -> Ints:
        """Return the distinct hosts of some nodes, in the order of their first node."""
        if self.nics is None:
            return nodes
        hosts, first = np.unique(self.host_of[nodes], return_index=True)
        return np.asarray(hosts[np.argsort(first)], np.int32)

    def place_of(self, slots: Ints) -> tuple[Ints, Ints]:
        """Return the host of slots of the network, and the slot of the host."""
        node, core = np.divmod(slots, np.int32(self.slots_per_node))
        if self.nics is None:
            return node, core
        host = self.host_of[node]
        return host, (core * self.nics_of[host] + node - self.first[host]).astype(np.int32)

    def slots_at(self, hosts: Ints, places: Ints) -> Ints:
        """Return the slots of the network for slots of hosts, the inverse of `place_of`."""
        core, nic = np.divmod(places, self.nics_of[hosts])
        return ((self.first[hosts] + nic) * np.int32(self.slots_per_node) + core).astype(np.int32)

    def in_order(self, slots: Ints) -> Ints:
        """Return the numbers of slots of the network if slots are numbered host by host, as launchers do."""
        host, place = self.place_of(slots)
        return (self.first[host] * np.int32(self.slots_per_node) + place).astype(np.int32)
