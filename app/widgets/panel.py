"""What the panels beside the views share: they listen to the session, and scroll."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.session.session import Session
from app.widgets.session_widget import SessionWidget

MARGIN = 12


class Content(QWidget):
    """What a panel scrolls: as high as it must be at its width (Qt asks for the height at the least width)."""

    def minimumSizeHint(self) -> QSize:
        """Return the height that wrapped sentences need at the width there is."""
        least = super().minimumSizeHint()
        return QSize(least.width(), self.heightForWidth(max(self.width(), least.width())))


class Panel(SessionWidget):
    """A column of widgets that scrolls upwards and downwards only. Subclasses fill `column`."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, parent)
        content = Content()
        self.column = QVBoxLayout(content)
        self.column.setContentsMargins(MARGIN, 4, MARGIN, MARGIN)
        self.column.setSpacing(4)
        self._area = QScrollArea()
        self._area.setWidget(content)
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        # Tab goes from field to field, and the area follows; it would show no focus itself.
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._area)
