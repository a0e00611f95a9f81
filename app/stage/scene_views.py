"""The views of a scene, each in its share of the stage."""

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.model.scenes import ViewShare
from app.model.state_groups import ComparisonMode
from app.model.view_table import SPECS
from app.session.session import Session
from app.tour.arrangement import arranged
from app.views.heatmaps.task_grid import JobGridView
from app.views.machine.comparison_views import ComparedMachines
from app.views.machine.pinned import PinnedMachineView
from app.views.machine.view import MachineView
from app.views.view import View, view_class
from app.widgets.card import Card
from app.widgets.outdated_cover import cover_head
from app.widgets.session_widget import FarLook

GAP = 10
"""Pixels between two views."""
REFERENCE_VIEW = "pinned"
"""Key of the machine of A, left of the machine in a comparison side by side."""


class SceneViews(QWidget):
    """Views are made when a scene first shows them; views of other scenes are hidden, and therefore not refreshed."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session, self._look = session, FarLook(session)
        self._cards: dict[str, Card] = {}
        self._views: list[View] = []
        self._shown: list[tuple[str, float]] = []
        self._compared = False
        """Whether A's machine is shown next to B's."""
        # Tools need these two even if the scene does not show them.
        self.machine, self.job = MachineView(session), JobGridView(session)
        self._made("machine", self.machine)
        self._made("job", self.job)
        self._machines = ComparedMachines(session, self.machine)

    def show_views(self, shares: tuple[ViewShare, ...]) -> None:
        """Show these views, and no others."""
        self._shown = [(shown.view, shown.share) for shown in shares]
        names = [shown.view for shown in shares]
        if "machine" in names and self._session.state.comparison.mode is ComparisonMode.SIDE:
            names.append(REFERENCE_VIEW)
        for name in names:
            self._card(name)
        self._compared = REFERENCE_VIEW in names
        held = QApplication.focusWidget()
        if any(card.isAncestorOf(held) for name, card in self._cards.items() if held and name not in names):
            # Otherwise Qt moves the focus on as if by Tab, and a focus frame appears.
            self.window().setFocus()
        for name, card in self._cards.items():
            card.setVisible(name in names)
        self._machines.pair()
        self._machines.show_titles()
        self._place()

    def set_scale(self, scale: float) -> None:
        """Scale type and marks."""
        self._look.scale = scale
        for view in self._views:
            view.redraw()

    def minimumSizeHint(self) -> QSize:
        """Return 0 by 0: it takes the room there is."""
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the views again."""
        super().resizeEvent(event)
        self._place()

    def _card(self, name: str) -> Card:
        if name not in self._cards:
            self._made(name, self._pinned() if name == REFERENCE_VIEW else view_class(SPECS[name])(self._session))
        return self._cards[name]

    def _pinned(self) -> PinnedMachineView:
        view = PinnedMachineView(self._session)
        self._machines.add(view)
        return view

    def _made(self, name: str, view: View) -> None:
        self._views.append(view)
        view.far_look = self._look
        card = self._cards[name] = Card(view.title, view)
        cover_head(card, view)
        card.setParent(self)
        card.hide()
        view.subtitle_changed.connect(card.set_subtitle)
        view.title_changed.connect(card.set_title)

    def _place(self) -> None:
        if not self._shown:
            return
        width, height = self.width() + GAP, self.height() + GAP
        rectangles = arranged([share for _, share in self._shown])
        for (name, _), (left, top, wide, high) in zip(self._shown, rectangles, strict=True):
            x, y = round(left * width), round(top * height)
            place = QRect(x, y, round((left + wide) * width) - x - GAP, round((top + high) * height) - y - GAP)
            if name == "machine" and self._compared:
                half = (place.width() - GAP) // 2
                self._cards[REFERENCE_VIEW].setGeometry(QRect(x, y, half, place.height()))
                place.setLeft(x + half + GAP)
            self._cards[name].setGeometry(place)
