"""The chart of points: one plot, or several small ones with the same axes, which are zoomed together."""

from collections.abc import Iterator, Sequence
from functools import partial
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from app.views.charts.kit.area import Area, Zoom
from app.views.charts.kit.axis import LABEL_PX, Axis
from app.views.charts.kit.caption import Caption, Legend, Sample
from app.views.charts.kit.chart import Chart
from app.views.charts.kit.look import Look
from app.views.charts.kit.scales import Mark
from app.views.charts.kit.symbols import SHAPES, Symbol, Symbols, draw_symbol
from app.views.charts.scatter_data import AxisRange, Dot, ScatterData
from app.views.charts.scatter_drawings import Joined, Marked, Marks, Names, lines_of
from app.views.drawing import EDGE, blend, fitting

REACH_PX = 12
"""Largest distance at which the pointer hits a point."""
NAME_PX = 96
"""Largest width of a name at the left of a plot."""
FIGURE = "100,000"
"""The widest figure at the left of a plot."""
SHAPE = 1.5
"""Approximate ratio of width to height of a small plot."""
MAX_SHAPED = 7
"""Maximum number of hues with shapes; more hues are ordered figures, distinguished by lightness."""
LEGEND = 24
"""Maximum number of legend entries; of more colours, which are ordered figures, every second or third is listed."""
NAME_TICK_PX = 70
"""Least pixels between names along x."""
MARK_GAP = 8
"""Least pixels between chosen figures along x."""


class RangeAxis(Axis):
    """An axis of figures or of names."""

    def __init__(self, side: str, area: Area) -> None:
        self.values = AxisRange(0.0, 1.0)
        super().__init__(side, area, grid=side == "left", base=0.0 if side == "left" else 0.5, gap=3.5)

    def show_range(self, shown: AxisRange) -> None:
        """Show another range."""
        self.values = shown
        self.set_marks(shown.marks)

    def limit(self) -> int:
        """Return how many figures have room: of the chosen figures, as many as their widths allow.

        Names along x get at least `NAME_TICK_PX`, and are elided.
        """
        given = self.values.given
        if self._upright or not given:
            return super().limit()
        widest = max(self.look.metrics.horizontalAdvance(mark.text) for mark in given) + MARK_GAP
        return max(int(self.area.rect().width() / (NAME_TICK_PX if self.values.named else widest)), 2)

    def shown_marks(self) -> list[Mark]:
        """Return the figures of the range that is shown; names are elided, along x to their parts of the width."""
        marks = super().shown_marks()
        if not self.values.named:
            return marks
        room = NAME_PX if self._upright else self.area.rect().width() / max(len(marks), 1) - 6
        return [mark._replace(text=fitting([mark.text], room, self.look.metrics)) for mark in marks]


class Panel:
    """The parts of one plot."""

    def __init__(self) -> None:
        self.area = Area(zoom=Zoom.WITH_CTRL, zooms_y=True, overhang=EDGE)
        self.lines, self.points = Joined(self.area), Symbols(self.area, z=1)
        self.marks, self.pointed, self.names = Marks(self.area, z=2), Marks(self.area, z=3), Names(self.area, z=4)
        self.left, self.below = RangeAxis("left", self.area), RangeAxis("bottom", self.area)
        self.upwards = Caption(upright=True, beyond=16)
        self.along = Caption(align=Qt.AlignmentFlag.AlignRight)
        self.title = Caption(role="text")
        self._titles = ("", "")

    @property
    def parts(self) -> tuple[Area | Axis | Caption, ...]:
        """Return the items to be added to a chart."""
        return self.area, self.left, self.below, self.upwards, self.along, self.title

    def show_axes(self, scatter: ScatterData, title: str) -> bool:
        """Show the axes of all plots, and the title of this one; return whether the axes have changed.

        The visible part of unchanged axes is kept, as in a study that gains points.
        """
        across, up = scatter.across, scatter.up
        before, self._titles = self._titles, (titled(scatter.x_title, across), titled(scatter.y_title, up))
        self.area.scales = across.scale, up.scale
        self.area.set_home((across.low, across.high), (up.low, up.high), keep=before == self._titles)
        self.left.show_range(up)
        self.below.show_range(across)
        self.along.say(self._titles[:1])
        self.upwards.say(self._titles[1:])
        self.title.say([title])
        return before != self._titles

    def show_points(self, scatter: ScatterData, inside: NDArray[np.intp], symbols: Sequence[Symbol]) -> None:
        """Show the points whose numbers are `inside`; points of later hues are on top."""
        hues = scatter.kinds[inside, 1]
        order = np.argsort(hues, kind="stable")
        x, y = scatter.places[inside[order]].T
        kinds, distinct = _kinds(hues[order], symbols)
        self.points.show_points(x, y, kinds, distinct)
        joined = scatter.joined and not scatter.x_names
        colours = [symbol.colour for symbol in symbols]
        self.lines.show_lines(lines_of(scatter.places[inside], hues, colours) if joined else ())
        self.names.show_names([scatter.dots[k] for k in inside if scatter.dots[k].name], scatter.chosen)

    def arrange(self, cell: QRectF, plot: QRectF, line: float) -> None:
        """Set the places of all parts around the plot, in a part of the chart."""
        self.area.setGeometry(plot)
        wide = self.left.maximumWidth()
        self.left.setGeometry(QRectF(plot.left() - wide, plot.top(), wide, plot.height()))
        self.below.setGeometry(QRectF(plot.left(), plot.bottom(), plot.width(), self.below.maximumHeight()))
        self.upwards.setGeometry(QRectF(cell.left() + EDGE - 4, plot.top(), line + 2, plot.height()))
        self.along.setGeometry(QRectF(plot.left(), plot.bottom() + line + 6, plot.width(), line + 2))
        self.title.setGeometry(QRectF(plot.left(), plot.top() - line - 4, plot.width(), line + 2))


def _kinds(hues: NDArray[np.intp], symbols: Sequence[Symbol]) -> tuple[NDArray[np.intp], list[Symbol]]:
    """Return the distinct symbols, and the index of each point's symbol among them, given the points' hues."""
    distinct = list(dict.fromkeys(symbols))
    number = {symbol: k for k, symbol in enumerate(distinct)}
    return np.array([number[symbol] for symbol in symbols], np.intp)[hues], distinct


class ScatterChart(Chart):
    """Points over one or several areas."""

    range_changed = Signal()
    """Another part is shown."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scatter = ScatterData()
        self._panels: list[Panel] = []
        self._row = -1
        self._linked = True
        """Whether all plots show the part that one of them shows."""
        self.legend = Legend()
        self.legend.setParentItem(self.ci)

    @property
    def panels(self) -> list[Panel]:
        """Return the plots that are shown."""
        return self._panels[: len(self.scatter.panels)]

    def show_scatter(self, scatter: ScatterData, message: str) -> None:
        """Show other points; `message` where there are none."""
        self.show_message("" if scatter.dots else message)
        self.scatter = scatter
        if not scatter.dots:
            return
        while len(self._panels) < len(scatter.panels):
            self._add_panel()
        for number, panel in enumerate(self._panels):
            for part in panel.parts:
                part.setVisible(number < len(scatter.panels))
        symbols = self._symbols()
        self._explain(symbols)
        self._show_axes()
        for number, panel in enumerate(self.panels):
            panel.show_points(scatter, np.flatnonzero(scatter.kinds[:, 2] == number), symbols)
        self._mark()
        self.arrange()

    def point_at(self, row: int) -> None:
        """Highlight the point of a row, or none for -1."""
        if row != self._row:
            self._row = row
            self._mark(only_pointed=True)

    def _add_panel(self) -> None:
        self._panels.append(panel := Panel())
        for part in panel.parts:
            part.setParentItem(self.ci)
        panel.area.sigRangeChanged.connect(self._on_range_changed)
        self.dress_parts()

    def _show_axes(self) -> None:
        self._linked = False
        titles = zip(self.panels, self.scatter.panels, strict=True)
        changed = [panel.show_axes(self.scatter, title) for panel, title in titles]
        if any(changed):
            self.show_all()
        self._link(self.panels[0].area)
        self._linked = True

    def _symbols(self) -> list[Symbol]:
        # The symbol of each hue; if there are none, of all points.
        hues = self.scatter.hues
        if not hues:
            return [Symbol(blend(self.look.theme.panel, self.look.theme.accent, 0.6).name())]
        return [Symbol(hue.colour, k % len(SHAPES) if self._shaped else 0) for k, hue in enumerate(hues)]

    @property
    def _shaped(self) -> bool:
        return 1 < len(self.scatter.hues) <= MAX_SHAPED

    def _explain(self, symbols: Sequence[Symbol]) -> None:
        hues = self.scatter.hues
        step = max(ceil(len(hues) / LEGEND), 1)
        shown = range(len(hues)) if step == 1 else [*range(0, len(hues) - 1, step), len(hues) - 1]
        samples = [Sample(f"{self.scatter.hue_title}:")] if hues else []
        for k in shown:
            if self._shaped:
                samples.append(Sample(hues[k].name, None, "text", partial(_draw_sample, symbols[k], self.look)))
            else:
                samples.append(Sample(hues[k].name, self.look.pen(hues[k].colour, 5), "text"))
        self.legend.explain(samples)

    def _mark(self, *, only_pointed: bool = False) -> None:
        scatter = self.scatter
        for number, panel in enumerate(self.panels):
            pointed = self._marked(number, (self._row,))
            panel.pointed.mark(pointed)
            if not only_pointed:
                panel.marks.mark(self._marked(number, (scatter.pinned, scatter.chosen)))
            panel.names.light(frozenset((self._row, scatter.pinned, scatter.chosen)))

    def _marked(self, panel: int, rows: Sequence[int]) -> Iterator[Marked]:
        scatter = self.scatter
        wanted = [row for row in rows if row >= 0]
        for number in np.flatnonzero(np.isin(scatter.kinds[:, 0], wanted) & (scatter.kinds[:, 2] == panel)):
            dot = scatter.dots[number]
            colour = scatter.hues[dot.hue].colour if scatter.hues else self.look.theme.accent
            yield Marked(dot.x, dot.y, colour, "A" if dot.row == scatter.pinned else "")

    def place_of(self, dot: Dot) -> QPointF:
        """Return the pixel of a point."""
        return self._panels[dot.panel].area.pixel(dot.x, dot.y)

    def shows(self, dot: Dot) -> bool:
        """Return whether a point is in the part that is shown."""
        return bool(self._panels[dot.panel].area.frame.adjusted(-1, -1, 1, 1).contains(self.place_of(dot)))

    def dot_at(self, where: QPointF) -> Dot | None:
        """Return the point nearest to a pixel, if it is near."""
        reach, nearest_dot = REACH_PX * self.look.theme.scale, None
        for number, panel in enumerate(self.panels):
            area, near = panel.area, panel.area.mapFromScene(where)
            if not area.rect().adjusted(-reach, -reach, reach, reach).contains(near):
                continue
            x, y = (of(places) for of, places in zip((area.x_of, area.y_of), self.scatter.places.T, strict=True))
            size = area.rect()
            seen = (x >= -1) & (x <= size.width() + 1) & (y >= -1) & (y <= size.height() + 1)
            apart = np.hypot(x - near.x(), y - near.y())
            apart[(self.scatter.kinds[:, 2] != number) | ~seen] = np.inf
            nearest = int(apart.argmin())
            if apart[nearest] <= reach:
                reach, nearest_dot = float(apart[nearest]), self.scatter.dots[nearest]
        return nearest_dot

    def arrange(self) -> None:
        """Lay out the plots for the size, in as many columns as suit their shape."""
        if not self.scatter.dots:
            return
        metrics, count = self.look.metrics, len(self.scatter.panels)
        line = metrics.height()
        legend = QRectF(EDGE, 2, max(self.width() - 2 * EDGE, 0), 0)
        legend.setHeight(self.legend.height_for(legend.width()))
        top = legend.bottom() + 4 if self.scatter.hues else 0.0
        height = self.height() - top
        columns = min(count, max(1, ceil(sqrt(count * self.width() / max(height, 1) / SHAPE))))
        cell = QSizeF(self.width() / columns, height / ceil(count / columns))
        names = self.scatter.y_names
        shortened = [fitting([name], NAME_PX, metrics) for name in names]
        widest = max(shortened, key=metrics.horizontalAdvance) if names else FIGURE
        left = EDGE + line + metrics.horizontalAdvance(widest) + LABEL_PX
        above, below = 8 + line * any(self.scatter.panels), 2 * line + 12
        size = max(cell.width() - left - EDGE, 20.0), max(cell.height() - above - below, 10.0)
        plot = QRectF(left, above, *size)
        for number, panel in enumerate(self.panels):
            corner = QPointF(number % columns * cell.width(), top + number // columns * cell.height())
            panel.left.set_widest(widest)
            panel.arrange(QRectF(corner, cell), plot.translated(corner), line)
        self.legend.setMaximumHeight(legend.height())
        self.legend.setGeometry(legend)

    def enlarge(self, factor: float) -> bool:
        """Zoom all plots around their middle; return whether there are any."""
        if not self.scatter.dots:
            return False
        self.panels[0].area.scaleBy((1 / factor, 1 / factor))
        return True

    def show_part_of(self, other: "ScatterChart") -> None:
        """Show the part of the same points that another chart shows."""
        if self.scatter.dots and other.scatter.dots:
            across, up = other.panels[0].area.viewRange()
            self.panels[0].area.setRange(xRange=across, yRange=up, padding=0)

    def _on_range_changed(self, area: Area, *_: object) -> None:
        if self._linked:
            self._link(area)
            self.range_changed.emit()

    def _link(self, area: Area) -> None:
        across, up = area.viewRange()
        for panel in self.panels:
            if panel.area is not area:
                panel.area.setRange(xRange=across, yRange=up, padding=0)


def _draw_sample(symbol: Symbol, look: Look, painter: QPainter, at: QPointF) -> None:
    draw_symbol(painter, symbol, at, look)


def titled(title: str, shown: AxisRange) -> str:
    """Return the title of an axis, with a note if it is logarithmic."""
    return f"{title}, log scale" if shown.log else title
