"""The frame around a view or panel: a title, a dim line beside it, and room for small controls."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget


class ElidedLabel(QLabel):
    """A label that shortens its text to the room it has."""

    def minimumSizeHint(self) -> QSize:
        """Let the label shrink to nothing rather than widen the window."""
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text with an ellipsis where it does not fit."""
        painter = QPainter(self)
        text = QFontMetrics(self.font()).elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.contentsRect(), self.alignment(), text)


class Card(QFrame):
    """A titled frame."""

    def __init__(self, title: str, body: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setObjectName(title.lower().replace(" ", "-"))
        self.body = body
        self._title = QLabel(title)
        self._title.setProperty("role", "title")
        self._subtitle = ElidedLabel("")
        self._subtitle.setProperty("role", "dim")
        self._subtitle.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._subtitle.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 4)
        head.setSpacing(10)
        head.addWidget(self._title)
        head.addWidget(self._subtitle, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(body, 1)

    @property
    def title(self) -> str:
        """Return the title."""
        return self._title.text()

    def set_title(self, title: str) -> None:
        """Change the title."""
        self._title.setText(title)

    def set_subtitle(self, text: str) -> None:
        """Show a dim line beside the title; shortened where there is no room, in full as a tool tip."""
        self._subtitle.setText(text)
        self._subtitle.setToolTip(text)
