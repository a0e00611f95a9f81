"""The k largest of many values, without sorting them."""

import numpy as np
from numpy.typing import NDArray

from core.kernels import inlined, kernel

Values = NDArray[np.float64]


def k_largest(values: Values, count: int, counted: Values | None = None) -> NDArray[np.intp]:
    """Return the indices of the `count` largest values (>= 0), largest first, ties by index.

    Parameters
    ----------
    counted
        ``(values,)`` values where this is not positive count as 0; None if all count.
    """
    count = min(count, values.size)
    if not count:
        return np.zeros(0, np.intp)
    counted = values if counted is None else counted
    indices: NDArray[np.intp] = _largest(values, count, counted)
    return indices[np.lexsort((indices, np.where(counted[indices] > 0, -values[indices], 0.0)))]


@kernel
def _largest(values: Values, count: int, counted: Values) -> NDArray[np.intp]:
    # A heap whose root is the smallest value kept: most values are smaller, and cost one comparison. Written by hand,
    # since numba takes seconds to compile heapq. Unused places are smaller than all values.
    indices, heap = np.zeros(count, np.intp), np.full(count, -1.0)
    for k in range(values.size):
        if values[k] <= heap[0] or (counted[k] <= 0 and heap[0] >= 0):
            continue
        value = values[k] if counted[k] > 0 else 0.0
        place, child = 0, 1
        while child < count:
            if child + 1 < count and _weaker(heap[child + 1], indices[child + 1], heap[child], indices[child]):
                child += 1
            if not _weaker(heap[child], indices[child], value, k):
                break
            heap[place], indices[place] = heap[child], indices[child]
            place, child = child, 2 * child + 1
        heap[place], indices[place] = value, k
    return indices


@inlined
def _weaker(a: float, place_of_a: int, b: float, place_of_b: int) -> bool:
    # Ties: the later one is weaker.
    return a < b or (a == b and place_of_a > place_of_b)
