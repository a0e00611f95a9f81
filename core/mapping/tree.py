"""Hierarchical tree: nodes near a root.

Source: Ke Cui, "Efficient Collective Communication in Interconnection Networks with Shortcut Network
Topologies", PhD thesis, 2024, section 3.2.2.
"""

from typing import Annotated, ClassVar, Literal

import numpy as np

from core.job.job import Job
from core.mapping.mapping import MappingSpec, Slots, check_node, filled, nodes_needed
from core.network.adjacency import FAR, Adjacency, Ints, distances_from
from core.network.network import Network
from core.spec import Seed, SpecError, declare


class HierarchicalTree(MappingSpec, frozen=True, tag="tree"):
    """Hierarchical tree: nodes in the order of a breadth-first search from a root, until all tasks have one."""

    title: ClassVar[str] = "Hierarchical tree"

    root: Annotated[int, declare("Root", "node that the search begins at", ge=0, lt=1 << 31)] = 0
    order: Annotated[
        Literal["ascending", "random"],
        declare("Order", "in which the neighbours of a node are taken, by number or not"),
    ] = "ascending"
    seed: Seed = 0

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots: task 0 on the root, the next on its neighbours, then on theirs.

        A node's slots are filled before the next node is begun. Switches are passed through, and host nothing.

        Raises SpecError: if there is no such root, or too few nodes can be reached from it.
        """
        check_node("mapping.root", self.root, network)
        near = network.out_links
        if self.order == "random":
            near = shuffled(near, np.random.default_rng(self.seed))
        found = hosts_from(self.root, near, network)
        needed = nodes_needed(job, network)
        if found.size < needed:
            raise SpecError(
                "mapping.root",
                f"is {self.root}, from which links lead to {found.size:,} nodes; {job.tasks:,} tasks need {needed:,}",
            )
        return filled(found[:needed], job, network)


def hosts_from(root: int, near: Adjacency, network: Network) -> Ints:
    """Return the nodes, no switches, that links lead to from a root, itself first, in breadth-first order."""
    distance, queue = np.full(network.vertices, FAR, np.int32), np.zeros(network.vertices, np.int32)
    reached = queue[: distances_from(root, near, distance, queue)]
    return reached[reached < network.nodes]


def shuffled(near: Adjacency, random: np.random.Generator) -> Adjacency:
    """Return the same links with the neighbours of every vertex in random order."""
    here = np.repeat(np.arange(near.start.size - 1), np.diff(near.start))
    order = np.lexsort((random.random(near.vertex.size), here))
    return Adjacency(near.start, near.vertex[order], near.link[order])
