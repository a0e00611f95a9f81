"""The throughput after each step as a step function, drawn in time proportional to the pixels, not the steps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPolygonF

from app.model.performance import Performance
from app.style.theme import Theme
from app.views.charts.axes import EDGE, Axes, ChartAxis, ChartPainter, plot_area
from app.views.drawing import SMALL, blend, nice_step, polygon, scaled_font, unit_forms
from core.job.measure import UNITS, strictest

MAX_PX = 44
"""Largest distance of two steps."""
DOTS_PX = 7
"""Least distance of two steps that have dots."""
DENSE_PX = 1.5
"""Below this distance of two steps, those on one pixel are drawn as one line."""
INSET_PX = 10
"""Distance of the first and the last step from the ends of the axis."""
PAD = 0.08
"""Padding above and below, as part of the range."""
EQUAL_RANGE = 1e-9
"""Relative range below which all throughputs count as equal."""

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Course:
    """The throughput along the history."""

    gbs: Values
    """(steps + 1,) GB/s per node at the beginning and after each step; NaN where nothing is loaded."""
    done: int
    """Index of the one on screen."""
    first: int = 0
    """Number of the first state kept: steps dropped before it."""
    pending: float | None = None
    """Throughput of the gesture under way, GB/s."""
    unit: str = UNITS.rate
    """The unit of the throughputs (`Measure.rate`)."""
    cut: Values | None = None
    """(steps + 1,) volume of disconnected flows; None: none is."""

    @classmethod
    def of(cls, states: Sequence[Performance], done: int, first: int) -> "Course":
        """Return the course over the performances at the beginning and after each step."""
        gbs = np.array([reached.gbs for reached in states], np.float64)
        cut = np.array([reached.cut for reached in states], np.float64)
        return cls(gbs, done, first, unit=strictest(reached.measure for reached in states).rate, cut=cut)

    @property
    def steps(self) -> int:
        """Return the number of steps."""
        return self.gbs.size - 1

    @property
    def best(self) -> int | None:
        """Return the first state with the highest throughput; None: none is loaded, or all are equal.

        States in which more flows are disconnected than in others do not count.
        """
        # The throughput of what still flows is no gain.
        gbs = self.gbs if self.cut is None else np.where(self.cut > self.cut.min(), np.nan, self.gbs)
        known = gbs[np.isfinite(gbs)]
        if known.size < 2 or np.ptp(known) <= EQUAL_RANGE * known.max():
            return None
        return int(np.nanargmax(gbs))


def course_axes(course: Course, size: QSizeF, font: QFont) -> Axes:
    """Return axes that hold a course in a picture of some size: steps across, throughputs upwards."""
    values = course.gbs if course.pending is None else np.append(course.gbs, course.pending)
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    pad = PAD * (high - low) if high - low > EQUAL_RANGE * high else 0.05 * (high or 1.0)
    plot = plot_area(
        size, font, QFontMetricsF(font).height() + 10, QFontMetricsF(scaled_font(font, SMALL)).height() + 10
    )
    last = max(course.steps, course.done + (course.pending is not None), 1)
    spacing = min(max(plot.width() - 2 * INSET_PX, 1.0) / last, MAX_PX)
    across = ChartAxis(-INSET_PX / spacing, (plot.width() - INSET_PX) / spacing)
    return Axes(plot, across, ChartAxis.padded(low, high, pad))


def step_at(course: Course, axes: Axes, where: QPointF) -> int | None:
    """Return the state nearest along the axis to a point of the plot; None outside it."""
    if not axes.plot.adjusted(-INSET_PX, -INSET_PX, INSET_PX, 2 * INSET_PX).contains(where):
        return None
    step = round((where.x() - axes.x(0)) / axes.unit_px)
    return min(max(step, 0), course.steps) if step <= course.steps + 1 else None


def step_lines(values: Values, axes: Axes, first: int) -> list[QLineF]:
    """Return the step function of values from step `first` on, with gaps where a value is missing."""
    if values.size < 2:
        return []
    return _reduced(values, axes, first) if axes.unit_px < DENSE_PX else _stairs(values, axes, first)


def _stairs(values: Values, axes: Axes, first: int) -> list[QLineF]:
    lines = []
    for k in range(values.size - 1):
        now, then = float(values[k]), float(values[k + 1])
        if np.isfinite(now) and np.isfinite(then):
            corner = axes.at(first + k + 1, now)
            lines += [QLineF(axes.at(first + k, now), corner), QLineF(corner, axes.at(first + k + 1, then))]
    return lines


def _reduced(values: Values, axes: Axes, first: int) -> list[QLineF]:
    # For each pixel a line from lowest to highest value, including the last value before it, so that lines join.
    pixel = np.floor(axes.x(first) + np.arange(values.size) * axes.unit_px + 1e-6)
    starts = np.flatnonzero(np.diff(pixel, prepend=-1.0))
    low, high = (reduce.reduceat(values, starts) for reduce in (np.fmin, np.fmax))
    before = np.append(np.nan, values[starts[1:] - 1])
    low, high = np.fmin(low, before), np.fmax(high, before)
    found = zip((pixel[starts] + 0.5).tolist(), low.tolist(), high.tolist(), strict=True)
    return [QLineF(x, axes.y(a) + 0.5, x, axes.y(b) - 0.5) for x, a, b in found if np.isfinite(a)]


class HistoryPainter(ChartPainter):
    """One drawing of a course."""

    def __init__(self, painter: QPainter, course: Course, axes: Axes, theme: Theme, font: QFont) -> None:
        super().__init__(painter, axes, theme, font)
        self._course = course

    def draw(self, pointed: int | None, name: str, figures: str) -> None:
        """Draw everything; above the plot the hovered step's name, elided if needed, and its figures."""
        self._draw_axes()
        course = self._course
        done, left = course.gbs[: course.done + 1], course.gbs[course.done :]
        self._line(left, course.done, blend(self._theme.panel, self._theme.dim, 0.55))
        self._line(done, 0, QColor(self._theme.accent))
        self._dots()
        self._pending()
        self._marks(pointed)
        self._text(name, figures)

    def _line(self, values: Values, first: int, colour: QColor) -> None:
        dense = self._axes.unit_px < DENSE_PX
        self._painter.setPen(self._pen(colour, 1.0 if dense else 1.6))
        # Axis-aligned lines are sharp without antialiasing, and faster.
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing, not dense)
        self._painter.drawLines(step_lines(values, self._axes, first))
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _draw_axes(self) -> None:
        axes, course = self._axes, self._course
        self._draw_levels(axes.up.ticks(int(self._plot.height() / (1.7 * self._metrics.height()))))
        self._draw_title(unit_forms(course.unit), EDGE, 16)
        self._draw_base(self._theme.text, 0.6)
        # Round step numbers below the axis.
        widest = self._metrics.horizontalAdvance(f"{course.first + course.steps:,}") + 14
        every = max(1, int(nice_step(widest / axes.unit_px)))
        numbers = range(-(-course.first // every) * every, course.first + course.steps + 1, every)
        self._draw_along([(float(number - course.first), f"{number:,}") for number in numbers], "step", 5.5)

    def _dots(self) -> None:
        if self._axes.unit_px < DOTS_PX:
            return
        self._painter.setPen(Qt.PenStyle.NoPen)
        undone = blend(self._theme.panel, self._theme.dim, 0.55)
        for k, value in enumerate(self._course.gbs.tolist()):
            if np.isfinite(value):
                self._painter.setBrush(QColor(self._theme.accent) if k <= self._course.done else undone)
                self._painter.drawEllipse(self._axes.at(k, value), 2.6 * self._theme.scale, 2.6 * self._theme.scale)

    def _pending(self) -> None:
        course, axes = self._course, self._axes
        if course.pending is None:
            return
        self._painter.setPen(self._pen(self._theme.accent, 1.6, Qt.PenStyle.DashLine))
        end, now = axes.at(course.done + 1, course.pending), float(course.gbs[course.done])
        if np.isfinite(now):
            self._painter.drawPolyline([axes.at(course.done, now), axes.at(course.done + 1, now), end])
        self._ring(end, QColor(self._theme.panel), QColor(self._theme.accent), 4)

    def _marks(self, pointed: int | None) -> None:
        course, theme, axes = self._course, self._theme, self._axes
        if course.best is not None:
            where = axes.at(course.best, float(course.gbs[course.best]))
            self._painter.setPen(self._pen(theme.panel, 1))
            self._painter.setBrush(QColor(theme.good))
            self._painter.drawPolygon(star(where + QPointF(0, -10 * theme.scale), 6 * theme.scale))
        now = float(course.gbs[course.done])
        if np.isfinite(now):
            self._ring(axes.at(course.done, now), QColor(theme.accent), QColor(theme.text), 4.5)
        if pointed is None:
            return
        x, value = axes.x(pointed), float(course.gbs[pointed])
        self._painter.setPen(self._pen(blend(theme.panel, theme.text, 0.4), 1))
        self._painter.drawLine(QLineF(x, self._plot.top(), x, self._plot.bottom()))
        if np.isfinite(value):
            self._ring(axes.at(pointed, value), QColor(theme.panel), QColor(theme.text), 4.5)

    def _ring(self, centre: QPointF, fill: QColor, rim: QColor, radius: float) -> None:
        self._painter.setPen(self._pen(rim, 1.6))
        self._painter.setBrush(fill)
        self._painter.drawEllipse(centre, radius * self._theme.scale, radius * self._theme.scale)

    def _text(self, name: str, figures: str) -> None:
        # The line of text above the plot.
        metrics, theme = QFontMetricsF(self._font), self._theme
        self._painter.setFont(self._font)
        gap = metrics.horizontalAdvance("  ") if figures else 0.0
        room, baseline = self._plot.right() - EDGE - gap - metrics.horizontalAdvance(figures), metrics.ascent() + 1
        shown = metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
        self._painter.setPen(QColor(theme.text if figures else theme.dim))
        self._painter.drawText(QPointF(EDGE, baseline), shown)
        self._painter.setPen(QColor(theme.accent))
        self._painter.drawText(QPointF(EDGE + metrics.horizontalAdvance(shown) + gap, baseline), figures)


def star(centre: QPointF, radius: float) -> QPolygonF:
    """Return a star of five points."""
    angle = np.arange(10) * np.pi / 5
    reach = np.where(np.arange(10) % 2, 0.45, 1.0) * radius
    x, y = centre.x() + reach * np.sin(angle), centre.y() - reach * np.cos(angle)
    return polygon(zip(x.tolist(), y.tolist(), strict=True))
