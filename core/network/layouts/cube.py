"""Hypercubes: up to three dimensions as they are, more as squares inside squares."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from core.network.layout import Layout, grid, lattice

GAP = 0.4
"""How much further apart squares lie than what is inside them, for every time that they nest."""

CLEAR = 10
"""Dimensions up to which all links can be told apart."""


def nested_squares(count: int, starts: NDArray[np.intp]) -> Layout:
    """Place a hypercube of `count` dimensions; `starts` are their first link ids, and the end of the last.

    The last bits of a node's number are its place in the smallest square, those before the place of that square in
    a larger one, and so on; bits run along x and y in turn.
    """
    dims, wrap = (2,) * count, (False,) * count
    if count <= 3:
        return lattice(dims, wrap, starts)
    axes = np.zeros((count, 3))
    for axis, sign in enumerate((1, -1)):
        step = 1.0
        for nested, dim in enumerate(range(count - 1 - axis, -1, -2)):
            axes[dim, axis] = sign * step
            # Two blocks of this side, and between them the room of one step and a gap.
            step = 2 * step + GAP * (nested + 1)
    return replace(grid(dims, wrap, starts, axes), near=count <= CLEAR)
