"""Networks whose hosts have several NICs, each of which is a node."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from core.network.network import Ints, Level, Network
from core.spec import SpecError, declare
from core.text import plural

HOST = "host"
"""Name of the level of hosts with several NICs."""
SERVER = "server"
"""Name of the level of hosts whose GPUs are nodes."""
Nics = Annotated[
    int,
    declare("NICs per host", "consecutive nodes that are the NICs of one host, where 1 makes every node a host",
            ge=1, le=64),
]  # fmt: skip


def nodes_text(nodes: int, hosts: int, noun: str = "node") -> str:
    """Return the number of nodes in words, after the number of hosts if they have several NICs.

    ``37,888 nodes``; ``9,472 hosts, 37,888 endpoints``; ``128 hosts, 1,024 GPUs``.
    """
    if hosts == nodes:
        return plural(nodes, noun)
    return f"{plural(hosts, 'host')}, {plural(nodes, 'endpoint' if noun == 'node' else noun)}"


def with_nics(network: Network, nics: int, unit: int, unit_name: str) -> Network:
    """Return the network with hosts of `nics` consecutive nodes, which form the finest level ``host``.

    Levels whose groups split hosts are omitted. A host lies within `unit` consecutive nodes, such as the nodes of a
    group.

    Raises SpecError: if `nics` does not divide `unit`.
    """
    if nics == 1:
        return network
    if unit % nics:
        raise SpecError("network.nics", f"is {nics}; must divide the {unit:,} nodes of {unit_name}")
    return on_hosts(network, np.full(network.nodes // nics, nics, np.int32))


def on_hosts(network: Network, nics: Ints) -> Network:
    """Return the network with hosts of these numbers of NICs, which form a level if all have equally many.

    Levels whose groups split hosts are omitted.
    """
    grouped = replace(network, nics=nics)
    host, first = grouped.host_slots.host_of, grouped.host_slots.first
    levels = tuple(level for level in network.levels if (level.group == level.group[first][host]).all())
    if nics.min() == nics.max() and nics.size > 1:
        levels += (Level(HOST, host, nics.size, network.hosts),)
    if not levels or levels[:1] == network.levels[:1]:
        return replace(grouped, levels=levels)
    # Outside the omitted groups, every switch is a group of its own.
    alone = levels[0].count + np.arange(network.vertices - network.nodes, dtype=np.int32)
    return replace(grouped, levels=levels, switch_group=alone if alone.size else None)
