"""The part of a session that evaluates failures of the scenario on screen, off the GUI thread."""

import time
from dataclasses import replace
from functools import partial

from app.background.latest_wins import Runner
from app.model.changes import COLOURS, ChangeSet
from app.model.computation import Computation, Kind
from app.model.measurement import LinkSource
from app.model.state import State
from app.model.what_if import FailureChoice, FailureEvaluation, WhatIfState, evaluate_failures
from app.session.scenes import tells_failures
from app.session.store import Store
from core.load.evaluate import LoadReport
from core.spec import Progress, SpecError

MAX_LIVE_SECONDS = 2.0
"""Maximum time of an evaluation that is repeated after each edit while harm colours the links."""


class FailureAnalyst:
    """Evaluates failures when asked to, and while harm colours the links; another scenario cancels an evaluation."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runner = Runner(
            "failures", self._on_evaluated, self._on_refused, self._on_progressed, sync=store.sync, parent=store
        )
        self._asked: LoadReport | None = None
        """The report whose failures were requested last."""
        self._chosen = False
        """Whether harm coloured the links at the last change."""
        store.changed.connect(self._on_store_changed)

    def choose(self, choice: FailureChoice) -> None:
        """Choose the failures to evaluate next."""
        self._show(replace(self._what_if, choice=choice))

    def start(self, choice: FailureChoice | None = None) -> None:
        """Evaluate failures of the scenario on screen: the chosen ones, unless others are given."""
        self._asked = self._report
        self._show(replace(self._what_if, progress=0.0, refused=None))
        self._runner.request(partial(_timed, self._report, choice or self._what_if.choice))

    def cancel(self) -> None:
        """Stop the evaluation; the failures evaluated before stay."""
        self._runner.cancel()
        self._end(replace(self._what_if, progress=None))

    @property
    def _report(self) -> LoadReport:
        return self._store.state.evaluation.report

    @property
    def _what_if(self) -> WhatIfState:
        return self._store.state.what_if

    def _show(self, what_if: WhatIfState) -> None:
        self._store.show(replace(self._store.state, what_if=what_if))

    def _on_store_changed(self, changes: ChangeSet) -> None:
        if not changes & (COLOURS | ChangeSet.TOOL | ChangeSet.COMPARISON):
            return
        state, chosen_before = self._store.state, self._chosen
        self._chosen = state.source is LinkSource.HARM
        if self._what_if.progress is not None and self._asked is not self._report:
            self.cancel()
        if state.edit.gesture or self._asked is self._report:
            return
        if _caption_waits(state):
            self.start(FailureChoice())
        if not self._chosen or state.failures is not None or self._asked is self._report:
            return
        last = self._what_if.failures
        if not chosen_before or state.presenting or (last is not None and last.seconds <= MAX_LIVE_SECONDS):
            self.start()

    def _on_evaluated(self, failures: FailureEvaluation) -> None:
        self._end(replace(self._what_if, failures=failures, progress=None))

    def _on_refused(self, error: SpecError) -> None:
        self._end(replace(self._what_if, refused=error, progress=None))

    def _end(self, what_if: WhatIfState) -> None:
        self._show(what_if)
        self._store.end_computation(Kind.FAILURES)

    def _on_progressed(self, fraction: float) -> None:
        self._show(replace(self._what_if, progress=fraction))
        words = f"Evaluating failures of {self._what_if.choice.what}"
        self._store.show_computation(Computation(Kind.FAILURES, words, fraction))


def _caption_waits(state: State) -> bool:
    """Return whether the caption on the stage names failures that are not known."""
    tour, number = state.tour.tour, state.tour.scene
    if not state.presenting or state.cable_failures is not None or tour is None or number is None:
        return False
    return number < len(tour.scenes) and tells_failures(tour.scenes[number])


def _timed(report: LoadReport, choice: FailureChoice, progress: Progress) -> FailureEvaluation:
    begun = time.perf_counter()
    failures = evaluate_failures(report, choice, progress)
    return replace(failures, seconds=time.perf_counter() - begun)
