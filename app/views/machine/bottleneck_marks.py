"""Marks of bottlenecks on the machine: one per link if there are few, else one per cluster of links."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPen

from app.style.colour import lookup_table
from app.views.drawing import ink
from app.views.legend import diamond
from app.views.machine.geometry import Ids
from app.views.machine.picture import NUMBER_PX, Floats, Picture, clear_of_names
from core.text import plural

MARK_CELL_PX = 8
"""Minimum width of a cell with a dot for a bottleneck link."""
MARK_LIMIT = 200
"""Maximum number of curves with marks; with more, marks add nothing to the colour."""
MARK_EACH = 20
"""Maximum number of curves with a mark each; above it, the curves of a cluster share a mark."""
CLUSTER_PX = 40
"""Side of the squares that then have one mark each."""
REACH_PX = 5.0
"""Maximum size of a mark."""
BADGE_PX = 20
"""Minimum width of a box with a diamond for a bottleneck inside."""


@dataclass(frozen=True, eq=False)
class BottleneckMarks:
    """The marks on curves of a picture."""

    at: Floats
    """(marks, 2) pixels."""
    reach: Floats
    """(marks,) pixels."""
    curves: Ids
    """(marks,) number of curves that each mark represents."""

    def text_at(self, point: QPointF) -> str:
        """Return how many bottlenecks the mark at a point represents; empty unless it represents several."""
        inside = np.abs(self.at - (point.x(), point.y())).sum(axis=1) <= self.reach + 1
        count = int(self.curves[inside].max(initial=0))
        return f"this mark represents {plural(count, 'bottleneck')}" if count > 1 else ""


def bottleneck_marks(picture: Picture) -> BottleneckMarks:
    """Return the visible marks on bottleneck links and bundles."""
    curves, width = picture.scene.marks()
    at = clear_of_names(picture, curves)
    seen = ((at > 0) & (at < picture.size)).all(1)
    shown = np.flatnonzero(seen) if seen.sum() <= MARK_LIMIT else np.zeros(0, np.intp)
    at, reach = at[shown], np.minimum(width[shown].astype(float) / 2 + 2.5, REACH_PX)
    if shown.size <= MARK_EACH:
        return BottleneckMarks(at, reach, np.ones(shown.size, np.intp))
    _, square, count = np.unique(at // CLUSTER_PX, axis=0, return_inverse=True, return_counts=True)
    square = square.ravel()
    middle = np.stack([np.bincount(square, axis) / count for axis in at.T], axis=1)
    # The mark nearest to the middle represents the others, so that it is on a curve.
    order = np.lexsort((((at - middle[square]) ** 2).sum(axis=1), square))
    nearest = order[np.unique(square[order], return_index=True)[1]]
    return BottleneckMarks(at[nearest], np.where(count > 1, REACH_PX, reach[nearest]), count)


def paint_bottlenecks(picture: Picture) -> BottleneckMarks:
    """Draw diamonds on bottleneck curves, and on closed boxes with bottlenecks inside; return the marks on curves."""
    painter, theme, marks = picture.painter, picture.theme, bottleneck_marks(picture)
    painter.setPen(QPen(QColor(theme.panel), 1))
    painter.setBrush(QColor(theme.text))
    for (x, y), reach in zip(marks.at.tolist(), marks.reach.tolist(), strict=True):
        diamond(painter, x, y, reach)
    if picture.geometry.boxed:
        _mark_boxes(picture)
    # In a lattice the links show enough; links of a switch are many and thin, so its cell has a mark.
    in_boxes = picture.geometry.boxed and not picture.geometry.in_rows
    _mark_cells(picture, 0 if in_boxes else picture.geometry.network.nodes)
    return marks


def _mark_boxes(picture: Picture) -> None:
    boxes = np.setdiff1d(picture.scene.shading.limiting_groups, picture.scene.open)
    if boxes.size > MARK_LIMIT or picture.boxes[0, 2] < BADGE_PX:
        return
    for left, top, width, _ in picture.boxes[boxes].tolist():
        diamond(picture.painter, left + width - 1, top + 1, 4 if width >= 30 else 3)


def _mark_cells(picture: Picture, first: int) -> None:
    shading = picture.scene.shading
    marked = shading.marked(shading.node) & (picture.cells[:, 2] >= MARK_CELL_PX)
    nodes = first + np.flatnonzero(marked[first:])
    nodes = nodes[picture.seen(picture.cells[nodes])]
    if not nodes.size:
        return
    network = picture.geometry.network
    table = lookup_table(picture.state.shading.map, picture.theme.dark)
    picture.painter.setPen(Qt.PenStyle.NoPen)
    picture.painter.setBrush(ink(QColor(*table[-1].tolist())))
    for node, (left, top, width, height) in zip(nodes.tolist(), picture.cells[nodes].tolist(), strict=True):
        reach = min(max(width * 0.12, 2.0), 3.5)
        # In a corner, above the number; round marks have no corners.
        right = left + width - reach - 1 if node < network.nodes else left + width / 2
        x, y = (right, top + reach + 1) if width >= NUMBER_PX else (left + width / 2, top + height / 2)
        diamond(picture.painter, x, y, reach)
