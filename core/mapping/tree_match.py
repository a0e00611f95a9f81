"""TreeMatch: tasks with much mutual traffic are grouped, then the groups, up the levels of the machine.

After E. Jeannot, G. Mercier and F. Tessier, "Process Placement in Multicore Clusters: Algorithmic Issues and Practical
Techniques", IEEE TPDS 25, 2014, whose groups of large jobs grow greedily as these do.
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
from core.spec import SpecError

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class TreeMatch(MappingOfNodesSpec, frozen=True, tag="tree-match"):
    """TreeMatch: groups of tasks that say most to each other for each node, groups of these for each group of nodes."""

    title: ClassVar[str] = "TreeMatch"
    searches: ClassVar[bool] = True

    def place_on(self, job: Job, network: Network, nodes: Ints) -> Slots:
        """Return the slots: nodes are filled one after the other, in the order of the levels.

        Each group of nodes gets a group of as many tasks, also where the groups of a level have different numbers.

        Raises SpecError: if nothing groups tasks, as no node hosts several and no group has several nodes, or there
        are too many flows.
        """
        spn = network.slots_per_node
        ordered, levels = grouped(network, nodes)
        groups = [np.arange(1, ordered.size + 1), *reversed(levels)]
        if spn == 1 and groups[-1].size == ordered.size:
            needed = "tree-match needs nodes of several tasks, or groups of several nodes, as percs has"
            raise SpecError("mapping.type", f"{needed}; structured would do")
        place = _by_traffic(affinity(job, "tree-match"), [_first(ends * spn, job.tasks) for ends in groups])
        node, core = np.divmod(place, spn)
        return (ordered[node] * spn + core).astype(np.int32)


def _first(ends: Indices, tasks: int) -> Indices:
    # Where groups end if only the first slots have tasks.
    return np.minimum(ends[: np.searchsorted(ends, tasks) + 1], tasks)


def _by_traffic(known: "csr_array", levels: list[Indices]) -> Indices:
    """Return the place of each task, shape ``(tasks,)``; `levels`: where groups of places end, the finest first.

    Up the levels tasks, then groups of them, are grouped. They are of one kind if they have as many members of each
    kind: then they fit the same places. Down again each group gets the places of one of its kind.
    """
    kind, begins, climbed = np.zeros(known.shape[0], np.int64), np.arange(known.shape[0]), []
    for ends in levels:
        group_of_place = np.searchsorted(ends, begins, "right")
        room = np.zeros((ends.size, kind.max() + 1), np.int64)
        np.add.at(room, (group_of_place, kind), 1)
        group, rank = np.empty((2, kind.size), np.int64)
        _grow(known.indptr.astype(np.int64), known.indices.astype(np.int64), known.data, kind, room, group, rank)
        climbed.append((group, rank, kind, room, np.lexsort((kind, group_of_place))))
        kind, begins, known = _numbered(room), np.append(0, ends[:-1]), _between(known, group)
    place = np.arange(kind.size)
    for group, rank, kind, room, members in reversed(climbed):
        first = np.append(0, np.cumsum(room)[:-1]).reshape(room.shape)
        place = members[first[place[group], kind] + rank]
    return place


def _numbered(room: Indices) -> Indices:
    # The same number for equal rows.
    return np.unique(room, axis=0, return_inverse=True)[1].ravel()


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
def _closest(
    touched: Indices, count: int, gain: NDArray[np.float64], group: Indices, kind: Indices, left: Indices
) -> int:
    # The unplaced item that fits and exchanges most traffic with the group (ties: the lowest index), or -1.
    best, most = -1, 0.0
    for k in range(count):
        one = touched[k]
        if group[one] < 0 and gain[one] > most and left[kind[one]] > 0:
            best, most = one, gain[one]
    return best


@inlined
def _first_left(first: Indices, group: Indices, kind: Indices, left: Indices) -> int:
    # The first remaining item that there is room for; of each kind, those before `first` are grouped.
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
    # Groups with as many items of each kind as a row of `room` says; `rank` counts those of a kind in a group.
    # Each begins with the first item left, and adds in turn the one with most traffic to it; among equals the one found
    # first; without any traffic, the first item left.
    items, kinds = start.size - 1, room.shape[1]
    gain, touched = np.zeros(items), np.empty(items, np.int64)
    first, left = np.zeros(kinds, np.int64), np.empty(kinds, np.int64)
    group[:] = -1
    for one in range(room.shape[0]):
        count = members = 0
        for k in range(kinds):
            left[k] = room[one, k]
            members += room[one, k]
        for _ in range(members):
            best = _closest(touched, count, gain, group, kind, left)
            if best < 0:
                best = _first_left(first, group, kind, left)
            group[best], rank[best] = one, room[one, kind[best]] - left[kind[best]]
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
