"""Edits of selected tasks: put onto a target, exchange of two targets, reassignment by a strategy.

They move tasks between slots and keep the mapping an injection; see `core.mapping.rectangle` for edits of a block of
the task grid.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.job.job import Job, Tasks
from core.mapping.allocation import Allocation
from core.mapping.edit import EMPTY, Edit, edit_between, edit_moving, no_edit, swapped
from core.mapping.mapping import Mapping, MappingSpec, Slots
from core.mapping.targets import Target, level_names
from core.network.network import Network
from core.spec import SpecError


@dataclass(frozen=True, eq=False)
class Placement:
    """Result of putting tasks onto a target."""

    edit: Edit
    placed: Tasks
    """The tasks that move there, in the order given, except those that are already there."""
    unplaced: Tasks
    """The tasks without a free place, in the order given; they stay in their slots."""


def put(mapping: Mapping, tasks: ArrayLike, slots: Slots, occupant: Tasks, keep: ArrayLike = ()) -> Placement:
    """Return the edit that puts tasks onto a target.

    Tasks already on the target keep their slots. The others take, in the order given, first its empty slots and then
    those of its other tasks, both in ascending order; displaced tasks take, in ascending order, the slots that become
    free. So a full target is filled from its first slot on. If there are more tasks than places, only the first ones
    are moved there.

    Parameters
    ----------
    tasks
        ``(n,)`` in the order in which they find places; a repeated task counts once.
    slots
        The target's slots, ascending.
    occupant
        `occupants` of the mapping.
    keep
        Tasks that are not displaced, because the same stroke put them there before.
    """
    wanted = in_order(tasks)
    stays = np.zeros(mapping.slots.size, np.bool_)
    stays[wanted] = True
    stays[np.asarray(keep, np.int32)] = True
    empty = occupant[slots] == EMPTY
    sitting = occupant[slots[~empty]]
    is_there = np.zeros(mapping.slots.size, np.bool_)
    is_there[sitting] = True
    coming = wanted[~is_there[wanted]]
    places = np.concatenate([slots[empty], mapping.slots[sitting[~stays[sitting]]]])
    placed, unplaced = coming[: places.size], coming[places.size :]
    return Placement(edit_moving(mapping, placed, places[: placed.size], occupant), placed, unplaced)


def in_order(tasks: ArrayLike) -> Tasks:
    """Return the tasks without repetitions, in the order of their first occurrences."""
    given = np.asarray(tasks, np.int32)
    first = np.unique(given, return_index=True)[1]
    return given[np.sort(first)]


def exchange(
    mapping: Mapping,
    target: Target,
    other: Target,
    network: Network,
    occupant: Tasks,
    allocation: Allocation | None = None,
) -> Edit:
    """Return the edit that exchanges the contents of two targets, slot by slot, empty ones too.

    With an `allocation`, only pairs of slots that both belong to the job are exchanged.

    Raises SpecError: if the targets are of different levels.
    """
    if target.level != other.level:
        reason = f"{target.name(network)} is not exchanged with {other.name(network)}"
        own, others = (level_names(network)[side.level] for side in (target, other))
        raise SpecError("target", f"{reason}; choose another {own} or another {others}")
    if target == other:
        return no_edit()
    first, second = target.slots(network), other.slots(network)
    if allocation is not None:
        both = allocation.is_open[first] & allocation.is_open[second]
        first, second = first[both], second[both]
    return swapped(mapping, first, second, occupant)


def restrict(
    mapping: Mapping,
    tasks: ArrayLike,
    spec: MappingSpec,
    job: Job,
    network: Network,
    allocation: Allocation | None = None,
) -> Edit:
    """Return the edit that reassigns some tasks, by a strategy, among the slots they occupy.

    The strategy places the whole job; the task to which it gives the k-th smallest slot among the chosen tasks takes
    the k-th smallest of their slots. If the strategy gives the chosen tasks exactly the slots that they occupy, as it
    does for all tasks of a job that fills the machine, each task gets its slot in the strategy's mapping.

    Raises SpecError: if the strategy refuses the job.
    """
    chosen = np.unique(np.asarray(tasks, np.int32))
    order = np.argsort(spec.build(job, network, allocation).slots[chosen])
    return dealt(mapping, chosen[order], np.sort(mapping.slots[chosen]))


def dealt(mapping: Mapping, tasks: Tasks, slots: Slots) -> Edit:
    """Return the edit that permutes tasks among their slots: `slots` are the new slots of `tasks`."""
    after = mapping.slots.copy()
    after[tasks] = slots
    return edit_between(mapping, Mapping(after, mapping.slots_per_node))
