"""Networks as points: one figure along, another upwards, points with names. Drawn by hand, as other charts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import log10

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.style.theme import DARK, Theme
from app.views.charts.axes import EDGE, Axes, Axis, ChartPainter, PointedChart, plot_area
from app.views.drawing import SMALL, blend, draw_message, fitting, scaled

DOT = 4.5
"""Pixels from the middle of a point to its rim."""
REACH_PX = 12
"""Pixels from which a point is meant."""
WIDE = 30.0
"""Ratio of the largest to the smallest figure from which an axis is logarithmic."""
PAD = 0.07
"""Part of the range left free at both ends."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A network of the plot."""

    name: str
    x: float
    y: float
    row: int
    """Where it stands in the table's arrays."""


@dataclass(frozen=True)
class Scatter:
    """All that is drawn."""

    dots: tuple[Dot, ...] = ()
    x_title: str = ""
    y_title: str = ""
    chosen: int = -1
    """Row of the network that is looked at."""


def axis_over(values: Sequence[float]) -> Axis:
    """Return the axis that holds some figures; logarithmic where they are far apart."""
    low, high = min(values), max(values)
    scale: Callable[[float], float] = log10 if low > 0 and high / low >= WIDE else float
    low, high = scale(low), scale(high)
    return Axis.padded(low, high, PAD * (high - low) or abs(high) * 0.1 or 1.0, scale)


def axes_for(scatter: Scatter, size: QSizeF, font: QFont) -> Axes:
    """Return axes that hold all points in a picture of some size."""
    plot = plot_area(size, font, 8, 2 * QFontMetricsF(scaled(font, SMALL)).height() + 12, "100,000")
    return Axes(plot, axis_over([dot.x for dot in scatter.dots]), axis_over([dot.y for dot in scatter.dots]))


def placed_names(axes: Axes, scatter: Scatter, metrics: QFontMetricsF) -> Iterator[tuple[Dot, QRectF]]:
    """Yield where names stand: beside their points, on no other point or name; those without room are left out."""
    at = {dot: axes.at(dot.x, dot.y) for dot in scatter.dots}
    taken = [QRectF(p.x() - DOT, p.y() - DOT, 2 * DOT, 2 * DOT) for p in at.values()]
    inside = axes.plot.adjusted(0, -6, EDGE, 2)
    # What is looked at is named first.
    for dot in sorted(scatter.dots, key=lambda one: one.row != scatter.chosen):
        width, height, p = metrics.horizontalAdvance(dot.name), metrics.height(), at[dot]
        gap, middle = DOT + 3, p.y() - height / 2
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


class NetworkPlot(PointedChart, QWidget):
    """Shows a scatter; a click on a point chooses its network."""

    picked = Signal(int)
    """Row of the point that was clicked."""

    def __init__(self) -> None:
        super().__init__()
        self.scatter = Scatter()
        self._theme, self._message, self._hovered = DARK, "", -1
        self.setMinimumSize(240, 120)
        self.setMouseTracking(True)
        self.setAccessibleName("Networks as points")

    def show_scatter(self, scatter: Scatter, theme: Theme, message: str) -> None:
        """Show other points; `message` where there are none."""
        self.scatter, self._theme, self._message = scatter, theme, message
        points = ", ".join(f"{dot.name} {dot.x:g}, {dot.y:g}" for dot in scatter.dots)
        self.setAccessibleDescription(f"{scatter.y_title} over {scatter.x_title}: {points}" if points else message)
        self.update()

    @property
    def axes(self) -> Axes:
        """Return where the points are drawn."""
        return axes_for(self.scatter, QSizeF(self.size()), self.font())

    def mark_at(self, where: QPointF) -> Dot | None:
        """Return the point that is meant by a place."""
        if not self.scatter.dots:
            return None
        axes = self.axes
        apart = {dot: QLineF(axes.at(dot.x, dot.y), where).length() for dot in self.scatter.dots}
        nearest = min(apart, key=lambda dot: apart[dot])
        return nearest if apart[nearest] <= REACH_PX else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the network of a point."""
        dot = self.mark_at(event.position())
        if dot is not None and event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(dot.row)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the points, or why there are none."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.scatter.dots:
            draw_message(painter, QRectF(self.rect()), self._message, self._theme.dim, self.font())
            return
        ScatterPainter(painter, self.scatter, self.axes, self._theme, self.font()).draw(self._hovered)

    def point_at(self, mark: Dot | None) -> None:
        """Light a point and say its figures, or none."""
        row = mark.row if mark is not None else -1
        if row != self._hovered:
            self._hovered, titles = row, self.scatter
            self.setCursor(Qt.CursorShape.PointingHandCursor if mark is not None else Qt.CursorShape.ArrowCursor)
            figures = f"{titles.x_title}: {mark.x:,.5g}\n{titles.y_title}: {mark.y:,.5g}" if mark is not None else ""
            self.setToolTip(f"{mark.name}\n{figures}" if mark is not None else "")
            self.update()


class ScatterPainter(ChartPainter):
    """One drawing of a scatter."""

    def __init__(self, painter: QPainter, scatter: Scatter, axes: Axes, theme: Theme, font: QFont) -> None:
        super().__init__(painter, axes, theme, font)
        self._scatter = scatter

    def draw(self, hovered: int) -> None:
        """Draw everything."""
        self._label_axes()
        for dot in sorted(self._scatter.dots, key=lambda one: one.row == self._scatter.chosen):
            self._dot(dot, lit=dot.row in (hovered, self._scatter.chosen))
        for dot, area in placed_names(self._axes, self._scatter, self._metrics):
            lit = dot.row in (hovered, self._scatter.chosen)
            self._painter.setPen(QColor(self._theme.text if lit else self._theme.dim))
            self._painter.drawText(area, Qt.AlignmentFlag.AlignCenter, dot.name)

    def _label_axes(self) -> None:
        plot, axes, line = self._plot, self._axes, self._metrics.height()
        self._draw_levels(axes.up.ticks(max(int(plot.height() / (2 * line)), 2)))
        title = fitting([_titled(self._scatter.y_title, axes.up)], plot.height() + 16, self._metrics)
        self._draw_title([title], EDGE - 4, 16)
        self._draw_base(self._theme.dim, 0.5)
        self._draw_along(axes.across.ticks(max(int(plot.width() / 70), 2)), "", 3.5)
        below = QRectF(plot.left(), plot.bottom() + line + 6, plot.width(), line)
        self._painter.drawText(below, Qt.AlignmentFlag.AlignRight, _titled(self._scatter.x_title, axes.across))

    def _dot(self, dot: Dot, *, lit: bool) -> None:
        colour = QColor(self._theme.accent) if lit else blend(self._theme.panel, self._theme.accent, 0.6)
        self._painter.setBrush(colour)
        self._painter.setPen(QPen(QColor(self._theme.text if lit else self._theme.panel), 1.4))
        self._painter.drawEllipse(self._axes.at(dot.x, dot.y), DOT + lit, DOT + lit)


def _titled(title: str, axis: Axis) -> str:
    return f"{title} (logarithmic)" if axis.log else title
