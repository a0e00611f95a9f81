"""The Shift key while a button is held, whichever widget has the focus."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

KEYS = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)


class ShiftWatch(QObject):
    """Listens to all keys of the application between `start` and `stop`."""

    toggled = Signal(bool)
    """Whether Shift is now held."""

    def start(self) -> None:
        """Listen."""
        self._application().installEventFilter(self)

    def stop(self) -> None:
        """Stop listening."""
        self._application().removeEventFilter(self)

    def _application(self) -> QCoreApplication:
        application = QCoreApplication.instance()
        assert application is not None
        return application

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Report the key, without consuming it."""
        if isinstance(event, QKeyEvent) and event.type() in KEYS and event.key() == Qt.Key.Key_Shift:
            self.toggled.emit(event.type() == QEvent.Type.KeyPress)
        return False
