"""The base of views and panels: refreshed when the session's state changes, idle while hidden."""

import time
from abc import abstractmethod
from typing import ClassVar

from PySide6.QtCore import QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.model.changes import ChangeSet
from app.model.state import SearchPhase, State
from app.session.session import Session
from app.widgets.scheduler import RefreshScheduler, ScheduledWidget

LARGE = 200_000
"""Links from which on widgets are refreshed one after the other."""
STAGGER_MS = 60
"""Milliseconds between two of these when all must be drawn anew."""


class SessionWidget(ScheduledWidget):
    """Shows something of the session's state. While hidden it gathers changes, and refreshes when shown."""

    shows_loads_together: ClassVar[bool] = True
    """Whether it must show the same state as all others that show loads."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._missed = ChangeSet.ALL
        self._scheduler = RefreshScheduler.of(session)
        session.changed.connect(self._on_session_changed)

    @property
    def state(self) -> State:
        """Return what the session holds now."""
        return self.session.state

    @property
    def behind(self) -> bool:
        """Return whether it shows another network than the state's, or none yet."""
        return ChangeSet.TOPOLOGY in self._missed

    @abstractmethod
    def refresh(self, changes: ChangeSet) -> None:
        """Bring what is shown up to date with the state; `changes` tells what differs from what was shown."""

    def catch_up(self) -> None:
        """Refresh with everything that changed since the last time."""
        started = time.perf_counter()
        missed, self._missed = self._missed, ChangeSet.NONE
        if missed:
            self.refresh(missed)
        self.last_refresh_s = time.perf_counter() - started

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was missed while hidden."""
        super().showEvent(event)
        self.catch_up()

    def _on_session_changed(self, changes: ChangeSet) -> None:
        self._missed |= changes
        if not self.isVisible():
            return
        searching = self.state.search.phase is not SearchPhase.NONE
        together = ChangeSet.LOADS in changes and searching and self.shows_loads_together
        if together or self._scheduler.in_batch(self):
            self._scheduler.add_to_batch(self)
            return
        large = self.state.report.load.size > LARGE
        follows = large or bool(self.state.edit.gesture)
        if large and changes & (ChangeSet.TOPOLOGY | ChangeSet.STYLE):
            # One after the other, so that events of pointer and keyboard are processed between them.
            QTimer.singleShot(STAGGER_MS * (1 + self.refresh_priority), self, self.catch_up_if_visible)
        elif (large or not self.immediate) and (
            self._scheduler.is_deferred(self) or (follows and changes & ChangeSet.LOADS)
        ):
            # On a large machine even what is edited has a frame for itself, the next one.
            self._scheduler.defer(self)
        else:
            self.catch_up()

    def catch_up_if_visible(self) -> None:
        """Refresh, unless it was hidden while it waited."""
        if self.isVisible():
            self.catch_up()
