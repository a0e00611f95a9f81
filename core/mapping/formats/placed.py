"""A mapping as writers of files need it: node and core of each rank, and what hosts are called."""

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
"""What formats lose."""
PLAIN = re.compile(r"[^\s,;:*=!#()\[\]{}\"']+")
"""Host names that all formats can tell from what else they say."""
NAMED = 12
"""Runs of names in a message."""


@dataclass(frozen=True, eq=False)
class Placed:
    """Where the ranks of a job are."""

    network: Network
    node: Ints
    """(ranks,)"""
    core: Ints
    """(ranks,)"""
    nodes: Ints
    """The job's nodes, in the order in which launchers count them."""

    @classmethod
    def of(cls, mapping: Mapping, network: Network, allocation: Allocation | None) -> "Placed":
        """Return a mapping as files have it.

        Raises SpecError: if a node of the network stands for many.
        """
        if network.aggregation > 1:
            words = f"is of {network.real_nodes:,} nodes, of which only bundles are kept"
            raise SpecError("mapping", f"{words}; choose a smaller network to export it")
        node, core = np.divmod(mapping.slots, np.int32(mapping.slots_per_node))
        nodes = np.arange(network.nodes, dtype=np.int32) if allocation is None else allocation.nodes
        return cls(network, node, core, nodes)

    @property
    def ranks(self) -> int:
        """Return how many there are."""
        return self.node.size

    @cached_property
    def hosts(self) -> list[str]:
        """Return the host of each rank.

        Raises SpecError: naming one that would not be read as it is written.
        """
        names = self.network.host_names
        found = [names[node] for node in self.node.tolist()]
        odd = next((name for name in found if not PLAIN.fullmatch(name)), None)
        if odd is not None:
            raise SpecError("hosts", f"{odd[:40]!r} is no host name that launchers read; name the nodes otherwise")
        return found

    @property
    def lost_cores(self) -> tuple[str, ...]:
        """Return what a file that names none loses."""
        return (CORES,) if self.network.slots_per_node > 1 else ()

    @cached_property
    def turn(self) -> Ints:
        """Return the place of each rank's node among the job's, shape ``(ranks,)``."""
        found = np.empty(self.network.nodes, np.int32)
        found[self.nodes] = np.arange(self.nodes.size, dtype=np.int32)
        return found[self.node]

    def groups(self) -> tuple[list[NDArray[np.intp]], tuple[str, ...]]:
        """Return the ranks of each node in the order of their cores, nodes in the job's order, and what that loses.

        Nodes without a rank are left out: then the job has to be given those that have one.
        """
        order = np.lexsort((self.core, self.turn))
        used, first = np.unique(self.turn[order], return_index=True)
        groups = np.split(order, first[1:])
        if np.array_equal(used, np.arange(used.size)):
            return groups, (NAMES,)
        names = compress(self.network.host_names[node] for node in self.nodes[used].tolist()).split(",")
        some = ",".join(names) if len(names) <= NAMED else f"{','.join(names[:NAMED])} ..."
        return groups, (f"{NAMES}: the job has to be given just the nodes with a rank, in this order: {some}",)


def lines(words: "list[str] | list[int]") -> str:
    """Return a text with a line for each."""
    return "".join(f"{word}\n" for word in words)
