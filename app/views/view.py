"""What every view shares: it listens to the session, has a title, and can be drawn into a file."""

from abc import abstractmethod
from importlib import import_module
from typing import ClassVar

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter

from app.model.view_table import SPECS, ViewSpec
from app.widgets.session_widget import SessionWidget


class View(SessionWidget):
    """A picture of the session's state."""

    id: ClassVar[str] = ""
    """That of its line in the table of views."""
    title: ClassVar[str] = ""
    subtitle_changed = Signal(str)
    """One dim line beside the title: what is shown, and its unit."""
    title_changed = Signal(str)
    """Another title, where it names what is chosen."""

    def __init_subclass__(cls) -> None:
        """Take what the table of views says."""
        super().__init_subclass__()
        if "id" in cls.__dict__:
            cls.title, cls.refresh_priority = SPECS[cls.id].title, SPECS[cls.id].priority

    @abstractmethod
    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw what is seen into a rectangle of any paint device (PNG or SVG), at any size."""


def load(spec: ViewSpec) -> type[View]:
    """Return the class of a view's widget."""
    module, _, name = spec.widget.partition(":")
    found: type[View] = getattr(import_module(module), name)
    return found
