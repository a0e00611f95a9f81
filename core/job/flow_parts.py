"""Labelled parts of the flows of a phase, by which the load of a link is explained."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class FlowParts:
    """Parts of a phase, such as the channels of a collective; every flow belongs to one."""

    kind: str
    """Kind of the parts: ``channel``."""
    labels: Sequence[str]
    """Label of each part: ``channel 3``; equal labels in several phases are the same part."""
    of_flow: NDArray[np.int32]
    """(flows,) the part of each flow, in the order of the phase's blocks."""

    def channel_of(self, label: str) -> str:
        """Return the part that a label belongs to: ``channel 3`` for ``channel 3, up``."""
        return label.partition(", ")[0]

    def at(self, where: NDArray[np.intp]) -> "FlowParts":
        """Return the parts of the flows at some indices."""
        return replace(self, of_flow=self.of_flow[where])
