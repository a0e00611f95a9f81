"""The window: docks, cards and menus, nothing else. What they show lives in the views and panels."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QCloseEvent, QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QDockWidget, QMainWindow, QSplitter, QWidget

from app.actions import ACTIONS
from app.card import Card
from app.file_commands import FileCommands
from app.help import HelpWindow
from app.menus import Menus
from app.palette import Palette
from app.panels.bottleneck import BottleneckPanel
from app.panels.build import BuildPanel
from app.session import ChangeSet, Session
from app.settings import Settings
from app.status import StatusLine
from app.theme import DARK, LIGHT, THEMES, Theme
from app.toolbar import ToolBar
from app.views.distribution import DistributionView
from app.views.job_grid import JobGridView
from app.views.machine.view import MachineView
from app.views.matrices import BundleMatrixView, InnerMatrixView
from app.views.view import View

TITLE = "Fabriscope"


class Window(QMainWindow):
    """Shows one session."""

    session: Session
    files: FileCommands

    def __init__(self, session: Session, settings: Settings) -> None:
        super().__init__()
        self.session, self.settings = session, settings
        self.files = FileCommands(self)
        self.machine = MachineView(session)
        self.job = JobGridView(session)
        self.inner = InnerMatrixView(session)
        self.bundles = BundleMatrixView(session)
        self.distribution = DistributionView(session)
        self.build = BuildPanel(session)
        self.bottleneck = BottleneckPanel(session)
        self.cards: dict[str, Card] = {}
        self._help: HelpWindow | None = None
        self.setCentralWidget(self._centre())
        self.docks = [
            self._dock("Build", self.build, Qt.DockWidgetArea.LeftDockWidgetArea),
            self._dock("Bottleneck", self.bottleneck, Qt.DockWidgetArea.RightDockWidgetArea),
        ]
        self.toolbar = ToolBar(self)
        self.addToolBar(self.toolbar)
        self.menus = Menus(self, ACTIONS)
        self.setStatusBar(StatusLine(session, self))
        session.changed.connect(self._on_session_changed)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_theme_changed)
        self.choose_theme(settings.theme)
        self._apply_theme()
        self._show_path()
        self._shape()

    @property
    def views(self) -> tuple[View, ...]:
        """Return the views that can be exported as pictures."""
        return self.machine, self.job, self.inner, self.bundles, self.distribution

    def fit(self) -> None:
        """Show the whole machine."""
        self.machine.fit()

    def open_palette(self) -> None:
        """Search all commands, presets and recent files by name."""
        Palette(self).popup()

    def open_help(self) -> None:
        """Show the reference, beside the window."""
        if self._help is None:
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
        self.session.close()
        super().closeEvent(event)

    def _centre(self) -> QWidget:
        right = self._split("right", Qt.Orientation.Vertical, self._card(self.job), self._card(self.inner))
        top = self._split("top", Qt.Orientation.Horizontal, self._card(self.machine), right, stretch=(3, 1))
        below = self._split(
            "below", Qt.Orientation.Horizontal, self._card(self.bundles), self._card(self.distribution), stretch=(1, 3)
        )
        return self._split("centre", Qt.Orientation.Vertical, top, below, stretch=(3, 1))

    def _split(
        self, name: str, way: Qt.Orientation, first: QWidget, second: QWidget, stretch: tuple[int, int] = (1, 1)
    ) -> QSplitter:
        splitter = QSplitter(way)
        splitter.setObjectName(f"splitter-{name}")
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(8)
        for index, widget in enumerate((first, second)):
            splitter.addWidget(widget)
            splitter.setStretchFactor(index, stretch[index])
        return splitter

    def _card(self, view: View) -> Card:
        card = Card(view.title, view)
        view.subtitle_changed.connect(card.set_subtitle)
        view.title_changed.connect(card.set_title)
        self.cards[view.title] = card
        return card

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

    def _apply_theme(self) -> None:
        theme = self.session.state.theme
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
        name = state.path.name if state.path is not None else note or "untitled"
        self.setWindowTitle(f"{name}[*] · {TITLE}")
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
