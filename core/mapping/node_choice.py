"""Choices of the nodes of a job, and their notation."""

from collections.abc import Callable

import numpy as np

from core.hostlist import compress
from core.network.network import Ints, Network

Choice = Callable[[Ints, int, Network], Ints]


def compact(free: Ints, count: int, network: Network) -> Ints:
    """Return the free nodes with the lowest numbers, which keeps them in few groups."""
    return free[:count]


def scattered(free: Ints, count: int, network: Network) -> Ints:
    """Return free nodes from all groups of the coarsest level in turn, ascending, or evenly spread without levels."""
    if not network.levels:
        return free[np.arange(count) * free.size // count]
    group = network.levels[0].group[free]
    # The k-th free nodes of all groups have turn k.
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], group[order])
    turn = np.empty(free.size, np.int64)
    turn[order] = np.arange(free.size) - first
    return np.sort(free[np.argsort(turn, kind="stable")[:count]])


def random(free: Ints, count: int, network: Network, seed: int = 0) -> Ints:
    """Return random free nodes, ascending."""
    return np.sort(np.random.default_rng(seed).choice(free, count, replace=False))


def every_kth(free: Ints, count: int, network: Network) -> Ints:
    """Return every k-th free node, starting with the first, with the largest possible k."""
    return free[:: free.size // count][:count]


CHOICES: dict[str, Choice] = {"compact": compact, "scattered": scattered, "random": random, "every k-th": every_kth}


def nodes_text(nodes: Ints, network: Network) -> str:
    """Return the text of an allocation of the hosts of nodes in this order, by name if the network has names."""
    hosts = network.host_slots.hosts_of(nodes)
    if network.hosts:
        return compress(network.hosts[host] for host in hosts.tolist())
    ends = np.flatnonzero(np.diff(hosts) != 1) + 1
    return ",".join(_range(run) for run in np.split(hosts, ends) if run.size)


def _range(run: Ints) -> str:
    return str(run[0]) if run.size == 1 else f"{run[0]}-{run[-1]}"
