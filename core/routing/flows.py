"""Flows between nodes, and the loads they put on links, as arrays."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.integer[Any]]
Nodes = NDArray[np.int32]
Volumes = NDArray[np.float64]
FixedPoint = NDArray[np.int64]
"""Volumes as integer multiples of a small unit."""
Flags = NDArray[np.bool_]


class NodeFlows(NamedTuple):
    """Flows between nodes as three arrays of one length; flows of a node to itself are free."""

    src: Nodes
    dst: Nodes
    volume: Volumes

    def some(self, which: Flags | Ints | slice) -> "NodeFlows":
        """Return the selected flows."""
        return NodeFlows(self.src[which], self.dst[which], self.volume[which])


class Traced(NamedTuple):
    """Loads of flows as two arrays of one length; links may be repeated."""

    links: Nodes
    volume: FixedPoint

    @classmethod
    def joined(cls, traces: Iterable["Traced"]) -> "Traced":
        """Concatenate the loads of several sets of flows."""
        none = cls(np.zeros(0, np.int32), np.zeros(0, np.int64))
        return cls(*(np.concatenate(arrays) for arrays in zip(none, *traces, strict=True)))


class Hops(NamedTuple):
    """Hops of flows, as arrays of one length."""

    flow: Ints
    """Index of the flow."""
    link: Ints
    share: Volumes
    role: Ints
    """Index into `Router.roles`."""

    @classmethod
    def joined(cls, parts: Iterable["Hops"]) -> "Hops":
        """Concatenate several lists of hops."""
        return cls(*(np.concatenate(arrays) for arrays in zip(NO_HOPS, *parts, strict=True)))

    def traced(self, volume: FixedPoint) -> Traced:
        """Return the loads of flows with these volumes; every hop's share is rounded separately."""
        parts = np.rint(self.share * volume[self.flow])
        return Traced(self.link.astype(np.int32), parts.astype(np.int64))


NO_HOPS = Hops(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int64))
