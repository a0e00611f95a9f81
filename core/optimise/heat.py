"""Temperatures for annealing, from a sample of moves."""

from math import exp, log

import numpy as np
from numpy.typing import NDArray

TRIFLING = 1e-3
"""Parts of the most by which a move makes it worse that do not count: such moves are taken at any temperature."""


def temperature(worse: NDArray[np.float64], part: float) -> float:
    """Return the temperature at which such a part of worse moves would be taken: the mean of ``exp(-worse / T)``.

    Changes are above 0. Trifling ones do not count, such as those between volumes that are all but equal.
    """
    worse = worse[worse > TRIFLING * worse.max()]
    low, high = log(float(worse.min()) / 800), log(float(worse.max()) * 1e3)
    for _ in range(60):
        middle = (low + high) / 2
        if np.exp(-worse / exp(middle)).mean() < part:
            low = middle
        else:
            high = middle
    return exp(high)
