"""TreeMatch: tasks with much mutual traffic are grouped, then the groups, up the levels of the machine.

After E. Jeannot, G. Mercier and F. Tessier, "Process Placement in Multicore Clusters: Algorithmic Issues and Practical
Techniques", IEEE TPDS 25, 2014, whose groups of large jobs also grow greedily.
"""

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.kernels import inlined, kernel
from core.mapping.affinity import affinity
from core.mapping.mapping import MappingOfNodesSpec, Slots
from core.mapping.node_groups import Indices, grouped
from core.network.network import Ints, Network
from core.spec import Progress, SpecError

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class TreeMatch(MappingOfNodesSpec, frozen=True, tag="tree-match"):
    """TreeMatch: tasks with the most mutual traffic grouped on nodes, and their groups on groups of nodes."""

    title: ClassVar[str] = "TreeMatch"
    searches: ClassVar[bool] = True

    def place_on(self, job: Job, network: Network, nodes: Ints, progress: Progress) -> Slots:
        """Return the slots: nodes are filled one after the other, in the order of the levels.

        Each group of nodes gets a group of as many tasks, even if the groups of a level have different sizes.

        Raises SpecError: if nothing groups tasks, because no node hosts several and no group has several nodes, or
        there are too many flows.
        """
        spn = network.slots_per_node
        ordered, levels = grouped(network, nodes)
        groups = [np.arange(1, ordered.size + 1), *reversed(levels)]
        if spn == 1 and groups[-1].size == ordered.size:
            needed = "tree-match needs several tasks per node, or groups of several nodes, such as the drawers of percs"
            raise SpecError("mapping.type", f"{needed}; try structured")
        place = _by_traffic(affinity(job, "tree-match"), [_first(ends * spn, job.tasks) for ends in groups])
        node, core = np.divmod(place, spn)
        return (ordered[node] * spn + core).astype(np.int32)


def _first(ends: Indices, tasks: int) -> Indices:
    # The ends of groups if only the first slots have tasks.
    return np.minimum(ends[: np.searchsorted(ends, tasks) + 1], tasks)


def _by_traffic(volumes: "csr_array", levels: list[Indices]) -> Indices:
    """Return the place of each task, shape ``(tasks,)``; `levels`: the ends of groups of places, the finest first.

    Going up the levels, tasks, then groups, are grouped. Groups are of one kind if they have equally many members of
    each kind: then they fit the same places. Going down again, each group gets the places of a group of its kind.
    """
    kind, begins, climbed = np.zeros(volumes.shape[0], np.int64), np.arange(volumes.shape[0]), []
    for ends in levels:
        group_of_place = np.searchsorted(ends, begins, "right")
        room = np.zeros((ends.size, kind.max() + 1), np.int64)
        np.add.at(room, (group_of_place, kind), 1)
        group, rank = np.empty((2, kind.size), np.int64)
        _grow(volumes.indptr.astype(np.int64), volumes.indices.astype(np.int64), volumes.data, kind, room, group, rank)
        climbed.append((group, rank, kind, room, np.lexsort((kind, group_of_place))))
        kind, begins, volumes = _numbered(room), np.append(0, ends[:-1]), _between(volumes, group)
    place = np.arange(kind.size)
    for group, rank, kind, room, members in reversed(climbed):
        first = np.append(0, np.cumsum(room)[:-1]).reshape(room.shape)
        place = members[first[place[group], kind] + rank]
    return place


def _numbered(room: Indices) -> Indices:
    # The same number for equal rows.
    return np.unique(room, axis=0, return_inverse=True)[1].ravel()


def _between(volumes: "csr_array", group: Indices) -> "csr_array":
    # Volumes between groups.
    from scipy.sparse import csr_array

    count = int(group.max()) + 1
    part = csr_array((np.ones(group.size), (np.arange(group.size), group)), shape=(group.size, count))
    between = csr_array(part.T @ volumes @ part)
    between.setdiag(0.0)
    between.eliminate_zeros()
    between.sort_indices()
    return between


@inlined
def _closest(
    touched: Indices, count: int, gain: NDArray[np.float64], group: Indices, kind: Indices, left: Indices
) -> int:
    # The unplaced item that fits and exchanges most traffic with the group (ties: the lowest index), or -1.
    best, most = -1, 0.0
    for k in range(count):
        item = touched[k]
        if group[item] < 0 and gain[item] > most and left[kind[item]] > 0:
            best, most = item, gain[item]
    return best


@inlined
def _first_left(first: Indices, group: Indices, kind: Indices, left: Indices) -> int:
    # The first remaining item that fits; of each kind, items before `first` are already grouped.
    best = group.size
    for k in range(left.size):
        if left[k] > 0:
            while group[first[k]] >= 0 or kind[first[k]] != k:
                first[k] += 1
            best = min(best, first[k])
    return best


@kernel
def _grow(
    start: Indices,
    other: Indices,
    volume: NDArray[np.float64],
    kind: Indices,
    room: Indices,
    group: Indices,
    rank: Indices,
) -> None:
    # Groups with the number of items of each kind given by a row of `room`; `rank` counts the items of a kind in a
    # group. Each group begins with the first remaining item, and repeatedly adds the item with most traffic to it
    # (ties: the one found first); without any traffic, the first remaining item.
    items, kinds = start.size - 1, room.shape[1]
    gain, touched = np.zeros(items), np.empty(items, np.int64)
    first, left = np.zeros(kinds, np.int64), np.empty(kinds, np.int64)
    group[:] = -1
    for row in range(room.shape[0]):
        count = members = 0
        for k in range(kinds):
            left[k] = room[row, k]
            members += room[row, k]
        for _ in range(members):
            best = _closest(touched, count, gain, group, kind, left)
            if best < 0:
                best = _first_left(first, group, kind, left)
            group[best], rank[best] = row, room[row, kind[best]] - left[kind[best]]
            left[kind[best]] -= 1
            for k in range(start[best], start[best + 1]):
                near = other[k]
                if group[near] < 0:
                    if gain[near] == 0.0:
                        touched[count] = near
                        count += 1
                    gain[near] += volume[k]
        for k in range(count):
            gain[touched[k]] = 0.0
