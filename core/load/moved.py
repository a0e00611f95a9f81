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


def moved_flows(phase: Phase, units: FixedPointScale) -> MovedFlows:
    """Return the flows of a phase in the form that suits their number."""
    if phase.tasks * phase.fan_out <= LISTED_FLOWS:
        return ListedFlows(phase, units)
    return AskedFlows(phase, units)


class ListedFlows(MovedFlows):
    """All flows in memory, by source and by destination."""

    def __init__(self, phase: Phase, units: FixedPointScale) -> None:
        src, dst, volume = FlowBlock.joined(block for _, block in phase.blocks())
        whole = units.of(volume)
        some = np.flatnonzero(whole)
        src, dst, whole = src[some], dst[some], whole[some]
        self._out = sorted_by(src, dst, whole, phase.tasks)
        self._into = sorted_by(dst, src, whole, phase.tasks)

    def pairs(self, tasks: Tasks, node: Nodes, after: Nodes) -> Iterator[Pairs]:
        """Yield everything at once."""
        yield Pairs(*_listed_pairs(tasks, node, after, *self._out, *self._into))

    def count(self, tasks: Tasks) -> int:
        """Return the exact number."""
        out, into = self._out[0], self._into[0]
        return int((out[tasks + 1] - out[tasks]).sum() + (into[tasks + 1] - into[tasks]).sum())


class AskedFlows(MovedFlows):
    """Flows that the phase makes when they are asked for."""

    def __init__(self, phase: Phase, units: FixedPointScale) -> None:
        self._phase, self._units = phase, units

    def pairs(self, tasks: Tasks, node: Nodes, after: Nodes) -> Iterator[Pairs]:
        """Yield the pairs of some tasks at a time."""
        step = max(1, ASKED_FLOWS // self._phase.fan_out)
        for first in range(0, max(tasks.size, 1), step):
            some = tasks[first : first + step]
            yield self._pairs(self._phase.out_flows(some), node, after, arriving=False)
            yield self._pairs(self._phase.in_flows(some), node, after, arriving=True)

    def _pairs(self, flows: FlowBlock, node: Nodes, after: Nodes, arriving: bool) -> Pairs:
        return Pairs(*_asked_pairs(flows.src, flows.dst, self._units.of(flows.volume), node, after, arriving))

    def count(self, tasks: Tasks) -> int:
        """Return the number if every task had the most."""
        return 2 * tasks.size * self._phase.fan_out


@kernel
def sorted_by(key: Tasks, other: Tasks, volume: FixedPoint, tasks: int) -> tuple[Counts, Tasks, FixedPoint]:
    """Return where the flows of each task begin, and the other ends and volumes of all flows in that order."""
    start = np.zeros(tasks + 1, np.int64)
    for i in range(key.size):
        start[key[i] + 1] += 1
    for task in range(tasks):
        start[task + 1] += start[task]
    place = start[:-1].copy()
    ends, volumes = np.empty(key.size, np.int32), np.empty(key.size, np.int64)
    for i in range(key.size):
        at = place[key[i]]
        place[key[i]] += 1
        ends[at], volumes[at] = other[i], volume[i]
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
    tasks: Tasks,
    node: Nodes,
    after: Nodes,
    out_start: Counts,
    out_end: Tasks,
    out_volume: FixedPoint,
    in_start: Counts,
    in_end: Tasks,
    in_volume: FixedPoint,
) -> tuple[Nodes, Nodes, FixedPoint]:
    room = 0
    for t in tasks:
        room += 2 * (out_start[t + 1] - out_start[t] + in_start[t + 1] - in_start[t])
    src, dst, volume, at = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64), 0
    for t in tasks:
        for i in range(out_start[t], out_start[t + 1]):
            at = _put(t, out_end[i], out_volume[i], node, after, src, dst, volume, at)
        for i in range(in_start[t], in_start[t + 1]):
            # What leaves another task that moves is among the flows that leave that task.
            if after[in_end[i]] == STAYS:
                at = _put(in_end[i], t, in_volume[i], node, after, src, dst, volume, at)
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
