"""A square in a colour, as a legend."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.widgets.painting import painter_on

OUTLINE_PX = 2


class Swatch(QWidget):
    """A square as high as the text next to it."""

    def __init__(self) -> None:
        super().__init__()
        self.colour: QColor | None = None
        self.outlined = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return a square."""
        return QSize(1, 1) * self.fontMetrics().ascent()

    def show_colour(self, colour: QColor | None, *, outlined: bool = False) -> None:
        """Show a colour, or none; as an outline if requested."""
        self.colour, self.outlined = colour, outlined
        self.setVisible(colour is not None)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the square."""
        if self.colour is not None:
            with painter_on(self) as painter:
                if self.outlined:
                    painter.setPen(QPen(self.colour, OUTLINE_PX))
                    inset = OUTLINE_PX / 2
                    painter.drawRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset))
                else:
                    painter.fillRect(self.rect(), self.colour)
