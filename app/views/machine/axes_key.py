"""The dimensions of nested grids: which run across and which down, in a line above the legend."""

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor

from app.views.drawing import VEIL, translucent
from app.views.legend import FONT_PX, MARGIN_PX, above_legend
from app.views.machine.faults import meaning_rect
from app.views.machine.jobs import job_names_rect
from app.views.machine.picture import Floats, Picture
from core.network.layout import Axis


def has_nested_axes(picture: Picture) -> bool:
    """Return whether several dimensions run along one axis of the picture."""
    return len(picture.geometry.layout.axes) > (3 if picture.solid else 2)


def key_text(picture: Picture) -> str:
    """Return the legend of the dimensions of nested grids, the coarsest first; empty without nested grids."""
    if not has_nested_axes(picture):
        return ""
    axes, geometry = list(picture.geometry.layout.axes), picture.geometry
    slices = [axes.pop(0).name] if geometry.in_rows else []
    across = [_in_rows(picture, axis) for axis in axes if runs_across(picture, axis)]
    down = [_in_rows(picture, axis) for axis in axes if not runs_across(picture, axis)]
    parts = (("boxes", slices), ("across", across), ("down", down))
    return "     ".join(f"{word}: {' › '.join(names)}" for word, names in parts if names)


def _in_rows(picture: Picture, axis: Axis) -> str:
    folded = (np.ptp(picture.geometry.layout.positions[list(axis.nodes), :2], axis=0) > 0).all()
    return f"{axis.name} (in rows)" if folded else axis.name


def runs_across(picture: Picture, axis: Axis) -> bool:
    """Return whether a dimension runs from left to right more than up or down."""
    x, y, _ = step_along(picture, axis)
    return bool(abs(x) > abs(y))


def step_along(picture: Picture, axis: Axis) -> Floats:
    """Return the step from a node to the next along a dimension, in the layout."""
    first, second = picture.geometry.layout.positions[list(axis.nodes[:2])].astype(float)
    return np.asarray(second - first)


def axes_key_rect(picture: Picture) -> QRectF:
    """Return the rectangle of the line above the legend; empty if no dimensions are nested."""
    text = key_text(picture)
    if not text:
        return QRectF()
    metrics = picture.use_font(FONT_PX)
    width, below = metrics.horizontalAdvance(text) + 2 * MARGIN_PX, (meaning_rect(picture), job_names_rect(picture))
    return above_legend(picture.size, width, metrics.height() + MARGIN_PX, *below)


def paint_axes_key(picture: Picture) -> None:
    """Write the line above the legend, if dimensions are nested."""
    painter, theme, area = picture.painter, picture.theme, axes_key_rect(picture)
    if area.isEmpty():
        return
    painter.save()
    picture.use_font(FONT_PX)
    painter.fillRect(area, translucent(theme.panel, VEIL))
    painter.setPen(QColor(theme.text))
    painter.drawText(area, Qt.AlignmentFlag.AlignCenter, key_text(picture))
    painter.restore()
