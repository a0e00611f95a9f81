"""The status line: sizes and evaluation time, an error, or the progress of a long evaluation."""

from PySide6.QtWidgets import QLabel, QPushButton, QStatusBar, QWidget

from app.background.compiling import FIRST_USE, CompilingWatch
from app.model.changes import ChangeSet
from app.model.state import TRANSIENT_ERRORS, State
from app.model.state_groups import StandIn
from app.session.session import Session
from app.widgets.labels import ElidedLabel, set_role, with_role
from app.widgets.pending_strip import PendingStrip
from app.wording import errors
from core.spec import NoFile
from core.text import duration

MESSAGE_MS = 6000
"""Duration of the message on a recording."""


class StatusLine(QStatusBar):
    """One line at the foot of the window."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.setSizeGripEnabled(False)
        self.text = ElidedLabel()
        self.addWidget(self.text, 1)
        self.strip = PendingStrip(session, lambda state: state.preparing, low=True)
        """The running computation while the results stay valid; else the bottleneck panel shows it."""
        self._first_use = with_role(QLabel(FIRST_USE), "dim")
        self._preparing = CompilingWatch(self)
        self._preparing.changed.connect(self._update)
        self._recording = QPushButton("● Stop recording")
        self._recording.clicked.connect(session.recorder.end)
        self._recorded = ""
        """The last message on a recording."""
        for widget in (self._first_use, self.strip, self._recording):
            self.addPermanentWidget(widget)
        self._recording.hide()
        session.changed.connect(self._on_session_changed)
        self._update()

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if changes & (ChangeSet.STATUS | ChangeSet.LOADS):
            self._update()
        if ChangeSet.TOUR in changes:
            self._show_recording()

    def _show_recording(self) -> None:
        self._recording.setVisible(self._session.state.tour.recording)
        message = self._session.recorder.message
        if message != self._recorded:
            self._recorded = message
            self.showMessage(message, MESSAGE_MS)

    def _update(self) -> None:
        state = self._session.state
        self.strip.setVisible(state.preparing is not None)
        self._first_use.setVisible(self._preparing.active and state.pending is None)
        refused = state.error is not None and not isinstance(state.error, NoFile)
        set_role(self.text, "error" if refused else "dim")
        self.text.setText(error_text(state) or status_text(state))
        self.text.setToolTip(self.text.text())


SHOWN = {
    None: "showing the last valid state",
    StandIn.FITTED: "showing the scenario fitted to its network",
    StandIn.OTHER: "showing another scenario",
}
"""The text for the state on screen while the wanted scenario is refused."""


NO_FILE = "no file chosen"


def error_text(state: State) -> str:
    """Return the error with its field, file or edit, and the state on screen; empty without an error."""
    error, stand_in = state.error, state.file.stand_in
    if error is None:
        return ""
    transient = error.field in TRANSIENT_ERRORS
    text = NO_FILE if isinstance(error, NoFile) else errors.error_text(error, state.wanted)
    return text if transient and stand_in is None else f"{text} · {SHOWN[stand_in]}"


def status_text(state: State) -> str:
    """Return ``4,096 tasks on 1,024 nodes · 35,712 links · halo · ... · recomputed in 0.4 ms``, or the computation."""
    if state.outdating is not None:
        return f"{state.outdating.words} …"
    evaluation = state.evaluation
    case, scenario = evaluation.case, evaluation.case.scenario
    parts = [
        *state.cursor_words,
        case.size,
        f"{case.network.real_links:,} links",
        scenario.job.title,
        scenario.mapping.title,
        scenario.routing.title + (f": {evaluation.report.plan_words}" if evaluation.report.plan_words else ""),
        f"recomputed in {duration(evaluation.seconds, digits=2)}",
    ]
    return " · ".join(parts)
