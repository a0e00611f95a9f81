"""A mapping as writers need it: node and core of each rank, and host names."""

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
    node: Ints
    """(ranks,)"""
    core: Ints
    """(ranks,)"""
    nodes: Ints
    """The job's nodes, in the order of launchers."""

    @classmethod
    def of(cls, mapping: Mapping, network: Network, allocation: Allocation | None) -> "Placed":
        """Convert a mapping.

        Raises SpecError: if the network is aggregated.
        """
        if network.aggregation > 1:
            words = f"cannot be exported from aggregated networks, such as this one with {network.real_nodes:,} nodes"
            raise SpecError("mapping", f"{words}; choose a smaller network")
        node, core = np.divmod(mapping.slots, np.int32(mapping.slots_per_node))
        nodes = np.arange(network.nodes, dtype=np.int32) if allocation is None else allocation.nodes
        return cls(network, node, core, nodes)

    @property
    def ranks(self) -> int:
        """Return the number of ranks."""
        return self.node.size

    @cached_property
    def hosts(self) -> list[str]:
        """Return the host of each rank.

        Raises SpecError: naming a host that cannot be read back.
        """
        names = self.network.host_names
        hosts = [names[node] for node in self.node.tolist()]
        odd = next((name for name in hosts if not PLAIN.fullmatch(name)), None)
        if odd is not None:
            raise SpecError("hosts", f"{odd[:40]!r} is not a host name that launchers can read; rename the node")
        return hosts

    @property
    def lost_cores(self) -> tuple[str, ...]:
        """Return the losses of a file without cores."""
        return (CORES,) if self.network.slots_per_node > 1 else ()

    @cached_property
    def turn(self) -> Ints:
        """Return the index of each rank's node among the job's nodes, shape ``(ranks,)``."""
        index = np.empty(self.network.nodes, np.int32)
        index[self.nodes] = np.arange(self.nodes.size, dtype=np.int32)
        return index[self.node]

    def groups(self) -> tuple[list[NDArray[np.intp]], tuple[str, ...]]:
        """Return the ranks of each node by core, nodes in the job's order, and the losses.

        Nodes without a rank are omitted; the job must then be started on the other nodes only.
        """
        order = np.lexsort((self.core, self.turn))
        used, first = np.unique(self.turn[order], return_index=True)
        groups = np.split(order, first[1:])
        if np.array_equal(used, np.arange(used.size)):
            return groups, (NAMES,)
        names = compress(self.network.host_names[node] for node in self.nodes[used].tolist()).split(",")
        some = ",".join(names) if len(names) <= NAMED else f"{','.join(names[:NAMED])} ..."
        return groups, (f"{NAMES} (allocate only the nodes with a rank, in this order: {some})",)


def lines(words: "list[str] | list[int]") -> str:
    """Return a text with a line for each word."""
    return "".join(f"{word}\n" for word in words)
