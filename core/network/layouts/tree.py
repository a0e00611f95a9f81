"""Trees: a row of switches for each level, and the nodes of the lowest level in columns."""

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from core.network.layout import Caption, Curves, Floats, Layout, centred, in_plane, right_of
from core.network.network import LinkClass

GAP = 0.4
"""Additional distance between subtrees for every level; columns are 1 apart."""
ASPECT = 0.62
"""Height of the picture relative to its width, unless rows would be too close."""
MIN_RISE = 2.0
"""Least distance between two rows of switches."""
NODES_HEIGHT = 0.3
"""Approximate height of the nodes, relative to the width."""
MARK = (0.7, 4.0)
"""Width of a node's mark, and its maximum height: in wide pictures marks are tall, so that they stay visible."""
NARROW_MARK, MAX_WIDE_ROWS = 0.5, 8
"""The width of marks where a switch has more rows of nodes than this, whose many links need the space."""
SWITCH = 0.86
"""Width of a switch's mark, a disc."""
CAPTION_GAP = 0.75
"""Distance of captions from the left edge of the first column, beyond its rails."""
RAILS = (0.39, 0.46)
"""Offset of the links of nodes from their columns, for the highest and for the lowest node."""
MARK_OVERLAP = 0.02
"""How far the links of a node reach into its mark."""
DIRECTION_GAP = 0.2
"""Distance of the two directions of a node's links at a switch right above it; half as much at the node."""
BOW = 0.05
"""How far the two directions of a link bow away from each other, relative to its length."""


def tree(arity: int, levels: int, classes: Sequence[LinkClass]) -> Layout:
    """Place a fat tree of arity^levels nodes; every level has as many switches as the lowest.

    Vertices are the nodes, then the switches, level by level from the lowest; the nodes at a switch are consecutive.
    They are below it in one column, or in several if few switches have many nodes. `classes` are the link classes from
    level to level, from the nodes up.
    """
    count = arity ** (levels - 1)
    across = min(max(round(sqrt(arity / count / NODES_HEIGHT)), 1), arity)
    x = across * _columns(count, arity)
    width = float(x[-1] - x[0]) + across
    rows = ceil(arity / across)
    pitch = max(1.0, NODES_HEIGHT / 2 * width / rows)
    rise = max(MIN_RISE, (ASPECT * width - pitch * rows) / levels)
    leaf, place = np.divmod(np.arange(count * arity), arity)
    row = place // across
    in_row = np.minimum(arity - row * across, across)
    below = np.column_stack([x[leaf] + place % across - (in_row - 1) / 2, -pitch * row])
    above = np.column_stack([np.tile(x, levels), np.repeat(rise * np.arange(1, levels + 1), count)])
    flat = centred(np.concatenate([below, above]))
    positions = in_plane(flat)
    cell = (MARK[0] if rows <= MAX_WIDE_ROWS else NARROW_MARK, min(MARK[0] * pitch, MARK[1]))
    heights = [(flat[:arity, 1].max() + flat[:arity, 1].min()) / 2, *flat[count * arity :: count, 1].tolist()]
    return Layout(
        positions,
        cell,
        hung_curves(positions, row, pitch, cell),
        near=False,
        switch=(SWITCH, SWITCH),
        captions=level_captions(heights, float(flat[:, 0].min()) - CAPTION_GAP, classes),
    )


def level_captions(
    heights: Sequence[float],
    left: float,
    classes: Sequence[LinkClass],
    lowest: int = 1,
    levels: Sequence[str] = (),
) -> tuple[Caption, ...]:
    """Return captions for rows at these heights, nodes first, and for the links between them.

    `levels` are the names of the levels of switches, from the lowest; without names they are numbered from `lowest`.
    """
    levels = levels or [f"L{level + lowest}" for level in range(len(heights) - 1)]
    names = ["nodes", *(f"{level} switches" for level in levels)]
    between = [f"{link_class.name.removesuffix(' link')} links" for link_class in classes]
    middles = [(low + high) / 2 for low, high in pairwise(heights)]
    return tuple(
        Caption(text, (left, y))
        for text, y in (*zip(names, heights, strict=True), *zip(between, middles, strict=False))
    )


def _columns(count: int, arity: int) -> NDArray[np.float64]:
    column = np.arange(count)
    x, inside, level = column.astype(float), arity, 1
    while inside < count:
        x += GAP * level * (column // inside)
        inside, level = inside * arity, level + 1
    return x


def hung_curves(positions: Floats, rows: NDArray[np.intp], pitch: float, cell: tuple[float, float]) -> Curves:
    """Return the curves of links; `rows` holds the row of each node below its switch, `pitch` apart."""
    hosts = rows.size

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        start, end = positions[src].astype(float), positions[dst].astype(float)
        step = end - start
        # Vertical at the lower end, so that links upwards fan out; and a little to the right of their direction.
        lower = np.where(step[:, 1:2] > 0, start, end)
        control = (start + end) / 2
        control[:, :1] = 0.7 * control[:, :1] + 0.3 * lower[:, :1]
        control += BOW * right_of(step)
        for node, at, switch, up in ((src, start, end, 1.0), (dst, end, start, -1.0)):
            some = np.flatnonzero(node < hosts)
            at[some], control[some], switch[some] = _hung(at[some], switch[some], rows[node[some]], up, pitch, cell)
        return np.stack([start, control, end], axis=1).astype(np.float32)

    return _curves


Places = NDArray[np.float64]


def _hung(
    node: Places, switch: Places, row: NDArray[np.intp], up: float, pitch: float, cell: tuple[float, float]
) -> tuple[Places, Places, Places]:
    """Return both ends and, between them, the control of the links from switches to nodes below.

    Links come down on the nodes of the first row. Links to other rows pass the nodes above, each direction on its
    own side, and then turn into their node; if columns stand to the left and right of the switch, both directions run
    on the side that faces it.
    """
    away = switch[:, 0] - node[:, 0]
    aside = np.abs(away) > DIRECTION_GAP
    side = np.where(aside, np.sign(away), up)
    fork = np.where(aside, 0.0, DIRECTION_GAP)
    rail = RAILS[0] + (RAILS[1] - RAILS[0]) * (row + aside * (up < 0) / 2) / max(int(row.max(initial=0)), 1)
    # From here on x counts from the node to that side. The curve starts at `from_x` and ends in its mark.
    from_x, to_x = side * away + fork, cell[0] / 2 - MARK_OVERLAP
    height = switch[:, 1] - node[:, 1]
    control_x = np.full(row.size, to_x)
    for above in range(1, int(row.max(initial=0)) + 1):
        for edge in (above * pitch - cell[1] / 2, above * pitch + cell[1] / 2):
            # With the control as high as the node, the curve at parameter t is (1 - t)^2 of the height above it.
            left = np.minimum(edge / height, 0.98)
            t = 1 - np.sqrt(left)
            needed = (rail - left * from_x - t**2 * to_x) / (2 * t * (1 - t))
            control_x = np.where(row >= above, np.maximum(control_x, needed), control_x)
    lifted = np.where(aside, up * DIRECTION_GAP / 2 * cell[1], 0.0)
    control, end, start = node.copy(), node.copy(), switch.copy()
    control[:, 0] += side * control_x
    end[:, 0] += side * to_x
    start[:, 0] += side * fork
    control[:, 1] += lifted
    end[:, 1] += lifted
    top = row == 0
    end[top, 0] = node[top, 0] + up * DIRECTION_GAP
    end[top, 1] = node[top, 1] + cell[1] / 2 - MARK_OVERLAP
    start[top, 0] = switch[top, 0] + up * DIRECTION_GAP
    # Vertical at the node.
    control[top, 0], control[top, 1] = end[top, 0], (node[top, 1] + switch[top, 1]) / 2
    return end, control, start
