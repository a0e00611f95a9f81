"""A line of text that consumes only the events meant for it."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit


class LineEdit(QLineEdit):
    """A line edit. Drops on it go to the window, and so do undo and redo when nothing typed is left to undo."""

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(False)
        self.editingFinished.connect(self._on_self_editing_finished)

    def event(self, event: QEvent) -> bool:
        """Leave undo and redo to the window if there is no typed text to undo."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            undoes, redoes = map(event.matches, (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo))
            if (undoes and not self.isUndoAvailable()) or (redoes and not self.isRedoAvailable()):
                event.ignore()
                return False
        return super().event(event)

    def _on_self_editing_finished(self) -> None:
        # From here on it is a step of the window's history: Qt forgets the letters when the text is set.
        place = self.cursorPosition()
        self.setText(self.text())
        self.setCursorPosition(place)
