"""Temperatures for annealing, from a sample of moves."""

from math import exp, log

import numpy as np
from numpy.typing import NDArray

NOTHING = 1e-12
"""Changes that are none, but for rounding."""

TRIFLING = 1e-3
"""Parts of the most by which a move makes it worse that do not count: such moves are taken at any temperature."""
MAX_CHANGE = 1.0
"""Change of an energy (a factor of e) beyond which moves are taken at none: beside these no others are trifling."""


def counting(changes: NDArray[np.float64], weights: float = 1.0) -> NDArray[np.float64]:
    """Return those changes of an energy that make it worse by more than trifles, such as between volumes all but equal.

    `weights` is what the weights of the energy's logarithms come to.
    """
    worse = changes[changes > NOTHING]
    return worse[worse > TRIFLING * min(float(worse.max(initial=0.0)), MAX_CHANGE * weights)]


def temperature(worse: NDArray[np.float64], part: float) -> float:
    """Return the temperature at which such a part of worse moves would be taken: the mean of ``exp(-worse / T)``.

    Changes are above 0: those that are `counting`.
    """
    low, high = log(float(worse.min()) / 800), log(float(worse.max()) * 1e3)
    for _ in range(60):
        middle = (low + high) / 2
        if np.exp(-worse / exp(middle)).mean() < part:
            low = middle
        else:
            high = middle
    return exp(high)
