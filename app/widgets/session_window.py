"""Windows other than the main window: their size, and their common keys."""

from collections.abc import Iterable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from app.model.priority import Priority
from app.session.session import Session
from app.widgets.menu_parts import open_menu_of_parts
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

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the table under the pointer."""
        if not open_menu_of_parts(self, event):
            super().contextMenuEvent(event)

    def leave(self) -> None:
        """Close it by Escape."""
        self.close()


def take_keys(window: QWidget, actions: Iterable[QAction]) -> None:
    """Close a window by Escape and Ctrl+W, and let it have the shortcuts of some commands.

    Popups and fields with wrong text take Escape first. The main window's shortcuts do not reach another window.
    """
    leave = window.leave if isinstance(window, SessionWindow) else window.close
    QShortcut(QKeySequence(Qt.Key.Key_Escape), window, leave)
    QShortcut(QKeySequence(QKeySequence.StandardKey.Close), window, window.close)
    window.addActions([*actions])


def bring(window: QWidget) -> None:
    """Show a window in front of the others."""
    window.show()
    window.raise_()
    window.activateWindow()
