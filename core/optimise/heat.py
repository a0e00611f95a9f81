"""Temperatures for annealing, from a sample of moves."""

from math import exp, log

import numpy as np
from numpy.typing import NDArray

NEGLIGIBLE = 1e-12
"""Changes within rounding of zero."""

TRIFLING = 1e-3
"""Fraction of the largest worsening below which moves count as neutral: they are accepted at any temperature."""
MAX_CHANGE = 1.0
"""Energy change (a factor of e) above which moves are never accepted, so that they do not raise that threshold."""


def counting(changes: NDArray[np.float64], weights: float = 1.0) -> NDArray[np.float64]:
    """Return the energy changes that are worsenings, without negligible ones, as between almost equal volumes.

    `weights` is the sum of the weights of the energy's logarithms.
    """
    worse = changes[changes > NEGLIGIBLE]
    return worse[worse > TRIFLING * min(float(worse.max(initial=0.0)), MAX_CHANGE * weights)]


def temperature(worse: NDArray[np.float64], part: float) -> float:
    """Return the temperature at which a fraction `part` of worse moves is accepted: the mean of ``exp(-worse / T)``.

    All changes must be above 0, as returned by `counting`.
    """
    low, high = log(float(worse.min()) / 800), log(float(worse.max()) * 1e3)
    for _ in range(60):
        middle = (low + high) / 2
        if np.exp(-worse / exp(middle)).mean() < part:
            low = middle
        else:
            high = middle
    return exp(high)
