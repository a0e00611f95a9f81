"""Round-robin: ranks are assigned to nodes in turn; job managers call it cyclic."""

from typing import Annotated, ClassVar

import numpy as np

from core.job.job import Job
from core.mapping.mapping import MappingSpec, Slots
from core.network.network import Network
from core.spec import SpecError, declare


class RoundRobin(MappingSpec, frozen=True, tag="round-robin"):
    """Round-robin: rank r to the r-th node, or group of a level, around and around."""

    title: ClassVar[str] = "Round-robin"

    level: Annotated[
        str, declare("Level", "what takes a rank in turn: node, or a level of the network by name, as drawer")
    ] = "node"

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots: of g groups of s slots, rank r gets slot r // g of group r mod g.

        Raises SpecError: if the network has no level of that name.
        """
        slots = _slots_by_group(self.level, network)
        rank = np.arange(job.tasks)
        return slots[rank % len(slots), rank // len(slots)]


def _slots_by_group(level: str, network: Network) -> Slots:
    # (groups, slots of each), ascending: nodes of a group need not be consecutive.
    groups = {"node": np.arange(network.nodes, dtype=np.int32), **{one.name: one.group for one in network.levels}}
    if level not in groups:
        known = ", ".join(groups)
        raise SpecError("mapping.level", f"the network has no level {level!r}; known: {known}")
    group = groups[level]
    nodes = np.argsort(group, kind="stable")
    slots = nodes[:, None] * network.slots_per_node + np.arange(network.slots_per_node)
    return slots.reshape(int(group.max()) + 1, -1).astype(np.int32)
