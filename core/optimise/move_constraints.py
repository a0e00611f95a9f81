"""Constraints on the moves of a search."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.job.job import NO_TASKS, Tasks
from core.mapping.allocation import Allocation
from core.mapping.edit import EMPTY, Edit, occupants
from core.mapping.mapping import Mapping, Slots
from core.network.network import Network
from core.network.nics import HOST, SERVER
from core.optimise.tables import NO_SLOT, Indices, Moves
from core.spec import SpecError

TASK, SOCKET, NODE = "task", "socket", "node"
ANYWHERE = "anywhere"


@dataclass(frozen=True, eq=False)
class MoveConstraints:
    """The tasks that may move, and where. Levels are named as in the network: supernode, drawer ..., host and node."""

    unit: str = TASK
    """Level whose groups are swapped as a whole, with all their tasks; `TASK` to move tasks one by one.

    Groups of equally many slots are swapped slot by slot, so that the order of tasks in a group stays. A group without
    tasks is a free place.
    """
    within: str = ANYWHERE
    """Level within whose groups tasks stay; `ANYWHERE` for no constraint."""
    pinned: Tasks = field(default_factory=lambda: NO_TASKS)
    """(n,) tasks that do not move."""
    empty: bool = True
    """Whether tasks may go to empty slots; otherwise groups are swapped only if the same slots are taken in both."""

    @property
    def restrict(self) -> bool:
        """Return whether tasks cannot move one by one to every taken slot."""
        return self.unit != TASK or self.within != ANYWHERE or self.pinned.size > 0

    def moves(self, network: Network, mapping: Mapping, allocation: Allocation | None = None) -> Moves:
        """Return the units that may be exchanged: those whose slots all belong to the job (all slots do if None).

        Units of a group have equally many slots and, if no task may go to an empty slot, the same ones taken.

        Raises SpecError: naming the available levels, if a level is unknown.
        """
        group = groups_of(network, self.within, "within")
        rows = _rows(groups_of(network, self.unit, "unit"))
        slots = np.where(rows == NO_SLOT, rows[:, :1], rows)
        if (group[slots] != group[rows[:, :1]]).any():
            raise SpecError("unit", f"a {self.unit} is larger than a {self.within}, so nothing could move within it")
        occupant = occupants(mapping, network.slots)[slots]
        fixed: NDArray[np.bool_] = np.asarray(np.isin(occupant, self.pinned).any(axis=1))
        kind = group[rows[:, 0]]
        if (rows == NO_SLOT).any():
            kind = _divided(kind, (rows != NO_SLOT).sum(axis=1))
        if not self.empty:
            fixed |= (occupant == EMPTY).all(axis=1)
            kind = _divided(kind, occupant != EMPTY) if rows.shape[1] > 1 else kind
        if mapping.cores_per_rank > 1:
            if self.unit == TASK:
                fixed |= _without_cores(mapping, network)
            elif self.unit != HOST:
                kind, several_hosts = _by_ranks_on_crowded_hosts(mapping, network, rows, kind)
                fixed |= several_hosts
        if allocation is not None:
            fixed |= ~allocation.is_open[slots].all(axis=1)
        if fixed.all():
            # Kernels draw from a non-empty list; a single unit cannot be exchanged with anything.
            fixed[0] = False
        return _sorted_by_kind(rows[~fixed], kind[~fixed], network.slots)

    def allowed(self, network: Network) -> Callable[[Edit], bool]:
        """Return whether an edit of single tasks keeps within the constraints, as a function.

        Raises SpecError: as `moves` does.
        """
        group, pinned = groups_of(network, self.within, "within"), set(self.pinned.tolist())

        def _allowed(edit: Edit) -> bool:
            fills_empty = edit.count == 1 and not self.empty
            stays = self.within == ANYWHERE or bool((group[edit.old] == group[edit.new]).all())
            return stays and not fills_empty and pinned.isdisjoint(edit.tasks.tolist())

        return _allowed

    def check(self, network: Network, mapping: Mapping, allocation: Allocation | None = None) -> None:
        """Check that something can move.

        Raises SpecError: if no two units can be exchanged, or as `moves` does.
        """
        moves = self.moves(network, mapping, allocation)
        if len(moves.group) < 2:
            fewer, unit = "fewer than two units may move", f"unit: {self.unit}"
            if self.empty:
                raise SpecError("pinned", f"{fewer} ({unit}); pin fewer tasks")
            raise SpecError("pinned", f"{fewer} ({unit}, not empty); pin fewer tasks, or let tasks move to empty slots")
        if (np.diff(moves.start) >= 2).any():
            return
        if self.within != ANYWHERE:
            raise SpecError("within", f"no {self.within} has two units that may move (unit: {self.unit})")
        raise SpecError("unit", f"no two units ({self.unit}) can be exchanged: {self._obstacle(mapping)}")

    def _obstacle(self, mapping: Mapping) -> str:
        if not self.empty:
            return "all have tasks in different slots; let tasks move to empty slots"
        if mapping.cores_per_rank > 1 and self.unit != HOST:
            words = "hosts have too few cores for further ranks; reduce cores_per_rank, or place fewer ranks on a"
            return f"{words} {self.unit}"
        return f"all have different numbers of slots; choose unit {NODE} or {TASK}"


def _without_cores(mapping: Mapping, network: Network) -> NDArray[np.bool_]:
    # The empty slots, by slot, whose host has too few cores for further tasks. Slots at multiples of the cores of a
    # task are used first, so that its cores are in one socket.
    hosts, each = network.host_slots, mapping.cores_per_rank
    host, place = hosts.place_of(np.arange(network.slots, dtype=np.int32))
    order = np.lexsort((place, place % each != 0, host))
    empty = (occupants(mapping, network.slots) == EMPTY)[order]
    start = np.cumsum(hosts.room) - hosts.room
    before = np.append(0, np.cumsum(empty))
    taken = hosts.room - (before[start + hosts.room] - before[start])
    number = before[1:] - before[start][host[order]]
    closed = np.empty_like(empty)
    closed[order] = empty & (number > (hosts.room // each - taken)[host[order]])
    return np.asarray(closed, np.bool_)


def _by_ranks_on_crowded_hosts(
    mapping: Mapping, network: Network, rows: Slots, kind: Indices
) -> tuple[Indices, NDArray[np.bool_]]:
    # Divides the kinds of units so that exchanges leave enough cores on every host, and returns which units must stay.
    # Units with at most as many ranks as they have cores for may be exchanged freely, unless another unit of their host
    # has more. Units of such hosts are exchanged with units of equally many ranks, or stay if they span several hosts.
    host, _ = network.host_slots.place_of(rows)
    occupied = occupants(mapping, network.slots)[rows] != EMPTY
    first, last = host[:, 0], host[:, -1]
    ranks = occupied.sum(axis=1)
    part = np.arange(len(rows))[:, None] * network.host_slots.count + host
    _, part_of, size = np.unique(part, return_inverse=True, return_counts=True)
    too_many = np.bincount(part_of.ravel(), occupied.ravel()) > size // mapping.cores_per_rank
    crowded = np.zeros(network.host_slots.count, np.bool_)
    crowded[host[too_many[part_of.reshape(host.shape)]]] = True
    affected = crowded[host].any(axis=1)
    return _divided(kind, np.where(affected, ranks + 1, 0)), affected & (first != last)


def _rows(unit: Indices) -> Slots:
    # The slots of unit k are row k, padded with `NO_SLOT` if units have different sizes.
    size = np.bincount(unit)
    rows = np.full((size.size, size.max()), NO_SLOT, np.int32)
    rows[np.arange(size.max()) < size[:, None]] = np.argsort(unit, kind="stable")
    return rows


def _divided(kind: Indices, *features: NDArray[Any]) -> Indices:
    # Divides the kinds of units by further features of each, shapes (units,) or (units, n).
    return np.unique(np.column_stack([kind, *features]), axis=0, return_inverse=True)[1].ravel().astype(np.int32)


def groups_of(network: Network, name: str, where: str) -> Indices:
    """Return the group of every slot at a level, shape ``(slots,)``.

    Raises SpecError: naming the available levels, if the level is unknown; `where` is the field.
    """
    slots = np.arange(network.slots, dtype=np.int32)
    node = slots // np.int32(network.slots_per_node)
    groups = {level.name: level.group[node] for level in network.levels}
    groups |= {HOST: network.host_slots.host_of[node], NODE: node}
    if network.cores:
        groups[SOCKET] = network.host_slots.in_order(slots) // np.int32(network.cores)
    if name in groups:
        return np.asarray(groups[name], np.int32)
    last = TASK if where == "unit" else ANYWHERE
    if name == last:
        return slots if name == TASK else np.zeros_like(slots)
    raise SpecError(where, f"this network has no level {name!r}; choose one of {', '.join([*groups, last])}")


def host_unit(network: Network) -> str | None:
    """Return the unit of a search for an order of hosts: the level of hosts with several slots, or None without any."""
    if network.nics is not None:
        return HOST
    if any(level.name == SERVER and level.count > 1 for level in network.levels):
        return SERVER
    return NODE if network.slots_per_node > 1 else None


def _sorted_by_kind(rows: Slots, kind: Indices, slots: int) -> Moves:
    order = np.argsort(kind, kind="stable")
    rows, kind = np.ascontiguousarray(rows[order]), kind[order]
    _, first, number = np.unique(kind, return_index=True, return_inverse=True)
    unit_of = np.full(slots + 1, -1, np.int32)  # with a place for `NO_SLOT`
    unit_of[rows] = np.arange(len(rows), dtype=np.int32)[:, None]
    start = np.append(first, len(rows)).astype(np.int64)
    return Moves(rows, start, number.ravel().astype(np.int32), unit_of[:slots])
