"""The k largest of many values, without sorting them."""

from heapq import heapify, heapreplace

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel


def largest(values: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Return where the `count` largest values are, largest first; of equal ones the first."""
    count = min(count, values.size)
    return _largest(values, count) if count else np.zeros(0, np.intp)


@kernel
def _largest(values: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    # A heap whose root is the weakest that is kept: most values are smaller, and cost one comparison.
    heap = [(values[k], -k) for k in range(count)]
    heapify(heap)
    for k in range(count, values.size):
        if values[k] > heap[0][0]:
            heapreplace(heap, (values[k], -k))
    heap.sort()
    return np.array([-k for _, k in heap[::-1]])
