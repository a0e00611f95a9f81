"""The base of widgets with a chart of pyqtgraph, which is imported after the window's first frame."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QEvent, QRectF, QSizeF, QTimer
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from app.background.late_import import LateImport
from app.views.charts.chart_view import ChartView
from app.widgets.painting import painter_on

if TYPE_CHECKING:
    from app.views.charts.kit.chart import Chart

    Widget = QWidget
else:

    class Widget:
        """No widget: PySide loses the signals of a class with two bases that are widgets."""


CHARTS = LateImport("app.views.charts.kit.chart")
"""The module that makes charts; it imports pyqtgraph, which takes a quarter of a second."""
AnyChart = TypeVar("AnyChart", bound="Chart")


class ChartHolder(Widget, Generic[AnyChart]):
    """A widget with a chart that fills it. Until pyqtgraph is imported it is empty.

    It is the first base of the widget, before QWidget or one of its subclasses; views of the session are `ChartHost`.
    """

    chart: AnyChart | None = None
    """The chart on the screen, or None before it is made."""
    _unseen: AnyChart | None = None
    """The chart that is drawn into files, many times for films."""
    _asked = False

    @abstractmethod
    def make_chart(self, parent: QWidget | None) -> AnyChart:
        """Return a new chart; its module is imported here, not before."""

    @abstractmethod
    def fill(self, chart: AnyChart) -> None:
        """Show the content in a chart, with the theme, and the font of the widget."""

    @abstractmethod
    def background(self) -> str:
        """Return the colour of the widget while there is no chart."""

    def connect_chart(self, chart: AnyChart) -> None:
        """Connect the signals of the chart on the screen."""

    def show_chart(self) -> None:
        """Update the chart on the screen for the current content of the widget."""
        if self.chart is not None:
            self.fill(self.chart)
        else:
            self.update()

    def draw_chart(self, painter: QPainter, area: QRectF) -> None:
        """Draw another chart of the same content into a rectangle of a file."""
        if self._unseen is None:
            self._unseen = self.make_chart(None)
        self.fill(self._unseen)
        self._unseen.paint_to(painter, area)

    def showEvent(self, event: QShowEvent) -> None:
        """Make the chart at once if that needs no import."""
        super().showEvent(event)
        if CHARTS.is_done:
            self.build()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the background, and ask for the chart when the first frame is on the screen."""
        with painter_on(self) as painter:
            painter.fillRect(self.rect(), QColor(self.background()))
        if self.chart is None and not self._asked:
            self._asked = True
            QTimer.singleShot(0, self, self._ask)

    def _ask(self) -> None:
        CHARTS.when_done(self, self.build)

    def build(self) -> None:
        """Make the chart on the screen, unless it exists."""
        if self.chart is not None:
            return
        self.chart = chart = self.make_chart(self)
        chart.setAccessibleName(self.accessibleName())
        self.connect_chart(chart)
        chart.resize(self.size())
        self.fill(chart)
        chart.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the chart to the view."""
        super().resizeEvent(event)
        if self.chart is not None:
            self.chart.resize(self.size())

    def changeEvent(self, event: QEvent) -> None:
        """Follow the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.show_chart()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the focus frame."""
        super().focusInEvent(event)
        self._frame_changed()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the focus frame."""
        super().focusOutEvent(event)
        self._frame_changed()

    def _frame_changed(self) -> None:
        if self.chart is not None:
            self.chart.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the chart show its whole range by Home."""
        if self.chart is not None:
            self.chart.keyPressEvent(event)
        if self.chart is None or not event.isAccepted():
            super().keyPressEvent(event)


class ChartHost(ChartHolder[AnyChart], ChartView):
    """A view of the session with a chart."""

    def background(self) -> str:
        """Return the colour of the view while there is no chart."""
        return self.state.style.theme.panel

    def draw(self, painter: QPainter, size: QSizeF) -> None:
        """Draw another chart of the same content into a file."""
        self.draw_chart(painter, QRectF(0, 0, size.width(), size.height()))

    def build(self) -> None:
        """Make the chart on the screen, unless it exists, below the cover of outdated results."""
        super().build()
        if not self.cover.isHidden():
            self.cover.raise_()
