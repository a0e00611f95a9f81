"""The dimensions of a lattice in its picture: their names, and the coordinates along them."""

from collections.abc import Iterator
from itertools import product

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPen

from app.views.drawing import half_extent, nice_step, polygon, rect_around, translucent
from app.views.legend import FONT_PX
from app.views.machine.axes_key import has_nested_axes, runs_across, step_along
from app.views.machine.label_space import NAME_VEIL, LabelSpace
from app.views.machine.labels import cells_numbered
from app.views.machine.legends import legend_areas
from app.views.machine.picture import Floats, Picture
from core.network.layout import Axis

NAME_PX = 14
"""Type size of the name of an axis."""
ARROW_PX, HEAD_PX = 30, 6
"""Length of the arrow of an axis, and of its head."""
OFF_PX = 5
"""Distance of coordinates and names from the lattice."""
APART_PX = 6
"""Minimum distance of two coordinates along an axis."""
STEPS_PX = 6.0
"""Steps in which names are moved away from the drawing."""
MAX_TRIES = 14


def paint_axes(picture: Picture) -> list[QRectF]:
    """Name the dimensions of a lattice along a plane or next to a solid; dimensions of nested grids have a legend.

    Returns the rectangles of names that other texts must avoid.
    """
    axes = picture.geometry.layout.axes
    if not axes or has_nested_axes(picture):
        return []
    if picture.solid:
        return _next_to_solid(picture, axes)
    if len(axes) == 2:
        for axis in axes:
            _along_plane(picture, axis)
    else:
        _at_first_link(picture, axes[0])
    return []


def _along_plane(picture: Picture, axis: Axis) -> None:
    """Write the coordinates along a dimension of a plane, and its name after the last: above it, or left of it."""
    # Kept inside the picture if the border of the lattice is not visible, unless nodes show their names.
    moved = not cells_numbered(picture)
    metrics = picture.use_font(FONT_PX)
    low, high = (picture.at(corner) for corner in picture.geometry.bounds)
    nodes = np.array(axis.nodes)
    flat, at = runs_across(picture, axis), picture.at(picture.geometry.layout.positions[nodes])
    widest = metrics.horizontalAdvance(str(axis.size - 1))
    # World y points upwards, so the upper corner has the top.
    edge = float(high[1]) - metrics.height() / 2 if flat else float(low[0]) - OFF_PX - widest / 2
    margin = metrics.height() / 2 + 2 if flat else widest / 2 + 3
    edge = max(edge, margin) if moved else edge
    end = float(high[0] if flat else low[1])
    place = (end + OFF_PX + NAME_PX, edge) if flat else (edge, end + metrics.height())
    name = _name(picture, axis.name + (" →" if flat else " ↓"), np.array(place))
    _numbers(picture, at[:, 0 if flat else 1], flat, edge, name)


def _numbers(picture: Picture, along: Floats, flat: bool, edge: float, name: QRectF) -> None:
    """Write the coordinates along a dimension as densely as they fit, including the last; none over the axis name."""
    metrics = picture.use_font(FONT_PX)
    taken, size = [*legend_areas(picture), name], picture.size[0 if flat else 1]
    room = APART_PX + (metrics.horizontalAdvance(str(len(along) - 1)) if flat else metrics.height())
    picture.painter.setPen(QColor(picture.theme.dim))
    for place in places_named(along, room):
        at, text = np.array([along[place], edge] if flat else [edge, along[place]]), str(place)
        area = rect_around(at, half_extent(metrics, text))
        if 0 < along[place] < size and not any(area.intersects(other) for other in taken):
            picture.painter.fillRect(area.adjusted(-2, 0, 2, 0), translucent(picture.theme.panel, NAME_VEIL))
            picture.centred(text, at, metrics)


def places_named(along: Floats, room: float) -> list[int]:
    """Return which coordinates to write: in steps of 1, 2, 5, 10 ..., and the last."""
    pitch = abs(float(along[-1] - along[0])) / max(len(along) - 1, 1)
    step = int(nice_step(max(room / pitch, 1.0)))
    last = len(along) - 1
    return [place for place in range(0, last, step) if (last - place) * pitch >= room] + [last]


def _name(picture: Picture, text: str, at: Floats) -> QRectF:
    """Write the name of an axis, kept inside the picture and above all legends; return its rectangle."""
    legends, metrics = legend_areas(picture), picture.use_font(NAME_PX)
    half = half_extent(metrics, text)
    at = np.clip(at, half + 2, np.array(picture.size) - half - 2)
    if any(area.intersects(rect_around(at, half)) for area in legends):
        at = np.array([at[0], min(area.top() for area in legends) - half[1] - 2])
    area = rect_around(at, half)
    picture.painter.fillRect(area, translucent(picture.theme.panel, NAME_VEIL))
    picture.painter.setPen(QColor(picture.theme.text))
    picture.centred(text, at, metrics)
    return area


def _at_first_link(picture: Picture, axis: Axis) -> None:
    """Name the only dimension next to its first link, if there is room: on a circle, inside it."""
    metrics = picture.use_font(NAME_PX)
    positions = picture.geometry.layout.positions[list(axis.nodes[:2])]
    first, second = picture.at(positions)
    step = (second - first) / max(float(np.hypot(*(second - first))), 1e-9)
    side = np.array([-step[1], step[0]]) * (1 if picture.geometry.layout.circle else -1)
    off = picture.cells[0, 2] / 2 + picture.camera.scale * 0.2 + OFF_PX + metrics.height() / 2
    _name(picture, f"{axis.name} →", first + off * side + np.array([metrics.horizontalAdvance(axis.name), 0]))


def _next_to_solid(picture: Picture, axes: tuple[Axis, ...]) -> list[QRectF]:
    """Draw an arrow with the name of each dimension next to an edge of the solid, off the drawing."""
    room = LabelSpace(picture, picture.scene.links)
    metrics, taken = picture.use_font(NAME_PX), []
    for axis in axes:
        step = step_along(picture, axis)
        places = list(_arrows(picture, step))
        areas = [_around(arrow, half_extent(metrics, axis.name)) for arrow in places]
        # The farthest place if all are taken.
        area = room.first_free(areas) or areas[-1]
        taken.append(area)
        room.take(area)
        _draw_arrow(picture, places[areas.index(area)], axis.name, metrics)
    return taken


def _arrows(picture: Picture, step: Floats) -> Iterator[Floats]:
    """Yield places for an arrow along a dimension and its name, ``(3, 2)``: tail, tip, middle of the name."""
    corners = np.array(picture.geometry.bounds).astype(float)
    axis = int(np.argmax(np.abs(step)))
    middle = picture.at(corners.mean(axis=0))
    others, edges = [k for k in range(3) if k != axis], []
    for sides in product((0, 1), repeat=2):
        ends = np.empty((2, 3))
        ends[:, axis] = corners[:: 1 if step[axis] > 0 else -1, axis]
        ends[:, others] = corners[list(sides), others]
        edges.append(picture.at(ends))
    # From the edge farthest out (ties: the lower one).
    edges.sort(key=lambda ends: -float(np.hypot(*(ends.mean(axis=0) - middle))) - 0.01 * float(ends[:, 1].mean()))
    for tries in range(MAX_TRIES):
        for ends in edges[:2]:
            yield _arrow(ends, middle, OFF_PX + tries * STEPS_PX)


def _arrow(ends: Floats, middle: Floats, off: float) -> Floats:
    direction = (ends[1] - ends[0]) / max(float(np.hypot(*(ends[1] - ends[0]))), 1e-9)
    out = np.array([-direction[1], direction[0]])
    centre = ends.mean(axis=0)
    out *= 1.0 if out @ (centre - middle) >= 0 else -1.0
    centre = centre + (off + NAME_PX / 2) * out
    return np.asarray(centre + np.outer([-ARROW_PX / 2, ARROW_PX / 2, ARROW_PX / 2 + NAME_PX], direction))


def _around(arrow: Floats, half: Floats) -> QRectF:
    points = np.concatenate([arrow[:2] - 3, arrow[:2] + 3, [arrow[2] - half, arrow[2] + half]])
    low, high = points.min(axis=0), points.max(axis=0)
    return QRectF(*low.tolist(), *(high - low).tolist())


def _draw_arrow(picture: Picture, arrow: Floats, name: str, metrics: QFontMetricsF) -> None:
    painter, theme = picture.painter, picture.theme
    tail, tip, at = arrow
    direction = (tip - tail) / ARROW_PX
    across = np.array([-direction[1], direction[0]]) * HEAD_PX / 2
    painter.setPen(QPen(QColor(theme.text), 1.2))
    painter.drawLine(QPointF(*tail.tolist()), QPointF(*tip.tolist()))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.text))
    head = (tip, tip - HEAD_PX * direction + across, tip - HEAD_PX * direction - across)
    painter.drawPolygon(polygon(head))
    painter.setPen(QColor(theme.text))
    picture.centred(name, at, metrics)
