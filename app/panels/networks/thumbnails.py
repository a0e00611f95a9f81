"""A small picture of a network: its nodes, and as many of its links as can be distinguished at that size."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from app.style.theme import Theme
from app.views.drawing import blend
from app.views.machine.camera import Camera, fitting_camera
from app.views.paths import path_through
from core.network.layout import Layout
from core.network.network import Network

WIDTH, HEIGHT = 160, 110
"""Logical pixels of a picture."""
MARGIN = 5
MAX_LINKS = 9000
"""Maximum number of links drawn."""
MAX_INK = 24_000.0
"""Maximum number of pixels of all lines together: more would make a grey ball."""
SPARSE_INK = 3000.0
"""Pixels of lines up to which they are opaque."""
MAX_NODES = 6000
"""Maximum number of marks drawn: with more, two would fall on one pixel."""
CURVE_POINTS, BATCH = 8, 24
"""Points of each curve, and curves in each path."""
MARK_PX = (1.1, 7.0)
"""Smallest and largest size of a mark."""

Points = NDArray[np.float64]
Ids = NDArray[np.intp]


class Sketch(NamedTuple):
    """The geometry of a picture, in logical pixels."""

    nodes: Points
    """(n, 2)"""
    switches: Points
    """(n, 2)"""
    curves: Points
    """(n, 3, 2) start, control and end of a quadratic curve."""
    boxes: Points
    """(n, 4) left, top, width, height of the coarsest groups."""
    mark: float
    """Pixels across a node's mark."""


def thumbnail(network: Network, theme: Theme, ratio: float = 1.0) -> QImage:
    """Return the picture in a theme's colours on a transparent background; `ratio`: device pixels per logical one."""
    image = QImage(round(WIDTH * ratio), round(HEIGHT * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _draw(painter, sketch(network), theme)
    painter.end()
    return image


def sketch(network: Network) -> Sketch:
    """Return the geometry of a network's picture, with the nearest nodes last."""
    layout, size = network.layout, (float(WIDTH), float(HEIGHT))
    curves = _curves(network, MAX_LINKS)
    camera = _camera(layout, curves)
    drawn = camera.project(curves, size)
    ink = length_of(drawn)
    if ink > MAX_INK:
        drawn = camera.project(_curves(network, max(int(len(drawn) * MAX_INK / ink), 1)), size)
    seen = camera.project(layout.positions, size)
    marks = [_thinned(seen[: network.nodes]), _thinned(seen[network.nodes :])]
    return Sketch(
        nodes=marks[0][:, :2],
        switches=marks[1][:, :2],
        curves=drawn[:, :, :2],
        boxes=_boxes(layout, camera),
        mark=float(np.clip(layout.cell[0] * camera.scale, *MARK_PX)),
    )


def length_of(curves: Points) -> float:
    """Return the total length of the chords of curves as in `Sketch`."""
    return float(np.linalg.norm(curves[:, 2, :2] - curves[:, 0, :2], axis=1).sum())


def _curves(network: Network, limit: int) -> Points:
    chosen = sample(network, limit)
    return np.asarray(network.layout.link_curves(chosen, network.src[chosen], network.dst[chosen]), float)


def sample(network: Network, limit: int) -> Ids:
    """Return ids of at most `limit` links, one of each pair, sampled from each class; small classes are complete."""
    left, samples = limit, []
    by_count = sorted(network.classes, key=lambda link_class: link_class.count)
    for index, link_class in enumerate(by_count):
        ids = np.arange(link_class.links.start, link_class.links.stop)
        ahead = ids[network.src[ids] < network.dst[ids]]
        share = left // (len(by_count) - index)
        samples.append(_evenly(ahead if ahead.size else ids, share))
        left -= samples[-1].size
    return np.sort(np.concatenate([np.zeros(0, np.intp), *samples]))


def _evenly(ids: Ids, limit: int) -> Ids:
    if ids.size <= limit:
        return ids
    # Equal steps would pick similar links in a regular network; a golden-section walk does not.
    places = (np.arange(limit) * 0.6180339887498949 % 1 * ids.size).astype(np.intp)
    return ids[np.unique(places)]


def _camera(layout: Layout, curves: Points) -> Camera:
    # A quadratic curve reaches half as far as its control point.
    bows = (curves[:, 0] + 2 * curves[:, 1] + curves[:, 2]) / 4
    half = np.array([*layout.cell, 0.0]) / 2
    points = [layout.positions - half, layout.positions + half, bows, curves[:, 0], curves[:, 2]]
    for side in (-0.5, 0.5):
        corner = layout.boxes[:, :2] + side * layout.boxes[:, 2:]
        points.append(np.column_stack([corner, np.zeros(len(corner))]))
    low = np.min([part.min(0) for part in points if len(part)], axis=0)
    high = np.max([part.max(0) for part in points if len(part)], axis=0)
    return fitting_camera(low, high, layout.solid, (WIDTH, HEIGHT), (MARGIN,) * 4)


def _thinned(seen: Points) -> Points:
    kept = seen[np.linspace(0, len(seen) - 1, MAX_NODES).astype(np.intp)] if len(seen) > MAX_NODES else seen
    # Farthest first, so that near nodes are on top.
    return kept[np.argsort(-kept[:, 2], kind="stable")] if len(kept) else kept


def _boxes(layout: Layout, camera: Camera) -> Points:
    centre, size = layout.boxes[:, :2], layout.boxes[:, 2:]
    corners = np.stack([centre - size / 2, centre + size / 2], axis=1)
    flat = np.concatenate([corners, np.zeros((*corners.shape[:2], 1))], axis=2)
    seen = camera.project(flat, (WIDTH, HEIGHT))[..., :2]
    return np.column_stack([seen.min(axis=1), np.ptp(seen, axis=1)])


def node_colour(theme: Theme) -> QColor:
    """Return the colour of nodes' marks."""
    return blend(theme.panel, theme.text, 0.78)


def switch_colour(theme: Theme) -> QColor:
    """Return the colour of the marks of switches that are not nodes."""
    return QColor(theme.warning)


def _draw(painter: QPainter, shown: Sketch, theme: Theme) -> None:
    painter.setPen(QPen(blend(theme.panel, theme.dim, 0.55), 0.8))
    painter.setBrush(QColor(theme.field))
    for x, y, width, height in shown.boxes.tolist():
        painter.drawRect(QRectF(x, y, width, height))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(_link_pen(length_of(shown.curves), theme))
    _draw_curves(painter, shown.curves)
    painter.setPen(Qt.PenStyle.NoPen)
    side = shown.mark
    painter.setBrush(node_colour(theme))
    painter.drawRects([QRectF(x - side / 2, y - side / 2, side, side) for x, y in shown.nodes.tolist()])
    painter.setBrush(switch_colour(theme))
    side = min(side + 1, MARK_PX[1])
    for x, y in shown.switches.tolist():
        painter.drawEllipse(QPointF(x, y), side / 2, side / 2)


def _link_pen(ink: float, theme: Theme) -> QPen:
    # The more lines overlap, the fainter each must be for the shape to show.
    colour = QColor(theme.accent)
    colour.setAlphaF(min(0.95, max(0.95 * (SPARSE_INK / max(ink, 1.0)) ** 0.75, 0.2)))
    return QPen(colour, 1.1 if ink <= SPARSE_INK else 0.9)


def _draw_curves(painter: QPainter, curves: Points) -> None:
    # In batches: lines of one path do not darken each other, but a path for each would block the GUI thread.
    part = np.linspace(0, 1, CURVE_POINTS)[:, None]
    weights = np.hstack([(1 - part) ** 2, 2 * part * (1 - part), part**2])
    batches = -(-len(curves) // BATCH)
    for first in range(batches):
        batch = curves[first::batches]
        points = np.einsum("sk,nkd->nsd", weights, batch).reshape(-1, 2)
        joined = np.tile(np.arange(CURVE_POINTS) < CURVE_POINTS - 1, len(batch))
        painter.drawPath(path_through(points, joined))
