"""Drawings in a plot of points besides the points: lines that join them, marked points, and names."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.views.charts.kit.area import Area
from app.views.charts.kit.curve import FEW, thinned
from app.views.charts.kit.drawing import Drawing
from app.views.charts.kit.look import Look
from app.views.charts.kit.symbols import RADIUS, RIM
from app.views.charts.scatter_data import Dot
from app.views.drawing import blend, polygon, scaled_font

NAME_GAP = 4
"""Pixels between a point and its name."""
ABOVE, BESIDE, BELOW = 6, 12, 2
"""Pixels that names may extend beyond the plot: at the top, at the right and at the bottom."""

Places = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """A line through points from the left to the right, as values."""

    x: Places
    y: Places
    colour: str


def lines_of(places: Places, hues: NDArray[np.intp], colours: Sequence[str]) -> list[Line]:
    """Return a line through the points of each hue that has several, if their x are distinct."""
    order = np.lexsort((places[:, 0], hues))
    ends = np.flatnonzero(np.diff(hues[order])) + 1
    lines = []
    for group in np.split(order, ends):
        x, y = places[group].T
        if x.size > 1 and (np.diff(x) > 0).all():
            lines.append(Line(x, y, colours[hues[group[0]]]))
    return lines


class Joined(Drawing):
    """Lines through points."""

    lines: Sequence[Line] = ()

    def show_lines(self, lines: Sequence[Line]) -> None:
        """Show other lines."""
        self.lines = lines
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw them inside the area."""
        painter.setClipRect(self.area.rect(), Qt.ClipOperation.IntersectClip)
        for line in self.lines:
            painter.setPen(self.look.pen(blend(self.look.theme.panel, line.colour, 0.6), 1.2))
            x, y = thinned(np.asarray(self.area.x_of(line.x)), np.asarray(self.area.y_of(line.y)))
            points = np.stack([x, y], axis=1).tolist()
            if len(points) <= FEW:
                painter.drawPolyline(polygon(points))
            else:
                painter.drawLines([QLineF(*a, *b) for a, b in pairwise(points)])


@dataclass(frozen=True)
class Marked:
    """A point to be marked."""

    x: float
    y: float
    colour: str
    letter: str = ""


class Marks(Drawing):
    """Points that are marked: larger, with a rim in the colour of texts. Only the area under them is redrawn."""

    def __init__(self, area: Area, *, z: float = 0.0) -> None:
        super().__init__(area, z=z)
        self._marked: tuple[Marked, ...] = ()

    def mark(self, marked: Iterable[Marked]) -> None:
        """Mark other points."""
        self.prepareGeometryChange()
        self._marked = tuple(marked)
        self.update()

    @property
    def _reach(self) -> float:
        return (RADIUS + 1) * self.look.theme.scale

    def _seen(self) -> Iterator[tuple[Marked, QPointF]]:
        inside = self.area.rect().adjusted(-1, -1, 1, 1)
        places = ((marked, self.area.at(marked.x, marked.y)) for marked in self._marked)
        return ((marked, at) for marked, at in places if inside.contains(at))

    def boundingRect(self) -> QRectF:
        """Return the rectangle around the marked points and their letters."""
        around = self._reach + RIM * self.look.theme.scale + (3 * self.look.metrics.height() if self._lettered else 0)
        rect = QRectF()
        for _, at in self._seen():
            rect |= QRectF(at.x() - around, at.y() - around, 2 * around, 2 * around)
        return rect

    @property
    def _lettered(self) -> bool:
        return any(marked.letter for marked in self._marked)

    def draw(self, painter: QPainter) -> None:
        """Draw them."""
        for marked, at in self._seen():
            painter.setPen(self.look.pen(self.look.theme.text, RIM))
            painter.setBrush(QColor(marked.colour))
            painter.drawEllipse(at, self._reach, self._reach)
            if marked.letter:
                painter.setFont(scaled_font(self.look.small, 1.0, bold=True))
                painter.drawText(at + QPointF(self._reach + 3, -self._reach), marked.letter)


class Names(Drawing):
    """Names next to points, overlapping no point and no other name; names without room are omitted."""

    def __init__(self, area: Area, *, z: float = 0.0) -> None:
        super().__init__(area, z=z)
        self._dots: tuple[Dot, ...] = ()
        self._first, self._lit = -1, frozenset[int]()
        self._placed: list[tuple[Dot, QRectF]] | None = None
        """Kept until the range, the size, the points or the font change."""

    def show_names(self, dots: Sequence[Dot], first: int) -> None:
        """Show the names of other points; the row `first` gets a place before all others."""
        self._dots, self._first = tuple(dots), first
        self.setVisible(bool(dots))
        self._forget()

    def light(self, rows: frozenset[int]) -> None:
        """Write the names of some rows in the colour of texts."""
        if rows != self._lit:
            self._lit = rows
            self.update()

    def placed(self) -> list[tuple[Dot, QRectF]]:
        """Return the names that have room in the range that is shown, and their places in the area."""
        if self._placed is None:
            self._placed = self._place()
        return self._placed

    def _place(self) -> list[tuple[Dot, QRectF]]:
        inside = QRectF(self.area.rect())
        at = {dot: self.area.at(dot.x, dot.y) for dot in self._dots}
        seen = {dot: place for dot, place in at.items() if inside.adjusted(-1, -1, 1, 1).contains(place)}
        return list(placed_names(seen, self._first, inside, self.look.metrics, self.look.theme.scale))

    def dress(self, look: Look) -> None:
        """Apply a theme and font."""
        super().dress(look)
        self._forget()

    def _on_area_changed(self, *_: object) -> None:
        super()._on_area_changed()
        self._forget()

    def _forget(self) -> None:
        self._placed = None
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Write them."""
        painter.setFont(self.look.small)
        for dot, where in self.placed():
            painter.setPen(self.look.colour("text" if dot.row in self._lit else "dim"))
            painter.drawText(where, Qt.AlignmentFlag.AlignCenter, dot.name)


def placed_names(
    at: dict[Dot, QPointF], first: int, plot: QRectF, metrics: QFontMetricsF, scale: float = 1.0
) -> Iterator[tuple[Dot, QRectF]]:
    """Yield the places of names next to points at the pixels `at`, the row `first` before all others."""
    radius = RADIUS * scale
    taken = [QRectF(p.x() - radius, p.y() - radius, 2 * radius, 2 * radius) for p in at.values()]
    inside = plot.adjusted(0, -ABOVE, BESIDE, BELOW)
    for dot in sorted(at, key=lambda dot: dot.row != first):
        width, height, p = metrics.horizontalAdvance(dot.name), metrics.height(), at[dot]
        gap, middle = radius + NAME_GAP, p.y() - height / 2
        corners = (
            (p.x() + gap, middle),
            (p.x() - gap - width, middle),
            (p.x() - width / 2, p.y() - gap - height + 2),
            (p.x() - width / 2, p.y() + gap - 2),
        )
        for x, y in corners:
            area = QRectF(x, y, width, height)
            if inside.contains(area) and not any(area.intersects(other) for other in taken):
                taken.append(area)
                yield dot, area
                break
