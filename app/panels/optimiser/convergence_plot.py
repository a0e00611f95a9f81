"""Convergence curves of searches: one in full, the best of others, and the bound."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.model.search_run import Curve, SearchRun
from app.style.theme import DARK, Theme
from app.views.charts.axes import EDGE, Axes, ChartAxis, ChartPainter, plot_area, ticks
from app.views.drawing import SMALL, blend, draw_message, polygon, scaled_font, unit_forms
from app.widgets.painting import painter_on
from app.wording.numbers import TIMES, figure_text, gbs

EMPTY = (
    "Press Optimise: the curve of the best mapping so far appears here, with the bound of all mappings, "
    "while the machine and the job follow."
)
PAD = 0.06
"""Part of the range left free above and below."""
MAX_BOUND_DISTANCE = 2.5
"""A bound farther than this many times the range of the curves is indicated by an arrow."""
UNIT_FROM = 3
"""A time unit is used from this multiple of it on: 180 s are 3 min."""
MIN_SECONDS = 1.0


@dataclass(frozen=True, eq=False)
class Trace:
    """The curve of one run, in the common unit."""

    name: str
    seconds: Curve
    current: Curve
    best: Curve

    @classmethod
    def of(cls, run: SearchRun) -> "Trace":
        """Return the curve of a run as it is now."""
        return cls(f"run {run.number}", *run.curve())


@dataclass(frozen=True, eq=False)
class Curves:
    """The content of the plot: one run in full, and the best of others."""

    main: Trace | None = None
    others: tuple[Trace, ...] = ()
    start: float | None = None
    limit: float | None = None
    """The bound on all mappings."""
    unit: str = ""
    rising: bool = True
    """Whether more is better."""

    @classmethod
    def of(cls, run: SearchRun | None, others: Sequence[SearchRun] = ()) -> "Curves":
        """Return the curves of a run, and of others with the same unit."""
        if run is None or run.found is None:
            return cls()
        traces = tuple(Trace.of(other) for other in others if other.found is not None)
        return cls(Trace.of(run), traces, run.start, run.limit, run.unit, run.rising)

    @property
    def empty(self) -> bool:
        """Return whether there is nothing to draw yet."""
        return self.main is None or not self.main.seconds.size


def curve_axes(picture: Curves, size: QSizeF, font: QFont) -> tuple[Axes, bool]:
    """Return axes that hold all curves, with seconds across, and whether the bound is too far away to be inside."""
    traces = [trace for trace in (picture.main, *picture.others) if trace is not None]
    known = np.concatenate([*(np.append(t.best, t.current) for t in traces), [picture.start or np.nan]])
    known = known[np.isfinite(known)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    span, limit = max(high - low, 0.02 * abs(high) or 1.0), picture.limit
    beyond = limit is not None and max(limit - high, low - limit) > MAX_BOUND_DISTANCE * span
    if limit is not None and not beyond:
        low, high = min(low, limit), max(high, limit)
    pad = PAD * max(high - low, span)
    last = max([MIN_SECONDS, *(float(t.seconds[-1]) for t in traces if t.seconds.size)])
    plot = plot_area(size, font, QFontMetricsF(font).height() + 8, QFontMetricsF(scaled_font(font, SMALL)).height() + 9)
    return Axes(plot, ChartAxis(0.0, last), ChartAxis.padded(low, high, pad)), beyond


def thinned(seconds: Curve, values: Curve, limit: int) -> tuple[Curve, Curve]:
    """Return about `limit` points of a curve: the lowest and highest of each interval."""
    size = seconds.size
    if size <= limit:
        return seconds, values
    starts = np.arange(0, size, -(-2 * size // limit))
    both = np.stack([np.fmin.reduceat(values, starts), np.fmax.reduceat(values, starts)], axis=1)
    return np.repeat(seconds[starts], 2), both.ravel()


def stairs(seconds: Curve, values: Curve) -> tuple[Curve, Curve]:
    """Return the points of a curve as a step function."""
    return np.repeat(seconds, 2)[1:], np.repeat(values, 2)[:-1]


class SearchPlot(QWidget):
    """Shows a picture."""

    def __init__(self) -> None:
        super().__init__()
        self.picture = Curves()
        self._theme, self.message = DARK, EMPTY
        self.setMinimumSize(160, 60)
        self.setAccessibleName("Search over time")

    def show_picture(self, picture: Curves, theme: Theme, message: str = EMPTY) -> None:
        """Show other curves; `message` where there are none."""
        self.picture, self._theme, self.message = picture, theme, message
        self.setAccessibleDescription("" if picture.empty else ", ".join(text for text, _ in curve_legend(picture)))
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the curves, or why there are none."""
        with painter_on(self, smooth=True) as painter:
            if self.picture.empty:
                draw_message(painter, QRectF(self.rect()), self.message, self._theme.dim, self.font())
                return
            axes, beyond = curve_axes(self.picture, QSizeF(self.size()), self.font())
            SearchPainter(painter, axes, self._theme, self.font()).draw(self.picture, beyond=beyond)


def curve_legend(picture: Curves) -> list[tuple[str, str]]:
    """Return the legend of the run in full: texts with figures, and line styles; most important first."""
    main = picture.main
    assert main is not None
    write = gbs if picture.rising else figure_text
    found = [("best", float(main.best[-1]), "best")]
    if picture.limit is not None:
        found.append(("bound", picture.limit, "limit"))
    if picture.start is not None:
        found.append(("start", picture.start, "start"))
    found.append(("now", float(main.current[-1]), "current"))
    return [(f"{name} {write(value)}", style) for name, value, style in found if np.isfinite(value)]


class SearchPainter(ChartPainter):
    """One drawing of a picture."""

    def __init__(self, painter: QPainter, axes: Axes, theme: Theme, font: QFont) -> None:
        super().__init__(painter, axes, theme, font)
        self._pens = {
            "best": self._pen(theme.accent, 2.4),
            "current": self._pen(blend(theme.panel, theme.accent, 0.55), 1.0),
            "start": self._pen(theme.dim, 1.2, Qt.PenStyle.DotLine),
            "limit": self._pen(theme.warning, 1.4, Qt.PenStyle.DashLine),
        }

    def draw(self, picture: Curves, *, beyond: bool) -> None:
        """Draw everything; of a bound `beyond` the axis only its direction."""
        main = picture.main
        assert main is not None
        self._draw_axes(picture.unit)
        self._bounds(picture, beyond)
        self._painter.save()
        self._painter.setClipRect(self._plot.adjusted(-1, -2, 1, 2))
        for index, other in enumerate(picture.others):
            self._curve(*stairs(other.seconds, other.best), self._pen(self._colour(index), 1.4))
        self._curve(main.seconds, main.current, self._pens["current"])
        self._curve(*stairs(*self._to_the_end(main)), self._pens["best"])
        self._painter.restore()
        self._names(picture.others)
        colours = {"best": self._theme.text}
        samples = (
            (text, self._pens[style], colours.get(style, self._theme.dim)) for text, style in curve_legend(picture)
        )
        self._draw_legend(samples)

    def _to_the_end(self, main: Trace) -> tuple[Curve, Curve]:
        return np.append(main.seconds, main.seconds[-1]), np.append(main.best, main.best[-1])

    def _colour(self, index: int) -> QColor:
        # The first two are too similar to the accent and to the bound's colour.
        hues = self._theme.roles[2:]
        return QColor(hues[index % len(hues)])

    def _curve(self, seconds: Curve, values: Curve, pen: QPen) -> None:
        kept = np.isfinite(values)
        x, y = thinned(seconds[kept], values[kept], 2 * int(self._plot.width()))
        points = ((self._axes.x(a), self._axes.y(b)) for a, b in zip(x.tolist(), y.tolist(), strict=True))
        self._painter.setPen(pen)
        self._painter.drawPolyline(polygon(points))

    def _draw_axes(self, unit: str) -> None:
        self._draw_levels(self._axes.up.ticks(int(self._plot.height() / (1.9 * self._metrics.height()))))
        self._draw_title(unit_forms(unit), EDGE - 4, 16)
        self._draw_base(self._theme.dim, 0.5)
        last = self._axes.across.high
        length, name = next(((n, u) for n, u in reversed(TIMES) if last >= UNIT_FROM * n), TIMES[0])
        times = ticks(0.0, last / length, int(self._plot.width() / 45))
        self._draw_along([(value * length, text) for value, text in times], name, 5)

    def _bounds(self, picture: Curves, beyond: bool) -> None:
        for value, style in ((picture.start, "start"), (picture.limit, "limit")):
            if value is None:
                continue
            if style == "limit" and beyond:
                self._arrow(picture.rising)
                continue
            y = round(self._axes.y(value)) + 0.5
            self._painter.setPen(self._pens[style])
            self._painter.drawLine(QLineF(self._plot.left(), y, self._plot.right(), y))

    def _arrow(self, up: bool) -> None:
        # The bound is beyond the axis: an arrow shows its direction, the legend its value.
        x, y = self._plot.left() + 8, self._plot.top() + 1 if up else self._plot.bottom() - 1
        tip, half = (7 if up else -7) * self._theme.scale, 4 * self._theme.scale
        self._painter.setPen(self._pen(self._theme.warning, 1.6))
        self._painter.drawPolyline([QPointF(x - half, y + tip), QPointF(x, y), QPointF(x + half, y + tip)])
        self._painter.drawLine(QLineF(x, y, x, y + 2 * tip))

    def _names(self, others: Sequence[Trace]) -> None:
        # At the end of each other curve, if no name is there already.
        taken: list[float] = []
        for index, other in enumerate(others):
            if not other.seconds.size or not np.isfinite(other.best[-1]):
                continue
            width = self._metrics.horizontalAdvance(other.name)
            x = min(self._axes.x(float(other.seconds[-1])) + 4, self._plot.right() - width)
            y = self._axes.y(float(other.best[-1])) - 3
            if all(abs(y - above) >= self._metrics.height() for above in taken):
                taken.append(y)
                self._painter.setPen(self._colour(index))
                self._painter.drawText(QPointF(x, max(y, self._plot.top() + self._metrics.ascent())), other.name)
