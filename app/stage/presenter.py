"""The presenter's panel while the audience sees the stage: notes, the next scene, the clock."""

import time
from datetime import datetime
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QPixmap, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QTextBrowser

from app.background.timer import timer
from app.background.work_queue import WorkList
from app.model.changes import ChangeSet
from app.model.scenes import Scene
from app.session.session import Session
from app.style.palette import font_of
from app.tour.plan import Plan, Status, clock_text
from app.views.machine.thumbnail import error_thumbnail, scene_thumbnail
from app.widgets.labels import ElidedLabel, label, message_label, say, set_role, with_role
from app.widgets.layouts import STRETCH, column, row
from app.widgets.session_widget import SessionWidget
from core.spec import Progress

WIDTH, HEIGHT = 208, 117
"""Pixels of the picture of the next scene, at scale 1."""
PICTURE_PART = 3
"""The picture is hidden if the panel is narrower than this multiple of its width."""
HEIGHT_PX = 190
CLOCK = 2.4
"""Type size of the clock relative to other text."""
TICK_MS = 250
ROLES: dict[Status, str] = {"on time": "good", "behind": "warning", "over time": "error"}
"""Roles of labels, by how late the talk is."""
NO_NOTES = "No notes."


class PresenterPanel(SessionWidget):
    """Shown on the desk while the stage is on another screen, or next to it."""

    title = "Presenter"

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._began = time.monotonic()
        self._next: int | None = None
        self.clock, self.since = label("big"), label("dim")
        self.planned, self.status = label("dim"), label("dim")
        self.blank = message_label("warning")
        self.heading, self.notes = with_role(ElidedLabel(""), "subheading"), QTextBrowser()
        self.notes.setAccessibleName("Speaker's notes")
        self.following, self.picture = with_role(ElidedLabel(""), "dim"), QLabel()
        self.picture.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.following.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.back, self.on, self.leave = QPushButton("Back"), QPushButton("Next"), QPushButton("End")
        self.back.clicked.connect(partial(session.presentation.step, -1))
        self.on.clicked.connect(partial(session.presentation.step, 1))
        self._works = WorkList("next thumbnail", sync=session.sync, parent=self)
        self._works.done.connect(self._on_drawn)
        self._works.refused.connect(self._on_refused)
        self._tick = timer(self, TICK_MS)
        self._tick.timeout.connect(self._show_time)
        words = column(self.heading, self.blank, (self.notes, 1), spacing=4)
        buttons = row(self.back, self.on, self.leave, spacing=6)
        clock = column(self.clock, self.planned, self.status, self.since, STRETCH, self.following, buttons, spacing=2)
        row((words, 1), column(self.picture, STRETCH), clock, of=self, margins=(12, 0, 12, 10), spacing=14)

    def begin(self) -> None:
        """Start the clock."""
        self._began = time.monotonic()
        self._tick.start()
        self._show_time()

    def show_blank(self, colour: str) -> None:
        """Show the speaker the colour of a blank screen; empty if the stage is visible."""
        say(self.blank, f"The audience sees a {colour} screen. Press any key on the stage to return." if colour else "")

    def rest(self) -> None:
        """Stop the clock."""
        self._tick.stop()

    def shut_down(self) -> None:
        """End the drawing thread and the clock."""
        self._tick.stop()
        self._works.close()

    def refresh(self, changes: ChangeSet) -> None:
        """Follow the scene on the stage."""
        if not changes & (ChangeSet.TOUR | ChangeSet.STYLE):
            return
        theme, tour = self.state.style.theme, self.state.tour
        self.setFixedHeight(theme.px(HEIGHT_PX))
        self.clock.setFont(font_of(theme, CLOCK))
        self.picture.setFixedSize(QSize(theme.px(WIDTH), theme.px(HEIGHT)))
        self._fit()
        scenes = tour.tour.scenes if tour.tour is not None else ()
        number = tour.scene if tour.scene is not None and tour.scene < len(scenes) else None
        scene = scenes[number] if number is not None else None
        self.heading.setText(f"{(number or 0) + 1} / {len(scenes)}   {scene.title}" if scene is not None else "")
        self.notes.setMarkdown(scene.notes.replace("![", "[") if scene is not None and scene.notes else NO_NOTES)
        self._show_next((number or 0) + 1 if scene is not None else None, scenes)
        self.back.setEnabled(bool(number))
        self.on.setEnabled(self._next is not None)
        self._show_time()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep room for the notes."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.picture.setVisible(self.width() >= PICTURE_PART * self.picture.width())

    def _show_next(self, number: int | None, scenes: tuple[Scene, ...]) -> None:
        self._next = number if number is not None and number < len(scenes) else None
        if self._next is None:
            self._works.cancel()
            self.following.setText("Last scene" if scenes else "")
            self.picture.clear()
            return
        self.following.setText(f"Next: {scenes[self._next].title}")
        evaluations, theme, at = self.session.tours.scenes, self.state.style.theme, self._next
        size = self.picture.width(), self.picture.height(), self.devicePixelRatioF()
        if evaluations is not None:

            def draw(progress: Progress) -> QImage:
                evaluations.evaluation(at, progress)
                return scene_thumbnail(at, evaluations, theme, *size)

            self._works.start([(at, draw)])

    def _on_drawn(self, number: int, picture: QImage) -> None:
        if number == self._next:
            self.picture.setPixmap(QPixmap.fromImage(picture))

    def _on_refused(self, number: int, error: Exception) -> None:
        size = self.picture.size()
        theme = self.state.style.theme
        self._on_drawn(number, error_thumbnail(theme, size.width(), size.height(), self.devicePixelRatioF()))

    def _show_time(self) -> None:
        seconds, tour = time.monotonic() - self._began, self.session.state.tour
        self.clock.setText(clock_text(seconds))
        self.since.setText(f"elapsed · {datetime.now():%H:%M}")
        self.clock.setAlignment(Qt.AlignmentFlag.AlignLeft)
        plan = Plan.of(tour.tour) if tour.tour is not None else None
        planned = status = ""
        if plan is not None and tour.scene is not None and tour.scene < len(plan.ends):
            planned = plan.text(tour.scene)
            degree, status = plan.status(tour.scene, seconds)
            set_role(self.status, ROLES[degree])
        say(self.planned, planned)
        say(self.status, status)
