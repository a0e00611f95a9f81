"""Groups of routers as boxes on a circle, each router with its nodes."""

from math import ceil, isqrt, log

import numpy as np
from numpy.typing import NDArray

from core.network.layout import FILL, Curves, Floats, Layout, bent, boxes_on_rings, in_plane, right_of

Offsets = NDArray[np.float64]

MIDDLE = 0.3
"""Space between the two rows of routers of a box, relative to its width, for the links between them."""
ASPECT = 0.85
"""Preferred height of a box, relative to its width."""


def groups_on_a_circle(count: int, routers: int, nodes_per_router: int) -> Layout:
    """Place `count` groups clockwise from the top.

    With one node per router the vertices are the routers themselves; with more they are the nodes, router by router,
    then the routers.
    """
    if nodes_per_router == 1:
        return _on_a_circle(count, np.zeros((0, 2)), _block(routers))
    return _on_a_circle(count, *_two_rows(routers, nodes_per_router))


def leaves_and_spines_on_a_circle(count: int, leaves: int, spines: int, nodes_per_leaf: int) -> Layout:
    """Place `count` groups, each with its leaf switches facing its spine switches, and its nodes outside.

    The vertices are the nodes, leaf by leaf, then group by group the leaves and the spines; with one node per leaf the
    nodes are the leaves.
    """
    hosted = nodes_per_leaf > 1
    across = min(range(1, nodes_per_leaf + 1), key=lambda c: abs(log(_height(leaves, nodes_per_leaf, c) / ASPECT)))
    width = max(leaves * across, spines)
    away = max(MIDDLE * width, 1.5)
    row, col = np.divmod(np.arange(nodes_per_leaf), across)
    in_row = np.minimum(nodes_per_leaf - row * across, across)
    leaf = np.column_stack([_spread(leaves, width), np.full(leaves, away)])
    spine = np.column_stack([_spread(spines, width), np.zeros(spines)])
    below = np.stack([col - (in_row - 1) / 2, 1.0 + row], axis=1)
    nodes = (leaf[:, None] + below).reshape(-1, 2) if hosted else leaf
    return _on_a_circle(count, nodes, np.concatenate([leaf, spine]) if hosted else spine)


def _height(leaves: int, nodes: int, across: int) -> float:
    width = leaves * across
    return (max(MIDDLE * width, 1.5) + 2 + ceil(nodes / across)) / width


def _spread(count: int, width: float) -> NDArray[np.float64]:
    return (np.arange(count) - (count - 1) / 2) * width / count


def _on_a_circle(count: int, hosts: Offsets, inner: Offsets) -> Layout:
    """Place groups; `hosts` and `inner` are offsets of a group's nodes and routers (which may be the nodes)."""
    both = np.concatenate([hosts, inner])
    low, high = both.min(0) - 0.5, both.max(0) + 0.5
    width, height = (high - low).tolist()
    boxes, labels = boxes_on_rings(count, height / width)
    side = float(boxes[0, 2]) * FILL / width
    middle = (low + high) / 2
    parts = [(boxes[:, None, :2] + side * (part - middle)).reshape(-1, 2) for part in (hosts, inner)]
    positions = in_plane(np.concatenate(parts))
    curves = _curves_of(boxes, positions, len(hosts) * count, len(inner), side)
    return Layout(positions, (side, side), curves, boxes, labels)


def _block(count: int) -> Offsets:
    """Return the positions of `count` cells in rows, at most twice as many columns as rows, few of them empty."""
    least = isqrt(count - 1) + 1
    cols = min(range(least, max(isqrt(2 * count), least) + 1), key=lambda c: (-count % c, c))
    row, col = np.divmod(np.arange(count), cols)
    return np.stack([col, -row], axis=1).astype(float)


def _two_rows(routers: int, hosts: int) -> tuple[Offsets, Offsets]:
    """Return the positions of the nodes and of the routers of a group: routers in two rows, nodes outside."""
    half = ceil(routers / 2)

    def _extent(across: int) -> tuple[float, float]:
        width, row = half * across, 1 + ceil(hosts / across)
        return width, 2 * row + MIDDLE * width if routers > 1 else row

    def _fit(across: int) -> float:
        # Near the preferred shape, with last rows that are nearly full.
        width, height = _extent(across)
        return abs(log(height / width / ASPECT)) + (-hosts % across) / hosts

    across = min(range(1, hosts + 1), key=_fit)
    away = max(MIDDLE * half * across, 1.0) / 2 + 0.5
    lower, place = np.divmod(np.arange(routers), half)
    up = np.where(lower == 0, 1.0, -1.0)
    in_line = np.where(lower == 0, half, routers - half)
    x = (place - (in_line - 1) / 2) * across
    row, col = np.divmod(np.arange(hosts), across)
    # A last row that is not full is centred.
    in_row = np.minimum(hosts - row * across, across)
    outside = np.stack([x[:, None] + (col - (in_row - 1) / 2), up[:, None] * (away + 1 + row)], axis=2)
    return outside.reshape(-1, 2), np.stack([x, up * away], axis=1)


def _curves_of(boxes: Floats, positions: Floats, hosts: int, routers: int, side: float) -> Curves:
    count = len(boxes)
    group = np.arange(count, dtype=np.int32)
    box = np.concatenate([np.repeat(group, hosts // count), np.repeat(group, routers)])

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        start, end = positions[src], positions[dst]
        step, middle = end - start, (start + end) / 2
        right = right_of(step)
        centre = np.zeros_like(middle)
        centre[:, :2] = boxes[box[src], :2]
        # Bow towards the middle of the box between routers with nodes, else to the right, which separates directions.
        inner = middle + (0.4 * (centre - middle) + 0.06 * right if hosts else 0.22 * right)
        # Pass by nodes in between at half a cell.
        long = np.abs(step).max(axis=1, keepdims=True) > 1.5 * side
        length = np.maximum(np.linalg.norm(step, axis=1, keepdims=True), 1e-9)
        outer = middle + np.where(long, side / length, 0.1) * right
        control = np.where(((src < hosts) | (dst < hosts))[:, None], outer, inner)
        inside = np.stack([start, control, end], axis=1)
        same = (box[src] == box[dst])[:, None, None]
        return np.where(same, inside, bent(start, end)).astype(np.float32)

    return _curves
