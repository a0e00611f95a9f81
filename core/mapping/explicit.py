"""Explicit mappings: the slot of every task, as edited by hand or found by a search."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self, SupportsIndex, overload

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from core.job.job import Job
from core.mapping.allocation import Allocation
from core.mapping.mapping import Mapping, MappingSpec, Slots
from core.network.network import Network
from core.spec import CompactList, Progress, SpecError, declare
from core.text import plural

SLOTS_END = 1 << 31
"""One more than the largest slot number."""
Slot = Annotated[int, declare("", "", ge=0, lt=SLOTS_END)]
SHOWN = 3
"""Number of slots shown in a representation."""


class SlotList(CompactList):
    """The slot of every task as an immutable array, with four bytes per task and comparison in microseconds.

    Parameters
    ----------
    slots
        ``(tasks,)`` whole numbers. A read-only int32 array is used without a copy.

    Raises
    ------
    SpecError
        If a slot is negative or too large.
    """

    __slots__ = ("array",)

    entry: ClassVar[Any] = Slot
    array: Slots
    """(tasks,) read-only."""

    def __init__(self, slots: ArrayLike) -> None:
        given = np.asarray(slots) if np.size(slots) else np.zeros(0, np.int32)
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise SpecError("mapping.slots", "must be a list of whole numbers, one per task")
        if given.size and not 0 <= given.min() <= given.max() < SLOTS_END:
            task = int(((given < 0) | (given >= SLOTS_END)).argmax())
            raise SpecError(
                "mapping.slots", f"task {task:,} is in slot {given[task]:,}; slots are 0 to {SLOTS_END - 1:,}"
            )
        self.array = given if _is_unwritable(given) else given.astype(np.int32)
        self.array.setflags(write=False)

    @classmethod
    def read(cls, plain: Any) -> Self:
        """Return the list for a plain list in a file.

        Raises msgspec.ValidationError: naming the invalid entry.
        """
        return cls(np.array(msgspec.convert(plain, list[Slot]), np.int32))

    def plain(self) -> list[Any]:
        """Return the plain list for files."""
        numbers: list[Any] = self.array.tolist()
        return numbers

    def __len__(self) -> int:
        return self.array.size

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> "SlotList": ...
    def __getitem__(self, index: SupportsIndex | slice) -> "int | SlotList":
        return SlotList(self.array[index]) if isinstance(index, slice) else int(self.array[index])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SlotList):
            return NotImplemented
        return self.array is other.array or bool(np.array_equal(self.array, other.array))

    def __hash__(self) -> int:
        return hash(self.array.tobytes())

    def __repr__(self) -> str:
        first = ", ".join(map(str, self.array[:SHOWN].tolist()))
        return f"SlotList({first}, … {len(self):,} slots)" if len(self) > SHOWN else f"SlotList({first})"


def _is_unwritable(array: Slots) -> bool:
    # Read-only is not enough, since the array may be a view of a writable array.
    owner = array if array.base is None else array.base
    return array.dtype == np.int32 and isinstance(owner, np.ndarray) and not owner.flags.writeable


class Explicit(MappingSpec, frozen=True, tag="explicit", omit_defaults=True):
    """Custom: the slot of every task, drawn by hand or found by a search."""

    title: ClassVar[str] = "Custom"
    sees = "slots"

    slots: Annotated[SlotList, declare("Placements", "slot of each task, starting with task 0")]
    cores_per_rank: Annotated[
        int,
        declare("Cores per rank", "successive cores of a rank in rank files, beginning with its slot", ge=1, le=1024),
    ] = 1

    def __post_init__(self) -> None:
        if not isinstance(self.slots, SlotList):
            msgspec.structs.force_setattr(self, "slots", SlotList(self.slots))

    @property
    def named(self) -> Slots:
        """Return the given slots."""
        return self.slots.array

    @classmethod
    def of(cls, mapping: Mapping) -> Self:
        """Return the choice with exactly this mapping."""
        return cls(SlotList(mapping.slots), mapping.cores_per_rank)

    def moved(self, slots: Slots) -> Self:
        """Return the choice with tasks in other slots, and as many cores per rank."""
        return msgspec.structs.replace(self, slots=SlotList(slots))

    def on(
        self, job: Job, network: Network, allocation: Allocation | None, folder: Path | None, progress: Progress
    ) -> Mapping:
        """Return the mapping.

        Raises SpecError: as `place`.
        """
        mapping = super().on(job, network, allocation, folder, progress)
        return replace(mapping, cores_per_rank=self.cores_per_rank)

    def place(self, job: Job, network: Network) -> Slots:
        """Return the given slots.

        Raises SpecError: unless there is one for each task.
        """
        if len(self.slots) != job.tasks:
            slots = plural(len(self.slots), "slot")
            raise SpecError("mapping.slots", f"has {slots} for {plural(job.tasks, 'task')}; give one slot per task")
        return self.slots.array
