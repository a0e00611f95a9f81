"""Axes, titles and legends of charts that have their own painters; others use the kit."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPen

from app.style.theme import Theme
from app.views.drawing import SMALL, blend, fitting, nice_step, scaled_font
from app.views.view import View
from app.wording.numbers import axis_text

EDGE = 12
"""Pixels between a chart and the border of its picture."""
LABEL_PX = 6
"""Pixels between the figures of an axis and the plot."""
SAMPLE_PX = 16
"""Pixels of a line in the legend."""

Tick = tuple[float, str]
"""A value and its text."""


def ticks(low: float, high: float, parts: int) -> list[Tick]:
    """Return the round figures from `low` to `high`, about `parts` of them."""
    step = nice_step(high - low, parts)
    decimals = max(0, -floor(log10(step)))
    return [(k * step, axis_text(k * step, decimals)) for k in range(ceil(low / step), floor(high / step) + 1)]


@dataclass(frozen=True, slots=True)
class ChartAxis:
    """Values from one end of a plot to the other."""

    low: float
    high: float
    """Both ends in terms of `scale`."""
    scale: Callable[[float], float] = float
    """The transformation of values, such as the logarithm."""

    @classmethod
    def padded(cls, low: float, high: float, pad: float, scale: Callable[[float], float] = float) -> "ChartAxis":
        """Return the axis with padding at both ends, which does not extend non-negative values below 0."""
        return cls(max(low - pad, 0.0) if low >= 0 and scale is float else low - pad, high + pad, scale)

    @property
    def log(self) -> bool:
        """Return whether it is logarithmic."""
        return self.scale is log10

    def part(self, value: float) -> float:
        """Return the position of a value, 0 to 1."""
        return (self.scale(value) - self.low) / (self.high - self.low)

    def ticks(self, limit: int) -> list[Tick]:
        """Return about `limit` ticks; on a logarithmic axis round values of each decade."""
        if not self.log:
            return ticks(self.low, self.high, limit)
        values: list[float] = []
        for parts in ((1, 2, 5), (1, 3), (1,)):
            decades = range(floor(self.low), ceil(self.high) + 1)
            values = [float(f"{part}e{k}") for k in decades for part in parts]
            values = [value for value in values if self.low <= log10(value) <= self.high]
            if len(values) <= limit:
                break
        return [(value, axis_text(value, max(0, -floor(log10(value))))) for value in values]


@dataclass(frozen=True, slots=True)
class Axes:
    """A plot area with its two axes."""

    plot: QRectF
    across: ChartAxis
    up: ChartAxis

    @property
    def unit_px(self) -> float:
        """Return the pixels of a unit across, on a scale that is not logarithmic."""
        return self.plot.width() / (self.across.high - self.across.low)

    def x(self, value: float) -> float:
        """Return the pixel of a value horizontally."""
        return self.plot.left() + self.across.part(value) * self.plot.width()

    def y(self, value: float) -> float:
        """Return the pixel of a value vertically."""
        return self.plot.bottom() - self.up.part(value) * self.plot.height()

    def at(self, x: float, y: float) -> QPointF:
        """Return the point of two values."""
        return QPointF(self.x(x), self.y(y))


def plot_area(size: QSizeF, font: QFont, top: float, below: float, widest: str = "1,000.0") -> QRectF:
    """Return the plot area in a picture: right of figures up to the `widest` and of a vertical title."""
    small = QFontMetricsF(scaled_font(font, SMALL))
    left = EDGE + small.height() + small.horizontalAdvance(widest) + LABEL_PX
    return QRectF(left, top, max(size.width() - left - EDGE, 20.0), max(size.height() - top - below, 10.0))


class ChartPainter:
    """Draws the axes of a plot in small type; subclasses draw the content."""

    def __init__(self, painter: QPainter, axes: Axes, theme: Theme, font: QFont) -> None:
        self._painter, self._axes, self._theme, self._font = painter, axes, theme, font
        self._plot, self._small = axes.plot, scaled_font(font, SMALL)
        self._metrics = QFontMetricsF(self._small)

    def _pen(self, colour: QColor | str, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
        """Return a pen of a width at scale 1."""
        return QPen(QColor(colour), width * self._theme.scale, style)

    def _draw_levels(self, marks: Iterable[Tick], *, labels: bool = True) -> None:
        """Draw a line across the plot at each value, with its text at the left."""
        plot, line = self._plot, self._metrics.height()
        self._painter.setFont(self._small)
        for value, text in marks:
            y = round(self._axes.y(value)) + 0.5
            self._painter.setPen(blend(self._theme.panel, self._theme.border, 0.8))
            self._painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
            if labels:
                self._painter.setPen(QColor(self._theme.dim))
                where = QRectF(0, y - line, plot.left() - LABEL_PX, 2 * line)
                self._painter.drawText(where, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_title(self, forms: Sequence[str], left: float, room: float) -> None:
        """Write the first form that fits, else the last, vertically, from pixel `left` on."""
        line, half = self._metrics.height(), max(self._plot.height(), 300) / 2
        self._painter.save()
        self._painter.setFont(self._small)
        self._painter.setPen(QColor(self._theme.dim))
        self._painter.translate(left + line / 2, self._plot.center().y())
        self._painter.rotate(-90)
        room += self._plot.height()
        text = next((form for form in forms if self._metrics.horizontalAdvance(form) <= room), forms[-1])
        self._painter.drawText(QRectF(-half, -line / 2, 2 * half, line), Qt.AlignmentFlag.AlignCenter, text)
        self._painter.restore()

    def _draw_base(self, colour: str, part: float) -> None:
        """Draw the base line of the plot, with `part` of a colour; sets a dim pen for text."""
        y = self._plot.bottom() + 0.5
        self._painter.setPen(blend(self._theme.panel, colour, part))
        self._painter.drawLine(QLineF(self._plot.left(), y, self._plot.right(), y))
        self._painter.setPen(QColor(self._theme.dim))

    def _draw_along(self, marks: Iterable[Tick], unit: str, gap: float) -> None:
        """Write figures below the plot, `gap` pixels from it, centred at their values, and the unit at the end."""
        baseline = self._plot.bottom() + gap + self._metrics.ascent()
        end = self._plot.right() - self._metrics.horizontalAdvance(unit)
        for value, text in marks:
            x, half = self._axes.x(value), self._metrics.horizontalAdvance(text) / 2
            if not unit or x + half < end - LABEL_PX:
                self._painter.drawText(QPointF(x - half, baseline), text)
        self._painter.drawText(QPointF(end, baseline), unit)

    def _draw_legend(self, samples: Iterable[tuple[str, QPen, str]]) -> list[QPointF]:
        """Write the legend above the plot, entries (text, pen, its colour), as many as fit.

        Returns the middles of the sample lines.
        """
        middles = []
        baseline, x = self._metrics.ascent() + 2, self._plot.left()
        self._painter.setFont(self._small)
        for text, pen, colour in samples:
            wide = SAMPLE_PX + 4 + self._metrics.horizontalAdvance(text)
            if x + wide > self._plot.right() + EDGE:
                break
            middle = round(baseline - self._metrics.ascent() / 2.6) + 0.5
            self._painter.setPen(pen)
            self._painter.drawLine(QLineF(x, middle, x + SAMPLE_PX, middle))
            self._painter.setPen(QColor(colour))
            self._painter.drawText(QPointF(x + SAMPLE_PX + 4, baseline), text)
            middles.append(QPointF(x + SAMPLE_PX / 2, middle))
            x += wide + 12
        return middles


class PointedChart:
    """Mix-in of chart widgets: reads out the mark under the pointer."""

    @abstractmethod
    def mark_at(self, where: QPointF) -> Any:
        """Return the mark at a point, or None."""

    @abstractmethod
    def point_at(self, mark: Any) -> None:
        """Read out a mark, or none."""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Read out the mark under the pointer."""
        self.point_at(self.mark_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the readout."""
        self.point_at(None)


class ChartView(View):
    """A view with a chart, which in pictures has a title above."""

    @abstractmethod
    def draw(self, painter: QPainter, size: QSizeF, *, for_file: bool = False) -> None:
        """Draw the chart into a rectangle from the origin; into a file without hover marks."""

    @abstractmethod
    def subtitle(self) -> str:
        """Return the dim line beside the title."""

    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw title and chart into a rectangle."""
        self.catch_up()
        head = QFontMetricsF(self.font()).height() + 8
        painter.save()
        painter.setFont(self.font())
        painter.setPen(QColor(self.state.style.theme.dim))
        line = QRectF(area.left() + EDGE, area.top() + 6, area.width() - 2 * EDGE, head)
        heads = [f"{self.title}: {self.subtitle()}", self.title]
        painter.drawText(line, fitting(heads, line.width(), QFontMetricsF(self.font())))
        painter.translate(area.left(), area.top() + head)
        self.draw(painter, QSizeF(area.width(), area.height() - head), for_file=True)
        painter.restore()
