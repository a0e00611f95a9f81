"""Constraints on the moves of a search."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from core.job.job import NO_TASKS, Tasks
from core.mapping.allocation import Allocation
from core.mapping.edit import EMPTY, Edit, occupants
from core.mapping.mapping import Mapping, Slots
from core.network.network import Network
from core.optimise.tables import Indices, Moves
from core.spec import SpecError

TASK, SOCKET, NODE = "task", "socket", "node"
ANYWHERE = "anywhere"


@dataclass(frozen=True, eq=False)
class MoveConstraints:
    """The tasks that may move, and where. Levels are named as in the network: supernode, drawer ..., and node."""

    together: str = TASK
    """Level whose groups are swapped as a whole, with all their tasks; `TASK` to move tasks one by one."""
    within: str = ANYWHERE
    """Level within whose groups tasks stay; `ANYWHERE` for no constraint."""
    pinned: Tasks = field(default_factory=lambda: NO_TASKS)
    """(n,) tasks that do not move."""
    empty: bool = True
    """Whether tasks may go to empty slots."""

    def moves(self, network: Network, mapping: Mapping, allocation: Allocation | None = None) -> Moves:
        """Return the units that may be exchanged: those whose slots all belong to the job (all slots do if None).

        Raises SpecError: naming the available levels, if a level is unknown.
        """
        group = groups_of(network, self.within, "within")
        unit = groups_of(network, self.together, "together")
        # The slots of unit k are row k; all groups of a level have the same number of nodes.
        rows = np.argsort(unit, kind="stable").reshape(int(unit.max()) + 1, -1).astype(np.int32)
        if (group[rows] != group[rows[:, :1]]).any():
            raise SpecError(
                "together", f"a {self.together} is larger than a {self.within}, so nothing could move within it"
            )
        occupant = occupants(mapping, network.slots)[rows]
        fixed: NDArray[np.bool_] = np.asarray(np.isin(occupant, self.pinned).any(axis=1))
        if not self.empty:
            fixed |= (occupant == EMPTY).any(axis=1)
        if mapping.cores_per_rank > 1:
            if self.together == TASK:
                fixed |= _without_cores(mapping, network)
            else:
                group, several_hosts = _by_ranks_on_crowded_hosts(mapping, network, rows, group)
                fixed |= several_hosts
        if allocation is not None:
            fixed |= ~allocation.is_open[rows].all(axis=1)
        if fixed.all():
            # Kernels draw from a non-empty list; a single unit cannot be exchanged with anything.
            fixed[0] = False
        return _sorted_by_group(rows[~fixed], group, network.slots)

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
            fewer, unit = "fewer than two units may move", f"unit: {self.together}"
            if self.empty:
                raise SpecError("pinned", f"{fewer} ({unit}); pin fewer tasks")
            raise SpecError("pinned", f"{fewer} ({unit}, full); pin fewer tasks, or let tasks move to empty slots")
        if (np.diff(moves.start) < 2).all() and self.within == ANYWHERE:
            words = f"no two units ({self.together}) can be exchanged: hosts have too few cores for further ranks"
            raise SpecError("together", f"{words}; reduce cores_per_rank, or place fewer ranks on a {self.together}")
        if (np.diff(moves.start) < 2).all():
            raise SpecError("within", f"no {self.within} has two units that may move (unit: {self.together})")


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
    mapping: Mapping, network: Network, rows: Slots, group: Indices
) -> tuple[Indices, NDArray[np.bool_]]:
    # Divides the groups of slots so that exchanges leave enough cores on every host, and returns which units must stay.
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
    divided = group.copy()
    divided[rows] = (group[rows[:, 0]] * (rows.shape[1] + 2) + np.where(affected, ranks + 1, 0))[:, None]
    return divided, affected & (first != last)


def groups_of(network: Network, name: str, where: str) -> Indices:
    """Return the group of every slot at a level, shape ``(slots,)``.

    Raises SpecError: naming the available levels, if the level is unknown; `where` is the field.
    """
    slots = np.arange(network.slots, dtype=np.int32)
    node = slots // np.int32(network.slots_per_node)
    groups = {level.name: level.group[node] for level in network.levels} | {NODE: node}
    if network.cores:
        groups[SOCKET] = network.host_slots.in_order(slots) // np.int32(network.cores)
    if name in groups:
        return np.asarray(groups[name], np.int32)
    last = TASK if where == "together" else ANYWHERE
    if name == last:
        return slots if name == TASK else np.zeros_like(slots)
    raise SpecError(where, f"this network has no level {name!r}; choose one of {', '.join([*groups, last])}")


def _sorted_by_group(rows: Slots, group: Indices, slots: int) -> Moves:
    own = group[rows[:, 0]] if rows.size else np.zeros(0, np.int32)
    order = np.argsort(own, kind="stable")
    rows, own = np.ascontiguousarray(rows[order]), own[order]
    _, first, number = np.unique(own, return_index=True, return_inverse=True)
    unit_of = np.full(slots, -1, np.int32)
    unit_of[rows] = np.arange(len(rows), dtype=np.int32)[:, None]
    start = np.append(first, len(rows)).astype(np.int64)
    return Moves(rows, start, number.ravel().astype(np.int32), unit_of)
