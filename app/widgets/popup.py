"""Dialogs with a text field that float over the window; Esc closes them."""

from abc import abstractmethod
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLabel, QLineEdit, QWidget

from app.widgets.labels import set_role, with_role
from app.widgets.layouts import column
from core.spec import SpecError

WIDTH = 26
"""Width of a prompt, in line heights."""
TOP_PX = 60
"""Pixels between the top of the window and a popup."""
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
HINT = "Enter to accept, Esc to cancel"


class Popup(QDialog):
    """Floats near the top of its window, and is deleted when it closes."""

    def __init__(self, name: str, parent: QWidget | None) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setObjectName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.field = QLineEdit()
        self.field.installEventFilter(self)

    def popup(self) -> None:
        """Show it, ready to type."""
        parent = self.parentWidget()
        if parent is not None:
            self.place(parent.window())
        self.show()
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Pass keys of the field to `take_key` first."""
        if watched is self.field and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self.take_key(event)
        return super().eventFilter(watched, event)

    @abstractmethod
    def take_key(self, event: QKeyEvent) -> bool:
        """Handle a key pressed in the field; return whether it was consumed."""

    def place(self, window: QWidget) -> None:
        """Move to its place over the window."""
        corner = window.mapToGlobal(window.rect().topLeft())
        self.move(corner.x() + (window.width() - self.width()) // 2, corner.y() + TOP_PX)


class NamePrompt(Popup):
    """Asks for a name: Enter passes it to `take`, which raises SpecError, shown beneath, for an invalid one.

    The field starts with `name` selected, so that typing replaces it.
    """

    def __init__(self, parent: QWidget | None, question: str, name: str, take: Callable[[str], object]) -> None:
        super().__init__("name-prompt", parent)
        self._take = take
        self.field.setText(name)
        self.field.selectAll()
        self.field.textEdited.connect(self._on_field_text_edited)
        self.message = with_role(QLabel(HINT, textFormat=Qt.TextFormat.PlainText, wordWrap=True), "dim")
        title = with_role(QLabel(question, textFormat=Qt.TextFormat.PlainText), "title")
        column(title, self.field, self.message, of=self, margins=(12, 10, 12, 10))
        self.resize(WIDTH * self.fontMetrics().height(), self.sizeHint().height())

    def take_key(self, event: QKeyEvent) -> bool:
        """Submit the name on Enter."""
        if event.key() not in ENTER:
            return False
        try:
            self._take(self.field.text())
        except SpecError as error:
            self._say(error.message[:1].upper() + error.message[1:], "error")
        else:
            self.close()
        return True

    def _on_field_text_edited(self) -> None:
        self._say(HINT, "dim")

    def _say(self, text: str, role: str) -> None:
        self.message.setText(text)
        set_role(self.message, role)
        self.resize(WIDTH * self.fontMetrics().height(), self.sizeHint().height())
