"""Editing the mapping by hand, and undo: gestures, live loads, and the history.

A gesture lasts from press to release. Each edit in between is applied to the live loads and shown at once. At the end,
the gesture becomes one step of the history, or the previous state is restored if it is cancelled.

An edit that is too large for live loads, or whose routing depends on all flows together, is evaluated in full off the
GUI thread: one edit at a time, always the latest, and shown as soon as it is known.

A search is also a gesture, which lasts while the user does other things. Its results are evaluated elsewhere and only
shown here. If the user starts another edit, the best mapping so far is committed as one step.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from app.background.latest_wins import Runner
from app.model.computation import Computation, Kind, computing
from app.model.evaluation import Evaluation
from app.model.history import Adaptation, ChoiceStep, EditStep, History
from app.model.performance import LAST_CHANGE, Baseline, Performance, baseline_of
from app.model.scenario_diff import change_between
from app.model.scenes import Scene
from app.model.state import State
from app.model.state_groups import Draft, SearchPhase, StandIn
from app.session.evaluation import MAX_UPDATES, EditableEvaluation, Opened, updated_evaluation
from app.session.evaluator import Evaluator
from app.session.gesture import Gesture, OnGestureEnd, Presented, presented_edit
from app.session.network_choice import drawn_mapping
from app.session.steady_scale import SteadyScale
from app.session.store import Store
from app.wording import keys
from core.load.live import LiveLoads
from core.load.scenario import Scenario
from core.mapping.edit import Edit, edit_between, no_edit
from core.mapping.explicit import Explicit
from core.mapping.mapping import MappingSpec
from core.mapping.targets import Target

Recorded = Callable[[EditableEvaluation], State]
"""Returns the state with an evaluated request recorded in the history."""
MOVING = "The last move is still being evaluated."
UNOPENED = "Correct the error shown in red in Build first; until then, another scenario is on screen."
CHOOSING = f"The previous choice is still being evaluated. {keys.CANCEL_EVALUATION} cancels it."


class Editing:
    """The part of a session that moves tasks and navigates the history."""

    def __init__(self, store: Store, evaluator: Evaluator, first: EditableEvaluation) -> None:
        self._store, self._evaluator = store, evaluator
        self._runner = Runner(
            "edits", self._on_evaluated, progressed=self._on_progressed, sync=store.sync, prompt=True, parent=store
        )
        self._scale = SteadyScale(store)
        self._live = first.live
        self._gesture: Gesture | None = None
        self._goal = 0
        """Number of history steps that will be done once the pending evaluation is ready."""

    @property
    def live(self) -> LiveLoads:
        """Return the live loads of the edits, for reading only."""
        return self._live

    @property
    def active(self) -> bool:
        """Return whether a gesture is active."""
        return self._gesture is not None

    @property
    def gesture_edit(self) -> Edit:
        """Return the edit of the active gesture."""
        return self._gesture.edit if self._gesture is not None else no_edit()

    @property
    def obstacle(self) -> str:
        """Return why no gesture can begin now; empty if one can."""
        # A new gesture would cancel the pending evaluation.
        if self._evaluator.moving or self._evaluator.choosing:
            return MOVING if self._evaluator.moving else CHOOSING
        return UNOPENED if self._store.state.file.stand_in is StandIn.OTHER else ""

    @property
    def persistent(self) -> bool:
        """Return whether the active gesture is a search, which outlasts gestures of the pointer."""
        return self._gesture is not None and self._gesture.on_end is not None

    def begin(self, name: str, on_end: OnGestureEnd | None = None) -> bool:
        """Begin a gesture; return False, and report why, if there is an `obstacle`. A refused choice is dropped.

        With `on_end` it is a search, which lasts until it is committed or cancelled, independently of the pointer, and
        is changed only by `show_evaluated`.
        """
        self.finish_for_other()
        self._store.hint(self.obstacle)
        if self.obstacle:
            return False
        self._evaluator.discard_pending()
        nothing = no_edit()
        self._gesture = Gesture(name, self._store.state, nothing, nothing, on_end)
        state = self._store.state
        search = state.search
        if on_end is not None:
            base = state.evaluation.case.scenario
            search = replace(search, searched_from=base, phase=SearchPhase.RUNNING)
        edit = replace(state.edit, gesture=name)
        self._store.show(replace(state, edit=edit, search=search, style=self._scale.held()))
        return True

    def replace_edit(self, edit: Edit, name: str = "", drop_target: Target | None = None) -> None:
        """Replace the gesture's edit of the mapping it began with, and rename it; highlight the drop target."""
        gesture = self._gesture
        if gesture is not None and not self.persistent:
            gesture.edit = edit
            state = self._store.state
            self._play(gesture, name, replace(state, edit=replace(state.edit, drop_target=drop_target)))

    def show_evaluated(self, edit: Edit, result: EditableEvaluation, name: str) -> None:
        """Replace the gesture's edit by an edit of any size that was evaluated elsewhere."""
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
            self._play(gesture, name, self._store.state)

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
            self._store.show(replace(self._store.state.without_gesture(), history=self._with_edit(gesture, evaluation)))
            self._store.end_computation(Kind.GESTURE)
            self._evaluator.explain()
        if gesture.on_end is not None:
            gesture.on_end(kept)

    def finish_for_other(self) -> None:
        """End the gesture because another one starts: commit the result of a search, cancel other gestures."""
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
            self._play(self._gesture, name, self._store.state)
        self.commit()

    def undo(self) -> None:
        """Undo the active gesture, a pending or refused choice, or else the last step.

        A search without a result ends.
        """
        if self.active and (not self.persistent or self.gesture_edit.count):
            self.cancel()
        elif not self.withdraw():
            self.travel(self._place - 1)

    def withdraw(self) -> bool:
        """Undo only the last pending or refused choice; return whether there was one."""
        state = self._store.state
        *older, last = state.drafts or (None,)
        if last is None and not state.refuses_text and not self._evaluator.choosing:
            return False
        if last is None or not older:
            self._evaluator.cancel()
        else:
            self._store.show(replace(self._store.state, drafts=tuple(older)))
            self._request(last.before)
        return True

    def redo(self) -> None:
        """Redo the last undone step."""
        self.travel(self._place + 1)

    def travel(self, done: int) -> None:
        """Go to the state after `done` steps of the history."""
        self.cancel()
        evaluation, history = self._store.state.evaluation, self._store.state.history
        pending = self._evaluator.moving and done == self._goal
        if pending or not 0 <= done <= len(history.steps):
            return
        self._evaluator.discard_pending()
        if done == history.done:
            return  # the pending evaluation started from this state
        scenario, slots = history.at(done, evaluation.case)
        if slots is not None and evaluation.case.scenario.with_choice("mapping", scenario.mapping) == scenario:
            mapping = evaluation.case.mapping.moved(slots)
            step = edit_between(evaluation.case.mapping, mapping)
            if self._playable(step):
                shown = self._played(step, evaluation, scenario.mapping)
                before = baseline_of(evaluation.report, scenario)
                self._evaluator.show_edit(shown, before, self._reached(done))
                self._evaluator.explain()
                return
        self._goal = done
        self.ask(scenario, lambda result: self._reached(done), moves=True)

    @property
    def _place(self) -> int:
        """Number of history steps done, including the pending evaluation."""
        return self._goal if self._evaluator.moving else self._store.state.history.done

    def ask(
        self,
        scenario: Scenario,
        then: Recorded | None = None,
        *,
        name: str = "",
        fitting: bool = False,
        moves: bool = False,
    ) -> None:
        """Request another scenario; `then` records it in the history, by default as a choice called `name`.

        `fitting` adapts choices that do not fit the network; for `moves` see `Evaluator.request`.
        """
        self.finish_for_other()
        if not moves:
            state = self._store.state
            self._store.show(replace(state, drafts=_with_draft(state, scenario, name)))
        self._request(self._store.noted(scenario), then, name=name, fitting=fitting, moves=moves)

    def _request(
        self,
        scenario: Scenario,
        then: Recorded | None = None,
        *,
        name: str = "",
        fitting: bool = False,
        moves: bool = False,
    ) -> None:
        old, drawn = self._store.state.evaluation, drawn_mapping(self._store.state, scenario) if fitting else None

        def record(result: EditableEvaluation) -> State:
            adaptation = Adaptation(scenario, drawn, result.changes) if result.changes else None
            return self.recorded(old, result.evaluation, name, adaptation=adaptation)

        self._store.show(replace(self._store.state, wanted=scenario))
        arrive = partial(self._arrive, then or record)
        self._evaluator.request(scenario, arrive, name=name, fitting=fitting, drawn=drawn, moves=moves)

    def open(self, scenario: Scenario, path: Path | None, saved: Scenario | None, then: Callable[[], None]) -> None:
        """Show a scenario read from a file with the content `saved`, then call `then`: see `show_opened`."""
        self.finish_for_other()

        def arrive(opened: Opened) -> None:
            self.show_opened(scenario, path, saved, opened)
            then()

        name = path.name if path is not None else scenario.note.partition("\n")[0] or "another scenario"
        self._evaluator.open(scenario, arrive, name)

    def show_opened(self, scenario: Scenario, path: Path | None, saved: Scenario | None, opened: Opened) -> None:
        """Show a scenario read from a file with the content `saved`, with a new history.

        If it cannot be evaluated, the forms show it with its error, and the screen shows a substitute.
        """
        file = replace(self._store.state.file, path=path, saved=saved, left=None, origin="")
        self._store.show_file(file, scenario)
        result, error = opened.result, opened.error
        shown = result.evaluation if result is not None else self._store.state.evaluation
        self._store.show(replace(self._store.state, history=History(Performance.of(shown.report))))
        if result is not None:
            self._take(result, None, self._store.state)
        if error is None:
            return
        state = self._store.state
        opening = Draft(f"Open {path.name if path is not None else 'the scenario'}", "", state.wanted)
        self._store.show(
            replace(
                state,
                wanted=scenario,
                error=error,
                refusal=error,
                computations=self._evaluator.other_computations,
                drafts=(opening,),
                file=replace(state.file, stand_in=StandIn.OTHER if result is None else StandIn.FITTED),
            )
        )

    def give_up(self) -> None:
        """Record that the work on screen need not be saved, since it is about to be replaced."""
        state = self._store.state
        self._store.show_tour(replace(state.tour, looked_at=state.wanted))

    def show_scene(
        self, shown: Scene, result: EditableEvaluation, name: str, setting: Callable[[State], State] | None = None
    ) -> None:
        """Show a scene that was evaluated elsewhere as one step of the history called `name`.

        Without a name, a new history starts. The scene has no file. `setting` returns a state with the scene's settings
        other than its scenario.
        """
        self.finish_for_other()
        self._evaluator.discard_pending()
        state, old, new = self._store.state, self._store.state.evaluation, result.evaluation
        # On the stage, files named by a scene are in the tour's folder.
        wanted = self._store.noted(new.case.scenario) if name else new.case.scenario
        looked_at = wanted if name and not state.dirty else None
        self._store.show(replace(state.detached(), wanted=wanted, tour=replace(state.tour, looked_at=looked_at)))
        state = self.recorded(old, new, name, shown)
        if not name:
            state = replace(state, history=History(Performance.of(new.report)))
        self._gesture, self._live = None, result.live
        self._evaluator.show(new, None, state if setting is None else setting(state))

    def resume(self, state: State, live: LiveLoads) -> None:
        """Restore a state with its live loads."""
        self._evaluator.discard_pending()
        self._live, self._goal = live, state.history.done
        self._store.reset(state)
        if live.mapping is not state.evaluation.case.mapping:
            self._evaluator.follow(state.evaluation, self._take_live)

    def _take_live(self, result: EditableEvaluation) -> None:
        self._live = result.live

    def recorded(
        self,
        old: Evaluation,
        new: Evaluation,
        name: str = "",
        scene: Scene | None = None,
        adaptation: Adaptation | None = None,
    ) -> State:
        """Return the state with a choice that was evaluated, or a scene, as a step of the history."""
        state, before, after = self._store.state, old.case.scenario, new.case.scenario
        what, topic = change_between(before, after)
        if not topic:
            return state
        reached, topic = Performance.of(new.report), "" if name else _main_topic(topic)
        step = ChoiceStep(name or what, reached, before, after, topic, time.monotonic(), scene, adaptation)
        return replace(state, history=state.history.with_step(step))

    def _play(self, gesture: Gesture, name: str, state: State) -> None:
        """Apply the gesture's edit to the live loads, or later if that takes too long; `state` changes with it."""
        gesture.name = name or gesture.name
        step, presented = gesture.played.inverse().then(gesture.edit), gesture.presented
        base, playable = gesture.state.evaluation, self._playable(step)
        if playable:
            gesture.played, gesture.presented = gesture.edit, None
        state = _with_progress(state, gesture)
        if playable and (step.count or presented is not None):
            played = self._played(step, state.evaluation)
            self._show_edit(gesture, played if gesture.edit.count else base, state)
        else:
            self._store.show(state)
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
        """Evaluate an edit that is not shown yet, unless another is being evaluated; the latest then follows."""
        base = gesture.state.evaluation
        if gesture.stale and not self._runner.busy:
            self._runner.request(partial(presented_edit, gesture.edit, base))

    def _present(self, gesture: Gesture, presented: Presented) -> None:
        gesture.presented = presented
        state = _with_progress(self._store.state, gesture)
        undecided = self.persistent and presented.edit.count > 0
        state = replace(state, search=replace(state.search, undecided=undecided))
        self._show_edit(gesture, presented.result.evaluation, state)
        self._end_if_shown(gesture)

    def _show_edit(self, gesture: Gesture, evaluation: Evaluation, state: State) -> None:
        before = Baseline(Performance.of(gesture.state.evaluation.report), LAST_CHANGE)
        self._evaluator.show_edit(evaluation, before, state)

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
            replace(
                self._store.state.without_gesture(),
                evaluation=old.evaluation,
                # The note and snapshots may have changed in the meantime.
                wanted=self._store.noted(old.wanted),
                baseline=old.baseline,
                explanation=None,
            )
        )
        self._evaluator.explain()

    def _evaluate(self, gesture: Gesture) -> None:
        """Evaluate a committed gesture that was too large for the live loads."""
        base = gesture.state.evaluation
        mapping = gesture.edit.applied(base.case.mapping)
        self._put_back(gesture)
        scenario = replace(base.case.scenario, mapping=Explicit.of(mapping))
        self._goal = self._store.state.history.done + 1

        def record(result: EditableEvaluation) -> State:
            return replace(self._store.state, history=self._with_edit(gesture, result.evaluation))

        self.ask(scenario, record, name=gesture.name, moves=True)

    def _with_edit(self, gesture: Gesture, evaluation: Evaluation) -> History:
        reached, base = Performance.of(evaluation.report), gesture.state.evaluation
        return self._store.state.history.with_step(EditStep.over(gesture.name, reached, gesture.edit, base.case))

    def _reached(self, done: int) -> State:
        """Return the state after `done` steps of the history, with the file and the scene shown there."""
        state, history = self._store.state, self._store.state.history
        if history.crosses_scene(done):
            # The tour may have changed in the meantime.
            scene, scenes = history.scene_at(done), state.tour.tour.scenes if state.tour.tour is not None else ()
            state = state.attached() if scene is None else state.detached()
            state = replace(state, tour=replace(state.tour, scene=scenes.index(scene) if scene in scenes else None))
        return replace(state, history=replace(history, done=done))

    def _arrive(self, then: Recorded, result: EditableEvaluation) -> None:
        """Show an evaluated request; the first request after a file that could not be evaluated starts the history."""
        state, old = self._store.state, self._store.state.evaluation
        if state.file.stand_in is not None:
            self._take(result, None, replace(state, history=History(Performance.of(result.evaluation.report))))
        else:
            self._take(result, baseline_of(old.report, result.evaluation.case.scenario), then(result))

    def _take(self, result: EditableEvaluation, before: Baseline | None, state: State) -> None:
        """Show an evaluation, and edit it from now on."""
        self._gesture = None
        self._live = result.live
        self._evaluator.show(result.evaluation, before, state)


def _with_progress(state: State, gesture: Gesture) -> State:
    edit = replace(state.edit, gesture=gesture.name, lagging=gesture.stale)
    return replace(state, edit=edit)


def _main_topic(topic: str) -> str:
    """Return only the topic of the network if it has changed, because other choices were adapted to it."""
    return " ".join(part for part in topic.split() if part.startswith("network")) or topic


def _with_draft(state: State, scenario: Scenario, name: str) -> tuple[Draft, ...]:
    """Return the drafts with another choice, which continues the last draft if its topic is the same."""
    last = state.drafts[-1] if state.drafts else None
    what, topic = change_between(state.wanted, scenario)
    if last is not None and topic and not name and topic == last.topic:
        what, _ = change_between(last.before, scenario)
        return (*state.drafts[:-1], last._replace(name=what))
    return (*state.drafts, Draft(name or what, "" if name else topic, state.wanted)) if topic else state.drafts
