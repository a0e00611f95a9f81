"""Room for names on the machine: where they cover no cell, no legend and no other name."""

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF

from app.views.legend import legend_rect
from app.views.machine.marks import Floats, Picture

EDGE_PX = 2
"""Distance of names from the border of the picture."""
INSET_PX = 5
"""Distance of a name inside a box from what is around it."""
TRIES = 8
"""Rows of cells below which room is looked for in a box; farther down its name would not be looked for."""
VEIL = 228
"""Opacity of what lies below a name that stands on links."""


class Room:
    """What is free of a picture. What is written is taken."""

    def __init__(self, picture: Picture) -> None:
        self._picture = picture
        cells = picture.cells[picture.in_sight]
        legend = legend_rect(picture.size)
        edges = [[legend.left(), legend.top(), legend.right(), legend.bottom()]]
        self._taken = np.concatenate([np.column_stack([cells[:, :2], cells[:, :2] + cells[:, 2:]]), edges])

    def free(self, rect: QRectF) -> bool:
        """Return whether a rectangle lies in the picture and covers nothing."""
        width, height = self._picture.size
        if rect.left() < EDGE_PX or rect.top() < EDGE_PX:
            return False
        if rect.right() > width - EDGE_PX or rect.bottom() > height - EDGE_PX:
            return False
        left, top, right, bottom = self._taken.T
        over = (left < rect.right()) & (right > rect.left()) & (top < rect.bottom()) & (bottom > rect.top())
        return not over.any()

    def first_free(self, rects: Iterable[QRectF]) -> QRectF | None:
        """Return the first rectangle that is free; None: none is."""
        return next((rect for rect in rects if self.free(rect)), None)

    def inside(self, box: Floats, width: float, height: float) -> QRectF | None:
        """Return room for a name in what is seen of a box (left, top, width, height), as high and left as may be."""
        size = self._picture.size
        left, top = max(float(box[0]), 0.0) + INSET_PX, max(float(box[1]), 0.0) + INSET_PX
        right, bottom = min(float(box[0] + box[2]), size[0]) - INSET_PX, min(float(box[1] + box[3]), size[1]) - INSET_PX
        _, _, ends, feet = self._taken.T
        columns = [left, *np.unique(ends[(ends > left) & (ends < right)] + INSET_PX).tolist()]
        rows = [top, *np.unique(feet[(feet > top) & (feet < bottom)] + INSET_PX).tolist()[:TRIES]]
        return self.first_free(
            QRectF(x, y, width, height) for y in rows for x in columns if x + width <= right and y + height <= bottom
        )

    def write(self, text: str, rect: QRectF, colour: str, metrics: QFontMetricsF, *, veiled: bool) -> None:
        """Write a name into a rectangle, which is then taken; veiled where links lie below it."""
        self._taken = np.vstack([self._taken, [rect.left(), rect.top(), rect.right(), rect.bottom()]])
        write(self._picture, text, rect, colour, metrics, veiled=veiled)


def write(picture: Picture, text: str, rect: QRectF, colour: str, metrics: QFontMetricsF, *, veiled: bool) -> None:
    """Write a name into a rectangle; veiled where links lie below it."""
    painter = picture.painter
    if veiled:
        veil = QColor(picture.state.theme.panel)
        veil.setAlpha(VEIL)
        painter.fillRect(rect.adjusted(-2, 0, 2, 0), veil)
    painter.setPen(QColor(colour))
    baseline = rect.center().y() + metrics.capHeight() / 2
    painter.drawText(QPointF(rect.left(), baseline), text)
