"""SciPy's `quadratic_assignment` with a time limit."""

from contextlib import suppress
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import quadratic_assignment

Matrix = NDArray[np.float64]


class TimeIsUp(Exception):
    """The time limit is reached."""


class Watched(np.ndarray):
    """A flow matrix that ends the search that uses it when its time is up.

    2opt has no time limit, and would run for hours with 256 tasks. It computes each score in full, as the sum of this
    matrix times the matrix of distances with rows and columns in the order of the tasks.
    """

    end = 0.0
    best = np.inf
    distances: Any = None
    """Distances of the tasks at the best score so far, shape ``(tasks, tasks)``."""

    def __mul__(self, distances: Any) -> Any:
        product = np.asarray(self) * np.asarray(distances)
        score = product.sum()
        if score < self.best:
            self.best, self.distances = score, distances
        if perf_counter() > self.end:
            raise TimeIsUp
        return product


def faq(flow: Matrix, distance: Matrix, start: str, seed: int = 0) -> NDArray[np.int32]:
    """Return the node of each task by FAQ; `start` is barycenter, its default, or randomized."""
    options = {"rng": np.random.default_rng(seed), "P0": start}
    assigned = quadratic_assignment(flow, distance, method="faq", options=options)
    return np.asarray(assigned.col_ind, np.int32)


def two_opt(
    flow: Matrix, distance: Matrix, seconds: float, start: NDArray[np.int32] | None = None, seed: int = 0
) -> NDArray[np.int32]:
    """Return the node of each task by 2opt after at most `seconds` seconds, from `start` or a random mapping."""
    options: dict[str, Any] = {"rng": np.random.default_rng(seed)}
    if start is not None:
        options["partial_guess"] = np.stack([np.arange(start.size), start], axis=1)
    # The diagonal of the distances identifies nodes; it does not affect scores, as no task sends to itself.
    marked = distance.copy()
    np.fill_diagonal(marked, np.arange(len(distance)))
    watched = np.array(flow).view(Watched)
    np.fill_diagonal(watched, 0.0)
    watched.end = perf_counter() + seconds
    with suppress(TimeIsUp):
        quadratic_assignment(watched, marked, method="2opt", options=options)
    return np.asarray(np.diag(watched.distances), np.int32)
