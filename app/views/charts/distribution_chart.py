"""The chart of the distribution: bars in the colours of the scale, for each link class."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from app.model.measurement import Counters
from app.style.colour import ColourScale, Shading, lookup_table
from app.views.charts.distribution_grid import BETWEEN, POINTER_PX, ChartGrid, grid_for
from app.views.charts.histogram import BINS, Histogram, bin_text, count_ticks
from app.views.charts.kit.area import Area
from app.views.charts.kit.axis import Axis, PlacedText
from app.views.charts.kit.caption import Caption
from app.views.charts.kit.chart import Chart
from app.views.charts.kit.drawing import Drawing
from app.views.charts.kit.scales import LINEAR, LOG1P, Mark, spread
from app.views.drawing import EDGE, blend
from app.views.legend import scale_ticks
from app.wording.numbers import load_percent
from core.text import plural

GAP = 1.5
"""Pixels between two bars."""
RIMLESS_PX = 3
"""Maximum width of a bar without a rim."""
LEAST_PX = 2.0
"""Minimum height of a bar."""


class Bars(Drawing):
    """The bars of a histogram."""

    def __init__(self, area: Area) -> None:
        super().__init__(area)
        self._counts: list[int] = []
        self._scale: Shading = ColourScale()
        self._pointed = -1

    def show_counts(self, counts: list[int], scale: Shading) -> None:
        """Show other counts; the last counts links beyond the scale."""
        self._counts, self._scale = counts, scale
        self.update()

    def highlight(self, pointed: int) -> None:
        """Outline a bar; -1 for none."""
        if pointed != self._pointed:
            self._pointed = pointed
            self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw the bars on whole pixels; empty bins have none."""
        theme = self.look.theme
        table = lookup_table(self._scale.map, theme.dark)
        rim = blend(theme.panel, theme.text, 0.32)
        bottom = self.area.rect().height()
        for index, count in enumerate(self._counts):
            if not count:
                continue
            column = index + (index == BINS)
            left, top = self.snapped(self.area.x_of(column), min(self.area.y_of(count), bottom - LEAST_PX))
            right, base = self.snapped(self.area.x_of(column + 1), bottom)
            place = (index + 0.5) / BINS if 0 < index < BINS - 1 else float(index > 0)
            colour = QColor(theme.beyond) if index == BINS else QColor(*table[round(place * 255)].tolist())
            # A rim would cover the narrowest bars.
            edge = rim if right - left > RIMLESS_PX else colour
            painter.setPen(QColor(theme.text) if index == self._pointed else edge)
            painter.setBrush(colour)
            painter.drawRect(QRectF(left + 0.5, top + 0.5, right - left - GAP, base - top))


class LoadAxis(Axis):
    """The axis of loads: its last figure is at the top of the scale, and ``>`` below the links beyond."""

    def placed(self, marks: Sequence[Mark]) -> list[PlacedText]:
        """Return where figures are written, from the corner of the axis."""
        texts = [self._text(mark, left) for mark, left in self._spread([m for m in marks if m.value <= BINS])]
        for mark in marks:
            if mark.value > BINS:
                half = self.look.metrics.horizontalAdvance(mark.text) / 2
                texts.append(self._text(mark, float(self.area.x_of(mark.value)) - half))
        return texts

    def _spread(self, marks: Sequence[Mark]) -> list[tuple[Mark, float]]:
        widths = [self.look.metrics.horizontalAdvance(mark.text) for mark in marks]
        places = [float(self.area.x_of(mark.value)) for mark in marks]
        return [(marks[k], left) for k, left in spread(places, widths, float(self.area.x_of(BINS)))]

    def _text(self, mark: Mark, left: float) -> PlacedText:
        metrics = self.look.metrics
        x = self.mapFromItem(self.area, QPointF(left, 0)).x()
        return QRectF(x, POINTER_PX, metrics.horizontalAdvance(mark.text), metrics.height()), mark


class Panel:
    """The parts of one histogram."""

    def __init__(self) -> None:
        self.area = Area(LINEAR, LOG1P, overhang=1)
        self.bars = Bars(self.area)
        self.counts = Axis("left", self.area, grid=True)
        self.loads = LoadAxis("bottom", self.area, base=0.6, gap=POINTER_PX)
        self.title = Caption(role="text", bold=True)
        self.figures = Caption()
        self.upright = Caption(("Links, log scale", "Links, log", "Links"), upright=True, beyond=4)

    @property
    def parts(self) -> tuple[Axis | Area | Caption, ...]:
        """Return the items to be added to a chart."""
        return self.area, self.counts, self.loads, self.title, self.figures, self.upright

    def show_histogram(
        self,
        chart: Histogram,
        grid: ChartGrid,
        scale: Shading,
        selected: float | None,
        counters: Counters | None,
        *,
        first: bool,
    ) -> None:
        """Show a histogram; the `first` of a row has texts at the counts."""
        self.area.set_home((0.0, grid.columns), (0.0, max(grid.highest, 1)))
        self.bars.show_counts([*chart.counts.tolist(), chart.beyond], scale)
        self.counts.set_widest(f"{count_ticks(grid.highest)[-1]:,}")
        self.counts.texts = first
        self.upright.setVisible(first)
        last = "100 %" if counters is None else counters.number(scale.relative(1.0))
        marks = [Mark(place * BINS, text) for place, text in (*scale_ticks(scale, counters), (1.0, last))]
        self.loads.set_marks([*marks, Mark(BINS + 1.5, ">", "beyond")] if grid.beyond else marks)
        self.loads.point_at(selected)
        self.title.say((f"{chart.name}: {plural(chart.links, 'link')}", f"{chart.name}: {chart.links:,}", chart.name))

    def read_out(self, chart: Histogram, scale: Shading, pointed: int, counters: Counters | None = None) -> None:
        """Read out a bar below the plot, or for -1 the figures of all links."""
        self.bars.highlight(pointed)
        if pointed >= 0:
            count = int(chart.counts[pointed]) if pointed < BINS else chart.beyond
            self.figures.say([f"{plural(count, 'link')} at {bin_text(scale, pointed, counters)}"], "accent")
            return
        write = load_percent if counters is None else counters.text
        highest = f"max {write(chart.highest)}"
        text = f"mean {write(chart.mean)}, {highest}"
        idle = (f"{text}, {chart.idle:,} idle",) * bool(chart.idle and counters is None)
        self.figures.say([*idle, text, highest, f"≤ {write(chart.highest)}"], "dim")

    def arrange(self, plot: QRectF, grid: ChartGrid) -> None:
        """Set the places of all parts around the plot."""
        line = self.figures.thickness
        room = min(plot.width() + BETWEEN, grid.area.right() + EDGE - plot.left()) - 8
        title = QFontMetricsF(self.title.look.bold)
        self.title.setGeometry(QRectF(plot.left(), plot.top() - 6 - title.ascent(), room, self.title.thickness))
        self.area.setGeometry(plot)
        wide = self.counts.maximumWidth()
        self.counts.setGeometry(QRectF(plot.left() - wide, plot.top(), wide, plot.height()))
        self.loads.setGeometry(QRectF(plot.left(), plot.bottom(), plot.width(), self.loads.maximumHeight()))
        below = plot.bottom() + POINTER_PX + self.figures.look.metrics.height() + 3
        self.figures.setGeometry(QRectF(plot.left(), below, room, line))
        self.upright.setGeometry(QRectF(plot.left() - grid.left, plot.top(), line, plot.height()))


class DistributionChart(Chart):
    """One histogram for each link class, in as few rows as the width allows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.panels: list[Panel] = []
        self._histograms: tuple[Histogram, ...] = ()
        self._scale: Shading = ColourScale()
        self._counters: Counters | None = None
        self._selected: tuple[int, float] | None = None

    def show_histograms(
        self,
        charts: tuple[Histogram, ...],
        scale: Shading,
        selected: tuple[int, float] | None,
        counters: Counters | None = None,
    ) -> None:
        """Show histograms, and mark the selected link: (number of the chart, its place in bars).

        `counters` are the values, or None for utilisations.
        """
        self._counters = counters
        self._histograms, self._scale, self._selected = charts, scale, selected
        while len(self.panels) < len(charts):
            self.panels.append(panel := Panel())
            for part in panel.parts:
                part.setParentItem(self.ci)
            self.dress_parts()
        for number, panel in enumerate(self.panels):
            for part in panel.parts:
                part.setVisible(number < len(charts))
        self.arrange()
        self.read_out(None)

    def read_out(self, pointed: tuple[int, int] | None) -> None:
        """Read out a bar, given the number of the chart and of the bin, or none for None."""
        for number, (panel, chart) in enumerate(zip(self.panels, self._histograms, strict=False)):
            bar = pointed[1] if pointed is not None and pointed[0] == number else -1
            panel.read_out(chart, self._scale, bar, self._counters)

    def arrange(self) -> None:
        """Lay out the histograms for the size."""
        if not self._histograms:
            return
        grid = grid_for(self._histograms, QSizeF(self.size()), self.look.font)
        shown = zip(self.panels, self._histograms, grid.plots(), strict=False)
        for number, (panel, chart, plot) in enumerate(shown):
            selected = self._selected[1] if self._selected is not None and self._selected[0] == number else None
            panel.show_histogram(chart, grid, self._scale, selected, self._counters, first=number % grid.cols == 0)
            panel.arrange(plot, grid)
