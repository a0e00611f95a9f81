"""Free places for names on the machine, which cover no cell, no legend and no other name."""

from collections.abc import Iterable
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFontMetricsF

from app.views.drawing import translucent
from app.views.machine.legends import legend_areas
from app.views.machine.picture import Floats, Picture
from app.views.machine.scene import CurveBatch

EDGE_PX = 2
"""Distance of names from the border of the picture."""
INSET_PX = 5
"""Distance of a name inside a box from its surroundings."""
MAX_TRIES = 8
"""Rows of cells in a box above which a free place is tried; farther down nobody would expect its name."""
MAX_CELLS = 2000
"""Maximum number of visible cells of lattices in boxes between which free places are searched."""
CLEAR_PX = 3
"""Minimum distance of names from lines."""
NAME_VEIL = 228
"""Opacity of the background of a name over links."""


def _lines(picture: Picture, curves: CurveBatch) -> Floats:
    """Return curves as two lines each, from start to middle to end, shape ``(2 n, 2, 2)``, pixels."""
    start, control, end = np.moveaxis(picture.at(curves.curves), 1, 0)
    middle = (start + 2 * control + end) / 4
    return np.stack([np.concatenate([start, middle]), np.concatenate([middle, end])], axis=1)


def crossing(lines: Floats, rect: QRectF) -> NDArray[np.bool_]:
    """Return which lines, ``(n, 2, 2)``, cross a rectangle or end in it."""
    crossed = np.zeros(len(lines), np.bool_)
    some = np.flatnonzero(_near(lines, rect))
    across = (lines[some, 1] - lines[some, 0])[:, ::-1] * (1, -1)
    corners = np.array([[x, y] for x in (rect.left(), rect.right()) for y in (rect.top(), rect.bottom())])
    # The corners are not all on one side of the line.
    side = np.einsum("nk,nck->nc", across, corners - lines[some, :1])
    crossed[some] = (side.min(axis=1) < 0) & (side.max(axis=1) > 0)
    return crossed


def _near(lines: Floats, rect: QRectF) -> NDArray[np.bool_]:
    """Return which lines' bounding boxes intersect a rectangle."""
    (x, y), (other_x, other_y) = lines[:, 0].T, lines[:, 1].T
    across = (np.minimum(x, other_x) < rect.right()) & (np.maximum(x, other_x) > rect.left())
    return np.asarray(across & (np.minimum(y, other_y) < rect.bottom()) & (np.maximum(y, other_y) > rect.top()))


class LabelSpace:
    """Tracks free space in a picture: free of cells, of curves if they count, and of texts."""

    def __init__(self, picture: Picture, curves: CurveBatch | None = None) -> None:
        self._picture = picture
        self._lines = np.zeros((0, 2, 2)) if curves is None else _lines(picture, curves)
        # Lattices fill their boxes, with room only between large cells.
        filled = picture.geometry.in_rows and picture.in_sight.size > MAX_CELLS
        covered = picture.boxes if filled else picture.cells[picture.in_sight]
        above = [*legend_areas(picture), *([] if picture.head.isEmpty() else [picture.head])]
        edges = [[rect.left(), rect.top(), rect.right(), rect.bottom()] for rect in above]
        self._taken = np.concatenate([np.column_stack([covered[:, :2], covered[:, :2] + covered[:, 2:]]), edges])

    def free(self, rect: QRectF) -> bool:
        """Return whether a rectangle is inside the picture and covers nothing."""
        return self._free(rect, self._lines)

    def _free(self, rect: QRectF, lines: Floats) -> bool:
        width, height = self._picture.size
        if rect.left() < EDGE_PX or rect.top() < EDGE_PX:
            return False
        if rect.right() > width - EDGE_PX or rect.bottom() > height - EDGE_PX:
            return False
        left, top, right, bottom = self._taken.T
        if len(lines) and crossing(lines, rect.adjusted(-CLEAR_PX, -CLEAR_PX, CLEAR_PX, CLEAR_PX)).any():
            return False
        over = (left < rect.right()) & (right > rect.left()) & (top < rect.bottom()) & (bottom > rect.top())
        return not over.any()

    def first_free(self, rects: Iterable[QRectF], *, over_links: bool = False) -> QRectF | None:
        """Return the first free rectangle, or None if all are taken; `over_links`: links may cross it."""
        lines = self._lines[:0] if over_links else self._lines
        if len(lines):
            # Only a few of many lines are near.
            rects = list(rects)
            around = reduce(QRectF.united, rects, QRectF()).adjusted(-CLEAR_PX, -CLEAR_PX, CLEAR_PX, CLEAR_PX)
            lines = lines[_near(lines, around)]
        return next((rect for rect in rects if self._free(rect, lines)), None)

    def inside(self, box: Floats, width: float, height: float) -> QRectF | None:
        """Return a free place in the visible part of a box (left, top, width, height), as high and left as possible."""
        size = self._picture.size
        left, top = max(float(box[0]), 0.0) + INSET_PX, max(float(box[1]), 0.0) + INSET_PX
        right, bottom = min(float(box[0] + box[2]), size[0]) - INSET_PX, min(float(box[1] + box[3]), size[1]) - INSET_PX
        _, _, ends, feet = self._taken.T
        columns = [left, *np.unique(ends[(ends > left) & (ends < right)] + INSET_PX).tolist()]
        rows = [top, *np.unique(feet[(feet > top) & (feet < bottom)] + INSET_PX).tolist()[:MAX_TRIES]]
        return self.first_free(
            QRectF(x, y, width, height) for y in rows for x in columns if x + width <= right and y + height <= bottom
        )

    def take(self, rect: QRectF) -> None:
        """Mark a rectangle as occupied."""
        self._taken = np.vstack([self._taken, [rect.left(), rect.top(), rect.right(), rect.bottom()]])

    def write(self, text: str, rect: QRectF, colour: str, metrics: QFontMetricsF, *, veiled: bool) -> None:
        """Write a name into a rectangle, which is then occupied, with a background if there are links below."""
        self.take(rect)
        write(self._picture, text, rect, colour, metrics, veiled=veiled)


def write(picture: Picture, text: str, rect: QRectF, colour: str, metrics: QFontMetricsF, *, veiled: bool) -> None:
    """Write a name into a rectangle, with a background if there are links below."""
    painter = picture.painter
    if veiled:
        painter.fillRect(rect.adjusted(-2, 0, 2, 0), translucent(picture.theme.panel, NAME_VEIL))
    painter.setPen(QColor(colour))
    baseline = rect.center().y() + metrics.capHeight() / 2
    painter.drawText(QPointF(rect.left(), baseline), text)
