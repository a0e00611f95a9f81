"""Forwarding tables with failed links or missing entries: they stay as they are, and their flows are disconnected."""

import numpy as np

from core.routing.faulty import DISCONNECTED, INTACT, FaultyRouter, States
from core.routing.flows import Flags, Nodes
from core.routing.tables.reasons import reason
from core.routing.tables.scheme import TableRouter


class FaultyTableRouter(FaultyRouter):
    """Flows with a path that does not arrive are disconnected."""

    def __init__(self, base: TableRouter, failed: Flags) -> None:
        super().__init__(base, failed)
        self.left = TableRouter(base.network, base.fabric, failed)
        self.memoryless = base.memoryless

    @property
    def disconnects(self) -> bool:
        """Return whether any two nodes have no path."""
        return not self.left.complete

    def state(self, src: Nodes, dst: Nodes) -> States:
        """Return `DISCONNECTED` for flows that do not arrive."""
        return np.where(self.left.reaches(src, dst), INTACT, DISCONNECTED).astype(np.int8)

    def reason(self, u: int, v: int) -> str:
        """Return the entry or link because of which packets from node u to node v do not arrive."""
        return reason(self.network, self.left.fabric, self.failed, u, v)
