"""The one owner of state. Everything that changes goes through the session, and is told once, by one signal."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from PySide6.QtCore import QObject, Signal

from app.background.latest_wins import Runner
from app.background.work_queue import WorkList
from app.model.changes import SHOWN, ChangeSet
from app.model.pointing import Item
from app.model.search_run import Wish
from app.model.state import ASIDE, BRUSHES, FILE, Answer, Before, Comparison, State, earlier, nobody
from app.model.subject import explained
from app.panels.networks.survey import NetworkSurvey
from app.session.advisor import Advisor
from app.session.editing import Editing
from app.session.evaluation import Result, compared, evaluated, pinned, unopened
from app.session.history import Reached
from app.session.optimiser import Optimiser
from app.style.colour import ColourScale
from app.style.theme import DARK, Theme
from core.load.explain import Explanation, explain
from core.load.fit import fitted
from core.load.scenario import Case, Scenario
from core.mapping.targets import Target
from core.spec import Progress, SpecError, unheard


def gone(item: Item | None, case: Case) -> bool:
    """Return whether a task is none of the case's any more; all else stays as long as the network does."""
    return item is not None and item.kind == "task" and item.index >= case.job.tasks


class Session(QObject):
    """Holds the `State`; only its methods replace it."""

    changed = Signal(object, object)
    """(ChangeSet, initiator): emitted once for each change, after `state` holds it."""

    def __init__(
        self,
        scenario: Scenario,
        *,
        against: Scenario | None = None,
        awaited: Callable[[], object] = lambda: None,
        theme: Theme = DARK,
        sync: bool = False,
        heard: Progress = unheard,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = State(scenario, theme=theme, saved=scenario)
        self._loads = Runner("loads", sync=sync, heard=heard, parent=self)
        self._loads.done.connect(self._on_answer)
        self._loads.failed.connect(self._on_refused)
        self._loads.progressed.connect(self._on_progress)
        self._causes = Runner("causes", sync=sync, parent=self)
        self._causes.done.connect(self._on_explanation)
        self._pins = Runner("pinned", sync=sync, parent=self)
        self._pins.done.connect(self._on_pinned)
        self._pins.failed.connect(self._on_pin_refused)
        self._pin_as = Comparison.SIDE
        self._opening: tuple[Scenario, Path | None, Scenario | None] | None = None
        """A file's scenario that is being evaluated, its path, and what stands in that file."""
        self._then: Callable[[Result], None] | None = None
        """What the history makes of the answer that is awaited; None: a choice like any other."""
        self._moves = False
        """Whether what is awaited moves tasks: an edit, or a step in the history."""
        self.editing = Editing(self, sync=sync)
        self.advisor = Advisor(self, sync=sync)
        self.optimiser = Optimiser(self, sync=sync)
        self.survey = NetworkSurvey(sync=sync, parent=self)
        self.comparisons = WorkList("comparisons", sync=sync, parent=self)
        self.pricing = WorkList("prices", sync=sync, parent=self)

        def first(progress: Progress) -> Result:
            result = compared(evaluated(scenario, None, progress), against)
            awaited()
            return result

        self._loads.request(first)

    @property
    def state(self) -> State:
        """Return what is shown now."""
        return self._state

    @property
    def moving(self) -> bool:
        """Return whether tasks are being moved: an edit or a step in the history that was too much to be played."""
        return self._moves and self._loads.busy

    @property
    def choosing(self) -> bool:
        """Return whether something else is on its way: a choice, or a file."""
        return not self._moves and self._loads.busy

    def choose(self, choice: str, spec: Any, initiator: object = None) -> None:
        """Replace one of the four choices; the answer follows through `changed`."""
        self.propose(self._state.wanted.with_choice(choice, spec), initiator)

    def propose(self, scenario: Scenario, initiator: object = None, name: str = "") -> None:
        """Ask for another scenario. What is on screen stays until it is answered, or for good if it is refused.

        `name` is what the history calls it; empty: what differs.
        """
        if scenario == self._state.wanted and self._state.error is None:
            return
        self.ask(scenario, name=name, initiator=initiator)

    def fit(self, scenario: Scenario, initiator: object = None) -> None:
        """Ask for a scenario, changing whatever does not go with its network (`fitted`)."""
        self.ask(scenario, fitting=True, initiator=initiator)

    def ask(
        self,
        scenario: Scenario,
        then: Callable[[Result], None] | None = None,
        *,
        name: str = "",
        fitting: bool = False,
        moves: bool = False,
        initiator: object = None,
    ) -> None:
        """Evaluate a scenario; `then` says what its answer is to the history, if not a choice called `name`.

        `moves` says that it moves tasks only: to begin something else meanwhile must not drop it (`moving`).
        """
        self.editing.leave()
        self._opening = None
        scenario, old = self.noted(scenario), self._state.answer
        self._moves = moves
        self._then = then or (lambda result: self.editing.record(old, result.answer, name))
        self.show(ChangeSet.STATUS | ChangeSet.FILE, initiator, wanted=scenario)
        before = old.case if old is not None else None
        self._loads.request(lambda progress: evaluated(fitted(scenario) if fitting else scenario, before, progress))

    def annotate(self, scenario: Scenario, initiator: object = None) -> None:
        """Take over another note or other snapshots: what needs no evaluation."""
        wanted = replace(self._state.wanted, note=scenario.note, snapshots=scenario.snapshots)
        if wanted != self._state.wanted:
            self.show(ChangeSet.FILE, initiator, wanted=wanted)

    def open(self, scenario: Scenario, path: Path | None, *, unsaved: bool = False) -> None:
        """Show another scenario, as read from `path`; if it is refused, everything stays as it was.

        `unsaved` says that it is not what stands in that file.
        """
        self.editing.leave()
        self._opening, self._moves = (scenario, path, None if unsaved else scenario), False
        before = self._state.answer.case if self._state.answer is not None else None
        self._loads.request(lambda progress: evaluated(scenario, before, progress))

    def opened(self, path: Path) -> None:
        """Note that what is wanted came from `path`."""
        self.show(ChangeSet.FILE, path=path, saved=self._state.wanted)

    def saved(self, path: Path) -> None:
        """Note that what is wanted now stands in `path`."""
        written = replace(self._state.wanted, folder=path.parent)
        self.show(ChangeSet.FILE, path=path, wanted=written, saved=written)

    def refuse(self, error: SpecError) -> None:
        """Show why something the user asked for cannot be; nothing else changes."""
        self.show(ChangeSet.STATUS, error=error)

    def forgive(self) -> None:
        """Drop a message about a file or an edit, because a later command went well."""
        if self._state.error is not None and self._state.error.field in ASIDE:
            self.show(ChangeSet.STATUS, error=None)

    def cancel(self) -> None:
        """Stop a long evaluation and go back to the last good scenario."""
        self._loads.cancel()
        self._opening = self._then = None
        self.show(ChangeSet.STATUS | ChangeSet.FILE, busy=None, error=None, wanted=self._good())

    def settle(self) -> None:
        """Drop a choice that is not answered yet, or was refused: what is edited is what is on screen."""
        if self._loads.busy or self._state.error is not None:
            self.cancel()

    def _good(self) -> Scenario:
        state = self._state
        return state.wanted if state.answer is None else self.noted(state.answer.case.scenario)

    def noted(self, scenario: Scenario) -> Scenario:
        """Return a scenario with note, folder and snapshots as they are now: these belong to the file."""
        kept = self._state.wanted
        noted = replace(scenario, note=kept.note, folder=kept.folder, snapshots=kept.snapshots)
        return scenario if noted == scenario else noted

    def select(self, item: Item | None, initiator: object = None) -> None:
        """Choose one thing, or nothing; its load, or that of its hottest link, is then taken apart."""
        if item == self._state.selection:
            return
        self._causes.cancel()
        self.show(ChangeSet.SELECTION | ChangeSet.EXPLANATION, initiator, selection=item, explanation=None)
        self.explain()

    def hover(self, item: Item | None, initiator: object = None) -> None:
        """Point at one thing, or at nothing."""
        if item != self._state.hover:
            self.show(ChangeSet.HOVER, initiator, hover=item)

    def mark(self, tasks: ArrayLike, initiator: object = None) -> None:
        """Mark tasks, which the next edit is then about; none: nothing is marked."""
        marked = np.unique(np.asarray(tasks, np.int32))
        if not np.array_equal(marked, self._state.marked):
            self.show(ChangeSet.MARKED, initiator, marked=marked)

    def set_tool(self, tool: str) -> None:
        """Take up another pointer tool; a gesture of the pointer under way is given up."""
        if tool != self._state.tool:
            if not self.editing.lasting:
                self.editing.abandon()
            self.show(ChangeSet.TOOL, tool=tool, hint="")

    def hint(self, text: str) -> None:
        """Say beside the pointer why a press does nothing, and what would; empty: nothing is to be said."""
        if text != self._state.hint:
            self.show(ChangeSet.TOOL, hint=text)

    def set_brush(self, brush: int) -> None:
        """Paint with a square brush of so many tasks a side."""
        brush = min(max(brush, BRUSHES[0]), BRUSHES[-1])
        if brush != self._state.brush:
            self.show(ChangeSet.TOOL, brush=brush)

    def set_target(self, target: Target | None) -> None:
        """Paint tasks onto this place of the machine."""
        if target != self._state.target:
            self.show(ChangeSet.TOOL, target=target)

    def set_level(self, level: int | None) -> None:
        """Let tools take places of a level of the network, as in `Target`; None: what fits."""
        if level != self._state.level:
            self.show(ChangeSet.TOOL, level=level)

    def set_aim(self, aim: Target | None) -> None:
        """Light the place where what is being dragged would go."""
        if aim != self._state.aim:
            self.show(ChangeSet.TOOL, aim=aim)

    def fix(self, tasks: ArrayLike, initiator: object = None) -> None:
        """Let searches leave these tasks where they are, and no others; none: every task may move."""
        fixed = np.unique(np.asarray(tasks, np.int32))
        if not np.array_equal(fixed, self._state.fixed):
            self.show(ChangeSet.SEARCH, initiator, fixed=fixed)

    def wish(self, wish: Wish, initiator: object = None) -> None:
        """Let the next search be another."""
        if wish != self._state.wish:
            self.show(ChangeSet.SEARCH, initiator, wish=wish)

    def hold(self, tasks: ArrayLike, source: Target | None = None) -> None:
        """Show what a gesture has picked up: tasks, or all that is on a place."""
        held = np.unique(np.asarray(tasks, np.int32))
        if source != self._state.source or not np.array_equal(held, self._state.held):
            self.show(ChangeSet.TOOL, held=held, source=source)

    def pin(self, answer: Answer | None, comparison: Comparison = Comparison.SIDE) -> None:
        """Pin a state as A and compare what is on screen with it; None: compare with nothing."""
        comparison = comparison if answer is not None else Comparison.OFF
        self.show(ChangeSet.COMPARISON | ChangeSet.STYLE, pinned=answer, comparison=comparison)

    def pin_scenario(self, scenario: Scenario, comparison: Comparison = Comparison.SIDE) -> None:
        """Evaluate another scenario in the background and pin it as A; what is on screen stays B."""
        shown = self._state.answer
        self._pin_as = comparison
        self._pins.request(lambda progress: pinned(scenario, shown, progress))

    def swap_pinned(self) -> None:
        """Go to A, and pin what is on screen in its place."""
        a, shown = self._state.pinned, self._state.answer
        if a is None or shown is None:
            return
        comparison = self._state.comparison

        def arrive(result: Result) -> None:
            self.editing.record(shown, result.answer, "Swap A and B")
            self.show(ChangeSet.COMPARISON | ChangeSet.STYLE, pinned=shown, comparison=comparison)

        self.settle()
        self.ask(self.noted(a.case.scenario), arrive)

    def compare(self, comparison: Comparison) -> None:
        """Compare in another way, or not; A stays pinned."""
        if self._state.pinned is not None and comparison is not self._state.comparison:
            self.show(ChangeSet.COMPARISON | ChangeSet.STYLE, comparison=comparison)

    def set_scale(self, scale: ColourScale, initiator: object = None) -> None:
        """Change how loads become colours."""
        if scale != self._state.scale:
            self.show(ChangeSet.STYLE, initiator, scale=scale)

    def set_theme(self, theme: Theme) -> None:
        """Change the look."""
        if theme != self._state.theme:
            self.show(ChangeSet.STYLE, theme=theme)

    def set_hottest_percent(self, percent: float, initiator: object = None) -> None:
        """Show only the hottest so many percent of the links in the machine view."""
        percent = min(max(percent, 0.01), 100.0)
        if percent != self._state.hottest_percent:
            self.show(ChangeSet.STYLE, initiator, hottest_percent=percent)

    def wait_idle(self) -> None:
        """Block until nothing is being computed (for tests and for closing)."""
        self._loads.wait()
        self._causes.wait()
        self._pins.wait()
        self.editing.wait()
        self.advisor.wait()
        self.survey.wait()
        self.comparisons.wait()
        self.pricing.wait()

    def close(self) -> None:
        """Stop all work and its threads."""
        self._loads.close()
        self._causes.close()
        self._pins.close()
        self.editing.close()
        self.advisor.close()
        self.optimiser.close()
        self.survey.close()
        self.comparisons.close()
        self.pricing.close()

    def explain(self) -> None:
        """Find out who causes the load of what is chosen, or of its hottest link."""
        report, link = self._state.report, explained(self._state.selection, self._state.report)
        if report is not None and link is not None:
            self._causes.request(lambda progress: explain(report, link, progress))

    def show_edit(self, answer: Answer, before: Before, changes: ChangeSet, **values: Any) -> None:
        """Show what an edit of the mapping gives, and what else changes with it."""
        self._causes.cancel()
        wanted = self.noted(answer.case.scenario)
        self.show(SHOWN | changes, answer=answer, wanted=wanted, before=before, explanation=None, **values)

    def _on_answer(self, result: Result) -> None:
        opening, then = self._opening is not None, self._then
        old, new = self._state.answer, result.answer
        if self._opening is not None:
            (scenario, path, saved), self._opening = self._opening, None
            self.show(ChangeSet.FILE, wanted=scenario, path=path, saved=saved)
            self.editing.history.start(Reached.of(new.report))
        elif then is not None:
            then(result)
        else:
            self.editing.record(old, new)
        self._then = None
        self.editing.take(result)
        before = new.against if old is None else None if opening else earlier(old.report, new.case.scenario)
        self._show_answer(new, before)
        self.explain()

    def _show_answer(self, new: Answer, before: Before | None) -> None:
        old, state = self._state.answer, self._state
        changes = SHOWN | ChangeSet.HISTORY
        selection, hover, marked = state.selection, state.hover, state.marked
        values: dict[str, Any] = self.editing.names()
        if old is None or old.case.network is not new.case.network:
            # What was chosen does not exist in the new machine.
            changes |= ChangeSet.TOPOLOGY | ChangeSet.MAPPING | ChangeSet.SELECTION | ChangeSet.HOVER | ChangeSet.STYLE
            changes |= ChangeSet.TOOL
            selection = hover = values["target"] = values["level"] = None
        elif old.case.mapping is not new.case.mapping or old.case.job is not new.case.job:
            changes |= ChangeSet.MAPPING
            if gone(selection, new.case):
                changes, selection = changes | ChangeSet.SELECTION, None
            if gone(hover, new.case):
                changes, hover = changes | ChangeSet.HOVER, None
        else:
            changes &= ~ChangeSet.MAPPING
        if old is not None and old.case.job is not new.case.job and (marked.size or state.fixed.size):
            # Tasks of another job: other things under the same numbers.
            changes, marked = changes | ChangeSet.MARKED | ChangeSet.SEARCH, nobody()
            values["fixed"] = nobody()
        self.show(
            changes,
            # What was fitted differs from what was asked for.
            wanted=self.noted(new.case.scenario),
            answer=new,
            before=before,
            error=None,
            busy=None,
            hint="",
            selection=selection,
            hover=hover,
            marked=marked,
            explanation=None,
            **values,
        )

    def _on_refused(self, error: Exception) -> None:
        if not isinstance(error, SpecError):
            raise error
        self._then = None
        if self._opening is not None:
            # The fields on screen are another scenario's: the message must not stand under one of them.
            error, self._opening = unopened(self._opening[1], error), None
        self.show(ChangeSet.STATUS, error=error, busy=None)

    def _on_pinned(self, answer: Answer) -> None:
        self.pin(answer, self._pin_as)

    def _on_pin_refused(self, error: Exception) -> None:
        if not isinstance(error, SpecError):
            raise error
        self.refuse(SpecError(FILE, f"what A should be cannot be evaluated: {error}"))

    def _on_progress(self, fraction: float) -> None:
        self.show(ChangeSet.STATUS, busy=fraction)

    def _on_explanation(self, found: Explanation) -> None:
        if found.link == explained(self._state.selection, self._state.report):
            self.show(ChangeSet.EXPLANATION, explanation=found)

    def show(self, changes: ChangeSet, initiator: object = None, **values: Any) -> None:
        """Replace values of the state and tell so; for the session and its parts alone."""
        self._state = replace(self._state, **values)
        self.changed.emit(changes, initiator)
