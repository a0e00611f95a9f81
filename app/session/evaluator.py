"""From a scenario asked for to loads on screen: the part of a session that evaluates off the GUI thread.

What is on screen stays until what was asked for is answered, or for good if it is refused.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from app.background.latest_wins import Runner
from app.model.changes import EVALUATION, ChangeSet
from app.model.pointing import Item
from app.model.state import Baseline, Evaluation, State
from app.model.subject import link_to_explain
from app.session.evaluation import EditableEvaluation, evaluate_for_editing
from app.session.store import Store
from core.job.job import NO_TASKS
from core.load.explain import Explanation, explain
from core.load.fit import fitted
from core.load.live import LiveLoads
from core.load.scenario import Case, Scenario
from core.spec import Progress, SpecError

OnEvaluated = Callable[[EditableEvaluation], None]
"""Called with what was asked for, once it is evaluated."""


class Evaluator:
    """Evaluates one scenario at a time, always the latest, and takes the load of what is chosen apart."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._loads = Runner(
            "loads", lambda arrive: arrive(), self._on_refused, self._on_progressed, sync=store.sync, parent=store
        )
        self._causes = Runner("causes", self._on_explained, sync=store.sync, parent=store)
        self._moves = False
        """Whether what is awaited moves tasks only: an edit, or a step in the history."""

    @property
    def moving(self) -> bool:
        """Return whether tasks are being moved: an edit or a step in the history that was too much to be played."""
        return self._moves and self._loads.busy

    @property
    def choosing(self) -> bool:
        """Return whether something else is on its way: a choice, or a file."""
        return not self._moves and self._loads.busy

    def request(
        self,
        scenario: Scenario,
        on_evaluated: OnEvaluated,
        *,
        fitting: bool = False,
        moves: bool = False,
        reword: Callable[[SpecError], SpecError] | None = None,
    ) -> None:
        """Evaluate a scenario, and hand what comes of it to `on_evaluated`.

        Parameters
        ----------
        fitting
            Change whatever does not go with the scenario's network (`fitted`).
        moves
            It moves tasks only: to begin something else meanwhile must not drop it (`moving`).
        reword
            Says why it is refused, where that is not about a field on screen.
        """
        self._moves = moves
        before = self._store.state.evaluation.case

        def work(progress: Progress) -> Callable[[], None]:
            try:
                result = evaluate_for_editing(fitted(scenario) if fitting else scenario, before, progress)
            except SpecError as error:
                if reword is None:
                    raise
                raise reword(error) from error
            return partial(on_evaluated, result)

        self._loads.request(work)

    def follow(self, evaluation: Evaluation, on_ready: OnEvaluated) -> None:
        """Make an evaluation that is on screen ready to be edited again: nothing can be moved until it is."""
        self._moves = True
        self._loads.request(
            lambda progress: partial(on_ready, EditableEvaluation(evaluation, LiveLoads(evaluation.report)))
        )

    def cancel(self) -> None:
        """Stop a long evaluation and go back to the last good scenario."""
        self._loads.cancel()
        good = self._store.noted(self._store.state.evaluation.case.scenario)
        self._store.show(ChangeSet.STATUS | ChangeSet.FILE, busy=None, error=None, wanted=good)

    def discard_pending(self) -> None:
        """Drop a choice that is not answered yet, or was refused: what is edited is what is on screen."""
        if self._loads.busy or self._store.state.error is not None:
            self.cancel()

    def show(self, new: Evaluation, before: Baseline | None, more: ChangeSet = ChangeSet.NONE, **values: Any) -> None:
        """Show another evaluation, and what else changes with it; what was chosen and is no more is let go."""
        changes, kept = _carried_over(self._store.state, new.case)
        self._store.show(
            more | changes | EVALUATION & ~ChangeSet.MAPPING | ChangeSet.HISTORY,
            # What was fitted differs from what was asked for.
            wanted=self._store.noted(new.case.scenario),
            evaluation=new,
            baseline=before,
            error=None,
            busy=None,
            hint="",
            explanation=None,
            **(kept | values),
        )
        self.explain()

    def show_edit(self, evaluation: Evaluation, before: Baseline, changes: ChangeSet, **values: Any) -> None:
        """Show what an edit of the mapping gives, and what else changes with it."""
        self._causes.cancel()
        wanted = self._store.noted(evaluation.case.scenario)
        self._store.show(
            EVALUATION | changes, evaluation=evaluation, wanted=wanted, baseline=before, explanation=None, **values
        )

    def select(self, item: Item | None) -> None:
        """Choose one thing, or nothing; its load, or that of its hottest link, is then taken apart."""
        if item == self._store.state.selection:
            return
        self._causes.cancel()
        self._store.show(ChangeSet.SELECTION | ChangeSet.EXPLANATION, selection=item, explanation=None)
        self.explain()

    def explain(self) -> None:
        """Find out who causes the load of what is chosen, or of its hottest link."""
        report, moment = self._store.state.report, self._store.state.moment
        link = link_to_explain(self._store.state.selection, report)
        # Of a round it is known how many messages cross a link, not whose they are.
        if link is not None and (moment is None or moment.rounds is None):
            self._causes.request(lambda progress: explain(report, link, progress))

    def _on_refused(self, error: Exception) -> None:
        if not isinstance(error, SpecError):
            raise error
        self._store.show(ChangeSet.STATUS, error=error, busy=None)

    def _on_progressed(self, fraction: float) -> None:
        self._store.show(ChangeSet.STATUS, busy=fraction)

    def _on_explained(self, found: Explanation) -> None:
        if found.link == link_to_explain(self._store.state.selection, self._store.state.report):
            self._store.show(ChangeSet.EXPLANATION, explanation=found)


def _carried_over(state: State, case: Case) -> tuple[ChangeSet, dict[str, Any]]:
    """Return what changes in what is chosen and marked when another case comes on screen, and what it is then."""
    old, changes, kept = state.evaluation.case, ChangeSet.NONE, dict[str, Any]()
    if old.network is not case.network:
        # What was chosen does not exist in the new machine.
        changes |= ChangeSet.TOPOLOGY | ChangeSet.MAPPING | ChangeSet.SELECTION | ChangeSet.HOVER
        changes |= ChangeSet.STYLE | ChangeSet.TOOL
        kept |= {"selection": None, "hover": None, "target": None, "level": None, "pinned": ()}
    elif old.mapping is not case.mapping or old.job is not case.job:
        changes |= ChangeSet.MAPPING
        if _gone(state.selection, case):
            changes, kept["selection"] = changes | ChangeSet.SELECTION, None
        if _gone(state.hover, case):
            changes, kept["hover"] = changes | ChangeSet.HOVER, None
    if old.job is not case.job and (state.marked.size or state.search.pinned_tasks.size):
        # Tasks of another job: other things under the same numbers.
        changes |= ChangeSet.MARKED | ChangeSet.SEARCH
        kept |= {"marked": NO_TASKS, "pinned_tasks": NO_TASKS}
    return changes, kept


def _gone(item: Item | None, case: Case) -> bool:
    """Return whether a task is none of the case's any more; all else stays as long as the network does."""
    return item is not None and item.kind == "task" and item.index >= case.job.tasks
