"""Switches in rows, one for each level of a tree, and what hangs beneath the lowest in columns."""

from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from core.network.layout import Curves, Floats, Layout

GAP = 0.4
"""How much further apart subtrees lie than the switches inside them, for every level; columns are 1 apart."""
ASPECT = 0.62
"""Height of the picture relative to its width, as long as no row would lie too close to the next."""
LEAST_RISE = 2.0
"""Least distance between two rows of switches."""
BELOW = 0.3
"""Share of the width that the nodes take in height, about."""
MARK = (0.7, 4.0)
"""Width of a mark, and its height at most: in wide pictures marks are upright, so that they stay visible."""
RAILS = (0.38, 0.47)
"""How far beside their columns the links of nodes run: that of the highest, and that of the lowest."""
APART = 0.05
"""How far the two directions of a link bow away from each other, relative to its length."""


def tree(arity: int, levels: int) -> Layout:
    """Place a fat tree of arity^levels nodes and as many switches on each level as the lowest has.

    Vertices are the nodes, then the switches, level by level from the lowest; the nodes at a switch are consecutive.
    They hang beneath it in a column, or in a few where there are many nodes at few switches.
    """
    count = arity ** (levels - 1)
    across = min(max(round(sqrt(arity / count / BELOW)), 1), arity)
    x = across * _columns(count, arity)
    width = float(x[-1] - x[0]) + across
    rows = ceil(arity / across)
    pitch = max(1.0, BELOW / 2 * width / rows)
    rise = max(LEAST_RISE, (ASPECT * width - pitch * rows) / levels)
    leaf, place = np.divmod(np.arange(count * arity), arity)
    row = place // across
    in_row = np.minimum(arity - row * across, across)
    below = np.column_stack([x[leaf] + place % across - (in_row - 1) / 2, -pitch * row])
    above = np.column_stack([np.tile(x, levels), np.repeat(rise * np.arange(1, levels + 1), count)])
    flat = np.concatenate([below, above])
    flat -= (flat.min(0) + flat.max(0)) / 2
    positions = np.column_stack([flat, np.zeros(len(flat))]).astype(np.float32)
    cell = (MARK[0], min(MARK[0] * pitch, MARK[1]))
    rail = RAILS[0] + (RAILS[1] - RAILS[0]) * np.arange(rows) / max(rows - 1, 1)
    curves = _curves_of(positions, rail[row], float(flat[:, 1].min()) + pitch * rows)
    none = np.zeros((0, 4), np.float32)
    return Layout(positions, cell, none, none[:, :2], False, curves, near=False)


def _columns(count: int, arity: int) -> NDArray[np.float64]:
    column = np.arange(count)
    x, inside, level = column.astype(float), arity, 1
    while inside < count:
        x += GAP * level * (column // inside)
        inside, level = inside * arity, level + 1
    return x


def _curves_of(positions: Floats, rail: NDArray[np.float64], head: float) -> Curves:
    # `rail`: how far beside each node its links run; `head`: the height up to which they do.
    hosts = rail.size

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        start, end = positions[src].astype(float), positions[dst].astype(float)
        step = end - start
        # Upright at the lower end, so that what leaves a switch upwards fans out; and a little to the right of the way.
        lower = np.where(step[:, 1:2] > 0, start, end)
        control = (start + end) / 2
        control[:, :1] = 0.7 * control[:, :1] + 0.3 * lower[:, :1]
        control += APART * np.stack([step[:, 1], -step[:, 0], step[:, 2]], axis=1)
        # The links of nodes run beside their columns, each direction on its side.
        for node, at in ((src, start), (dst, end)):
            hangs = np.flatnonzero(node < hosts)
            at[hangs, 0] += rail[node[hangs]] * np.sign(step[hangs, 1])
            control[hangs] = at[hangs]
            control[hangs, 1] = head
        return np.stack([start, control, end], axis=1).astype(np.float32)

    return _curves
