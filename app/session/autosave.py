"""Copies unsaved work to the data folder soon after each change, and removes the copy once everything is saved."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.background.latest_wins import Runner
from app.background.timer import timer
from app.model.changes import ChangeSet
from app.model.scenes import Tour
from app.model.state import State
from app.model.state_groups import SearchPhase
from app.session.session import Session
from app.storage.safety_copy import SCENARIOS, SafetyCopy, WorkFormat
from app.storage.tours import SUFFIX
from app.tour.tour_file import read_tour, write_tour
from core.load.scenario import Scenario
from core.load.snapshots import with_kept, with_notes_of
from core.spec import SpecError

QUIET_MS = 2000
"""Time without another change after which work is copied."""
MAX_WAIT_MS = 10_000
"""Maximum time until a change is copied, even if others follow."""
BEST = "best of the search"
"""Name of the snapshot, in a copy, of a search's best mapping that was not kept yet."""


@dataclass(frozen=True)
class Kind:
    """A kind of work to copy: scenarios or tours."""

    form: WorkFormat
    watched: ChangeSet
    """Changes after which there may be something to copy."""
    unsaved: Callable[[State], Scenario | Tour | None]
    """The work that would be lost, or None."""
    path: Callable[[State], Path | None]
    """The file that it was read from or saved to."""
    held: Callable[[State], bool] = lambda state: False
    """Whether a gesture of the pointer is changing it now."""


class Autosave(QObject):
    """Keeps one safety copy of the unsaved work of a session.

    Encoding 65,536 tasks takes about 10 ms and a disk may take longer, so a thread does it. A failure is reported once,
    by `failed`, and writing is tried again after the next change.
    """

    failed = Signal(str)
    """Copying failed, for the reason in the message."""
    written = Signal()
    """The copy on disk equals the work on screen."""

    def __init__(
        self,
        session: Session,
        folder: Path,
        kind: Kind | None = None,
        *,
        sync: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session, self.kind = session, kind or SCENARIO
        self.copy = SafetyCopy.new(folder, self.kind.form)
        """The copy on disk."""
        self._done: Scenario | Tour | None = None
        """The work that the copy contains or is about to contain."""
        self._failing = False
        """Whether the last attempt failed; the failure was reported."""
        takes = SpecError, OSError
        # A copy must not be removed while it is still being written.
        self._runner = Runner(
            "autosave", self._on_done, self._on_failed, takes=takes, sync=sync, in_turn=True, parent=self
        )
        self._rest, self._deadline = (timer(self, ms, single_shot=True) for ms in (QUIET_MS, MAX_WAIT_MS))
        self._rest.timeout.connect(self.flush)
        self._deadline.timeout.connect(self.flush)
        session.changed.connect(self._on_session_changed)

    def flush(self) -> None:
        """Copy unsaved work now, or after a gesture of the pointer has ended."""
        self._stop()
        state = self._session.state
        if self.kind.held(state):
            self._rest.start()
            return
        work, path, copy = self.kind.unsaved(state), self.kind.path(state), self.copy
        if work is not None and work != self._done:
            self._done = work
            self._runner.request(lambda progress: copy.write(work, path))

    def adopt(self, copy: SafetyCopy, work: Scenario | Tour) -> None:
        """Take over a recovered copy whose work was opened, and remove the session's own copy."""
        self._runner.wait()
        self._give_up()
        self.copy, self._done = copy, work

    def close(self) -> None:
        """Remove the copy, since everything was saved or discarded, and end the thread."""
        self._session.changed.disconnect(self._on_session_changed)
        self._stop()
        self._runner.close()
        self._give_up()

    def _on_session_changed(self, changes: ChangeSet) -> None:
        if not changes & self.kind.watched or self.kind.held(self._session.state):
            return
        work = self.kind.unsaved(self._session.state)
        if work is None:
            self._stop()
            self._drop()
        elif work != self._done:
            self._rest.start()
            if not self._deadline.isActive():
                self._deadline.start()

    def _drop(self) -> None:
        if self._done is not None:
            self._done, copy = None, self.copy
            self._runner.request(lambda progress: copy.remove())

    def _on_done(self, result: object) -> None:
        if self._done is not None:
            self._failing = False
            self.written.emit()

    def _on_failed(self, error: SpecError | OSError) -> None:
        self._done = None
        if not self._failing:
            self._failing = True
            reason = error.message if isinstance(error, SpecError) else str(error)
            self.failed.emit(f"Unsaved work cannot be backed up: {reason}")

    def _give_up(self) -> None:
        with suppress(OSError):  # a copy that cannot be deleted is offered at the next start
            self.copy.remove()
        self.copy.release()

    def _stop(self) -> None:
        self._rest.stop()
        self._deadline.stop()


def held(state: State) -> bool:
    """Return whether the pointer is moving tasks; False for searches, which last too long to go uncopied."""
    return bool(state.edit.gesture) and state.search.phase is SearchPhase.NONE


def unsaved(state: State) -> Scenario | None:
    """Return the work that would be lost now, or None.

    This is the evaluated scenario on screen, or the requested scenario if a substitute is on screen. During a
    search it is the scenario before it, with the best mapping as a snapshot.
    """
    work = state.kept
    shown = with_notes_of(work.evaluation.case.scenario, work.wanted)
    base = work.search.searched_from
    if work.file.stand_in is not None:
        scenario = work.wanted
    elif work.search.undecided and base is not None:
        scenario = with_kept(with_notes_of(base, work.wanted), BEST, shown)
    else:
        scenario = shown
    return scenario if scenario not in (work.file.saved, work.tour.looked_at) else None


SCENARIO = Kind(
    SCENARIOS,
    ChangeSet.FILE | ChangeSet.MAPPING | ChangeSet.LOADS | ChangeSet.HISTORY,
    unsaved,
    lambda state: state.kept.file.path,
    held,
)
TOUR = Kind(
    WorkFormat(SUFFIX, write_tour, lambda path, folder: read_tour(path)),
    ChangeSet.TOUR,
    lambda state: state.tour.tour if state.tour_dirty else None,
    lambda state: state.tour.tour_path,
)
