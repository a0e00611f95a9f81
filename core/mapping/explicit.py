"""A mapping drawn by hand or found by a search: the slot of every task."""

from typing import Annotated, ClassVar

import numpy as np

from core.job.job import Job
from core.mapping.mapping import MappingSpec, Slots
from core.network.network import Network
from core.spec import SpecError, declare

Slot = Annotated[int, declare("", "", ge=0, lt=1 << 31)]


class Explicit(MappingSpec, frozen=True, tag="explicit"):
    """Explicit: the slot of every task, one after the other."""

    title: ClassVar[str] = "Explicit"

    slots: Annotated[tuple[Slot, ...], declare("Slots", "slot of task 0, of task 1, ...")]

    def place(self, job: Job, network: Network) -> Slots:
        """Return the given slots.

        Raises SpecError: if there are not as many as tasks.
        """
        if len(self.slots) != job.tasks:
            raise SpecError("mapping.slots", f"has {len(self.slots):,} slots for {job.tasks:,} tasks; give one each")
        return np.array(self.slots, np.int64)
