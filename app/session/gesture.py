"""A gesture that edits the mapping: the tasks it moves, and how much of it is on screen."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from app.model.evaluation import Evaluation
from app.model.state import State
from app.session.evaluation import EditableEvaluation, evaluate_remapped
from core.mapping.edit import Edit
from core.spec import Progress

OnGestureEnd = Callable[[bool], None]
"""Called at the end of a gesture; the argument says whether it was committed."""


class Presented(NamedTuple):
    """An edit that was evaluated in full."""

    edit: Edit
    result: EditableEvaluation


@dataclass(slots=True)
class Gesture:
    """An active gesture."""

    name: str
    state: State
    """The state before it."""
    edit: Edit
    """The entire edit."""
    played: Edit
    """The part of the edit that is applied to the live loads: the entire edit, unless that takes too long."""
    on_end: OnGestureEnd | None = None
    """Called at the end of a gesture that lasts beyond the pointer."""
    presented: Presented | None = None
    """The fully evaluated edit on screen; None while the live loads are on screen."""

    @property
    def stale(self) -> bool:
        """Return whether the screen does not show the entire edit yet."""
        if self.presented is None:
            return self.played is not self.edit
        return self.presented.edit.inverse().then(self.edit).count > 0


def presented_edit(edit: Edit, base: Evaluation, progress: Progress) -> Presented:
    """Evaluate an edit of a mapping in full."""
    return Presented(edit, evaluate_remapped(base, edit.applied(base.case.mapping).slots, progress))
