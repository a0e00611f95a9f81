"""The widget of the timeline's chart: its pointer and its keys move the cursor of the session."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from app.views.charts.host import ChartHolder
from app.views.charts.timeline_lanes import Mark

if TYPE_CHECKING:
    from app.views.charts.timeline import TimelineView
    from app.views.charts.timeline_chart import TimelineChart


class TimelinePlot(ChartHolder["TimelineChart"], QWidget):
    """The blocks and rows; it is as high as all rows need."""

    def __init__(self, view: "TimelineView") -> None:
        super().__init__()
        self._view = view
        self.setMinimumHeight(60)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Timeline")

    def make_chart(self, parent: QWidget | None) -> "TimelineChart":
        """Return a new chart."""
        from app.views.charts.timeline_chart import TimelineChart

        return TimelineChart(parent)

    def connect_chart(self, chart: "TimelineChart") -> None:
        """Follow the pointer."""
        chart.picked.connect(self._on_picked)
        chart.named.connect(self._view.session.select)
        chart.pointed.connect(self.point_at)

    def background(self) -> str:
        """Return the colour of the widget while there is no chart."""
        return self._view.state.style.theme.panel

    def fill(self, chart: "TimelineChart") -> None:
        """Show the timelines; only on the screen what is under the pointer, in files the part that is on the screen."""
        view = self._view
        chart.dress(view.state.style.theme, self.font())
        chart.show_message(view.message)
        chart.show_timelines(view.content())
        chart.move_cursor(view.under_cursor)
        if chart is self.chart:
            chart.read_out(view.pointed)
        elif self.chart is not None:
            chart.show_part_of(self.chart)

    def point_at(self, mark: Mark | None) -> None:
        """Read out a step, or none."""
        self._view.pointed = mark
        if self.chart is not None:
            self.chart.read_out(mark)

    @property
    def zoomed(self) -> bool:
        """Return whether only a part of the time is shown."""
        return self.chart is not None and self.chart.zoomed

    def show_all(self) -> None:
        """Show the whole time."""
        if self.chart is not None:
            self.chart.show_all()

    def follow_scrolling(self) -> None:
        """Draw the focus frame and the readout where they are visible now."""
        if self.chart is not None:
            self.chart.viewport().update()
            self.chart.read_out(self._view.pointed)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu to remove rows."""
        where = QPointF(event.pos())
        item = self.chart.item_at(where) if self.chart is not None else None
        self._view.menu_for(item).popup(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Zoom, or show the whole time by Home; else move the cursor."""
        if self.chart is not None and self.chart.press(event):
            return
        if self._view.player.press(Qt.Key(event.key())):
            self.point_at(None)  # a readout at the pointer would hide the cursor
        else:
            super().keyPressEvent(event)

    def _on_picked(self, mark: Mark) -> None:
        self._view.player.go_to(mark.step)
