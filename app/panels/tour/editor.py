"""The editor of a tour in a window of its own: title, scenes, and the texts of the scene on screen."""

import msgspec
from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QListWidget, QSplitter, QWidget

from app.model.changes import ChangeSet
from app.panels.tour.scene_fields import SceneFields, minutes_box
from app.session.session import Session
from app.widgets.field_text import Refusal
from app.widgets.labels import label, message_label, say
from app.widgets.layouts import column, row, scroll_area
from app.widgets.line_edit import LineEdit
from app.widgets.session_window import FRAME, SessionWindow

SIZE = QSize(980, 760)
LIST_PX = 230
MAX_TITLE = 200
"""Maximum characters of a tour's title."""


class TourEditor(SessionWindow):
    """Edits the open tour; it follows the scene on screen, and a click in its list shows a scene."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(session, "Tour editor", parent)
        self._shown: tuple[str, float | None] = "", None
        """Title and planned time of the tour in the fields."""
        self.title, self.minutes = LineEdit(), minutes_box("Planned time of the talk (default: the sum of its scenes)")
        self.title.setMaxLength(MAX_TITLE)
        self.title.setAccessibleName("Title of the tour")
        self.title_error = message_label("error")
        self.outline, self.fields = QListWidget(), SceneFields(session)
        self.outline.setAccessibleName("Scenes")
        self.outline.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.outline.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.none = label("dim", "Choose a scene to edit its caption.")
        self.none.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._scrolled = scroll_area(self.fields)
        right = QWidget()
        column((self._scrolled, 1), (self.none, 1), of=right)
        split = QSplitter(Qt.Orientation.Horizontal)
        for stretch, part in enumerate((self.outline, right)):
            split.addWidget(part)
            split.setStretchFactor(stretch, stretch)
        split.setChildrenCollapsible(False)
        head = row(label("", "Tour"), (self.title, 3), label("", "Planned time"), (self.minutes, 1), spacing=8)
        column(head, self.title_error, (split, 1), of=self, margins=(12, 10, 12, 12), spacing=8)
        theme = session.state.style.theme
        self.resize((SIZE * theme.scale).boundedTo(self.screen().availableSize() - FRAME))
        list_px = min(round(theme.px(LIST_PX)), self.width() // 4)
        split.setSizes([list_px, self.width() - list_px])
        self.outline.currentRowChanged.connect(self._on_row_changed)
        self.title.textEdited.connect(self._on_title_edited)
        self.title.editingFinished.connect(self.commit)
        self.minutes.edited.connect(self._on_minutes_edited)
        self.minutes.editingFinished.connect(self.commit)

    def refresh(self, changes: ChangeSet) -> None:
        """Follow the tour."""
        if not changes & (ChangeSet.TOUR | ChangeSet.STYLE):
            return
        if self.state.tour.tour is None:
            self.close()
            return
        self._leave_scene()
        state = self.state.tour
        tour, number = state.tour, state.scene
        assert tour is not None
        self.setWindowTitle(f"Tour editor · {tour.title}")
        if self._shown != (tour.title, tour.minutes):
            self._shown = tour.title, tour.minutes
            self.title.setText(tour.title)
            self.minutes.set_value(tour.minutes)
        self.fields.set_theme(self.state.style.theme)
        self._list(tuple(scene.title for scene in tour.scenes), number)
        shown = number is not None and number < len(tour.scenes)
        self._scrolled.setVisible(shown)
        self.none.setVisible(not shown)
        if shown and number is not None:
            self.fields.show_scene(number, tour.scenes[number])

    def commit(self) -> None:
        """Apply the typed texts to the tour."""
        self.fields.commit()
        tour = self.session.state.tour.tour
        typed = self.title.text().strip() or self._shown[0], self.minutes.value
        if tour is None or typed == self._shown or (tour.title, tour.minutes) != self._shown:
            return
        self._shown = typed
        changed = msgspec.structs.replace(tour, title=typed[0], minutes=typed[1])
        self.session.tours.edit(changed, "Edit title and planned time", self.session.state.tour.scene)

    def shut_down(self) -> None:
        """End the threads."""
        self.fields.close_works()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Commit the typed texts."""
        self.commit()
        super().closeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Commit when another window is activated."""
        super().changeEvent(event)
        left = event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow()
        if left and QApplication.activePopupWidget() is None:
            self.commit()

    def _leave_scene(self) -> None:
        # Text just typed belongs to the scene that was on screen.
        if self.fields.number not in (None, self.state.tour.scene):
            self.fields.commit()

    def _list(self, titles: tuple[str, ...], current: int | None) -> None:
        texts = [f"{number}  {title}" for number, title in enumerate(titles, start=1)]
        with QSignalBlocker(self.outline):
            if texts != [self.outline.item(k).text() for k in range(self.outline.count())]:
                self.outline.clear()
                self.outline.addItems(texts)
                for number, text in enumerate(texts):
                    self.outline.item(number).setToolTip(text)
            self.outline.setCurrentRow(-1 if current is None else current)
            if current is not None:
                self.outline.scrollToItem(self.outline.item(current))

    def _on_row_changed(self, number: int) -> None:
        if number >= 0:
            self.commit()
            self.session.presentation.go(number)

    def _on_title_edited(self, text: str) -> None:
        say(self.title_error, "" if text.strip() else "Give the tour a title.")

    def _on_minutes_edited(self, value: float | Refusal | None, at_once: bool) -> None:
        say(self.title_error, f"Planned time: {value.message}." if isinstance(value, Refusal) else "")
