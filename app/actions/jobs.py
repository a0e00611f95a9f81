"""The commands that add and remove neighbour jobs, and choose the one in focus."""

from app.actions.spec import ActionSpec
from app.model.state import State
from app.session.jobs import add_copy, look_at_next, remove_all


def _beside(state: State) -> bool:
    return bool(state.evaluation.case.neighbours.cases)


JOBS = (
    ActionSpec("jobs.next", "Look at the next job", "Edit/Other jobs", lambda c: look_at_next(c.session), "", _beside,
               tip="it changes places with this one; no task moves"),
    ActionSpec("jobs.copy", "Add a copy of this job", "Edit/Other jobs", lambda c: add_copy(c.session),
               tip="on nodes without tasks; its loads lie under this one's"),
    ActionSpec("jobs.alone", "Remove the other jobs", "Edit/Other jobs", lambda c: remove_all(c.session), "", _beside,
               tip="this one then runs alone"),
)  # fmt: skip
