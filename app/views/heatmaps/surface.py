"""A scene in pixels with a free hand on top, a pointer, and a way into files: where heatmaps are drawn."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QGraphicsItem, QGraphicsScene, QGraphicsView, QStyleOptionGraphicsItem, QWidget

Draw = Callable[[QPainter], None]
Arrange = Callable[[QSizeF], None]


class Surface(QGraphicsView):
    """Shows a scene whose unit is the pixel. `arrange` places its items for a size, `draw` paints over them."""

    moved = Signal(QPointF)
    """The pointer is here, no matter whether a button is held."""
    pressed = Signal(QPointF)
    left = Signal()

    def __init__(self, arrange: Arrange, draw: Draw, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place = arrange
        self._overlay = Overlay(draw)
        # A scene without a parent may be destroyed before what it shows.
        scene = QGraphicsScene(self)
        scene.addItem(self._overlay)
        self.setScene(scene)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(False)

    def set_background(self, colour: str) -> None:
        """Fill what nothing is drawn on."""
        self.setBackgroundBrush(QColor(colour))

    def arrange(self) -> None:
        """Place everything anew in the size that the widget has."""
        self._arrange_for(QSizeF(self.size()))

    def redraw(self) -> None:
        """Paint over the items anew."""
        self._overlay.update()

    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Arrange for the size of a rectangle, and draw into it; the caller calls `arrange` afterwards."""
        self._arrange_for(area.size())
        self.scene().render(painter, area, QRectF(QPointF(), area.size()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange for the new size."""
        super().resizeEvent(event)
        self.setSceneRect(QRectF(QPointF(), QSizeF(self.size())))
        self.arrange()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave keys to whoever is behind: arrows scroll nothing here."""
        event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell where the pointer is."""
        self.moved.emit(event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Tell of the left button; the others are left to whoever is behind."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.pressed.emit(event.position())
        else:
            event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take the end of a press."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Take the second press as a press."""
        self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to whoever is behind."""
        event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        """Tell that the pointer has gone."""
        self.left.emit()

    def _arrange_for(self, size: QSizeF) -> None:
        self._place(size)
        self._overlay.set_size(size)


class Overlay(QGraphicsItem):
    """What is painted by hand over the items of a scene."""

    def __init__(self, draw: Draw) -> None:
        super().__init__()
        self._draw = draw
        self._size = QSizeF()
        self.setZValue(10)

    def set_size(self, size: QSizeF) -> None:
        """Cover the scene."""
        self.prepareGeometryChange()
        self._size = QSizeF(size)
        self.update()

    def boundingRect(self) -> QRectF:
        """Return the whole scene."""
        return QRectF(QPointF(), self._size)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Let the view draw."""
        painter.save()
        self._draw(painter)
        painter.restore()
