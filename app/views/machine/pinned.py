"""The read-only machine view of state A, next to the view of B."""

from typing import ClassVar

from app.model.changes import ChangeSet
from app.model.state import State
from app.views.machine.view import MachineView


class PinnedMachineView(MachineView):
    """Shows A on the common colour scale; hover and selection are shared with all views."""

    title: ClassVar[str] = "A"
    shows_legend: ClassVar[bool] = False
    outdated = False
    """A is unchanged while B is being computed."""

    def pictured(self, state: State) -> State:
        """Return A's state."""
        return state.of_reference

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
