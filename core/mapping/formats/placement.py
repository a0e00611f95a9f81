"""A mapping as writers need it: host of each rank and slot of the host, and host names."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.hostlist import compress
from core.mapping.allocation import Allocation
from core.mapping.mapping import Mapping
from core.network.network import Ints, Network
from core.spec import SpecError

CORES, NAMES = "cores", "host names"
"""Possible losses of a format."""
PLAIN = re.compile(r"[^\s,;:*=!#()\[\]{}\"']+")
"""Host names without the separators of any format."""
NAMED = 12
"""Maximum number of ranges of names listed in a message."""


@dataclass(frozen=True, eq=False)
class Placed:
    """The places of a job's ranks."""

    network: Network
    host: Ints
    """(ranks,)"""
    core: Ints
    """(ranks,) slot of the host, see `HostSlots`."""
    job_hosts: Ints
    """The job's hosts, in the order of launchers."""

    @classmethod
    def of(cls, mapping: Mapping, network: Network, allocation: Allocation | None) -> "Placed":
        """Convert a mapping.

        Raises SpecError: if the network is aggregated.
        """
        if network.aggregation > 1:
            words = f"cannot be exported from aggregated networks, such as this one with {network.real_nodes:,} nodes"
            raise SpecError("mapping", f"{words}; choose a smaller network")
        hosts = network.host_slots
        job_hosts = np.arange(hosts.count, dtype=np.int32) if allocation is None else hosts.hosts_of(allocation.nodes)
        return cls(network, *hosts.place_of(mapping.slots), job_hosts)

    @property
    def ranks(self) -> int:
        """Return the number of ranks."""
        return self.host.size

    @cached_property
    def hosts(self) -> list[str]:
        """Return the name of the host of each rank.

        Raises SpecError: naming a host that cannot be read back.
        """
        names = self.network.host_names
        hosts = [names[host] for host in self.host.tolist()]
        odd = next((name for name in hosts if not PLAIN.fullmatch(name)), None)
        if odd is not None:
            raise SpecError("hosts", f"{odd[:40]!r} is not a host name that launchers can read; rename the host")
        return hosts

    @property
    def lost_cores(self) -> tuple[str, ...]:
        """Return the losses of a file without cores."""
        return (CORES,) if self.network.host_slots.room.max() > 1 else ()

    @cached_property
    def turn(self) -> Ints:
        """Return the index of each rank's host among the job's hosts, shape ``(ranks,)``."""
        index = np.empty(self.network.host_slots.count, np.int32)
        index[self.job_hosts] = np.arange(self.job_hosts.size, dtype=np.int32)
        return index[self.host]

    def groups(self) -> tuple[list[NDArray[np.intp]], tuple[str, ...]]:
        """Return the ranks of each host by core, hosts in the job's order, and the losses.

        Hosts without a rank are omitted; the job must then be started on the other hosts only.
        """
        order = np.lexsort((self.core, self.turn))
        used, first = np.unique(self.turn[order], return_index=True)
        groups = np.split(order, first[1:])
        if np.array_equal(used, np.arange(used.size)):
            return groups, (NAMES,)
        names = compress(self.network.host_names[host] for host in self.job_hosts[used].tolist()).split(",")
        some = ",".join(names) if len(names) <= NAMED else f"{','.join(names[:NAMED])} ..."
        return groups, (f"{NAMES} (allocate only the nodes with a rank, in this order: {some})",)


def lines(words: "list[str] | list[int]") -> str:
    """Return a text with a line for each word."""
    return "".join(f"{word}\n" for word in words)
