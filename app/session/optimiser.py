"""Better mappings by search: the part of a session that starts searches, shows what they find, keeps or drops it.

A search is a gesture (`app.session.editing`) that lasts. Its best so far is evaluated in a thread of its own, however
much it moves, and then shown, ten times a second at most. Kept, it is one step of the history; discarded, the very
state before is back. Whoever edits, chooses or opens something meanwhile goes on from what is on screen: the search
stops, and what it has found is kept as a step before theirs. Whatever happens, its best stays in the list of runs.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QTimer

from app.background.latest_wins import Runner
from app.background.search_thread import SearchThread, Work
from app.model.changes import ChangeSet
from app.model.search_run import SearchFunction, SearchRun, is_time, scale_of
from app.model.state import EDIT, ComparisonMode, Evaluation, SearchPhase
from app.session.editing import Editing
from app.session.evaluation import EditableEvaluation, evaluate_remapped
from app.session.run_changes import explained
from app.session.store import Store
from core.job.job import NO_TASKS
from core.load.evaluate import LoadReport, evaluate
from core.load.rate import seconds
from core.load.scenario import Scenario
from core.mapping.edit import difference
from core.mapping.mapping import Slots
from core.optimise.problem import check_follows
from core.optimise.request import OnResult, Request, SearchResult
from core.spec import Cancelled, Progress, SpecError

PinScenario = Callable[[Scenario, ComparisonMode], None]
"""Evaluates another scenario and pins it as A."""
SHOW_EVERY_MS = 100
"""Least time between two states shown of a search."""
MOST_RUNS = 100
"""Runs kept; the oldest are forgotten."""
OTHER = "this run is of another network, job or routing; go back to these to use it"


class Seen(NamedTuple):
    """A mapping that a run has found, evaluated."""

    run: SearchRun
    slots: Slots
    result: EditableEvaluation
    changes: tuple[str, ...]


class Optimiser:
    """Owns the runs. At most one is on screen: `shown`."""

    def __init__(self, store: Store, editing: Editing, pin: PinScenario, *, sync: bool) -> None:
        self._store, self._editing, self._pin, self._sync = store, editing, pin, sync
        self.search: SearchFunction = optimise_in_core
        self.runs: list[SearchRun] = []
        self.shown: SearchRun | None = None
        """The run whose best is on screen, neither kept nor discarded yet."""
        self.refusal: SpecError | None = None
        """Why the last search could not begin."""
        self.message = ""
        """What became of the last search, where nothing else shows it."""
        self._count = 0
        self._base: Evaluation | None = None
        """What is on screen again when the run shown is discarded."""
        self._seen: Slots = NO_TASKS
        """What is on screen of the run shown."""
        self._wants = ""
        """What is to be done once the run shown has ended."""
        self._thread = SearchThread(sync=sync, parent=store)
        self._thread.received.connect(self._on_thread_received)
        self._thread.ended.connect(self._on_thread_ended)
        self._runner = Runner("found", sync=sync, parent=store)
        self._runner.done.connect(self._on_runner_done)
        self._runner.failed.connect(self._on_runner_failed)
        self._held = False
        self._pause = QTimer(store, singleShot=True, interval=SHOW_EVERY_MS)
        self._pause.timeout.connect(self._follow)

    def start(self) -> None:
        """Search for a better mapping of what is on screen, as the state's wish says."""
        state, evaluation = self._store.state, self._store.state.evaluation
        if state.search.phase is SearchPhase.RUNNING:
            return
        try:
            check_follows(evaluation.case)
            request = state.search.settings.request(evaluation.case, state.search.pinned_tasks, state.marked)
        except SpecError as error:
            self._refuse(error)
            return
        run = SearchRun(self._count + 1, evaluation.case.scenario, request)
        # Where all is cut to begin with, the best may have a time all the same.
        run.measure, run.timed = evaluation.case.job.measure, seconds(evaluation.case, 1.0) is not None
        if is_time(request.objective):
            run.scale, run.bound = scale_of(evaluation.case), evaluation.bounds[0].time if evaluation.bounds else None
        if self._begin(run):
            self._count += 1
            self.runs = [*self.runs, run][-MOST_RUNS:]
            self._run(run, partial(self._first, evaluation.report, request))

    def resume(self, run: SearchRun) -> None:
        """Let a run go on where it stopped, for as long again as the wish's budget says."""
        evaluation, found = self._store.state.evaluation, run.last
        if found is None or not run.ended or not self._usable(run):
            return
        if self.shown is run or self._begin(run):
            budget = self._store.state.search.settings.budget
            request = replace(run.request, seconds=budget.seconds, steps=budget.steps)
            run.resume(budget.seconds)
            self._run(run, partial(self._again, run, evaluation, request, found))

    def show(self, run: SearchRun, wants: str = "") -> None:
        """Put the best of a run on screen, to be kept or discarded."""
        if run is not self.shown and run.better and self._usable(run) and self._begin(run):
            self._wants = wants
            self._follow()

    def stop(self) -> None:
        """Let the search end: its best is then kept or discarded."""
        self._thread.stop()

    def keep(self) -> None:
        """Make the best of the run shown one step of the history; one that is still searching is stopped first."""
        if self._store.state.search.phase is SearchPhase.RUNNING:
            self._wants = "keep"
            self._thread.stop()
        elif self.shown is not None:
            self._editing.commit()

    def discard(self) -> None:
        """Stop, and put back what was on screen before; the run stays in the list."""
        if self.shown is not None:
            self._editing.cancel()

    def hold(self, held: bool) -> None:
        """Show nothing new while the window is still brought up to what was shown last."""
        self._held, held_before = held and not self._sync, self._held
        if held_before and not self._held:
            self._follow()

    def explain(self, run: SearchRun) -> None:
        """Show link by link what a run has changed: what it began with is A, its best is B."""
        evaluation = self._store.state.evaluation
        if run.slots is None or not run.better:
            return
        if run is self.shown or np.array_equal(evaluation.case.mapping.slots, run.slots):
            self._pin(run.base, ComparisonMode.DIFFERENCE)
        else:
            self.show(run, "explain")

    def forget(self, run: SearchRun) -> None:
        """Take a run off the list, unless it is on screen."""
        if run is not self.shown:
            self.runs = [other for other in self.runs if other is not run]
            self._store.show(ChangeSet.SEARCH)

    def pin_marked(self) -> None:
        """Let the marked tasks stay where they are in every search, with those pinned before."""
        state = self._store.state
        self._store.set_pinned_tasks(np.union1d(state.search.pinned_tasks, state.marked))

    def close(self) -> None:
        """Stop for good."""
        self.shown = self._base = None
        self._pause.stop()
        self._thread.close()
        self._runner.close()

    def _usable(self, run: SearchRun) -> bool:
        evaluation = self._store.state.evaluation
        fits = run.fits(evaluation.case.scenario)
        if not fits:
            self._store.report_error(SpecError(EDIT, OTHER))
        return fits

    def _refuse(self, error: SpecError) -> None:
        self.refusal = error
        self._store.report_error(SpecError(EDIT, f"no search: {error.message}"))
        self._store.show(ChangeSet.SEARCH)

    def _begin(self, run: SearchRun) -> bool:
        """Begin the gesture in which a run is shown."""
        self._store.clear_transient_error()
        ended = partial(self._on_gesture_ended, run)
        if not self._editing.begin("Optimise", ended, phase=SearchPhase.RUNNING):
            return False
        self.shown, self.refusal, self.message, self._wants = run, None, "", ""
        self._base = base = self._store.state.evaluation
        self._seen = base.case.mapping.slots
        return True

    def _run(self, run: SearchRun, work: Work) -> None:
        self._wants = ""
        self._store.show(ChangeSet.SEARCH, phase=SearchPhase.RUNNING)
        self._thread.begin(run, work)

    def _first(self, report: LoadReport, request: Request, listen: OnResult) -> SearchResult:
        return self.search(report, request, listen, None)

    def _again(
        self, run: SearchRun, evaluation: Evaluation, request: Request, found: SearchResult, listen: OnResult
    ) -> SearchResult:
        report = evaluate(run.base.build(evaluation.case))
        return self.search(report, request, listen, found)

    def _follow(self) -> None:
        """Bring the screen up to the best of the run shown, unless that is under way, or was just done."""
        run, base = self.shown, self._base
        if run is None or base is None or self._runner.busy or self._held:
            return
        if self._pause.isActive() and not run.ended:
            return
        # Another mapping that is no better says nothing, and would only move tasks.
        slots = run.slots if run.better else None
        if slots is not None and not np.array_equal(slots, self._seen):
            if not self._sync:
                self._pause.start()
            self._runner.request(partial(_seen, run, slots, base))
        elif run.ended and self._store.state.search.phase is not SearchPhase.FOUND:
            self._finish(run, base)

    def _finish(self, run: SearchRun, base: Evaluation) -> None:
        """The run has ended, and its best is on screen: let it be kept or discarded."""
        if np.array_equal(self._seen, base.case.mapping.slots):
            self._editing.cancel()
            self.message = "Found nothing better than what is on screen."
            self._store.show(ChangeSet.SEARCH)
            return
        self._store.show(ChangeSet.SEARCH, phase=SearchPhase.FOUND)
        wants, self._wants = self._wants, ""
        if wants == "keep":
            self.keep()
        elif wants == "explain":
            self.explain(run)

    def _on_thread_received(self, run: SearchRun, found: SearchResult) -> None:
        run.note(found)
        if run is self.shown:
            self._follow()
        self._store.show(ChangeSet.SEARCH)

    def _on_thread_ended(self, run: SearchRun, outcome: SearchResult | Exception) -> None:
        run.ended = True
        if isinstance(outcome, SearchResult):
            run.note(outcome)
        elif not isinstance(outcome, Cancelled):
            self._fail(run, outcome)
        if run is self.shown:
            self._follow()
        self._store.show(ChangeSet.SEARCH)

    def _fail(self, run: SearchRun, error: Exception) -> None:
        if run is self.shown:
            self._editing.cancel()
        if run.found is None:
            self.runs = [other for other in self.runs if other is not run]
        if not isinstance(error, SpecError):
            raise error
        self._refuse(error)

    def _on_gesture_ended(self, run: SearchRun, kept: bool) -> None:
        self.shown = self._base = None
        self._pause.stop()
        self._runner.cancel()
        if not run.ended:
            self._thread.stop()
        run.kept = run.kept or kept
        self.message = self._end_message(run, kept)
        self._store.show(ChangeSet.SEARCH)

    def _end_message(self, run: SearchRun, kept: bool) -> str:
        if kept:
            return "" if run.ended else f"Run {run.number} was stopped; its best so far was kept: undo gives it back."
        if run.better:
            return f"Run {run.number} was put back; its best stays in the table of the optimiser."
        return "" if run.ended else f"Run {run.number} was stopped before it had found anything better."

    def _on_runner_done(self, seen: Seen) -> None:
        run, base = seen.run, self._base
        if run is not self.shown or base is None:
            return
        self._seen = seen.slots
        if base.case.scenario == run.base:
            run.changes = seen.changes
        edit = difference(base.case.mapping, seen.result.evaluation.case.mapping)
        self._editing.show_evaluated(edit, seen.result, run.name)
        self._follow()

    def _on_runner_failed(self, error: Exception) -> None:
        raise error


def _seen(run: SearchRun, slots: Slots, base: Evaluation, progress: Progress) -> Seen:
    result = evaluate_remapped(base, slots, progress)
    return Seen(run, slots, result, explained(base, result.evaluation))


def optimise_in_core(
    report: LoadReport, request: Request, listen: OnResult, after: SearchResult | None = None
) -> SearchResult:
    """Search (`core.optimise.run.optimise`); kernels are loaded when they are first needed, off the GUI thread."""
    from core.optimise.run import optimise

    return optimise(report, request, listen, after)
