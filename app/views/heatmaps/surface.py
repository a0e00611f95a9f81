"""The widget on which heatmaps are painted, with pointer and key signals."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.widgets.painting import painter_on

Draw = Callable[[QPainter], None]
Arrange = Callable[[QSizeF], None]
KEY_STEPS = {Qt.Key.Key_Down: (1, 0), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Left: (0, -1)}
NO_MODIFIER = (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier)
"""Modifiers of plain arrow keys, including the keypad's."""


class Surface(QWidget):
    """Shows what `draw` paints; `arrange` lays it out for a size."""

    moved = Signal(QPointF)
    """The pointer has moved here, with or without a button."""
    pressed = Signal(QPointF)
    taken = Signal(QPointF)
    """Pressed with Ctrl."""
    left = Signal()
    stepped = Signal(int, int)
    """An arrow key: rows down and columns right."""

    def __init__(self, arrange: Arrange, draw: Draw, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._place, self._draw = arrange, draw
        self._background = QColor()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)

    def set_background(self, colour: str) -> None:
        """Set the background colour."""
        self._background = QColor(colour)

    def arrange(self) -> None:
        """Lay everything out for the widget's size."""
        self._place(QSizeF(self.size()))
        self.update()

    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Arrange for the size of a rectangle, and draw into it; the caller calls `arrange` afterwards."""
        self._place(area.size())
        painter.save()
        painter.translate(area.topLeft())
        self._draw(painter)
        painter.restore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw everything."""
        with painter_on(self) as painter:
            painter.fillRect(self.rect(), self._background)
            self._draw(painter)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Arrange for the new size."""
        super().resizeEvent(event)
        self.arrange()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Emit the pointer's position."""
        self.moved.emit(event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Emit presses of the left button; other presses are passed on."""
        if event.button() == Qt.MouseButton.LeftButton:
            taken = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            (self.taken if taken else self.pressed).emit(event.position())
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Emit arrow keys."""
        step = KEY_STEPS.get(Qt.Key(event.key()))
        if step is not None and event.modifiers() in NO_MODIFIER:
            self.stepped.emit(*step)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Consume the release of a press."""

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Handle a double click as a press."""
        self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """Emit that the pointer has left."""
        self.left.emit()
