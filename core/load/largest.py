"""The k largest of many values, without sorting them."""

from heapq import heapify, heapreplace

import numpy as np
from numpy.typing import NDArray

from core.kernels import kernel

Values = NDArray[np.float64]


def largest(values: Values, count: int, counted: Values | None = None) -> NDArray[np.intp]:
    """Return where the `count` largest values (>= 0) are, largest first; of equal ones the first.

    Parameters
    ----------
    counted
        ``(values,)`` where this is not positive a value counts as 0; None: all count.
    """
    count = min(count, values.size)
    return _largest(values, count, values if counted is None else counted) if count else np.zeros(0, np.intp)


@kernel
def _largest(values: Values, count: int, counted: Values) -> NDArray[np.intp]:
    # A heap whose root is the weakest that is kept: most values are smaller, and cost one comparison.
    heap = [(values[k] if counted[k] > 0 else 0.0, -k) for k in range(count)]
    heapify(heap)
    for k in range(count, values.size):
        if values[k] > heap[0][0] and counted[k] > 0:
            heapreplace(heap, (values[k], -k))
    heap.sort()
    return np.array([-k for _, k in heap[::-1]])
