"""Editing the mapping by hand, and undoing anything: gestures, the live loads behind them, and the history.

A gesture lasts from press to release. Meanwhile each edit is applied to the live loads and shown at once; at the end
the gesture becomes one step of the history; if it is cancelled, the state before it is restored.

An edit that is too large for live loads, or whose routing depends on all flows together, is evaluated in full off the
GUI thread: one at a time, always the latest, each shown as soon as it is known.

A search is a gesture too, which lasts while the user does other things. What it finds is evaluated elsewhere and only
shown here. If the user begins something else, the search's result so far is committed as one step.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from app.background.latest_wins import Runner
from app.model.changes import EVALUATION, ChangeSet
from app.model.computation import Computation, Kind, computing
from app.model.scenario_diff import change_between
from app.model.scenes import Scene
from app.model.state import (
    LAST_CHANGE,
    Baseline,
    Draft,
    Evaluation,
    Performance,
    SearchPhase,
    StandIn,
    State,
    baseline_of,
)
from app.session.drafts import with_draft
from app.session.evaluation import MAX_UPDATES, EditableEvaluation, Opened, updated_evaluation
from app.session.evaluator import Evaluator, OnEvaluated
from app.session.gesture import Gesture, OnGestureEnd, Presented, presented_edit
from app.session.history import ChoiceStep, EditStep, History
from app.session.store import Store
from app.wording import keys
from core.job.job import NO_TASKS
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping.edit import Edit, edit_between, no_edit
from core.mapping.explicit import Explicit
from core.mapping.mapping import Mapping, MappingSpec

NO_GESTURE: dict[str, Any] = {
    "gesture": "",
    "drop_target": None,
    "grabbed": NO_TASKS,
    "grabbed_place": None,
    "lagging": False,
    "phase": SearchPhase.NONE,
    "found": False,
    "searched_from": None,
}
"""Values of the state while there is no gesture."""
MOVING = "The last move is still being evaluated."
UNOPENED = "First correct the error shown in red in Build: until then another scenario is on screen."
CHOOSING = f"The previous choice is still being evaluated. {keys.CANCEL_EVALUATION} cancels it."


class Editing:
    """The part of a session that moves tasks and travels in the history."""

    def __init__(self, store: Store, evaluator: Evaluator, first: EditableEvaluation) -> None:
        self._store, self._evaluator = store, evaluator
        self._runner = Runner(
            "edits", self._on_evaluated, progressed=self._on_progressed, sync=store.sync, prompt=True, parent=store
        )
        self._live = first.live
        self._gesture: Gesture | None = None
        self._goal = 0
        """Steps of the history that will be done once the pending evaluation has arrived."""
        self.history = History()
        self.history.start(Performance.of(first.evaluation.report))

    @property
    def live(self) -> LiveLoads:
        """Return the loads that edits are played on; only reading them is allowed."""
        return self._live

    @property
    def active(self) -> bool:
        """Return whether a gesture is under way."""
        return self._gesture is not None

    @property
    def gesture_edit(self) -> Edit:
        """Return the edit of the gesture under way."""
        return self._gesture.edit if self._gesture is not None else no_edit()

    @property
    def obstacle(self) -> str:
        """Return why no gesture can begin now; empty: one can."""
        # To begin would cancel the pending evaluation.
        if self._evaluator.moving or self._evaluator.choosing:
            return MOVING if self._evaluator.moving else CHOOSING
        return UNOPENED if self._store.state.file.stand_in is StandIn.OTHER else ""

    @property
    def persistent(self) -> bool:
        """Return whether the gesture under way lasts beyond the pointer."""
        return self._gesture is not None and self._gesture.on_end is not None

    def begin(self, name: str, on_end: OnGestureEnd | None = None, **shown: Any) -> bool:
        """Begin a gesture; return False, and report why, if there is an `obstacle`. A refused choice is dropped.

        With `on_end` it lasts until it is committed or cancelled, whatever the pointer does, and is changed by
        `show_evaluated` only. `shown` are values of the state to set with it.
        """
        self.finish_for_other()
        self._store.hint(self.obstacle)
        if self.obstacle:
            return False
        self._evaluator.discard_pending()
        nothing = no_edit()
        self._gesture = Gesture(name, self._store.state, nothing, nothing, on_end)
        base = self._store.state.evaluation.case.scenario if on_end is not None else None
        self._store.show(ChangeSet.TOOL, gesture=name, searched_from=base, **shown)
        return True

    def replace_edit(self, edit: Edit, name: str = "", **shown: Any) -> None:
        """Replace the gesture's edit of the mapping it began with, and rename it.

        `shown` are values of the state to set with it, such as the drop target: one update costs less than two.
        """
        gesture = self._gesture
        if gesture is not None and not self.persistent:
            gesture.edit = edit
            self._play(gesture, name, **shown)

    def show_evaluated(self, edit: Edit, result: EditableEvaluation, name: str) -> None:
        """Replace the gesture's edit by one, however large, that was evaluated elsewhere."""
        gesture = self._gesture
        if gesture is None:
            return
        gesture.edit, gesture.name = edit, name
        self._present(gesture, Presented(edit, result))

    def append_edit(self, edit: Edit, name: str = "") -> None:
        """Append an edit of the current mapping to the gesture, and rename it."""
        gesture = self._gesture
        if gesture is not None and not self.persistent:
            gesture.edit = gesture.edit.then(edit)
            self._play(gesture, name)

    def commit(self, name: str = "") -> None:
        """End the gesture as one step of the history, unless it moved nothing."""
        gesture = self._gesture
        if gesture is None:
            return
        self._gesture, gesture.name = None, name or gesture.name
        self._runner.cancel()
        evaluation = self._store.state.evaluation
        kept = bool(gesture.edit.count)
        if not kept:
            self._put_back(gesture)
            self._store.end_computation(Kind.GESTURE)
        elif gesture.stale:
            self._evaluate(gesture)
        else:
            self._live = gesture.presented.result.live if gesture.presented is not None else self._live
            self._push(gesture, evaluation)
            self._store.show(ChangeSet.TOOL | ChangeSet.HISTORY, **NO_GESTURE, **self.names())
            self._store.end_computation(Kind.GESTURE)
            self._evaluator.explain()
        if gesture.on_end is not None:
            gesture.on_end(kept)

    def finish_for_other(self) -> None:
        """End the gesture because something else begins: commit a search's result, cancel any other."""
        if self.persistent:
            self.commit()
        else:
            self.cancel()

    def cancel(self) -> None:
        """End the gesture and restore the state before it."""
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            self._runner.cancel()
            self._put_back(gesture)
            self._store.end_computation(Kind.GESTURE)
            if gesture.on_end is not None:
                gesture.on_end(False)

    def apply(self, edit: Edit, name: str) -> None:
        """Apply an edit at once, as one step."""
        if not edit.count or not self.begin(name) or self._gesture is None:
            return
        self._gesture.edit = edit
        if self._playable(edit):
            self._play(self._gesture, name)
        self.commit()

    def undo(self) -> None:
        """Undo the gesture under way, a choice that is pending or was refused, or else the last step.

        A search that has found nothing yet is ended.
        """
        if self.active and (not self.persistent or self.gesture_edit.count):
            self.cancel()
        elif not self.withdraw():
            self.travel(self._place - 1)

    def withdraw(self) -> bool:
        """Take back the last choice that is pending or was refused, and no more; return whether there was one."""
        state = self._store.state
        *older, last = state.drafts or (None,)
        if last is None and not state.refuses_text and not self._evaluator.choosing:
            return False
        if last is None or not older:
            self._evaluator.cancel()
        else:
            self._store.show(ChangeSet.HISTORY, drafts=tuple(older))
            self._request(last.before)
        return True

    def redo(self) -> None:
        """Redo the step undone last."""
        self.travel(self._place + 1)

    def travel(self, done: int) -> None:
        """Go to the state after so many steps of the history."""
        self.cancel()
        evaluation = self._store.state.evaluation
        pending = self._evaluator.moving and done == self._goal
        if pending or not 0 <= done <= len(self.history.steps):
            return
        self._evaluator.discard_pending()
        if done == self.history.done:
            return  # the pending evaluation started from this state
        scenario, slots = self.history.at(done, evaluation.case)
        if slots is not None and evaluation.case.scenario.with_choice("mapping", scenario.mapping) == scenario:
            mapping = Mapping(slots, evaluation.case.mapping.slots_per_node)
            step = edit_between(evaluation.case.mapping, mapping)
            if self._playable(step):
                shown = self._played(step, evaluation, scenario.mapping)
                self._reach(done)
                self._evaluator.show_edit(
                    shown, baseline_of(evaluation.report, scenario), ChangeSet.HISTORY, **self.names()
                )
                self._evaluator.explain()
                return
        self._goal = done
        self.ask(scenario, lambda result: self._reach(done), moves=True)

    @property
    def _place(self) -> int:
        """Steps of the history done, counting the pending evaluation."""
        return self._goal if self._evaluator.moving else self.history.done

    def ask(
        self,
        scenario: Scenario,
        then: OnEvaluated | None = None,
        *,
        name: str = "",
        fitting: bool = False,
        moves: bool = False,
    ) -> None:
        """Request another scenario; `then` records it in the history, by default as a choice called `name`.

        `fitting` and `moves` are the evaluator's.
        """
        self.finish_for_other()
        if not moves:
            drafts = with_draft(self._store.state, scenario, name)
            self._store.show(ChangeSet.HISTORY, drafts=drafts)
        self._request(self._store.noted(scenario), then, name=name, fitting=fitting, moves=moves)

    def _request(
        self,
        scenario: Scenario,
        then: OnEvaluated | None = None,
        *,
        name: str = "",
        fitting: bool = False,
        moves: bool = False,
    ) -> None:
        old = self._store.state.evaluation
        then = then or (lambda result: self.record(old, result.evaluation, name))
        self._store.show(ChangeSet.STATUS | ChangeSet.FILE, wanted=scenario)
        self._evaluator.request(scenario, partial(self._arrive, then), name=name, fitting=fitting, moves=moves)

    def open(self, scenario: Scenario, path: Path | None, saved: Scenario | None, then: Callable[[], None]) -> None:
        """Show a scenario read from a file with the content `saved`, then call `then`: see `show_opened`."""
        self.finish_for_other()

        def arrive(opened: Opened) -> None:
            self.show_opened(scenario, path, saved, opened)
            then()

        name = path.name if path is not None else scenario.note.partition("\n")[0] or "another scenario"
        self._evaluator.open(scenario, arrive, name)

    def show_opened(self, scenario: Scenario, path: Path | None, saved: Scenario | None, opened: Opened) -> None:
        """Show a scenario read from a file with the content `saved`; the history starts anew.

        If it cannot be evaluated, the forms show it with its error, and the screen what stands in for it.
        """
        self._store.show(ChangeSet.FILE, wanted=scenario, path=path, saved=saved, left=None, origin="")
        result, error = opened.result, opened.error
        shown = result.evaluation if result is not None else self._store.state.evaluation
        self.history.start(Performance.of(shown.report))
        if result is not None:
            self._take(result, None)
        if error is None:
            return
        opening = Draft(f"Open {path.name if path is not None else 'the scenario'}", "", self._store.state.wanted)
        self._store.show(
            ChangeSet.STATUS | ChangeSet.FILE | ChangeSet.HISTORY,
            wanted=scenario,
            error=error,
            refusal=error,
            computations=self._evaluator.other_computations,
            drafts=(opening,),
            stand_in=StandIn.OTHER if result is None else StandIn.FITTED,
            **self.names(),
        )

    def _detached(self) -> dict[str, Any]:
        """Return the values of the state for a scene, which has no file: saving would overwrite the user's work."""
        file, tour = self._store.state.file, self._store.state.tour.tour
        left = file.left if file.origin else file.path
        return {"path": None, "left": left, "origin": (tour.title if tour is not None else "") or "Tour"}

    def give_up(self) -> None:
        """Note that what is on screen need not be saved, since another work is about to replace it."""
        self._store.show(ChangeSet.FILE, looked_at=self._store.state.wanted)

    def show_scene(
        self, shown: Scene, result: EditableEvaluation, changes: ChangeSet, name: str, **values: Any
    ) -> None:
        """Show a scene that was evaluated elsewhere, with all that it sets, as one step of the history called `name`.

        Without a name the history starts anew. The scene has no file.
        """
        self.finish_for_other()
        self._evaluator.discard_pending()
        old, scenario = self._store.state.evaluation, result.evaluation.case.scenario
        # On the stage, files named by a scene are looked for beside the tour.
        wanted = self._store.noted(scenario) if name else scenario
        looked_at = wanted if name and not self._store.state.dirty else None
        self._store.show(ChangeSet.FILE, wanted=wanted, looked_at=looked_at, **self._detached())
        if name:
            self.record(old, result.evaluation, name, shown)
        else:
            self.history.start(Performance.of(result.evaluation.report))
        self._gesture, self._live = None, result.live
        self._evaluator.show(result.evaluation, None, changes, **values, **self.names())

    def resume(self, state: State, history: History, live: LiveLoads) -> None:
        """Restore a state with its history and its live loads."""
        self._evaluator.discard_pending()
        self.history, self._live, self._goal = history, live, history.done
        self._store.reset(state)
        if live.mapping is not state.evaluation.case.mapping:
            self._evaluator.follow(state.evaluation, self._take_live)

    def _take_live(self, result: EditableEvaluation) -> None:
        self._live = result.live

    def record(self, old: Evaluation, new: Evaluation, name: str = "", scene: Scene | None = None) -> None:
        """Record a choice that was evaluated, or a scene."""
        before, after = old.case.scenario, new.case.scenario
        what, topic = change_between(before, after)
        if topic:
            reached, topic = Performance.of(new.report), "" if name else topic
            self.history.push(ChoiceStep(name or what, reached, before, after, topic, time.monotonic(), scene))

    def names(self) -> dict[str, Any]:
        """Return the names of what can be undone and redone, as values of the state."""
        return {"undo_name": self.history.undo_name, "redo_name": self.history.redo_name}

    def _play(self, gesture: Gesture, name: str, **shown: Any) -> None:
        """Apply the gesture's edit to the live loads, later if that takes too long; `shown` is set with it."""
        gesture.name = name or gesture.name
        step, presented = gesture.played.inverse().then(gesture.edit), gesture.presented
        base, playable = gesture.state.evaluation, self._playable(step)
        if playable:
            gesture.played, gesture.presented = gesture.edit, None
        shown.update(gesture=gesture.name, lagging=gesture.stale)
        if playable and (step.count or presented is not None):
            played = self._played(step, self._store.state.evaluation)
            self._show_edit(gesture, played if gesture.edit.count else base, **shown)
        else:
            self._store.set(ChangeSet.TOOL, **shown)
        self._follow(gesture)
        self._end_if_shown(gesture)

    def _end_if_shown(self, gesture: Gesture) -> None:
        if not gesture.stale:
            self._store.end_computation(Kind.GESTURE)

    def _on_progressed(self, fraction: float) -> None:
        gesture = self._gesture
        if gesture is not None and gesture.stale:
            self._store.show_computation(Computation(Kind.GESTURE, computing(gesture.name), fraction))

    def _follow(self, gesture: Gesture) -> None:
        """Evaluate an edit not shown yet, unless one is being evaluated: the latest then follows."""
        base = gesture.state.evaluation
        if gesture.stale and not self._runner.busy:
            self._runner.request(partial(presented_edit, gesture.edit, base))

    def _present(self, gesture: Gesture, presented: Presented) -> None:
        gesture.presented = presented
        found = self.persistent and presented.edit.count > 0
        shown = {"gesture": gesture.name, "lagging": gesture.stale, "found": found}
        self._show_edit(gesture, presented.result.evaluation, **shown)
        self._end_if_shown(gesture)

    def _show_edit(self, gesture: Gesture, evaluation: Evaluation, /, **shown: Any) -> None:
        before = Baseline(Performance.of(gesture.state.evaluation.report), LAST_CHANGE)
        self._evaluator.show_edit(evaluation, before, ChangeSet.TOOL, **shown)

    def _on_evaluated(self, presented: Presented) -> None:
        gesture = self._gesture
        # The live loads may have overtaken it.
        if gesture is not None and gesture.stale:
            self._present(gesture, presented)
            self._follow(gesture)

    def _playable(self, step: Edit) -> bool:
        return self._live.cost(step) <= MAX_UPDATES

    def _played(self, step: Edit, evaluation: Evaluation, strategy: MappingSpec | None = None) -> Evaluation:
        started = time.perf_counter()
        self._live.apply(step)
        mapping = strategy or Explicit.of(self._live.mapping)
        report = self._live.report(replace(evaluation.case.scenario, mapping=mapping))
        return updated_evaluation(evaluation, report, time.perf_counter() - started)

    def _put_back(self, gesture: Gesture) -> None:
        self._live.apply(gesture.played.inverse())
        old = gesture.state
        self._store.show(
            EVALUATION | ChangeSet.TOOL,
            evaluation=old.evaluation,
            # Its note and snapshots may have changed meanwhile.
            wanted=self._store.noted(old.wanted),
            baseline=old.baseline,
            explanation=None,
            **NO_GESTURE,
        )
        self._evaluator.explain()

    def _evaluate(self, gesture: Gesture) -> None:
        """Evaluate a committed gesture that was too large for the live loads."""
        base = gesture.state.evaluation
        mapping = gesture.edit.applied(base.case.mapping)
        self._put_back(gesture)
        scenario = replace(base.case.scenario, mapping=Explicit.of(mapping))
        self._goal = self.history.done + 1
        self.ask(scenario, lambda result: self._push(gesture, result.evaluation), name=gesture.name, moves=True)

    def _push(self, gesture: Gesture, evaluation: Evaluation) -> None:
        base = gesture.state.evaluation
        self.history.push(EditStep.over(gesture.name, Performance.of(evaluation.report), gesture.edit, base.case))

    def _reach(self, done: int) -> None:
        if self.history.crosses_scene(done):
            # The tour may have changed since.
            scene, tour = self.history.scene_at(done), self._store.state.tour.tour
            scenes = tour.scenes if tour is not None else ()
            shown = scenes.index(scene) if scene in scenes else None
            attached = {"path": self._store.state.file.left, "left": None, "origin": ""}
            file = attached if scene is None else self._detached()
            self._store.set(ChangeSet.TOUR | ChangeSet.FILE, scene=shown, **file)
        self.history.done = done

    def _arrive(self, then: OnEvaluated, result: EditableEvaluation) -> None:
        """Show an evaluated request; the first one after a file that could not be evaluated begins the history."""
        old = self._store.state.evaluation
        if self._store.state.file.stand_in is not None:
            self.history.start(Performance.of(result.evaluation.report))
            self._take(result, None)
        else:
            then(result)
            self._take(result, baseline_of(old.report, result.evaluation.case.scenario))

    def _take(self, result: EditableEvaluation, before: Baseline | None) -> None:
        """Show an evaluation, and edit it from now on."""
        self._gesture = None
        self._live = result.live
        self._evaluator.show(result.evaluation, before, **self.names())
