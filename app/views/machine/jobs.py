"""The nodes of several jobs on the machine: a colour for each job, and the legend of the colours."""

from typing import NamedTuple

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
"""Maximum number of jobs named one by one."""
IN_FOCUS = " (in focus)"
HATCHED_PX = 8
"""Minimum width of a cell with visible hatching."""
FOCUS_PX = 2.4
"""Width of the outline of the nodes of the job in focus."""
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
"""Hatching of the nodes of background jobs, by the number of their colour: colours alone distinguish few jobs."""


def _hatch(picture: Picture, number: int) -> QBrush:
    # For nodes of the background job with this colour number.
    return QBrush(QColor(picture.theme.panel), HATCHES[(number - 1) % len(HATCHES)])


def paint_jobs(picture: Picture) -> None:
    """Cover the nodes of background jobs with their colours, and outline the nodes of the job in focus."""
    case, painter = picture.state.evaluation.case, picture.painter
    if not case.neighbours.cases or picture.nodes_in_sight.size > MAX_CELLS:
        return
    painter.save()
    painter.setRenderHint(painter.RenderHint.Antialiasing, False)
    for job, (allocation, number) in enumerate(zip(case.allocations, case.scenario.job_colours, strict=True)):
        if allocation is None:
            continue
        colour = picture.theme.job_colour(number)
        nodes = np.intersect1d(picture.nodes_in_sight, allocation.nodes)
        cells = picture.cells[nodes]
        painter.setBrush(translucent(colour, FILLED) if job else Qt.BrushStyle.NoBrush)
        outlined = bool(cells.size) and bool(cells[:, 2].max() >= OUTLINE_PX)
        painter.setPen(QPen(QColor(colour), 1.4 if job else FOCUS_PX) if outlined else Qt.PenStyle.NoPen)
        rects = [QRectF(*cell) for cell in cells.tolist()]
        if job or outlined:
            painter.drawRects(rects)
        if job and outlined and cells[:, 2].max() >= HATCHED_PX:
            painter.setBrush(_hatch(picture, number))
            painter.drawRects(rects)
    painter.restore()


class _Entry(NamedTuple):
    text: str
    number: int
    """Number of its colour; 0 for none."""
    focus: bool = False


def _entries(picture: Picture) -> list[_Entry]:
    # One per line, in the order of the jobs; none for a single job.
    scenario = picture.state.evaluation.case.scenario
    if not scenario.neighbours:
        return []
    order = list(scenario.jobs_in_order)
    more = len(order) - MAX_JOBS + 1 if len(order) > MAX_JOBS else 0
    if more:
        order = sorted([0, *[job for job in order if job][: MAX_JOBS - 2]], key=order.index)
    names, colours, metrics = scenario.job_names, scenario.job_colours, picture.use_font(FONT_PX)
    entries = []
    for job in order:
        words = IN_FOCUS if not job else ""
        room = LEGEND_WIDTH - 60 - metrics.horizontalAdvance(words)
        entries.append(_Entry(fitting([names[job]], room, metrics) + words, colours[job], focus=not job))
    return [*entries, _Entry(f"and {more} more", 0)] if more else entries


def job_names_rect(picture: Picture) -> QRectF:
    """Return the rectangle of the jobs' names above the legend; empty for a single job."""
    entries, metrics = _entries(picture), picture.use_font(FONT_PX)
    if not entries:
        return QRectF()
    width = max(metrics.horizontalAdvance(entry.text) for entry in entries) + MARK_PX + 3 * GAP_PX
    return above_legend(picture.size, width, ROW_PX * len(entries) + 2, meaning_rect(picture), kinds_rect(picture))


def paint_job_names(picture: Picture) -> None:
    """Write the legend of the jobs' colours above the legend."""
    entries, painter, theme, area = _entries(picture), picture.painter, picture.theme, job_names_rect(picture)
    if not entries:
        return
    painter.save()
    metrics, left, top = picture.use_font(FONT_PX), area.left() + MARGIN_PX, area.top() + 2
    painter.fillRect(area, translucent(theme.panel, VEIL))
    for row, entry in enumerate(entries):
        middle = top + (row + 0.5) * ROW_PX
        if entry.number:
            _paint_mark(picture, entry, QRectF(left, middle - MARK_PX / 2, MARK_PX, MARK_PX))
        painter.setPen(QColor(theme.text))
        painter.drawText(QPointF(left + MARK_PX + GAP_PX, middle + metrics.capHeight() / 2), entry.text)
    painter.restore()


def _paint_mark(picture: Picture, entry: _Entry, mark: QRectF) -> None:
    # Like the nodes of the job: outlined if it is in focus, else filled and hatched.
    painter, colour = picture.painter, QColor(picture.theme.job_colour(entry.number))
    painter.setPen(QPen(colour, FOCUS_PX if entry.focus else 1.4))
    painter.setBrush(Qt.BrushStyle.NoBrush if entry.focus else colour)
    painter.drawRect(mark)
    if not entry.focus:
        painter.setBrush(_hatch(picture, entry.number))
        painter.drawRect(mark)
