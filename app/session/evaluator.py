"""The part of a session that evaluates requested scenarios off the GUI thread and shows their loads.

The screen keeps the last good evaluation until the new one is ready, or if the request is refused.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from app.background.latest_wins import Runner
from app.model.changes import ChangeSet
from app.model.computation import Computation, Kind, computing, without
from app.model.evaluation import Evaluation
from app.model.performance import Baseline
from app.model.pointing import Item, tasks_of_flow
from app.model.scenario_diff import requested_name
from app.model.state import FILE, State
from app.model.state_groups import StandIn
from app.model.subject import link_to_explain
from app.session.evaluation import EditableEvaluation, Opened, evaluate_for_editing, evaluate_opened
from app.session.internal_error import as_refusal, refusal_of
from app.session.store import Store
from core.load.compatibility import fitted
from core.load.evaluate import LoadReport
from core.load.explain import Explanation, explain
from core.load.fit_changes import fit_changes
from core.load.flow_paths import NO_LINK, FlowPaths, find_paths
from core.load.live import LiveLoads
from core.load.scenario import MAPPING_PART, Scenario
from core.mapping.mapping import Mapping
from core.spec import Cancelled, Progress, SharedProgress, SpecError

Content = TypeVar("Content")
OnEvaluated = Callable[[EditableEvaluation], None]
"""Called with the evaluation of a request."""
PATHS_OF = ChangeSet.SELECTION | ChangeSet.HOVER | ChangeSet.LOADS | ChangeSet.MAPPING | ChangeSet.TIME
"""Changes after which other paths are shown, or the same paths with other loads."""


class Evaluator:
    """Evaluates one scenario at a time, always the latest, and explains the load of the selection."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._loads = Runner(
            "loads", lambda arrive: arrive(), self._on_refused, self._on_progressed,
            sync=store.sync, prompt=True, parent=store,
        )  # fmt: skip
        self._files = Runner("files", self._on_read, progressed=self._on_file_progressed, sync=store.sync, parent=store)
        self._causes = Runner("causes", self._on_explained, sync=store.sync, parent=store)
        self._path_finder = PathFinder(store)
        self._moves = False
        """Whether the pending request moves tasks only: an edit, or a step in the history."""
        self._fits = False
        """Whether the pending request adapts choices that do not fit its network."""
        self._computation = Computation(Kind.EVALUATION, "")
        """The pending request, as shown once it takes noticeable time."""
        self._reading = Computation(Kind.FILE, "")
        store.changed.connect(self._on_store_changed)

    @property
    def moving(self) -> bool:
        """Return whether an edit or a history step that is too large for the live loads is pending."""
        return self._moves and self._loads.busy

    @property
    def choosing(self) -> bool:
        """Return whether another request is pending: a choice, or a file."""
        return not self._moves and self._loads.busy

    @property
    def fitting(self) -> bool:
        """Return whether choices are being adapted to another network: the requested scenario is not final."""
        return self._fits and self._loads.busy

    def request(
        self,
        scenario: Scenario,
        on_evaluated: OnEvaluated,
        *,
        name: str = "",
        fitting: bool = False,
        drawn: Mapping | None = None,
        moves: bool = False,
    ) -> None:
        """Evaluate a scenario, and pass the result to `on_evaluated`.

        Parameters
        ----------
        name
            Name of the request while it is pending; empty for a description of the change.
        fitting
            Adapt choices that do not fit the scenario's network (`fitted`).
        drawn
            The mapping of its job on the network before, for fitting.
        moves
            Whether it only moves tasks, and must not be dropped when another edit starts (`moving`).
        """
        self._moves, self._fits = moves, fitting
        before = self._store.state.evaluation.case
        self._announce(Computation(Kind.EVALUATION, computing(name or requested_name(before.scenario, scenario))))

        def work(progress: Progress) -> Callable[[], None]:
            shared = SharedProgress(progress)
            try:
                wanted = fitted(scenario, drawn, shared.part(MAPPING_PART)) if fitting else scenario
                result = evaluate_for_editing(wanted, before, shared.part())
                changes = fit_changes(scenario, drawn, result.evaluation.case) if fitting else ()
            except Cancelled:
                raise
            except Exception as error:
                raise refusal_of(error, scenario) from error
            return partial(on_evaluated, replace(result, changes=changes))

        self._loads.request(work)

    def open(self, scenario: Scenario, on_opened: Callable[[Opened], None], name: str) -> None:
        """Evaluate a scenario that is opened, called `name`, and pass its displayable parts to `on_opened`."""
        self._moves = self._fits = False
        self._announce(Computation(Kind.EVALUATION, computing(name)))
        before = self._store.state.evaluation.case
        self._loads.request(lambda progress: partial(on_opened, evaluate_opened(scenario, before, progress)))

    def _announce(self, computation: Computation) -> None:
        """Record the new request, and replace the display of the previous one at once, without flicker."""
        self._computation = computation
        if self.other_computations != self._store.state.computations:
            self._show_computation(computation)

    def _show_computation(self, computation: Computation) -> None:
        self._store.set_computations(*self.other_computations, computation)

    @property
    def other_computations(self) -> tuple[Computation, ...]:
        """Return the computations other than requests and their edits."""
        return without(self._store.state.computations, Kind.EVALUATION, Kind.LIVE_LOADS, Kind.GESTURE)

    def read(
        self,
        name: str,
        read: Callable[[], Content],
        then: Callable[[Content], object],
        failed: Callable[[SpecError], object] | None = None,
    ) -> None:
        """Read a file called `name` off the GUI thread, and pass its content to `then` there.

        An error is passed to `failed`, or shown. Reading another file cancels this one.
        """
        self.compute(f"Reading {name}", lambda progress: read(), then, failed)

    def compute(
        self,
        words: str,
        make: Callable[[Progress], Content],
        then: Callable[[Content], object],
        failed: Callable[[SpecError], object] | None = None,
    ) -> None:
        """Do other work, described by `words`, in the same way as `read`, which it cancels and which cancels it."""

        def work(progress: Progress) -> Callable[[], object]:
            try:
                return partial(then, make(progress))
            except Cancelled:
                raise
            except Exception as error:
                return partial(failed or self._store.report_error, as_refusal(error, FILE, "the file"))

        self._reading = Computation(Kind.FILE, words)
        self._files.request(work)

    def follow(self, evaluation: Evaluation, on_ready: OnEvaluated) -> None:
        """Create live loads for an evaluation on screen; tasks cannot be moved until they are ready."""
        self._moves = True
        self._announce(Computation(Kind.LIVE_LOADS, "Preparing edits"))
        self._loads.request(
            lambda progress: partial(
                self._on_followed, on_ready, EditableEvaluation(evaluation, LiveLoads(evaluation.report))
            )
        )

    def _on_followed(self, on_ready: OnEvaluated, result: EditableEvaluation) -> None:
        self._store.end_computation(Kind.LIVE_LOADS)
        on_ready(result)

    def cancel_reading(self) -> None:
        """Stop waiting for a file."""
        self._files.cancel()
        self._store.end_computation(Kind.FILE)

    def cancel(self) -> None:
        """Cancel a long evaluation and go back to the last good scenario.

        A substitute for an opened scenario has no file: saving it would overwrite the opened one.
        """
        self._loads.cancel()
        state = self._store.state
        good, file = self._store.noted(state.evaluation.case.scenario), state.file
        if file.stand_in is not None:
            # The scenario fitted to its network is saved nowhere; another scenario was on screen before.
            file = replace(file, path=None, saved=good if file.stand_in is StandIn.OTHER else None)
        good_state = replace(state, computations=self.other_computations, wanted=good, file=file)
        self._store.show(good_state.without_refusal())

    def discard_pending(self) -> None:
        """Drop a pending or refused choice, so that edits apply to the scenario on screen."""
        state = self._store.state
        if self._loads.busy or state.error is not None or state.refusal is not None:
            self.cancel()

    def show(self, new: Evaluation, before: Baseline | None, state: State | None = None) -> None:
        """Show another evaluation, with further changes by `state`, or None for no other changes."""
        state = (state if state is not None else self._store.state).without_refusal()
        self._store.show(
            replace(
                state,
                # Fitting may have changed the requested scenario.
                wanted=self._store.noted(new.case.scenario),
                evaluation=new,
                baseline=before,
                computations=self.other_computations,
                edit=replace(state.edit, hint=""),
                explanation=None,
            )
        )
        self.explain()

    def show_edit(self, evaluation: Evaluation, before: Baseline, state: State) -> None:
        """Show the evaluation of an edit, with further changes by `state`."""
        self._causes.cancel()
        wanted = self._store.noted(evaluation.case.scenario)
        self._store.show(replace(state, evaluation=evaluation, wanted=wanted, baseline=before, explanation=None))

    def select(self, item: Item | None) -> None:
        """Select an item, or none; its load, or the load of its hottest link, is then explained."""
        if item == self._store.state.selection:
            return
        self._causes.cancel()
        # A flow is chosen as a cause of the explained load, which stays on screen.
        explanation = self._store.state.explanation if item is not None and item.kind == "flow" else None
        self._store.show(replace(self._store.state, selection=item, explanation=explanation))
        self.explain()

    def explain(self) -> None:
        """Find the causes of the load of the selected link, or of the hottest link of the selected item."""
        state = self._store.state.pictured
        report, moment = state.report, state.moment
        link = link_to_explain(state.selection, report)
        # For a round the number of messages on a link is known, but not their tasks.
        if link is not None and (moment is None or moment.rounds is None):
            self._causes.request(lambda progress: explain(report, link, progress))

    def _on_store_changed(self, changes: ChangeSet) -> None:
        if ChangeSet.COMPARISON in changes and self._store.state.explanation is None:
            self.explain()

    def _on_read(self, arrive: Callable[[], object]) -> None:
        self._store.end_computation(Kind.FILE)
        arrive()

    def _on_refused(self, error: SpecError) -> None:
        state = self._store.state
        self._store.show(replace(state, error=error, refusal=error, computations=self.other_computations))

    def _on_progressed(self, fraction: float) -> None:
        self._show_computation(self._computation._replace(fraction=fraction))

    def _on_file_progressed(self, fraction: float) -> None:
        self._store.show_computation(self._reading._replace(fraction=fraction))

    def _on_explained(self, explanation: Explanation) -> None:
        state = self._store.state.pictured
        if explanation.link == link_to_explain(state.selection, state.report):
            self._store.show(replace(self._store.state, explanation=explanation))


class PathFinder:
    """Finds the paths of the selected and of the hovered flow; the latest request wins."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._runner = Runner("paths", self._on_found, sync=store.sync, parent=store)
        store.changed.connect(self._on_store_changed)

    def _on_store_changed(self, changes: ChangeSet) -> None:
        if not changes & PATHS_OF:
            return
        state = self._store.state.pictured
        flows = dict.fromkeys(
            item for item in (state.selection, state.hover) if item is not None and item.kind == "flow"
        )
        paths_of_flow = {flow: state.paths_of(flow) for flow in flows}
        self._show(tuple(paths for paths in paths_of_flow.values() if paths is not None))
        missing = [flow for flow, paths in paths_of_flow.items() if paths is None]
        # Of equal paths, prefer a path over the link whose causes are shown.
        through = NO_LINK if state.explanation is None else state.explanation.link
        if missing:
            self._runner.request(partial(_find, state.routed_report, missing, through))
        elif self._runner.busy:
            self._runner.cancel()

    def _on_found(self, new: tuple[FlowPaths, ...]) -> None:
        self._show((*self._store.state.flow_paths, *new))

    def _show(self, paths: tuple[FlowPaths, ...]) -> None:
        if paths != self._store.state.flow_paths:
            self._store.show(replace(self._store.state, flow_paths=paths))


def _find(report: LoadReport, flows: list[Item], through: int, progress: Progress) -> tuple[FlowPaths, ...]:
    return tuple(find_paths(report, *tasks_of_flow(flow), progress, through) for flow in flows)
