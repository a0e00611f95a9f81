"""The chart of a search: the best and the current figure over time, other runs, start and bound."""

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QWidget

from app.panels.optimiser.convergence_curves import Curves, Ranges, Trace, curve_legend, ranges_of
from app.style.theme import Theme
from app.views.charts.kit.area import Area, Zoom
from app.views.charts.kit.axis import Axis
from app.views.charts.kit.caption import Sample
from app.views.charts.kit.chart import Chart
from app.views.charts.kit.curve import Curve
from app.views.charts.kit.drawing import Drawing
from app.views.charts.kit.look import Look
from app.views.charts.kit.scales import Mark, round_marks
from app.views.drawing import blend, unit_forms
from app.wording.numbers import TIMES

UNIT_FROM = 3
"""A time unit is used from this multiple of it on: 180 s are 3 min."""
OVERHANG_PX = 4
"""Pixels around the plot for drawings at its border."""
DOT_PX = 3.0
TIMES_APART_PX = 45
"""Distance of times below the plot at type scale 1."""
MAX_ZOOM_Y = 100
"""Times the figures can be enlarged."""
WIDEST = "1,000.0"
"""Figures at the left have room for this, or for longer ones of the curves."""
PENS: dict[str, Callable[[Look], QPen]] = {
    "best": lambda look: look.pen(look.theme.accent, 2.4),
    "current": lambda look: look.pen(blend(look.theme.panel, look.theme.accent, 0.55), 1.0),
    "start": lambda look: look.pen(look.theme.dim, 1.2, Qt.PenStyle.DotLine),
    "limit": lambda look: look.pen(look.theme.warning, 1.4, Qt.PenStyle.DashLine),
}


def colour_of(theme: Theme, index: int) -> QColor:
    """Return the colour of one of the other runs."""
    # The first two are too similar to the accent and to the bound's colour.
    hues = theme.roles[2:]
    return QColor(hues[index % len(hues)])


def _other_pen(index: int, look: Look) -> QPen:
    return look.pen(colour_of(look.theme, index), 1.4)


def time_marks(length: float, low: float, high: float, limit: int) -> list[Mark]:
    """Return round times between two, in seconds, written in a unit of `length` seconds."""
    return [Mark(mark.value * length, mark.text) for mark in round_marks(low / length, high / length, limit)]


def long_figures(ranges: Ranges) -> list[str]:
    """Return the longest figures that are written at the left, for the entire range and at the largest zoom."""
    low, high = ranges.low, ranges.high
    finest = (high - low) / MAX_ZOOM_Y
    ends = (low, high), (low, low + finest), (high - finest, high)
    return [mark.text for end in ends for mark in round_marks(*end, 5)]


class TimeAxis(Axis):
    """Times, which are short, so that many have room."""

    def limit(self) -> int:
        """Return how many figures have room."""
        return max(int(self.area.rect().width() / (TIMES_APART_PX * self.look.theme.scale)), 2)


class Levels(Drawing):
    """Lines at the start and at the bound; of a bound too far away an arrow in its direction."""

    def __init__(self, area: Area) -> None:
        super().__init__(area, z=-1)
        self._picture, self._beyond = Curves(), False

    def show_picture(self, picture: Curves, beyond: bool) -> None:
        """Show other figures."""
        self._picture, self._beyond = picture, beyond
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw them."""
        for value, style in ((self._picture.start, "start"), (self._picture.limit, "limit")):
            if value is None:
                continue
            if style == "limit" and self._beyond:
                self._draw_arrow(painter)
                continue
            y = self.snapped(0, float(self.area.y_of(value)))[1] + 0.5
            painter.setPen(PENS[style](self.look))
            painter.drawLine(QLineF(0, y, self.area.rect().width(), y))

    def _draw_arrow(self, painter: QPainter) -> None:
        # The bound is beyond the axis: an arrow shows its direction, the legend its value.
        rising, scale = self._picture.rising, self.look.theme.scale
        x, y = self.snapped(8, 0)[0] + 0.5, 1.0 if rising else self.area.rect().height() - 1
        tip, half = (7 if rising else -7) * scale, 4 * scale
        painter.setPen(self.look.pen(self.look.theme.warning, 1.6))
        painter.drawPolyline([QPointF(x - half, y + tip), QPointF(x, y), QPointF(x + half, y + tip)])
        painter.drawLine(QLineF(x, y, x, y + 2 * tip))


class LastBest(Drawing):
    """A dot at the best figure so far: a search of a moment has no line."""

    def __init__(self, area: Area) -> None:
        super().__init__(area, z=3)
        self._place = 0.0, float("nan")

    def show_place(self, seconds: float, best: float) -> None:
        """Move it."""
        self._place = seconds, best
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw it."""
        if np.isfinite(self._place[1]):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.look.colour("accent"))
            radius = DOT_PX * self.look.theme.scale
            painter.drawEllipse(self.area.at(*self._place), radius, radius)


class RunNames(Drawing):
    """The name of each other run where its curve ends, or leaves the plot, if no name is there already."""

    def __init__(self, area: Area) -> None:
        super().__init__(area, z=3)
        self._traces: tuple[Trace, ...] = ()

    def show_traces(self, traces: tuple[Trace, ...]) -> None:
        """Show the names of other runs."""
        self._traces = traces
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Write them."""
        metrics, taken = self.look.metrics, list[float]()
        painter.setFont(self.look.small)
        for index, trace in enumerate(self._traces):
            end = self._end_of(trace)
            if end is None:
                continue
            y = end.y() - 3
            if all(abs(y - above) >= metrics.height() for above in taken):
                taken.append(y)
                right = self.area.rect().width() - metrics.horizontalAdvance(trace.name)
                painter.setPen(colour_of(self.look.theme, index))
                painter.drawText(QPointF(min(end.x() + 4, right), max(y, metrics.ascent())), trace.name)

    def _end_of(self, trace: Trace) -> QPointF | None:
        low, high = self.area.span
        reached = np.isfinite(trace.best) & (trace.seconds <= high)
        if not reached.any() or trace.seconds[-1] < low:
            return None
        place = self.area.at(min(float(trace.seconds[-1]), high), float(trace.best[reached][-1]))
        return place if 0 <= place.y() <= self.area.rect().height() else None


class SearchChart(Chart):
    """The curves of searches."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        area = self.area = Area(zoom=Zoom.WITH_CTRL, zooms_y=True, max_zoom_y=MAX_ZOOM_Y, overhang=OVERHANG_PX)
        left, below = Axis("left", area, widest=WIDEST, grid=True), TimeAxis("bottom", area, base=0.4, unit="s")
        self.plot = self.add_plot(0, area, left, below)
        self._widest = WIDEST
        self.levels, self.names, self.last_best = Levels(area), RunNames(area), LastBest(area)
        self.current = Curve(area, PENS["current"], z=1)
        self.best = Curve(area, PENS["best"], stairs=True, z=2)
        self.others: list[Curve] = []
        self.picture = Curves()

    def show_picture(self, picture: Curves) -> None:
        """Show other curves, at least one; the zoom is kept for the same run."""
        main = picture.main
        assert main is not None
        same = self.picture.main is not None and self.picture.main.name == main.name
        self.picture = picture
        self._show_ranges(ranges_of(picture), same)
        self._show_others(picture.others)
        self.current.show_points(main.seconds, main.current)
        self.best.show_points(main.seconds, main.best)
        self.last_best.show_place(float(main.seconds[-1]), float(main.best[-1]))
        self.names.show_traces(picture.others)
        self.plot.title.say(unit_forms(picture.unit))
        self._explain()

    def dress(self, theme: Theme, font: QFont) -> None:
        """Take on another theme and font."""
        super().dress(theme, font)
        self._explain()

    def _show_ranges(self, ranges: Ranges, same: bool) -> None:
        self.area.set_home((0.0, ranges.last), (ranges.low, ranges.high), keep=same)
        self.levels.show_picture(self.picture, ranges.beyond)
        widest = max([WIDEST, *long_figures(ranges)], key=self.look.metrics.horizontalAdvance)
        if widest != self._widest:
            self._widest = widest
            self.plot.left.set_widest(widest)
        length, unit = next(((n, u) for n, u in reversed(TIMES) if ranges.last >= UNIT_FROM * n), TIMES[0])
        self.plot.below.set_marks(partial(time_marks, length))
        self.plot.below.set_unit(unit)

    def _show_others(self, traces: tuple[Trace, ...]) -> None:
        while len(self.others) < len(traces):
            self.others.append(Curve(self.area, partial(_other_pen, len(self.others)), stairs=True))
            self.dress_parts()
        for index, curve in enumerate(self.others):
            shown = traces[index] if index < len(traces) else None
            curve.show_points(*((shown.seconds, shown.best) if shown is not None else (np.empty(0), np.empty(0))))

    def _explain(self) -> None:
        """Write the legend, whose pens have the colours of the theme."""
        if self.picture.main is not None:
            roles = {"best": "text"}
            samples = [
                Sample(text, PENS[style](self.look), roles.get(style, "dim"))
                for text, style in curve_legend(self.picture)
            ]
            self.plot.legend.explain(samples)
