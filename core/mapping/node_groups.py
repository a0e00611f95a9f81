"""Nodes in the order of a network's levels, and the end of each group."""

import numpy as np
from numpy.typing import NDArray

from core.network.network import Ints, Network

Indices = NDArray[np.int64]


def grouped(network: Network, nodes: Ints) -> tuple[Indices, list[Indices]]:
    """Return the nodes sorted by their groups, coarsest level first, and otherwise in their order.

    The second result holds, for each level, coarsest first, the end of each group: one past its last node.
    """
    groups = [level.group[nodes] for level in network.levels]
    order = np.lexsort((np.arange(nodes.size, dtype=np.int32), *reversed(groups)))
    return nodes[order].astype(np.int64), [_ends(group[order]) for group in groups]


def _ends(group: Ints) -> Indices:
    return np.append(np.flatnonzero(np.diff(group)) + 1, group.size)
