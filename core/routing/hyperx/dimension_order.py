"""Dimension order on HyperX: along X, then Y, then Z, one hop in each; parallel cables share the volume."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from core.network.families.hyperx import HyperX
from core.network.network import Network
from core.network.sizes import axis_name
from core.routing.closed_form import ClosedFormRouter, HopBatch
from core.routing.flows import Nodes
from core.routing.minimal.scheme import EqualRouter

ROLES = ("on a single cable", "shared by parallel cables")


class HyperXOrderRouter(ClosedFormRouter):
    """Paths follow from the coordinates of their ends: the destination's replace the source's one by one."""

    roles, memoryless = ROLES, True

    def __init__(self, network: Network, spec: HyperX) -> None:
        super().__init__(network)
        self._spec = spec
        self._links = {c.name: c.links.start for c in network.classes}

    def hop_batches(self, src: Nodes, dst: Nodes) -> Iterator[HopBatch]:
        """Yield the hop to the switch, the hops along each dimension, cable by cable, and the hop from the switch."""
        spec, apart = self._spec, src != dst
        at, target = ((end // spec.nodes_per_switch).astype(np.int64) for end in (src, dst))
        if spec.hosted:
            for back, node in enumerate((src, dst)):
                yield HopBatch(0, apart, (self._links["host"] + 2 * node + back).astype(np.int32), 1.0)
        step = spec.switches
        for d, (side, cables) in enumerate(zip(spec.dims, spec.cables, strict=True)):
            step //= side
            start, end = at // step % side, target // step % side
            cable = self._cable(at, start, end, side, step)
            for k in range(cables):
                link = self._links.get(axis_name(d), 0) + 2 * (cable * cables + k) + (start > end)
                yield HopBatch(int(cables > 1), start != end, link.astype(np.int32), 1 / cables)
            at = at + (end - start) * step

    def _cable(
        self, switch: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64], side: int, step: int
    ) -> NDArray[np.int64]:
        # Cables are numbered by the pair of coordinates that they join, then by their line.
        low, high = np.minimum(start, end), np.maximum(start, end)
        pair = low * side - low * (low + 1) // 2 + high - low - 1
        line = switch // (step * side) * step + switch % step
        cable: NDArray[np.int64] = pair * (self._spec.switches // side) + line
        return cable

    def nearest(self) -> NDArray[np.int64] | None:
        """Return the distances of minimal routing, which are equal."""
        return EqualRouter(self.network).nearest()

    def updates(self, flows: int) -> int:
        """Return all hops of a flow along all dimensions."""
        return flows * (sum(self._spec.cables) + 2)

    def share_quantum(self, name: str) -> Fraction:
        """Return the share of a cable of the class."""
        names = [axis_name(d) for d in range(len(self._spec.dims))]
        return Fraction(1, self._spec.cables[names.index(name)]) if name in names else Fraction(1)
