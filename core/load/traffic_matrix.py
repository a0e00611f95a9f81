"""A job's traffic as a matrix of blocks of tasks, and the distances it travels.

Flows are summed on the fly into as many cells as can be distinguished; even for 65,536 tasks no matrix of all pairs is
made. Traffic of equivalent tasks follows from their number in each block.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.job import Tasks, UniformPhase
from core.load.scenario import Case
from core.spec import Progress, SpecError, no_progress, subprogress

Order = Literal["rank", "node", "group"]
ORDERS: tuple[Order, ...] = ("rank", "node", "group")
MAX_CELLS = 256
"""Maximum number of rows of the matrix."""
MAX_PAIRS = 1 << 24
"""Limit on pairs of nodes whose hops are counted."""
MAX_READ = 1 << 20
"""Maximum number of flows of a phase among which the heaviest pair is searched."""
IN_NODE = "node"
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TrafficMatrix:
    """The volume between blocks of tasks."""

    order: Tasks
    """(tasks,) all tasks in the order of rows and columns."""
    first: NDArray[np.int64]
    """(cells + 1,) start of each block in that order, and the end."""
    volume: Floats
    """(cells, cells) by source and destination block."""
    flows: Floats
    """(cells, cells) number of flows."""

    @cached_property
    def cell_of(self) -> NDArray[np.int64]:
        """Return the block of each task, shape ``(tasks,)``."""
        cells = np.empty(self.order.size, np.int64)
        cells[self.order] = np.repeat(np.arange(self.first.size - 1), np.diff(self.first))
        return cells

    def tasks(self, cell: int) -> Tasks:
        """Return the tasks of a block, in order."""
        return self.order[self.first[cell] : self.first[cell + 1]]


class Reach(NamedTuple):
    """Distances that a job's volume travels."""

    hops: Floats
    """(n,) volume by number of hops, rounded; 0 hops within a node."""
    within: tuple[tuple[str, float], ...]
    """Volume within a node, then the remaining volume within a group of the finest level, and so on."""
    beyond: float
    """Volume between groups of the coarsest level."""
    hop_volume: float
    """Volume times hops, summed over flows."""

    @property
    def volume(self) -> float:
        """Return the total volume."""
        return float(self.hops.sum())

    @property
    def mean_hops(self) -> float:
        """Return the mean number of hops of a unit."""
        return self.hop_volume / self.volume if self.volume else 0.0


def ordered(case: Case, by: Order) -> Tasks:
    """Return all tasks by rank, by slot, or by slot within their groups, from the coarsest level on."""
    slots = case.mapping.slots
    if by == "rank":
        return np.arange(slots.size, dtype=np.int32)
    levels = case.network.levels if by == "group" else ()
    keys = [slots, *(level.group[case.mapping.nodes] for level in reversed(levels))]
    return np.lexsort(np.stack(keys)).astype(np.int32)


def traffic_matrix(
    case: Case, by: Order = "rank", cells: int = MAX_CELLS, progress: Progress = no_progress
) -> TrafficMatrix:
    """Return the traffic of all phases between at most `cells` blocks of tasks of about equal size.

    Raises Cancelled: when `progress` does.
    """
    order, tasks = ordered(case, by), case.job.tasks
    count = min(cells, tasks)
    first = np.arange(count + 1, dtype=np.int64) * tasks // count
    matrix = TrafficMatrix(order, first, np.zeros((count, count)), np.zeros((count, count)))
    runs = case.job.runs
    for k, run in enumerate(runs):
        part = subprogress(progress, k, k + 1, len(runs))
        if isinstance(run.phase, UniformPhase):
            sizes = np.diff(first)
            flows = np.outer(sizes, sizes) - np.diag(sizes if run.phase.fan_out < tasks else 0 * sizes)
            matrix.flows[:] += flows * run.times
            matrix.volume[:] += flows * (run.phase.message_volume * run.times)
            continue
        for done, block in run.phase.blocks():
            key = matrix.cell_of[block.src] * count + matrix.cell_of[block.dst]
            matrix.volume[:] += run.times * np.bincount(key, block.volume, count * count).reshape(count, count)
            matrix.flows[:] += run.times * np.bincount(key, minlength=count * count).reshape(count, count)
            part(done)
    return matrix


def heaviest_pair(case: Case, sources: Tasks, destinations: Tasks) -> tuple[int, int] | None:
    """Return the pair of tasks with the largest volume over all phases, from some tasks to others; None if none sends.

    Of equal pairs, the lowest numbers win. Of more than `MAX_READ` flows, only flows of the first sources count.
    """
    tasks, targets = case.job.tasks, np.zeros(case.job.tasks, np.bool_)
    targets[destinations] = True
    keys, volumes = [np.zeros(0, np.int64)], [np.zeros(0)]
    for run in case.job.runs:
        flows = run.phase.out_flows(np.sort(sources)[: max(MAX_READ // max(run.phase.fan_out, 1), 1)])
        flows = flows.at(np.flatnonzero(targets[flows.dst] & (flows.volume > 0)))
        keys.append(flows.src.astype(np.int64) * tasks + flows.dst)
        volumes.append(flows.volume * run.times)
    pairs, place = np.unique(np.concatenate(keys), return_inverse=True)
    if not pairs.size:
        return None
    total = np.bincount(place, np.concatenate(volumes))
    source, destination = divmod(int(pairs[(total >= total.max() * (1 - 1e-12)).argmax()]), tasks)
    return source, destination


def reach(case: Case, progress: Progress = no_progress) -> Reach:
    """Return the distances that the volume of all phases travels, under the routing without faults.

    For a pair whose paths differ in length, the volume is divided between the two integers around their mean, which it
    preserves.

    Raises SpecError: if there are too many pairs of nodes. Raises Cancelled: when `progress` does.
    """
    network, runs = case.network, case.job.runs
    pairs = sum(min(run.phase.tasks * run.phase.fan_out, network.nodes**2) for run in runs)
    if pairs > MAX_PAIRS or not case.router.traceable:
        raise SpecError("job", f"has up to {pairs:,} pairs of nodes; hops are counted for at most {MAX_PAIRS:,}")
    levels = [level.group for level in reversed(network.levels)]
    hops, within, total = np.zeros(1), np.zeros(len(levels) + 2), 0.0
    for k, run in enumerate(runs):
        for done, src, dst, volume in _node_pairs(case, k):
            far = np.where(src == dst, 0.0, case.router.hops(src, dst))
            hops = _added(hops, _by_whole_hops(far, volume * run.times))
            total += run.times * float(far @ volume)
            stays = [src == dst, *(group[src] == group[dst] for group in levels), np.ones(src.size, np.bool_)]
            within += np.bincount(np.argmax(stays, axis=0), volume * run.times, within.size)
            progress((k + done) / len(runs))
    names = [IN_NODE, *(level.name for level in reversed(network.levels))]
    return Reach(hops, tuple(zip(names, within[:-1].tolist(), strict=True)), float(within[-1]), total)


def _by_whole_hops(hops: Floats, volume: Floats) -> Floats:
    hops = np.round(hops, 9)
    low = np.floor(hops).astype(np.int64)
    part, above = hops - low, hops > low
    volumes = np.bincount(low, volume * (1 - part)).astype(float)
    return (
        _added(volumes, np.bincount(low[above] + 1, (volume * part)[above]).astype(float)) if above.any() else volumes
    )


def _node_pairs(case: Case, run: int) -> Iterator[tuple[float, NDArray[np.int32], NDArray[np.int32], Floats]]:
    phase, node = case.job.runs[run].phase, case.mapping.nodes
    if not isinstance(phase, UniformPhase):
        for done, block in phase.blocks():
            yield done, node[block.src], node[block.dst], block.volume
        return
    each = np.bincount(node, minlength=case.network.nodes)
    own = phase.message_volume if phase.fan_out < phase.tasks else 0.0
    for done, block in case.added_up(phase):
        # Volume from a task to itself is included, although it is not a flow.
        yield done, block.src, block.dst, block.volume - np.where(block.src == block.dst, each[block.src] * own, 0.0)


def _added(a: Floats, b: Floats) -> Floats:
    total = np.zeros(max(a.size, b.size))
    total[: a.size] += a
    total[: b.size] += b
    return total
