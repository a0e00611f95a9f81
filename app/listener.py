"""What views and panels share: they listen to the session, and rest while hidden."""

from abc import abstractmethod
from typing import ClassVar

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.session import ChangeSet, Session, State

LARGE = 200_000
"""Links from which on listeners catch up one after the other."""
TURN = 60
"""Milliseconds between two of them."""


class Listener(QWidget):
    """Shows something of the session's state. While hidden it gathers what it misses, and catches up when shown."""

    turn: ClassVar[int] = 0
    """When it catches up on a large machine: what matters most first."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._missed = ChangeSet.ALL
        session.changed.connect(self._on_session_changed)

    @property
    def state(self) -> State:
        """Return what the session holds now."""
        return self.session.state

    @abstractmethod
    def refresh(self, changes: ChangeSet) -> None:
        """Bring what is shown up to date with the state; `changes` tells what differs from what was shown."""

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
        if not self.isVisible():
            return
        report = self.state.report
        if changes & (ChangeSet.TOPOLOGY | ChangeSet.STYLE) and report is not None and report.load.size > LARGE:
            # One after the other, so that the pointer and the keys are heard between them.
            QTimer.singleShot(TURN * (1 + self.turn), self, self._catch_up_if_visible)
        else:
            self.catch_up()

    def _catch_up_if_visible(self) -> None:
        if self.isVisible():
            self.catch_up()
