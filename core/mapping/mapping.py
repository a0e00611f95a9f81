"""A mapping gives every task a slot of its own; slot = node * slots_per_node + core."""

from abc import abstractmethod
from dataclasses import dataclass
from inspect import getdoc
from typing import Any, ClassVar

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
    """A way to place tasks."""

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
            raise SpecError(
                "mapping",
                f"{job.tasks:,} tasks do not fit {network.slots:,} slots; choose fewer tasks or a larger network",
            )
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


def nodes_needed(job: Job, network: Network) -> int:
    """Return how many nodes the tasks fill."""
    return -(-job.tasks // network.slots_per_node)


def filled(nodes: NDArray[np.integer[Any]], job: Job, network: Network) -> Slots:
    """Return the slots of tasks that fill these nodes, each before the next."""
    rank = np.arange(job.tasks)
    slots = nodes.astype(np.int64)[rank // network.slots_per_node] * network.slots_per_node
    return (slots + rank % network.slots_per_node).astype(np.int32)


def check_node(field: str, node: int, network: Network) -> None:
    """Refuse the number of a node that does not exist.

    Raises SpecError: naming the field.
    """
    if node >= network.nodes:
        raise SpecError(field, f"is {node:,}; the network's nodes are 0 to {network.nodes - 1:,}")


def grid_of(job: Job, strategy: str) -> tuple[int, int]:
    """Return the task grid.

    Raises SpecError: if the job's tasks form none.
    """
    if job.grid is None:
        raise SpecError(
            "mapping.type",
            f"{strategy} needs a job on a task grid (halo or transpose); sequential or random would do",
        )
    return job.grid
