"""Pending input of a form, until it is committed."""

from typing import Any

from PySide6.QtCore import QObject, Signal

from app.background.timer import timer

TYPING_PAUSE_MS = 300
"""Pause after which typed text is committed."""


class PendingInput(QObject):
    """The field being typed in and its value: committed after a pause, by Enter, or when another field is typed in."""

    meant = Signal(str, object)
    """(field, value or `Refusal`)."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._waiting: tuple[str, Any] | None = None
        self._pause = timer(self, TYPING_PAUSE_MS, single_shot=True)
        self._pause.timeout.connect(self.flush)

    @property
    def waiting(self) -> bool:
        """Return whether there is pending input."""
        return self._waiting is not None

    def note(self, name: str, value: Any, at_once: bool) -> None:
        """Set the value of a field, and commit it if `at_once`."""
        if self._waiting is not None and self._waiting[0] != name:
            self.flush()
        self._waiting = (name, value)
        if at_once:
            self.flush()
        else:
            self._pause.start()

    def flush(self) -> None:
        """Commit pending input now."""
        waiting = self._waiting
        self.drop()
        if waiting is not None:
            self.meant.emit(*waiting)

    def drop(self) -> None:
        """Discard pending input."""
        self._pause.stop()
        self._waiting = None
