"""Ways to choose the nodes of a job, and how they are written down."""

from collections.abc import Callable

import numpy as np

from core.hostlist import compress
from core.network.network import Ints, Network

Choice = Callable[[Ints, int, Network], Ints]


def compact(free: Ints, count: int, network: Network) -> Ints:
    """Return the first free nodes: together in as few groups as they fill."""
    return free[:count]


def scattered(free: Ints, count: int, network: Network) -> Ints:
    """Return nodes of all groups of the coarsest level in turn, ascending; without levels as far apart as they go."""
    if not network.levels:
        return free[np.arange(count) * free.size // count]
    group = network.levels[0].group[free]
    # The k-th free node of each group comes in the k-th turn.
    order = np.argsort(group, kind="stable")
    first = np.searchsorted(group[order], group[order])
    turn = np.empty(free.size, np.int64)
    turn[order] = np.arange(free.size) - first
    return np.sort(free[np.argsort(turn, kind="stable")[:count]])


def random(free: Ints, count: int, network: Network, seed: int = 0) -> Ints:
    """Return so many free nodes at random, ascending."""
    return np.sort(np.random.default_rng(seed).choice(free, count, replace=False))


def every_kth(free: Ints, count: int, network: Network) -> Ints:
    """Return every k-th free node from the first on, with the largest whole k that gives so many."""
    return free[:: free.size // count][:count]


CHOICES: dict[str, Choice] = {
    "compact": compact,
    "scattered": scattered,
    "random": random,
    "every k-th": every_kth,
}


def words(nodes: Ints, network: Network) -> str:
    """Return what an allocation of these nodes in this order says, by name where the network has names."""
    if network.hosts:
        return compress(network.hosts[node] for node in nodes.tolist())
    ends = np.flatnonzero(np.diff(nodes) != 1) + 1
    return ",".join(_range(run) for run in np.split(nodes, ends) if run.size)


def _range(run: Ints) -> str:
    return str(run[0]) if run.size == 1 else f"{run[0]}-{run[-1]}"
