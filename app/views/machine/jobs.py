"""The nodes of several jobs on the machine: a colour for each job, and the legend of these."""

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPen

from app.views.drawing import VEIL, fitting, translucent
from app.views.legend import FONT_PX, LEGEND_WIDTH, MARGIN_PX, above_legend
from app.views.machine.closed_nodes import MAX_CELLS, OUTLINE_PX
from app.views.machine.faults import meaning_rect
from app.views.machine.picture import Picture
from app.views.machine.shape_legend import kinds_rect

MARK_PX, GAP_PX, ROW_PX = 9, 5, 17
MAX_JOBS = 6
"""Most jobs named one by one."""
HATCHED_PX = 8
"""Least width of a cell with visible hatching."""
FILLED = 225
"""Opacity of the cover on nodes of other jobs."""


HATCHES = (
    Qt.BrushStyle.NoBrush,
    Qt.BrushStyle.BDiagPattern,
    Qt.BrushStyle.FDiagPattern,
    Qt.BrushStyle.HorPattern,
    Qt.BrushStyle.VerPattern,
    Qt.BrushStyle.DiagCrossPattern,
)
"""Hatching of the nodes of the first neighbour, of the second and so on: colours alone distinguish few jobs."""


def hatch(picture: Picture, number: int) -> QBrush:
    """Return the hatching of the nodes of a neighbour, by its number."""
    return QBrush(QColor(picture.theme.panel), HATCHES[(number - 1) % len(HATCHES)])


def job_colour(picture: Picture, number: int) -> str:
    """Return the colour of a job by its number; 0 is the one in focus."""
    return picture.theme.roles[number % len(picture.theme.roles)]


def paint_jobs(picture: Picture) -> None:
    """Cover the nodes of neighbours with their colours, and outline those of the job in focus."""
    case, painter = picture.state.evaluation.case, picture.painter
    if not case.neighbours.cases or picture.nodes_in_sight.size > MAX_CELLS:
        return
    painter.save()
    painter.setRenderHint(painter.RenderHint.Antialiasing, False)
    for number, allocation in enumerate(case.allocations):
        if allocation is None:
            continue
        colour = job_colour(picture, number)
        nodes = np.intersect1d(picture.nodes_in_sight, allocation.nodes)
        cells = picture.cells[nodes]
        if number:
            painter.setBrush(translucent(colour, FILLED))
        outlined = bool(cells.size) and bool(cells[:, 2].max() >= OUTLINE_PX)
        painter.setPen(QPen(QColor(colour), 1.4) if outlined else Qt.PenStyle.NoPen)
        rects = [QRectF(*cell) for cell in cells.tolist()]
        if number or outlined:
            painter.drawRects(rects)
        if number and outlined and cells[:, 2].max() >= HATCHED_PX:
            painter.setBrush(hatch(picture, number))
            painter.drawRects(rects)
    painter.restore()


def _names(picture: Picture) -> list[str]:
    # One a line; none if one job is alone.
    case = picture.state.evaluation.case
    if not case.neighbours.cases:
        return []
    names = list(case.scenario.job_names)
    names[0] += " (this job)"
    if len(names) > MAX_JOBS:
        names[MAX_JOBS - 1 :] = [f"and {len(names) - MAX_JOBS + 1} more"]
    metrics = picture.use_font(FONT_PX)
    return [fitting([name], LEGEND_WIDTH - 60, metrics) for name in names]


def job_names_rect(picture: Picture) -> QRectF:
    """Return where the names of jobs stand above the legend; empty if one job is alone."""
    names, metrics = _names(picture), picture.use_font(FONT_PX)
    if not names:
        return QRectF()
    width = max(metrics.horizontalAdvance(name) for name in names) + MARK_PX + 3 * GAP_PX
    return above_legend(picture.size, width, ROW_PX * len(names) + 2, meaning_rect(picture), kinds_rect(picture))


def paint_job_names(picture: Picture) -> None:
    """Write the legend of the jobs' colours above the legend."""
    names, painter, theme, area = _names(picture), picture.painter, picture.theme, job_names_rect(picture)
    if not names:
        return
    painter.save()
    metrics, left, top = picture.use_font(FONT_PX), area.left() + MARGIN_PX, area.top() + 2
    painter.fillRect(area, translucent(theme.panel, VEIL))
    for number, name in enumerate(names):
        middle = top + (number + 0.5) * ROW_PX
        painter.setBrush(QColor(job_colour(picture, number)) if number else Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(job_colour(picture, number)), 1.4))
        painter.drawRect(QRectF(left, middle - MARK_PX / 2, MARK_PX, MARK_PX))
        if number:
            painter.setBrush(hatch(picture, number))
            painter.drawRect(QRectF(left, middle - MARK_PX / 2, MARK_PX, MARK_PX))
        painter.setPen(QColor(theme.text))
        painter.drawText(QPointF(left + MARK_PX + GAP_PX, middle + metrics.capHeight() / 2), name)
    painter.restore()
