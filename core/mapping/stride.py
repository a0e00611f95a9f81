"""Circulant stride: every (n/m)-th node, so that m of n nodes of G(n, log2 n) are a G(m, log2 m).

Source: Ke Cui, "Efficient Collective Communication in Interconnection Networks with Shortcut Network
Topologies", PhD thesis, 2024, algorithm 4.1.
"""

from typing import ClassVar

import numpy as np

from core.job.job import Job
from core.mapping.mapping import MappingSpec, Slots, check_node, filled, nodes_needed
from core.mapping.ring import Start
from core.network.network import Network
from core.spec import SpecError


class CirculantStride(MappingSpec, frozen=True, tag="stride"):
    """Circulant stride: of n nodes every (n/m)-th, where m nodes are needed, a power of two."""

    title: ClassVar[str] = "Circulant stride"

    start: Start = 0

    def place(self, job: Job, network: Network) -> Slots:
        """Return the slots: the k-th node is n/m nodes on from the one before; its slots are filled before.

        Raises SpecError: if there is no such start, or the nodes needed are no power of two or do not divide the
        network's.
        """
        check_node("mapping.start", self.start, network)
        needed = nodes_needed(job, network)
        if needed & (needed - 1):
            raise SpecError(
                "mapping.type",
                f"stride needs a power of two of nodes; {job.tasks:,} tasks need {needed:,}; ring would do",
            )
        if network.nodes % needed:
            raise SpecError(
                "mapping.type", f"stride needs nodes that {needed:,} divides, not {network.nodes:,}; ring would do"
            )
        step = network.nodes // needed
        nodes = (self.start + step * np.arange(needed, dtype=np.int64)) % network.nodes
        return filled(nodes, job, network)
