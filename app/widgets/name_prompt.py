"""Asking for a name: one field that floats over the window. Enter takes it, Esc closes, a bad name is said beneath."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QVBoxLayout, QWidget

from core.spec import SpecError

WIDTH = 380
BELOW = 60
"""Pixels between the top of the window and the prompt."""
HINT = "Enter to keep the name, Esc to leave"


class NamePrompt(QDialog):
    """Hands what is typed to `take`, which raises SpecError for a name that cannot be.

    Parameters
    ----------
    question
        What the name is for.
    name
        What stands in the field, selected, so that typing replaces it.
    """

    def __init__(self, parent: QWidget | None, question: str, name: str, take: Callable[[str], object]) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName("name-prompt")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._take = take
        self.field = QLineEdit(name)
        self.field.selectAll()
        self.field.textEdited.connect(self._on_field_text_edited)
        self.message = QLabel(HINT, textFormat=Qt.TextFormat.PlainText)
        self.message.setProperty("role", "dim")
        self.message.setWordWrap(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        title = QLabel(question, textFormat=Qt.TextFormat.PlainText)
        title.setProperty("role", "title")
        for widget in (title, self.field, self.message):
            layout.addWidget(widget)

    def popup(self) -> None:
        """Show it near the top of its parent's window, ready to type."""
        self.resize(WIDTH, self.sizeHint().height())
        parent = self.parentWidget()
        if parent is not None:
            window = parent.window()
            corner = window.mapToGlobal(window.rect().topLeft())
            self.move(corner.x() + (window.width() - WIDTH) // 2, corner.y() + BELOW)
        self.show()
        self.field.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the name on Enter."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)
            return
        try:
            self._take(self.field.text())
        except SpecError as error:
            self._say(error.message[:1].upper() + error.message[1:], "error")
            return
        self.close()

    def _on_field_text_edited(self) -> None:
        self._say(HINT, "dim")

    def _say(self, text: str, role: str) -> None:
        self.message.setText(text)
        if self.message.property("role") != role:
            self.message.setProperty("role", role)
            self.message.style().polish(self.message)
        self.resize(WIDTH, self.sizeHint().height())
