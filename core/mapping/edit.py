"""Edits: changes to a mapping, in which tasks move to other slots.

Every edit has an inverse and keeps the mapping an injection, since displaced tasks take the slots that become free.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.job.job import Tasks
from core.mapping.mapping import Mapping, Slots

EMPTY = -1
"""Occupant of a slot without a task."""


@dataclass(frozen=True, eq=False)
class Edit:
    """Tasks that move together, each from its old slot to its new slot; other tasks are not listed."""

    tasks: Tasks
    """(n,) ascending, each once."""
    old: Slots
    new: Slots

    @property
    def count(self) -> int:
        """Return the number of tasks that move."""
        return self.tasks.size

    @property
    def nbytes(self) -> int:
        """Return its size in memory."""
        return self.tasks.nbytes + self.old.nbytes + self.new.nbytes

    def inverse(self) -> "Edit":
        """Return the edit that undoes this one."""
        return Edit(self.tasks, self.new, self.old)

    def then(self, after: "Edit") -> "Edit":
        """Return this edit and a later one as a single edit, without tasks that return to their slots."""
        tasks = np.union1d(self.tasks, after.tasks).astype(np.int32)
        old, new = np.empty(tasks.size, np.int32), np.empty(tasks.size, np.int32)
        mine, later = np.searchsorted(tasks, self.tasks), np.searchsorted(tasks, after.tasks)
        old[later], new[mine] = after.old, self.new
        old[mine], new[later] = self.old, after.new
        moves = old != new
        return Edit(tasks[moves], old[moves], new[moves])

    def applied(self, mapping: Mapping) -> Mapping:
        """Return the mapping after the edit."""
        slots = mapping.slots.copy()
        slots[self.tasks] = self.new
        return mapping.moved(slots)


def no_edit() -> Edit:
    """Return the edit that moves nothing."""
    none = np.zeros(0, np.int32)
    return Edit(none, none, none)


def edit_between(before: Mapping, after: Mapping) -> Edit:
    """Return the edit from one mapping of a job to another."""
    tasks = np.flatnonzero(before.slots != after.slots).astype(np.int32)
    return Edit(tasks, before.slots[tasks], after.slots[tasks])


def occupants(mapping: Mapping, slots: int) -> Tasks:
    """Return the task in each of the network's `slots` slots, shape ``(slots,)``; `EMPTY` for empty slots."""
    tasks = np.full(slots, EMPTY, np.int32)
    tasks[mapping.slots] = np.arange(mapping.slots.size, dtype=np.int32)
    return tasks


def edit_moving(mapping: Mapping, tasks: ArrayLike, slots: ArrayLike, occupant: Tasks) -> Edit:
    """Return the edit that moves each task to its given slot.

    Tasks displaced from these slots take, in ascending order of slot, the slots that the moving tasks vacate.

    Parameters
    ----------
    tasks, slots
        ``(n,)`` distinct tasks, and the same number of distinct slots.
    occupant
        `occupants` of the mapping.
    """
    going, target = np.asarray(tasks, np.int32), np.asarray(slots, np.int32)
    start = mapping.slots[going]
    left, reached = np.zeros((2, occupant.size), bool)
    left[start], reached[target] = True, True
    vacated = np.sort(start[~reached[start]])
    displaced = occupant[np.sort(target[~left[target]])]
    displaced = displaced[displaced != EMPTY]
    moving = np.concatenate([going, displaced])
    new = np.concatenate([target, vacated[: displaced.size]])
    order = np.argsort(moving, kind="stable")
    moving, new = moving[order], new[order]
    old = mapping.slots[moving]
    moves = old != new
    return Edit(moving[moves], old[moves], new[moves])


def swapped(mapping: Mapping, slots: ArrayLike, others: ArrayLike, occupant: Tasks) -> Edit:
    """Return the edit that swaps the occupants of `slots` and `others`, pair by pair.

    Both have shape ``(n,)`` and are disjoint. Empty slots are swapped, too.
    """
    first, second = np.asarray(slots, np.int32), np.asarray(others, np.int32)
    tasks, target = occupant[np.concatenate([first, second])], np.concatenate([second, first])
    taken = tasks != EMPTY
    return edit_moving(mapping, tasks[taken], target[taken], occupant)
