"""What views and panels share: they listen to the session, and rest while hidden."""

import time
from abc import abstractmethod
from typing import ClassVar
from weakref import WeakSet

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.model.changes import ChangeSet
from app.model.priority import Priority
from app.model.state import SearchPhase, State
from app.session.session import Session

LARGE = 200_000
"""Links from which on listeners catch up one after the other."""
TURN = 60
"""Milliseconds between two of them when all must be drawn anew."""
FRAME_MS = 16
"""Milliseconds between two of them while loads follow the pointer."""
PATIENCE = 4
"""Frames with changed loads for which they stand back before they take one of the pointer's."""
CALM = 2
"""Frames without changed loads after which they go on: changing and showing these has its frame for itself."""
SLICE = 0.04
"""Seconds that those who catch up together may take before the pointer and the keys are heard again."""


class Pacer(QObject):
    """Lets listeners catch up one in each frame, so that together they take no frame's time for themselves.

    What a search finds is not waited for by a pointer: there all catch up before any of them is painted, so that no two
    show different states. The search shows nothing else before that.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._queue: list[Listener] = []
        self._calm = 0
        """Frames since loads changed last."""
        self._waited = 0
        """Frames in which loads changed since a listener caught up."""
        session.changed.connect(self._on_session_changed)
        self._frame = QTimer(self, interval=FRAME_MS)
        self._frame.timeout.connect(self._on_frame_due)
        self._round: list[Listener] = []
        """Those that are still to catch up together."""
        self._still: list[Listener] = []
        """Those that are not painted until all have."""
        self._minded: WeakSet[Listener] = WeakSet()
        """Those whose end is heard of."""
        self._slice = QTimer(self, singleShot=True, interval=0)
        self._slice.timeout.connect(self._on_slice_due)

    @classmethod
    def of(cls, session: Session) -> "Pacer":
        """Return the pacer that all listeners of a session share."""
        return session.findChild(cls) or cls(session)

    def add(self, listener: "Listener") -> None:
        """Let a listener catch up when its turn comes; one that waits already goes on waiting."""
        if listener not in self._queue:
            self._queue.append(listener)
            # Those that show what is edited come before all others.
            self._queue.sort(key=lambda one: not one.prompt)
            self._mind(listener)
        if not self._frame.isActive():
            self._frame.start()

    def holds(self, listener: "Listener") -> bool:
        """Return whether a listener waits for its turn."""
        return listener in self._queue

    def add_together(self, listener: "Listener") -> None:
        """Let a listener catch up with others, and be painted when all have."""
        if listener not in self._round:
            self._round.append(listener)
            self._round.sort(key=lambda one: one.refresh_priority)
        if listener not in self._still:
            self._still.append(listener)
            listener.setUpdatesEnabled(False)
            self._mind(listener)
        self._session.optimiser.hold(True)
        self._slice.start()

    def gathers(self, listener: "Listener") -> bool:
        """Return whether a listener is still to catch up with others."""
        return listener in self._round

    def _on_slice_due(self) -> None:
        try:
            self._catch_up_some()
        finally:
            # Whatever goes wrong in one of them, none must stay unpainted.
            if self._round:
                self._slice.start()
            else:
                self._paint_all()

    def _catch_up_some(self) -> None:
        left = SLICE
        while self._round and (left == SLICE or self._round[0].took < left):
            listener = self._round.pop(0)
            listener.catch_up_if_visible()
            left -= listener.took

    def _paint_all(self) -> None:
        still, self._still = self._still, []
        for listener in still:
            listener.setUpdatesEnabled(True)
        self._session.optimiser.hold(False)

    def _mind(self, listener: "Listener") -> None:
        if listener not in self._minded:
            self._minded.add(listener)
            listener.destroyed.connect(lambda: self._drop(listener))

    def _drop(self, listener: "Listener") -> None:
        for waiting in (self._queue, self._round, self._still):
            if listener in waiting:
                waiting.remove(listener)

    def _on_session_changed(self, changes: ChangeSet, initiator: object) -> None:
        if ChangeSet.LOADS in changes:
            self._calm = 0

    def _on_frame_due(self) -> None:
        self._waited += self._calm == 0
        self._queue = [listener for listener in self._queue if listener.isVisible()]
        if not self._queue:
            self._frame.stop()
        elif self._calm >= (1 if self._urgent else CALM) or self._waited > 2 * PATIENCE:
            self._next()
        self._calm += 1

    @property
    def _urgent(self) -> bool:
        return bool(self._queue) and self._queue[0].prompt

    def take_frame(self) -> bool:
        """Use a frame that was meant for the pointer: for what is edited, or for who has stood back long enough.

        Return whether it was used.
        """
        due = self._urgent or (bool(self._queue) and self._waited >= PATIENCE)
        if due:
            self._next()
        return due

    def _next(self) -> None:
        if not self._urgent:
            self._waited = 0
        self._queue.pop(0).catch_up_if_visible()


class Listener(QWidget):
    """Shows something of the session's state. While hidden it gathers what it misses, and catches up when shown."""

    refresh_priority: ClassVar[Priority] = Priority.POINTER
    keeps_step: ClassVar[bool] = True
    """Whether it must show the same state as all others that show loads."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._missed = ChangeSet.ALL
        self.took = 0.0
        """Seconds for which it caught up last."""
        self._pacer = Pacer.of(session)
        session.changed.connect(self._on_session_changed)

    @property
    def state(self) -> State:
        """Return what the session holds now."""
        return self.session.state

    @property
    def prompt(self) -> bool:
        """Return whether it follows the pointer at once: what is edited, and what that leads to."""
        return self.refresh_priority is Priority.POINTER

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
        self.took = time.perf_counter() - started

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what was missed while hidden."""
        super().showEvent(event)
        self.catch_up()

    def _on_session_changed(self, changes: ChangeSet, initiator: object) -> None:
        self._missed |= changes
        if not self.isVisible():
            return
        found = ChangeSet.LOADS in changes and self.state.search.phase is not SearchPhase.NONE and self.keeps_step
        if found or self._pacer.gathers(self):
            self._pacer.add_together(self)
            return
        report = self.state.report
        large = report.load.size > LARGE
        follows = large or bool(self.state.edit.gesture)
        if large and changes & (ChangeSet.TOPOLOGY | ChangeSet.STYLE):
            # One after the other, so that the pointer and the keys are heard between them.
            QTimer.singleShot(TURN * (1 + self.refresh_priority), self, self.catch_up_if_visible)
        elif (large or not self.prompt) and (self._pacer.holds(self) or (follows and changes & ChangeSet.LOADS)):
            # On a large machine even what is edited has a frame for itself, the next one.
            self._pacer.add(self)
        else:
            self.catch_up()

    def catch_up_if_visible(self) -> None:
        """Catch up, unless it was hidden while it waited."""
        if self.isVisible():
            self.catch_up()
