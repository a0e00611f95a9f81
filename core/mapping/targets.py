"""Targets of placement: nodes, and groups of any level."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core.job.job import Tasks
from core.mapping.mapping import Mapping, Slots
from core.network.network import Network


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
        """Return ``supernode 5``, ``drawer 3 of supernode 5`` or ``node 5 · d3 · 28``."""
        if self.level == len(network.levels):
            return f"node {network.label(self.index)}"
        level = network.levels[self.level]
        if self.level == 0:
            return f"{level.name} {self.index}"
        within = level.count // network.levels[self.level - 1].count
        outer = Target.containing(int((level.group == self.index).argmax()), self.level - 1, network)
        return f"{level.name} {self.index % within} of {outer.name(network)}"

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


def grown(tasks: ArrayLike, mapping: Mapping, network: Network) -> Tasks:
    """Return the tasks that share a node with any of these, ascending.

    If that adds none, those that share a group of the finest level, and so on to the coarsest; then all tasks. No tasks
    give none.
    None grow to none.
    """
    known = np.unique(np.asarray(tasks, np.int32))
    everyone = np.zeros(mapping.slots.size, np.int32)
    units = [mapping.nodes, *(level.group[mapping.nodes] for level in reversed(network.levels)), everyone]
    for unit in units:
        touched = np.zeros(network.nodes, np.bool_)
        touched[unit[known]] = True
        found = np.flatnonzero(touched[unit])
        if found.size > known.size:
            return found.astype(np.int32)
    return known
