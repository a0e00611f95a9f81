"""Which flows change when tasks move: subtracted between their old nodes, added between their new ones."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.job.job import FlowBlock, Phase, Tasks
from core.kernels import kernel
from core.load.fixed_point import FixedPointScale
from core.routing.flows import FixedPoint, Nodes

LISTED_FLOWS = 1 << 21
"""Up to here flows are kept sorted by source and by destination (50 MB); beyond, the phase is asked for them."""
ASKED_FLOWS = 1 << 20
"""Flows asked of a phase at once, about."""
STAYS = -1
"""In place of the new node of a task that does not move."""

Counts = NDArray[np.int64]


class Pairs(NamedTuple):
    """Volumes between nodes that are added, or if negative removed."""

    src: Nodes
    dst: Nodes
    volume: FixedPoint


class TaskFlows(NamedTuple):
    """Flows task by task: those that leave it, then those that reach it."""

    start: Counts
    """(tasks + 1,) where the flows of each task begin."""
    turn: Counts
    """(tasks,) where those that reach it begin."""
    other: Tasks
    """The task at the other end of a flow."""
    volume: FixedPoint


class MovedFlows(ABC):
    """The flows of a phase, to be found by task."""

    @abstractmethod
    def pairs(self, tasks: Tasks, node: Nodes, after: Nodes) -> Iterator[Pairs]:
        """Yield, for tasks that move, what changes between nodes; flows whose two nodes stay are left out.

        Parameters
        ----------
        node, after
            ``(tasks,)`` the node of every task, and the new one or `STAYS`.
        """

    @abstractmethod
    def count(self, tasks: Tasks) -> int:
        """Return how many flows leave or reach the tasks, at most or about."""


def moved_flows(phase: Phase, scale: FixedPointScale) -> MovedFlows:
    """Return the flows of a phase in the form that suits their number."""
    listed = phase.tasks * phase.fan_out <= LISTED_FLOWS
    return ListedFlows(phase, scale) if listed else AskedFlows(phase, scale)


class ListedFlows(MovedFlows):
    """All flows in memory, by source and by destination."""

    def __init__(self, phase: Phase, scale: FixedPointScale) -> None:
        src, dst, volume = FlowBlock.joined(block for _, block in phase.blocks())
        whole = scale.of(volume)
        some = np.flatnonzero(whole)
        self._flows = by_task(src[some], dst[some], whole[some], phase.tasks)

    def pairs(self, tasks: Tasks, node: Nodes, after: Nodes) -> Iterator[Pairs]:
        """Yield everything at once."""
        yield Pairs(*_listed_pairs(tasks, node, after, *self._flows))

    def count(self, tasks: Tasks) -> int:
        """Return the exact number."""
        start = self._flows.start
        return int((start[tasks + 1] - start[tasks]).sum())


class AskedFlows(MovedFlows):
    """Flows that the phase makes when they are asked for."""

    def __init__(self, phase: Phase, scale: FixedPointScale) -> None:
        self._phase, self._scale = phase, scale

    def pairs(self, tasks: Tasks, node: Nodes, after: Nodes) -> Iterator[Pairs]:
        """Yield the pairs of some tasks at a time."""
        step = max(1, ASKED_FLOWS // self._phase.fan_out)
        for first in range(0, max(tasks.size, 1), step):
            some = tasks[first : first + step]
            yield self._pairs(self._phase.out_flows(some), node, after, arriving=False)
            yield self._pairs(self._phase.in_flows(some), node, after, arriving=True)

    def _pairs(self, flows: FlowBlock, node: Nodes, after: Nodes, arriving: bool) -> Pairs:
        return Pairs(*_asked_pairs(flows.src, flows.dst, self._scale.of(flows.volume), node, after, arriving))

    def count(self, tasks: Tasks) -> int:
        """Return the number if every task had the most."""
        return 2 * tasks.size * self._phase.fan_out


def by_task(src: Tasks, dst: Tasks, volume: FixedPoint, tasks: int) -> TaskFlows:
    """Return flows task by task."""
    # Keys 2 t and 2 t + 1: what leaves task t, and what reaches it.
    key = np.concatenate([2 * src, 2 * dst + 1]).astype(np.int32)
    ends, volumes = np.concatenate([dst, src]), np.concatenate([volume, volume])
    start, other, amount = _sorted(key, ends, volumes, 2 * tasks)
    return TaskFlows(np.append(start[:-1:2], start[-1]), start[1:-1:2].copy(), other, amount)


@kernel
def _sorted(key: Tasks, end: Tasks, volume: FixedPoint, keys: int) -> tuple[Counts, Tasks, FixedPoint]:
    # Where each key begins, and the ends and volumes in the order of keys; of one key in theirs.
    start = np.zeros(keys + 1, np.int64)
    for i in range(key.size):
        start[key[i] + 1] += 1
    for k in range(keys):
        start[k + 1] += start[k]
    place = start[:-1].copy()
    ends, volumes = np.empty(key.size, np.int32), np.empty(key.size, np.int64)
    for i in range(key.size):
        at = place[key[i]]
        place[key[i]] += 1
        ends[at], volumes[at] = end[i], volume[i]
    return start, ends, volumes


@kernel
def _put(
    s: int, d: int, amount: int, node: Nodes, after: Nodes, src: Nodes, dst: Nodes, volume: FixedPoint, at: int
) -> int:
    # One flow: subtracted between its tasks' old nodes, added between their new ones.
    u, v = node[s], node[d]
    new_u = after[s] if after[s] != STAYS else u
    new_v = after[d] if after[d] != STAYS else v
    if (u == new_u and v == new_v) or amount == 0:
        return at
    if u != v:
        src[at], dst[at], volume[at] = u, v, -amount
        at += 1
    if new_u != new_v:
        src[at], dst[at], volume[at] = new_u, new_v, amount
        at += 1
    return at


@kernel
def _listed_pairs(
    tasks: Tasks, node: Nodes, after: Nodes, start: Counts, turn: Counts, other: Tasks, amount: FixedPoint
) -> tuple[Nodes, Nodes, FixedPoint]:
    room = 0
    for t in tasks:
        room += 2 * (start[t + 1] - start[t])
    src, dst, volume, at = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64), 0
    for t in tasks:
        for i in range(start[t], turn[t]):
            at = _put(t, other[i], amount[i], node, after, src, dst, volume, at)
        for i in range(turn[t], start[t + 1]):
            # What leaves another task that moves is among the flows that leave that task.
            if after[other[i]] == STAYS:
                at = _put(other[i], t, amount[i], node, after, src, dst, volume, at)
    return src[:at], dst[:at], volume[:at]


@kernel
def _asked_pairs(
    s: Tasks, d: Tasks, amount: FixedPoint, node: Nodes, after: Nodes, arriving: bool
) -> tuple[Nodes, Nodes, FixedPoint]:
    room = 2 * s.size
    src, dst, volume, at = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64), 0
    for i in range(s.size):
        if not arriving or after[s[i]] == STAYS:
            at = _put(s[i], d[i], amount[i], node, after, src, dst, volume, at)
    return src[:at], dst[:at], volume[:at]
