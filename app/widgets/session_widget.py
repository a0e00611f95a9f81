"""The base of views and panels: refreshed when the session's state changes, idle while hidden.

A scheduler decides when each is refreshed, so that dragging stays smooth, and all widgets show a search's results at
once.
"""

import time
from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar

from PySide6.QtCore import QObject
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from app.background.timer import timer
from app.model.changes import ChangeSet
from app.model.priority import Priority
from app.model.state import State
from app.model.state_groups import SearchPhase
from app.session.session import Session
from app.style.motion import FRAME_MS

MAX_DEFERRED_FRAMES = 4
"""Frames a deferred refresh waits while loads keep changing; then it takes a pointer frame."""
QUIET_FRAMES = 2
"""Frames without load changes before deferred refreshes resume."""
BATCH_SECONDS = 0.04
"""Longest part of a batch between which input events are processed."""
LARGE_NETWORK = 200_000
"""Number of links from which refreshes of widgets are deferred, so that input events are processed in between."""
EVERYTHING = ChangeSet.TOPOLOGY | ChangeSet.STYLE
"""Changes for which every widget must be redrawn."""


class FarLook:
    """The session's state with larger type and marks, for projection."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.scale = 1.0
        """Scale of type and marks."""
        self._seen: tuple[State, float] | None = None
        self._state = session.state

    @property
    def state(self) -> State:
        """Return the scaled state; the same object while the session's state is the same."""
        now = self._session.state, self.scale
        if self._seen is None or self._seen[0] is not now[0] or self._seen[1] != now[1]:
            style = now[0].style
            self._seen, self._state = now, replace(now[0], style=replace(style, theme=style.theme.scaled(self.scale)))
        return self._state


class SessionWidget(QWidget):
    """A widget that shows the session's state. While hidden it collects changes, and refreshes when shown."""

    shows_loads_together: ClassVar[bool] = True
    """Whether it must always show the same state as other widgets with loads."""
    refresh_priority: ClassVar[Priority] = Priority.POINTER
    last_refresh_s = 0.0
    """Duration of the last refresh."""
    far_look: FarLook | None = None
    """The source of its state; None for the session."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._missed = ChangeSet.ALL
        self._drawn_state: State | None = None
        """The state shown, to paint it again while the state of another network waits; None while hidden."""
        self._scheduler = RefreshScheduler.of(session)
        session.changed.connect(self._on_session_changed)

    @property
    def state(self) -> State:
        """Return the current state, or the state shown until the network of the current one is shown."""
        if self._drawn_state is not None and self.behind:
            return self._drawn_state
        return self._latest_state

    @property
    def _latest_state(self) -> State:
        return self.pictured(self.session.state if self.far_look is None else self.far_look.state)

    def pictured(self, state: State) -> State:
        """Return the state to show for the session's state: itself, or A's in widgets that can show A alone."""
        return state

    def redraw(self) -> None:
        """Redraw everything, because the type size has changed."""
        self._on_session_changed(ChangeSet.STYLE)

    @property
    def immediate(self) -> bool:
        """Return whether it follows the pointer at once, as the view being edited and the throughput do."""
        return self.refresh_priority is Priority.POINTER

    @property
    def outdated(self) -> bool:
        """Return whether its contents have differed from the settings for more than a moment."""
        return self.session.state.outdated

    @property
    def behind(self) -> bool:
        """Return whether it does not show the state's network yet."""
        return ChangeSet.TOPOLOGY in self._missed

    @property
    def waits_for_others(self) -> bool:
        """Return whether it is refreshed, and painted, together with all other widgets."""
        return self._scheduler.in_batch(self)

    @abstractmethod
    def refresh(self, changes: ChangeSet) -> None:
        """Update for the state; `changes` lists the differences from the state shown."""

    def catch_up(self) -> None:
        """Refresh with all changes since the last refresh."""
        started = time.perf_counter()
        missed, self._missed = self._missed, ChangeSet.NONE
        if missed:
            self.refresh(missed)
        self._drawn_state = self._latest_state if self.isVisible() else None
        self.last_refresh_s = time.perf_counter() - started

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with changes made while hidden."""
        super().showEvent(event)
        self.catch_up()

    def hideEvent(self, event: QHideEvent) -> None:
        """Release the state shown, which may be large."""
        super().hideEvent(event)
        self._drawn_state = None

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if changes == ChangeSet.PROGRESS:
            return
        self._missed |= changes
        if not self.isVisible():
            return
        state = self.session.state
        searching = state.search.phase is not SearchPhase.NONE
        large = state.report.load.size > LARGE_NETWORK
        together = ChangeSet.LOADS in changes and searching and self.shows_loads_together
        if together or (large and changes & EVERYTHING) or self._scheduler.in_batch(self):
            self._scheduler.add_to_batch(self)
            return
        follows = large or bool(state.edit.gesture) or state.style.held_top is not None
        if (large or not self.immediate) and (
            self._scheduler.is_deferred(self) or (follows and changes & (ChangeSet.LOADS | ChangeSet.SCALE))
        ):
            # On a large machine even the edited view is refreshed in the next frame.
            self._scheduler.defer(self)
        else:
            self.catch_up()

    def catch_up_if_visible(self) -> None:
        """Refresh, unless it was hidden or deleted meanwhile."""
        if isValid(self) and self.isVisible():
            self.catch_up()


class RefreshScheduler(QObject):
    """Refreshes at most one deferred widget per frame, so that dragging stays smooth.

    Results of a search, and another large network, are shown in one batch: no widget is painted before all are
    refreshed, so that no two show different states, and a search waits for this.
    """

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._queue: list[SessionWidget] = []
        self._quiet = 0
        """Frames since the last change of loads."""
        self._waited = 0
        """Frames with changed loads since the last deferred refresh."""
        session.changed.connect(self._on_session_changed)
        self._frame = timer(self, FRAME_MS)
        self._frame.timeout.connect(self._on_frame_due)
        self._batch: list[SessionWidget] = []
        """Widgets still to be refreshed together."""
        self._frozen: list[SessionWidget] = []
        """Widgets that are not repainted until the batch is done."""
        self._slice = timer(self, 0, single_shot=True)
        self._slice.timeout.connect(self._on_slice_due)

    @classmethod
    def of(cls, session: Session) -> "RefreshScheduler":
        """Return the scheduler shared by all widgets of a session."""
        return session.findChild(cls) or cls(session)

    def defer(self, widget: SessionWidget) -> None:
        """Refresh a widget in a later frame; a widget already deferred keeps its place."""
        if widget not in self._queue:
            self._queue.append(widget)
            self._queue.sort(key=lambda waiting: not waiting.immediate)
        if not self._frame.isActive():
            self._frame.start()

    def is_deferred(self, widget: SessionWidget) -> bool:
        """Return whether a widget waits for its frame."""
        return widget in self._queue

    def add_to_batch(self, widget: SessionWidget) -> None:
        """Refresh a widget together with others, and paint it when all are refreshed."""
        if widget not in self._batch:
            self._batch.append(widget)
            self._batch.sort(key=lambda waiting: waiting.refresh_priority)
        if widget not in self._frozen:
            self._frozen.append(widget)
            widget.setUpdatesEnabled(False)
        self._session.optimiser.set_paused(True)
        self._slice.start()

    def in_batch(self, widget: SessionWidget) -> bool:
        """Return whether a widget is still to be refreshed together with others."""
        return widget in self._batch

    def _on_slice_due(self) -> None:
        try:
            self._refresh_some()
        finally:
            # If one raises, none must stay frozen.
            if self._batch:
                self._slice.start()
            else:
                self._paint_all()

    def _refresh_some(self) -> None:
        left = BATCH_SECONDS
        while self._batch and (left == BATCH_SECONDS or self._batch[0].last_refresh_s < left):
            widget = self._batch.pop(0)
            widget.catch_up_if_visible()
            left -= widget.last_refresh_s

    def _paint_all(self) -> None:
        frozen, self._frozen = self._frozen, []
        for widget in filter(isValid, frozen):
            widget.setUpdatesEnabled(True)
        self._session.optimiser.set_paused(False)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if ChangeSet.LOADS in changes:
            self._quiet = 0

    def _on_frame_due(self) -> None:
        self._waited += self._quiet == 0
        self._queue = [widget for widget in self._queue if isValid(widget) and widget.isVisible()]
        if not self._queue:
            self._frame.stop()
        elif self._quiet >= (1 if self._urgent else QUIET_FRAMES) or self._waited > 2 * MAX_DEFERRED_FRAMES:
            self._next()
        self._quiet += 1

    @property
    def _urgent(self) -> bool:
        return bool(self._queue) and self._queue[0].immediate

    def take_frame(self) -> bool:
        """Use a pointer frame to refresh an immediate widget, or one that was deferred long enough.

        Return whether the frame was used.
        """
        due = self._urgent or (bool(self._queue) and self._waited >= MAX_DEFERRED_FRAMES)
        if due:
            self._next()
        return due

    def _next(self) -> None:
        if not self._urgent:
            self._waited = 0
        self._queue.pop(0).catch_up_if_visible()
