"""A mapping assigns each task its own slot; slot = node * slots_per_node + core."""

from abc import abstractmethod
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from inspect import getdoc
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from core.job.job import Job
from core.mapping.allocation import Allocation, filled_nodes
from core.network.network import Ints, Network
from core.spec import Progress, Spec, SpecError, no_progress
from core.text import plural

Slots = NDArray[np.int32]
MAX_CORES = 1 << 12
"""One more than the largest number of a core in a file."""
CoreSet = tuple[tuple[int, int], ...]
"""Cores of a rank on its node, as ranges with their first and last core; empty for all cores."""


def cores_in(cores: CoreSet) -> int:
    """Return the number of different cores of a set; 0 for all cores."""
    return len({core for first, last in cores for core in range(first, last + 1)})


@dataclass(frozen=True, eq=False)
class Mapping:
    """An injection from tasks to slots."""

    slots: Slots
    """(tasks,) slot of each task."""
    slots_per_node: int
    warnings: tuple[str, ...] = ()
    """Ambiguities of the file it was read from."""
    source: str = ""
    """Format of this file: ``a Slurm hostfile``; empty for other mappings."""
    cores_per_rank: int = 1
    """Number of cores of each rank, the first of which is the core of its slot; the largest number if they differ."""
    core_sets: tuple[CoreSet, ...] = ()
    """Cores of each rank, as given by this file; empty if they follow from `cores_per_rank`."""

    @property
    def nodes(self) -> NDArray[np.int32]:
        """Return the node of each task, shape ``(tasks,)``."""
        return (self.slots // np.int32(self.slots_per_node)).astype(np.int32)

    def moved(self, slots: Slots) -> "Mapping":
        """Return the mapping with tasks in other slots, and as many cores per rank."""
        return Mapping(slots, self.slots_per_node, cores_per_rank=self.cores_per_rank)


class MappingSpec(Spec, frozen=True):
    """A strategy: declared fields and `place`; other methods are optional."""

    searches: ClassVar[bool] = False
    """Whether it runs a search, which may take seconds."""
    starts_searches: ClassVar[bool] = True
    """Whether searches start from its mappings; not if they make its trials by themselves (`core.optimise`)."""
    needs_log: ClassVar[bool] = False
    """Whether it needs a job from a log, so that it fits no other job of as many tasks."""
    sees: ClassVar[Literal["allocation", "machine", "slots"]] = "allocation"
    """Where the strategy places tasks if the job has only some of the nodes.

    `allocation`: on these nodes. `machine`: on the whole machine, whose order the job's slots then follow, for
    strategies that depend on the shape of a machine. `slots`: in the slots named by the strategy, of any job.
    """

    @property
    def named(self) -> Slots | None:
        """Return the slots, shape ``(tasks,)``, if they do not depend on job and network, otherwise None."""
        return None

    def summary(self) -> str:
        """Return a short line for the form, by default the first line of the class's docstring without its title."""
        return (getdoc(type(self)) or "").partition("\n")[0].partition(": ")[2].rstrip(".")

    @abstractmethod
    def place(self, job: Job, network: Network) -> Slots:
        """Return the slot of each task, shape ``(tasks,)``; the caller has checked that the tasks fit.

        Raises SpecError: naming the violated precondition and a remedy.
        """

    def search(self, job: Job, network: Network, progress: Progress) -> Slots:
        """Return the slots and report progress; strategies that search for seconds override this instead of `place`.

        Progress ends with 1. A result that is reused is returned without any.

        Raises SpecError: as `place`. Raises Cancelled: when `progress` does.
        """
        return self.place(job, network)

    def build(
        self,
        job: Job,
        network: Network,
        allocation: Allocation | None = None,
        folder: Path | None = None,
        progress: Progress = no_progress,
    ) -> Mapping:
        """Return the mapping, checked to be an injection into the slots of the job's nodes (all nodes if None).

        Files of the choice are in `folder`.

        Raises SpecError: if there are more tasks than slots, or the strategy does not fit. Raises Cancelled: when
        `progress` does, which only strategies that search report.
        """
        check_room(job, network, allocation)
        filled = allocation if self.sees == "slots" else filled_nodes(job.tasks, network, allocation)
        mapping = self.on(job, network, filled, folder, progress)
        check_injection(mapping.slots, network.slots)
        if allocation is not None:
            allocation.check(mapping.slots)
        return mapping

    def on(
        self, job: Job, network: Network, allocation: Allocation | None, folder: Path | None, progress: Progress
    ) -> Mapping:
        """Return the mapping, which `build` then checks; strategies that read files override this instead of `place`.

        Raises SpecError, Cancelled: as `search`.
        """
        slots = self._place_within(job, network, allocation, progress)
        return Mapping(slots.astype(np.int32), network.slots_per_node)

    def _place_within(self, job: Job, network: Network, allocation: Allocation | None, progress: Progress) -> Slots:
        if allocation is None:
            return self.search(job, network, progress)
        if self.sees == "allocation":
            return allocation.slots_of(self.search(job, allocation.machine, progress))
        slots = self.search(job, allocation.network, progress)
        return allocation.in_order(slots) if self.sees == "machine" else slots


class MappingOfNodesSpec(MappingSpec, frozen=True):
    """A strategy that uses the groups of the network that hold the job's nodes, even if they hold unequal numbers.

    `Allocation.machine`, used by other strategies, keeps only levels whose groups hold equal numbers of the job's
    nodes.
    """

    @abstractmethod
    def place_on(self, job: Job, network: Network, nodes: Ints, progress: Progress) -> Slots:
        """Return the slot of each task, shape ``(tasks,)``, on these nodes, shape ``(n,)``, on which they fit.

        Raises SpecError, Cancelled: as `MappingSpec.search`.
        """

    def on(
        self, job: Job, network: Network, allocation: Allocation | None, folder: Path | None, progress: Progress
    ) -> Mapping:
        """Return the mapping on the job's nodes.

        Raises SpecError, Cancelled: as `place_on`.
        """
        nodes = np.arange(network.nodes, dtype=np.int32) if allocation is None else allocation.nodes
        return Mapping(self.place_on(job, network, nodes, progress), network.slots_per_node)


@lru_cache(maxsize=16)
def results_of(*choices: Hashable) -> list[Slots]:
    """Return the list that stores the result of a strategy's search, once there is any, while a scenario is edited.

    Parameters
    ----------
    choices
        Everything that determines the result: the strategy, and the choices that it depends on.
    """
    return []


def check_room(job: Job, network: Network, allocation: Allocation | None) -> None:
    """Refuse a job with more tasks than available slots.

    Raises SpecError: with the number of slots.
    """
    slots = network.slots if allocation is None else allocation.slots
    if job.tasks > slots:
        where = "" if allocation is None else f" of the job's {plural(allocation.nodes.size, 'node')}"
        remedy = "choose fewer tasks or a larger " + ("network" if allocation is None else "allocation")
        raise SpecError("mapping", f"{job.tasks:,} tasks do not fit {plural(slots, 'slot')}{where}; {remedy}")


def check_injection(slots: Slots, available: int) -> None:
    """Refuse slots that do not exist or are used twice.

    Raises SpecError: naming the first task concerned.
    """
    outside = (slots < 0) | (slots >= available)
    if outside.any():
        task = int(outside.argmax())
        raise SpecError("mapping.slots", f"task {task:,} is in slot {slots[task]:,}; slots are 0 to {available - 1:,}")
    count = np.bincount(slots, minlength=1)
    if count.max(initial=0) > 1:
        slot = int(count.argmax())
        first, second = np.flatnonzero(slots == slot)[:2]
        raise SpecError(
            "mapping.slots", f"tasks {first:,} and {second:,} are both in slot {slot:,}; give each task its own slot"
        )


def crowded_hosts(host: Ints, network: Network, cores_per_rank: int) -> str:
    """Return ``n001 has 3 ranks of 6 cores, but 12 slots`` if ranks need more cores than their host has slots.

    Empty if all hosts suffice. `host` has the host of each rank.
    """
    room, ranks = network.host_slots.room, np.bincount(host, minlength=network.host_slots.count)
    crowded = np.flatnonzero(ranks * cores_per_rank > room)
    if not crowded.size:
        return ""
    first, more = int(crowded[0]), crowded.size - 1
    needed = f"{plural(int(ranks[first]), 'rank')} of {plural(cores_per_rank, 'core')}"
    others = f" (also on {plural(more, f'other {network.host_word}')})" if more else ""
    return f"{network.host_names[first]} has {needed}, but {plural(int(room[first]), 'slot')}{others}"


def task_grid(job: Job, strategy: str) -> tuple[int, int]:
    """Return the task grid.

    Raises SpecError: if the job's tasks do not form a grid.
    """
    if job.grid is None:
        needed = f"{strategy} needs a job on a task grid (halo or transpose)"
        raise SpecError("mapping.type", f"{needed}; try sequential or random")
    return job.grid
