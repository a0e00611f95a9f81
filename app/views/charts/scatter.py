"""Scatter plots of two figures: one plot, or several small ones with the same axes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from itertools import pairwise
from math import ceil, log10, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.style.theme import DARK, Theme
from app.views.charts.axes import EDGE, Axes, ChartAxis, ChartPainter, PointedChart, Tick, plot_area
from app.views.drawing import SMALL, blend, draw_message, fitting, polygon, scaled_font
from app.widgets.painting import painter_on
from core.text import figure

DOT = 4.5
"""Radius of a point in pixels."""
RIM = 1.4
REACH_PX = 12
"""Largest distance at which the pointer hits a point."""
WIDE = 30.0
"""Least ratio of the largest to the smallest figure for a logarithmic axis."""
PAD = 0.07
"""Padding at both ends, as part of the range."""
NAME_PX = 96
"""Largest width of a name at the left of a plot."""
SHAPE = 1.5
"""Approximate ratio of width to height of a small plot."""
MAX_MARKS = 12
"""Most chosen values that are all marked."""
SHAPES = (
    [(np.cos(turn), np.sin(turn)) for turn in np.arange(24) * np.pi / 12],
    [(-0.95, -0.95), (0.95, -0.95), (0.95, 0.95), (-0.95, 0.95)],
    [(0.0, -1.25), (1.15, 0.85), (-1.15, 0.85)],
    [(0.0, -1.35), (1.35, 0.0), (0.0, 1.35), (-1.35, 0.0)],
    [(0.0, 1.25), (1.15, -0.85), (-1.15, -0.85)],
)
"""Corners of the marks of hues, in units of a point's radius: circle, square, triangles and diamond."""
MAX_SHAPED = 3000
"""Most points that are drawn with shapes: of more the shapes are invisible."""
LEGEND = 7
"""Approximate number of legend entries: of more colours, which are then ordered figures, every second or third."""
MAX_DESCRIBED = 50
"""Most points named in the accessible description."""


class Dot(NamedTuple):
    """A point of the plot."""

    name: str
    """Written beside it, where there is room."""
    x: float
    y: float
    row: int
    """Its row in the table's arrays."""
    hue: int = 0
    """Index of its hue."""
    panel: int = 0
    """Index of its small plot."""


@dataclass(frozen=True, slots=True)
class Hue:
    """A colour and its meaning."""

    name: str
    colour: str
    """As #rrggbb."""


@dataclass(frozen=True)
class ScatterData:
    """The content of a scatter plot."""

    dots: tuple[Dot, ...] = ()
    x_title: str = ""
    y_title: str = ""
    chosen: int = -1
    """Row of the current point."""
    pinned: int = -1
    """Row of the point marked with A."""
    hues: tuple[Hue, ...] = ()
    """Empty: all points have one colour."""
    hue_title: str = ""
    panels: tuple[str, ...] = ("",)
    """Titles of the small plots."""
    x_names: tuple[str, ...] = ()
    """Names along x: then x is the index of a name, not a figure."""
    y_names: tuple[str, ...] = ()
    joined: bool = False
    """Whether points of one hue are joined by lines, if their x are distinct."""
    describe: Callable[[int], str] | None = field(default=None, compare=False)
    """Describes a row in tool tips; None: its name and figures."""

    @cached_property
    def places(self) -> NDArray[np.float64]:
        """Return the figures of the points, shape ``(points, 2)``."""
        return np.array([(dot.x, dot.y) for dot in self.dots], np.float64).reshape(-1, 2)

    @cached_property
    def kinds(self) -> NDArray[np.intp]:
        """Return row, hue and small plot of each point, shape ``(points, 3)``."""
        return np.array([(dot.row, dot.hue, dot.panel) for dot in self.dots], np.intp).reshape(-1, 3)

    @cached_property
    def named(self) -> bool:
        """Return whether any point has a name."""
        return any(dot.name for dot in self.dots)

    @cached_property
    def across(self) -> ChartAxis:
        """Return the x axis of all plots."""
        return named_axis(self.x_names) if self.x_names else axis_over(self.places[:, 0].tolist(), stepped=self.joined)

    @cached_property
    def up(self) -> ChartAxis:
        """Return the y axis of all plots."""
        return named_axis(self.y_names) if self.y_names else axis_over(self.places[:, 1].tolist())


@dataclass(frozen=True, slots=True)
class MarkedAxis(ChartAxis):
    """An axis with given ticks, where there is room for them."""

    marks: tuple[Tick, ...] = ()

    def ticks(self, limit: int) -> list[Tick]:
        """Return the given ticks; if they are too many, round figures."""
        return list(self.marks) if len(self.marks) <= limit else ChartAxis.ticks(self, limit)


@dataclass(frozen=True, slots=True)
class NamedAxis(ChartAxis):
    """An axis of names, evenly spaced."""

    names: tuple[str, ...] = ()

    def ticks(self, limit: int) -> list[Tick]:
        """Return the names, or every second or third if they are too many."""
        step = ceil(len(self.names) / max(limit, 1))
        return [(float(k), name) for k, name in enumerate(self.names)][::step]


def named_axis(names: tuple[str, ...]) -> NamedAxis:
    """Return the axis of some names."""
    return NamedAxis(-0.5, len(names) - 0.5, names=names)


def axis_over(values: Sequence[float], *, stepped: bool = False) -> ChartAxis:
    """Return an axis over some figures; logarithmic if their ratio is large.

    `stepped`: the figures were chosen, and are ticks if they are few and evenly spaced, also on a logarithmic axis.
    """
    low, high = min(values), max(values)
    steps = sorted(set(values)) if stepped else []
    doubled = low > 0 and len(steps) > 2 and _even([log10(step) for step in steps])
    scale: Callable[[float], float] = log10 if (low > 0 and high / low >= WIDE) or doubled else float
    marked = 1 < len(steps) <= MAX_MARKS and (doubled or _even(steps))
    marks = tuple((step, figure(step)) for step in steps) if marked else ()
    low, high = scale(low), scale(high)
    plain = ChartAxis.padded(low, high, PAD * (high - low) or abs(high) * 0.1 or 1.0, scale)
    return MarkedAxis(plain.low, plain.high, plain.scale, marks) if marks else plain


def _even(values: Sequence[float]) -> bool:
    gaps = [b - a for a, b in pairwise(values)]
    return max(gaps) <= 1.01 * min(gaps)


def scatter_axes(scatter: ScatterData, size: QSizeF, font: QFont) -> tuple[Axes, ...]:
    """Return the axes of each plot, holding all points, in a picture of some size."""
    line = QFontMetricsF(scaled_font(font, SMALL)).height()
    top, count = line + 6 if scatter.hues else 0.0, len(scatter.panels)
    height = size.height() - top
    columns = min(count, max(1, ceil(sqrt(count * size.width() / max(height, 1) / SHAPE))))
    rows = ceil(count / columns)
    cell = QSizeF(size.width() / columns, height / rows)
    names = [text for _, text in scatter.up.ticks(8)] if scatter.y_names else ["100,000"]
    widest = fitting([max(names, key=len)], NAME_PX, QFontMetricsF(scaled_font(font, SMALL)))
    plot = plot_area(cell, font, 8 + line * any(scatter.panels), 2 * line + 12, widest)
    corners = [(k % columns * cell.width(), top + k // columns * cell.height()) for k in range(count)]
    return tuple(Axes(plot.translated(*corner), scatter.across, scatter.up) for corner in corners)


def pixels(scatter: ScatterData, axes: Sequence[Axes]) -> NDArray[np.float64]:
    """Return the pixels of the points, shape ``(points, 2)``."""
    found = np.empty_like(scatter.places)
    plots = np.array([(one.plot.left(), one.plot.bottom()) for one in axes])
    corner = plots[scatter.kinds[:, 2]]
    sizes = axes[0].plot.width(), -axes[0].plot.height()
    for side, axis in enumerate((scatter.across, scatter.up)):
        values = np.log10(scatter.places[:, side]) if axis.log else scatter.places[:, side]
        found[:, side] = corner[:, side] + (values - axis.low) / (axis.high - axis.low) * sizes[side]
    return found


def placed_names(axes: Axes, scatter: ScatterData, metrics: QFontMetricsF) -> Iterator[tuple[Dot, QRectF]]:
    """Yield the places of names, beside their points, overlapping no point or name; others are left out."""
    at = {dot: axes.at(dot.x, dot.y) for dot in scatter.dots}
    taken = [QRectF(p.x() - DOT, p.y() - DOT, 2 * DOT, 2 * DOT) for p in at.values()]
    inside = axes.plot.adjusted(0, -6, EDGE, 2)
    # The current point is named first.
    for dot in sorted(filter(lambda one: one.name, scatter.dots), key=lambda one: one.row != scatter.chosen):
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


class ScatterPlot(PointedChart, QWidget):
    """Shows a scatter; a click on a point picks it."""

    picked = Signal(int)
    """Row of the point that was clicked."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.scatter = ScatterData()
        self._theme, self._message, self._hovered = DARK, "", -1
        self.setMinimumSize(240, 120)
        self.setMouseTracking(True)
        self.setAccessibleName(name)

    def show_scatter(self, scatter: ScatterData, theme: Theme, message: str) -> None:
        """Show other points; `message` where there are none."""
        self.scatter, self._theme, self._message = scatter, theme, message
        points = ", ".join(f"{dot.name} {dot.x:g}, {dot.y:g}".strip() for dot in scatter.dots[:MAX_DESCRIBED])
        self.setAccessibleDescription(f"{scatter.y_title} over {scatter.x_title}: {points}" if points else message)
        self.update()

    @property
    def axes(self) -> tuple[Axes, ...]:
        """Return the axes of each plot."""
        return scatter_axes(self.scatter, QSizeF(self.size()), self.font())

    def place_of(self, dot: Dot) -> QPointF:
        """Return the pixel of a point."""
        return self.axes[dot.panel].at(dot.x, dot.y)

    def mark_at(self, where: QPointF) -> Dot | None:
        """Return the point at a pixel."""
        if not self.scatter.dots:
            return None
        apart = np.hypot(*(pixels(self.scatter, self.axes) - (where.x(), where.y())).T)
        nearest = int(apart.argmin())
        return self.scatter.dots[nearest] if apart[nearest] <= REACH_PX * self._theme.scale else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick a point."""
        dot = self.mark_at(event.position())
        if dot is not None and event.button() == Qt.MouseButton.LeftButton:
            self.picked.emit(dot.row)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the points, or why there are none."""
        with painter_on(self, smooth=True) as painter:
            self.paint_to(painter, QRectF(self.rect()), self._hovered)

    def paint_to(self, painter: QPainter, area: QRectF, hovered: int = -1) -> None:
        """Draw the same into a rectangle."""
        if not self.scatter.dots:
            draw_message(painter, area, self._message, self._theme.dim, self.font())
            return
        painter.save()
        painter.translate(area.topLeft())
        draw_scatter(painter, self.scatter, area.size(), self._theme, self.font(), hovered)
        painter.restore()

    def point_at(self, mark: Dot | None) -> None:
        """Highlight a point and show its figures, or none."""
        row = mark.row if mark is not None else -1
        if row != self._hovered:
            self._hovered = row
            self.setCursor(Qt.CursorShape.PointingHandCursor if mark is not None else Qt.CursorShape.ArrowCursor)
            self.setToolTip("" if mark is None else self._mark_text(mark))
            self.update()

    def _mark_text(self, dot: Dot) -> str:
        shown = self.scatter
        if shown.describe is not None:
            return shown.describe(dot.row)
        return f"{dot.name}\n{shown.x_title}: {dot.x:,.5g}\n{shown.y_title}: {dot.y:,.5g}"


def draw_scatter(
    painter: QPainter, scatter: ScatterData, size: QSizeF, theme: Theme, font: QFont, hovered: int = -1
) -> None:
    """Draw all plots of a scatter with points, from the origin on."""
    axes = scatter_axes(scatter, size, font)
    places = pixels(scatter, axes)
    for panel, one in enumerate(axes):
        plot = PanelPainter(painter, scatter, one, theme, font)
        inside = np.flatnonzero(scatter.kinds[:, 2] == panel)
        plot.draw(places, inside, scatter.panels[panel], axes[0].plot.left() - EDGE + 4, hovered)
    if scatter.hues:
        whole = reduce(QRectF.united, [one.plot for one in axes])
        PanelPainter(painter, scatter, replace(axes[0], plot=whole), theme, font).draw_legend()


class PanelPainter(ChartPainter):
    """One drawing of one plot."""

    def __init__(self, painter: QPainter, scatter: ScatterData, axes: Axes, theme: Theme, font: QFont) -> None:
        super().__init__(painter, axes, theme, font)
        self._scatter = scatter
        calm = blend(theme.panel, theme.accent, 0.6)
        self._colours = [QColor(hue.colour) for hue in scatter.hues] or [calm]

    def draw(
        self, places: NDArray[np.float64], inside: NDArray[np.intp], title: str, left: float, hovered: int
    ) -> None:
        """Draw everything: of the points at `places` those `inside`; `left` pixels are free left of the plot."""
        self._label_axes(title, left)
        rows, hues, _ = self._scatter.kinds[inside].T
        for hue, colour in enumerate(self._colours):
            self._draw_hue(places[inside[hues == hue]], colour, hue)
        marked = (hovered, self._scatter.pinned, self._scatter.chosen)
        for number in inside[np.isin(rows, marked)]:
            self._draw_lit(self._scatter.dots[number], QPointF(*places[number]))
        if not self._scatter.named:
            return
        shown = replace(self._scatter, dots=tuple(self._scatter.dots[k] for k in inside))
        for dot, area in placed_names(self._axes, shown, self._metrics):
            self._painter.setPen(QColor(self._theme.text if dot.row in marked else self._theme.dim))
            self._painter.drawText(area, Qt.AlignmentFlag.AlignCenter, dot.name)

    def draw_legend(self) -> None:
        """Write the legend of colours above the plot."""
        hues = self._scatter.hues
        step = ceil(len(hues) / LEGEND)
        shown = hues if step == 1 else [*hues[:-1:step], hues[-1]]
        blank, shaped = QPen(Qt.PenStyle.NoPen), self._shaped
        samples = [(hue.name, blank if shaped else self._pen(hue.colour, 5), self._theme.text) for hue in shown]
        _, *middles = self._draw_legend([(f"{self._scatter.hue_title}:", blank, self._theme.dim), *samples])
        for number, middle in enumerate(middles if shaped else ()):
            self._draw_shapes([(middle.x(), middle.y())], number, QColor(hues[number].colour))

    def _label_axes(self, title: str, left: float) -> None:
        plot, axes, line = self._plot, self._axes, self._metrics.height()
        levels = axes.up.ticks(max(int(plot.height() / (2 * line)), 2))
        self._draw_levels([(value, fitting([text], NAME_PX, self._metrics)) for value, text in levels])
        upwards = fitting([_titled(self._scatter.y_title, axes.up)], plot.height() + 16, self._metrics)
        self._draw_title([upwards], plot.left() - left, 16)
        self._draw_base(self._theme.dim, 0.5)
        marks = axes.across.ticks(max(int(plot.width() / self._tick_px()), 2))
        room = plot.width() / max(len(marks), 1) - 6
        named = bool(self._scatter.x_names)
        self._draw_along([(v, fitting([text], room, self._metrics) if named else text) for v, text in marks], "", 3.5)
        below = QRectF(plot.left(), plot.bottom() + line + 6, plot.width(), line)
        across = fitting([_titled(self._scatter.x_title, axes.across)], plot.width(), self._metrics)
        self._painter.drawText(below, Qt.AlignmentFlag.AlignRight, across)
        if title:
            self._painter.setPen(QColor(self._theme.text))
            above = QRectF(plot.left(), plot.top() - line - 3, plot.width(), line)
            self._painter.drawText(above, Qt.AlignmentFlag.AlignLeft, fitting([title], plot.width(), self._metrics))

    def _tick_px(self) -> float:
        marks = self._axes.across.marks if isinstance(self._axes.across, MarkedAxis) else ()
        return max((self._metrics.horizontalAdvance(text) + 8 for _, text in marks), default=70.0)

    @property
    def _shaped(self) -> bool:
        """Return whether hues have shapes too; many hues are ordered figures, distinguished by lightness."""
        return 1 < len(self._scatter.hues) <= LEGEND and len(self._scatter.dots) <= MAX_SHAPED

    def _draw_shapes(self, places: Sequence[Sequence[float]], hue: int, colour: QColor) -> None:
        shape, reach = np.array(SHAPES[hue % len(SHAPES)]), (DOT + RIM / 2) * self._theme.scale
        path = QPainterPath()
        path.setFillRule(Qt.FillRule.WindingFill)
        for place in places:
            path.addPolygon(polygon((shape * reach + place).tolist()))
            path.closeSubpath()
        self._painter.setPen(self._pen(self._theme.panel, RIM))
        self._painter.setBrush(colour)
        self._painter.drawPath(path)

    def _draw_hue(self, places: NDArray[np.float64], colour: QColor, hue: int) -> None:
        if self._scatter.joined and not self._scatter.x_names:
            line = places[np.argsort(places[:, 0], kind="stable")]
            if len(line) > 1 and all(a < b for a, b in pairwise(line[:, 0].tolist())):
                self._painter.setPen(self._pen(blend(self._theme.panel, colour.name(), 0.6), 1.2))
                self._painter.drawPolyline(polygon(line.tolist()))
        points = polygon(places.tolist())
        if self._shaped and hue % len(SHAPES):
            self._draw_shapes(places.tolist(), hue, colour)
            return
        cap = Qt.PenCapStyle.RoundCap
        for width, of in ((2 * DOT + RIM, QColor(self._theme.panel)), (2 * DOT - RIM, colour)):
            self._painter.setPen(QPen(of, width * self._theme.scale, Qt.PenStyle.SolidLine, cap))
            self._painter.drawPoints(points)

    def _draw_lit(self, dot: Dot, where: QPointF) -> None:
        hues = self._scatter.hues
        self._painter.setBrush(QColor(hues[dot.hue].colour if hues else self._theme.accent))
        self._painter.setPen(self._pen(self._theme.text, RIM))
        reach = (DOT + 1) * self._theme.scale
        self._painter.drawEllipse(where, reach, reach)
        if dot.row == self._scatter.pinned:
            self._painter.setFont(scaled_font(self._font, SMALL, bold=True))
            self._painter.drawText(where + QPointF(reach + 3, -reach), "A")
            self._painter.setFont(self._small)


def _titled(title: str, axis: ChartAxis) -> str:
    return f"{title} (logarithmic)" if axis.log else title
