"""Recursive bisection: tasks and machine are split into halves recursively, with little traffic between the halves.

After F. Ercal, J. Ramanujam and P. Sadayappan, "Task Allocation onto a Hypercube by Recursive Mincut Bipartitioning",
Journal of Parallel and Distributed Computing 10, 1990; each bisection is METIS's (Karypis and Kumar 1998).
"""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.mapping.affinity import affinity
from core.mapping.mapping import MappingOfNodesSpec, Slots
from core.mapping.node_groups import Indices, grouped
from core.network.network import Ints, Network
from core.optional import optional
from core.spec import Progress, declare

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_WEIGHT = 1e9
"""Maximum sum of edge weights, since the partitioner uses 32-bit integers."""


class RecursiveBisection(MappingOfNodesSpec, frozen=True, tag="recursive-bisection"):
    """Recursive bisection: tasks split into halves with little traffic between them, like the machine at its levels."""

    title: ClassVar[str] = "Recursive bisection"
    searches: ClassVar[bool] = True

    seed: Annotated[int, declare("Seed", "seed of the partitioner", ge=0, le=(1 << 31) - 1)] = 0

    def place_on(self, job: Job, network: Network, nodes: Ints, progress: Progress) -> Slots:
        """Return the slots. The nodes that the tasks fill are halved down to single nodes, between groups if possible.

        Raises SpecError: if the partitioner is not installed, or there are too many flows. Raises Cancelled: when
        `progress` does.
        """
        metis = optional("pymetis", "metis", "mapping.type")
        volumes, spn = affinity(job, "recursive-bisection"), network.slots_per_node
        used, levels = grouped(network, nodes)
        slots, left = np.empty(job.tasks, np.int32), [(_Traffic.of(volumes), 0, -(-job.tasks // spn))]
        placed = 0
        while left:
            progress(placed / job.tasks)
            part, first, end = left.pop()
            if end - first == 1:
                slots[part.tasks] = used[first] * spn + np.arange(part.tasks.size)
                placed += part.tasks.size
                continue
            middle = _middle(first, end, levels)
            inside = _cut(part, (middle - first) * spn, self.seed, metis)
            left += [(part.among(inside), first, middle), (part.among(~inside), middle, end)]
        progress(1.0)
        return slots


class _Traffic(NamedTuple):
    """Volumes between some tasks, in arrays, which are faster to split than a sparse matrix."""

    tasks: Indices
    """(n,) ascending."""
    src: Indices
    """(volumes,) index into `tasks` of one task, ascending."""
    dst: Indices
    volume: NDArray[np.float64]

    @classmethod
    def of(cls, volumes: "csr_array") -> "_Traffic":
        """Return all volumes of `affinity`."""
        tasks = np.arange(volumes.shape[0])
        return cls(tasks, np.repeat(tasks, np.diff(volumes.indptr)), volumes.indices.astype(np.int64), volumes.data)

    def among(self, some: NDArray[np.bool_]) -> "_Traffic":
        """Return the volumes between some of the tasks."""
        stays, number = np.flatnonzero(some[self.src] & some[self.dst]), np.cumsum(some) - 1
        return _Traffic(self.tasks[some], number[self.src[stays]], number[self.dst[stays]], self.volume[stays])


def _middle(first: int, end: int, levels: list[Indices]) -> int:
    # Where the nodes from `first` to before `end` are split: near the middle, between groups of the coarsest level that
    # has several groups there.
    for ends in levels:
        inside = ends[np.searchsorted(ends, first, "right") : np.searchsorted(ends, end)]
        if inside.size:
            return int(inside[np.abs(2 * inside - first - end).argmin()])
    return (first + end + 1) // 2


def _cut(traffic: _Traffic, count: int, seed: int, metis: Any) -> NDArray[np.bool_]:
    # The tasks of one part: exactly `count` tasks, with little traffic to the other part.
    tasks = traffic.tasks.size
    if not traffic.volume.size:
        return np.arange(tasks) < count
    weight = np.maximum(np.rint(traffic.volume / traffic.volume.sum() * MAX_WEIGHT), 1).astype(np.int32)
    start = np.searchsorted(traffic.src, np.arange(tasks + 1))
    _, part = metis.part_graph(
        2,
        metis.CSRAdjacency(start.astype(np.int32), traffic.dst.astype(np.int32)),
        eweights=weight,
        tpwgts=[count / tasks, 1 - count / tasks],
        recursive=True,
        options=metis.Options(seed=seed),
    )
    return _exactly(np.asarray(part) == 0, count, traffic)


def _exactly(inside: NDArray[np.bool_], count: int, traffic: _Traffic) -> NDArray[np.bool_]:
    # Move the tasks with most traffic to the other side there, until exactly `count` tasks are inside.
    surplus = int(inside.sum()) - count
    if surplus:
        loses = np.flatnonzero(inside == (surplus > 0))
        side = np.where(inside, -1.0, 1.0) * (1 if surplus > 0 else -1)
        gain = np.bincount(traffic.src, traffic.volume * side[traffic.dst], inside.size)
        moved = loses[np.argsort(-gain[loses], kind="stable")[: abs(surplus)]]
        inside = inside.copy()
        inside[moved] = surplus < 0
    return inside
