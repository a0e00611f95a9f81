"""What every view shares: it listens to the session, rests while hidden, and can be drawn into a file."""

from abc import abstractmethod
from typing import ClassVar

from PySide6.QtCore import QRectF, QTimer, Signal
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QWidget

from app.session import ChangeSet, Session, State

LARGE = 200_000
"""Links from which on the views catch up one after the other."""
TURN = 40
"""Milliseconds between two of them."""


class View(QWidget):
    """A picture of the session's state. Hidden views gather what they miss and catch up when shown."""

    title: ClassVar[str] = ""
    turn: ClassVar[int] = 0
    """When it catches up on a large machine: the most important views first."""
    subtitle_changed = Signal(str)
    """One dim line beside the title: what is shown, and its unit."""
    title_changed = Signal(str)
    """Another title, where it names what is chosen."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._missed = ChangeSet.ALL
        session.changed.connect(self._on_changed)

    @property
    def state(self) -> State:
        """Return what the session holds now."""
        return self.session.state

    @abstractmethod
    def refresh(self, changes: ChangeSet) -> None:
        """Bring the picture up to date with the state; `changes` tells what differs from what was drawn."""

    @abstractmethod
    def paint_to(self, painter: QPainter, area: QRectF) -> None:
        """Draw what is seen into a rectangle of any paint device (PNG or SVG), at any size."""

    def catch_up(self) -> None:
        """Refresh with everything that changed since the last time."""
        missed, self._missed = self._missed, ChangeSet.NONE
        if missed:
            self.refresh(missed)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was missed while hidden."""
        super().showEvent(event)
        self.catch_up()

    def _on_changed(self, changes: ChangeSet, initiator: object) -> None:
        self._missed |= changes
        if not self.isVisible():
            return
        report = self.state.report
        if changes & (ChangeSet.TOPOLOGY | ChangeSet.STYLE) and report is not None and report.load.size > LARGE:
            # One view after the other, so that the pointer and the keys are heard between them.
            QTimer.singleShot(TURN * self.turn, self, self._catch_up_if_visible)
        else:
            self.catch_up()

    def _catch_up_if_visible(self) -> None:
        if self.isVisible():
            self.catch_up()
