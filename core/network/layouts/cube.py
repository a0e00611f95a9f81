"""Hypercubes: up to three dimensions drawn directly, further ones as squares inside squares."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.network.layout import Layout, grid, lattice

GAP = 0.4
"""Additional distance between squares, relative to their side, for every level of nesting."""

MAX_CLEAR_DIMENSIONS = 10
"""Dimensions up to which single links are distinguishable."""


def nested_squares(count: int, starts: NDArray[np.intp]) -> Layout:
    """Place a hypercube of `count` dimensions; `starts` are their first link ids, and the end of the last.

    The lowest bits of a node's number are its place in the innermost square, the next bits the place of that square in
    a larger one, and so on; bits alternate between x and y.
    """
    dims, wrap = (2,) * count, (False,) * count
    if count <= 3:
        return lattice(dims, wrap, starts)
    axes = np.zeros((count, 3))
    for axis, sign in enumerate((1, -1)):
        step = 1.0
        for nested, dim in enumerate(range(count - 1 - axis, -1, -2)):
            axes[dim, axis] = sign * step
            # Two blocks of this side, and one step and a gap between them.
            step = 2 * step + GAP * (nested + 1)
    return replace(grid(dims, wrap, starts, axes), near=count <= MAX_CLEAR_DIMENSIONS)
