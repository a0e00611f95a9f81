"""Records what is done to the mapping, by hand or by a search, so that it can be filmed."""

import time

from app.model.changes import ChangeSet
from app.model.state import Evaluation
from app.session.store import Store
from app.tour.recording import Recording, TimedEdit
from app.tour.tour_file import plain_scenario
from core.mapping.edit import difference

MOST = 20_000
"""Changes that a recording holds."""


class Recorder:
    """The part of a session that records; another job or network ends a recording."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._first: Evaluation | None = None
        self._last: Evaluation | None = None
        self._began = 0.0
        self._edits: list[TimedEdit] = []
        self.recorded: Recording | None = None
        """The last recording that was ended; None: there is none."""

    def begin(self) -> None:
        """Record from now on."""
        self._first = self._last = self._store.state.evaluation
        self._began, self._edits = time.monotonic(), []
        self._store.changed.connect(self._on_store_changed)
        self._store.show(ChangeSet.TOUR, recording=True)

    def end(self) -> None:
        """Keep what was recorded, if anything was."""
        if self._first is None:
            return
        self._store.changed.disconnect(self._on_store_changed)
        if self._edits:
            scenario = self._first.case.scenario
            title = f"{scenario.job.title} on {scenario.network.title}"
            self.recorded = Recording(1, title, plain_scenario(scenario), tuple(self._edits))
        self._first = None
        self._store.show(ChangeSet.TOUR, recording=False, recorded=self.recorded is not None)

    def _on_store_changed(self, changes: ChangeSet) -> None:
        now, last = self._store.state.evaluation, self._last
        if last is None or now is last or now.case.mapping is last.case.mapping:
            return
        if now.case.job is not last.case.job or now.case.network is not last.case.network or len(self._edits) >= MOST:
            self.end()
            return
        step = difference(last.case.mapping, now.case.mapping)
        self._last = now
        if step.count:
            at = round(time.monotonic() - self._began, 3)
            self._edits.append(TimedEdit(at, tuple(step.tasks.tolist()), tuple(step.new.tolist())))
