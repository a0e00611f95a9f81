"""The paths of the selected or hovered flow on the machine: links by share, with arrows, and badges of both tasks."""

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainterPath, QPen

from app.model.pointing import Item
from app.model.routes import Drawn, LinkPaths
from app.views.drawing import polygon, translucent
from app.views.legend import FONT_PX
from app.views.machine.picture import Floats, Picture, flat_pen, paint_cells
from app.views.machine.scene import CurveBatch, link_batch, link_width
from core.load.flow_paths import FlowPaths

MAX_DRAWN = 4000
"""Maximum number of links drawn; links with the largest shares are preferred."""
MAX_BOLD, MAX_BOLD_PX = 200, 15_000.0
"""Maximum number and total length of links in the colour of their load: more would take longer than a frame."""
HALO_PX = 2.5
"""Width of the accent on either side of a link that carries the entire flow."""
LEVELS = 6
"""Number of opacities of the links of a flow, by share."""
LEAST_OPACITY = 0.25
ARROW_AT, ARROW_PX, MIN_ARROW_PX = 0.6, 5.0, 16.0
"""Position of an arrow along a link, its reach, and the minimum length of a link with an arrow."""
PAD_PX, GAP_PX = 4, 5
"""Padding of a badge, and its distance from the node."""


def paths_shown(picture: Picture, hover: Item | None) -> FlowPaths | None:
    """Return the paths to draw: of the hovered flow, or else of the selected one."""
    flow = hover if hover is not None and hover.kind == "flow" else picture.state.selection
    return picture.state.paths_of(flow)


def paint_flow_links(picture: Picture, paths: LinkPaths) -> None:
    """Draw the links of a flow, each as wide and as opaque as its share, and the nodes and switches at their ends.

    Many links are all thin, with the links of the path with the largest share on top.
    """
    links, shares = paths.links, paths.shares
    if links.size > MAX_DRAWN:
        largest = np.argsort(-shares)[:MAX_DRAWN]
        links, shares = links[largest], shares[largest]
    if not links.size:
        return
    width = max(link_width(picture.geometry, picture.camera), 1.5)
    # Also links that are filtered out have the colour of their load.
    batch = link_batch(picture.geometry, picture.scene.shading, links, width)
    batch = replace(batch, heat=picture.state.link_values[links])
    opacity = LEAST_OPACITY + (1 - LEAST_OPACITY) * np.ceil(LEVELS * shares / shares.max() - 1e-6) / LEVELS
    if links.size > MAX_BOLD or _length(picture, batch) > MAX_BOLD_PX:
        _paint_thin(picture, batch, opacity)
        best = np.isin(links, paths.best)
        batch, opacity = batch.only(best), np.ones(np.count_nonzero(best))
    _paint_bold(picture, batch, opacity)
    network = picture.geometry.network
    if not picture.solid:
        ends = network.src[batch.index], network.dst[batch.index]
        paint_cells(picture, np.union1d(*ends).astype(np.intp))
    _paint_arrows(picture, batch, opacity)


def _length(picture: Picture, batch: CurveBatch) -> float:
    """Return the length of all curves together, in pixels."""
    return float(np.linalg.norm(np.diff(picture.at(batch.curves), axis=1), axis=2).sum())


def _paint_bold(picture: Picture, batch: CurveBatch, opacity: Floats) -> None:
    painter, theme = picture.painter, picture.theme
    painter.setBrush(Qt.BrushStyle.NoBrush)
    width = float(batch.width.max(initial=0.0))
    looks = list(zip(picture.paths(batch), opacity.tolist(), picture.link_colours(batch), strict=True))
    for path, part, _ in looks:
        halo = QPen(translucent(theme.accent, round(255 * part)), width + 2 * HALO_PX * part)
        halo.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.strokePath(path, halo)
    for path, part, colour in looks:
        painter.strokePath(path, flat_pen(translucent(colour, round(255 * part)), width))


def _paint_thin(picture: Picture, batch: CurveBatch, opacity: Floats) -> None:
    # One path for each opacity: thousands of strokes would take longer than a frame.
    paths = picture.paths(batch)
    for part in np.unique(opacity).tolist():
        joined = QPainterPath()
        for k in np.flatnonzero(opacity == part).tolist():
            joined.addPath(paths[k])
        picture.painter.strokePath(joined, flat_pen(translucent(picture.theme.accent, round(255 * part)), 1.0))


def _paint_arrows(picture: Picture, batch: CurveBatch, opacity: Floats) -> None:
    start, control, end = np.moveaxis(picture.at(batch.curves), 1, 0)
    t = ARROW_AT
    tip = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t * t * end
    along = (1 - t) * (control - start) + t * (end - control)
    length = np.hypot(*(end - start).T)
    along /= np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    reach = ARROW_PX + float(batch.width.max(initial=0.0)) / 2
    corners = np.stack([tip + 1.4 * reach * along, tip + reach * across, tip - reach * across], axis=1)
    picture.painter.setPen(QPen(QColor(picture.theme.panel), 1))
    for k in np.flatnonzero(length >= MIN_ARROW_PX).tolist():
        picture.painter.setBrush(translucent(picture.theme.accent, round(255 * opacity[k])))
        picture.painter.drawPolygon(polygon(corners[k].tolist()))


def paint_flow_ends(picture: Picture, paths: FlowPaths) -> None:
    """Name the tasks at the nodes of source and destination: a filled badge sends, a hollow one receives."""
    metrics = picture.use_font(FONT_PX)
    begin, end = paths.nodes
    if begin == end:
        _paint_badge(picture, begin, f"task {paths.source:,} → {paths.destination:,}", metrics, filled=True)
        return
    _paint_badge(picture, end, f"to task {paths.destination:,}", metrics, filled=False)
    _paint_badge(picture, begin, f"from task {paths.source:,}", metrics, filled=True)


def paint_route_ends(picture: Picture) -> None:
    """Name the nodes between which a path is drawn: a filled badge at the source, a hollow one at the destination."""
    routes, network = picture.state.routes, picture.geometry.network
    metrics = picture.use_font(FONT_PX)
    for node, word, filled in zip(routes.ends[::-1], ("to", "from"), (False, True), strict=True):
        if routes.drawn is Drawn.PATH and node is not None and node < network.nodes:
            _paint_badge(picture, node, f"{word} {network.label(node)}", metrics, filled=filled)


def _paint_badge(picture: Picture, node: int, text: str, metrics: QFontMetricsF, *, filled: bool) -> None:
    painter, theme = picture.painter, picture.theme
    left, top, wide, tall = picture.cells[node].tolist()
    width, height = metrics.horizontalAdvance(text) + 2 * PAD_PX, metrics.height() + 2
    # A source has its badge above, a destination below, so that badges of neighbours do not overlap.
    y = top - GAP_PX - height if filled else top + tall + GAP_PX
    x = min(max(left + wide / 2 - width / 2, 1.0), picture.size[0] - width - 1)
    area = QRectF(x, min(max(y, 1.0), picture.size[1] - height - 1), width, height)
    painter.setPen(QPen(QColor(theme.accent), 2.0 if filled else 1.5, *(() if filled else (Qt.PenStyle.DashLine,))))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(left, top, wide, tall).adjusted(-2.5, -2.5, 2.5, 2.5), 3, 3)
    painter.setPen(QPen(QColor(theme.accent), 1.5))
    painter.setBrush(QColor(theme.accent if filled else theme.panel))
    painter.drawRoundedRect(area, 3, 3)
    painter.setPen(QColor(theme.panel if filled else theme.text))
    painter.drawText(QPointF(x + PAD_PX, area.center().y() + metrics.capHeight() / 2), text)
