"""What the panels beside the views share: they listen to the session, rest while hidden, and scroll."""

from abc import abstractmethod

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.session import ChangeSet, Session, State

MARGIN = 12


class Content(QWidget):
    """What a panel scrolls: as high as it must be at its width (Qt asks for the height at the least width)."""

    def minimumSizeHint(self) -> QSize:
        """Return the height that wrapped sentences need at the width there is."""
        least = super().minimumSizeHint()
        return QSize(least.width(), self.heightForWidth(max(self.width(), least.width())))


class Panel(QWidget):
    """A column of widgets that scrolls upwards and downwards only. Subclasses fill `column`."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._missed = ChangeSet.ALL
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
        session.changed.connect(self._on_session_changed)

    @property
    def state(self) -> State:
        """Return what the session holds now."""
        return self.session.state

    @abstractmethod
    def refresh(self, changes: ChangeSet) -> None:
        """Bring the widgets up to date with the state; `changes` tells what differs from what was shown."""

    def catch_up(self) -> None:
        """Refresh with everything that changed since the last time."""
        missed, self._missed = self._missed, ChangeSet.NONE
        if missed:
            self.refresh(missed)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was missed while hidden."""
        super().showEvent(event)
        self.catch_up()

    def _on_session_changed(self, changes: ChangeSet, initiator: object) -> None:
        self._missed |= changes
        if self.isVisible():
            self.catch_up()
