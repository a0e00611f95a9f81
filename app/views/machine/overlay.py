"""The layer that QPainter draws above links and cells, on the canvas and in pictures: names, frames, the selection."""

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainterPath, QPen

from app.model.pointing import Item
from app.model.routes_shown import drawn_links
from app.views.drawing import translucent
from app.views.machine.axes import paint_axes
from app.views.machine.bottleneck_marks import BottleneckMarks, paint_bottlenecks
from app.views.machine.channels import paint_channels
from app.views.machine.closed_nodes import paint_closed
from app.views.machine.faults import paint_faults
from app.views.machine.flow_path import paint_flow_ends, paint_flow_links, paint_route_ends, paths_shown
from app.views.machine.frames import paint_frames, paint_hosts
from app.views.machine.jobs import paint_jobs
from app.views.machine.labels import (
    paint_arrows,
    paint_captions,
    paint_group_names,
    paint_node_names,
)
from app.views.machine.node_groups import paint_node_groups
from app.views.machine.picker import NODE_PX, Chosen, resolve
from app.views.machine.picture import Picture, fading, flat_pen, paint_cell, paint_cells
from app.wording import keys
from core.network.added_cables import bowed

HALO_PX = 2.5
"""Width of the accent on either side of a selected curve."""
LAST_CABLE_PX, OTHER_CABLE_PX = 3.0, 1.6
"""Width of the last cable to add, and of those before."""
EDGE_PX = 2.0
"""Width of the background on either side of a cable to add."""
DASH_PX = (7.0, 4.0)


def paint_overlay(
    picture: Picture, hover: Item | None = None, paint_arcs: Callable[[Picture], None] = paint_channels
) -> BottleneckMarks:
    """Draw names and frames, and highlight the selected and hovered items; return the marks of bottlenecks drawn.

    `paint_arcs` draws the channels.
    """
    painter, selection = picture.painter, picture.state.selection
    painter.save()
    chosen = [(_resolved(picture, item), item is selection) for item in (selection, hover) if item is not None]
    marks = [(what, strong) for what, strong in chosen if what is not None]
    if picture.geometry.boxed:
        paint_frames(picture)
    paint_hosts(picture)
    paint_closed(picture)
    paint_jobs(picture)
    paint_node_groups(picture)
    painter.setOpacity(fading(picture.scene, picture.state)[0])
    paint_arrows(picture, picture.scene.links)
    painter.setOpacity(1.0)
    paint_arcs(picture)
    for what, strong in marks:
        _paint_batch(picture, what, strong)
        _paint_cells(picture, what, strong)
    paths = paths_shown(picture, hover)
    links = drawn_links(picture.state) if paths is None else paths
    if links is not None:
        paint_flow_links(picture, links)
    _paint_proposed(picture)
    bottlenecks = paint_bottlenecks(picture)
    paint_faults(picture)
    if picture.geometry.boxed:
        paint_group_names(picture)
    paint_node_names(picture, [*paint_captions(picture), *paint_axes(picture)])
    for what, strong in marks:
        _paint_outlines(picture, what, strong)
    if paths is not None:
        paint_flow_ends(picture, paths)
    else:
        paint_route_ends(picture)
    painter.restore()
    return bottlenecks


def paint_lost(picture: Picture) -> None:
    """If no node is visible, write how to get back."""
    if picture.nodes_in_sight.size:
        return
    metrics = picture.use_font(12)
    picture.painter.setPen(QColor(picture.theme.dim))
    picture.centred(
        f"No nodes in view · {keys.FIT} shows the whole machine", np.array([picture.size[0] / 2, 18]), metrics
    )


def _resolved(picture: Picture, item: Item) -> Chosen | None:
    return resolve(item, picture.scene, picture.camera, picture.state.evaluation.case)


def _accent(picture: Picture, strong: bool) -> QColor:
    return translucent(picture.theme.accent, 255 if strong else 170)


def _paint_batch(picture: Picture, chosen: Chosen, strong: bool) -> None:
    batch, painter = chosen.batch, picture.painter
    paths, colours = picture.paths(batch), picture.link_colours(batch)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for k in np.argsort(np.abs(batch.heat), kind="stable").tolist():
        width = float(batch.width[k])
        if chosen.outlined:
            halo = QPen(_accent(picture, strong), width + 2 * HALO_PX)
            halo.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.strokePath(paths[k], halo)
        # Cold curves are translucent, and would show the halo through.
        painter.strokePath(paths[k], flat_pen(translucent(colours[k], 255), width))
    if batch.kind == "link":
        paint_arrows(picture, batch)


def _paint_cells(picture: Picture, chosen: Chosen, strong: bool) -> None:
    """Draw the cells of the selection, which are faded with the others, and cells that selected links now cover."""
    painter, batch = picture.painter, chosen.batch
    if batch.kind == "link" and not picture.solid:
        network = picture.geometry.network
        ends = np.unique(np.concatenate([network.src[batch.index], network.dst[batch.index]]))
        for end in ends.tolist():
            paint_cell(picture, end, picture.cells[end].tolist(), QColor(picture.theme.panel))
        painter.setOpacity(fading(picture.scene, picture.state)[1])
        paint_cells(picture, ends)
        painter.setOpacity(1.0)
    if strong or chosen.nodes.size:
        groups = [picture.geometry.members(int(g)) for g in chosen.groups] if strong else []
        paint_cells(picture, np.unique(np.concatenate([chosen.nodes, *groups])).astype(np.intp))


def _paint_outlines(picture: Picture, chosen: Chosen, strong: bool) -> None:
    painter = picture.painter
    painter.setPen(QPen(_accent(picture, strong), 2.0 if strong else 1.5))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    cells = picture.cells[chosen.nodes]
    boxes = np.zeros((0, 4))
    if picture.geometry.boxed:
        # A node in a closed box is small: its box is highlighted too.
        closed = np.setdiff1d(picture.geometry.network.group_of[chosen.nodes], [*picture.scene.open, -1])
        boxes = picture.boxes[np.union1d(chosen.groups, closed).astype(np.intp)]
    round_ = [False] * len(boxes) + (chosen.nodes >= picture.geometry.network.nodes).tolist()
    for rect, switch in zip((*boxes.tolist(), *cells.tolist()), round_, strict=True):
        margin = 2.0 if rect[2] >= NODE_PX else 1.0
        area = QRectF(*rect).adjusted(-margin, -margin, margin, margin)
        radius = min(area.width(), area.height()) / 2 if switch else 2.5
        painter.drawRoundedRect(area, radius, radius)


def _paint_proposed(picture: Picture) -> None:
    # Cables of the chosen row in the What if tab, and of the rows before, dashed where their links will be.
    cables = picture.state.what_if.proposed_in(picture.state.evaluation.report)
    if not cables:
        return
    network, positions = picture.geometry.network, picture.geometry.layout.positions
    ends = np.array([cable.ends(network) for cable in cables], np.intp)
    points = picture.at(bowed(positions[ends[:, 0]], positions[ends[:, 1]])).reshape(-1, 6)
    painter = picture.painter
    painter.save()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for number, (x, y, *bend) in enumerate(points.tolist(), 1):
        path, width = QPainterPath(QPointF(x, y)), LAST_CABLE_PX if number == len(cables) else OTHER_CABLE_PX
        path.quadTo(*bend)
        painter.strokePath(path, QPen(QColor(picture.theme.panel), width + 2 * EDGE_PX))
        pen = QPen(QColor(picture.theme.accent), width, Qt.PenStyle.CustomDashLine, Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([px / width for px in DASH_PX])
        painter.strokePath(path, pen)
    if not picture.solid:
        paint_cells(picture, np.unique(ends))
    painter.restore()
