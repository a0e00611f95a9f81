"""TreeMatch: tasks with much mutual traffic are grouped, then the groups, up the levels of the machine.

After E. Jeannot, G. Mercier and F. Tessier, "Process Placement in Multicore Clusters: Algorithmic Issues and Practical
Techniques", IEEE TPDS 25, 2014, whose groups of large jobs grow greedily as these do.
"""

from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.kernels import inlined, kernel
from core.mapping.affinity import affinity
from core.mapping.mapping import MappingSpec, Slots
from core.network.network import Network
from core.spec import SpecError

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Indices = NDArray[np.int64]


class TreeMatch(MappingSpec, frozen=True, tag="tree-match"):
    """TreeMatch: groups of tasks that say most to each other for each node, groups of these for each group of nodes."""

    title: ClassVar[str] = "TreeMatch"
    searches: ClassVar[bool] = True

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots: groups in order, on nodes in the order of the levels.

        Raises SpecError: if a node hosts one task and there are no levels to group nodes by, or there are too many
        flows.
        """
        sizes = group_sizes(network)
        if not sizes:
            needed = (
                "tree-match needs nodes of several tasks, or equal groups of nodes, as percs has if none is left out"
            )
            raise SpecError("mapping.type", f"{needed}; structured would do")
        known = affinity(job, "tree-match")
        place, width, item = np.zeros(job.tasks, np.int64), 1, np.arange(job.tasks)
        for size in sizes:
            # The items are tasks, then groups of tasks.
            group, rank = np.empty((2, known.shape[0]), np.int64)
            _grow(size, known.indptr.astype(np.int64), known.indices.astype(np.int64), known.data, group, rank)
            place += rank[item] * width
            item, width = group[item], width * size
            known = _between(known, group)
        place += item * width
        node, core = np.divmod(place, network.slots_per_node)
        return (nodes_by_level(network)[node] * network.slots_per_node + core).astype(np.int32)


def group_sizes(network: Network) -> tuple[int, ...]:
    """Return the number of items in a group, smallest groups first: tasks of a node, nodes of a router ..."""
    counts = [network.nodes, *(level.count for level in reversed(network.levels))]
    sizes = [finer // coarser for finer, coarser in pairwise(counts)]
    return tuple(size for size in (network.slots_per_node, *sizes) if size > 1)


def nodes_by_level(network: Network) -> Indices:
    """Return the nodes sorted by group of the coarsest level, then of the next, and so on, shape ``(nodes,)``."""
    keys = np.stack([np.arange(network.nodes), *(level.group for level in reversed(network.levels))])
    return np.lexsort(keys).astype(np.int64)


def _between(known: "csr_array", group: Indices) -> "csr_array":
    # Volumes between groups.
    from scipy.sparse import csr_array

    count = int(group.max()) + 1
    part = csr_array((np.ones(group.size), (np.arange(group.size), group)), shape=(group.size, count))
    found = csr_array(part.T @ known @ part)
    found.setdiag(0.0)
    found.eliminate_zeros()
    found.sort_indices()
    return found


@inlined
def _closest(touched: Indices, count: int, gain: NDArray[np.float64], group: Indices) -> int:
    # The remaining item with most traffic to the group, the first among equals; -1: none has any.
    best, most = -1, 0.0
    for k in range(count):
        one = touched[k]
        if group[one] < 0 and gain[one] > most:
            best, most = one, gain[one]
    return best


@kernel
def _grow(
    size: int, start: Indices, other: Indices, volume: NDArray[np.float64], group: Indices, rank: Indices
) -> None:
    # Groups of `size` items, all full but the last: each begins with the first item left, and adds in turn the one with
    # most traffic to it; among equals the one found first; without any traffic, the first item left.
    items = start.size - 1
    gain, touched = np.zeros(items), np.empty(items, np.int64)
    group[:] = -1
    first = count = 0
    for place in range(items):
        if place % size == 0:
            for k in range(count):
                gain[touched[k]] = 0.0
            count = 0
        best = _closest(touched, count, gain, group)
        if best < 0:
            while group[first] >= 0:
                first += 1
            best = first
        group[best], rank[best] = place // size, place % size
        for k in range(start[best], start[best + 1]):
            one = other[k]
            if group[one] < 0:
                if gain[one] == 0.0:
                    touched[count] = one
                    count += 1
                gain[one] += volume[k]
