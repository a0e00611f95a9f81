"""The tour panel: the strip of its scenes, and caption and notes of the scene shown."""

import msgspec
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from app.background.timer import timer
from app.model.changes import ChangeSet
from app.model.scenes import Scene
from app.panels.tour.scene_strip import CONCERNED, SceneStrip
from app.session.scenes import tells_times
from app.session.session import Session
from app.tour.expression import figures_in, text_errors
from app.tour.figures import LISTED, Figures, is_known
from app.widgets.labels import ElidedLabel, label, with_role
from app.widgets.layouts import column, row
from app.widgets.session_widget import SessionWidget
from core.text import guess

BELOW_PX = 8
"""Pixels under the strip."""
REST_MS = 600
"""Pause after typing that ends an undo step of the tour."""
TEXT_TIP = "One or two sentences, Markdown; {throughput_gbs}, {bottleneck} and others stand for figures of the state"


class TourPanel(SessionWidget):
    """Its dock is hidden while no tour is open."""

    title = "Tour"

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._shown: tuple[int, Scene] | None = None
        """Number and scene whose texts are in the fields."""
        self.strip = SceneStrip(session)
        self.strip.chosen.connect(session.presentation.go)
        self.heading, self.trouble = QLineEdit(), with_role(ElidedLabel(""), "error")
        self.text, self.notes = QPlainTextEdit(), QPlainTextEdit()
        self._rest = timer(self, REST_MS, single_shot=True)
        self._rest.timeout.connect(self.commit)
        for field, name, tip in (
            (self.heading, "Title", "The title of the scene"),
            (self.text, "Said of it", TEXT_TIP),
            (self.notes, "Notes", "What only the speaker sees"),
        ):
            field.setAccessibleName(name)
            field.setPlaceholderText(name)
            field.setToolTip(tip)
            field.textChanged.connect(self._on_words_changed)
            field.installEventFilter(self)
        for field in (self.text, self.notes):
            field.setTabChangesFocus(True)
        self._words = QWidget()
        column(self.heading, (row((self.text, 3), (self.notes, 2), spacing=6), 1), of=self._words, spacing=4)
        self._none = label("dim", "Click a scene to show it and to edit its caption.")
        self._none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._none.setWordWrap(True)
        below = column((self._words, 1), (self._none, 1), self.trouble, spacing=2)
        row((self.strip, 3), (below, 2), of=self, margins=(8, 0, 8, 8), spacing=8)

    def refresh(self, changes: ChangeSet) -> None:
        """Follow the tour."""
        if not changes & CONCERNED:
            return
        self.strip.show_tour()
        self.setFixedHeight(self.strip.height() + BELOW_PX)
        tour = self.state.tour
        number = tour.scene
        if self._rest.isActive() and self._shown is not None and self._shown[0] != number:
            self.commit()  # the typed text belongs to the previous scene
            tour = self.state.tour
        shown = tour.tour is not None and number is not None and number < len(tour.tour.scenes)
        self._words.setVisible(shown)
        self._none.setVisible(not shown)
        trouble = f"This scene cannot be shown: {tour.scene_error}" if tour.scene_error is not None else ""
        if shown and tour.tour is not None and number is not None:
            self._show(number, tour.tour.scenes[number])
            trouble = trouble or self._wrong(tour.tour.scenes[number])
        self.trouble.setText(trouble)
        self.trouble.setToolTip(trouble)
        self.trouble.setVisible(bool(trouble))

    def _wrong(self, scene: Scene) -> str:
        error = next(text_errors(scene.text), "") or self._unknown(scene) or self._not_computed(scene)
        return f"Caption: {error}" if error else ""

    def _unknown(self, scene: Scene) -> str:
        # Which figures of its caption no network has. Those of a class of links are told when the scene is shown: what
        # is on the desk may be another network.
        wrong = sorted(name for other, name in figures_in(scene.text) if other is None and not is_known(name))
        if not wrong:
            return ""
        close = guess(wrong[0], Figures(self.state.evaluation).names).strip()
        return f"there is no figure {wrong[0]!r}; {close or LISTED}"

    def _not_computed(self, scene: Scene) -> str:
        # Only figures of scenes that are already evaluated: the GUI thread does not wait for others.
        scenes = self.session.tours.scenes
        if scenes is None or scene not in scenes.tour.scenes:
            return ""
        number = scenes.tour.scenes.index(scene)
        if tells_times(scene) or any(
            scenes.cached_evaluation(named) is None for named in {number} | scenes.named_by(number)
        ):
            return ""
        return next(iter(scenes.caption(number).errors), "")

    def _show(self, number: int, scene: Scene) -> None:
        if self._shown == (number, scene):
            return
        same = self._shown is not None and self._shown[0] == number
        self._shown = number, scene
        typing = same and self._rest.isActive()
        for field, text in ((self.text, scene.text), (self.notes, scene.notes)):
            if field.toPlainText() != text and not typing:
                field.blockSignals(True)
                field.setPlainText(text)
                field.blockSignals(False)
        if self.heading.text() != scene.title and not typing:
            self.heading.blockSignals(True)
            self.heading.setText(scene.title)
            self.heading.blockSignals(False)

    def _on_words_changed(self, text: str = "") -> None:
        self._rest.start()

    def commit(self) -> None:
        """Apply the typed text as one step of the tour."""
        self._rest.stop()
        tour = self.state.tour.tour
        if self._shown is None or tour is None:
            return
        number, scene = self._shown
        if number >= len(tour.scenes) or tour.scenes[number] != scene:
            return
        words = {
            "title": self.heading.text().strip() or scene.title,
            "text": self.text.toPlainText(),
            "notes": self.notes.toPlainText(),
        }
        changed = msgspec.structs.replace(scene, **words)
        if changed != scene:
            self._shown = number, changed
            self.session.tours.replace(number, changed, f"Words of scene {number + 1}")

    def shut_down(self) -> None:
        """End the drawing thread."""
        self.strip.close_works()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Commit the typed text when the field loses the focus."""
        if event.type() == QEvent.Type.FocusOut:
            self.commit()
        return super().eventFilter(watched, event)
