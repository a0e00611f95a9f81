"""The layout of views and panels in the window: cards in splitters, tabs and docks."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QLayout, QMainWindow, QSplitter, QWidget

from app.model.scenes import ViewShare
from app.model.view_table import VIEWS, Slot
from app.views.view import View
from app.widgets.card import Card, TabCard
from app.widgets.layouts import column
from app.widgets.outdated_cover import OutdatedCover, cover_head
from app.widgets.session_widget import SessionWidget

MAX_SCENE_VIEWS = 3
"""Maximum number of views besides the machine that a scene takes over from the desk."""
HANDLE_PX = 8
HEAD_PX = 110
"""Height of title and legend of a machine."""
ACROSS, DOWN = Qt.Orientation.Horizontal, Qt.Orientation.Vertical


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
        self._machines = Machines(*self._cards("machine"))
        top = _split("top", ACROSS, self._machines, right, stretch=(3, 1))
        for spec in VIEWS:
            if spec.slot == "charts":
                self.add_page(spec.id, spec.title, views[spec.id], views[spec.id].subtitle_changed)
        below = _split("below", ACROSS, *self._cards("below"), self.charts, stretch=(1, 3))
        centre = _split("centre", DOWN, top, below, stretch=(3, 1))
        self.splitters = {"right": right, "top": top, "below": below, "centre": centre}
        """The splitters that layouts share out, inner ones first."""
        own = {spec.id: self.cards[spec.id] for spec in VIEWS if spec.slot != "charts"}
        self.panels: dict[str, QWidget] = {**own, "machine": self._machines, "charts": self.charts}
        """The widgets of the panels by name; the machine's also holds the machine of A."""
        self._column = column(banners, (centre, 1), of=self)

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
    def page(self) -> str:
        """Return the id of the chart in front."""
        front = self.charts.pages.currentWidget()
        return next((name for name, page in self._pages.items() if page is front), "")

    def panel_of(self, view: str) -> str:
        """Return the name of the panel that a view, the optimiser or the routes are in."""
        return view if view in self.panels else "charts"

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

    def insert_left_of_machine(self, view: View) -> Card:
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


class Machines(QSplitter):
    """The machines of A and B side by side, or one above the other where that gives more room."""

    def __init__(self, *cards: Card) -> None:
        super().__init__(ACROSS)
        self.setChildrenCollapsible(False)
        self.setHandleWidth(HANDLE_PX)
        for card in cards:
            self.addWidget(card)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put A above B if that leaves them larger."""
        way = DOWN if self.height() - self.width() > 2 * HEAD_PX else ACROSS
        if way != self.orientation():
            self.setOrientation(way)
            self.share_evenly()
        super().resizeEvent(event)

    def share_evenly(self) -> None:
        """Give all machines the same size."""
        size = self.width() if self.orientation() is ACROSS else self.height()
        self.setSizes([(size - self.handleWidth()) // 2] * self.count())


def dock(window: QMainWindow, title: str, panel: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
    """Dock a panel on a card at a side of the window."""
    dock_widget = QDockWidget(title, window)
    dock_widget.setObjectName(f"dock-{title.lower()}")
    dock_widget.setTitleBarWidget(QWidget(dock_widget))
    dock_widget.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
    dock_widget.setWidget(Card(title, panel))
    window.addDockWidget(area, dock_widget)
    return dock_widget


def _split(name: str, orientation: Qt.Orientation, *widgets: QWidget, stretch: tuple[int, ...] = ()) -> QSplitter:
    splitter = QSplitter(orientation)
    splitter.setObjectName(f"splitter-{name}")
    splitter.setChildrenCollapsible(False)
    splitter.setHandleWidth(HANDLE_PX)
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
