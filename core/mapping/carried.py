"""Mappings carried over to another job size or network; tasks stay on their nodes if possible."""

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job, Tasks
from core.mapping.allocation import Allocation
from core.mapping.mapping import Mapping, Slots
from core.network.network import Network


def kept_tasks(old: Job, new: Job) -> Tasks:
    """Return the task of `old` that each task of `new` continues, shape ``(new.tasks,)``, -1 for none.

    A task continues the task in the same cell if both jobs have a task grid, otherwise the task with the same rank.
    """
    rank = np.arange(new.tasks, dtype=np.int32)
    if old.grid is None or new.grid is None:
        return np.where(rank < old.tasks, rank, -1).astype(np.int32)
    (rows, columns), (row, column) = old.grid, np.divmod(rank, np.int32(new.grid[1]))
    return np.where((row < rows) & (column < columns), row * columns + column, -1).astype(np.int32)


def carried(drawn: Mapping, kept: Tasks, network: Network, allocation: Allocation | None) -> Slots:
    """Return the slot of each task on another network, shape ``(tasks,)``.

    Each task keeps its node and core if they exist and belong to the job. Otherwise it takes a free slot of its node.
    The remaining tasks take the free slots in the order of their former slots. There must be enough slots.

    Parameters
    ----------
    drawn
        The former mapping.
    kept
        ``(tasks,)`` the former number of each task, -1 for a task that `drawn` does not place.
    """
    free = np.ones(network.slots, np.bool_) if allocation is None else allocation.is_open.copy()
    placed = (kept >= 0) & (kept < drawn.slots.size)
    former = np.where(placed, drawn.slots[np.where(placed, kept, 0)], np.iinfo(np.int32).max).astype(np.int64)
    node, core = np.divmod(former, drawn.slots_per_node)
    slots = np.where((node < network.nodes) & (core < network.slots_per_node), node * network.slots_per_node + core, -1)
    slots[~free[slots]] = -1
    free[slots[slots >= 0]] = False
    for keys in (_on_node, _in_order):
        rest, room = np.flatnonzero(slots < 0), np.flatnonzero(free).astype(np.int64)
        rest = rest[np.argsort(former[rest], kind="stable")]
        wanted, offered = keys(node[rest]), keys(room // network.slots_per_node)
        _, task, slot = np.intersect1d(wanted, offered, assume_unique=True, return_indices=True)
        slots[rest[task]] = room[slot]
        free[room[slot]] = False
    return slots.astype(np.int32)


def _on_node(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    # A distinct key for each entry of ascending nodes: the node, and the number of the entry on it.
    return np.asarray((nodes << 32) + np.arange(nodes.size) - np.searchsorted(nodes, nodes), np.int64)


def _in_order(nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.arange(nodes.size, dtype=np.int64)
