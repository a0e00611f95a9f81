"""Tours in the window: the strip of scenes, the stage, and the presenter's panel."""

from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtWidgets import QMainWindow, QMenu

from app.actions.file_commands import FileCommands
from app.actions.table import IN_WINDOWS
from app.actions.tour_commands import SCENE_COMMANDS, TourCommands
from app.model.changes import ChangeSet
from app.model.scenes import Scene, Seen
from app.panels.tour.panel import TourPanel
from app.session.autosave import TOUR, Autosave
from app.session.presentation import GLIDE_MS
from app.session.scene_state import scene_of
from app.views.machine.view import MachineView
from app.widgets.card import Card
from app.widgets.session_window import bring, take_keys
from app.window.layout import Centre
from app.window.recovery_banner import TourRecoveryBanner
from core.spec import SpecError

if TYPE_CHECKING:
    from app.panels.tour.editor import TourEditor
    from app.stage.presenter import PresenterPanel
    from app.stage.stage import Stage


IN_EDITOR = (
    *IN_WINDOWS, "tour.save", "tour.add", "tour.update", "tour.undo", "tour.redo", "tour.next", "tour.previous",
)  # fmt: skip
"""Commands whose shortcuts also work in the editor."""


class Touring(QObject):
    """Tours of one window; `autosaves` is the folder for copies of unsaved tours."""

    stage: "Stage | None" = None
    """The stage; None if nothing was presented yet."""
    presenter: "PresenterPanel | None" = None
    """The presenter's panel, made when it is first needed."""
    editor: "TourEditor | None" = None
    """The editor, made when it is first opened."""
    _presenter_card: Card
    menu: QMenu | None = None
    """The context menu of a scene opened last."""

    def __init__(self, files: FileCommands, machine: MachineView, autosaves: Path, window: QMainWindow) -> None:
        super().__init__(window)
        self._session, self._files, self._machine, self._window = files.session, files, machine, window
        self.commands = TourCommands(files, self.desk_scene)
        self.autosave = Autosave(self._session, autosaves, TOUR, parent=self)
        self.recovery = TourRecoveryBanner(
            self._session, self.autosave, autosaves, self.commands.may_lose_changes, files.disk
        )
        self.panel = TourPanel(self._session)
        self.commands.commit_words = self._commit_words
        self.commands.edit = self._edit
        self.panel.edit_asked.connect(self._edit)
        self.commands.present_from = lambda number: self._present(full=True, scene=number)
        self.panel.strip.menu_asked.connect(self._open_menu)
        self._arrivals = 0
        """Number of scenes that came on screen."""
        # Geometry of the window before it made room for the stage, and its machine's camera.
        self._shape, self._camera = QRect(), Seen()

    def add_strip(self, centre: Centre) -> None:
        """Add the strip below the views."""
        self._centre = centre
        self._card = centre.add_below(TourPanel.title, self.panel)
        self._session.changed.connect(self._on_session_changed)

    def shut_down(self) -> None:
        """Leave the stage, end all threads, and release copies left by a crash."""
        if self.stage is not None:
            self.stage.close()
        if self.presenter is not None:
            self.presenter.shut_down()
        if self.editor is not None:
            self.editor.shut_down()
        self.panel.shut_down()
        self.autosave.close()
        self.recovery.release()

    def present(self, *, full: bool, first: bool = False) -> None:
        """Present the open tour from its first scene or from the current scene; without a tour, the state on screen."""
        self._present(full=full, scene=0 if first else self._session.state.tour.scene or 0)

    def _present(self, *, full: bool, scene: int) -> None:
        from app.stage.stage import Stage

        self._commit_words()
        if self.stage is None:
            self.stage = Stage(self._session, self._files, self.commands, self._window)
            self.stage.closed.connect(self._on_stage_closed)
        if self._session.state.presenting:
            self.stage.activateWindow()
            return
        desk = self.desk_scene(None)
        self._shape, self._camera = self._window.geometry(), self._machine.seen
        self._session.presentation.begin(scene if self._session.state.tour.tour is not None else None)
        self.stage.open_on(desk, full=full)
        if full and self.stage.screen() is self._window.screen():
            self._window.hide()
        else:
            self._show_presenter(self.stage)

    def desk_scene(self, folder: Path | None) -> Scene:
        """Return the state on screen as a scene for a tour in a folder."""
        return scene_of(self._session.state.pictured, self._centre.shares, self._machine.seen, folder)

    def _edit(self, number: int) -> None:
        """Show a scene, and its words in the editor."""
        from app.panels.tour.editor import TourEditor

        if self.editor is None:
            self.editor = TourEditor(self._session, self._window)
            take_keys(self.editor, [action for action in self._window.actions() if action.objectName() in IN_EDITOR])
        if number != self._session.state.tour.scene:
            self._session.presentation.go(number)
        bring(self.editor)
        self.editor.fields.text.setFocus()

    def _commit_words(self) -> None:
        if self.editor is not None:
            self.editor.commit()

    def _open_menu(self, number: int, at: QPoint) -> None:
        """Open the context menu of a scene."""
        tour = self._session.state.tour.tour
        self.menu = menu = QMenu(self._window)
        scenes = len(tour.scenes) if tour is not None else 0
        for command in SCENE_COMMANDS:
            action = menu.addAction(command.title, partial(command.run, self.commands, number))
            action.setEnabled(command.enabled(number, scenes))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(at)

    def _show_presenter(self, stage: "Stage") -> None:
        """Show the presenter's panel instead of the strip, and share the camera between desk and stage."""
        from app.stage.presenter import PresenterPanel

        if self.presenter is None:
            self.presenter = PresenterPanel(self._session)
            self.presenter.leave.clicked.connect(stage.close)
            stage.overlays.blank.changed.connect(self.presenter.show_blank)
            for button in (self.presenter.back, self.presenter.on):
                button.clicked.connect(stage.activateWindow)  # the next key of a clicker is for the stage
            self._presenter_card = self._centre.add_below(PresenterPanel.title, self.presenter)
            self._machine.camera_moved.connect(partial(self._share_camera, self._machine, stage.machine))
            stage.machine.camera_moved.connect(partial(self._share_camera, stage.machine, self._machine))
        self._card.hide()
        self._presenter_card.show()
        self.presenter.begin()

    def _share_camera(self, moved: MachineView, other: MachineView) -> None:
        if self._session.state.presenting and not self._window.isHidden() and not other.moving:
            other.controller.follow(moved.controller)

    def _on_stage_closed(self) -> None:
        if self.presenter is not None:  # the strip, which the end shows, takes its place
            self.presenter.rest()
            self._presenter_card.hide()
        self._session.presentation.end()
        if self._window.isHidden():
            self._window.show()
            if not self._window.isMaximized():
                self._window.setGeometry(self._shape)
            self._window.activateWindow()
        else:
            self._machine.look(self._camera, 0)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        """Show the strip while a tour is open, and move the camera for a scene that came on screen."""
        if ChangeSet.TOUR not in changes:
            return
        tour = self._session.state.tour
        self._card.setVisible(tour.tour is not None and not self._session.state.presenting)
        if tour.arrivals == self._arrivals:
            return
        self._arrivals = tour.arrivals
        shown = tour.tour is not None and tour.scene is not None and tour.scene_error is None
        if shown and not self._window.isHidden() and tour.tour is not None and tour.scene is not None:
            self._machine.catch_up()
            with suppress(SpecError):  # the stage shows the error
                self._machine.look(tour.tour.scenes[tour.scene].camera, GLIDE_MS if tour.glide is not None else 0)
