"""The main window: it composes docks, cards, menus and commands; views and panels hold the content."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.actions.action_set import ActionSet
from app.actions.context import ActionContext
from app.actions.edit_commands import EditCommands
from app.actions.exchange import CHOICES
from app.actions.file_commands import MESSAGE_MS, FileCommands
from app.actions.table import ACTIONS, IN_WINDOWS
from app.model.changes import ChangeSet
from app.model.measurement import LinkSource
from app.model.pointing import Hit
from app.model.view_table import VIEWS
from app.panels.bottleneck.panel import BottleneckPanel
from app.panels.build.fit_bar import FitBar
from app.panels.build.panel import BuildPanel
from app.panels.channels.panel import ChannelsPanel
from app.panels.measured.panel import MeasuredPanel
from app.panels.optimiser.panel import OptimiserPanel
from app.panels.routes.panel import RoutesPanel
from app.panels.what_if.panel import WhatIfPanel
from app.session.autosave import Autosave
from app.session.jobs import add_job_of
from app.session.session import Session
from app.storage.settings import Settings
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
from app.views.view import View, view_class
from app.widgets.labels import AnyWidget
from app.widgets.layouts import column
from app.widgets.session_window import bring, take_keys
from app.window.context_menu import ContextMenus
from app.window.exports import Exports
from app.window.file_drops import FileDrops
from app.window.first_steps import FirstSteps
from app.window.layout import Centre, dock
from app.window.menus import Menus, ask_link_class
from app.window.panel_arrangement import PanelArrangement
from app.window.recovery_banner import RecoveryBanner
from app.window.side_by_side import SideBySide
from app.window.snapshot_menu import SnapshotMenu
from app.window.status_bar import StatusLine
from app.window.toolbar import ToolBar
from app.window.touring import Touring
from app.wording.names import headline_of

# Other windows are imported when they are opened.
if TYPE_CHECKING:
    from app.panels.networks.survey import NetworkSurvey
    from app.panels.networks.table import NetworkTableWindow
    from app.panels.studies.window import StudiesWindow

AnyView = TypeVar("AnyView", bound=View)

TITLE = "Fabriscope"
FAILURE_MS = 15_000
"""Duration of the message that unsaved work could not be copied."""


class Window(QMainWindow):
    """Shows one session."""

    _networks: "NetworkTableWindow | None" = None
    _studies: "StudiesWindow | None" = None
    _survey: "NetworkSurvey | None" = None
    """The survey of networks, kept from one opening of the chooser to the next."""
    _message = ""
    """The last message of the optimiser."""

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__()
        self.session, self.settings = session, settings
        self._help: dict[str, QWidget] = {}
        """Windows of the Help menu by name, made when first opened."""
        # Connected before all widgets that measure texts when the style changes.
        session.changed.connect(self._on_style_changed)
        self.views: dict[str, View] = {spec.id: view_class(spec)(session) for spec in VIEWS}
        """Views by id; all can be exported as pictures."""
        self.machine, self.job = self._view(MachineView), self._view(JobGridView)
        self.optimiser, self.build = OptimiserPanel(session), BuildPanel(session)
        self.bottleneck, self.routes = BottleneckPanel(session), RoutesPanel(session)
        self.build.chooser_asked.connect(self._open_network_chooser)
        self.files = FileCommands(session, settings, self, lambda view: self.comparing.pictured_with(view))
        self.build.file_chosen.connect(self.files.exchange.take_into)
        self.build.counters_chosen.connect(partial(self.files.exchange.take, choice="counters"))
        self.files.open_study = self._show_study
        self.exports = Exports(self.files, self._show_message, self)
        self.touring = Touring(self.files, self.machine, settings.autosaves / "tours", self)
        self.tours = self.touring.commands
        self.autosave = Autosave(session, settings.autosaves, parent=self)
        for autosave in (self.autosave, self.touring.autosave):
            autosave.failed.connect(partial(self._show_message, FAILURE_MS))
        self.recovery = RecoveryBanner(
            session, self.autosave, settings.autosaves, self.files.may_lose_changes, self.files.disk
        )
        self.steps = FirstSteps(
            session,
            settings,
            lambda: self.build.current_sections()["job"],
            lambda name: self.commands[name].trigger(),
        )
        self.centre = Centre(column(self.recovery, self.touring.recovery, self.steps, FitBar(session)), self.views)
        self._add_pages()
        self.setCentralWidget(self.centre)
        docks = {
            "build": dock(self, "Build", self.build, Qt.DockWidgetArea.LeftDockWidgetArea),
            "bottleneck": dock(self, "Bottleneck", self.bottleneck, Qt.DockWidgetArea.RightDockWidgetArea),
        }
        self.arrangement = PanelArrangement(self, session, self.centre, docks)
        self.touring.add_strip(self.centre)
        self._take_tools()
        self._make_commands()
        self.setStatusBar(StatusLine(session, self))
        self.drops = FileDrops(self, session, self._take_files, self._drop_parts())
        self.comparing = SideBySide(session, self.machine, self.centre.charts, self.centre.insert_left_of_machine)
        session.changed.connect(self._on_session_changed)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_theme_changed)
        self._restore_style()
        self._show_path()
        self.machine.setFocus()  # else Qt would choose the first button
        self.arrangement.restore(settings)

    def _restore_style(self) -> None:
        self.set_theme(self.settings.theme)
        self._apply_theme()
        # After the first sheet: it keeps the font that widgets have before.
        self.session.set_font_scale(self.settings.font_scale)
        self.session.set_source(LinkSource.of(self.settings.link_values))

    def _add_pages(self) -> None:
        """Add the panels among the charts."""
        self.measured, self.channels = MeasuredPanel(self.session), ChannelsPanel(self.session)
        self.what_if = WhatIfPanel(self.session)
        offered = (("what-if", self.what_if), ("measured", self.measured), ("channels", self.channels))
        for name, panel in (("optimiser", self.optimiser), ("routes", self.routes), *offered):
            self.centre.add_page(name, panel.title, panel, panel.subtitle_changed)
        self._offer_pages()

    def _view(self, kind: type[AnyView]) -> AnyView:
        return next(view for view in self.views.values() if isinstance(view, kind))

    def _take_tools(self) -> None:
        """Make the tools, their tip next to the pointer, and the context menus."""
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
        self.context.canvas = (
            ("Fit", lambda view: self.fit(), lambda view: view is self.machine),
            ("Export picture …", self.files.ask_picture, lambda view: True),
            ("Copy picture", self.files.copy_picture, lambda view: True),
        )
        self.context.show_page = self.show_page
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

    def _take_files(self, paths: Sequence[Path], place: str | None) -> None:
        """Open dropped files of Fabriscope, and use other files in the scenario, as the place of `file_drops` says."""
        if place == "background":
            add_job_of(self.session, paths[0])
        else:
            # The place decides how to use a file that could be of several kinds.
            self.files.exchange.take(paths, place if place in CHOICES and len(paths) == 1 else None)

    def _drop_parts(self) -> dict[str, tuple[QWidget, ...]]:
        """Return the parts of the window for files dropped at a place of `file_drops`."""
        machine, job = self.centre.cards["machine"], self.centre.cards["job"]
        return {
            "network": (machine,),
            "job": (job,),
            "background": (job,),
            "mapping": (self.build.sections["mapping"], self.build),
            "routing": (self.build.sections["routing"], self.build),
            "counters": (self.build.counters, self.build),
        }

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
        """Pick, for a swap, the task at the task grid's cursor, or the selection in the machine."""
        if self.grid_keys.active:
            self.grid_keys.pick()
        elif self.machine.hasFocus():
            self.machine.pick()

    def show_page(self, page: str) -> None:
        """Bring a view, the optimiser or the routes to the front, by its id."""
        self.arrangement.reveal(page)
        self.centre.show_page(page)

    def arrange(self, layout: str) -> None:
        """Arrange the panels in a layout, by its name."""
        self.arrangement.arrange_as(layout)

    def maximise(self) -> None:
        """Maximise the panel with the keyboard focus, or restore all panels."""
        self.arrangement.maximise()

    def open(self, window: str) -> None:
        """Open another window by its name."""
        openers: dict[str, Callable[[], object]] = {
            "palette": self._open_palette,
            "first-steps": self.steps.begin_again,
            **{name: partial(self._open_help, name) for name in ("shortcuts", "reference", "about")},
            "snapshot": self.snapshots.ask_take,
            "link-classes": partial(ask_link_class, self.session, self.bottleneck.bars),
            "networks": self._open_network_chooser,
            "network-table": self._open_network_table,
            "studies": self._open_studies,
            **{f"film-{what}": partial(self.exports.film, what) for what in ("tour", "timeline", "recording")},
            "save-recording": self.exports.recording,
            "document": self.exports.document,
            "report": self.exports.report,
        }
        openers[window]()

    def _open_palette(self) -> None:
        from app.window.palette import Palette
        from app.window.palette_entries import palette_entries

        entries = palette_entries(self.commands, self.files, self.tours, self.build, self.views.values())
        Palette(entries, self.session.state.style.theme, self).popup()

    def _open_network_chooser(self) -> None:
        from app.panels.networks.chooser import NetworkChooser
        from app.panels.networks.survey import NetworkSurvey

        if self._survey is None:
            self._survey = NetworkSurvey(sync=self.session.sync, parent=self)
        chooser = NetworkChooser(self.session, self._survey, self)
        chooser.file_asked.connect(partial(self.build.ask_file, "network"))
        chooser.popup()

    def _open_network_table(self) -> None:
        if self._networks is None:
            from app.panels.networks.table import NetworkTableWindow

            self._networks = self._keyed(NetworkTableWindow(self.session, self))
            self._networks.start()
        bring(self._networks)

    def _open_studies(self) -> None:
        if self._studies is None:
            from app.panels.studies.window import StudiesWindow
            from app.report.study import study_steps

            folder = self.settings.studies
            self._studies = self._keyed(StudiesWindow(self.session, folder, self.files.ask_path, study_steps, self))
        bring(self._studies)

    def _keyed(self, window: AnyWidget) -> AnyWidget:
        take_keys(window, [self.commands[name] for name in IN_WINDOWS])
        return window

    def _show_study(self, path: Path) -> None:
        self._open_studies()
        assert self._studies is not None
        self._studies.load(path)

    def present(self, *, full: bool, first: bool = False) -> None:
        """Present the open tour, or the state on screen: full screen, or in a window next to the desk."""
        self.touring.present(full=full, first=first)

    def _open_help(self, name: str) -> None:
        from app.window.about import AboutWindow
        from app.window.help import HelpWindow
        from app.window.shortcuts import ShortcutsWindow

        makers = {"shortcuts": ShortcutsWindow, "reference": HelpWindow, "about": AboutWindow}
        if name not in self._help:
            self._help[name] = self._keyed(makers[name](self))
        bring(self._help[name])

    def set_theme(self, name: str) -> None:
        """Use a theme by name; ``system`` follows the desktop."""
        self.settings.theme = name
        self.session.set_theme(THEMES.get(name) or system_theme())

    def set_font_scale(self, scale: float) -> None:
        """Set the scale of type and marks, and remember it."""
        self.settings.font_scale = scale
        self.session.set_font_scale(scale)

    def close_later(self) -> None:
        """Close after the calling command has returned."""
        QTimer.singleShot(0, self, self.close)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the row or view under the pointer."""
        if not self.context.open_over(self, event):
            super().contextMenuEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Offer to save unsaved work, remember the window's shape, and stop all work."""
        if not (self.files.may_lose_changes() and self.tours.may_lose_changes()):
            event.ignore()
            return
        self.touring.shut_down()
        self.arrangement.keep(self.settings)
        source = self.session.state.kept.style.source
        # Harm would take an evaluation of all cables at the next start.
        self.settings.link_values = (LinkSource.LOAD if source is LinkSource.HARM else source).id
        for window in self._help.values():
            window.close()
        if self._networks is not None:
            self._networks.shut_down()
        if self._studies is not None:
            self._studies.shut_down()
        if self._survey is not None:
            self._survey.close()
        self.autosave.close()
        self.recovery.release()
        self.session.close()
        super().closeEvent(event)

    def _on_style_changed(self, changes: ChangeSet) -> None:
        if ChangeSet.STYLE in changes:
            self._apply_theme()

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if changes & (ChangeSet.FILE | ChangeSet.TOUR):
            self._show_path()
        if changes & (ChangeSet.LOADS | ChangeSet.TOPOLOGY):
            self._offer_pages()
        message = self.session.state.search.message
        if ChangeSet.SEARCH in changes and message != self._message:
            self._message = message
            self._show_message(MESSAGE_MS, message)

    def _offer_pages(self) -> None:
        state, charts = self.session.state, self.centre.charts
        charts.set_page_available(self.measured, state.measurement is not None)
        charts.set_page_available(self.channels, state.evaluation.case.job.channels is not None)

    def _show_message(self, ms: int, text: str) -> None:
        self.statusBar().showMessage(text, ms)

    def _apply_theme(self) -> None:
        theme = self.session.state.style.theme
        sheet = theme.style_sheet()
        if sheet != self.styleSheet():
            # Qt's own windows, such as a file dialog's completer, inherit no style sheet.
            QApplication.setPalette(palette_of(theme))
            if QApplication.font() != font_of(theme):
                QApplication.setFont(font_of(theme))
            self.setStyleSheet(sheet)
            self.arrangement.follow(theme.scale)

    def _on_system_theme_changed(self) -> None:
        if self.settings.theme == "system":
            self.session.set_theme(system_theme())

    def _show_path(self) -> None:
        state = self.session.state
        # A preset is named by its note while it is unchanged, a scene by its tour.
        note = "" if state.dirty else headline_of(state.wanted.note)
        name = state.file.path.name if state.file.path is not None else state.file.origin or note or "untitled"
        title, modified = f"{name}[*] · {TITLE}", state.dirty or state.tour_dirty
        if (title, modified) != (self.windowTitle(), self.isWindowModified()):
            self.setWindowTitle(title)
            self.setWindowModified(modified)
