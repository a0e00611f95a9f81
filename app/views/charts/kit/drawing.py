"""Drawings in an area."""

from abc import abstractmethod

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsObject, QStyleOptionGraphicsItem, QWidget

from app.views.charts.kit.area import Area
from app.views.charts.kit.look import Look, plain_look
from app.widgets.painting import reported_once


class Drawing(QGraphicsObject):
    """A drawing in pixels over an area, redrawn when the range, the size or the look changes.

    It is drawn straight into the painter of the screen or the file: never through a `QPicture`, which has another size
    on devices of another resolution.

    Parameters
    ----------
    z
        Drawings with a higher value are on top.
    cached
        Whether its picture is kept while others above it move.
    """

    def __init__(self, area: Area, *, z: float = 0.0, cached: bool = False) -> None:
        super().__init__(area)
        self.area = area
        self.look: Look = plain_look()
        self.setZValue(z)
        if cached:
            self.setCacheMode(self.CacheMode.DeviceCoordinateCache)
        area.sigRangeChanged.connect(self._on_area_changed)
        area.sigResized.connect(self._on_area_changed)

    @abstractmethod
    def draw(self, painter: QPainter) -> None:
        """Draw it: the origin is the top left corner of the area."""

    def dress(self, look: Look) -> None:
        """Apply a theme and font."""
        self.look = look
        self.update()

    def snapped(self, x: float, y: float) -> tuple[float, float]:
        """Return a point of the area moved to the nearest corner of a pixel of the chart."""
        corner = self.scenePos()
        return round(corner.x() + x) - corner.x(), round(corner.y() + y) - corner.y()

    def boundingRect(self) -> QRectF:
        """Return the rectangle in which it can draw."""
        return self.area.drawn

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Draw it; an error is reported once, not at every repaint."""
        with reported_once(self):
            self.draw(painter)

    def _on_area_changed(self, *_: object) -> None:
        self.prepareGeometryChange()
        self.update()
