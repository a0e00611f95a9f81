"""Histograms of the loads of links, one for each class, side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QWidget

from app.model.changes import ChangeSet
from app.model.pointing import exists
from app.model.state import State
from app.session.session import Session
from app.style.colour import lookup_table
from app.views.charts.axes import EDGE, AxisPainter
from app.views.charts.histogram import BINS, Histogram, bin_text, count_ticks, height_of, histograms
from app.views.drawing import SMALL, blend, scaled
from app.views.legend import reference_text, ticks
from app.views.view import View
from app.wording.numbers import load_percent
from core.text import plural

GOOD_SIZE = (180, 130)
"""Pixels of a chart below whose width charts go into another row, if those then have its height."""
MIN_WIDTH = 110
MIN_SIZE = (56, 78)
"""Pixels of a chart that are needed at least: charts below that height would lie upon each other."""
BETWEEN = 28
"""Pixels between charts."""
GAP = 1.5
SLIM = 3
"""Pixels of a bar up to which it has no rim."""
LABEL_GAP = 5
"""Least pixels between labels of an axis."""
MARK = 8
"""Pixels below the axis for the mark of the chosen link."""

Bar = tuple[int, int]
"""Number of the chart, and of the bin in it."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Where the charts are: rows of plots of one size."""

    area: QRectF
    rows: int
    cols: int
    highest: int
    """Links in the highest bar of all."""
    beyond: bool
    """Whether links exceed the scale: they get a bar of their own, one bar's width past its end."""
    font: QFont

    @property
    def small(self) -> QFont:
        """Return the font of labels."""
        return scaled(self.font, SMALL)

    @property
    def left(self) -> float:
        """Return the room for counts left of the first column."""
        metrics = QFontMetricsF(self.small)
        return metrics.horizontalAdvance(f"{count_ticks(self.highest)[-1]:,}") + metrics.height() + 8

    @property
    def columns(self) -> int:
        """Return how many bars' widths a plot is wide."""
        return BINS + 2 if self.beyond else BINS

    @property
    def share(self) -> float:
        """Return the part of a plot's width that the scale takes."""
        return BINS / self.columns

    def plots(self) -> Iterator[QRectF]:
        """Yield the rectangle of bars of each chart, row by row."""
        title, line = (QFontMetricsF(font).height() + 4 for font in (self.font, self.small))
        width = (self.area.width() - self.left - BETWEEN * (self.cols - 1)) / self.cols
        height = self.area.height() / self.rows
        for row in range(self.rows):
            for col in range(self.cols):
                x = self.area.left() + self.left + col * (width + BETWEEN)
                y = self.area.top() + row * height + title
                yield QRectF(round(x), round(y), round(width), round(max(height - title - 2 * line - MARK, 8)))


def grid_for(charts: tuple[Histogram, ...], size: QSizeF, font: QFont) -> Grid:
    """Return the grid of some charts: as few rows as the width allows, evenly filled, none too low to read."""
    area = QRectF(EDGE, 2, max(size.width() - 2 * EDGE, 1), max(size.height() - 6, 1))
    count, highest = len(charts), max(max(int(chart.counts.max()), chart.beyond) for chart in charts)
    beyond = any(chart.beyond for chart in charts)

    def rows_of(width: float) -> int:
        return -(-count // max(1, min(count, int((area.width() + BETWEEN) // (width + BETWEEN)))))

    # Charts narrower than is good are better than charts that are hardly higher than their texts.
    high_enough = max(1, int(area.height() // GOOD_SIZE[1]))
    rows = max(min(rows_of(GOOD_SIZE[0]), high_enough), rows_of(MIN_WIDTH))
    rows = max(min(rows, max(1, int(area.height() // MIN_SIZE[1]))), rows_of(MIN_SIZE[0]))
    return Grid(area, rows, -(-count // rows), highest, beyond, font)


class DistributionView(View):
    """One histogram for each link class."""

    id = "distribution"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self._histograms: tuple[Histogram, ...] = ()
        self._pointed: Bar | None = None
        self.setMouseTracking(True)

    @property
    def histograms(self) -> tuple[Histogram, ...]:
        """Return what is shown."""
        return self._histograms

    @property
    def pointed(self) -> Bar | None:
        """Return the bar that is read out."""
        return self._pointed

    def refresh(self, changes: ChangeSet) -> None:
        """Count again, or only draw again."""
        if changes & (ChangeSet.LOADS | ChangeSet.STYLE | ChangeSet.TOPOLOGY):
            self._histograms = histograms(self.state)
            self._pointed = None
            self.subtitle_changed.emit(self._subtitle())
        self.update()

    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw title and charts into a rectangle."""
        self.catch_up()
        head = QFontMetricsF(self.font()).height() + 8
        painter.save()
        painter.setFont(self.font())
        painter.setPen(QColor(self.state.style.theme.dim))
        line = QRectF(area.left() + EDGE, area.top() + 6, area.width() - 2 * EDGE, head)
        painter.drawText(line, f"{self.title}: {self._subtitle()}")
        painter.translate(area.left(), area.top() + head)
        self._draw(painter, QSizeF(area.width(), area.height() - head))
        painter.restore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the charts."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self.state.style.theme.panel))
        self._draw(painter, QSizeF(self.size()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Read out the bar under the pointer."""
        self._point_at(self.bar_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Read out nothing."""
        self._point_at(None)

    def plot_rects(self) -> list[QRectF]:
        """Return where the bars of each chart are."""
        if not self._histograms:
            return []
        grid = grid_for(self._histograms, QSizeF(self.size()), self.font())
        return list(islice(grid.plots(), len(self._histograms)))

    def bar_at(self, where: QPointF) -> Bar | None:
        """Return the bar in whose column a point lies; bar `BINS` is what exceeds the scale."""
        for chart, plot in enumerate(self.plot_rects()):
            if plot.contains(where):
                columns = grid_for(self._histograms, QSizeF(self.size()), self.font()).columns
                column = min(int((where.x() - plot.left()) / plot.width() * columns), columns - 1)
                return (chart, min(column, BINS)) if column != BINS else None
        return None

    def _point_at(self, bar: Bar | None) -> None:
        if bar != self._pointed:
            self._pointed = bar
            self.update()

    def _subtitle(self) -> str:
        time = reference_text(self.state)
        if not self._histograms or not time:
            return "nothing is loaded" if self._histograms else ""
        return f"number of links by load ÷ bandwidth, 100 % = {time}"

    def _draw(self, painter: QPainter, size: QSizeF) -> None:
        grid = grid_for(self._histograms, size, self.font())
        Charts(painter, grid, self.state).draw(self._histograms, self._pointed)


class Charts:
    """One drawing of all charts."""

    def __init__(self, painter: QPainter, grid: Grid, state: State) -> None:
        self._painter, self._grid, self._state = painter, grid, state
        self._theme = state.style.theme
        self._line = QFontMetricsF(grid.small).height()

    def draw(self, charts: tuple[Histogram, ...], pointed: Bar | None) -> None:
        """Draw every chart; the one of the pointed bar reads it out."""
        highest, chosen = self._grid.highest, self._chosen()
        for k, (chart, plot) in enumerate(zip(charts, self._grid.plots(), strict=False)):
            bar = pointed[1] if pointed is not None and pointed[0] == k else None
            self._counts(plot, highest, labels=k % self._grid.cols == 0)
            self._bars(chart, plot, highest, bar)
            self._axis(plot)
            self._texts(chart, plot, bar)
            if chosen is not None and chosen[0] == k:
                self._pointer(plot, chosen[1])

    def _chosen(self) -> tuple[int, float] | None:
        # The class of the chosen link, and where in the plot it lies, 0 to 1.
        item, evaluation = self._state.selection, self._state.evaluation
        if item is None or item.kind != "link" or not exists(item, evaluation.case):
            return None
        value = self._state.utilisation[item.index : item.index + 1]
        column = float(self._state.style.scale.coordinate(value)[0]) * BINS - 0.5
        if self._state.style.scale.exceeds(value)[0]:
            column = BINS + 1.5
        return int(evaluation.case.network.class_of[item.index]), column / self._grid.columns

    def _counts(self, plot: QRectF, highest: int, *, labels: bool) -> None:
        axes, previous, marks = self._axes(plot), plot.bottom() + self._line, []
        for count in count_ticks(highest):
            y = plot.bottom() - height_of(count, highest) * plot.height()
            if previous - (round(y) + 0.5) >= self._line:
                previous = round(y) + 0.5
                marks.append((y, f"{count:,}"))
        axes.draw_levels(marks, labels=labels)
        if labels:
            text = "links, log scale"
            room = plot.height() + 8
            text = text if QFontMetricsF(self._grid.small).horizontalAdvance(text) <= room else "links, log"
            axes.draw_title(text, plot.left() - self._grid.left)

    def _axes(self, plot: QRectF) -> AxisPainter:
        return AxisPainter(self._painter, plot, self._theme, self._grid.font)

    def _bars(self, chart: Histogram, plot: QRectF, highest: int, pointed: int | None) -> None:
        table = lookup_table(self._state.style.scale.map, self._theme.dark)
        width = plot.width() / self._grid.columns
        rim = blend(self._theme.panel, self._theme.text, 0.32)
        for index, count in enumerate([*chart.counts.tolist(), chart.beyond]):
            if not count:
                continue
            height = max(height_of(count, highest) * plot.height(), 2.0)
            column = index + (index == BINS)
            left, right = round(plot.left() + column * width), round(plot.left() + (column + 1) * width)
            bar = QRectF(left + 0.5, round(plot.bottom() - height) + 0.5, right - left - GAP, round(height))
            place = (index + 0.5) / BINS if 0 < index < BINS - 1 else float(index > 0)
            colour = QColor(self._theme.beyond) if index == BINS else QColor(*table[round(place * 255)].tolist())
            # Of the narrowest a rim would leave nothing.
            edge = rim if right - left > SLIM else colour
            self._painter.setPen(QColor(self._theme.text) if index == pointed else edge)
            self._painter.setBrush(colour)
            self._painter.drawRect(bar)

    def _axis(self, plot: QRectF) -> None:
        painter, metrics = self._painter, QFontMetricsF(self._grid.small)
        self._axes(plot).draw_base(self._theme.text, 0.6)
        labels = (*ticks(self._state.style.scale), (1.0, "100 %"))
        for left, text in axis_labels(labels, plot.width() * self._grid.share, metrics):
            painter.drawText(QPointF(plot.left() + left, plot.bottom() + MARK + metrics.ascent()), text)
        if self._grid.beyond:
            painter.setPen(QColor(self._theme.beyond))
            left = plot.right() - plot.width() / self._grid.columns / 2 - metrics.horizontalAdvance(">") / 2
            painter.drawText(QPointF(left, plot.bottom() + MARK + metrics.ascent()), ">")

    def _texts(self, chart: Histogram, plot: QRectF, pointed: int | None) -> None:
        painter, theme = self._painter, self._theme
        painter.setFont(scaled(self._grid.font, 1.0, bold=True))
        painter.setPen(QColor(theme.text))
        room = min(plot.width() + BETWEEN, self._grid.area.right() + EDGE - plot.left()) - 8
        titles = (f"{chart.name}: {plural(chart.links, 'link')}", f"{chart.name}: {chart.links:,}", chart.name)
        title = fitting(titles, room, QFontMetricsF(painter.font()))
        painter.drawText(QPointF(plot.left(), plot.top() - 6), title)
        painter.setFont(self._grid.small)
        metrics = QFontMetricsF(self._grid.small)
        highest = f"max {load_percent(chart.highest)}"
        text = f"mean {load_percent(chart.mean)}, {highest}"
        texts = (f"{text}, {chart.idle:,} idle",) * bool(chart.idle) + (text, highest)
        text = fitting(texts, room, metrics)
        if pointed is not None:
            count = int(chart.counts[pointed]) if pointed < BINS else chart.beyond
            text = f"{plural(count, 'link')} at {bin_text(self._state.style.scale, pointed)}"
        painter.setPen(QColor(theme.dim if pointed is None else theme.accent))
        baseline = plot.bottom() + MARK + self._line + 3 + metrics.ascent()
        painter.drawText(QPointF(plot.left(), baseline), metrics.elidedText(text, ELIDE, room))

    def _pointer(self, plot: QRectF, place: float) -> None:
        # A triangle on the axis where the chosen link lies.
        x, y = plot.left() + place * plot.width(), plot.bottom() + 1
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(QColor(self._theme.accent))
        self._painter.drawPolygon(QPolygonF([QPointF(x - 5, y + 7), QPointF(x + 5, y + 7), QPointF(x, y)]))


def fitting(texts: Sequence[str], width: float, metrics: QFontMetricsF) -> str:
    """Return the first of some texts that fits into a width, else what of the last one fits."""
    found = next((text for text in texts if metrics.horizontalAdvance(text) <= width), texts[-1])
    return metrics.elidedText(found, ELIDE, width)


def axis_labels(labels: Sequence[tuple[float, str]], width: float, metrics: QFontMetricsF) -> list[tuple[float, str]]:
    """Return the labels of an axis that fit, with the pixel where each begins, given (place from 0 to 1, text).

    The last is always there and ends at the axis's end; the first begins at its start, the others stand around
    their places.
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


ELIDE = Qt.TextElideMode.ElideRight
