"""The tour panel: the strip of its scenes, and the caption of the scene on screen as the stage shows it."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QTextBrowser

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.model.scenes import Scene
from app.model.state import TOUR
from app.panels.tour.scene_strip import CONCERNED, SceneStrip
from app.session.scenes import Trial, tried
from app.session.session import Session
from app.tour.expression import IMAGE, text_errors
from app.widgets.labels import label, link, message_label, say
from app.widgets.layouts import STRETCH, column, row
from app.widgets.session_widget import SessionWidget
from app.wording.errors import cannot_be_shown
from core.spec import SpecError
from core.text import as_sentence, plural

BELOW_PX = 8
"""Pixels under the strip."""


class TourPanel(SessionWidget):
    """Its dock is hidden while no tour is open."""

    title = "Tour"
    edit_asked = Signal(int)
    """Number of the scene to edit."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._checked: tuple[Scene, ...] = ()
        """The scenes of the tour when the caption was last computed."""
        self.strip = SceneStrip(session)
        self.strip.chosen.connect(session.presentation.go)
        self.caption = QTextBrowser()
        self.trouble, self.refusal = message_label("error"), message_label("error")
        self.caption.setAccessibleName("Caption")
        self.caption.setOpenLinks(False)
        self.claims = label("dim")
        self.edit = link("Edit …", "Edit title, ID, caption, notes and claims")
        self.edit.clicked.connect(self._on_edit_clicked)
        self._none = label("dim", "Click a scene to show it.")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._works = Runner("caption of the panel", self._on_tried, self._on_not_tried, sync=session.sync, parent=self)
        foot = row(self.claims, STRETCH, self.edit, spacing=8)
        right = column((self.caption, 1), (self._none, 1), self.trouble, self.refusal, foot, spacing=2)
        row((self.strip, 3), (right, 2), of=self, margins=(8, 0, 8, 8), spacing=8)

    def refresh(self, changes: ChangeSet) -> None:
        """Follow the tour."""
        if changes & ChangeSet.STATUS:
            error = self.state.error
            say(self.refusal, as_sentence(error.message) if error is not None and error.field == TOUR else "")
        if not changes & CONCERNED:
            return
        self.strip.show_tour()
        self.setFixedHeight(self.strip.height() + BELOW_PX)
        tour, number = self.state.tour.tour, self.state.tour.scene
        scenes = tour.scenes if tour is not None else ()
        shown = number is not None and number < len(scenes)
        self.edit.setVisible(bool(scenes))
        self._none.setVisible(not shown)
        if not shown or number is None:
            self._works.cancel()
            self._checked = ()
            self._show("", "", "")
            return
        if self._checked != (*scenes, scenes[number]):
            self._checked = (*scenes, scenes[number])  # the caption may name any scene
            evaluations = self.session.tours.scenes
            if evaluations is not None:
                self._works.request(partial(tried, number, scenes[number], evaluations))

    def shut_down(self) -> None:
        """End the threads."""
        self.strip.close_works()
        self._works.close()

    def _on_tried(self, trial: Trial) -> None:
        failing = sum(not result.holds for result in trial.claims)
        count = plural(len(trial.claims), "claim")
        claims = f"✗ {failing} of {count} {'fails' if failing == 1 else 'fail'}" if failing else ""
        if trial.claims and not failing:
            claims = f"✓ {count} {'holds' if len(trial.claims) == 1 else 'hold'}"
        self._show(trial.caption.text.replace(IMAGE, "["), "\n".join(map(as_sentence, trial.caption.errors)), claims)

    def _on_not_tried(self, error: SpecError) -> None:
        number, tour = self.state.tour.scene, self.state.tour.tour
        errors = [cannot_be_shown(error)]
        if tour is not None and number is not None and number < len(tour.scenes):
            errors += text_errors(tour.scenes[number].text)
        self._show("", "\n".join(map(as_sentence, errors)), "")

    def _show(self, caption: str, trouble: str, claims: str) -> None:
        self.caption.setMarkdown(caption)
        self.caption.setVisible(bool(caption))
        self.claims.setText(claims)
        say(self.trouble, trouble)

    def _on_edit_clicked(self) -> None:
        self.edit_asked.emit(self.state.tour.scene or 0)
