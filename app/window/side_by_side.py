"""A | B in the window: the machine of A beside that of B, what both are called, and the table of what changed."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QSplitter

from app.model.changes import ChangeSet
from app.model.scenario_diff import distinguishing_name
from app.model.state import ComparisonMode, Evaluation, SearchPhase
from app.panels.comparison.panel import ComparisonPanel
from app.session.session import Session
from app.views.machine.pinned import PinnedMachineView
from app.views.machine.view import MachineView
from app.views.view import View
from app.widgets.card import Card, TabCard
from app.wording.numbers import MINUS, throughput


class SideBySide(QObject):
    """Shows in a window what a comparison needs, and nothing of it while there is none.

    `insert_beside` puts a view left of the machine, and returns its card, hidden; the table goes among the `charts`.
    """

    def __init__(
        self, session: Session, machine: MachineView, charts: TabCard, insert_beside: Callable[[View], Card]
    ) -> None:
        super().__init__(machine)
        self._session, self._machine, self._charts, self._insert_beside = session, machine, charts, insert_beside
        self.pinned: PinnedMachineView | None = None
        self.panel: ComparisonPanel | None = None
        self._pinned_card: Card | None = None
        self._offered = False
        self._session.changed.connect(self._on_session_changed)

    def beside(self, view: View) -> tuple[View, ...]:
        """Return what a picture of a view shows, from left to right: side by side, the machine of A goes before B's."""
        side = self._session.state.comparison.mode is ComparisonMode.SIDE
        if side and self.pinned is not None and view is self._machine:
            return self.pinned, view
        return (view,)

    def _on_session_changed(self, changes: ChangeSet) -> None:
        state = self._session.state
        if ChangeSet.COMPARISON in changes:
            self._show(state.comparison.mode)
        if changes & (ChangeSet.COMPARISON | ChangeSet.LOADS) and self.panel is not None:
            self._pair()
            if state.search.phase is SearchPhase.NONE or ChangeSet.COMPARISON in changes:
                self._show_titles()

    def _show(self, comparison: ComparisonMode) -> None:
        """Show or hide the views; they are made when they are first needed."""
        side, on = comparison is ComparisonMode.SIDE, comparison is not ComparisonMode.OFF
        if side and self.pinned is None:
            self.pinned = PinnedMachineView(self._session)
            self._pinned_card = self._insert_beside(self.pinned)
            self.pinned.camera_moved.connect(partial(self._on_camera_moved, self.pinned, self._machine))
            self._machine.camera_moved.connect(partial(self._on_camera_moved, self._machine, self.pinned))
            # What a search finds is named when it is drawn.
            self._machine.subtitle_changed.connect(self._show_titles)
        if on and self.panel is None:
            self.panel = ComparisonPanel(self._session)
            self._charts.add(self.panel.title, self.panel)
            self.panel.subtitle_changed.connect(partial(self._charts.set_page_subtitle, self.panel))
        if self._pinned_card is not None:
            self._show_beside(self._pinned_card, side)
        if self.panel is not None and on != self._offered:
            self._offered = on
            self._charts.set_page_available(self.panel, on)

    def _show_beside(self, card: Card, side: bool) -> None:
        if side and card.isHidden():
            card.show()
            splitter = card.parentWidget()
            assert isinstance(splitter, QSplitter)
            splitter.setSizes([(splitter.width() - splitter.handleWidth()) // 2] * 2)
        card.setVisible(side)

    def _pair(self) -> None:
        """Let like machines that stand side by side be looked at from the same place, in the same detail."""
        if self.pinned is None:
            return
        machine, alike = self._machine, self._alike
        machine.sync_with(self.pinned if alike else None)
        if self.pinned.sync_with(machine if alike else None):
            self.pinned.controller.follow(machine.controller)

    @property
    def _alike(self) -> bool:
        state = self._session.state
        return state.comparison.mode is ComparisonMode.SIDE and state.same_links_pair is not None

    def _show_titles(self) -> None:
        """Name the machine views."""
        both, machine = self._session.state.compared_pair, self._machine
        if both is None:
            machine.title_changed.emit(machine.title)
            return
        if self._session.state.differing:
            a, b = (distinguishing_name(one.case.scenario, other.case.scenario) for one, other in (both, both[::-1]))
            machine.title_changed.emit(f"B {MINUS} A · {f'{b} {MINUS} {a}' if a != b else f'{a} in both'}")
            return
        machine.title_changed.emit(f"B · {headline_of(both[1], both[0])}")
        if self.pinned is not None:
            self.pinned.title_changed.emit(f"A · {headline_of(both[0], both[1])}")

    def _on_camera_moved(self, moved: MachineView, other: MachineView) -> None:
        if self._alike:
            other.controller.follow(moved.controller)


def headline_of(evaluation: Evaluation, other: Evaluation) -> str:
    """Return ``64.0 GB/s · mod-colour``: the figure first, for where there is little room."""
    name = distinguishing_name(evaluation.case.scenario, other.case.scenario)
    return f"{throughput(evaluation.report, brief=True)} · {name}"
