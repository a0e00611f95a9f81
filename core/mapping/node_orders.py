"""Mappings that fill one node after the other: along a ring, in strides, or outwards from a root.

Source: Ke Cui, "Efficient Collective Communication in Interconnection Networks with Shortcut Network Topologies", PhD
thesis, 2024: sections 3.2.3 (ring) and 3.2.2 (tree), algorithm 4.1 (stride: m of n nodes of G(n, log2 n) are then a
G(m, log2 m)). Depth-first ranks are CCO, chain concatenation ordering (Kesavan and Panda, "Efficient Multicast on
Irregular Switch-Based Cut-Through Networks with Up-Down Routing", 2001), the competitor in the thesis.
"""

from typing import Annotated, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.mapping.mapping import MappingSpec, Slots
from core.network.adjacency import Adjacency, distances_from
from core.network.network import Ints, Network
from core.spec import Seed, SpecError, declare
from core.text import plural

Start = Annotated[int, declare("Start", "node of task 0", ge=0, lt=1 << 31)]


class RingConsecutive(MappingSpec, frozen=True, tag="ring"):
    """Consecutive on the ring: consecutive nodes from a start, with node 0 after the last."""

    title: ClassVar[str] = "Consecutive on the ring"

    start: Start = 0

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots.

        Raises SpecError: if the start does not exist.
        """
        _check_node("mapping.start", self.start, network)
        return _filled(_stepping(self.start, 1, _needed(job, network), network), job, network)


class CirculantStride(MappingSpec, frozen=True, tag="stride"):
    """Circulant stride: every (n/m)-th of n nodes, if the tasks need m nodes, a power of two."""

    title: ClassVar[str] = "Circulant stride"

    start: Start = 0

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots: each node is n/m nodes after the previous one.

        Raises SpecError: if the start does not exist, or the number of nodes needed is not a power of two or does not
        divide the number of the network's nodes.
        """
        _check_node("mapping.start", self.start, network)
        needed = _needed(job, network)
        if needed & (needed - 1):
            wanted = f"a power of two of nodes, but {job.tasks:,} tasks need {needed:,}"
            raise SpecError("mapping.type", f"stride needs {wanted}; try ring")
        if network.nodes % needed:
            wanted = f"a multiple of {needed:,} nodes, not {network.nodes:,}"
            raise SpecError("mapping.type", f"stride needs {wanted}; try ring")
        return _filled(_stepping(self.start, network.nodes // needed, needed, network), job, network)


class HierarchicalTree(MappingSpec, frozen=True, tag="tree"):
    """Hierarchical tree: nodes in the order of a breadth-first search from a root, until all tasks are placed."""

    title: ClassVar[str] = "Hierarchical tree"

    root: Annotated[int, declare("Root", "first node of the search", ge=0, lt=1 << 31)] = 0
    order: Annotated[
        Literal["ascending", "random"],
        declare("Neighbour order", "order in which the search visits the neighbours of a node"),
    ] = "ascending"
    ranks: Annotated[
        Literal["breadth-first", "depth-first"],
        declare("Rank order", "order of the tasks on these nodes, by breadth or (pre-order) by depth"),
    ] = "breadth-first"
    seed: Seed = 0

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots: task 0 on the root, the next tasks on its neighbours, then on the neighbours' neighbours.

        Switches are passed through and host no tasks. With depth-first ranks, the same nodes are taken in pre-order of
        the breadth-first tree.

        Raises SpecError: if the root does not exist, or too few nodes can be reached from it.
        """
        _check_node("mapping.root", self.root, network)
        adjacency = network.out_links
        if self.order == "random":
            adjacency = _shuffled(adjacency, np.random.default_rng(self.seed))
        distance, queue = np.empty((2, network.vertices), np.int32)
        reached = queue[: distances_from(self.root, adjacency, distance, queue)]
        nodes, needed = reached[reached < network.nodes], _needed(job, network)
        if nodes.size < needed:
            reason = f"is {self.root:,}, which is connected to only {plural(nodes.size, 'node')}"
            raise SpecError("mapping.root", f"{reason}; {job.tasks:,} tasks need {needed:,}")
        nodes = nodes[:needed]
        if self.ranks == "depth-first":
            nodes = nodes[np.argsort(_preorder(reached, distance, adjacency)[nodes])]
        return _filled(nodes, job, network)


def _preorder(reached: Ints, distance: Ints, adjacency: Adjacency) -> NDArray[np.int64]:
    # The pre-order index of each vertex in the breadth-first tree.
    turn = np.full(distance.size, reached.size, np.int64)
    turn[reached] = np.arange(reached.size)
    tail, head = np.repeat(np.arange(distance.size), np.diff(adjacency.start)), adjacency.vertex
    onward = distance[head] == distance[tail] + 1
    found_in = np.full(distance.size, reached.size, np.int64)
    np.minimum.at(found_in, head[onward], turn[tail[onward]])
    # Vertices in breadth-first order: the parent of each, and the size of its subtree.
    parents, size = found_in[reached].tolist(), [1] * reached.size
    for index in range(reached.size - 1, 0, -1):
        size[parents[index]] += size[index]
    place, free = [0] * reached.size, [1] * reached.size
    for index in range(1, reached.size):
        place[index] = free[parents[index]]
        free[parents[index]] += size[index]
        free[index] = place[index] + 1
    turn[reached] = place
    return turn


def _check_node(field: str, node: int, network: Network) -> None:
    if node >= network.nodes:
        raise SpecError(field, f"is {node:,}; the job's nodes are 0 to {network.nodes - 1:,}")


def _needed(job: Job, network: Network) -> int:
    # The number of nodes that the tasks fill.
    return -(-job.tasks // network.slots_per_node)


def _stepping(start: int, step: int, count: int, network: Network) -> Ints:
    return ((start + step * np.arange(count, dtype=np.int64)) % network.nodes).astype(np.int32)


def _filled(nodes: Ints, job: Job, network: Network) -> Slots:
    # The slots of tasks that fill these nodes in order.
    node, core = np.divmod(np.arange(job.tasks), network.slots_per_node)
    return (nodes.astype(np.int64)[node] * network.slots_per_node + core).astype(np.int32)


def _shuffled(adjacency: Adjacency, random: np.random.Generator) -> Adjacency:
    # The same links with the neighbours of every vertex in random order.
    end = np.repeat(np.arange(adjacency.start.size - 1), np.diff(adjacency.start))
    order = np.lexsort((random.random(end.size), end))
    return adjacency._replace(vertex=adjacency.vertex[order], link=adjacency.link[order])
