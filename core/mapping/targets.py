"""Targets of placement: nodes, and groups of any level."""

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.job.job import Tasks
from core.mapping.mapping import Mapping, Slots
from core.network.network import Network

_NUMBER = re.compile(r"[0-9]{1,18}$")


def level_names(network: Network) -> tuple[str, ...]:
    """Return the names of targets by level, coarsest first: supernode, drawer, node."""
    return (*(level.name for level in network.levels), "node")


@dataclass(frozen=True, slots=True)
class Target:
    """A group of one of the network's levels, or a node."""

    level: int
    """Index into the network's levels, coarsest first; the number of levels means a node."""
    index: int

    @classmethod
    def containing(cls, node: int, level: int, network: Network) -> "Target":
        """Return the target of a level that contains a node."""
        return cls(level, node if level == len(network.levels) else int(network.levels[level].group[node]))

    def name(self, network: Network) -> str:
        """Return its name, as given by `Network.place_name`."""
        return network.place_name(self.level, self.index)

    def nodes(self, network: Network) -> NDArray[np.int32]:
        """Return its nodes, ascending."""
        if self.level == len(network.levels):
            return np.array([self.index], np.int32)
        return np.flatnonzero(network.levels[self.level].group == self.index).astype(np.int32)

    def slots(self, network: Network) -> Slots:
        """Return its slots, ascending."""
        core = np.arange(network.slots_per_node, dtype=np.int32)
        slots: Slots = (self.nodes(network)[:, None] * np.int32(core.size) + core).ravel()
        return slots


def target_count(network: Network, level: int) -> int:
    """Return the number of targets of a level."""
    return network.nodes if level == len(network.levels) else network.levels[level].count


def target_names(network: Network, level: int) -> tuple[str, ...]:
    """Return the names of a level's targets in the network's file, in order; empty if they are numbered."""
    if level < len(network.levels):
        return network.levels[level].names
    return network.hosts if network.nics is None else ()


def target_numbered(number: int, network: Network, level: int) -> int | None:
    """Return the index of a level's target by its number, or by a name that ends with it, such as s2; or None."""
    names = target_names(network, level)
    if not names:
        return number if number < target_count(network, level) else None
    endings = (_NUMBER.search(name) for name in names)
    return next((index for index, ending in enumerate(endings) if ending and int(ending[0]) == number), None)


def grown(tasks: ArrayLike, mapping: Mapping, network: Network) -> Tasks:
    """Return the tasks that share a node with any of these, ascending.

    If that adds no task, the tasks that share a group of the finest level, and so on to the coarsest; then all tasks.
    An empty selection stays empty.
    """
    selected = np.unique(np.asarray(tasks, np.int32))
    everyone = np.zeros(mapping.slots.size, np.int32)
    units = [mapping.nodes, *(level.group[mapping.nodes] for level in reversed(network.levels)), everyone]
    for unit in units:
        touched = np.zeros(network.nodes, np.bool_)
        touched[unit[selected]] = True
        touched_tasks = np.flatnonzero(touched[unit])
        if touched_tasks.size > selected.size:
            return touched_tasks.astype(np.int32)
    return selected
