"""The caption of a scene: Markdown with the figures of the state on the stage."""

from dataclasses import replace

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy

from app.model.changes import ChangeSet
from app.model.state import State
from app.session.scenes import SceneEvaluations, tells_failures, tells_times
from app.session.session import Session
from app.tour.expression import IMAGE, caption
from app.tour.figures import Figures
from app.widgets.labels import with_role
from app.wording.numbers import throughput_text

CONCERNED = ChangeSet.LOADS | ChangeSet.TIME | ChangeSet.TOUR | ChangeSet.STYLE


class SceneCaption(QLabel):
    """The caption of the scene; without a tour, the headline of the state on screen."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        with_role(self, "stage-caption")
        self.setTextFormat(Qt.TextFormat.MarkdownText)
        self.setWordWrap(True)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setAccessibleName("Scene caption")
        session.changed.connect(self._on_session_changed)
        self.show_state()

    def minimumSizeHint(self) -> QSize:
        """Return the height of its lines; its width may be any."""
        return QSize(0, self.heightForWidth(max(self.width(), 1)))

    def show_state(self) -> None:
        """Update the caption, once the times that it shows are known."""
        if self._waits():
            return
        text = caption_text(self._session.state, self._session.tours.scenes)
        if text != self.text():
            self.setText(text)
            self.updateGeometry()

    def _waits(self) -> bool:
        state, scenes, keeper = self._session.state, self._session.tours.scenes, self._session.timekeeper
        number = state.tour.scene
        if scenes is None or number is None or number >= len(scenes.tour.scenes) or state.tour.scene_error is not None:
            return False
        scene = scenes.tour.scenes[number]
        if tells_failures(scene) and state.cable_failures is None and state.what_if.refused is None:
            return True
        if not tells_times(scene):
            return False
        keeper.look()
        return keeper.current is None and not state.time.timeline_refused

    def _on_session_changed(self, changes: ChangeSet) -> None:
        # While loads glide, the figures are already final.
        if changes & CONCERNED and (self._session.state.tour.glide is None or ChangeSet.TOUR in changes):
            self.show_state()


def caption_text(state: State, scenes: SceneEvaluations | None) -> str:
    """Return the caption of the scene shown, with the figures of the state on screen."""
    number = state.tour.scene
    if scenes is None or number is None or number >= len(scenes.tour.scenes):
        return f"**{throughput_text(state.report)}** · {state.report.verdict}"
    if state.tour.scene_error is not None:
        return ""
    text = scenes.tour.scenes[number].text.replace(IMAGE, "[")
    return caption(text, scenes.lookup(number, state_figures(state))).text


def state_figures(state: State) -> Figures:
    """Return the figures of the state on screen."""
    current, moment = state.time.timeline, state.moment
    timeline = current if current is not None and current.case is state.evaluation.case else None
    figures = Figures(state.evaluation, timeline, failures=state.cable_failures)
    return figures if moment is None else replace(figures, step=moment.step, shown=moment.alone)
