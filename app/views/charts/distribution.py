"""Histograms of the loads of links, one for each class, side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import log1p

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.model.changes import ChangeSet
from app.model.pointing import exists
from app.model.state import State
from app.session.session import Session
from app.style.colour import lookup_table
from app.views.charts.axes import EDGE, Axes, ChartAxis, ChartPainter, ChartView, PointedChart
from app.views.charts.histogram import BINS, Histogram, bin_text, count_ticks, histograms
from app.views.drawing import SMALL, blend, fitting, polygon, scaled_font
from app.views.legend import legend_ticks, reference_text
from app.widgets.painting import painter_on
from app.wording.numbers import load_percent
from core.text import plural

GOOD_SIZE = (180, 130)
"""Size of a readable chart: narrower ones are split into more rows, if these have its height."""
MIN_WIDTH = 110
MIN_SIZE = (56, 78)
"""Smallest size of a chart."""
BETWEEN = 28
"""Pixels between charts."""
GAP = 1.5
RIMLESS_PX = 3
"""Widest bar without a rim."""
LABEL_GAP = 5
"""Least distance of labels of an axis."""
POINTER_PX = 8
"""Pixels below the axis for the mark of the selected link."""

Bar = tuple[int, int]
"""Number of the chart, and of the bin in it."""


@dataclass(frozen=True, slots=True)
class ChartGrid:
    """The layout of the charts: rows of plots of one size."""

    area: QRectF
    rows: int
    cols: int
    highest: int
    """Links in the highest bar of all charts."""
    beyond: bool
    """Whether links exceed the scale: they have a bar of their own beyond its end."""
    font: QFont

    @property
    def left(self) -> float:
        """Return the width of counts left of the first column."""
        metrics = QFontMetricsF(scaled_font(self.font, SMALL))
        return metrics.horizontalAdvance(f"{count_ticks(self.highest)[-1]:,}") + metrics.height() + 8

    def axes(self) -> Iterator[Axes]:
        """Yield the axes of each chart, row by row: bars across; counts on a logarithmic scale, where 1 is visible."""
        across = ChartAxis(0.0, BINS + 2 if self.beyond else BINS)
        up = ChartAxis(0.0, log1p(max(self.highest, 1)), log1p)
        title, line = (QFontMetricsF(font).height() + 4 for font in (self.font, scaled_font(self.font, SMALL)))
        width = (self.area.width() - self.left - BETWEEN * (self.cols - 1)) / self.cols
        height = self.area.height() / self.rows
        for row in range(self.rows):
            for col in range(self.cols):
                x = self.area.left() + self.left + col * (width + BETWEEN)
                y = self.area.top() + row * height + title
                plot = QRectF(round(x), round(y), round(width), round(max(height - title - 2 * line - POINTER_PX, 8)))
                yield Axes(plot, across, up)


def grid_for(charts: tuple[Histogram, ...], size: QSizeF, font: QFont) -> ChartGrid:
    """Return the grid of some charts: as few rows as the width allows, evenly filled, none too low."""
    area = QRectF(EDGE, 2, max(size.width() - 2 * EDGE, 1), max(size.height() - 6, 1))
    count, highest = len(charts), max(max(int(chart.counts.max()), chart.beyond) for chart in charts)
    beyond = any(chart.beyond for chart in charts)

    def rows_of(width: float) -> int:
        return -(-count // max(1, min(count, int((area.width() + BETWEEN) // (width + BETWEEN)))))

    # Narrow charts are better than charts hardly higher than their texts.
    high_enough = max(1, int(area.height() // GOOD_SIZE[1]))
    rows = max(min(rows_of(GOOD_SIZE[0]), high_enough), rows_of(MIN_WIDTH))
    rows = max(min(rows, max(1, int(area.height() // MIN_SIZE[1]))), rows_of(MIN_SIZE[0]))
    return ChartGrid(area, rows, -(-count // rows), highest, beyond, font)


class DistributionView(PointedChart, ChartView):
    """One histogram for each link class."""

    id = "distribution"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.histograms: tuple[Histogram, ...] = ()
        self.pointed: Bar | None = None
        """The bar that is read out."""
        self.setMouseTracking(True)

    def refresh(self, changes: ChangeSet) -> None:
        """Count again, or only redraw."""
        if changes & (ChangeSet.LOADS | ChangeSet.STYLE | ChangeSet.TOPOLOGY):
            self.histograms = histograms(self.state)
            self.pointed = None
            self.subtitle_changed.emit(self.subtitle())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the charts."""
        with painter_on(self, smooth=True) as painter:
            painter.fillRect(self.rect(), QColor(self.state.style.theme.panel))
            self.draw(painter, QSizeF(self.size()))

    def axes(self) -> list[Axes]:
        """Return the axes of each chart."""
        if not self.histograms:
            return []
        grid = grid_for(self.histograms, QSizeF(self.size()), self.font())
        return list(islice(grid.axes(), len(self.histograms)))

    def mark_at(self, where: QPointF) -> Bar | None:
        """Return the bar whose column contains a point; bar `BINS` holds what exceeds the scale."""
        for chart, axes in enumerate(self.axes()):
            if axes.plot.contains(where):
                column = min(int((where.x() - axes.plot.left()) / axes.unit_px), int(axes.across.high) - 1)
                return (chart, min(column, BINS)) if column != BINS else None
        return None

    def point_at(self, mark: Bar | None) -> None:
        """Read out a bar, or none."""
        if mark != self.pointed:
            self.pointed = mark
            self.update()

    def subtitle(self) -> str:
        """Return the quantity and its unit."""
        time = reference_text(self.state)
        if not self.histograms or not time:
            return "nothing is loaded" if self.histograms else ""
        return f"links by load · load ÷ bandwidth, 100 % = {time}"

    def draw(self, painter: QPainter, size: QSizeF, *, for_file: bool = False) -> None:
        """Draw every chart; the one with the hovered bar reads it out."""
        grid, chosen = grid_for(self.histograms, size, self.font()), _chosen(self.state)
        for k, (chart, axes) in enumerate(zip(self.histograms, grid.axes(), strict=False)):
            bar = self.pointed[1] if self.pointed is not None and self.pointed[0] == k else None
            drawing = HistogramPainter(painter, axes, grid, self.state)
            drawing.draw(chart, bar, labels=k % grid.cols == 0)
            if chosen is not None and chosen[0] == k:
                drawing.draw_pointer(chosen[1])


def _chosen(state: State) -> tuple[int, float] | None:
    # The class of the selected link, and its position in bars.
    item, evaluation = state.selection, state.evaluation
    if item is None or item.kind != "link" or not exists(item, evaluation.case):
        return None
    value = state.utilisation[item.index : item.index + 1]
    column = float(state.style.scale.coordinate(value)[0]) * BINS - 0.5
    beyond = state.style.scale.exceeds(value)[0]
    return int(evaluation.case.network.class_of[item.index]), BINS + 1.5 if beyond else column


class HistogramPainter(ChartPainter):
    """One drawing of a histogram."""

    def __init__(self, painter: QPainter, axes: Axes, grid: ChartGrid, state: State) -> None:
        super().__init__(painter, axes, state.style.theme, grid.font)
        self._grid, self._scale = grid, state.style.scale

    def draw(self, chart: Histogram, pointed: int | None, *, labels: bool) -> None:
        """Draw it; with `labels` the counts have text."""
        self._counts(labels=labels)
        self._bars(chart, pointed)
        self._bottom()
        self._texts(chart, pointed)

    def draw_pointer(self, column: float) -> None:
        """Draw a triangle on the axis at the selected link."""
        x, y, size = self._axes.x(column), self._plot.bottom() + 1, self._theme.scale
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(self._theme.accent))
        self._painter.drawPolygon(polygon([(x - 5 * size, y + 7 * size), (x + 5 * size, y + 7 * size), (x, y)]))

    def _counts(self, *, labels: bool) -> None:
        line, marks = self._metrics.height(), []
        previous = self._plot.bottom() + line
        for count in count_ticks(self._grid.highest):
            y = round(self._axes.y(count)) + 0.5
            if previous - y >= line:
                previous = y
                marks.append((float(count), f"{count:,}"))
        self._draw_levels(marks, labels=labels)
        if labels:
            self._draw_title(("links, log scale", "links, log"), self._plot.left() - self._grid.left, 8)

    def _bars(self, chart: Histogram, pointed: int | None) -> None:
        plot, axes, theme = self._plot, self._axes, self._theme
        table = lookup_table(self._scale.map, theme.dark)
        rim = blend(theme.panel, theme.text, 0.32)
        for index, count in enumerate([*chart.counts.tolist(), chart.beyond]):
            if not count:
                continue
            height = max(axes.up.part(count) * plot.height(), 2.0)
            column = index + (index == BINS)
            left, right = round(axes.x(column)), round(axes.x(column + 1))
            bar = QRectF(left + 0.5, round(plot.bottom() - height) + 0.5, right - left - GAP, round(height))
            place = (index + 0.5) / BINS if 0 < index < BINS - 1 else float(index > 0)
            colour = QColor(theme.beyond) if index == BINS else QColor(*table[round(place * 255)].tolist())
            # A rim would cover the narrowest bars.
            edge = rim if right - left > RIMLESS_PX else colour
            self._painter.setPen(QColor(theme.text) if index == pointed else edge)
            self._painter.setBrush(colour)
            self._painter.drawRect(bar)

    def _bottom(self) -> None:
        self._draw_base(self._theme.text, 0.6)
        baseline = self._plot.bottom() + POINTER_PX + self._metrics.ascent()
        labels = (*legend_ticks(self._scale), (1.0, "100 %"))
        for left, text in axis_labels(labels, BINS * self._axes.unit_px, self._metrics):
            self._painter.drawText(QPointF(self._plot.left() + left, baseline), text)
        if self._grid.beyond:
            self._painter.setPen(QColor(self._theme.beyond))
            left = self._axes.x(BINS + 1.5) - self._metrics.horizontalAdvance(">") / 2
            self._painter.drawText(QPointF(left, baseline), ">")

    def _texts(self, chart: Histogram, pointed: int | None) -> None:
        painter, plot, metrics = self._painter, self._plot, self._metrics
        painter.setFont(scaled_font(self._font, 1.0, bold=True))
        painter.setPen(QColor(self._theme.text))
        room = min(plot.width() + BETWEEN, self._grid.area.right() + EDGE - plot.left()) - 8
        titles = (f"{chart.name}: {plural(chart.links, 'link')}", f"{chart.name}: {chart.links:,}", chart.name)
        painter.drawText(QPointF(plot.left(), plot.top() - 6), fitting(titles, room, QFontMetricsF(painter.font())))
        painter.setFont(self._small)
        highest = f"max {load_percent(chart.highest)}"
        text = f"mean {load_percent(chart.mean)}, {highest}"
        texts: tuple[str, ...] = (f"{text}, {chart.idle:,} idle",) * bool(chart.idle) + (text, highest)
        if pointed is not None:
            count = int(chart.counts[pointed]) if pointed < BINS else chart.beyond
            texts = (f"{plural(count, 'link')} at {bin_text(self._scale, pointed)}",)
        painter.setPen(QColor(self._theme.dim if pointed is None else self._theme.accent))
        baseline = plot.bottom() + POINTER_PX + metrics.height() + 3 + metrics.ascent()
        painter.drawText(QPointF(plot.left(), baseline), fitting(texts, room, metrics))


def axis_labels(labels: Sequence[tuple[float, str]], width: float, metrics: QFontMetricsF) -> list[tuple[float, str]]:
    """Return the labels of an axis that fit, with the pixel where each begins, given (position from 0 to 1, text).

    The last is always included and ends at the axis's end; the first begins at its start, the others are centred.
    """
    wide = [metrics.horizontalAdvance(text) for _, text in labels]
    last = width - wide[-1]
    found, end = ([(0.0, labels[0][1])], wide[0]) if wide[0] + LABEL_GAP <= last else ([], 0.0)
    for (place, text), size in zip(labels[1:-1], wide[1:-1], strict=True):
        left = place * width - size / 2
        if left >= end + LABEL_GAP and left + size <= last - LABEL_GAP:
            found.append((left, text))
            end = left + size
    return [*found, (last, labels[-1][1])]
