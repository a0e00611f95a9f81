"""The part of a session that evaluates random failures of A, for a curve next to the curve of B."""

from dataclasses import replace
from functools import partial

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.model.computation import Computation, Kind
from app.model.what_if import ReferenceCurve, WhatIfState, evaluate_reference
from app.session.store import Store
from core.load.evaluate import LoadReport
from core.spec import SpecError

SEEN = ChangeSet.COMPARISON | ChangeSet.WHAT_IF | ChangeSet.TOOL


class ReferenceAnalyst:
    """Evaluates failures of A once there are failures of B, while both are side by side or their difference is shown.

    Another A, or another kind of component, cancels an evaluation.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runner = Runner(
            "failures of A", self._on_evaluated, self._on_refused, self._on_progressed, sync=store.sync, parent=store
        )
        self._asked: tuple[LoadReport, str] | None = None
        """The report and the kind of component that were requested last."""
        self._busy = False
        store.changed.connect(self._on_store_changed)

    def cancel(self) -> None:
        """Stop the evaluation; it begins again with another A or another kind of component."""
        if self._busy:
            self._runner.cancel()
            self._end(self._what_if)

    @property
    def _what_if(self) -> WhatIfState:
        return self._store.state.what_if

    def _on_store_changed(self, changes: ChangeSet) -> None:
        state, failures = self._store.state, self._what_if.failures
        if not changes & SEEN or state.edit.gesture or self._what_if.progress is not None:
            return
        reference = state.comparison.reference
        asked = None
        if failures is not None and reference is not None and state.comparison.both:
            asked = reference.report, failures.figures.what
        if asked == self._asked:
            return
        self._asked = asked
        self.cancel()
        last = self._what_if.curve_of_a
        if asked is not None and (last is None or asked != (last.report, last.curve.what)):
            self._busy = True
            self._runner.request(partial(evaluate_reference, *asked))

    def _on_evaluated(self, curve: ReferenceCurve) -> None:
        self._end(replace(self._what_if, curve_of_a=curve))

    def _on_refused(self, error: SpecError) -> None:
        self._end(replace(self._what_if, refused=SpecError(error.field, f"A: {error.message}")))

    def _end(self, what_if: WhatIfState) -> None:
        self._busy = False
        self._store.show(replace(self._store.state, what_if=what_if))
        self._store.end_computation(Kind.FAILURES)

    def _on_progressed(self, fraction: float) -> None:
        self._store.show_computation(Computation(Kind.FAILURES, "Evaluating failures of A", fraction))
