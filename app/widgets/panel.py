"""The base of the panels around the views, which follow the session and scroll."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from app.session.session import Session
from app.widgets.layouts import ScrollArea, column
from app.widgets.session_widget import SessionWidget

MARGIN = 12
MIN_PX = 216
"""Minimum width of any panel."""


class Content(QWidget):
    """The scrolled content of a panel, as high as needed for its actual width (Qt uses the minimum width)."""

    def minimumSizeHint(self) -> QSize:
        """Return the height of wrapped text at the current width."""
        width = super().minimumSizeHint().width()
        return QSize(width, self.heightForWidth(max(self.width(), width)))


class Panel(SessionWidget):
    """A column of widgets that scrolls; sideways only where its dock is narrower. Subclasses fill `column`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        content = Content()
        self.column = column(of=content, margins=(MARGIN, 4, MARGIN, MARGIN), spacing=4)
        self._area = ScrollArea(content, MIN_PX)
        column(self._area, of=self)

    def scroll_to(self, part: QWidget) -> None:
        """Scroll a part of the panel into view."""
        self._area.ensureWidgetVisible(part)
