"""The read-only machine view of state A, beside the view of what is on screen."""

from dataclasses import replace
from typing import ClassVar

from PySide6.QtWidgets import QWidget

from app.model.changes import ChangeSet
from app.model.state import State
from app.model.state_groups import EditState
from app.session.session import Session
from app.views.machine.view import MachineView
from core.job.job import NO_TASKS


class PinnedMachineView(MachineView):
    """Shows A on the common colour scale; hover and selection are shared with all views."""

    title: ClassVar[str] = "A"
    shows_legend: ClassVar[bool] = False
    outdated = False
    """A is unchanged while B is being computed."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        self._seen: State | None = None
        self._swapped: State | None = None
        super().__init__(session, parent)

    @property
    def state(self) -> State:
        """Return the session's state with A in place of what is on screen, and no tool."""
        state = super().state
        if self._swapped is None or state is not self._seen:
            self._seen = state
            self._swapped = replace(
                state,
                # The view is hidden while nothing is pinned.
                evaluation=state.comparison.reference or state.evaluation,
                comparison=replace(state.comparison, reference=state.evaluation, swapped=True),
                marked=NO_TASKS,
                edit=EditState(
                    brush=state.edit.brush, level=state.edit.level, lagging=state.edit.lagging,
                    allocated=state.edit.allocated, hint=state.edit.hint,
                ),
            )  # fmt: skip
        return self._swapped

    @property
    def behind(self) -> bool:
        """Return whether it does not show A's network yet."""
        return super().behind or ChangeSet.COMPARISON in self._missed

    def refresh(self, changes: ChangeSet) -> None:
        """Redraw the changes: an edit of B changes the top of the scale, or which links both views show."""
        if self._loads == self.shading_source:
            changes &= ~(ChangeSet.LOADS | ChangeSet.MAPPING | ChangeSet.TOPOLOGY)
        else:
            changes |= ChangeSet.LOADS
        super().refresh(changes)
