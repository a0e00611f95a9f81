"""A session: the state and its parts, which change it. Widgets use the session; its parts use only the store."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject

from app.background.latest_wins import Runner
from app.model.computation import Kind
from app.model.history import History
from app.model.performance import Baseline, Performance
from app.model.pointing import Item
from app.model.state import FILE, State
from app.model.state_groups import ComparisonMode, FileState, StyleState
from app.session.advisor import SwapAdvisor
from app.session.cable_finder import CableFinder
from app.session.channels import ChannelAnalyst
from app.session.editing import Editing
from app.session.evaluation import EditableEvaluation, evaluate_for_editing, evaluate_reference
from app.session.evaluator import Evaluator
from app.session.measured_series import SeriesKeeper
from app.session.network_choice import RemedySearch, with_network
from app.session.optimiser import Optimiser
from app.session.presentation import Presentation
from app.session.recorder import EditRecorder
from app.session.reference_curve import ReferenceAnalyst
from app.session.routes import RouteAnalyst
from app.session.store import Store
from app.session.timekeeper import Timekeeper
from app.session.tours import Tours
from app.session.watcher import Watcher
from app.session.what_if import FailureAnalyst
from app.style.theme import DARK, Theme
from app.wording.errors import error_text
from core.load.remedies import Remedy
from core.load.scenario import Scenario
from core.network.network import NetworkSpec
from core.spec import Progress, Spec, SpecError, no_progress


class Session(Store):
    """The state with its parts: evaluator, editing, advisor, routes, channels, optimiser, tours and others."""

    def __init__(
        self,
        first: EditableEvaluation,
        before: Baseline | None = None,
        *,
        theme: Theme = DARK,
        sync: bool = False,
        parent: QObject | None = None,
    ) -> None:
        scenario = first.evaluation.case.scenario
        history = History(Performance.of(first.evaluation.report))
        style, file = StyleState(theme), FileState(saved=scenario)
        state = State(scenario, first.evaluation, before, history=history, style=style, file=file)
        super().__init__(state, sync=sync, parent=parent)
        self.evaluator = Evaluator(self)
        self.editing = Editing(self, self.evaluator, first)
        self.remedy_search = RemedySearch(self)
        self.advisor = SwapAdvisor(self, self.editing)
        self.routes = RouteAnalyst(self)
        self.channels = ChannelAnalyst(self)
        self.what_if = FailureAnalyst(self)
        self.reference_curve = ReferenceAnalyst(self)
        self.cable_finder = CableFinder(self)
        self._pins = Runner("pinned", lambda pin: pin(), self._on_pin_failed, sync=sync, parent=self)
        self.optimiser = Optimiser(self, self.editing, self.pin_scenario)
        self.timekeeper = Timekeeper(self, self.evaluator, self.editing)
        self.series = SeriesKeeper(self)
        self.watcher = Watcher(self)
        self.tours = Tours(self)
        self.recorder = EditRecorder(self)
        self.presentation = Presentation(self, self.editing, self.tours, self.timekeeper)

    @classmethod
    def of(
        cls,
        scenario: Scenario,
        progress: Progress = no_progress,
        *,
        theme: Theme = DARK,
        sync: bool = False,
        parent: QObject | None = None,
    ) -> "Session":
        """Return a session on a scenario, which is evaluated in this call.

        Raises SpecError: if it cannot be built.
        """
        return cls(evaluate_for_editing(scenario, None, progress), theme=theme, sync=sync, parent=parent)

    def go_to(self, step: int | None) -> None:
        """Move the cursor of the timeline shown, of the job's steps or measured intervals; None shows all together."""
        (self.series if self.state.intervals else self.timekeeper).go_to(step)

    def choose(self, choice: str, spec: Spec | None) -> None:
        """Replace one of the four choices, or the timing; `changed` signals the result."""
        if isinstance(spec, NetworkSpec):
            self.choose_network(spec)
        else:
            self.propose(self.state.wanted.with_choice(choice, spec))

    def choose_network(self, spec: NetworkSpec) -> None:
        """Replace the network, and adapt the choices that do not fit it: see `network_choice`."""
        if spec != self.state.wanted.network or self.state.error is not None or self.state.refusal is not None:
            self.fit(with_network(self.state, spec))

    def propose(self, scenario: Scenario, name: str = "") -> None:
        """Request another scenario. The screen keeps the old one until the evaluation is ready, or if it is refused.

        `name` is its name in the history; empty for a description of the change.
        """
        if scenario != self.state.wanted or self.state.error is not None or self.state.refusal is not None:
            self.editing.ask(scenario, name=name)

    def remedy(self, remedy: Remedy) -> None:
        """Show one of the scenarios offered against a misfit (`State.remedies`), as one step."""
        self.propose(remedy.scenario, remedy.title)

    def accept_adaptation(self) -> None:
        """Accept the choices that were adapted to the network as the user's own."""
        self.show(replace(self.state, history=self.state.history.accepted()))

    def fit(self, scenario: Scenario) -> None:
        """Request a scenario, adapting choices that do not fit its network (`core.load.compatibility.fitted`)."""
        self.editing.ask(scenario, fitting=True)

    def open(
        self,
        scenario: Scenario,
        path: Path | None,
        *,
        unsaved: bool = False,
        reference: Scenario | None = None,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        """Show another scenario, read from `path`; if it cannot be evaluated, show its error.

        The comparison with the previous scenario and its optimiser runs are dropped. A presentation ends.

        Parameters
        ----------
        unsaved
            Whether the scenario differs from the file.
        reference
            The scenario to pin as A once it is shown.
        then
            Called once it is shown.
        """
        self.presentation.end()
        self.editing.open(scenario, path, None if unsaved else scenario, partial(self._arrive_opened, reference, then))

    def _arrive_opened(self, reference: Scenario | None, then: Callable[[], None]) -> None:
        self._pins.cancel()
        self.set_reference(None)
        self.optimiser.forget_all()
        if reference is not None:
            self.pin_scenario(reference)
        then()

    def select(self, item: Item | None) -> None:
        """Select an item, or none; its load, or the load of its hottest link, is then explained."""
        self.evaluator.select(item)

    def set_tool(self, tool: str) -> None:
        """Choose another pointer tool; an active gesture of the pointer is cancelled."""
        if tool != self.state.edit.tool and not self.editing.persistent:
            self.editing.cancel()
        super().set_tool(tool)

    def pin_scenario(self, scenario: Scenario, mode: ComparisonMode = ComparisonMode.SIDE) -> None:
        """Evaluate another scenario in the background and pin it as A; the state on screen stays B."""
        self._pin(lambda: scenario, mode)

    def compare_with_textbook(self) -> None:
        """Pin as A the same collective by a textbook algorithm in the order of ranks."""
        self._pin(self.state.evaluation.case.scenario.with_textbook_job, ComparisonMode.SIDE)

    def _pin(self, scenario: Callable[[], Scenario], mode: ComparisonMode) -> None:
        # The function runs off the GUI thread: it may read a file.
        shown = self.state.evaluation
        self._pins.request(
            lambda progress: partial(self.set_reference, evaluate_reference(scenario(), shown, progress), mode)
        )

    def swap_pinned(self) -> None:
        """Show A, and pin the state on screen as A."""
        a, shown, mode = self.state.comparison.reference, self.state.evaluation, self.state.comparison.mode
        if a is None:
            return

        def arrive(result: EditableEvaluation) -> State:
            state = self.editing.recorded(shown, result.evaluation, "Swap A and B")
            return replace(state, comparison=replace(state.comparison, reference=shown, mode=mode))

        self.evaluator.discard_pending()
        self.editing.ask(a.case.scenario, arrive)

    def cancel_pending(self) -> None:
        """Cancel the most important computation."""
        if self.state.pending is not None:
            self.cancel_computation(self.state.pending.kind)

    def cancel_computation(self, kind: Kind) -> None:
        """Cancel reading a file, a scene, an evaluation, failures or cables; others cannot be cancelled separately."""
        if kind is Kind.FILE:
            self.evaluator.cancel_reading()
        elif kind is Kind.SCENE:
            self.presentation.cancel()
        elif kind is Kind.EVALUATION:
            self.evaluator.cancel()
        elif kind is Kind.FAILURES:
            self.what_if.cancel()
            self.reference_curve.cancel()
        elif kind is Kind.CABLES:
            self.cable_finder.cancel()

    def wait_idle(self) -> None:
        """Block until no computation is pending (for tests)."""
        for runner in self.findChildren(Runner):
            runner.wait()

    def close(self) -> None:
        """Stop all work and its threads."""
        self.presentation.cancel()
        self.optimiser.close()
        for runner in self.findChildren(Runner):
            runner.close()

    def _on_pin_failed(self, error: SpecError) -> None:
        self.report_error(SpecError(FILE, f"this scenario cannot be pinned as A: {error_text(error)}"))
