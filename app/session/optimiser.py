"""The part of a session that searches for better mappings, shows the results, and keeps or discards them.

A search is a persistent gesture (`app.session.editing`). Its best mapping so far is evaluated in a separate thread and
shown, at most ten times per second. If it is kept, it becomes one step of the history; if it is discarded, the previous
state is restored. An edit, a choice or an opened file stops the search and first keeps its result as a step. The best
mapping always stays in the list of runs (`OptimiserState.runs`).
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from app.background.latest_wins import Runner
from app.background.search_thread import SearchThread, Work
from app.background.timer import timer
from app.model.evaluation import Evaluation
from app.model.places import edit_error
from app.model.run_changes import describe_changes
from app.model.search_run import Budget, SearchFunction, SearchRun, SearchSettings
from app.model.state_groups import ComparisonMode, OptimiserState, SearchPhase
from app.session.editing import Editing
from app.session.evaluation import EditableEvaluation, evaluate_remapped
from app.session.store import Store
from app.storage.routes import routes_folder, store_tables
from app.wording.numbers import EQUAL
from core.job.job import NO_TASKS
from core.load.evaluate import LoadReport, evaluate
from core.load.scenario import Scenario
from core.mapping.edit import edit_between
from core.mapping.mapping import Slots
from core.optimise.method import BestSwaps
from core.optimise.objective import WorstFailure
from core.optimise.problem import check_follows
from core.optimise.request import MAPPING, OnResult, Request, SearchResult
from core.spec import Cancelled, Progress, SpecError
from core.text import as_sentence

PinScenario = Callable[[Scenario, ComparisonMode], None]
"""Evaluates another scenario and pins it as A."""
SHOW_EVERY_MS = 100
"""Minimum time between two displayed states of a search."""
BEST_SWAPS = SearchSettings(method=BestSwaps(), budget=Budget(seconds=None, workers=1))
MAX_RUNS = 100
"""Maximum number of runs in the table; the oldest are dropped."""
NOTHING_BETTER = "No better mapping found."
OPTIMAL_ROUTES = "The routes are optimal: no other minimal routes are faster."
ROUTES_CHANGED = "The mapping stays; next hops changed among ports on shortest paths."
NO_BETTER_ROUTES = "No better routes found."
NOTHING_TRIED = "Stopped before the first mapping was tried."
OTHER = "this run belongs to another network, job or routing; restore these to use it"


class EvaluatedBest(NamedTuple):
    """The evaluated best mapping of a run."""

    number: int
    """The number of the run."""
    result: EditableEvaluation
    changes: tuple[str, ...]


class Optimiser:
    """Runs searches. At most one run is on screen: `OptimiserState.shown`."""

    def __init__(self, store: Store, editing: Editing, pin: PinScenario) -> None:
        self._store, self._editing, self._pin = store, editing, pin
        self.search: SearchFunction = optimise_in_core
        self._count = 0
        self._base: Evaluation | None = None
        """The evaluation to restore when the run shown is discarded."""
        self._shown_slots: Slots = NO_TASKS
        """The slots on screen of the run shown."""
        self._then: Callable[[], None] | None = None
        """Called once the run shown has ended."""
        self._thread = SearchThread(self._on_prepared, self._on_received, self._on_ended, sync=store.sync, parent=store)
        self._runner = Runner("found", self._on_evaluated, sync=store.sync, parent=store)
        self._paused = False
        self._pause = timer(store, SHOW_EVERY_MS, single_shot=True)
        self._pause.timeout.connect(self._follow)

    @property
    def _state(self) -> OptimiserState:
        return self._store.state.search

    def start(self) -> None:
        """Search for a better mapping of the scenario on screen, with the state's settings."""
        self._start(self._state.settings)

    def apply_best_swaps(self) -> None:
        """Apply the best single swap until none helps or `stop` is called; the swaps are kept as one step."""
        self._start(BEST_SWAPS, self.keep)

    def _start(self, settings: SearchSettings, then: Callable[[], None] | None = None) -> None:
        state, evaluation = self._store.state, self._store.state.evaluation
        if state.search.phase is SearchPhase.RUNNING:
            return
        try:
            if settings.on(evaluation.case.network).move == MAPPING:
                check_follows(evaluation.case)
            request = settings.request(evaluation.case, state.search.pinned_tasks, state.marked)
        except SpecError as error:
            self._refuse(error)
            return
        run = SearchRun.begun(self._count + 1, evaluation.case, request, evaluation.bounds)
        if self._begin(run):
            self._count += 1
            self._store.show_search(replace(self._state, runs=(*self._state.runs, run)[-MAX_RUNS:]))
            self._run(run.number, partial(self._searched, evaluation.report, request, None), then)

    def resume(self, run: SearchRun) -> None:
        """Continue a run where it stopped, with the settings' budget."""
        evaluation, last = self._store.state.evaluation, run.last
        if last is None or not run.ended or not self._usable(run):
            return
        if self._state.shown == run.number or self._begin(run):
            budget = self._state.settings.budget
            request = replace(run.request, seconds=budget.seconds, steps=budget.steps)
            self._store.show_search(self._state.with_run(run.resumed(budget.seconds)))

            def work(listen: OnResult, progress: Progress) -> SearchResult:
                return self._searched(evaluate(run.base.build(evaluation.case)), request, last, listen, progress)

            self._run(run.number, work)

    def _searched(
        self,
        report: LoadReport,
        request: Request,
        after: SearchResult | None,
        listen: OnResult,
        progress: Progress,
    ) -> SearchResult:
        # In the thread of the search. Resulting tables are written there too.
        if isinstance(request.objective, WorstFailure) and after is None:
            request = _with_failures(report, request, progress)
        result = self.search(report, request, listen, after)
        if result.tables is None:
            return result
        from core.optimise.routes.best import deadlock_free

        file = str(store_tables(routes_folder(), result.tables, report.case.network))
        return replace(result, file=file, deadlock_free=deadlock_free(report.case, result.tables))

    def show(self, run: SearchRun, then: Callable[[], None] | None = None) -> None:
        """Show the best mapping of a run, to be kept or discarded; routes are used at once, as one step."""
        if run.routes:
            if run.better and self._usable(run):
                self._use_routes(run)
            return
        if run.number != self._state.shown and run.better and self._usable(run) and self._begin(run):
            self._then = then
            self._follow()

    def stop(self) -> None:
        """Stop the search; its best mapping is then kept or discarded."""
        self._thread.stop()

    def keep(self) -> None:
        """Keep the best mapping of the run shown as one step of the history; a running search is stopped first."""
        if self._state.phase is SearchPhase.RUNNING:
            self._then = self.keep
            self._thread.stop()
        elif self._state.shown is not None:
            self._editing.commit()

    def discard(self) -> None:
        """Stop, and restore the previous state; the run stays in the list."""
        if self._state.shown is not None:
            self._editing.cancel()

    def set_paused(self, paused: bool) -> None:
        """Pause or resume the display of better mappings, while widgets are still being refreshed for the last one."""
        self._paused, before = paused and not self._store.sync, self._paused
        if before and not self._paused:
            self._follow()

    def explain(self, run: SearchRun) -> None:
        """Compare the start of a run, A, with its best mapping, B, link by link."""
        evaluation = self._store.state.evaluation
        if run.slots is None or not run.better:
            return
        if run.routes:
            self._pin(run.base, ComparisonMode.DIFFERENCE)
            self.show(run)
            return
        if run.number == self._state.shown or np.array_equal(evaluation.case.mapping.slots, run.slots):
            self._pin(run.base, ComparisonMode.DIFFERENCE)
        else:
            self.show(run, partial(self._explain, run.number))

    def _explain(self, number: int) -> None:
        run = self._state.run(number)
        if run is not None:
            self.explain(run)

    def forget(self, run: SearchRun) -> None:
        """Remove a run from the list, unless it is on screen."""
        if run.number != self._state.shown:
            self._store.show_search(self._state.without_run(run.number))

    def forget_all(self) -> None:
        """Remove all runs, because another scenario was opened."""
        self._store.show_search(replace(self._state, runs=(), message="", refused=None))

    def pin_marked(self) -> None:
        """Pin the selected tasks, in addition to tasks pinned before, for every search."""
        state = self._store.state
        self._store.set_pinned_tasks(np.union1d(state.search.pinned_tasks, state.marked))

    def close(self) -> None:
        """Stop searching for good."""
        self._base = None
        self._pause.stop()
        self._thread.close()

    def _usable(self, run: SearchRun) -> bool:
        evaluation = self._store.state.evaluation
        fits = run.fits(evaluation.case.scenario)
        if not fits:
            self._store.report_error(edit_error(OTHER))
        return fits

    def _refuse(self, error: SpecError) -> None:
        self._store.report_error(edit_error(f"search not started: {error.message}"))
        self._store.show_search(replace(self._state, refused=error))

    def _begin(self, run: SearchRun) -> bool:
        """Begin the gesture in which a run is shown."""
        self._store.clear_transient_error()
        if not self._editing.begin(run.name, partial(self._on_gesture_end, run.number)):
            return False
        self._store.show_search(replace(self._state, shown=run.number, chosen=run.number, refused=None, message=""))
        self._then = None
        self._base = base = self._store.state.evaluation
        self._shown_slots = base.case.mapping.slots
        return True

    def _run(self, number: int, work: Work, then: Callable[[], None] | None = None) -> None:
        self._then = then
        self._store.show_search(replace(self._state, phase=SearchPhase.RUNNING))
        self._thread.begin(number, work)

    def _follow(self) -> None:
        """Show the best mapping of the run, unless another is being evaluated or was just shown."""
        run, base = self._state.shown_run, self._base
        if run is None or base is None or self._runner.busy or self._paused:
            return
        if self._pause.isActive() and not run.ended:
            return
        # A mapping that is not better is not shown, since it would only move tasks.
        slots = run.slots if run.better and not run.routes else None
        if slots is not None and not np.array_equal(slots, self._shown_slots):
            if not self._store.sync:
                self._pause.start()
            self._runner.request(partial(_evaluate_best, run.number, slots, base))
        elif run.ended and self._state.phase is not SearchPhase.FOUND:
            self._finish(run, base)

    def _finish(self, run: SearchRun, base: Evaluation) -> None:
        """Offer to keep or discard the best mapping of a run that has ended; use better routes as one step."""
        if run.routes:
            self._editing.cancel()
            self._store.show_search(replace(self._state, message=_routes_message(run)))
            if run.better:
                self._use_routes(run)
            return
        if np.array_equal(self._shown_slots, base.case.mapping.slots):
            self._editing.cancel()
            message = NOTHING_BETTER if run.steps > 0 else NOTHING_TRIED
            self._store.show_search(replace(self._state, message=message))
            return
        self._store.show_search(replace(self._state, phase=SearchPhase.FOUND))
        then, self._then = self._then, None
        if then is not None:
            then()

    def _use_routes(self, run: SearchRun) -> None:
        from core.load.rerouting import tables_in

        assert run.result is not None
        case = self._store.state.evaluation.case
        scenario = replace(case.scenario, routing=tables_in(case, run.result.file))
        if scenario != case.scenario:
            self._editing.ask(scenario, name=run.name)
        changes = (ROUTES_CHANGED, as_sentence(run.deadlocks)) if run.deadlocks else (ROUTES_CHANGED,)
        self._store.show_search(self._state.with_run(replace(run, kept=True, changes=changes)))

    def _on_prepared(self, number: int, fraction: float) -> None:
        run = self._state.run(number)
        if run is not None:
            self._store.show_search(self._state.with_run(replace(run, prepared=fraction)))

    def _on_received(self, number: int, result: SearchResult) -> None:
        run = self._state.run(number)
        if run is not None:
            self._store.show_search(self._state.with_run(run.with_result(result)))
            self._follow_if_shown(number)

    def _on_ended(self, number: int, outcome: SearchResult | Exception) -> None:
        run = self._state.run(number)
        if run is not None:
            ended = replace(run.with_result(outcome) if isinstance(outcome, SearchResult) else run, ended=True)
            self._store.show_search(self._state.with_run(ended))
        if isinstance(outcome, Exception) and not isinstance(outcome, Cancelled):
            self._fail(number, outcome)
        self._follow_if_shown(number)

    def _follow_if_shown(self, number: int) -> None:
        if number == self._state.shown:
            self._follow()

    def _fail(self, number: int, error: Exception) -> None:
        if number == self._state.shown:
            self._editing.cancel()
        run = self._state.run(number)
        if run is not None and run.result is None:
            self._store.show_search(self._state.without_run(number))
        if not isinstance(error, SpecError):
            raise error
        self._refuse(error)

    def _on_gesture_end(self, number: int, kept: bool) -> None:
        self._base = None
        self._pause.stop()
        self._runner.cancel()
        search, run = replace(self._state, shown=None), self._state.run(number)
        if run is not None:
            if not run.ended:
                self._thread.stop()
            search = replace(search.with_run(replace(run, kept=run.kept or kept)), message=_end_message(run, kept))
        self._store.show_search(search)

    def _on_evaluated(self, best: EvaluatedBest) -> None:
        run, base, mapping = self._state.run(best.number), self._base, best.result.evaluation.case.mapping
        if run is None or best.number != self._state.shown or base is None:
            return
        self._shown_slots = mapping.slots
        if base.case.scenario == run.base:
            self._store.show_search(self._state.with_run(replace(run, changes=best.changes)))
        self._editing.show_evaluated(edit_between(base.case.mapping, mapping), best.result, run.name)
        self._follow()


def _routes_message(run: SearchRun) -> str:
    if run.better:
        return ""
    if run.gap is not None and run.gap <= EQUAL:
        return OPTIMAL_ROUTES
    return NO_BETTER_ROUTES if run.steps > 0 else NOTHING_TRIED


def _end_message(run: SearchRun, kept: bool) -> str:
    if kept:
        return "" if run.ended else f"Run {run.number} was stopped; its best mapping was kept as a step of the history."
    if run.better:
        return f"Run {run.number} was discarded; the table of runs still has its {run.best_words}."
    if run.ended:
        return ""
    return f"Run {run.number} was stopped before it found {run.better_words}." if run.steps else NOTHING_TRIED


def _evaluate_best(number: int, slots: Slots, base: Evaluation, progress: Progress) -> EvaluatedBest:
    result = evaluate_remapped(base, slots, progress)
    return EvaluatedBest(number, result, describe_changes(base, result.evaluation))


def _with_failures(report: LoadReport, request: Request, progress: Progress) -> Request:
    from core.optimise.robust import with_failures

    return with_failures(report, request, progress)


def optimise_in_core(
    report: LoadReport, request: Request, listen: OnResult, after: SearchResult | None = None
) -> SearchResult:
    """Search (`core.optimise.run.optimise`); kernels are loaded on first use, off the GUI thread."""
    from core.optimise.run import optimise

    return optimise(report, request, listen, after)
