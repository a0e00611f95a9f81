"""Axes of the charts, in one place for all four: round ticks, lines across, figures, titles.

Painted here and not by pyqtgraph: importing it takes 0.34 s of the window's start, where the distribution is shown at
once, and its items reach a picture only by exporters of their own, while this draws the same on the screen and into
PNG, SVG and PDF of any size.
"""

from collections.abc import Iterable
from math import ceil, floor, log10

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter

from app.style.theme import Theme
from app.views.drawing import SMALL, blend, scaled
from app.wording.numbers import axis_text

EDGE = 12
"""Pixels between a chart and the border of its picture."""
LABEL_PX = 6
"""Pixels between the figures of an axis and the plot."""

Tick = tuple[float, str]
"""A figure and how it is written, or the pixel where that stands."""


def nice_step(span: float, parts: int) -> float:
    """Return 1, 2 or 5 times a power of ten: at most `parts` of them make out `span`."""
    raw = span / max(parts, 1)
    power = float(10 ** floor(log10(raw)))
    return next(power * k for k in (1, 2, 5, 10) if power * k >= raw * (1 - 1e-9))


def ticks(low: float, high: float, parts: int) -> list[Tick]:
    """Return the round figures from `low` to `high`, about `parts` of them."""
    step = nice_step(high - low, parts)
    decimals = max(0, -floor(log10(step)))
    return [(k * step, axis_text(k * step, decimals)) for k in range(ceil(low / step), floor(high / step) + 1)]


class AxisPainter:
    """Draws the axes of a plot with small letters."""

    def __init__(self, painter: QPainter, plot: QRectF, theme: Theme, font: QFont) -> None:
        self._painter, self._plot, self._theme = painter, plot, theme
        self._font = scaled(font, SMALL)
        self._metrics = QFontMetricsF(self._font)

    def draw_levels(self, marks: Iterable[Tick], *, labels: bool = True) -> None:
        """Draw a line across the plot at each pixel, and what is written left of it."""
        plot, line = self._plot, self._metrics.height()
        self._painter.setFont(self._font)
        for place, text in marks:
            y = round(place) + 0.5
            self._painter.setPen(blend(self._theme.panel, self._theme.border, 0.8))
            self._painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
            if labels:
                self._painter.setPen(QColor(self._theme.dim))
                where = QRectF(plot.left() - LABEL_PX - 100, y - line, 100, 2 * line)
                self._painter.drawText(where, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)

    def draw_title(self, text: str, left: float) -> None:
        """Write what is drawn upwards: along the plot's height, beginning at pixel `left`."""
        line, half = self._metrics.height(), max(self._plot.height(), 300) / 2
        self._painter.save()
        self._painter.setFont(self._font)
        self._painter.setPen(QColor(self._theme.dim))
        self._painter.translate(left + line / 2, self._plot.center().y())
        self._painter.rotate(-90)
        self._painter.drawText(QRectF(-half, -line / 2, 2 * half, line), Qt.AlignmentFlag.AlignCenter, text)
        self._painter.restore()

    def draw_base(self, colour: str, part: float) -> None:
        """Draw the line on which the plot stands, `part` of a colour; what is written next is dim."""
        y = self._plot.bottom() + 0.5
        self._painter.setPen(blend(self._theme.panel, colour, part))
        self._painter.drawLine(QLineF(self._plot.left(), y, self._plot.right(), y))
        self._painter.setPen(QColor(self._theme.dim))

    def draw_along(self, marks: Iterable[Tick], unit: str, gap: float) -> None:
        """Write figures below the plot, `gap` pixels from it: each around its pixel, the unit at the end."""
        baseline = self._plot.bottom() + gap + self._metrics.ascent()
        end = self._plot.right() - self._metrics.horizontalAdvance(unit)
        for x, text in marks:
            half = self._metrics.horizontalAdvance(text) / 2
            if x + half < end - LABEL_PX:
                self._painter.drawText(QPointF(x - half, baseline), text)
        self._painter.drawText(QPointF(end, baseline), unit)
