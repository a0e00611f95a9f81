"""Nodes that do not belong to the job: hollow, and struck through if they are down."""

import numpy as np
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from app.views.drawing import translucent
from app.views.machine.picture import Picture

MAX_CELLS = 20_000
"""Maximum number of cells drawn: if more are visible they are only dots."""
OUTLINE_PX = 4
"""Least width of a cell with an outline."""
GREY = 190
"""Opacity of the cover."""


def paint_closed(picture: Picture) -> None:
    """Cover the cells of nodes that do not belong to the job."""
    closed, painter, theme = picture.closed, picture.painter, picture.theme
    if closed is None:
        return
    nodes = picture.nodes_in_sight[closed[picture.nodes_in_sight]]
    if not 0 < nodes.size <= MAX_CELLS:
        return
    painter.save()
    painter.setRenderHint(painter.RenderHint.Antialiasing, False)
    cells = picture.cells[nodes]
    outlined = bool(cells[:, 2].max() >= OUTLINE_PX)
    painter.setPen(QPen(translucent(theme.dim, 150), 1) if outlined else Qt.PenStyle.NoPen)
    painter.setBrush(translucent(theme.panel, GREY))
    painter.drawRects([QRectF(*cell) for cell in cells.tolist()])
    if outlined:
        painter.setRenderHint(painter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.text), 1.2))
        struck = cells[np.isin(nodes, picture.down)].tolist()
        painter.drawLines([QLineF(x, y + height, x + width, y) for x, y, width, height in struck])
    painter.restore()
