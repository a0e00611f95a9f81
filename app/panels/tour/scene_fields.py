"""The texts of a scene in fields, with a preview of the caption, and results of its claims."""

from collections.abc import Sequence
from functools import partial

import msgspec
from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics, QTextCursor
from PySide6.QtWidgets import QCheckBox, QGridLayout, QWidget

from app.background.latest_wins import Runner
from app.background.timer import timer
from app.model.scenes import Scene, Tour
from app.panels.tour.caption_field import CaptionField, TextArea
from app.panels.tour.claims import ClaimsEditor
from app.panels.tour.shares import SharesEditor
from app.session.scenes import SceneEvaluations, Trial, tried
from app.session.session import Session
from app.style.palette import font_of
from app.style.theme import Theme
from app.tour.expression import IMAGE, text_errors
from app.tour.figures import Offer, offers
from app.tour.renaming import id_error, with_id
from app.widgets.field_text import Refusal
from app.widgets.labels import label, message_label, say
from app.widgets.layouts import column, row
from app.widgets.line_edit import LineEdit
from app.widgets.number_box import NumberBox
from app.wording.errors import cannot_be_shown
from core.spec import Field, Progress, SpecError
from core.text import as_sentence

REST_MS = 600
"""Pause after typing that ends an undo step of the tour."""
CAPTION_LINES, NOTES_LINES = 5, 4
CAPTION_TIP = "One or two sentences in Markdown; type { to insert a figure such as {throughput_gbs}"
ID_TIP = "Name of this scene for figures in captions and claims of other scenes"
PREVIEW = 1.35
"""Type size of the preview relative to other text."""


def minutes_box(tip: str) -> NumberBox:
    """Return a box for a planned time."""
    field = Field(
        "minutes", float, "Planned time", "min", tip, None, required=False, low=0, high=1440, choices=(),
        optional=True, low_excluded=True, max_length=None, is_file=False,
    )  # fmt: skip
    box = NumberBox(field, "none")
    box.setAccessibleName("Planned time in minutes")
    box.setToolTip(tip)
    return box


class SceneFields(QWidget):
    """Edits one scene of the session's tour; typed texts become undo steps of the tour."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._shown: tuple[int, Scene] | None = None
        """Number and scene of the texts in the fields."""
        self._refused: dict[int, tuple[Scene, str]] = {}
        """Refused ids, as typed, by the id() of their scenes."""
        self._offered: dict[str | None, list[Offer]] = {}
        """Figures with their values, by the id of their scene."""
        self.heading, self.id, self.minutes = LineEdit(), LineEdit(), minutes_box("Planned time of the scene")
        self.editing = QCheckBox("Allow editing on the stage")
        self.editing.setToolTip("Enable the keys of the editing tools on the stage, besides keys such as Space and B")
        self.views = SharesEditor()
        self.text, self.notes, self.claims = CaptionField(self.offers), TextArea(), ClaimsEditor()
        self.preview = label("preview")
        self.preview.setTextFormat(Qt.TextFormat.MarkdownText)
        self.preview.setWordWrap(True)
        self.preview.setAccessibleName("Caption as shown on the stage")
        self.heading_error, self.id_error = message_label("error"), message_label("error")
        self.minutes_error, self.text_error = message_label("error"), message_label("error")
        self._rest = timer(self, REST_MS, single_shot=True)
        self._rest.timeout.connect(self.commit)
        self._trial = Runner("caption", self._on_tried, self._on_not_tried, sync=session.sync, parent=self)
        self._values = Runner("figures of captions", self._on_values, sync=session.sync, parent=self)
        self._lay_out()
        self._listen()

    def _lay_out(self) -> None:
        named = ((self.heading, "Title", "Title of the scene"), (self.id, "ID", ID_TIP),
                 (self.text, "Caption", CAPTION_TIP), (self.notes, "Notes", "Notes for the speaker"))  # fmt: skip
        for field, name, tip in named:
            field.setAccessibleName(name)
            field.setToolTip(tip)
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setSpacing(6)
        timed = QWidget()
        row((self.minutes, 1), (self.editing, 2), of=timed, spacing=12)
        lines = (
            ("Title", self.heading, self.heading_error),
            ("ID", self.id, self.id_error),
            ("Planned time", timed, self.minutes_error),
        )
        for number, (name, part, error) in enumerate(lines):
            grid.addWidget(label("", name), 2 * number, 0)
            grid.addWidget(part, 2 * number, 1)
            grid.addWidget(error, 2 * number + 1, 1)
        grid.setColumnStretch(1, 1)
        column(
            grid, 2, label("subheading", "Caption"), (self.text, 3), self.text_error, self.preview, 2,
            label("subheading", "Notes"), (self.notes, 2), 2, self.claims, 2, self.views, of=self,
            margins=(0, 0, 6, 0), spacing=4,
        )  # fmt: skip

    def _listen(self) -> None:
        for field in (self.heading, self.id):
            field.textEdited.connect(self._on_typed)
        for area in (self.text, self.notes):
            area.textChanged.connect(self._on_typed)
        self.minutes.edited.connect(self._on_minutes_edited)
        self.editing.clicked.connect(self._on_typed)
        self.views.changed.connect(self.commit)
        self.claims.changed.connect(self._on_typed)
        self.claims.finished.connect(self.commit)
        for watched in (self.heading, self.id, self.text, self.notes, self.minutes.lineEdit()):
            watched.installEventFilter(self)

    @property
    def number(self) -> int | None:
        """Return the number of the scene in the fields."""
        return self._shown[0] if self._shown is not None else None

    def set_theme(self, theme: Theme) -> None:
        """Size the fields for the type of a theme."""
        line = QFontMetrics(font_of(theme)).lineSpacing()
        self.text.setMinimumHeight(CAPTION_LINES * line)
        self.notes.setMinimumHeight(NOTES_LINES * line)
        self.preview.setFont(font_of(theme, PREVIEW))
        self.text.set_theme(theme)

    def show_scene(self, number: int, scene: Scene) -> None:
        """Show the texts of a scene; text being typed for it is kept."""
        if self._shown == (number, scene) and self._shown[1] is scene:
            return
        before, self._shown = self._shown, (number, scene)
        if before is None or before[0] != number or not self._rest.isActive():
            self._fill(scene)
        if before is None or before[1].scenario != scene.scenario or before[0] != number:
            self._offered.clear()
            self._find_values(None)
        self._check()

    def _fill(self, scene: Scene) -> None:
        texts = ((self.heading, scene.title), (self.id, self._refused.get(id(scene), (scene, scene.id or ""))[1]))
        for field, text in texts:
            if field.text() != text:
                field.setText(text)
        for area, text in ((self.text, scene.text), (self.notes, scene.notes)):
            if area.toPlainText() != text:
                with QSignalBlocker(area):
                    area.setPlainText(text)
                area.moveCursor(QTextCursor.MoveOperation.End)
        self.minutes.set_value(scene.minutes)
        self.editing.setChecked(scene.editing)
        self.claims.show_claims(scene.claims)
        self.views.show_views(scene.views)

    def commit(self) -> None:
        """Apply the typed texts as one step of the tour; a refused ID stays in its field."""
        self._rest.stop()
        tour = self._session.state.tour.tour
        if self._shown is None or tour is None:
            return
        number, scene = self._shown
        if number >= len(tour.scenes) or tour.scenes[number] != scene:
            return
        changed = self.typed(scene)
        renamed = self._with_id(tour, number, changed)
        self._shown = number, renamed.scenes[number]
        self._session.tours.edit(renamed, f"Edit scene {number + 1}", self._session.state.tour.scene)

    def typed(self, scene: Scene) -> Scene:
        """Return the scene with the texts in the fields, except for its ID."""
        return msgspec.structs.replace(
            scene,
            title=self.heading.text().strip() or scene.title,
            text=self.text.toPlainText(),
            notes=self.notes.toPlainText(),
            claims=self.claims.claims,
            minutes=self.minutes.value,
            editing=self.editing.isChecked(),
            views=self.views.views,
        )

    def _with_id(self, tour: Tour, number: int, scene: Scene) -> Tour:
        name = self.id.text().strip()
        scenes = (*tour.scenes[:number], scene, *tour.scenes[number + 1 :])
        changed = msgspec.structs.replace(tour, scenes=scenes)
        error = id_error(name, number, tour)
        if not error and name != (scene.id or ""):
            try:
                return with_id(changed, number, name)
            except SpecError as refusal:
                error = f"Another scene refers to this ID: {refusal.message}."
        if error:
            self._refused[id(scene)] = scene, self.id.text()
        say(self.id_error, error)
        return changed

    def offers(self, scene_id: str | None) -> Sequence[Offer]:
        """Return the figures to complete: the scene's and the ids of others, or another scene's figures."""
        tour = self._session.state.tour.tour
        if tour is None or (scene_id is not None and tour.number(scene_id) is None):
            return ()
        if scene_id not in self._offered:
            self._find_values(scene_id)
        figures = self._offered.get(scene_id) or [*offers(None)]
        if scene_id is not None:
            return figures
        number = self._shown[0] if self._shown is not None else None
        others = [
            Offer(f"{scene.id}.", f"figures of scene {k + 1}: {scene.title}", "")
            for k, scene in enumerate(tour.scenes)
            if scene.id is not None and k != number
        ]
        return [*figures, *others]

    def close_works(self) -> None:
        """End the threads."""
        self._trial.close()
        self._values.close()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Commit when a field loses the focus."""
        popup = isinstance(event, QFocusEvent) and event.reason() == Qt.FocusReason.PopupFocusReason
        if event.type() == QEvent.Type.FocusOut and not popup:
            self.commit()
        return super().eventFilter(watched, event)

    def _on_typed(self) -> None:
        self._rest.start()
        self._check()

    def _on_minutes_edited(self, value: float | Refusal | None, at_once: bool) -> None:
        say(self.minutes_error, f"Planned time: {value.message}." if isinstance(value, Refusal) else "")
        if not isinstance(value, Refusal):
            self._on_typed()

    def _check(self) -> None:
        """Check the typed texts, and compute caption and claims off the GUI thread."""
        scenes, tour = self._session.tours.scenes, self._session.state.tour.tour
        if self._shown is None or scenes is None or tour is None:
            return
        number, scene = self._shown
        say(self.heading_error, "" if self.heading.text().strip() else "Give the scene a title.")
        say(self.id_error, id_error(self.id.text().strip(), number, tour))
        self._trial.request(partial(tried, number, self.typed(scene), scenes))

    def _on_tried(self, trial: Trial) -> None:
        self._say_errors(trial.caption.errors)
        self.preview.setText(trial.caption.text.replace(IMAGE, "["))
        self.preview.setVisible(bool(trial.caption.text))
        self.text.underline(trial.caption.wrong, self._session.state.style.theme.bad)
        self.claims.show_results(trial.claims)

    def _on_not_tried(self, error: SpecError) -> None:
        self._say_errors((*text_errors(self.text.toPlainText()), cannot_be_shown(error)))
        self.preview.hide()
        self.claims.show_results(())

    def _say_errors(self, errors: Sequence[str]) -> None:
        say(self.text_error, "\n".join(map(as_sentence, errors)))

    def _find_values(self, scene_id: str | None) -> None:
        scenes, tour = self._session.tours.scenes, self._session.state.tour.tour
        number = self._shown[0] if scene_id is None and self._shown is not None else None
        if scene_id is not None and tour is not None:
            number = tour.number(scene_id)
        if scenes is not None and number is not None:
            self._offered[scene_id] = []  # until they are known
            self._values.request(partial(_values, scene_id, number, scenes))

    def _on_values(self, answer: tuple[str | None, list[Offer]]) -> None:
        scene_id, figures = answer
        self._offered[scene_id] = figures
        self.text.renew_offers()


def _values(
    scene_id: str | None, number: int, scenes: SceneEvaluations, progress: Progress
) -> tuple[str | None, list[Offer]]:
    try:
        scenes.evaluation(number, progress)
        return scene_id, list(offers(scenes.figures(number), progress))
    except SpecError:  # reported where the scene is shown
        return scene_id, []
