"""The controls of the timeline's cursor: previous step, play, next step, speed, and all steps together."""

import time
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from app.background.timer import timer
from app.model.state import State
from app.model.state_groups import SearchPhase
from app.session.session import Session
from app.style.icons import icon
from app.style.motion import FRAME_MS
from app.style.theme import Theme
from app.widgets.combo_box import ComboBox
from app.widgets.labels import ElidedLabel, with_role
from app.widgets.layouts import row
from app.wording import keys
from core.timing.measured import MeasuredTimeline
from core.timing.timeline import Timeline

WHOLE_SECONDS = 10.0
"""Duration of the entire job at speed 1."""
SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
HINT = "Click {} to show it alone"


class Player(QWidget):
    """Moves the cursor through a timeline; also handles the timeline's keys."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._timeline: Timeline | None = None
        self._theme: Theme | None = None
        self._now = 0.0
        """Simulated time of the cursor, in seconds of the job."""
        self._last = 0.0
        self._frames = timer(self, FRAME_MS, precise=True)
        self._frames.timeout.connect(self._on_frame_due)
        self.back = self._button(f"Previous step (← here, {keys.STEP_BACK} anywhere)", lambda: self.step(-1))
        self.play = self._button(f"Play or pause (Space here, {keys.PLAY} anywhere)", self.toggle)
        self.on = self._button(f"Next step (→ here, {keys.STEP_ON} anywhere)", lambda: self.step(1))
        self.speed = ComboBox()
        self.speed.setAccessibleName("Speed")
        self.speed.setToolTip(f"At 1× the whole job plays in {WHOLE_SECONDS:g} seconds")
        for speed in SPEEDS:
            self.speed.addItem(f"{speed:g}×", speed)
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.all = QPushButton("All")
        self.all.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.all.setToolTip("Show all steps together")
        self.all.clicked.connect(lambda: self.go_to(None))
        self.text = with_role(ElidedLabel(), "dim")
        buttons = (self.back, self.play, self.on, self.speed, self.all)
        row(*buttons, (self.text, 1), of=self, margins=(12, 0, 12, 2), spacing=4)

    @property
    def playing(self) -> bool:
        """Return whether it is playing."""
        return self._frames.isActive()

    def show_state(self, timeline: Timeline | None, words: str) -> None:
        """Show another timeline or cursor; `words` is the title of the step under the cursor, or empty without one."""
        state = self._session.state
        if timeline is not self._timeline or _why_whole(state):
            self.pause()
        self._timeline = timeline
        if state.style.theme is not self._theme:
            self._theme = state.style.theme
            self._draw_icons()
        hint = _why_whole(state)
        usable = timeline is not None and timeline.seconds > 0 and not hint
        for button in (self.back, self.play, self.on, self.speed):
            button.setEnabled(usable)
        self.all.setEnabled(state.cursor is not None)
        noun = "step" if timeline is None else timeline.noun
        self.text.setText(hint or words or HINT.format(f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"))

    def go_to(self, step: int | None) -> None:
        """Move the cursor to a step, or hide it if `step` is None, and stop playing."""
        self.pause()
        self._session.go_to(step)

    def step(self, by: int) -> None:
        """Move by `by` steps; without a cursor, to the first or the last."""
        now = self._session.state.cursor
        if self._timeline is not None:
            self.go_to(now + by if now is not None else 0 if by > 0 else len(self._timeline.steps) - 1)

    def go_to_last(self) -> None:
        """Move the cursor to the last step."""
        self.go_to(self._session.state.steps - 1)

    def toggle(self) -> None:
        """Play from the cursor, or from the beginning if it is at the end; or pause."""
        timeline, step = self._timeline, self._session.state.cursor
        if self.playing or timeline is None or not self.play.isEnabled():
            self.pause()
            return
        at_end = step is not None and step >= len(timeline.steps) - 1
        self._now = timeline.steps[step].start if step is not None and not at_end else 0.0
        self._last = time.perf_counter()
        self._frames.start()
        self._draw_icons()
        self._session.go_to(timeline.step_at(self._now))

    def pause(self) -> None:
        """Stop playing."""
        if self.playing:
            self._frames.stop()
            self._draw_icons()

    def press(self, key: Qt.Key) -> bool:
        """Handle a key; return whether it has a meaning."""
        commands = {
            Qt.Key.Key_Left: lambda: self.step(-1),
            Qt.Key.Key_Right: lambda: self.step(1),
            Qt.Key.Key_Home: lambda: self.go_to(0),
            Qt.Key.Key_End: self.go_to_last,
            Qt.Key.Key_Space: self.toggle,
        }
        if key not in commands or not self.play.isEnabled():
            return False
        commands[key]()
        return True

    def _on_frame_due(self) -> None:
        timeline, now, state = self._timeline, time.perf_counter(), self._session.state
        # Playing continues behind another tab, as long as the timeline belongs to the case on screen.
        if timeline is None or _is_stale(timeline, state) or _why_whole(state):
            self.pause()
            return
        self._now += (now - self._last) * self.speed.currentData() * timeline.seconds / WHOLE_SECONDS
        self._last = now
        self._session.go_to(timeline.step_at(self._now))
        if self._now >= timeline.seconds:
            self.pause()

    def _draw_icons(self) -> None:
        if self._theme is not None:
            names = ((self.back, "step-back"), (self.play, "pause" if self.playing else "play"), (self.on, "step-on"))
            for button, name in names:
                button.setIcon(icon(name, self._theme))

    def _button(self, tip: str, then: Callable[[], None]) -> QToolButton:
        button = with_role(QToolButton(), "tool")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.setAccessibleName(tip.partition(" (")[0])
        button.setToolTip(tip)
        button.clicked.connect(then)
        return button


def _is_stale(timeline: Timeline, state: State) -> bool:
    # Whether it is not of the job and the kind of steps on screen.
    other = timeline.case.job is not state.evaluation.case.job
    return other or isinstance(timeline, MeasuredTimeline) != bool(state.intervals)


def _why_whole(state: State) -> str:
    # Why single steps cannot be shown; empty if they can.
    if state.compared_pair is not None:
        return "single steps cannot be shown in a comparison"
    return "single steps cannot be shown during a search" if state.search.phase is SearchPhase.RUNNING else ""
