"""The layout of the histograms of a distribution: rows of plots of one size."""

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF

from app.views.charts.histogram import BINS, Histogram, count_ticks
from app.views.drawing import EDGE, SMALL, scaled_font

GOOD_SIZE = (180, 130)
"""Size of a readable chart: narrower ones are split into more rows, if these have its height."""
MIN_WIDTH = 110
MIN_SIZE = (56, 78)
"""Minimum size of a chart."""
BETWEEN = 28
"""Pixels between charts."""
POINTER_PX = 8
"""Pixels below the axis for the mark of the selected link."""


@dataclass(frozen=True, slots=True)
class ChartGrid:
    """The layout of the charts: rows of plots of one size."""

    area: QRectF
    rows: int
    cols: int
    highest: int
    """Links in the highest bar of all charts."""
    beyond: bool
    """Whether links exceed the scale: they have a separate bar beyond its end."""
    font: QFont

    @property
    def left(self) -> float:
        """Return the width of counts left of the first column."""
        metrics = QFontMetricsF(scaled_font(self.font, SMALL))
        return metrics.horizontalAdvance(f"{count_ticks(self.highest)[-1]:,}") + metrics.height() + 8

    @property
    def columns(self) -> int:
        """Return how many bars fit across a chart."""
        return BINS + 2 if self.beyond else BINS

    def plots(self) -> Iterator[QRectF]:
        """Yield the plot of each chart, row by row, on whole pixels."""
        title, line = (QFontMetricsF(font).height() + 4 for font in (self.font, scaled_font(self.font, SMALL)))
        width = (self.area.width() - self.left - BETWEEN * (self.cols - 1)) / self.cols
        height = self.area.height() / self.rows
        for row in range(self.rows):
            for col in range(self.cols):
                x = self.area.left() + self.left + col * (width + BETWEEN)
                y = self.area.top() + row * height + title
                high = max(height - title - 2 * line - POINTER_PX, 8)
                yield QRectF(round(x), round(y), max(round(width), 1), round(high))


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
