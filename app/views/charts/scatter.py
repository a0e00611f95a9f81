"""Scatter plots of two figures; a click picks a point."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from app.style.theme import DARK, Theme
from app.views.charts.host import ChartHolder
from app.views.charts.scatter_data import Dot, ScatterData

if TYPE_CHECKING:
    from app.views.charts.scatter_chart import ScatterChart

STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
ENTER = Qt.Key.Key_Return, Qt.Key.Key_Enter
MAX_DESCRIBED = 50
"""Maximum number of points in the accessible description."""


class ScatterPlot(ChartHolder["ScatterChart"], QWidget):
    """Shows a scatter; a click on a point picks it. Arrows go from point to point, and Enter picks."""

    picked = Signal(int)
    """Row of the point that was clicked."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.scatter = ScatterData()
        self._theme, self._message, self._hovered = DARK, "", -1
        self.setMinimumSize(240, 120)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)

    def show_scatter(self, scatter: ScatterData, theme: Theme, message: str) -> None:
        """Show other points, or `message` if there are none."""
        self.scatter, self._theme, self._message = scatter, theme, message
        points = ", ".join(f"{dot.name} {dot.x:g}, {dot.y:g}".strip() for dot in scatter.dots[:MAX_DESCRIBED])
        self.setAccessibleDescription(f"{scatter.y_title} against {scatter.x_title}: {points}" if points else message)
        self.show_chart()

    def make_chart(self, parent: QWidget | None) -> "ScatterChart":
        """Return a new chart."""
        from app.views.charts.scatter_chart import ScatterChart

        return ScatterChart(parent)

    def connect_chart(self, chart: "ScatterChart") -> None:
        """Read out and pick the point under the pointer."""
        chart.hovered.connect(self._on_hovered)
        chart.pointer_left.connect(self._on_pointer_left)
        chart.range_changed.connect(self._on_pointer_left)
        chart.clicked.connect(self._on_clicked)

    def fill(self, chart: "ScatterChart") -> None:
        """Show the points; in files the same part, without the highlight of the one under the pointer."""
        chart.dress(self._theme, self.font())
        chart.show_scatter(self.scatter, self._message)
        if self.chart is not None and chart is not self.chart:
            chart.show_part_of(self.chart)

    def background(self) -> str:
        """Return the colour of the widget while there is no chart."""
        return self._theme.panel

    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw the points into a rectangle of a file."""
        self.draw_chart(painter, area)

    def place_of(self, dot: Dot) -> QPointF:
        """Return the pixel of a point."""
        assert self.chart is not None
        return self.chart.place_of(dot)

    def mark_at(self, where: QPointF) -> Dot | None:
        """Return the point at a pixel."""
        return self.chart.dot_at(where) if self.chart is not None and self.scatter.dots else None

    def point_at(self, mark: Dot | None) -> None:
        """Highlight a point and show its figures, or none."""
        row = mark.row if mark is not None else -1
        if row != self._hovered:
            self._hovered = row
            self.setCursor(Qt.CursorShape.PointingHandCursor if mark is not None else Qt.CursorShape.ArrowCursor)
            self.setToolTip("" if mark is None else self._mark_text(mark))
            if self.chart is not None:
                self.chart.point_at(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go to the next point at the left or at the right, or pick the highlighted point."""
        key = Qt.Key(event.key())
        if key in STEPS and self.scatter.dots:
            self._go(STEPS[key])
        elif key in ENTER and self._hovered >= 0:
            self.picked.emit(self._hovered)
        else:
            super().keyPressEvent(event)

    def _go(self, step: int) -> None:
        if self.chart is None:
            return
        dots = sorted(filter(self.chart.shows, self.scatter.dots), key=lambda dot: (dot.panel, dot.x, dot.y))
        rows = [dot.row for dot in dots]
        current = self._hovered if self._hovered in rows else self.scatter.chosen
        if dots:
            dot = dots[(rows.index(current) + step) % len(rows) if current in rows else min(step, 0)]
            self.point_at(dot)
            QToolTip.showText(self.mapToGlobal(self.place_of(dot).toPoint()), self.toolTip(), self)

    def _mark_text(self, dot: Dot) -> str:
        shown = self.scatter
        if shown.describe is not None:
            return shown.describe(dot.row)
        return f"{dot.name}\n{shown.x_title}: {dot.x:,.5g}\n{shown.y_title}: {dot.y:,.5g}"

    def _on_hovered(self, where: QPointF) -> None:
        self.point_at(self.mark_at(where))

    def _on_pointer_left(self) -> None:
        self.point_at(None)

    def _on_clicked(self, where: QPointF) -> None:
        mark = self.mark_at(where)
        if mark is not None:
            self.picked.emit(mark.row)
