"""Failed and slow links in a matrix: crossed and barred cells."""

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF
from PySide6.QtGui import QColor, QPainter, QPen

from app.style.theme import Theme
from app.views.drawing import at_least, draw_cross
from app.views.heatmaps.heatmap import Heatmap
from app.views.reduce import Ids
from core.network.faults import Faults
from core.text import plural

MAX_CROSSES = 1500
"""Maximum number of cells marked one by one."""
MIN_PX = 6
"""Minimum width of a mark."""


@dataclass(frozen=True, eq=False)
class FaultyCells:
    """Faulty cells, each (row, column)."""

    gone: Ids
    """(n, 2) cells whose links have all failed."""
    worn: Ids
    """(m, 2) cells some of whose links have failed or are slow."""


def faulty_cells(faults: Faults, pair: Ids, links: Ids, size: int) -> FaultyCells:
    """Return the faulty cells of a matrix with `size` rows, given the ids of links and their row * size + column."""
    speed = faults.speed[links]
    touched = np.unique(pair[speed < 1])
    working = np.unique(pair[speed > 0])
    gone = np.isin(touched, working, invert=True)
    both = (np.stack(np.divmod(cells, size), axis=1) for cells in (touched[gone], touched[~gone]))
    return FaultyCells(*both)


def draw_faulty_cells(painter: QPainter, heat: Heatmap, cells: FaultyCells, theme: Theme) -> None:
    """Draw crosses on failed cells, and bars on slow ones."""
    painter.save()
    for row, col in cells.gone[:MAX_CROSSES].tolist():
        rect = at_least(heat.cell_rect(row, col), MIN_PX)
        painter.fillRect(rect, QColor(theme.panel))
        painter.setPen(QPen(QColor(theme.text), theme.scale))
        inner = rect.adjusted(1, 1, -1.5, -1.5)
        painter.drawRect(inner)
        draw_cross(painter, inner)
    for row, col in cells.worn[:MAX_CROSSES].tolist():
        rect = at_least(heat.cell_rect(row, col), MIN_PX).adjusted(0.5, 0.5, -1, -1)
        # On any colour one of the two lines is visible.
        for colour, width in ((theme.panel, 3.0), (theme.text, 1.2)):
            painter.setPen(QPen(QColor(colour), width * theme.scale))
            painter.drawLine(QLineF(rect.bottomLeft(), rect.topRight()))
    painter.restore()


def faults_text(faults: Faults | None, links: Ids) -> str:
    """Return ``2 of 4 failed``, ``all failed``, ``1 slow``; empty if no link is faulty."""
    if faults is None:
        return ""
    failed, slow = int(faults.failed[links].sum()), int(faults.slowed[links].sum())
    parts = []
    if failed:
        parts.append("all failed" if failed == links.size else f"{failed:,} of {plural(links.size, 'link')} failed")
    if slow:
        parts.append(f"{slow:,} slow")
    return ", ".join(parts)
