"""When each phase runs: the part of a session that finds it out, off the GUI thread, when somebody looks."""

from functools import partial

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.session.store import Store
from core.load.scenario import Case
from core.spec import SpecError
from core.timing import timeline
from core.timing.timeline import Timeline

STOPPED = "stopped"
"""Why there is no timeline where the user does not want to wait for it."""


class Timekeeper:
    """Finds the timeline of what is on screen, once for each state, and only while a view asks for it."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runner = Runner(
            "timeline", self._on_found, self._on_refused, self._on_progressed, sync=store.sync, parent=store
        )
        self._asked: Case | None = None
        """What the timeline was asked for last, found or not."""

    @property
    def current(self) -> Timeline | None:
        """Return the timeline of what is on screen; None: not known yet."""
        found = self._store.state.time.timeline
        return found if found is not None and found.case is self._store.state.evaluation.case else None

    def look(self, *, again: bool = False) -> None:
        """Find the timeline of what is on screen, unless it was asked for, or tasks are being moved.

        `again` asks also for one that was stopped.
        """
        state = self._store.state
        case = state.evaluation.case
        if state.edit.gesture or (self._asked is case and not again):
            return
        self._asked = case
        self._store.set(ChangeSet.TIME, timeline_progress=None, timeline_refused="")
        self._runner.request(partial(timeline, case))

    def cancel(self) -> None:
        """Stop looking; it is not begun again for this state by itself."""
        if self._runner.busy:
            self._runner.cancel()
            self._store.show(ChangeSet.TIME, timeline_progress=None, timeline_refused=STOPPED)

    def _on_found(self, found: Timeline) -> None:
        self._store.show(ChangeSet.TIME, timeline=found, timeline_progress=None, timeline_refused="")

    def _on_refused(self, error: Exception) -> None:
        if not isinstance(error, SpecError):
            raise error
        self._store.show(ChangeSet.TIME, timeline=None, timeline_progress=None, timeline_refused=str(error))

    def _on_progressed(self, fraction: float) -> None:
        self._store.show(ChangeSet.TIME, timeline_progress=fraction)
