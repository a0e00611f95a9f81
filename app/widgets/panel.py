"""What the panels beside the views share: they listen to the session, and scroll."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

from app.session.session import Session
from app.widgets.layouts import ScrollArea, column
from app.widgets.session_widget import SessionWidget

MARGIN = 12
MIN_PX = 216
"""Width to which a panel can be made, whatever it shows."""


class Content(QWidget):
    """What a panel scrolls: as high as it must be at its width (Qt asks for the height at the least width)."""

    def minimumSizeHint(self) -> QSize:
        """Return the height that wrapped sentences need at the width there is."""
        width = super().minimumSizeHint().width()
        return QSize(width, self.heightForWidth(max(self.width(), width)))


class Panel(SessionWidget):
    """A column of widgets that scrolls; sideways only where its dock is narrower. Subclasses fill `column`."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        content = Content()
        self.column = column(of=content, margins=(MARGIN, 4, MARGIN, MARGIN), spacing=4)
        column(ScrollArea(content, MIN_PX), of=self)
