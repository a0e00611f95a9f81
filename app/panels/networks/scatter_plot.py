"""Networks as points: one figure along, another upwards, points with names. Drawn by hand, as other charts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.style.theme import DARK, Theme
from app.views.charts.axes import EDGE, AxisPainter, Tick, ticks
from app.views.drawing import SMALL, blend, draw_message, scaled
from app.wording.numbers import axis_text

DOT = 4.5
"""Pixels from the middle of a point to its rim."""
NEAR = 12
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


@dataclass(frozen=True, slots=True)
class Axis:
    """Figures from one end to the other."""

    low: float
    high: float
    log: bool

    @classmethod
    def over(cls, values: Sequence[float]) -> "Axis":
        """Return the axis that holds some figures; logarithmic where they are far apart."""
        least, most = min(values), max(values)
        log = least > 0 and most / least >= WIDE
        low, high = (log10(least), log10(most)) if log else (least, most)
        pad = PAD * (high - low) or abs(high) * 0.1 or 1.0
        low, high = low - pad, high + pad
        # What cannot be negative is not shown as if it could.
        low = max(low, 0.0) if least >= 0 and not log else low
        return cls(low, high, log)

    def place(self, value: float) -> float:
        """Return where a figure lies, 0 to 1."""
        return ((log10(value) if self.log else value) - self.low) / (self.high - self.low)

    def ticks(self, most: int) -> list[Tick]:
        """Return about so many figures to mark, and how they are written."""
        if self.log:
            return [(value, axis_text(value, max(0, -floor(log10(value))))) for value in self._powers(most)]
        return ticks(self.low, self.high, most)

    def _powers(self, most: int) -> list[float]:
        found: list[float] = []
        for parts in ((1, 2, 5), (1, 3), (1,)):
            decades = range(floor(self.low), ceil(self.high) + 1)
            found = [float(f"{part}e{k}") for k in decades for part in parts]
            found = [value for value in found if self.low <= log10(value) <= self.high]
            if len(found) <= most:
                break
        return found


@dataclass(frozen=True, slots=True)
class Field:
    """Where the points of a scatter are drawn."""

    plot: QRectF
    x: Axis
    y: Axis

    def at(self, dot: Dot) -> QPointF:
        """Return the pixel of a point."""
        area = self.plot
        return QPointF(
            area.left() + self.x.place(dot.x) * area.width(), area.bottom() - self.y.place(dot.y) * area.height()
        )


def field_for(scatter: Scatter, size: QSizeF, font: QFont) -> Field:
    """Return the field that holds all points in a picture of some size."""
    small = QFontMetricsF(scaled(font, SMALL))
    left = EDGE + small.height() + small.horizontalAdvance("100,000") + 6
    below = 2 * small.height() + 12
    plot = QRectF(left, 8, max(size.width() - left - EDGE, 20.0), max(size.height() - 8 - below, 10.0))
    return Field(plot, Axis.over([dot.x for dot in scatter.dots]), Axis.over([dot.y for dot in scatter.dots]))


def placed_names(field: Field, scatter: Scatter, metrics: QFontMetricsF) -> Iterator[tuple[Dot, QRectF]]:
    """Yield where names stand: beside their points, on no other point or name; those without room are left out."""
    at = {dot: field.at(dot) for dot in scatter.dots}
    taken = [QRectF(p.x() - DOT, p.y() - DOT, 2 * DOT, 2 * DOT) for p in at.values()]
    inside = field.plot.adjusted(0, -6, EDGE, 2)
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


class NetworkPlot(QWidget):
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
        told = ", ".join(f"{dot.name} {dot.x:g}, {dot.y:g}" for dot in scatter.dots)
        self.setAccessibleDescription(f"{scatter.y_title} over {scatter.x_title}: {told}" if told else message)
        self.update()

    @property
    def field(self) -> Field:
        """Return where the points are drawn."""
        return field_for(self.scatter, QSizeF(self.size()), self.font())

    def dot_at(self, where: QPointF) -> Dot | None:
        """Return the point that is meant by a place."""
        if not self.scatter.dots:
            return None
        field = self.field
        apart = {dot: QLineF(field.at(dot), where).length() for dot in self.scatter.dots}
        nearest = min(apart, key=lambda dot: apart[dot])
        return nearest if apart[nearest] <= NEAR else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Light the point under the pointer, and tell its figures."""
        dot = self.dot_at(event.position())
        self._hover(dot)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Choose the network of a point."""
        dot = self.dot_at(event.position())
        if dot is not None and event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(dot.row)

    def leaveEvent(self, event: QEvent) -> None:
        """Light nothing any more."""
        self._hover(None)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the points, or why there are none."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.scatter.dots:
            draw_message(painter, QRectF(self.rect()), self._message, self._theme.dim, self.font())
            return
        Drawing(painter, self.scatter, self.field, self._theme, self.font()).draw(self._hovered)

    def _hover(self, dot: Dot | None) -> None:
        row = dot.row if dot is not None else -1
        if row != self._hovered:
            self._hovered = row
            self.setCursor(Qt.CursorShape.PointingHandCursor if dot is not None else Qt.CursorShape.ArrowCursor)
            scatter = self.scatter
            told = f"{dot.name}\n{scatter.x_title}: {dot.x:,.5g}\n{scatter.y_title}: {dot.y:,.5g}" if dot else ""
            self.setToolTip(told)
            self.update()


class Drawing:
    """One drawing of a scatter."""

    def __init__(self, painter: QPainter, scatter: Scatter, field: Field, theme: Theme, font: QFont) -> None:
        self._painter, self._scatter, self._field, self._theme = painter, scatter, field, theme
        self._font, self._small = font, scaled(font, SMALL)
        self._metrics = QFontMetricsF(self._small)
        self._axes = AxisPainter(painter, field.plot, theme, font)

    def draw(self, hovered: int) -> None:
        """Draw everything."""
        self._draw_axes()
        for dot in sorted(self._scatter.dots, key=lambda one: one.row == self._scatter.chosen):
            self._dot(dot, lit=dot.row in (hovered, self._scatter.chosen))
        for dot, area in placed_names(self._field, self._scatter, self._metrics):
            lit = dot.row in (hovered, self._scatter.chosen)
            self._painter.setPen(QColor(self._theme.text if lit else self._theme.dim))
            self._painter.drawText(area, Qt.AlignmentFlag.AlignCenter, dot.name)

    def _draw_axes(self) -> None:
        field, plot, axes, line = self._field, self._field.plot, self._axes, self._metrics.height()
        levels = field.y.ticks(max(int(plot.height() / (2 * line)), 2))
        axes.draw_levels((plot.bottom() - field.y.place(value) * plot.height(), text) for value, text in levels)
        title = _titled(self._scatter.y_title, field.y)
        axes.draw_title(self._metrics.elidedText(title, Qt.TextElideMode.ElideRight, plot.height() + 16), EDGE - 4)
        axes.draw_base(self._theme.dim, 0.5)
        for value, text in field.x.ticks(max(int(plot.width() / 70), 2)):
            area = QRectF(plot.left() + field.x.place(value) * plot.width() - 60, plot.bottom() + 3.5, 120, line)
            self._painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
        below = QRectF(plot.left(), plot.bottom() + line + 6, plot.width(), line)
        self._painter.drawText(below, Qt.AlignmentFlag.AlignRight, _titled(self._scatter.x_title, field.x))

    def _dot(self, dot: Dot, *, lit: bool) -> None:
        colour = QColor(self._theme.accent) if lit else blend(self._theme.panel, self._theme.accent, 0.6)
        self._painter.setBrush(colour)
        self._painter.setPen(QPen(QColor(self._theme.text if lit else self._theme.panel), 1.4))
        self._painter.drawEllipse(self._field.at(dot), DOT + lit, DOT + lit)


def _titled(title: str, axis: Axis) -> str:
    return f"{title} (logarithmic)" if axis.log else title
