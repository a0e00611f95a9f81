"""What every view shares: it listens to the session, has a title, and can be drawn into a file."""

from abc import abstractmethod
from typing import ClassVar

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter

from app.widgets.listener import Listener


class View(Listener):
    """A picture of the session's state."""

    title: ClassVar[str] = ""
    subtitle_changed = Signal(str)
    """One dim line beside the title: what is shown, and its unit."""
    title_changed = Signal(str)
    """Another title, where it names what is chosen."""

    @abstractmethod
    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw what is seen into a rectangle of any paint device (PNG or SVG), at any size."""
