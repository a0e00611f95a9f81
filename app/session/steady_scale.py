"""Holds the top of the colour scale during a gesture, so that links change colour only if their load changes.

Links that exceed the top are marked as for a frozen scale. After the gesture, the scale returns smoothly to the loads.
"""

import time
from dataclasses import replace

from PySide6.QtCore import QEasingCurve

from app.background.timer import timer
from app.model.changes import ChangeSet
from app.model.state_groups import StyleState
from app.session.store import Store
from app.style.colour import ScaleTop
from app.style.motion import FRAME_MS, moves

EASE_MS = 400
MAX_EASED_LINKS = 1 << 18
"""Maximum number of links for an animation; with more, frames take too long."""


class SteadyScale:
    """The part of a session that holds and releases the colour scale."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._start, self._began = ScaleTop(0.0), 0.0
        self._ease = QEasingCurve(QEasingCurve.Type.InOutCubic)
        self._frames = timer(store, FRAME_MS, precise=True)
        self._frames.timeout.connect(self._on_frame_due)
        store.changed.connect(self._on_changed)

    def held(self) -> StyleState:
        """Return the style with the current top of the scale held, unless nothing is loaded."""
        self._frames.stop()
        state = self._store.state
        top = state.scale_top
        return replace(state.style, held_top=top if top.time > 0 else None)

    def _on_changed(self, changes: ChangeSet) -> None:
        state = self._store.state
        if state.style.held_top is None or state.edit.gesture:
            return
        if ChangeSet.TOPOLOGY in changes or not self._eases():
            self._release()
        elif not self._frames.isActive():
            self._start, self._began = state.scale_top, time.perf_counter()
            self._frames.start()

    def _eases(self) -> bool:
        state = self._store.state
        fits = state.scale_top == state.fitting_top or state.utilisation.size > MAX_EASED_LINKS
        return not (fits or self._store.sync) and moves()

    def _on_frame_due(self) -> None:
        done, style = (time.perf_counter() - self._began) * 1000 / EASE_MS, self._store.state.style
        if done >= 1:
            self._release()
        else:
            top = self._start.towards(self._store.state.fitting_top, self._ease.valueForProgress(done))
            self._store.show_style(replace(style, held_top=top))

    def _release(self) -> None:
        self._frames.stop()
        self._store.show_style(replace(self._store.state.style, held_top=None))
