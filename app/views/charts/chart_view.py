"""The base of views with a chart."""

from abc import abstractmethod

from PySide6.QtCore import QRectF, QSizeF
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.views.drawing import EDGE, fitting
from app.views.view import View


class ChartView(View):
    """A view with a chart, which in pictures has a title above."""

    @abstractmethod
    def draw(self, painter: QPainter, size: QSizeF) -> None:
        """Draw another chart of the same content into a file, from the origin."""

    @abstractmethod
    def subtitle(self) -> str:
        """Return the dim line next to the title."""

    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw title and chart into a rectangle."""
        self.catch_up()
        head = QFontMetricsF(self.font()).height() + 8
        painter.save()
        painter.setFont(self.font())
        painter.setPen(QColor(self.state.style.theme.dim))
        line = QRectF(area.left() + EDGE, area.top() + 6, area.width() - 2 * EDGE, head)
        heads = [f"{self.title}: {self.subtitle()}", self.title]
        painter.drawText(line, fitting(heads, line.width(), QFontMetricsF(self.font())))
        painter.translate(area.left(), area.top() + head)
        self.draw(painter, QSizeF(area.width(), area.height() - head))
        painter.restore()
