"""A mapping gives every task a slot of its own; slot = node * slots_per_node + core."""

from abc import abstractmethod
from dataclasses import dataclass
from inspect import getdoc
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.network.network import Network
from core.spec import Spec, SpecError

Slots = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Mapping:
    """An injection from tasks to slots."""

    slots: Slots
    """(tasks,) slot of each task."""
    slots_per_node: int

    @property
    def nodes(self) -> NDArray[np.int32]:
        """Return the node of each task, shape ``(tasks,)``."""
        return (self.slots // np.int32(self.slots_per_node)).astype(np.int32)


class MappingSpec(Spec, frozen=True):
    """A way to place tasks: declared fields and `place`; all else may be left out."""

    searches: ClassVar[bool] = False
    """Whether it searches for good places, which may take seconds."""

    def summary(self) -> str:
        """Return one short line for the form: what the class says of itself in its first line."""
        return (getdoc(type(self)) or "").partition("\n")[0].partition(": ")[2].rstrip(".")

    @abstractmethod
    def place(self, job: Job, network: Network) -> Slots:
        """Return the slot of each task, shape ``(tasks,)``; the caller has checked that the tasks fit.

        Raises SpecError: naming the precondition that fails and what would do.
        """

    def build(self, job: Job, network: Network) -> Mapping:
        """Return the mapping, checked once to be an injection.

        Raises SpecError: if there are more tasks than slots, or the strategy refuses.
        """
        if job.tasks > network.slots:
            reason = f"{job.tasks:,} tasks do not fit {network.slots:,} slots"
            raise SpecError("mapping", f"{reason}; choose fewer tasks or a larger network")
        slots = self.place(job, network)
        check_injection(slots, network.slots)
        return Mapping(slots.astype(np.int32), network.slots_per_node)


def check_injection(slots: Slots, available: int) -> None:
    """Refuse slots that do not exist or are given twice.

    Raises SpecError: naming the first task concerned.
    """
    outside = (slots < 0) | (slots >= available)
    if outside.any():
        task = int(outside.argmax())
        raise SpecError("mapping.slots", f"task {task} is in slot {slots[task]}; slots are 0 to {available - 1}")
    count = np.bincount(slots, minlength=1)
    if count.max(initial=0) > 1:
        slot = int(count.argmax())
        first, second = np.flatnonzero(slots == slot)[:2]
        raise SpecError("mapping.slots", f"tasks {first} and {second} are both in slot {slot}; each needs its own")


def grid_of(job: Job, strategy: str) -> tuple[int, int]:
    """Return the task grid.

    Raises SpecError: if the job's tasks form none.
    """
    if job.grid is None:
        needed = f"{strategy} needs a job on a task grid (halo or transpose)"
        raise SpecError("mapping.type", f"{needed}; sequential or random would do")
    return job.grid
