"""Where to draw a network: nodes, boxes of groups, the curve of each link. World units, y upwards."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.network.sizes import axis_name

Floats = NDArray[np.float32]

RING_CAPACITY = 96
"""Boxes on one ring before a second ring is used; more would make the boxes too small to distinguish."""
CIRCLE_CAPACITY = 160
"""Nodes of a one-dimensional torus that are placed on a circle; more are folded into rows."""
ROW_CAPACITY = 40
"""Nodes of a one-dimensional mesh in a single row; more are folded."""
FILL = 0.94
"""Share of a box's width that its cells take."""
NODE = 0.4
"""Side of a lattice node's mark; the next node is 1 away."""
LANE = 0.09
"""Offset of each direction from the line between two nodes."""
STUB = 0.55
"""Length of a wrap-around link as drawn."""

Curves = Callable[[NDArray[np.intp], NDArray[np.int32], NDArray[np.int32]], Floats]


class Caption(NamedTuple):
    """A text left of the picture that labels the row at a height."""

    text: str
    at: tuple[float, float]
    """Right end of the text, at the middle of its height."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension of a lattice that is longer than 1."""

    name: str
    step: int
    """Difference between the numbers of neighbours along it; the first node is 0."""
    size: int
    """Nodes along it."""

    @property
    def nodes(self) -> range:
        """Return the nodes along the axis, starting with the first node."""
        return range(0, self.step * self.size, self.step)


@dataclass(frozen=True, eq=False)
class Layout:
    """Geometry in world units; a flat layout has z = 0."""

    positions: Floats
    """(vertices, 3) centre of each vertex."""
    cell: tuple[float, float]
    """Width and height of a node's mark."""
    link_curves: Curves
    """(link ids, sources, destinations) -> (n, 3, 3): start, control and end of a quadratic curve."""
    boxes: Floats = field(default_factory=lambda: np.zeros((0, 4), np.float32))
    """(groups, 4) centre x, y, width, height of each group of the coarsest level; empty if they have none."""
    box_labels: Floats = field(default_factory=lambda: np.zeros((0, 2), np.float32))
    """(groups, 2) where the picture ends in the direction of each group: its name stands beyond."""
    solid: bool = False
    """Whether it has depth (to be turned) or is flat."""
    near: bool = True
    """Whether links join neighbours in the picture; links across the whole picture are distinguishable only if few."""
    circle: bool = False
    """Whether the nodes stand on one circle about the origin, in order."""
    scattered: bool = False
    """Whether vertices are drawn in no recognisable order, so that labels of a few do not imply the others."""
    switch: tuple[float, float] | None = None
    """Width and height of a switch's mark, or None if equal to a node's mark."""
    captions: tuple[Caption, ...] = ()
    rows: bool = False
    """Whether boxes stand in rows, each a lattice of its own; else they stand around the origin."""
    axes: tuple[Axis, ...] = ()
    """The dimensions of a lattice."""

    def bundle_curves(self, a: NDArray[np.intp], b: NDArray[np.intp]) -> Floats:
        """Return the curves between the boxes of groups a and b, shape ``(n, 3, 3)``, bent to the middle.

        Adjacent boxes in a row are joined directly; other curves bend to the right of the boxes between them.
        """
        if self.rows:
            return _beside_rows(self.boxes[a], self.boxes[b])
        ends = np.zeros((2, a.size, 3), np.float32)
        for end, group in zip(ends, (a, b), strict=True):
            centre, size = self.boxes[group, :2], self.boxes[group, 2:]
            end[:, :2] = centre * _inwards(centre, size)[:, None]
        return bent(ends[0], ends[1])


def centred(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return places shifted so that the centre of their bounding box is the origin."""
    return np.asarray(places - (places.min(0) + places.max(0)) / 2)


def apart(x: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Return ascending positions moved as little as needed to be `gap` apart."""
    step = gap * np.arange(x.size)
    pushed_right = np.maximum.accumulate(x - step) + step
    pushed_left = np.minimum.accumulate((x - step)[::-1])[::-1] + step
    return np.asarray((pushed_right + pushed_left) / 2)


def in_plane(places: NDArray[np.floating]) -> Floats:
    """Return places, shape ``(n, 2)``, as positions, shape ``(n, 3)``, with z = 0."""
    return np.column_stack([places, np.zeros(len(places))]).astype(np.float32)


def right_of(step: NDArray[Any]) -> NDArray[Any]:
    """Return vectors perpendicular to `step`, shape ``(n, 3)``, in the plane, to the right, and of the same length."""
    return np.stack([step[:, 1], -step[:, 0], step[:, 2]], axis=1)


def bowed(start: Floats, end: Floats, bow: float | NDArray[Any]) -> Floats:
    """Return curves that bow to the right by `bow` times their length, which separates the two directions."""
    return np.stack([start, (start + end) / 2 + bow * right_of(end - start), end], axis=1).astype(np.float32)


def _inwards(centre: Floats, size: Floats) -> Floats:
    # The factor that takes a box's centre to where the line to the origin leaves the box, a little beyond.
    return np.asarray(np.clip(1 - 1.25 * _reach(size, centre), 0, 1), np.float32)


def _reach(size: Floats, direction: Floats) -> Floats:
    # Distance from a box's centre to its edge, in units of the way.
    return np.asarray(np.min(size / 2 / np.maximum(np.abs(direction), 1e-9), axis=1))


def bent(start: Floats, end: Floats) -> Floats:
    """Return curves between points ``(n, 3)``: far pairs pass near the middle, close ones stay near the rim."""
    middle = (start + end) / 2
    span = np.linalg.norm(end - start, axis=1, keepdims=True) / 2
    return np.stack([start, middle * np.clip(0.95 - 0.85 * span, 0.1, 0.95), end], axis=1).astype(np.float32)


def _beside_rows(a: Floats, b: Floats) -> Floats:
    start, end, size = a[:, :2], b[:, :2], a[:, 2:]
    step = end - start
    direction = step / np.linalg.norm(step, axis=1, keepdims=True)
    right = np.stack([direction[:, 1], -direction[:, 0]], axis=1)
    near = (np.abs(step) < 1.5 * size).all(axis=1, keepdims=True)
    # Point where the line leaves the box, or the middle of the box's right side.
    leaves, aside = _reach(size, direction)[:, None], _reach(size, right)[:, None]
    first = np.where(near, start + leaves * direction, start + aside * right)
    last = np.where(near, end - leaves * direction, end + aside * right)
    control = (first + last) / 2 + np.where(near, 0, 0.2 * size.mean(axis=1, keepdims=True)) * right
    curves = np.zeros((len(a), 3, 3), np.float32)
    curves[:, :, :2] = np.stack([first, control, last], axis=1)
    return curves


def boxes_on_rings(count: int, aspect: float) -> tuple[Floats, Floats]:
    """Return boxes of height `aspect` times their width, clockwise from the top on as few rings as possible.

    The second array is the places of their names: see `Layout.boxes` and `Layout.box_labels`.
    """
    if count == 1:
        return np.array([[0, 0, 1, aspect]], np.float32), np.array([[0, aspect / 2]], np.float32)
    rings = -(-count // RING_CAPACITY)
    per_ring = -(-count // rings)
    index = np.arange(count)
    angle = np.pi / 2 - 2 * np.pi * (index // rings + (index % rings) / rings) / per_ring
    # Boxes of width w stay clear of each other when their centres are sqrt(1 + aspect^2) w apart.
    apart = np.hypot(1, aspect) * 1.04
    chord = 2 * np.sin(np.pi / per_ring)
    # The innermost ring is the shortest; and with few boxes, links between them need room.
    width = chord / apart / (1 + (rings - 1 + 0.25) * chord)
    radius = 1 - (index % rings) * width * apart
    centres = np.stack([np.cos(angle), np.sin(angle)], axis=1) * radius[:, None]
    boxes = np.column_stack([centres, np.tile([width, width * aspect], (count, 1))]).astype(np.float32)
    outwards = centres / np.linalg.norm(centres, axis=1, keepdims=True)
    reach = width / 2 * np.min([1, aspect] / np.maximum(np.abs(outwards), 1e-9), axis=1)
    return boxes, (outwards * (1 + reach[:, None])).astype(np.float32)


def ring_of_boxes(count: int, rows: int, cols: int) -> Layout:
    """Place `count` groups of ``rows x cols`` nodes clockwise from the top, on as few rings as hold them."""
    boxes, labels = boxes_on_rings(count, rows / cols)
    side = float(boxes[0, 2]) * FILL / cols
    row, col = np.divmod(np.arange(rows * cols), cols)
    offset = np.stack([(col - (cols - 1) / 2) * side, ((rows - 1) / 2 - row) * side], axis=1)
    positions = in_plane((boxes[:, None, :2] + offset).reshape(-1, 2))

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        # Arcs inside boxes, chords between them.
        start, end = positions[src], positions[dst]
        inside = src // (rows * cols) == dst // (rows * cols)
        return np.where(inside[:, None, None], bowed(start, end, 0.22), bent(start, end))

    return Layout(positions, (side, side), _curves, boxes, labels)


def lattice(dims: tuple[int, ...], wrap: tuple[bool, ...], starts: NDArray[np.intp]) -> Layout:
    """Place the nodes of a torus or mesh of up to three dimensions, all longer than 1: in a row, circle, plane or box.

    `starts` are the first link ids of each dimension, and the end of the last. A wrap-around link is drawn as
    a stub that leaves its source outwards: across the whole picture it would hide everything else.
    """
    if len(dims) > 1:
        # The last dimension runs fastest, along x; rows go downwards like the task grid.
        steps = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])
        return grid(dims, wrap, starts, steps[-len(dims) :])
    if wrap[0] and 2 < dims[0] <= CIRCLE_CAPACITY:
        return _circle(dims[0])
    return _folded(dims[0], wrap[0])


def _heading(rings: NDArray[np.bool_], rank: NDArray[np.intp], step: NDArray[np.intp]) -> NDArray[np.intp]:
    # +1 or -1 along the link's dimension, from the step between its ends' coordinates. In a ring links alternate
    # + and -; this alone distinguishes the two parallel links of a ring of two.
    return np.where(rings, 1 - 2 * (rank % 2), np.sign(step))


def grid(dims: tuple[int, ...], wrap: tuple[bool, ...], starts: NDArray[np.intp], axes: NDArray[np.float64]) -> Layout:
    """Place the nodes of a lattice; `axes`, shape ``(dims, 3)``, are the steps along its dimensions.

    Each runs along x, y or z. `starts` are the first link ids of each dimension, and the end of the last.
    """
    coordinate = np.stack(np.unravel_index(np.arange(prod(dims)), dims), axis=1)
    positions = centred(coordinate @ axes).astype(np.float32)
    solid = bool(axes[:, 2].any())
    length = np.linalg.norm(axes, axis=1, keepdims=True)
    along = axes / length
    # The two directions run side by side: a link along x is shifted along y, along y along z, along z along x.
    beside = np.roll(np.abs(along), 1, axis=1) if solid else np.abs(along[:, [1, 0, 2]])
    # Links of a further dimension pass by the nodes between; they bow, so as not to cover the short ones, and
    # keep to lanes of their own, as do their stubs.
    bow = np.where(length > 1, 0.3 + 0.05 * length, 0) * beside
    inner = (np.abs(along) @ np.abs(along).T * (length > length.T)).sum(axis=1, keepdims=True)
    # The nearest at 1, the next at 2 lanes, none beyond 3: they must stay at the nodes.
    lane = LANE * (3 - 2 / (1 + inner)) * beside

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        dim = np.searchsorted(starts, ids, side="right") - 1
        step = coordinate[dst, dim] - coordinate[src, dim]
        ahead = _heading(np.array(wrap)[dim], ids - starts[dim], step)
        around = (step != ahead)[:, None]
        shift = ahead[:, None] * lane[dim]
        start = positions[src] + shift
        stub = start + STUB * ahead[:, None] * along[dim]
        end = np.where(around, stub, positions[dst] + shift)
        control = (start + end) / 2 + np.where(around, 0, ahead[:, None] * bow[dim])
        return np.stack([start, control, end], axis=1).astype(np.float32)

    side = NODE / 2 if solid else NODE
    return Layout(positions, (side, side), _curves, solid=solid)


def _circle(count: int) -> Layout:
    """Place a ring clockwise from the top; the two directions run along the inside and the outside of the circle."""
    turn = 2 * np.pi / count
    angle = np.pi / 2 - turn * np.arange(count)
    rays = np.stack([np.cos(angle), np.sin(angle), np.zeros(count)], axis=1)
    radius = 0.5 / np.sin(turn / 2)

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        lane = (radius + LANE * (1 - 2 * (ids % 2)))[:, None]
        middle = rays[src] + rays[dst]
        middle /= np.linalg.norm(middle, axis=1, keepdims=True)
        curve = [rays[src] * lane, middle * lane / np.cos(turn / 2), rays[dst] * lane]
        return np.stack(curve, axis=1).astype(np.float32)

    return Layout((rays * radius).astype(np.float32), (NODE, NODE), _curves, circle=True)


def _folded(count: int, ring: bool) -> Layout:
    """Place a line in rows that run to and fro, so that neighbours stay neighbours."""
    cols = count if count <= ROW_CAPACITY else int(np.ceil(np.sqrt(1.2 * count)))
    row, col = np.divmod(np.arange(count), cols)
    col = np.where(row % 2, cols - 1 - col, col)
    positions = centred(np.stack([col, -row, np.zeros(count)], axis=1))

    def _curves(ids: NDArray[np.intp], src: NDArray[np.int32], dst: NDArray[np.int32]) -> Floats:
        step = (dst - src).astype(np.intp)
        ahead = _heading(np.full(ids.size, ring), ids, step)
        around = (step != ahead)[:, None]
        # A wrap-around link leaves in the direction from which the line arrived.
        inner = np.clip(src - ahead, 0, count - 1)
        forward = np.where(around, positions[src] - positions[inner], positions[dst] - positions[src])
        shift = LANE * right_of(forward)
        start = positions[src] + shift
        end = start + np.where(around, STUB, 1) * forward
        return np.stack([start, (start + end) / 2, end], axis=1).astype(np.float32)

    return Layout(positions.astype(np.float32), (NODE, NODE), _curves)


def axes_of(dims: tuple[int, ...], names: tuple[str, ...] = ()) -> tuple[Axis, ...]:
    """Return the axes of a lattice numbered row-major, called X, Y, Z ... unless `names` says otherwise."""
    names = names or tuple(map(axis_name, range(len(dims))))
    return tuple(Axis(names[d], prod(dims[d + 1 :]), size) for d, size in enumerate(dims) if size > 1)
