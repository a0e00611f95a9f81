"""Flows of a phase gathered: one for each pair of nodes, sorted by destination, then by source."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.routing.flows import NodeFlows, Nodes, Volumes
from core.routing.minimal.kernel import add_pairs
from core.spec import SpecError

DENSE_NODES = 4096
"""Up to here volumes are summed in a matrix (134 MB); beyond, in a list of pairs."""
MAX_PAIRS = 1 << 25
"""Pairs that are gathered: 0.5 GB."""


class NodePairDemand(NamedTuple):
    """Different nodes that exchange something, and how much in all."""

    start: NDArray[np.int64]
    """(nodes + 1,) the pairs to destination v stand at ``start[v]`` up to ``start[v + 1]``."""
    src: Nodes
    dst: Nodes
    volume: Volumes


def sum_by_node_pair(flows: Iterable[NodeFlows], nodes: int, scheme: str) -> NodePairDemand:
    """Return the pairs of different nodes with their volumes; those that exchange nothing are left out.

    Raises SpecError: naming the scheme, if there are more than `MAX_PAIRS`.
    """
    v, u, volume = _in_matrix(flows, nodes) if nodes <= DENSE_NODES else _in_list(flows, nodes, scheme)
    kept = (u != v) & (volume > 0)
    u, v, volume = u[kept].astype(np.int32), v[kept].astype(np.int32), volume[kept]
    start = np.append(0, np.cumsum(np.bincount(v, minlength=nodes))).astype(np.int64)
    return NodePairDemand(start, u, v, volume)


Columns = tuple[NDArray[np.int64], NDArray[np.int64], Volumes]


def _in_matrix(flows: Iterable[NodeFlows], nodes: int) -> Columns:
    matrix = np.zeros((nodes, nodes))
    for block in flows:
        add_pairs(*block, matrix)
    v, u = np.nonzero(matrix)
    return v, u, matrix[v, u]


def _in_list(flows: Iterable[NodeFlows], nodes: int, scheme: str) -> Columns:
    keys, volume = np.zeros(0, np.int64), np.zeros(0)
    for block in flows:
        found = np.append(keys, block.dst.astype(np.int64) * nodes + block.src)
        keys, where = np.unique(found, return_inverse=True)
        volume = np.asarray(np.bincount(where, np.append(volume, block.volume), keys.size), np.float64)
        if keys.size > MAX_PAIRS:
            raise SpecError("routing.type", f"{scheme} plans up to {MAX_PAIRS:,} pairs of nodes; choose minimal")
    v, u = np.divmod(keys, nodes)
    return v, u, volume
