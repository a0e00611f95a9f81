"""Two machine views side by side, A's and B's: one camera, and titles with the differences."""

from PySide6.QtCore import QObject

from app.model.changes import ChangeSet
from app.model.evaluation import Evaluation
from app.model.scenario_diff import distinguishing_name
from app.model.state_groups import ComparisonMode, SearchPhase
from app.session.session import Session
from app.views.machine.pinned import PinnedMachineView
from app.views.machine.view import MachineView
from app.wording.numbers import MINUS, throughput_text


class ComparedMachines(QObject):
    """Synchronises the machine views of A and B while they are compared."""

    def __init__(self, session: Session, machine: MachineView) -> None:
        super().__init__(machine)
        self._session, self._machine = session, machine
        self.pinned: PinnedMachineView | None = None
        session.changed.connect(self._on_session_changed)

    def add(self, pinned: PinnedMachineView) -> None:
        """Add the view of A, which is made when it is first needed."""
        self.pinned = pinned
        pinned.camera_moved.connect(lambda: self._follow(pinned, self._machine))
        self._machine.camera_moved.connect(lambda: self._follow(self._machine, pinned))
        # Titles follow the results of a search when they are drawn.
        self._machine.subtitle_changed.connect(self.show_titles)

    def pair(self) -> None:
        """Synchronise camera and detail of equal machines side by side."""
        if self.pinned is None:
            return
        machine, alike = self._machine, self._alike
        machine.sync_with(self.pinned if alike else None)
        if self.pinned.sync_with(machine if alike else None):
            self.pinned.controller.follow(machine.controller)

    def show_titles(self) -> None:
        """Name the machine views."""
        both, machine = self._session.state.compared_pair, self._machine
        if both is None:
            machine.title_changed.emit(machine.title)
            return
        if self._session.state.differing:
            a, b = (
                distinguishing_name(evaluation.case.scenario, other.case.scenario)
                for evaluation, other in (both, both[::-1])
            )
            machine.title_changed.emit(f"B {MINUS} A · {f'{b} {MINUS} {a}' if a != b else f'{a} in both'}")
            return
        if self._session.state.shows_reference:
            machine.title_changed.emit(f"A · {evaluation_title(*both)}")
            return
        machine.title_changed.emit(f"B · {evaluation_title(both[1], both[0])}")
        if self.pinned is not None:
            self.pinned.title_changed.emit(f"A · {evaluation_title(both[0], both[1])}")

    @property
    def _alike(self) -> bool:
        state = self._session.state
        return state.comparison.mode is ComparisonMode.SIDE and state.same_links_pair is not None

    def _on_session_changed(self, changes: ChangeSet) -> None:
        state = self._session.state
        if changes & (ChangeSet.COMPARISON | ChangeSet.LOADS):
            self.pair()
            if state.search.phase is SearchPhase.NONE or ChangeSet.COMPARISON in changes:
                self.show_titles()

    def _follow(self, moved: MachineView, other: MachineView) -> None:
        if self._alike:
            other.controller.follow(moved.controller)


def evaluation_title(evaluation: Evaluation, other: Evaluation) -> str:
    """Return ``64.0 GB/s · mod-colour``: the figure first, in case there is little room."""
    name = distinguishing_name(evaluation.case.scenario, other.case.scenario)
    return f"{throughput_text(evaluation.report, brief=True)} · {name}"
