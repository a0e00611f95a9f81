"""The chart of the throughput after more and more random failures: mean, and 5th to 95th percentile."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QPainter, QPen
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
from app.views.drawing import blend, padded, polygon
from core.figures.resilience import CurvePoint

BAND = 0.3
"""Strength of the band's colour."""
PAD = 0.06
"""Part of the range left free above and below."""
OVERHANG_PX = 4
WIDEST = "1,000.0"


def _mean_pen(look: Look) -> QPen:
    return look.pen(look.theme.accent, 2.4)


def _band_pen(look: Look) -> QPen:
    return look.pen(blend(look.theme.panel, look.theme.accent, BAND), 8)


def _counts(low: float, high: float, limit: int) -> list[Mark]:
    return [mark for mark in round_marks(low, high, limit) if mark.value == round(mark.value)]


class Band(Drawing):
    """The area between the 5th and the 95th percentile."""

    def __init__(self, area: Area) -> None:
        super().__init__(area, z=0)
        self._points: Sequence[CurvePoint] = ()

    def show_points(self, points: Sequence[CurvePoint]) -> None:
        """Show other percentiles."""
        self._points = points
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Fill it."""
        there = [(point.failures, point.low_gbs) for point in self._points]
        back = [(point.failures, point.high_gbs) for point in reversed(self._points)]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_band_pen(self.look).color())
        painter.drawPolygon(polygon([(float(self.area.x_of(x)), float(self.area.y_of(y))) for x, y in (*there, *back)]))


class CurveChart(Chart):
    """The throughput against the number of failures."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        area = self.area = Area(zoom=Zoom.OFF, overhang=OVERHANG_PX)
        left, below = Axis("left", area, widest=WIDEST, grid=True), Axis("bottom", area, base=0.4, unit="failures")
        self.plot = self.add_plot(0, area, left, below)
        below.set_marks(_counts)
        self.band, self.mean = Band(area), Curve(area, _mean_pen, z=1)

    def show_curve(self, points: Sequence[CurvePoint]) -> None:
        """Show other points, at least one."""
        counts = np.array([point.failures for point in points], np.float64)
        mean = np.array([point.mean_gbs for point in points])
        low, high = min(point.low_gbs for point in points), max(point.high_gbs for point in points)
        self.area.set_home((0.0, max(counts[-1], 1.0)), padded(low, high, PAD * (high - low or high or 1.0)))
        self.band.show_points(points)
        self.mean.show_points(counts, mean)
        self.plot.title.say(("Throughput, GB/s", "GB/s"))
        self._explain()

    def dress(self, theme: Theme, font: QFont) -> None:
        """Take on another theme and font."""
        super().dress(theme, font)
        self._explain()

    def _explain(self) -> None:
        self.plot.legend.explain(
            [Sample("mean", _mean_pen(self.look), "text"), Sample("5 to 95 % of draws", _band_pen(self.look))]
        )
