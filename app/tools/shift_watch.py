"""Hears of the Shift key while a button is held, whoever has the focus."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent

KEYS = (QEvent.Type.KeyPress, QEvent.Type.KeyRelease)


class ShiftWatch(QObject):
    """Listens to all keys of the application, but only between `start` and `stop`."""

    turned = Signal(bool)
    """Shift is held from now on, or no longer."""

    def start(self) -> None:
        """Listen."""
        application = QCoreApplication.instance()
        if application is not None:
            application.installEventFilter(self)

    def stop(self) -> None:
        """Listen no more."""
        application = QCoreApplication.instance()
        if application is not None:
            application.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Tell of the key; take nothing."""
        if isinstance(event, QKeyEvent) and event.type() in KEYS and event.key() == Qt.Key.Key_Shift:
            self.turned.emit(event.type() == QEvent.Type.KeyPress)
        return False
