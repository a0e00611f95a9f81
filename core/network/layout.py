"""Where to draw a network: positions of nodes, boxes of groups, the curve of each link. World units, y upwards."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

RING_CAPACITY = 96
"""Boxes on one ring before a second ring is used; more would make the boxes too small to tell apart."""


@dataclass(frozen=True, eq=False)
class Layout:
    """Geometry in world units; a flat layout has z = 0."""

    positions: Floats
    """(vertices, 3) centre of each vertex."""
    cell: tuple[float, float]
    """Width and height of a node's mark."""
    boxes: Floats
    """(groups, 4) centre x, y, width, height of each group of the coarsest level; empty if groups have no box."""
    box_labels: Floats
    """(groups, 2) where to write a group's name."""
    solid: bool
    """Whether it has depth (to be turned) or is flat."""
    link_curves: Callable[[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32]], Floats]
    """(link ids, their sources, their destinations) -> (n, 3, 3): start, control and end of a quadratic curve."""

    def bundle_curves(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> Floats:
        """Return the curves between the boxes of groups a and b, shape ``(n, 3, 3)``; they bend towards the middle."""
        ends = np.zeros((2, a.size, 3), np.float32)
        for end, group in zip(ends, (a, b), strict=True):
            centre, size = self.boxes[group, :2], self.boxes[group, 2:]
            end[:, :2] = centre * _inwards(centre, size)[:, None]
        return _bent(ends[0], ends[1])


def _inwards(centre: Floats, size: Floats) -> Floats:
    # The factor that takes a box's centre to where the line to the origin leaves the box, and a little beyond.
    with np.errstate(divide="ignore"):
        reach = np.min(size / 2 / np.maximum(np.abs(centre), 1e-9), axis=1)
    return np.clip(1 - 1.25 * reach, 0, 1)


def _bent(start: Floats, end: Floats) -> Floats:
    # Far pairs pass near the middle, close pairs stay near the rim: a chord diagram.
    middle = (start + end) / 2
    span = np.linalg.norm(end - start, axis=1, keepdims=True) / 2
    return np.stack([start, middle * np.clip(0.75 - 0.55 * span, 0.12, 0.75), end], axis=1).astype(np.float32)


def ring_of_boxes(count: int, rows: int, cols: int) -> Layout:
    """Place `count` groups of ``rows x cols`` nodes clockwise from the top, on as many concentric rings as they need."""
    rings = -(-count // RING_CAPACITY)
    per_ring = -(-count // rings)
    index = np.arange(count)
    angle = np.pi / 2 - 2 * np.pi * (index // rings + (index % rings) / rings) / per_ring
    aspect = rows / cols
    # Boxes of width w stay clear of each other when their centres are sqrt(1 + aspect^2) w apart, in every direction.
    apart = np.hypot(1, aspect) * 1.04
    chord = 2 * np.sin(np.pi / max(per_ring, 6))
    width = min(chord / apart / (1 + rings * chord * 0.6), 0.5)
    radius = 1 - (index % rings) * width * apart
    centres = np.stack([np.cos(angle), np.sin(angle)], axis=1) * radius[:, None]
    boxes = np.column_stack([centres, np.tile([width, width * aspect], (count, 1))]).astype(np.float32)
    outwards = centres / np.linalg.norm(centres, axis=1, keepdims=True)
    labels = outwards * (1 + np.hypot(width, width * aspect) * 0.5 + 0.035)
    cell = (width * 0.94 / cols, width * 0.94 / cols)
    return Layout(_cells(boxes, rows, cols, cell), cell, boxes, labels.astype(np.float32), False, _curves_of(boxes, rows * cols, _cells(boxes, rows, cols, cell)))


def _cells(boxes: Floats, rows: int, cols: int, cell: tuple[float, float]) -> Floats:
    row, col = np.divmod(np.arange(rows * cols), cols)
    offset = np.stack([(col - (cols - 1) / 2) * cell[0], ((rows - 1) / 2 - row) * cell[1]], axis=1)
    flat = (boxes[:, None, :2] + offset).reshape(-1, 2)
    return np.column_stack([flat, np.zeros(len(flat))]).astype(np.float32)


def _curves_of(boxes: Floats, per_box: int, positions: Floats) -> Callable[..., Floats]:
    def curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        start, end = positions[src], positions[dst]
        inside = src // per_box == dst // per_box
        # Links inside a box bow to their right, so that the two directions of a pair stay apart.
        step = end - start
        bow = (start + end) / 2 + 0.22 * np.stack([step[:, 1], -step[:, 0], step[:, 2]], axis=1)
        curve = np.stack([start, bow, end], axis=1)
        return np.where(inside[:, None, None], curve, _bent(start, end)).astype(np.float32)

    return curves


def lattice(dims: tuple[int, ...], wrap: tuple[bool, ...], starts: NDArray[np.intp]) -> Layout:
    """Place the nodes of a torus or mesh on a grid: a row, a plane or a box; further dimensions repeat the box.

    `starts` are the first link ids of each dimension, and the end of the last. A wrap-around link is drawn as a stub that
    leaves its source outwards: across the whole picture it would hide everything else.
    """
    axes = _axes(dims)
    coordinate = np.stack(np.unravel_index(np.arange(int(np.prod(dims))), dims), axis=1)
    positions = coordinate @ axes
    positions = (positions - (positions.min(0) + positions.max(0)) / 2).astype(np.float32)
    solid = min(len(dims), 3) == 3

    def curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        dim = np.searchsorted(starts, ids, side="right") - 1
        step = coordinate[dst, dim] - coordinate[src, dim]
        # In a ring links alternate + and -; this alone tells the two parallel links of a ring of two apart.
        ahead = np.where(np.array(wrap)[dim], 1 - 2 * ((ids - starts[dim]) % 2), np.sign(step))
        axis = axes[dim] * ahead[:, None]
        around = step != ahead
        side = axes[(dim + 1) % len(axes)] if len(axes) > 1 else np.tile([0.0, 1.0, 0.0], (ids.size, 1))
        shift = 0.09 * ahead[:, None] * side / np.maximum(np.linalg.norm(side, axis=1, keepdims=True), 1e-9)
        start = positions[src] + shift
        end = np.where(around[:, None], start + 0.55 * axis / np.linalg.norm(axis, axis=1, keepdims=True), positions[dst] + shift)
        return np.stack([start, (start + end) / 2, end], axis=1).astype(np.float32)

    empty = np.zeros((0, 4), np.float32)
    return Layout(positions, (0.34, 0.34), empty, empty[:, :2], solid, curves)


def _axes(dims: tuple[int, ...]) -> NDArray[np.float64]:
    # World step of one hop along each dimension. The last dimension runs fastest; rows go downwards like the task grid.
    axes = np.zeros((len(dims), 3))
    if len(dims) == 1:
        axes[0, 0] = 1
    elif len(dims) == 2:
        axes[0, 1], axes[1, 0] = -1, 1
    else:
        extra = len(dims) - 3
        axes[extra, 2], axes[extra + 1, 1], axes[extra + 2, 0] = 1, -1, 1
        span = [dims[extra + 2] + 1.0, dims[extra + 1] + 1.0, dims[extra] + 1.0]
        for i, d in enumerate(range(extra - 1, -1, -1)):
            k = i % 3
            axes[d] = np.eye(3)[k] * span[k] * (-1 if k == 1 else 1)
            span[k] *= dims[d] + 0.5
    return axes
