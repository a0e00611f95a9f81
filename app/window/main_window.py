"""The window: docks, cards and menus, nothing else. What they show lives in the views and panels."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QSplitter, QVBoxLayout, QWidget

from app.actions.edit_commands import EditCommands
from app.actions.file_commands import SHOWN_MS, FileCommands
from app.actions.table import ACTIONS
from app.model.changes import ChangeSet
from app.panels.bottleneck.panel import BottleneckPanel
from app.panels.build.panel import BuildPanel
from app.panels.optimiser.panel import OptimiserPanel
from app.session.autosave import Autosave
from app.session.session import Session
from app.storage.settings import Settings
from app.style.theme import DARK, LIGHT, THEMES, Theme
from app.tools.drag import DragTool
from app.tools.gesture_tip import GestureTip
from app.tools.grid_keyboard import GridKeys
from app.tools.paint import PaintTool
from app.tools.select import SelectTool
from app.tools.swap import SwapTool
from app.tools.toolbox import Toolbox
from app.views.charts.distribution import DistributionView
from app.views.charts.history import HistoryView
from app.views.heatmaps.bundle_matrix import BundleMatrixView
from app.views.heatmaps.inner_matrix import InnerMatrixView
from app.views.heatmaps.task_grid import JobGridView
from app.views.machine.view import MachineView
from app.views.view import View
from app.widgets.card import Card, TabCard
from app.window.context_menu import ContextMenus
from app.window.menus import Menus
from app.window.recovery_banner import RecoveryBanner
from app.window.side_by_side import Comparing
from app.window.snapshot_menu import SnapshotMenu
from app.window.status_bar import StatusLine
from app.window.toolbar import ToolBar

# What opens beside the window is imported then.
if TYPE_CHECKING:
    from app.panels.networks.survey import NetworkSurvey
    from app.panels.networks.table import NetworkTableWindow
    from app.window.help import HelpWindow

TITLE = "Fabriscope"
FAILURE_MS = 15_000
"""How long is told that work could not be kept safe."""


class Window(QMainWindow):
    """Shows one session."""

    session: Session
    files: FileCommands
    edits: EditCommands
    snapshots: SnapshotMenu
    toolbox: Toolbox
    grid_keys: GridKeys
    _networks: "NetworkTableWindow | None" = None
    _survey: "NetworkSurvey | None" = None
    """What is known of networks, from one opening of the chooser to the next."""

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__()
        self.session, self.settings = session, settings
        self.files = FileCommands(self)
        self.machine = MachineView(session)
        self.job = JobGridView(session)
        self.inner = InnerMatrixView(session)
        self.bundles = BundleMatrixView(session)
        self.distribution = DistributionView(session)
        self.history = HistoryView(session)
        self.optimiser = OptimiserPanel(session)
        self.build = self._build_panel()
        self.bottleneck = BottleneckPanel(session)
        self.cards: dict[str, Card] = {}
        self._help: HelpWindow | None = None
        self._told = ""
        self.autosave = Autosave(session, settings.autosaves, parent=self)
        self.autosave.failed.connect(self._on_autosave_failed)
        self.recovery = RecoveryBanner(session, self.autosave, settings.autosaves, self.files.may_lose_changes)
        self.setCentralWidget(self._below(self.recovery, self._centre()))
        self.docks = [
            self._dock("Build", self.build, Qt.DockWidgetArea.LeftDockWidgetArea),
            self._dock("Bottleneck", self.bottleneck, Qt.DockWidgetArea.RightDockWidgetArea),
        ]
        self.edits = EditCommands(self)
        tools = (SelectTool(session, self.job), PaintTool(session, self.job), DragTool(session), SwapTool(session))
        self.toolbox = Toolbox(session, tools, (self.job, self.machine), self)
        self.grid_keys = GridKeys(self.job, self.toolbox, self.edits.put_marked, self)
        self.context = ContextMenus.of(self)
        self.tip = GestureTip(session, self)
        self.toolbox.pointed.connect(self.tip.follow)
        self.snapshots = SnapshotMenu(session, session.pin_scenario, self)
        self.snapshots.told.connect(self._on_snapshots_told)
        self.menus = Menus(self, ACTIONS)
        self.toolbar = ToolBar(self)
        self.addToolBar(self.toolbar)
        self.setStatusBar(StatusLine(session, self))
        self.comparing = Comparing(self)
        session.changed.connect(self._on_session_changed)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_theme_changed)
        self.choose_theme(settings.theme)
        self._apply_theme()
        self._show_path()
        self._shape()

    @property
    def views(self) -> tuple[View, ...]:
        """Return the views that can be exported as pictures."""
        return self.machine, self.job, self.inner, self.bundles, self.distribution, self.history

    def fit(self) -> None:
        """Show the whole machine."""
        self.machine.fit()

    def open_palette(self) -> None:
        """Search all commands, presets and recent files by name."""
        from app.window.palette import Palette

        Palette(self).popup()

    def open_network_chooser(self) -> None:
        """See all networks side by side, and choose one."""
        from app.panels.networks.chooser import NetworkChooser
        from app.panels.networks.survey import NetworkSurvey

        if self._survey is None:
            self._survey = NetworkSurvey(sync=self.session.sync, parent=self)
        NetworkChooser(self.session, self._survey, self).popup()

    def open_network_table(self) -> None:
        """Compare networks of equal size or equal degree, beside the window."""
        if self._networks is None:
            from app.panels.networks.table import NetworkTableWindow

            self._networks = NetworkTableWindow(self.session, self)
            self._networks.start()
        self._networks.show()
        self._networks.raise_()
        self._networks.activateWindow()

    def open_help(self) -> None:
        """Show the reference, beside the window."""
        if self._help is None:
            from app.window.help import HelpWindow

            self._help = HelpWindow(self)
        self._help.show()
        self._help.raise_()

    def choose_theme(self, name: str) -> None:
        """Use a theme by name; ``system`` follows the desktop."""
        self.settings.theme = name
        self.session.set_theme(THEMES.get(name) or system_theme())

    def close_soon(self) -> None:
        """Close once the command that asked for it has returned."""
        QTimer.singleShot(0, self, self.close)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Offer to save what would be lost, remember the window's shape, stop all work."""
        if not self.files.may_lose_changes():
            event.ignore()
            return
        self.settings.set_bytes("geometry", self.saveGeometry())
        for splitter in self.findChildren(QSplitter):
            if splitter.objectName():
                self.settings.set_bytes(splitter.objectName(), splitter.saveState())
        if self._help is not None:
            self._help.close()
        if self._networks is not None:
            self._networks.shut_down()
        if self._survey is not None:
            self._survey.close()
        self.autosave.close()
        self.recovery.release()
        self.session.close()
        super().closeEvent(event)

    def _build_panel(self) -> BuildPanel:
        panel = BuildPanel(self.session)
        panel.chooser_asked.connect(self.open_network_chooser)
        return panel

    def _centre(self) -> QWidget:
        right = self._split("right", Qt.Orientation.Vertical, self._card(self.job), self._card(self.inner))
        machines = self._split("machines", Qt.Orientation.Horizontal, self._card(self.machine))
        top = self._split("top", Qt.Orientation.Horizontal, machines, right, stretch=(3, 1))
        below = self._split(
            "below", Qt.Orientation.Horizontal, self._card(self.bundles), self._charts(), stretch=(1, 3)
        )
        return self._split("centre", Qt.Orientation.Vertical, top, below, stretch=(3, 1))

    def _below(self, banner: QWidget, centre: QWidget) -> QWidget:
        both = QWidget()
        layout = QVBoxLayout(both)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(banner)
        layout.addWidget(centre, 1)
        return both

    def _split(self, name: str, way: Qt.Orientation, *widgets: QWidget, stretch: tuple[int, ...] = (1, 1)) -> QSplitter:
        splitter = QSplitter(way)
        splitter.setObjectName(f"splitter-{name}")
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(8)
        for index, widget in enumerate(widgets):
            splitter.addWidget(widget)
            splitter.setStretchFactor(index, stretch[index])
        return splitter

    def beside_machine(self, view: View) -> Card:
        """Put a view left of the machine, and return its card, hidden."""
        card = self._card(view)
        card.hide()
        splitter = self.cards[self.machine.title].parentWidget()
        assert isinstance(splitter, QSplitter)
        splitter.insertWidget(0, card)
        return card

    def _card(self, view: View) -> Card:
        card = Card(view.title, view)
        view.subtitle_changed.connect(card.set_subtitle)
        view.title_changed.connect(card.set_title)
        self.cards[view.title] = card
        return card

    def _charts(self) -> TabCard:
        card = self.charts = TabCard("Charts")
        for view in (self.distribution, self.history):
            card.add(view.title, view)
            view.subtitle_changed.connect(partial(card.set_page_subtitle, view))
            self.cards[view.title] = card
        card.add(self.optimiser.title, self.optimiser)
        self.optimiser.subtitle_changed.connect(partial(card.set_page_subtitle, self.optimiser))
        self.cards[self.optimiser.title] = card
        return card

    def show_optimiser(self) -> None:
        """Bring the optimiser to the front."""
        self.charts.show_page(self.optimiser)

    def show_history(self) -> None:
        """Bring the history to the front."""
        self.charts.show_page(self.history)

    def _dock(self, title: str, panel: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(f"dock-{title.lower()}")
        dock.setTitleBarWidget(QWidget(dock))
        dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        dock.setWidget(Card(title, panel))
        self.addDockWidget(area, dock)
        return dock

    def _shape(self) -> None:
        geometry = self.settings.bytes("geometry")
        if geometry is None or not self.restoreGeometry(geometry):
            screen = QGuiApplication.primaryScreen().availableGeometry()
            self.resize(min(1600, screen.width()), min(1000, screen.height()))
        self._share_out()
        for splitter in self.findChildren(QSplitter):
            state = self.settings.bytes(splitter.objectName())
            if state is not None:
                splitter.restoreState(state)

    def _share_out(self) -> None:
        # A first share by the window's size; the user's own comes from the settings.
        wide = self.width() >= 1500
        left, right = (250, 330) if wide else (216, 292)
        self.resizeDocks(self.docks, [left, right], Qt.Orientation.Horizontal)
        column = 330 if wide else 250
        centre = self.width() - left - right
        below = 300 if self.height() >= 950 else 230
        sizes = {
            "splitter-centre": [self.height() - below, below],
            "splitter-top": [centre - column, column],
            "splitter-below": [below, centre - below],
            "splitter-right": [1, 1],
        }
        for splitter in self.findChildren(QSplitter):
            if splitter.objectName() in sizes:
                splitter.setSizes(sizes[splitter.objectName()])

    def _on_session_changed(self, changes: ChangeSet, initiator: object) -> None:
        if ChangeSet.STYLE in changes:
            self._apply_theme()
        if ChangeSet.FILE in changes:
            self._show_path()
        told = self.session.optimiser.told
        if ChangeSet.SEARCH in changes and told != self._told:
            self._told = told
            self.statusBar().showMessage(told, SHOWN_MS)

    def _on_snapshots_told(self, text: str) -> None:
        self.statusBar().showMessage(text, SHOWN_MS)

    def _on_autosave_failed(self, text: str) -> None:
        self.statusBar().showMessage(text, FAILURE_MS)

    def _apply_theme(self) -> None:
        theme = self.session.state.style.theme
        sheet = theme.style_sheet()
        if sheet != self.styleSheet():
            # Windows of Qt's own (what a file dialog completes) have no parent whose style sheet they could follow.
            QApplication.setPalette(palette_of(theme))
            self.setStyleSheet(sheet)

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


def palette_of(theme: Theme) -> QPalette:
    """Return the palette in a theme's colours."""
    role, palette = QPalette.ColorRole, QPalette()
    colours = {
        theme.window: (role.Window, role.Button),
        theme.panel: (role.Base, role.AlternateBase, role.ToolTipBase),
        theme.text: (role.WindowText, role.Text, role.ButtonText, role.ToolTipText),
        theme.dim: (role.PlaceholderText,),
        theme.accent: (role.Highlight, role.Link),
        theme.on_accent: (role.HighlightedText,),
    }
    for colour, roles in colours.items():
        for one in roles:
            palette.setColor(one, QColor(colour))
    for one in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, one, QColor(theme.dim))
    return palette


def system_theme() -> Theme:
    """Return the theme that goes with the desktop's colours; dark where the desktop does not say."""
    scheme = QGuiApplication.styleHints().colorScheme()
    return LIGHT if scheme == Qt.ColorScheme.Light else DARK
