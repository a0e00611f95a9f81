"""What is being typed into a form, until it is meant."""

from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

TYPING_PAUSE_MS = 300
"""After this long without a key what was typed is taken as meant."""


class Typed(QObject):
    """The field that is typed in and its value: meant after a pause, by Enter, or once another field is typed in."""

    meant = Signal(str, object)
    """(field, value or `Refusal`)."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: tuple[str, Any] | None = None
        self._pause = QTimer(self, singleShot=True, interval=TYPING_PAUSE_MS)
        self._pause.timeout.connect(self.flush)

    @property
    def waiting(self) -> bool:
        """Return whether something was typed that is not meant yet."""
        return self._waiting is not None

    def note(self, name: str, value: Any, at_once: bool) -> None:
        """Note a value that a field has now; `at_once`: it is meant as it stands."""
        if self._waiting is not None and self._waiting[0] != name:
            self.flush()
        self._waiting = (name, value)
        if at_once:
            self.flush()
        else:
            self._pause.start()

    def flush(self) -> None:
        """Take what was typed as meant, now."""
        waiting = self._waiting
        self.drop()
        if waiting is not None:
            self.meant.emit(*waiting)

    def drop(self) -> None:
        """Forget what was typed."""
        self._pause.stop()
        self._waiting = None
