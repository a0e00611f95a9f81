"""The ports at the ends of links, as a fabric numbers and addresses them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.adjacency import Ints


class Ports(NamedTuple):
    """The ports at one end of some links, shape ``(links,)`` each; 0 for values that the file does not give."""

    number: Ints
    """Number of the port on its device, as in the file."""
    nic: Ints
    """NIC of the host, from 0 in the order of the names of its adapters; -1 at a switch."""
    guid: NDArray[np.uint64]
    """GUID of the device: a switch, or an adapter of a host."""
    lid: Ints
    """Base LID of the port; at a switch of its port 0."""
    lmc: Ints
    """LMC: the port has 2^LMC LIDs from its base LID."""
    port_guid: NDArray[np.uint64]
    """GUID of the port; at a switch of the switch."""

    def of(self, links: NDArray[np.intp]) -> "Ports":
        """Return the ports of the links with these indices."""
        numbers = (self.number[links], self.nic[links])
        return Ports(*numbers, self.guid[links], self.lid[links], self.lmc[links], self.port_guid[links])

    def followed_by(self, others: "Ports") -> "Ports":
        """Return these ports and then some others."""
        numbers = np.append(self.number, others.number), np.append(self.nic, others.nic)
        addresses = np.append(self.lid, others.lid), np.append(self.lmc, others.lmc)
        guids = np.append(self.guid, others.guid), np.append(self.port_guid, others.port_guid)
        return Ports(*numbers, guids[0], *addresses, guids[1])


def numbered_ports(number: Sequence[int], nic: Sequence[int]) -> Ports:
    """Return ports with numbers and NICs, without addresses."""
    none = np.zeros(len(number), np.int32)
    guid = none.astype(np.uint64)
    return Ports(np.array(number, np.int32), np.array(nic, np.int32), guid, none, none, guid)


def at_both_ends(ports: Ports, edges: NDArray[np.intp]) -> tuple[Ports, Ports]:
    """Return the ports at the tails and at the heads of links, two links for each of `edges`: forward and reverse.

    `ports` are the ports at the first ends of all edges, followed by the ports at the second ends.
    """
    first, second = edges, edges + ports.number.size // 2
    tails, heads = np.stack([first, second], axis=1), np.stack([second, first], axis=1)
    return ports.of(tails.ravel()), ports.of(heads.ravel())
