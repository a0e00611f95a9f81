"""The Fiedler vector of a graph's Laplacian, which suggests a bisection: low values on one side, high on the other.

Computed as in Knyazev, "Toward the optimal preconditioned eigensolver", 2001 (LOBPCG), without a preconditioner: each
step finds the best vector in the span of the last one, its residual and the last direction. Importing scipy's solver
would take longer than all other metrics of most networks.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel
from core.network.adjacency import Ints

Floats = NDArray[np.float64]

MAX_STEPS = 400
PRECISION = 1e-3
"""Residual relative to the eigenvalue: bisections need few digits."""
NEGLIGIBLE = 1e-9
"""Residual relative to a vertex's links if the eigenvalue is 0, that is, the graph is disconnected."""
DIGITS = 1e6
"""Digits kept: the last ones differ between machines."""


class WeightedGraph(NamedTuple):
    """An undirected graph: neighbours of vertex v are at ``start[v]`` to ``start[v + 1]``."""

    start: Ints
    """(vertices + 1,)"""
    other: Ints
    """(2 edges,) each edge from both ends."""
    weight: Floats
    """(2 edges,)"""


def fiedler(graph: WeightedGraph, step: Callable[[], None]) -> Floats | None:
    """Return the eigenvector of the second eigenvalue, shape ``(vertices,)``, rounded, or None for too few vertices.

    `step` is called often.
    """
    vertices = graph.start.size - 1
    if vertices < 4 or not graph.weight.size:
        return None
    degree = np.add.reduceat(np.append(graph.weight, 0.0), graph.start[:-1]) * (np.diff(graph.start) > 0)
    noise = np.random.default_rng(0).normal(0, 1e-3, vertices)
    vector = _slowest(graph, degree, np.cos(np.arange(vertices) * np.pi / vertices) + noise, step)
    sign = np.sign(vector[np.argmax(np.abs(vector) > 1e-6)])
    return np.asarray(np.round(vector * sign * DIGITS))


def _slowest(graph: WeightedGraph, degree: Floats, begin: Floats, step: Callable[[], None]) -> Floats:
    most = float(degree.max())
    # The eigenvector of ones, with eigenvalue 0, is shifted to the other end of the spectrum.
    far = 2 * most / begin.size
    among = begin[:, None]
    for _ in range(MAX_STEPS):
        step()
        basis = np.ascontiguousarray(np.linalg.qr(among / np.linalg.norm(among, axis=0))[0])
        image = far * basis.sum(axis=0) + np.zeros(basis.shape)
        _add_laplacian(graph, degree, basis, image)
        values, ritz = np.linalg.eigh(basis.T @ image)
        vector = basis @ ritz[:, 0]
        missed = image @ ritz[:, 0] - values[0] * vector
        if np.linalg.norm(missed) <= max(PRECISION * values[0], NEGLIGIBLE * most):
            break
        # The first basis vector is the last iterate; the rest is its change.
        added = basis[:, 1:] @ ritz[1:, 0]
        among = np.stack([vector, missed, added][: basis.shape[1] + 1], axis=1)
    return np.asarray(vector)


@kernel
def _add_laplacian(graph: WeightedGraph, degree: Floats, source: Floats, target: Floats) -> None:
    # For each column: every vertex times its degree, minus its neighbours.
    start, other, weight = graph
    for v in range(start.size - 1):
        for column in range(source.shape[1]):
            target[v, column] += degree[v] * source[v, column]
        for place in range(start[v], start[v + 1]):
            for column in range(source.shape[1]):
                target[v, column] -= weight[place] * source[other[place], column]
