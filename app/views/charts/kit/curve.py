"""Curves of any number of points, thinned to the visible resolution."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF
from PySide6.QtGui import QPainter, QPen

from app.views.charts.kit.area import Area
from app.views.charts.kit.drawing import Drawing
from app.views.charts.kit.look import Look
from app.views.drawing import polygon

Numbers = NDArray[np.floating[Any]]
FEW = 64
"""Up to this number, points are drawn as one line with joints; Qt needs seconds for thousands that go up and down.

More are drawn as single lines, which overlap at their ends, so that wide pens look wider.
"""


def thinned(x: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
    """Return the points of a curve in pixels, at most four in each column: first, lowest, highest and last.

    Lowest and highest are in the order in which first and last are, so that a curve that only rises or falls still
    does. `x` must not decrease; points that are not finite are omitted.
    """
    kept = np.isfinite(x) & np.isfinite(y)
    x, y = x[kept], y[kept]
    if x.size < 2:
        return x, y
    starts = np.flatnonzero(np.diff(np.floor(x), prepend=-np.inf))
    if x.size <= 4 * starts.size:
        return x, y
    ends = np.append(starts[1:], x.size) - 1
    low, high, falling = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts), y[ends] < y[starts]
    columns = np.stack([y[starts], np.where(falling, high, low), np.where(falling, low, high), y[ends]], axis=1)
    middle = (x[starts] + x[ends]) / 2
    places = np.stack([x[starts], middle, middle, x[ends]], axis=1)
    return places.ravel(), columns.ravel()


class Curve(Drawing):
    """A line through points from the left to the right, or stairs between them.

    Parameters
    ----------
    pen
        Returns its pen for a look; dashes are only right for few points.
    stairs
        Whether each value holds until the next one.
    """

    def __init__(
        self,
        area: Area,
        pen: Callable[[Look], QPen],
        *,
        stairs: bool = False,
        z: float = 0.0,
        cached: bool = False,
    ) -> None:
        super().__init__(area, z=z, cached=cached)
        self.pen, self._stairs = pen, stairs
        self._x: Numbers = np.empty(0)
        self._y: Numbers = np.empty(0)

    def show_points(self, x: Numbers, y: Numbers) -> None:
        """Show other points, in values; `x` must not decrease."""
        self._x, self._y = x, y
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw the part that is in the area."""
        low, high = self.area.span
        # With one point more on either side, for the lines to the border.
        first = max(int(np.searchsorted(self._x, low)) - 1, 0)
        last = int(np.searchsorted(self._x, high, side="right")) + 1
        x, y = self._x[first:last], self._y[first:last]
        if not x.size:
            return
        if self._stairs:
            x, y = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]
        x, y = thinned(np.asarray(self.area.x_of(x)), np.asarray(self.area.y_of(y)))
        points = np.stack([x, y], axis=1).tolist()
        painter.setPen(self.pen(self.look))
        steps = np.diff(y)
        if len(points) <= FEW or (steps >= 0).all() or (steps <= 0).all():
            painter.drawPolyline(polygon(points))
        else:
            painter.drawLines([QLineF(*a, *b) for a, b in pairwise(points)])
