"""Records edits of the mapping, by hand or by a search, for films."""

import time
from dataclasses import replace
from pathlib import Path

from app.model.changes import ChangeSet
from app.model.evaluation import Evaluation
from app.session.store import Store
from app.tour.recording import Recording, TimedEdit
from app.tour.tour_file import plain_scenario
from core.load.snapshots import bare
from core.mapping.edit import edit_between
from core.text import plural

MAX_EDITS, MAX_MOVES = 20_000, 2_000_000
"""Maximum edits in a recording, and maximum moves of tasks in them."""


class EditRecorder:
    """The part of a session that records edits; any change other than of the mapping ends a recording."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._first: Evaluation | None = None
        self._last: Evaluation | None = None
        self._began = 0.0
        self._edits: list[TimedEdit] = []
        self._moves = 0
        self.recorded: Recording | None = None
        """The last finished recording, or None."""
        self.folder: Path | None = None
        """The folder of the files that its scenario names."""
        self.message = ""
        """The outcome of the last recording."""

    def begin(self) -> None:
        """Start recording."""
        self._first = self._last = self._store.state.evaluation
        self._began, self._edits, self._moves = time.monotonic(), [], 0
        self.message = ""
        self._store.changed.connect(self._on_store_changed)
        self._store.show_tour(replace(self._store.state.tour, recording=True))

    def end(self) -> None:
        """End the recording, and keep it if it contains edits."""
        if self._first is None:
            return
        self._store.changed.disconnect(self._on_store_changed)
        self.message = "Nothing was recorded: the mapping has not changed."
        if self._edits:
            scenario = self._first.case.scenario
            title = f"{scenario.job.title} on {scenario.network.title}"
            self.recorded = Recording(1, title, plain_scenario(scenario), tuple(self._edits))
            self.folder = scenario.folder
            self.message = f"Recorded {plural(len(self._edits), 'change')}. The menu File > Film exports them."
        self._first = self._last = None
        tour = self._store.state.tour
        self._store.show_tour(replace(tour, recording=False, recorded=self.recorded is not None))

    def _on_store_changed(self, changes: ChangeSet) -> None:
        now, last = self._store.state.evaluation, self._last
        if last is None or now is last:
            return
        before, after = last.case.scenario, now.case.scenario
        full = len(self._edits) >= MAX_EDITS or self._moves >= MAX_MOVES
        if full or bare(after.with_choice("mapping", before.mapping)) != bare(before):
            self.end()
            return
        step = edit_between(last.case.mapping, now.case.mapping)
        self._last = now
        if step.count:
            self._moves += step.count
            at = round(time.monotonic() - self._began, 3)
            self._edits.append(TimedEdit(at, tuple(step.tasks.tolist()), tuple(step.new.tolist())))
