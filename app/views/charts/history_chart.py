"""The chart of the history: the throughput after each step as stairs, drawn per pixel if there are many steps."""

from abc import abstractmethod
from functools import partial
from math import ceil, floor

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPolygonF
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from app.views.charts.history_curve import INSET_PX, Course, Values, step_range, throughput_range
from app.views.charts.kit.area import Area, Zoom
from app.views.charts.kit.axis import Axis
from app.views.charts.kit.caption import Caption, Part
from app.views.charts.kit.chart import Chart
from app.views.charts.kit.drawing import Drawing
from app.views.charts.kit.scales import Mark
from app.views.drawing import blend, fitting, nice_step, polygon, unit_forms
from app.widgets.painting import reported_once

DOTS_PX = 7
"""Least distance of two steps that have dots."""
DENSE_PX = 1.5
"""Below this distance of two steps, those on one pixel are drawn as one line."""
OVERHANG_PX = 18
"""Pixels above the plot that the star of the best may take."""
BELOW_READOUT_PX = 8
APART_PX = 14
"""Least distance of two numbers of steps."""
LINES_APART = 1.7
"""Least distance of two throughputs, in lines of text."""
NOTHING = Course(np.full(1, np.nan), 0)


def unit_px(area: Area) -> float:
    """Return the pixels between two steps."""
    low, high = area.span
    return float(area.rect().width()) / (high - low)


def step_lines(values: Values, area: Area, first: int) -> list[QLineF]:
    """Return stairs of values from step number `first` on, with gaps where a value is missing."""
    if values.size < 2:
        return []
    return _reduced(values, area, first) if unit_px(area) < DENSE_PX else _stairs(values, area, first)


def _stairs(values: Values, area: Area, first: int) -> list[QLineF]:
    lines, x = [], area.x_of(first + np.arange(values.size)).tolist()
    y, is_finite = area.y_of(values).tolist(), np.isfinite(values)
    for k in np.flatnonzero(is_finite[1:] & is_finite[:-1]).tolist():
        lines += [QLineF(x[k], y[k], x[k + 1], y[k]), QLineF(x[k + 1], y[k], x[k + 1], y[k + 1])]
    return lines


def _reduced(values: Values, area: Area, first: int) -> list[QLineF]:
    # For each pixel a line from lowest to highest value, including the last value before it, so that lines join.
    pixel = np.floor(area.x_of(first + np.arange(values.size)) + 1e-6)
    starts = np.flatnonzero(np.diff(pixel, prepend=-np.inf))
    low, high = (reduce.reduceat(values, starts) for reduce in (np.fmin, np.fmax))
    before = np.append(np.nan, values[starts[1:] - 1])
    low, high = area.y_of(np.fmin(low, before)), area.y_of(np.fmax(high, before))
    columns = zip((pixel[starts] + 0.5).tolist(), low.tolist(), high.tolist(), strict=True)
    return [QLineF(x, a + 0.5, x, b - 0.5) for x, a, b in columns if np.isfinite(a)]


def step_marks(course: Course, low: float, high: float, limit: int) -> list[Mark]:
    """Return round numbers of the steps between two places of the axis, about `limit` of them."""
    every = max(1, int(nice_step(high - low, limit)))
    first, last = max(ceil(low - 1e-9), course.first), min(floor(high + 1e-9), course.last)
    return [Mark(number, f"{number:,}") for number in range(-(-first // every) * every, last + 1, every)]


class ThroughputAxis(Axis):
    """Throughputs, also of small differences in a low panel."""

    def limit(self) -> int:
        """Return how many figures have room."""
        return max(int(self.area.rect().height() / (LINES_APART * self.look.metrics.height())), 2)


class StepAxis(Axis):
    """Numbers of steps, which are short, so that many have room."""

    def limit(self) -> int:
        """Return how many figures have room."""
        widest = self.look.metrics.horizontalAdvance(f"{max(floor(self.area.span[1]), 0):,}")
        return max(int(self.area.rect().width() / (widest + APART_PX)), 2)


class StepDrawing(Drawing):
    """A drawing of a course; left and right of the plot, where a zoomed one continues, nothing is drawn."""

    def __init__(self, area: Area, *, z: float = 0.0, cached: bool = False) -> None:
        super().__init__(area, z=z, cached=cached)
        self.course = NOTHING

    def show_course(self, course: Course) -> None:
        """Show another course."""
        self.course = course
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw it within the width of the plot."""
        drawn = self.area.drawn
        inside = QRectF(0, drawn.top(), self.area.rect().width(), drawn.height())
        painter.setClipRect(inside, Qt.ClipOperation.IntersectClip)
        self.draw_course(painter)

    @abstractmethod
    def draw_course(self, painter: QPainter) -> None:
        """Draw the content."""

    def place_of(self, state: int, gbs: float | None = None) -> QPointF:
        """Return the point of a state, with its own throughput or another."""
        return self.area.at(self.course.first + state, float(self.course.gbs[state]) if gbs is None else gbs)

    def visible(self, begin: int, end: int) -> range:
        """Return the states from `begin` to `end` that are in the visible range, plus one on each side."""
        low, high = self.area.span
        first = self.course.first
        return range(max(begin, floor(low) - first), min(end, ceil(high) - first + 1))


class StepLine(StepDrawing):
    """The stairs of the steps done and undone, with a dot at each step if there is room."""

    def __init__(self, area: Area) -> None:
        super().__init__(area, cached=True)

    def draw_course(self, painter: QPainter) -> None:
        """Draw the content."""
        course, theme = self.course, self.look.theme
        undone = blend(theme.panel, theme.dim, 0.55)
        self._draw_line(painter, self.visible(course.done, course.steps + 1), undone)
        self._draw_line(painter, self.visible(0, course.done + 1), QColor(theme.accent))
        if unit_px(self.area) < DOTS_PX:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        for state in self.visible(0, course.steps + 1):
            if np.isfinite(course.gbs[state]):
                painter.setBrush(QColor(theme.accent) if state <= course.done else undone)
                painter.drawEllipse(self.place_of(state), 2.6 * theme.scale, 2.6 * theme.scale)

    def _draw_line(self, painter: QPainter, states: range, colour: QColor) -> None:
        dense = unit_px(self.area) < DENSE_PX
        painter.save()
        if dense:
            # Axis-aligned lines on whole pixels are sharp without antialiasing, and faster.
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.translate(self.snapped(0, 0)[0], 0)
        painter.setPen(self.look.pen(colour, 1.0 if dense else 1.6))
        values = self.course.gbs[states.start : states.stop]
        painter.drawLines(step_lines(values, self.area, self.course.first + states.start))
        painter.restore()


class StepMarks(StepDrawing):
    """The gesture under way, the star of the best, the ring of the state on screen, and the state pointed at."""

    def __init__(self, area: Area) -> None:
        super().__init__(area, z=1)
        self._pointed: int | None = None

    def point_at(self, state: int | None) -> None:
        """Mark another state, or none."""
        if state != self._pointed:
            self._pointed = state
            self.update()

    def draw_course(self, painter: QPainter) -> None:
        """Draw the content."""
        course, theme = self.course, self.look.theme
        self._draw_pending(painter)
        if course.best is not None:
            painter.setPen(self.look.pen(theme.panel, 1))
            painter.setBrush(QColor(theme.good))
            painter.drawPolygon(star(self.place_of(course.best) - QPointF(0, 10 * theme.scale), 6 * theme.scale))
        if np.isfinite(course.gbs[course.done]):
            self._draw_ring(painter, self.place_of(course.done), theme.accent, theme.text, 4.5)
        if self._pointed is not None:
            self._draw_pointed(painter, self._pointed)

    def _draw_pending(self, painter: QPainter) -> None:
        course, theme = self.course, self.look.theme
        if course.pending is None:
            return
        end = self.place_of(course.done + 1, course.pending)
        now = float(course.gbs[course.done])
        if np.isfinite(now):
            painter.setPen(self.look.pen(theme.accent, 1.6, Qt.PenStyle.DashLine))
            painter.drawPolyline([self.place_of(course.done), self.place_of(course.done + 1, now), end])
        self._draw_ring(painter, end, theme.panel, theme.accent, 4)

    def _draw_pointed(self, painter: QPainter, state: int) -> None:
        theme, value = self.look.theme, float(self.course.gbs[state])
        x = float(self.area.x_of(self.course.first + state))
        painter.setPen(self.look.pen(blend(theme.panel, theme.text, 0.4), 1))
        painter.drawLine(QLineF(x, 0, x, self.area.rect().height()))
        if np.isfinite(value):
            self._draw_ring(painter, self.place_of(state), theme.panel, theme.text, 4.5)

    def _draw_ring(self, painter: QPainter, centre: QPointF, fill: str, rim: str, radius: float) -> None:
        painter.setPen(self.look.pen(rim, 1.6))
        painter.setBrush(QColor(fill))
        painter.drawEllipse(centre, radius * self.look.theme.scale, radius * self.look.theme.scale)


class StepReadout(Part):
    """The line above the plot: a step's name, elided if needed, and its figures; or a hint."""

    def __init__(self) -> None:
        super().__init__()
        self._forms: tuple[str, ...] = ("",)
        self._figures = ""

    def say(self, forms: tuple[str, ...], figures: str) -> None:
        """Write another text, longest form first; without figures it is a hint."""
        if (forms, figures) != (self._forms, self._figures):
            self._forms, self._figures = forms, figures
            self.update()

    @property
    def thickness(self) -> float:
        """Return its height, with the distance to the plot."""
        return QFontMetricsF(self.look.font).height() + BELOW_READOUT_PX

    def texts(self) -> tuple[str, str]:
        """Return the name or hint as it is written, and the figures."""
        metrics = QFontMetricsF(self.look.font)
        room = self.size().width() - metrics.horizontalAdvance(f"  {self._figures}" if self._figures else "")
        return fitting(self._forms, room, metrics), self._figures

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Write it."""
        with reported_once(self):
            metrics = QFontMetricsF(self.look.font)
            name, figures = self.texts()
            painter.setFont(self.look.font)
            painter.setPen(self.look.colour("text" if figures else "dim"))
            painter.drawText(QPointF(0, metrics.ascent()), name)
            painter.setPen(self.look.colour("accent"))
            painter.drawText(QPointF(metrics.horizontalAdvance(f"{name}  "), metrics.ascent()), figures)


class HistoryChart(Chart):
    """The throughput after each step."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._course = NOTHING
        self.area = area = Area(zoom=Zoom.WITH_CTRL, overhang=OVERHANG_PX)
        self.readout, self.unit = StepReadout(), Caption(upright=True, beyond=16)
        self.left = ThroughputAxis("left", area, grid=True)
        self.below = StepAxis("bottom", area, base=0.6, gap=5.5, unit="step")
        self.line, self.marks = StepLine(area), StepMarks(area)
        self.ci.addItem(self.readout, 0, 0, 1, 3)
        for column, part in enumerate((self.unit, self.left, area)):
            self.ci.addItem(part, 1, column)
        self.ci.addItem(self.below, 2, 2)
        self.ci.layout.setColumnStretchFactor(2, 1)
        self.ci.layout.setRowStretchFactor(1, 1)
        area.sigResized.connect(self._on_area_resized)
        area.sigXRangeChanged.connect(self._on_area_range_changed)

    def show_course(self, course: Course) -> None:
        """Show another course; the visible part is kept, but moves to the state on screen if that has changed."""
        moved = course.first + course.done != self._course.first + self._course.done
        self._course = course
        self.unit.say((f"Throughput, {course.unit}", *unit_forms(course.unit)))
        self.below.set_marks(partial(step_marks, course))
        for drawing in (self.line, self.marks):
            drawing.show_course(course)
        self._set_home()
        if moved and self.area.zoomed:
            self._follow(course.first + course.done)

    def read_out(self, pointed: int | None, forms: tuple[str, ...], figures: str) -> None:
        """Mark the state under the pointer, or none, and write its readout, longest form first."""
        self.marks.point_at(pointed)
        self.readout.say(forms, figures)

    def state_at(self, where: QPointF) -> int | None:
        """Return the state nearest along the axis to a point of the chart; None outside the plot."""
        course = self._course
        if not self.area.frame.adjusted(-INSET_PX, -INSET_PX, INSET_PX, 2 * INSET_PX).contains(where):
            return None
        state = round(self.area.values_under(where)[0]) - course.first
        return min(max(state, 0), course.steps) if state <= course.steps + 1 else None

    def place_of(self, state: int) -> QPointF:
        """Return where a state is in the chart; at the bottom if it has no throughput."""
        gbs = float(self._course.gbs[state])
        return self.area.pixel(self._course.first + state, gbs if np.isfinite(gbs) else self.area.rise[0])

    def _follow(self, number: int) -> None:
        low, high = self.area.span
        if not low <= number <= high:
            begin, end = self.area.home[0] if self.area.home is not None else (low, high)
            start = min(max(number - (high - low) / 2, begin), end - (high - low))
            self.area.show_span(start, start + high - low)

    def _set_home(self) -> None:
        course = self._course
        steps = step_range(course, float(self.area.rect().width()))
        self.area.set_home(steps, throughput_range(course.throughputs), keep=True)
        self._fit_throughputs()

    def _fit_throughputs(self) -> None:
        """Show the range of the throughputs that are shown."""
        low, high = self.area.span
        first = self._course.first
        values = self._course.throughputs[max(ceil(low) - first, 0) : max(floor(high) - first + 1, 0)]
        if self.area.zoomed and np.isfinite(values).any():
            self.area.setYRange(*throughput_range(values), padding=0)

    def _on_area_resized(self, *_: object) -> None:
        # How far apart steps are depends on the width.
        self._set_home()

    def _on_area_range_changed(self, *_: object) -> None:
        self._fit_throughputs()


def star(centre: QPointF, radius: float) -> QPolygonF:
    """Return a star of five points."""
    angle = np.arange(10) * np.pi / 5
    reach = np.where(np.arange(10) % 2, 0.45, 1.0) * radius
    x, y = centre.x() + reach * np.sin(angle), centre.y() - reach * np.cos(angle)
    return polygon(zip(x.tolist(), y.tolist(), strict=True))
