"""Flows summed by pair of nodes: in a matrix on small networks, else in a sorted list of pairs."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.routing.flows import NodeFlows, Nodes, Volumes
from core.spec import SpecError

DENSE_NODES = 4096
"""Nodes up to which volumes are summed in a matrix (134 MB)."""


class NodePairDemand(NamedTuple):
    """Pairs of different nodes with their total volumes, sorted by destination, then by source."""

    start: NDArray[np.int64]
    """(nodes + 1,) pairs to destination v are at ``start[v]`` to ``start[v + 1]``."""
    src: Nodes
    dst: Nodes
    volume: Volumes


def fits_matrix(nodes: int) -> bool:
    """Return whether volumes between `nodes` nodes are summed in a matrix."""
    return nodes <= DENSE_NODES


@kernel
def add_pairs(src: Nodes, dst: Nodes, volume: Volumes, matrix: Volumes) -> None:
    """Add flows to a matrix by destination (row) and source, except flows of a node to itself."""
    for i in range(src.size):
        if src[i] != dst[i]:
            matrix[dst[i], src[i]] += volume[i]


def pair_matrix(flows: Iterable[NodeFlows], nodes: int) -> Volumes:
    """Return the volume that every node (row) receives from every other, shape ``(nodes, nodes)``."""
    matrix = np.zeros((nodes, nodes))
    for block in flows:
        add_pairs(*block, matrix)
    return matrix


def sum_by_node_pair(flows: Iterable[NodeFlows], nodes: int, limit: int, refusal: str) -> NodePairDemand:
    """Return the pairs of different nodes with their volumes, without pairs of volume 0.

    Raises SpecError: with the message `refusal`, if there are more than `limit` pairs and they do not fit a matrix.
    """
    if fits_matrix(nodes):
        matrix = pair_matrix(flows, nodes)
        v, u = np.nonzero(matrix)
        volume = matrix[v, u]
    else:
        v, u, volume = _listed(flows, nodes, limit, refusal)
    start = np.append(0, np.cumsum(np.bincount(v, minlength=nodes))).astype(np.int64)
    return NodePairDemand(start, u.astype(np.int32), v.astype(np.int32), volume)


def _listed(
    flows: Iterable[NodeFlows], nodes: int, limit: int, refusal: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], Volumes]:
    keys, volume = np.zeros(0, np.int64), np.zeros(0)
    for block in flows:
        all_keys = np.append(keys, block.dst.astype(np.int64) * nodes + block.src)
        keys, where = np.unique(all_keys, return_inverse=True)
        volume = np.asarray(np.bincount(where, np.append(volume, block.volume), keys.size), np.float64)
        if keys.size > limit:
            raise SpecError("routing.type", refusal)
    v, u = np.divmod(keys, nodes)
    kept = (u != v) & (volume != 0)
    return v[kept], u[kept], volume[kept]
