"""Comparison in the window: the machines of A and B side by side, their names, and the table of changes."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from app.model.changes import ChangeSet
from app.model.state import State
from app.model.state_groups import ComparisonMode
from app.panels.comparison.panel import ComparisonPanel
from app.session.session import Session
from app.views.machine.comparison_views import ComparedMachines
from app.views.machine.pinned import PinnedMachineView
from app.views.machine.view import MachineView
from app.views.view import View
from app.widgets.card import Card, TabCard
from app.window.layout import Machines


class SideBySide(QObject):
    """Shows the views of a comparison, and hides them without one.

    `insert_left` inserts a view left of the machine, and returns its card, hidden; the table goes among the `charts`.
    """

    def __init__(
        self, session: Session, machine: MachineView, charts: TabCard, insert_left: Callable[[View], Card]
    ) -> None:
        super().__init__(machine)
        self._session, self._machine, self._charts, self._insert_left = session, machine, charts, insert_left
        self.panel: ComparisonPanel | None = None
        self._pinned_card: Card | None = None
        self._offered = False
        self._session.changed.connect(self._on_session_changed)
        # Connected after this, so that the view of A exists when it is notified.
        self._machines = ComparedMachines(session, machine)

    @property
    def pinned(self) -> PinnedMachineView | None:
        """Return the machine view of A, or None if nothing has been compared side by side yet."""
        return self._machines.pinned

    def pictured_with(self, view: View) -> tuple[View, ...]:
        """Return the views in a picture of a view, from left to right: side by side, A's machine before B's."""
        side = self._session.state.comparison.mode is ComparisonMode.SIDE
        if side and self.pinned is not None and view is self._machine:
            return self.pinned, view
        return (view,)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        state = self._session.state
        # The machine keeps its size during a gesture.
        if changes & (ChangeSet.COMPARISON | ChangeSet.LOADS | ChangeSet.TOOL) and not state.edit.gesture:
            self._show(state)

    def _show(self, state: State) -> None:
        """Show or hide the views, made when they are first needed; B stays alone until it differs from A."""
        mode = state.comparison.mode
        side, on = mode is ComparisonMode.SIDE and state.differs, mode is not ComparisonMode.OFF
        if side and self.pinned is None:
            self._machines.add(PinnedMachineView(self._session))
            assert self.pinned is not None
            self._pinned_card = self._insert_left(self.pinned)
        if on and self.panel is None:
            self.panel = ComparisonPanel(self._session)
            self._charts.add(self.panel.title, self.panel)
            self.panel.subtitle_changed.connect(partial(self._charts.set_page_subtitle, self.panel))
        if self._pinned_card is not None:
            self._show_pinned(self._pinned_card, side)
        if self.panel is not None and on != self._offered:
            self._offered = on
            self._charts.set_page_available(self.panel, on)

    def _show_pinned(self, card: Card, side: bool) -> None:
        if side and card.isHidden():
            card.show()
            splitter = card.parentWidget()
            assert isinstance(splitter, Machines)
            splitter.share_evenly()
        card.setVisible(side)
