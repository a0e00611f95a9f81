"""Flows between nodes, and what they put on links, as arrays."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Nodes = NDArray[np.int32]
Volumes = NDArray[np.float64]
FixedPoint = NDArray[np.int64]
"""Volumes counted in whole numbers of some small unit."""
Flags = NDArray[np.bool_]


class NodeFlows(NamedTuple):
    """Flows between nodes as three arrays of one length; flows of a node to itself are free."""

    src: Nodes
    dst: Nodes
    volume: Volumes


class Traced(NamedTuple):
    """What flows put on links, as two arrays of one length; a link may appear more than once."""

    links: NDArray[np.int32]
    volume: FixedPoint
