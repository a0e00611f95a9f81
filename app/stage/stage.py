"""The stage: the views of a scene and its caption, full screen and interactive."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QGuiApplication, QKeySequence, QResizeEvent, QScreen, QShortcut
from PySide6.QtWidgets import QWidget

from app.actions.action_set import ActionSet
from app.actions.context import ActionContext
from app.actions.edit_commands import EditCommands
from app.actions.file_commands import FileCommands
from app.actions.stage_commands import stage_commands
from app.actions.table import ACTIONS
from app.actions.tour_commands import TourCommands
from app.model.changes import ChangeSet
from app.model.pointing import Hit
from app.model.scenes import Scene, Seen
from app.model.state_groups import SearchPhase
from app.session.presentation import GLIDE_MS
from app.session.session import Session
from app.stage.caption import SceneCaption
from app.stage.overlays import Overlays
from app.stage.pointer import halo_cursor
from app.stage.scene_views import SceneViews
from app.stage.type_size import scale_for, type_sheet
from app.style.palette import font_of
from app.style.theme import Theme
from app.tools.allocate import AllocateTool
from app.tools.drag import DragTool
from app.tools.gesture_tip import GestureTip
from app.tools.grid_keyboard import GridKeys
from app.tools.paint import PaintTool
from app.tools.select import SelectTool
from app.tools.swap import SwapTool
from app.tools.toolbox import Toolbox
from app.views.charts.player import Player
from app.widgets.labels import label, message_label, say
from app.widgets.layouts import column, row
from app.wording import keys
from app.wording.errors import cannot_be_shown, error_text
from app.wording.stage_keys import STAGE_KEYS
from core.spec import SpecError

WINDOW_PX = QSize(960, 540)
"""Initial size of a stage in a window of its own, in the proportions of a projector."""
DIGITS = "0123456789"
SEARCHING = {
    SearchPhase.NONE: "",
    SearchPhase.RUNNING: f"searching … {keys.STOP_SEARCH} stops",
    SearchPhase.FOUND: f"better mapping found: {keys.KEEP_BEST} keeps it, {keys.UNDO} reverts it",
}
"""Status text of a search."""


class Stage(QWidget):
    """Presents the session: the scenes of its tour, or the state on screen as `desk` shows it."""

    closed = Signal()
    """The presentation was ended here: by Escape, or by closing the window."""

    def __init__(self, session: Session, files: FileCommands, tours: TourCommands, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.session, self._window = session, parent
        self._desk = Scene("")
        """The scene presented without a tour."""
        self.setWindowTitle("Fabriscope · presentation")
        self._scene: tuple[int | None, Scene, object] | None = None
        """Number and scene shown last, with its arrival, to avoid showing one twice."""
        self.views = SceneViews(session)
        self.machine, self.job = self.views.machine, self.views.job
        self.title, self.counter, self.caption = label("stage-title"), label("dim"), SceneCaption(session)
        self.error, self.trouble = message_label("error"), message_label("warning")
        head = row((self.title, 1), self.counter, spacing=12)
        column(
            head, self.error, (self.views, 1), self.trouble, self.caption, of=self, margins=(18, 10, 18, 12), spacing=8
        )
        self.overlays = Overlays(session, self, self.views)
        self._take_tools()
        self.player = Player(session)
        self.player.setParent(self)
        self.player.hide()
        self._playing = False
        """Whether to play as soon as the timeline is known."""
        edits = EditCommands(session, self, self.job, self._grid_keys)
        context = ActionContext(session, self, files, edits, self.player, tours)
        self.commands = ActionSet(stage_commands(ACTIONS), context, self)
        self._add_keys()
        self.commands.rest()

    def _take_tools(self) -> None:
        session = self.session
        self._swap = SwapTool(session)
        grid_tools = (SelectTool(session, self.job), PaintTool(session, self.job))
        tools = (*grid_tools, DragTool(session), self._swap, AllocateTool(session))
        self.toolbox = Toolbox(session, tools, (self.job, self.machine), self)
        self._grid_keys = GridKeys(self.job, self.toolbox, self)
        self._tip = GestureTip(session, self)
        self.toolbox.pointed.connect(self._tip.follow)

    def _add_keys(self) -> None:
        step = self.session.presentation.step
        functions: dict[str, Callable[[], object]] = {
            "next": partial(step, 1),
            "previous": partial(step, -1),
            "first": partial(self._go, 0),
            "last": partial(self._go, -1),
            "black": partial(self.overlays.cover, "black"),
            "white": partial(self.overlays.cover, "white"),
            "spotlight": self.overlays.spotlight.toggle,
            "again": self._again,
            "keys": self.overlays.toggle_keys,
            "escape": self._escape,
        }
        for key in STAGE_KEYS:
            if key.name in functions:
                self._add_key(key.sequences, functions[key.name])
        for digit in DIGITS:
            self._add_key(digit, partial(self.overlays.type_digit, digit))
        self._add_key("Return; Enter", self.overlays.number.enter)

    def _add_key(self, sequences: str, do: Callable[[], object]) -> None:
        for key in QKeySequence.listFromString(sequences):
            QShortcut(key, self).activated.connect(do)

    def _go(self, number: int) -> None:
        tour = self.session.state.tour.tour
        if tour is not None:
            self.session.presentation.go(number % len(tour.scenes))

    def _again(self) -> None:
        scene = self.session.state.tour.scene
        if scene is not None:
            self._scene = None
            self.session.presentation.go(scene)

    def _escape(self) -> None:
        if not self.overlays.cancel() and not self.cancel_gesture():
            self.close()

    def open_on(self, desk: Scene, *, full: bool) -> None:
        """Begin full screen, on another screen if there is one, or as a window; without a tour `desk` is shown."""
        self._desk, self._scene = desk, None
        self.session.changed.connect(self._on_session_changed)
        self.commands.follow()
        self._apply_theme()
        if full:
            # Some window managers ignore the request for full screen.
            self.setGeometry(other_screen(self._window).geometry())
            self.showFullScreen()
        else:
            self.resize(WINDOW_PX)
            self.showNormal()
        self._show_scene()
        self.windowHandle().installEventFilter(self)
        self.activateWindow()

    def present(self, *, full: bool, first: bool = False) -> None:
        """Leave the stage: the shortcut that opens it closes it again."""
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """End the presentation."""
        super().closeEvent(event)
        if self._has_pointer:
            self._has_pointer = False
            QGuiApplication.restoreOverrideCursor()
            self.session.changed.disconnect(self._on_session_changed)
            self.commands.rest()
            self.player.pause()
            self.overlays.hide()
            self.closed.emit()

    _has_pointer = False

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Paint everything once the window is on screen: before that Qt may keep parts of the scene shown last."""
        if event.type() == QEvent.Type.Expose and watched is self.windowHandle():
            watched.removeEventFilter(self)
            self.update()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Scale type with the window."""
        super().resizeEvent(event)
        if self._has_pointer:
            self._apply_theme()
        self.overlays.place()

    def _on_session_changed(self, changes: ChangeSet) -> None:
        state = self.session.state
        self.overlays.spotlight.renew()
        if ChangeSet.STYLE in changes:
            self._apply_theme()
        if ChangeSet.TOUR in changes and not state.presenting:
            self.close()  # another document was opened on the desk
            return
        if ChangeSet.TOUR in changes:
            self._show_scene()
        if changes & (ChangeSet.STATUS | ChangeSet.TOUR):
            say(self.trouble, str(state.error) if state.error is not None else "")
        if changes & (ChangeSet.TIME | ChangeSet.LOADS):
            self._follow_time()
        if changes & (ChangeSet.SEARCH | ChangeSet.STATUS | ChangeSet.TOUR):
            self._show_counter()

    def _follow_time(self) -> None:
        timeline, moment = self.session.timekeeper.current, self.session.state.moment
        self.player.show_state(timeline, moment.words if moment is not None else "")
        if self._playing and timeline is not None:
            self._playing = False
            self.player.toggle()

    def _show_scene(self) -> None:
        """Show another scene, or the error instead of it."""
        state, tour = self.session.state, self.session.state.tour
        number, scene = tour.scene, self._desk
        if tour.tour is not None and number is not None and number < len(tour.tour.scenes):
            scene = tour.tour.scenes[number]
        shown = (number, scene, tour.scene_error or state.tour.arrivals)
        if shown == self._scene:
            return
        self._scene = shown
        self.overlays.leave_scene()
        self.title.setText(scene.title)
        say(self.error, cannot_be_shown(tour.scene_error) if tour.scene_error is not None else "")
        self.views.setVisible(tour.scene_error is None)
        if tour.scene_error is None:
            self.views.show_views(scene.views)
            self._look(scene.camera)
        self.caption.show_state()
        self._show_counter()

    def _look(self, seen: Seen) -> None:
        glides = self.session.state.tour.glide is not None
        self.machine.catch_up()
        try:
            self.machine.look(seen, GLIDE_MS if glides else 0)
        except SpecError as error:
            say(self.trouble, error_text(error))

    def _show_counter(self) -> None:
        state, words = self.session.state, ""
        tour = state.tour
        if tour.tour is not None and tour.scene is not None:
            words = f"{tour.scene + 1} / {len(tour.tour.scenes)}"
        if state.outdating is not None:
            words = f"{state.outdating.words} …   {words}"
        self.counter.setText(f"{SEARCHING[state.search.phase]}   {words}".strip())

    @property
    def theme(self) -> Theme:
        """Return the look of the stage."""
        return self.session.state.style.theme.scaled(scale_for(self.width(), self.height()))

    def _apply_theme(self) -> None:
        theme = self.theme
        sheet = theme.style_sheet() + type_sheet(font_of(theme).pointSizeF())
        self._show_pointer()
        if sheet != self.styleSheet():
            # The desk, which may be visible too, keeps its type size.
            self.setStyleSheet(sheet)
            self.views.set_scale(theme.scale)

    def _show_pointer(self) -> None:
        cursor = halo_cursor(self.theme, self.devicePixelRatioF())
        if self._has_pointer:
            QGuiApplication.changeOverrideCursor(cursor)
        else:
            self._has_pointer = True
            QGuiApplication.setOverrideCursor(cursor)

    # The `Shell` interface of commands.

    def fit(self) -> None:
        """Show the entire machine."""
        self.machine.fit()

    def cancel_gesture(self) -> bool:
        """Cancel a tool's gesture; return whether there was one."""
        return self.toolbox.cancel()

    def pointed_hit(self) -> Hit | None:
        """Return the hit under the pointer in the machine or the task grid, or None if it is over neither."""
        return self.toolbox.pointed_hit

    def pick(self) -> None:
        """Pick, for a swap, the task at the keyboard cursor."""
        if self._grid_keys.active:
            self._grid_keys.pick()
        elif self.machine.hasFocus():
            self.machine.pick()

    def show_page(self, page: str) -> None:
        """Start computing the timeline if that page is requested; the scene determines which views are shown."""
        if page == "timeline" and self.session.timekeeper.current is None:
            self._playing = True
            self.session.timekeeper.look()

    def arrange(self, layout: str) -> None:
        """Do nothing: panels belong to the desk."""

    def maximise(self) -> None:
        """Do nothing: panels belong to the desk."""

    def open(self, window: str) -> None:
        """Do nothing: other windows belong to the desk."""

    def set_theme(self, name: str) -> None:
        """Do nothing: the desk chooses the theme."""

    def set_font_scale(self, scale: float) -> None:
        """Do nothing: type size follows the screen."""

    def close_later(self) -> None:
        """Close after the calling command has returned."""
        QTimer.singleShot(0, self, self.close)


def other_screen(window: QWidget) -> QScreen:
    """Return a screen other than the window's, if there is one; else its own."""
    own = window.screen()
    return next((screen for screen in QGuiApplication.screens() if screen is not own), own)
