"""The eigenvector that bisects a graph, compared with the explicit Laplacian and numpy's eigenvectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.network.fiedler import WeightedGraph, fiedler


def laplacian(vertices, links):
    matrix = np.zeros((vertices, vertices))
    for u, v, weight in links:
        if u != v:
            matrix[[u, v], [v, u]] -= weight
            matrix[[u, v], [u, v]] += weight
    return matrix


def eigenvector(matrix, step=lambda: None):
    rows, others = np.nonzero(matrix * (1 - np.eye(len(matrix))))
    start = np.searchsorted(rows, np.arange(len(matrix) + 1)).astype(np.int32)
    return fiedler(WeightedGraph(start, others.astype(np.int32), -matrix[rows, others]), step)


def misses(matrix, vector):
    """The part of a vector that is orthogonal to the ones and to eigenvectors of about the second eigenvalue."""
    values, vectors = np.linalg.eigh(matrix + 10 * np.ones(matrix.shape))
    near = vectors[:, values <= values[0] * (1 + 1e-3) + 1e-9]
    return np.linalg.norm(vector - near @ (near.T @ vector)) / np.linalg.norm(vector)


@st.composite
def graphs(draw):
    vertices = draw(st.integers(4, 24))
    vertex, weight = st.integers(0, vertices - 1), st.sampled_from([0.5, 1.0, 3.0, 10.0])
    return laplacian(vertices, draw(st.lists(st.tuples(vertex, vertex, weight), min_size=1, max_size=60)))


@given(graphs())
def test_the_vector_belongs_to_the_second_eigenvalue(matrix):
    vector = eigenvector(matrix)
    if not matrix.any():
        assert vector is None
        return
    second = np.linalg.eigvalsh(matrix)[1]
    quotient = vector @ matrix @ vector / (vector @ vector)
    assert quotient == pytest.approx(second, rel=0.02, abs=1e-6)
    assert abs(vector.sum()) <= 1e-3 * np.abs(vector).sum()


@pytest.mark.parametrize("rows", [(20, 6), (9, 9)])
def test_a_grid_is_divided_across_its_longest_side(rows):
    # For a square the eigenvalue is double: any combination of both directions is valid.
    place = np.arange(np.prod(rows)).reshape(rows)
    pairs = [
        *zip(place[1:].flat, place[:-1].flat, strict=True),
        *zip(place[:, 1:].flat, place[:, :-1].flat, strict=True),
    ]
    matrix = laplacian(place.size, [(u, v, 1.0) for u, v in pairs])
    assert misses(matrix, eigenvector(matrix)) < 0.05


def test_disconnected_parts_are_separated():
    ring = [(k, (k + 1) % 5, 1.0) for k in range(5)]
    matrix = laplacian(10, [*ring, *((u + 5, v + 5, w) for u, v, w in ring)])
    vector = eigenvector(matrix)
    assert np.ptp(vector[:5]) <= 1e-3 * abs(vector[0] - vector[5])
    assert np.ptp(vector[5:]) <= 1e-3 * abs(vector[0] - vector[5])


def test_the_callback_may_stop_the_computation():
    class Enough(Exception):
        pass

    def step():
        raise Enough

    with pytest.raises(Enough):
        eigenvector(laplacian(4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)]), step)
