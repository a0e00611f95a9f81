"""Edits of selected tasks: moves to a target, swaps of two targets, and reassignment by a strategy.

The edits keep the mapping an injection. See `core.mapping.rectangle` for edits of a block of the task grid.
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
from core.spec import Progress, SpecError, no_progress


@dataclass(frozen=True, eq=False)
class Placement:
    """Result of moving tasks to a target."""

    edit: Edit
    placed: Tasks
    """The tasks that move to the target, in the given order, without tasks that are already there."""
    unplaced: Tasks
    """The tasks without a free place, in the given order; they stay in their slots."""


def put(mapping: Mapping, tasks: ArrayLike, slots: Slots, occupant: Tasks, keep: ArrayLike = ()) -> Placement:
    """Return the edit that moves tasks to a target.

    Tasks already on the target keep their slots. The other tasks take, in the given order, first its empty slots and
    then the slots of its other tasks, both in ascending order. Displaced tasks take, in ascending order, the slots that
    become free. A full target is therefore filled from its first slot on. If there are more tasks than places, only the
    first tasks are moved.

    Parameters
    ----------
    tasks
        ``(n,)`` in the order in which they take places; a repeated task counts once.
    slots
        The target's slots, ascending.
    occupant
        `occupants` of the mapping.
    keep
        Tasks that are not displaced, because the same stroke has moved them to the target.
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
    """Return the edit that swaps the contents of two targets, slot by slot, including empty slots.

    With an `allocation`, only pairs of slots that both belong to the job are swapped.

    Raises SpecError: if the targets are of different levels.
    """
    if target.level != other.level:
        reason = f"{target.name(network)} cannot be swapped with {other.name(network)}"
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
    progress: Progress = no_progress,
) -> Edit:
    """Return the edit that reassigns some tasks, by a strategy, among the slots they occupy.

    The strategy places the whole job. The chosen task with the k-th smallest slot in the strategy's mapping takes the
    k-th smallest slot of the chosen tasks. If both sets of slots are equal, as for all tasks of a job that fills the
    machine, each task gets its slot in the strategy's mapping.

    Raises SpecError: if the strategy refuses the job. Raises Cancelled: when `progress` does.
    """
    chosen = np.unique(np.asarray(tasks, np.int32))
    order = np.argsort(spec.build(job, network, allocation, progress=progress).slots[chosen])
    return dealt(mapping, chosen[order], np.sort(mapping.slots[chosen]))


def dealt(mapping: Mapping, tasks: Tasks, slots: Slots) -> Edit:
    """Return the edit that permutes tasks among their slots: `slots` are the new slots of `tasks`."""
    after = mapping.slots.copy()
    after[tasks] = slots
    return edit_between(mapping, mapping.moved(after))
