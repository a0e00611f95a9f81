"""Recursive bisection: tasks are cut into two halves with little traffic between them, as the machine is, and so on.

After F. Ercal, J. Ramanujam and P. Sadayappan, "Task Allocation onto a Hypercube by Recursive Mincut Bipartitioning",
Journal of Parallel and Distributed Computing 10, 1990; each cut is METIS's (Karypis and Kumar 1998).
"""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.mapping.affinity import affinity
from core.mapping.mapping import MappingOfNodesSpec, Slots
from core.mapping.node_groups import Indices, grouped
from core.network.network import Ints, Network
from core.optional import optional
from core.spec import declare

if TYPE_CHECKING:
    from scipy.sparse import csr_array

MAX_WEIGHT = 1e9
"""Sum of edge weights: the partitioner has 32-bit integers."""


class RecursiveBisection(MappingOfNodesSpec, frozen=True, tag="recursive-bisection"):
    """Recursive bisection: tasks cut in halves that say little to each other, as the machine is cut at its levels."""

    title: ClassVar[str] = "Recursive bisection"
    searches: ClassVar[bool] = True

    seed: Annotated[int, declare("Seed", "of the partitioner's random draws", ge=0, le=(1 << 31) - 1)] = 0

    def place_on(self, job: Job, network: Network, nodes: Ints) -> Slots:
        """Return the slots: as many nodes as the tasks fill are halved, groups kept whole, down to single nodes.

        Raises SpecError: if the partitioner is not installed, or there are too many flows.
        """
        metis = optional("pymetis", "metis", "mapping.type")
        known, spn = affinity(job, "recursive-bisection"), network.slots_per_node
        used, levels = grouped(network, nodes)
        found, left = np.empty(job.tasks, np.int32), [(np.arange(job.tasks), 0, -(-job.tasks // spn))]
        while left:
            tasks, first, end = left.pop()
            if end - first == 1:
                found[tasks] = used[first] * spn + np.arange(tasks.size)
                continue
            middle = _middle(first, end, levels)
            inside = _cut(known[tasks][:, tasks], (middle - first) * spn, self.seed, metis)
            left += [(tasks[inside], first, middle), (tasks[~inside], middle, end)]
        return found


def _middle(first: int, end: int, levels: list[Indices]) -> int:
    # Where nodes from `first` to before `end` are cut: near the middle, between groups of the coarsest level that has
    # several there.
    for ends in levels:
        inside = ends[np.searchsorted(ends, first, "right") : np.searchsorted(ends, end)]
        if inside.size:
            return int(inside[np.abs(2 * inside - first - end).argmin()])
    return (first + end + 1) // 2


def _cut(known: "csr_array", count: int, seed: int, metis: Any) -> NDArray[np.bool_]:
    # The tasks in one part, of exactly `count`, with little traffic to the other.
    tasks = known.shape[0]
    if not known.nnz:
        return np.arange(tasks) < count
    weight = np.maximum(np.rint(known.data * (MAX_WEIGHT / known.data.sum())), 1).astype(np.int32)
    _, part = metis.part_graph(
        2,
        metis.CSRAdjacency(known.indptr.astype(np.int32), known.indices.astype(np.int32)),
        eweights=weight,
        tpwgts=[count / tasks, 1 - count / tasks],
        recursive=True,
        options=metis.Options(seed=seed),
    )
    return _exactly(np.asarray(part) == 0, count, known)


def _exactly(inside: NDArray[np.bool_], count: int, known: "csr_array") -> NDArray[np.bool_]:
    # Move tasks to the other side, those with most traffic there first, until exactly `count` are inside.
    surplus = int(inside.sum()) - count
    if surplus:
        loses = np.flatnonzero(inside == (surplus > 0))
        gain = known @ np.where(inside, -1.0, 1.0) * (1 if surplus > 0 else -1)
        moved = loses[np.argsort(-gain[loses], kind="stable")[: abs(surplus)]]
        inside = inside.copy()
        inside[moved] = surplus < 0
    return inside
