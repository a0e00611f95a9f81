"""The chart of the throughput after more and more random failures: mean, and 5th to 95th percentile, of scenarios."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.style.theme import Theme
from app.views.charts.kit.area import Area, Zoom
from app.views.charts.kit.axis import Axis
from app.views.charts.kit.caption import Sample
from app.views.charts.kit.chart import Chart
from app.views.charts.kit.curve import Curve
from app.views.charts.kit.drawing import Drawing
from app.views.charts.kit.look import Look
from app.views.charts.kit.scales import Mark, round_marks
from app.views.drawing import padded, polygon
from core.figures.resilience import CurvePoint, FailureCurve

BAND = 0.3
"""Opacity of a band."""
PAD = 0.06
"""Part of the range left free above and below."""
OVERHANG_PX = 4
BAND_PX = 8
"""Thickness of a band in the legend."""
FAILURES_APART_PX = 40
"""Distance of figures below the plot at type scale 1."""
WIDEST = "1,000.0"
LONGEST_NAME = 40
"""Longest name in the legend, in characters."""
MOST = 2.0
"""Throughputs of draws that disconnect flows are drawn up to this multiple of the throughput without a failure.

They are of the other flows, and may be many times as high.
"""
CUT = "some draws disconnect flows"
Values = NDArray[np.float64]
Points = tuple[Values, Values]
"""Failures and throughputs of a line."""
Rows = NDArray[np.float64]
"""Failures, mean, low and high percentile as they are drawn, shape ``(4, points)``."""


Hue = Callable[[Look], QColor]
"""Returns the colour of a curve in a theme."""
WIDTH = 2.4
"""Width of the lines."""


def _pen(colour: Hue, style: Qt.PenStyle, look: Look) -> QPen:
    return look.pen(colour(look), WIDTH, style)


def _band_pen(colour: QColor, look: Look) -> QPen:
    pen = look.pen(_translucent(colour, BAND), BAND_PX)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def _translucent(colour: QColor, opacity: float) -> QColor:
    faint = QColor(colour)
    faint.setAlphaF(opacity)
    return faint


def _counts(low: float, high: float, limit: int) -> list[Mark]:
    marks = round_marks(low, high, limit)
    return [Mark(mark.value, f"{round(mark.value):,}") for mark in marks if mark.value == round(mark.value)]


class FailureAxis(Axis):
    """Numbers or percentages of failures, which are short, so that many have room."""

    def limit(self) -> int:
        """Return how many figures have room."""
        return max(int(self.area.rect().width() / (FAILURES_APART_PX * self.look.theme.scale)), 2)


class Band(Drawing):
    """The area between the 5th and the 95th percentile of a curve."""

    def __init__(self, area: Area, colour: Hue) -> None:
        super().__init__(area, z=0)
        self._colour = colour
        self._low: Points = np.zeros(0), np.zeros(0)
        self._high: Points = np.zeros(0), np.zeros(0)

    def show_edges(self, low: Points, high: Points) -> None:
        """Show other percentiles."""
        self._low, self._high = low, high
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Fill it."""
        x, y = (np.concatenate([there, back[::-1]]) for there, back in zip(self._low, self._high, strict=True))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_translucent(self._colour(self.look), BAND))
        painter.drawPolygon(polygon(zip(self.area.x_of(x), self.area.y_of(y), strict=True)))


class CurveLines:
    """A curve in a chart: its band, and its mean, which is dotted from where some draws disconnect flows."""

    def __init__(self, area: Area, colour: Hue) -> None:
        self.band = Band(area, colour)
        styles = Qt.PenStyle.SolidLine, Qt.PenStyle.DotLine
        self.mean, self.cut = (Curve(area, partial(_pen, colour, style), z=1) for style in styles)

    def show_rows(self, rows: Rows, connected: int, top: float) -> None:
        """Show other points, of which the first `connected` disconnect no flows, up to a throughput."""
        failures, mean, low, high = rows
        last = max(connected - 1, 0)
        self.band.show_edges(cropped(failures, low, top), cropped(failures, high, top))
        self.mean.show_points(*cropped(failures[:connected], mean[:connected], top))
        self.cut.show_points(*cropped(failures[last:], mean[last:], top))


def cropped(x: Values, y: Values, top: float) -> Points:
    """Return a line with its part above `top` moved down to it; files would show it beyond the plot."""
    before, after = y[:-1] - top, y[1:] - top
    crossing = np.flatnonzero(before * after < 0)
    where = x[crossing] + np.diff(x)[crossing] * before[crossing] / (before - after)[crossing]
    return np.insert(x, crossing + 1, where), np.minimum(np.insert(y, crossing + 1, top), top)


class CurveChart(Chart):
    """The throughput against the number of failures.

    For different machines, relative throughputs against the percentage of failed components.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        area = self.area = Area(zoom=Zoom.OFF, overhang=OVERHANG_PX)
        self.left, self.below = Axis("left", area, widest=WIDEST, grid=True), FailureAxis("bottom", area, base=0.4)
        self.plot = self.add_plot(0, area, self.left, self.below)
        self.lines = list[CurveLines]()
        self.curves: tuple[FailureCurve, ...] = ()
        self._main = 0

    def show_curves(self, curves: Sequence[FailureCurve], *, relative: bool = False, main: int = 0) -> None:
        """Show other curves, at least one; `relative` for different machines.

        The curve with the number `main` has the accent colour.
        """
        self.curves, self._main = tuple(curves), main
        for number in range(len(self.lines), len(curves)):
            self.lines.append(CurveLines(self.area, partial(self._colour, number)))
        self.dress_parts()
        drawn, connected = [rows_of(curve, relative) for curve in curves], list(map(connected_points, curves))
        across, up = _ranges(drawn, connected)
        self.area.set_home(across, up)
        empty = [(np.zeros((4, 0)), 0)] * (len(self.lines) - len(curves))
        for lines, rows in zip(self.lines, [*zip(drawn, connected, strict=True), *empty], strict=True):
            lines.show_rows(*rows, up[1])
        self.below.set_marks(None if relative else _counts)
        self.below.set_unit(f"% of {curves[0].what}" if relative else "failures")
        forms = ("Relative throughput, %", "Relative, %", "%") if relative else ("Throughput, GB/s", "GB/s")
        self.plot.title.say(forms)
        self._explain()

    def _colour(self, number: int, look: Look) -> QColor:
        place = (number - self._main) % max(len(self.curves), 1)
        return QColor((look.theme.accent, *look.theme.roles[1:])[place % len(look.theme.roles)])

    def dress(self, theme: Theme, font: QFont) -> None:
        """Take on another theme and font."""
        super().dress(theme, font)
        self._explain()

    def arrange(self) -> None:
        """Give the legend as many lines as its entries need."""
        legend = self.plot.legend
        width = self.area.rect().width()
        if legend.samples and width > 0:
            height = legend.height_for(width)
            legend.setMinimumHeight(height)
            legend.setMaximumHeight(height)
            self.ci.layout.activate()

    def _explain(self) -> None:
        look, several = self.look, len(self.curves) > 1
        names = [_brief(curve.name) for curve in self.curves] if several else ["mean"]
        colours = [self._colour(number, look) for number in range(len(names))]
        samples = [Sample(name, look.pen(colour, WIDTH), "text") for name, colour in zip(names, colours, strict=True)]
        neutral = look.colour("dim") if several else colours[0]
        samples.append(Sample("5 to 95 % of draws", _band_pen(neutral, look)))
        if any(connected_points(curve) < len(curve.points) for curve in self.curves):
            samples.append(Sample(CUT, look.pen(neutral, WIDTH, Qt.PenStyle.DotLine)))
        self.plot.legend.explain(samples)
        self.arrange()


def _brief(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def connected_points(curve: FailureCurve) -> int:
    """Return the number of points before the first at which draws disconnect flows."""
    cut = [number for number, point in enumerate(curve.points) if point.disconnecting]
    return min(cut, default=len(curve.points))


def _ranges(drawn: Sequence[Rows], connected: Sequence[int]) -> tuple[tuple[float, float], tuple[float, float]]:
    # Values at points at which draws disconnect flows extend the range only up to a multiple of the base.
    safe = max(float(rows[1:, :count].max(initial=0.0)) for rows, count in zip(drawn, connected, strict=True))
    base = max(float(rows[1, 0]) for rows in drawn)
    low, high = (end([end(rows[1:]) for rows in drawn]) for end in (np.min, np.max))
    high = min(high, max(safe, MOST * base))
    last = max(float(rows[0, -1]) for rows in drawn)
    return (0.0, last or 1.0), padded(float(low), float(high), PAD * float(high - low or high or 1.0))


def rows_of(curve: FailureCurve, relative: bool) -> Rows:
    """Return the failures and throughputs of a curve as they are drawn: in per cent if `relative`."""
    if not relative:
        points = [(point.failures, point.mean_gbs, point.low_gbs, point.high_gbs) for point in curve.points]
        return np.array(points, np.float64).T
    return np.array([(point.percent, *_percentages(point)) for point in curve.points], np.float64).T


def _percentages(point: CurvePoint) -> list[float]:
    return [100 * (value or 0.0) for value in (point.mean_relative, point.low_relative, point.high_relative)]
