"""Stencils: the messages that every task of a grid sends to neighbours at fixed offsets."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Stencil:
    """Messages of a task of a grid; with each offset the opposite offset has the same volume."""

    dims: tuple[int, ...]
    """Sides of the grid."""
    offsets: Ints
    """(dimensions, messages)"""
    weights: Ints
    """(messages,) volume of each message, in multiples of `part`, without a common divisor."""
    part: float
    """Volume of a message of weight 1, in the job's unit."""

    @classmethod
    def of(
        cls, dims: tuple[int, ...], offsets: Sequence[tuple[int, ...]], shares: Sequence[Fraction], least: float
    ) -> "Stencil":
        """Return the stencil for messages in the ratios of `shares`, of which the smallest has the volume `least`."""
        ratios = [share / min(shares) for share in shares]
        parts = lcm(*(ratio.denominator for ratio in ratios))
        weights = np.array([int(ratio * parts) for ratio in ratios])
        return cls(dims, np.array(offsets).T, weights, least / parts)
