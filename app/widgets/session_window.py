"""A separate window beside the main window."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QWidget

from app.model.priority import Priority
from app.session.session import Session
from app.widgets.session_widget import SessionWidget

SIZE = QSize(1460, 880)
"""Usual size; smaller on a small screen."""
FRAME = QSize(60, 60)
"""Pixels for window frame and task bar."""


class SessionWindow(SessionWidget):
    """A window that shows the session's state."""

    refresh_priority = Priority.WINDOWS

    def __init__(self, session: Session, title: str, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        self.setWindowFlag(Qt.WindowType.Window)
        self.setWindowTitle(title)
        self.resize(SIZE.boundedTo(self.screen().availableSize() - FRAME))
