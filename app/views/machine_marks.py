"""Links, bundles, boxes and cells drawn by QPainter as the OpenGL canvas draws them, for pictures."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from app.colour import lookup_table
from app.session import State
from app.views.machine_camera import Camera, Size
from app.views.machine_scene import Scene, Strokes

FADED = 0.25
"""Opacity of what is not chosen while something is."""


def link_table(state: State, solid: bool) -> NDArray[np.uint8]:
    """Return the colours of links, shape ``(256, 4)``: those of the scale, cold ones faint so that hot ones show.

    In a solid the lower half is so faint that it covers nothing: the hot links inside can be seen from outside.
    """
    table = lookup_table(state.scale.map, state.theme.dark).copy()
    place = np.linspace(0, 1, len(table))
    warm = np.clip((place - 0.08) / 0.84, 0, 1) if solid else np.clip(place / 0.55, 0, 1)
    least = (0.05 if solid else 0.10) if state.theme.dark else (0.12 if solid else 0.22)
    table[:, 3] = np.round(255 * (least + (1 - least) * warm * warm * (3 - 2 * warm)))
    return table


def cell_table(state: State, solid: bool) -> NDArray[np.uint8]:
    """Return the colours of cells: opaque in the plane; in a solid cold ones must not hide what lies behind."""
    return link_table(state, True) if solid else lookup_table(state.scale.map, state.theme.dark)


def paint_scene(painter: QPainter, scene: Scene, camera: Camera, size: Size, state: State) -> None:
    """Draw boxes, curves and cells, hot over cold; of a solid, near over far."""
    faded = FADED if state.selection is not None else 1.0
    if scene.plan.layout.solid:
        _paint_solid(painter, scene, camera, size, state, faded)
        return
    _paint_boxes(painter, scene, camera, size, state)
    _paint_strokes(painter, scene.bundles, camera, size, state, faded * scene.bundle_opacity)
    _paint_strokes(painter, scene.links, camera, size, state, faded)
    _paint_cells(painter, scene, camera, size, state, 0.5 + 0.5 * faded)


def stroke_paths(strokes: Strokes, camera: Camera, size: Size) -> list[QPainterPath]:
    """Return the curves as paths in pixels."""
    points = camera.project(strokes.curves, size)[..., :2]
    paths = []
    for start, control, end in points.tolist():
        path = QPainterPath(QPointF(*start))
        path.quadTo(QPointF(*control), QPointF(*end))
        paths.append(path)
    return paths


def coloured(strokes: Strokes, state: State, solid: bool = False) -> list[QColor]:
    """Return the colour of each curve."""
    return colours_of(strokes.heat, link_table(state, solid), state)


def colours_of(heat: NDArray[np.float64], table: NDArray[np.uint8], state: State) -> list[QColor]:
    """Return the colours of relative loads."""
    index = np.rint(state.scale.coordinate(heat) * 255).astype(int)
    known = {i: QColor(*table[i].tolist()) for i in np.unique(index).tolist()}
    return [known[i] for i in index.tolist()]


def _paint_strokes(
    painter: QPainter, strokes: Strokes, camera: Camera, size: Size, state: State, opacity: float
) -> None:
    painter.save()
    painter.setOpacity(opacity)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    paths, colours = stroke_paths(strokes, camera, size), coloured(strokes, state)
    for k in np.argsort(strokes.heat, kind="stable").tolist():
        painter.strokePath(paths[k], _pen(colours[k], float(strokes.width[k])))
    painter.restore()


def _pen(colour: QColor, width: float) -> QPen:
    return QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)


def _paint_boxes(painter: QPainter, scene: Scene, camera: Camera, size: Size, state: State) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(state.theme.field))
    for x, y, width, height in box_rects(scene, camera, size).tolist():
        painter.drawRoundedRect(QRectF(x, y, width, height), 3, 3)


def box_rects(scene: Scene, camera: Camera, size: Size) -> NDArray[np.float64]:
    """Return left, top, width and height of every box in pixels, shape ``(groups, 4)``."""
    boxes = scene.plan.layout.boxes
    centre = camera.project(np.column_stack([boxes[:, :2], np.zeros(len(boxes))]), size)[:, :2]
    extent = boxes[:, 2:] * camera.scale
    return np.column_stack([centre - extent / 2, extent])


def cell_rects(scene: Scene, camera: Camera, size: Size) -> NDArray[np.float64]:
    """Return left, top, width and height of every cell in pixels, shape ``(vertices, 4)``: a gap between large ones."""
    extent = np.maximum(scene.cell_sizes * camera.scale, 1.0)
    gap = np.clip((extent - 3) / 3, 0, 1)
    centre = camera.project(scene.plan.layout.positions, size)[:, :2]
    return np.column_stack([centre - (extent - gap) / 2, extent - gap])


def _paint_cells(painter: QPainter, scene: Scene, camera: Camera, size: Size, state: State, opacity: float) -> None:
    painter.save()
    painter.setOpacity(opacity)
    painter.setPen(Qt.PenStyle.NoPen)
    rects = cell_rects(scene, camera, size)
    seen = (rects[:, :2] < size).all(1) & (rects[:, :2] + rects[:, 2:] > 0).all(1)
    colours = colours_of(scene.heat.node, cell_table(state, scene.plan.layout.solid), state)
    for k in np.flatnonzero(seen).tolist():
        painter.fillRect(QRectF(*rects[k].tolist()), colours[k])
    painter.restore()


def _paint_solid(painter: QPainter, scene: Scene, camera: Camera, size: Size, state: State, opacity: float) -> None:
    painter.save()
    painter.setOpacity(opacity)
    strokes = scene.links
    paths, colours = stroke_paths(strokes, camera, size), coloured(strokes, state, solid=True)
    rects = cell_rects(scene, camera, size)
    fills = colours_of(scene.heat.node, cell_table(state, True), state)
    middles = np.concatenate([strokes.curves.mean(axis=1), scene.plan.layout.positions])
    depth = camera.project(middles, size)[:, 2]
    opaque = np.array([colour.alpha() >= 128 for colour in (*colours, *fills)])
    # First what is too faint to cover anything, then the rest, far to near: as the canvas does.
    for k in np.lexsort((-depth, opaque)).tolist():
        if k < strokes.count:
            painter.strokePath(paths[k], _pen(colours[k], float(strokes.width[k])))
        else:
            painter.fillRect(QRectF(*rects[k - strokes.count].tolist()), fills[k - strokes.count])
    painter.restore()
