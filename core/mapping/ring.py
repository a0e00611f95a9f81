"""Ring-based consecutive mapping.

Source: Ke Cui, "Efficient Collective Communication in Interconnection Networks with Shortcut Network
Topologies", PhD thesis, 2024, section 3.2.3.
"""

from typing import Annotated, ClassVar

import numpy as np

from core.job.job import Job
from core.mapping.mapping import MappingSpec, Slots, check_node, filled, nodes_needed
from core.network.network import Network
from core.spec import declare

Start = Annotated[int, declare("Start", "node of task 0", ge=0, lt=1 << 31)]


class RingConsecutive(MappingSpec, frozen=True, tag="ring"):
    """Consecutive on the ring: nodes one after the other from a start, node 0 after the last."""

    title: ClassVar[str] = "Consecutive on the ring"

    start: Start = 0

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots; a node's are filled before the next node is begun.

        Raises SpecError: if there is no such start.
        """
        check_node("mapping.start", self.start, network)
        nodes = (self.start + np.arange(nodes_needed(job, network), dtype=np.int64)) % network.nodes
        return filled(nodes, job, network)
