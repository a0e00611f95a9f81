"""The layout of views and panels in the window: cards in splitters, tabs and docks, and their sizes."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDockWidget, QLayout, QMainWindow, QSplitter, QWidget

from app.background.timer import timer
from app.model.scenes import ViewShare
from app.model.view_table import VIEWS, Slot
from app.storage.settings import Settings
from app.views.view import View
from app.widgets.card import Card, TabCard
from app.widgets.layouts import column
from app.widgets.outdated_cover import OutdatedCover, cover_head
from app.widgets.session_widget import SessionWidget
from app.window.first_size import first_size

MAX_SCENE_VIEWS = 3
"""Maximum number of views besides the machine that a scene takes over from the desk."""
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
DOCK_POWER = 0.7
"""Dock widths grow as the type scale to this power, since lines may wrap."""
SETTLED_MS = 250
"""Time after which the layout has settled."""
DOCK_SHARE = 0.48
"""Largest fraction of the window's width that docks take because of large type."""


class Centre(QWidget):
    """The views below the banners, each on a card in the slot given by the view table."""

    def __init__(self, banners: QLayout, views: Mapping[str, View]) -> None:
        super().__init__()
        self.cards: dict[str, Card] = {}
        """Cards by the ids of their views."""
        self.charts = TabCard("Charts")
        self._views = views
        self._pages: dict[str, QWidget] = {}
        cover = OutdatedCover(next(iter(views.values())).session, self.charts.subtitle, self._chart_outdated)
        self.charts.tabs.currentChanged.connect(lambda index: cover.follow())
        right = _split("right", DOWN, *self._cards("right"))
        self._machines = _split("machines", ACROSS, *self._cards("machine"))
        top = _split("top", ACROSS, self._machines, right, stretch=(3, 1))
        for spec in VIEWS:
            if spec.slot == "charts":
                self.add_page(spec.id, spec.title, views[spec.id], views[spec.id].subtitle_changed)
        below = _split("below", ACROSS, *self._cards("below"), self.charts, stretch=(1, 3))
        self._column = column(banners, (_split("centre", DOWN, top, below, stretch=(3, 1)), 1), of=self)

    def add_page(self, name: str, title: str, page: QWidget, subtitle_changed: SignalInstance) -> None:
        """Add a view or panel as a tab among the charts."""
        self._pages[name] = page
        self.cards[name] = self.charts
        self.charts.add(title, page)
        subtitle_changed.connect(partial(self.charts.set_page_subtitle, page))

    def _chart_outdated(self) -> bool:
        page = self.charts.pages.currentWidget()
        return isinstance(page, SessionWidget) and page.outdated

    def add_below(self, title: str, panel: QWidget) -> Card:
        """Add a panel at the bottom, with its preferred height, and return its card, hidden."""
        card = Card(title, panel)
        card.hide()
        self._column.addWidget(card)
        return card

    def show_page(self, name: str) -> None:
        """Bring a view or panel to the front, by its id; if it has no tab, give it the focus."""
        if name in self._pages:
            self.charts.show_page(self._pages[name])
        else:
            self._views[name].setFocus()

    @property
    def shares(self) -> tuple[ViewShare, ...]:
        """Return the visible views, the machine first, with their areas relative to the machine's."""
        seen = {name: view for name, view in self._views.items() if view.isVisible() and view.width() and view.height()}
        machine = seen.pop("machine", None)
        machine_area = machine.width() * machine.height() if machine is not None else 1
        largest = sorted(seen, key=lambda name: -seen[name].width() * seen[name].height())[:MAX_SCENE_VIEWS]
        rest = tuple(
            ViewShare(name, round(seen[name].width() * seen[name].height() / machine_area, 2)) for name in largest
        )
        return (ViewShare("machine"), *(share for share in rest if share.share > 0))

    def insert_beside_machine(self, view: View) -> Card:
        """Insert the view of A left of the machine, and return its card, hidden."""
        card = self.cards["pinned"] = _card(view)
        card.hide()
        self._machines.insertWidget(0, card)
        for index in range(self._machines.count()):
            self._machines.setStretchFactor(index, 1)  # both grow with the window
        return card

    def _cards(self, slot: Slot) -> list[Card]:
        cards = {spec.id: _card(self._views[spec.id]) for spec in VIEWS if spec.slot == slot}
        self.cards |= cards
        return list(cards.values())


def dock(window: QMainWindow, title: str, panel: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
    """Dock a panel on a card at a side of the window."""
    dock_widget = QDockWidget(title, window)
    dock_widget.setObjectName(f"dock-{title.lower()}")
    dock_widget.setTitleBarWidget(QWidget(dock_widget))
    dock_widget.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
    dock_widget.setWidget(Card(title, panel))
    window.addDockWidget(area, dock_widget)
    return dock_widget


class DockWidths:
    """Widens docks with the type scale, and narrows them when type is smaller again."""

    def __init__(self, window: QMainWindow, docks: list[QDockWidget]) -> None:
        self._window, self._docks = window, docks
        self._scale = 1.0
        self._usual: list[float] = []
        """Dock widths at scale 1."""
        self._seen: list[int] | None = None
        """Widths set last: other widths were chosen by the user. None if not known yet."""
        self._settling = timer(window, SETTLED_MS, single_shot=True)
        self._settling.timeout.connect(self._settle)
        self._widths: list[int] = []
        """Widths requested last."""

    def share_out(self, usual: list[int], scale: float) -> list[int]:
        """Start with these widths at scale 1; return the widths for `scale`."""
        self._usual, self._scale = [float(width) for width in usual], scale
        return self._resize()

    def follow(self, scale: float) -> None:
        """Adapt the widths to another type scale."""
        if scale == self._scale or not self._usual:
            return
        if self._seen is not None and self._now() != self._seen:
            self._usual = [width / self._scale**DOCK_POWER for width in self._now()]
        self._scale = scale
        self._resize()

    def _now(self) -> list[int]:
        return [dock.width() for dock in self._docks]

    def _resize(self) -> list[int]:
        wanted = [width * self._scale**DOCK_POWER for width in self._usual]
        most = DOCK_SHARE * self._window.width() if self._scale > 1 else sum(wanted)
        widths = [round(width * min(1.0, most / sum(wanted))) for width in wanted]
        self._window.resizeDocks(self._docks, widths, ACROSS)
        # Contents may need more, which is known once everything is laid out.
        self._seen, self._widths = None, widths
        self._settling.start()
        return widths

    def _settle(self) -> None:
        self._window.resizeDocks(self._docks, self._widths, ACROSS)
        self._seen = self._now()


def restore_shape(window: QMainWindow, docks: DockWidths, settings: Settings, scale: float) -> None:
    """Restore the sizes of window and parts from the last session, or set sizes that suit the screen."""
    geometry = settings.bytes("geometry")
    if geometry is None or not window.restoreGeometry(geometry):
        window.resize(first_size(QGuiApplication.primaryScreen()))
    _share_out(window, docks, scale)
    for splitter in window.findChildren(QSplitter):
        state = settings.bytes(splitter.objectName())
        if state is not None:
            splitter.restoreState(state)


def keep_shape(window: QMainWindow, settings: Settings) -> None:
    """Save the sizes for the next start."""
    settings.set_bytes("geometry", window.saveGeometry())
    for splitter in window.findChildren(QSplitter):
        if splitter.objectName():
            settings.set_bytes(splitter.objectName(), splitter.saveState())


def _share_out(window: QMainWindow, docks: DockWidths, scale: float) -> None:
    wide = window.width() >= 1500
    left, right = docks.share_out([250, 330] if wide else [216, 292], scale)
    column = 330 if wide else 250
    centre = window.width() - left - right
    below = 300 if window.height() >= 950 else 230
    sizes = {
        "splitter-centre": [window.height() - below, below],
        "splitter-top": [centre - column, column],
        "splitter-below": [below, centre - below],
        "splitter-right": [1, 1],
    }
    for splitter in window.findChildren(QSplitter):
        if splitter.objectName() in sizes:
            splitter.setSizes(sizes[splitter.objectName()])


def _split(name: str, orientation: Qt.Orientation, *widgets: QWidget, stretch: tuple[int, ...] = ()) -> QSplitter:
    splitter = QSplitter(orientation)
    splitter.setObjectName(f"splitter-{name}")
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(8)
    for index, widget in enumerate(widgets):
        splitter.addWidget(widget)
        splitter.setStretchFactor(index, stretch[index] if stretch else 1)
    return splitter


def _card(view: View) -> Card:
    card = Card(view.title, view)
    cover_head(card, view)
    view.subtitle_changed.connect(card.set_subtitle)
    view.title_changed.connect(card.set_title)
    return card
