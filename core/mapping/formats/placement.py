"""A mapping as writers need it: host of each rank and slot of the host, and host names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core.hostlist import compress
from core.mapping.allocation import Allocation
from core.mapping.mapping import CoreSet, Mapping, crowded_hosts
from core.network.network import Ints, Network
from core.spec import SpecError

CORES, NAMES, OTHER_CORES = "cores", "host names", "all cores of a rank except one"
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
    cores_per_rank: int = 1
    listed: tuple[CoreSet, ...] = ()
    """Cores of each rank, as given by a file; empty if they follow from `cores_per_rank`."""

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
        places = hosts.place_of(mapping.slots)
        return cls(network, *places, job_hosts, mapping.cores_per_rank, mapping.core_sets)

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
        return (CORES,) if self.network.host_slots.room.max() > 1 or self.lost_core_sets else ()

    @property
    def lost_core_sets(self) -> tuple[str, ...]:
        """Return the losses of a file with one core for each rank."""
        return (OTHER_CORES,) if self.cores_per_rank > 1 or self.listed else ()

    @property
    def core_sets(self) -> Sequence[CoreSet]:
        """Return the cores of each rank.

        Ranks of several cores begin at the cores of their slots, or next to them, so that they share no core.

        Raises SpecError: if the cores of a host do not suffice for its ranks.
        """
        if self.listed:
            return self.listed
        first, last = self.core, self.core
        if self.cores_per_rank > 1:
            if crowded := crowded_hosts(self.host, self.network, self.cores_per_rank):
                words = f"{crowded}; place fewer ranks on a {self.network.host_word}"
                raise SpecError("mapping.cores_per_rank", words)
            first = self._first_cores()
            last = first + (self.cores_per_rank - 1)
        return [((start, end),) for start, end in zip(first.tolist(), last.tolist(), strict=True)]

    def _first_cores(self) -> Ints:
        each, first = self.cores_per_rank, self.core.copy()
        order = np.lexsort((self.core, self.host))
        same = self.host[order[1:]] == self.host[order[:-1]]
        after, before = order[1:][same].tolist(), order[:-1][same].tolist()
        for rank, lower in zip(after, before, strict=True):
            first[rank] = max(first[rank], first[lower] + each)
        first = np.minimum(first, self.network.host_slots.room[self.host] - each)
        for rank, lower in zip(reversed(after), reversed(before), strict=True):
            first[lower] = min(first[lower], first[rank] - each)
        return first

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
