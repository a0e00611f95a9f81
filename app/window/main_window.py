"""The window: docks, cards and menus, nothing else. What they show lives in the views and panels."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QRect, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.actions.action_set import ActionSet
from app.actions.context import ActionContext
from app.actions.edit_commands import EditCommands
from app.actions.file_commands import MESSAGE_MS, FileCommands
from app.actions.table import ACTIONS
from app.actions.tour_commands import TourCommands
from app.model.changes import ChangeSet
from app.model.scenes import Scene, Seen
from app.model.search_run import SearchRun
from app.model.view_table import VIEWS
from app.panels.bottleneck.panel import BottleneckPanel
from app.panels.build.panel import BuildPanel
from app.panels.optimiser.panel import OptimiserPanel
from app.panels.tour.panel import TourPanel
from app.session.autosave import TOUR as TOUR_KIND
from app.session.autosave import Autosave
from app.session.presentation import GLIDE_MS
from app.session.scene_state import scene_of
from app.session.session import Session
from app.storage.settings import Settings
from app.storage.tours import SUFFIX as TOUR
from app.style.palette import font_of, palette_of, system_theme
from app.style.theme import THEMES
from app.tools.allocate import AllocateTool
from app.tools.drag import DragTool
from app.tools.gesture_tip import GestureTip
from app.tools.grid_keyboard import GridKeys
from app.tools.paint import PaintTool
from app.tools.select import SelectTool
from app.tools.swap import SwapTool
from app.tools.toolbox import Toolbox
from app.views.charts.timeline import TimelineView
from app.views.heatmaps.bundle_matrix import MatrixView
from app.views.heatmaps.task_grid import JobGridView
from app.views.machine.view import MachineView
from app.views.view import View, load
from app.widgets.card import Card
from app.widgets.layouts import column
from app.window.context_menu import ContextMenus
from app.window.file_drops import FileDrops
from app.window.layout import Centre, DockWidths, dock, keep_shape, restore_shape
from app.window.menus import Menus
from app.window.recovery_banner import RecoveryBanner, TourRecoveryBanner
from app.window.side_by_side import SideBySide
from app.window.snapshot_menu import SnapshotMenu
from app.window.status_bar import StatusLine
from app.window.toolbar import ToolBar
from core.files import encode
from core.spec import SpecError

# What opens beside the window is imported then.
if TYPE_CHECKING:
    from app.panels.networks.survey import NetworkSurvey
    from app.panels.networks.table import NetworkTableWindow
    from app.panels.studies.window import StudiesWindow
    from app.stage.presenter import PresenterPanel
    from app.stage.stage import Stage
    from app.window.help import HelpWindow

AnyView = TypeVar("AnyView", bound=View)

TITLE = "Fabriscope"
FAILURE_MS = 15_000
"""How long the message stands that work could not be kept safe."""


class Window(QMainWindow):
    """Shows one session."""

    _help: "HelpWindow | None" = None
    _networks: "NetworkTableWindow | None" = None
    _studies: "StudiesWindow | None" = None
    stage: "Stage | None" = None
    """What is presented on; None: nothing has been."""
    _presenter: "PresenterPanel | None" = None
    _presenter_card: Card
    """What the speaker sees beside the stage, once it is needed."""
    _shape, _camera = QRect(), Seen()
    """Place and size of the window before it made room for the stage, and from where its machine was looked at."""
    _survey: "NetworkSurvey | None" = None
    """What is known of networks, from one opening of the chooser to the next."""
    _arrivals = 0
    """Scenes that have come on screen."""
    _message = ""
    """The last message of the optimiser."""

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__()
        self.session, self.settings = session, settings
        # Before all that measures its texts when the style changes.
        session.changed.connect(self._on_style_changed)
        self.views: dict[str, View] = {spec.id: load(spec)(session) for spec in VIEWS}
        """By id; all can be exported as pictures."""
        self.machine, self.job = self._view(MachineView), self._view(JobGridView)
        self.optimiser, self.build = OptimiserPanel(session), BuildPanel(session)
        self.bottleneck = BottleneckPanel(session)
        self.build.chooser_asked.connect(self._open_network_chooser)
        self.files = FileCommands(session, settings, self, lambda view: self.comparing.beside(view))
        self.tours = TourCommands(self.files, self._desk_scene)
        self.autosave = Autosave(session, settings.autosaves, parent=self)
        self.autosave.failed.connect(partial(self._show_message, FAILURE_MS))
        self.recovery = RecoveryBanner(session, self.autosave, settings.autosaves, self.files.may_lose_changes)
        tours = settings.autosaves / "tours"
        self._tour_autosave = Autosave(session, tours, TOUR_KIND, parent=self)
        self._tour_autosave.failed.connect(partial(self._show_message, FAILURE_MS))
        self._tour_recovery = TourRecoveryBanner(session, self._tour_autosave, tours, self.tours.may_lose_changes)
        self.centre = Centre(column(self.recovery, self._tour_recovery), self.views)
        self.centre.add_page("optimiser", self.optimiser.title, self.optimiser, self.optimiser.subtitle_changed)
        self.setCentralWidget(self.centre)
        docks = [
            dock(self, "Build", self.build, Qt.DockWidgetArea.LeftDockWidgetArea),
            dock(self, "Bottleneck", self.bottleneck, Qt.DockWidgetArea.RightDockWidgetArea),
        ]
        self._docks = DockWidths(self, docks)
        self.tour = TourPanel(session)
        self._tour_card = self.centre.add_below(TourPanel.title, self.tour)
        self._take_tools()
        self._make_commands()
        self.setStatusBar(StatusLine(session, self))
        FileDrops(self, self._take_files)
        self.comparing = SideBySide(session, self.machine, self.centre.charts, self.centre.insert_beside_machine)
        session.changed.connect(self._on_session_changed)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_theme_changed)
        self.set_theme(settings.theme)
        session.set_font_scale(settings.font_scale)
        self._apply_theme()
        self._show_path()
        restore_shape(self, self._docks, settings, session.state.style.theme.scale)

    def _view(self, kind: type[AnyView]) -> AnyView:
        return next(view for view in self.views.values() if isinstance(view, kind))

    def _take_tools(self) -> None:
        """Make the tools, what they say beside the pointer, and the menu of the right button."""
        session, swap = self.session, SwapTool(self.session)
        grid_tools = (SelectTool(session, self.job), PaintTool(session, self.job))
        tools = (*grid_tools, DragTool(session), swap, AllocateTool(session))
        self.toolbox = Toolbox(session, tools, (self.job, self.machine), self)
        self.grid_keys = GridKeys(self.job, self.toolbox, self)
        self.tip = GestureTip(session, self)
        self.toolbox.pointed.connect(self.tip.follow)
        self.context = ContextMenus(session, swap, self)
        self.context.watch_machine(self.machine)
        self.context.watch_grid(self.job)
        for view in self.views.values():
            if isinstance(view, MatrixView):
                self.context.watch_matrix(view)
        self.context.watch_table(self.bottleneck.hottest.table)
        self.machine.pointed.connect(swap.follow)
        self.machine.picked.connect(swap.pick)

    def _make_commands(self) -> None:
        """Make the commands, the menus and the toolbar."""
        session = self.session
        self.edits = EditCommands(session, self, self.job, self.grid_keys)
        self.grid_keys.put_asked.connect(self.edits.put_marked)
        self.snapshots = SnapshotMenu(session, session.pin_scenario, self)
        self.snapshots.done.connect(partial(self._show_message, MESSAGE_MS))
        player = self._view(TimelineView).player
        self.commands = ActionSet(
            ACTIONS, ActionContext(session, self, self.files, self.edits, player, self.tours), self
        )
        self.menus = Menus(self.menuBar(), self.commands, self.files, self.tours, self.snapshots, self.views.values())
        self.toolbar = ToolBar(session, self.commands, self.edits)
        self.addToolBar(self.toolbar)

    def _take_files(self, paths: Sequence[Path]) -> None:
        """Take files that are dropped: a tour, or what the scenario can be made of."""
        tour = next((path for path in paths if path.name.endswith(TOUR)), None)
        if tour is not None:
            self.tours.open(tour)
        else:
            self.files.exchange.take(paths)

    def fit(self) -> None:
        """Show the whole machine."""
        self.machine.fit()

    def cancel_gesture(self) -> bool:
        """Give up what a tool has begun; return whether there was anything."""
        return self.toolbox.cancel()

    def pick(self) -> None:
        """Pick for a swap what the keyboard is at: the cursor of the task grid, or what is selected in the machine."""
        if self.grid_keys.active:
            self.grid_keys.pick()
        elif self.machine.hasFocus():
            self.machine.pick()

    def show_page(self, page: str) -> None:
        """Bring a view, or the optimiser, to the front by its id."""
        self.centre.show_page(page)

    @property
    def chosen_run(self) -> SearchRun | None:
        """Return the search that is looked at in the optimiser."""
        return self.optimiser.chosen

    def open(self, window: str) -> None:
        """Open what has a window of its own."""
        ways: dict[str, Callable[[], object]] = {
            "palette": self._open_palette,
            "reference": self._open_reference,
            "snapshot": self.snapshots.ask_take,
            "networks": self._open_network_chooser,
            "network-table": self._open_network_table,
            "studies": self._open_studies,
            "film-tour": partial(self._film, "tour"),
            "film-timeline": partial(self._film, "timeline"),
            "film-recording": partial(self._film, "recording"),
            "save-recording": self._save_recording,
            "document": self._write_document,
            "report": self._write_report,
        }
        ways[window]()

    def _open_palette(self) -> None:
        from app.window.palette import Palette, entries

        Palette(entries(self.commands, self.files, self.views.values()), self).popup()

    def _open_network_chooser(self) -> None:
        from app.panels.networks.chooser import NetworkChooser
        from app.panels.networks.survey import NetworkSurvey

        if self._survey is None:
            self._survey = NetworkSurvey(sync=self.session.sync, parent=self)
        NetworkChooser(self.session, self._survey, self).popup()

    def _open_network_table(self) -> None:
        if self._networks is None:
            from app.panels.networks.table import NetworkTableWindow

            self._networks = NetworkTableWindow(self.session, self)
            self._networks.start()
        _bring(self._networks)

    def _open_studies(self) -> None:
        if self._studies is None:
            from app.panels.studies.window import StudiesWindow
            from app.report.study import study_page

            folder = self.settings.studies
            self._studies = StudiesWindow(self.session, folder, self.files.ask_path, study_page, self)
        _bring(self._studies)

    def _film(self, what: str) -> None:
        """Ask where a film goes and make it, of the tour, the timeline or the last recording."""
        from app.storage.animations import RATES
        from app.window.film_export import FORMS

        path, kind = self.files.ask_path_and_kind("Export film", ";;".join(FORMS), *RATES)
        if path is not None:
            self._export(path, what, ["film", "-", "--progress", "--patient", "--size", FORMS.get(kind, "720p")])

    def _write_document(self) -> None:
        """Ask where a document goes and make it of the tour."""
        path = self.files.ask_path("Tour as PDF", "PDF document (*.pdf)", ".pdf")
        if path is not None:
            self._export(path, "tour", ["tour", "-", "--patient"])

    def _export(self, path: Path, what: str, arguments: list[str]) -> None:
        from app.tour.recording import encode_recording
        from app.tour.tour_file import encode_tour
        from app.window.film_export import FilmExport

        state, recorded = self.session.state, self.session.recorder.recorded
        folder = state.wanted.folder
        if what == "tour" and state.tour.tour is not None:
            content, folder = encode_tour(state.tour.tour), state.tour.tour_path and state.tour.tour_path.parent
        elif what == "recording" and recorded is not None:
            content = encode_recording(recorded)
        else:
            content = encode(state.evaluation.case.scenario, folder)
        say = partial(self._show_message, MESSAGE_MS)
        FilmExport(self.session, arguments, content, folder, path, say, self)

    def _save_recording(self) -> None:
        from app.tour.recording import SUFFIX, write_recording

        recorded = self.session.recorder.recorded
        path = self.files.ask_path("Save recording", f"Recordings (*{SUFFIX})", SUFFIX)
        if path is not None and recorded is not None:
            self.files.written(path, lambda: write_recording(path, recorded))

    def _write_report(self) -> None:
        from app.window.report_export import ReportExport

        path = self.files.ask_path("Report", "Web page (*.html)", ".html")
        if path is not None:
            ReportExport(self.session, path, partial(self._show_message, MESSAGE_MS), self)

    def present(self, *, full: bool) -> None:
        """Present the open tour from the scene on screen, else what is on screen."""
        from app.stage.stage import Stage

        if self.stage is None:
            self.stage = Stage(self.session, self.files, self.tours, self)
            self.stage.closed.connect(self._on_stage_closed)
        if self.session.state.presenting:
            self.stage.activateWindow()
            return
        tour, scene = self.session.state.tour.tour, self.session.state.tour.scene
        desk = self._desk_scene(None)
        self._shape, self._camera = self.geometry(), self.machine.seen
        self.session.presentation.begin((scene or 0) if tour is not None else None)
        self.stage.open_on(desk, full=full)
        if full and self.stage.screen() is self.screen():
            self.hide()
        else:
            self._show_presenter(self.stage)

    def _show_presenter(self, stage: "Stage") -> None:
        """Show the speaker's notes in place of the strip; the machines of desk and stage are seen from one place."""
        from app.stage.presenter import PresenterPanel

        if self._presenter is None:
            self._presenter = PresenterPanel(self.session)
            self._presenter.leave.clicked.connect(stage.close)
            self._presenter_card = self.centre.add_below(PresenterPanel.title, self._presenter)
            self.machine.camera_moved.connect(partial(self._share_camera, self.machine, stage.machine))
            stage.machine.camera_moved.connect(partial(self._share_camera, stage.machine, self.machine))
        self._tour_card.hide()
        self._presenter_card.show()
        self._presenter.begin()

    def _share_camera(self, moved: MachineView, other: MachineView) -> None:
        if self.session.state.presenting and not self.isHidden() and not other.moving:
            other.controller.follow(moved.controller)

    def _desk_scene(self, folder: Path | None) -> Scene:
        """Return what is on screen as a scene of a tour in a folder."""
        return scene_of(self.session.state, self.centre.shares, self.machine.seen, folder)

    def _on_stage_closed(self) -> None:
        self.session.presentation.end()
        if self.isHidden():
            self.show()
            if not self.isMaximized():
                self.setGeometry(self._shape)
            self.activateWindow()
        elif self._presenter is not None:
            self._presenter.rest()
            self._presenter_card.hide()
            self._tour_card.setVisible(self.session.state.tour.tour is not None)
            self.machine.look(self._camera, 0)

    def _open_reference(self) -> None:
        if self._help is None:
            from app.window.help import HelpWindow

            self._help = HelpWindow(self)
        _bring(self._help)

    def set_theme(self, name: str) -> None:
        """Use a theme by name; ``system`` follows the desktop."""
        self.settings.theme = name
        self.session.set_theme(THEMES.get(name) or system_theme())

    def set_font_scale(self, scale: float) -> None:
        """Make type and marks so large, of the desktop's size, and remember it."""
        self.settings.font_scale = scale
        self.session.set_font_scale(scale)

    def close_later(self) -> None:
        """Close once the command that asked for it has returned."""
        QTimer.singleShot(0, self, self.close)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Offer to save what would be lost, remember the window's shape, stop all work."""
        if not (self.files.may_lose_changes() and self.tours.may_lose_changes()):
            event.ignore()
            return
        if self.stage is not None:
            self.stage.close()
        self.tour.shut_down()
        if self._presenter is not None:
            self._presenter.shut_down()
        keep_shape(self, self.settings)
        if self._help is not None:
            self._help.close()
        if self._networks is not None:
            self._networks.shut_down()
        if self._studies is not None:
            self._studies.shut_down()
        if self._survey is not None:
            self._survey.close()
        for autosave, recovery in ((self.autosave, self.recovery), (self._tour_autosave, self._tour_recovery)):
            autosave.close()
            recovery.release()
        self.session.close()
        super().closeEvent(event)

    def _on_style_changed(self, changes: ChangeSet) -> None:
        if ChangeSet.STYLE in changes:
            self._apply_theme()
        if ChangeSet.TOUR in changes:
            self._show_tour()

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if ChangeSet.FILE in changes:
            self._show_path()
        message = self.session.optimiser.message
        if ChangeSet.SEARCH in changes and message != self._message:
            self._message = message
            self._show_message(MESSAGE_MS, message)

    def _show_tour(self) -> None:
        """Show the strip while a tour is open, and look at the machine as a scene that has arrived says."""
        tour = self.session.state.tour
        self._tour_card.setVisible(tour.tour is not None and not self.session.state.presenting)
        if tour.arrivals == self._arrivals:
            return
        self._arrivals = tour.arrivals
        if not self.isHidden() and tour.tour is not None and tour.scene is not None and tour.scene_error is None:
            self.machine.catch_up()
            with suppress(SpecError):  # the stage says so
                self.machine.look(tour.tour.scenes[tour.scene].camera, GLIDE_MS if tour.glide is not None else 0)

    def _show_message(self, ms: int, text: str) -> None:
        self.statusBar().showMessage(text, ms)

    def _apply_theme(self) -> None:
        theme = self.session.state.style.theme
        sheet = theme.style_sheet()
        if sheet != self.styleSheet():
            # Windows of Qt's own (what a file dialog completes) have no parent whose style sheet they could follow.
            QApplication.setPalette(palette_of(theme))
            if QApplication.font() != font_of(theme):
                QApplication.setFont(font_of(theme))
            self.setStyleSheet(sheet)
            self._docks.follow(theme.scale)

    def _on_system_theme_changed(self) -> None:
        if self.settings.theme == "system":
            self.session.set_theme(system_theme())

    def _show_path(self) -> None:
        state = self.session.state
        # What comes with the program is called by its note, as long as that is still true.
        note = "" if state.dirty else state.wanted.note.split("\n")[0][:80]
        name = state.file.path.name if state.file.path is not None else note or "untitled"
        title = f"{name}[*] · {TITLE}"
        if (title, state.dirty) != (self.windowTitle(), self.isWindowModified()):
            self.setWindowTitle(title)
            self.setWindowModified(state.dirty)


def _bring(window: QWidget) -> None:
    window.show()
    window.raise_()
    window.activateWindow()
