"""The undo history: differences, not copies, in bounded memory.

QUndoStack is not used, because a step whose evaluation is refused must never get onto the stack, a jump over many steps
must be a single evaluation, and memory is bounded in bytes, not in steps.
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple

from app.model.performance import Performance
from app.model.scenario_diff import change_between
from app.model.scenes import Scene
from core.job.job import Tasks
from core.load.fit_changes import FitChange, in_words
from core.load.scenario import Case, Scenario
from core.mapping.edit import Edit
from core.mapping.explicit import Explicit, SlotList
from core.mapping.mapping import Mapping, MappingSpec, Slots

MAX_BYTES = 256 << 20
"""Maximum bytes of steps; beyond it the oldest steps are dropped."""
OVERHEAD = 1000
"""Approximate bytes of a step without its arrays."""
MERGE_SECONDS = 1.0
"""Maximum time between changes of one field that are merged into one step, as when a spin box is held down."""


class HistoryState(NamedTuple):
    """A scenario in the history."""

    scenario: Scenario
    slots: Slots | None
    """Slot of every task; None if only the mapping strategy defines them."""

    @classmethod
    def of(cls, scenario: Scenario) -> "HistoryState":
        """Return the state of a scenario; it has slots if its mapping is explicit."""
        drawn = scenario.mapping
        return cls(scenario, drawn.slots.array if isinstance(drawn, Explicit) else None)

    def moved(self, tasks: Tasks, wanted: Slots) -> "HistoryState":
        """Return the state after tasks have been moved to other slots by hand."""
        assert self.slots is not None
        slots = self.slots.copy()
        slots[tasks] = wanted
        slots.setflags(write=False)
        drawn = self.scenario.mapping
        after = drawn.moved(slots) if isinstance(drawn, Explicit) else Explicit(SlotList(slots))
        return HistoryState(replace(self.scenario, mapping=after), slots)


@dataclass(frozen=True, eq=False)
class EditStep:
    """Tasks moved by hand, in 12 bytes each."""

    name: str
    """Name of the step in the history."""
    reached: Performance
    """The performance after the step."""
    edit: Edit
    drawn_over: MappingSpec | None = None
    """The strategy of the previous mapping, or None if that was also explicit."""
    drawn_from: Explicit | None = None
    """That mapping."""
    scene: ClassVar[None] = None

    @classmethod
    def over(cls, name: str, reached: Performance, edit: Edit, before: Case) -> "EditStep":
        """Return the step of an edit of a case's mapping."""
        strategy = before.scenario.mapping
        if isinstance(strategy, Explicit):
            return cls(name, reached, edit)
        return cls(name, reached, edit, strategy, Explicit.of(before.mapping))

    @property
    def nbytes(self) -> int:
        """Return the approximate memory of the step in bytes."""
        base = self.drawn_from.slots.array.nbytes if self.drawn_from is not None else 0
        return OVERHEAD + self.edit.nbytes + base

    def back(self, after: HistoryState) -> HistoryState:
        """Return the state before the step."""
        before = after.moved(self.edit.tasks, self.edit.old)
        if self.drawn_over is None:
            return before
        return before._replace(scenario=replace(before.scenario, mapping=self.drawn_over))

    def forth(self, before: HistoryState) -> HistoryState:
        """Return the state after the step."""
        if self.drawn_from is not None:
            before = HistoryState.of(replace(before.scenario, mapping=self.drawn_from))
        return before.moved(self.edit.tasks, self.edit.new)


class Adaptation(NamedTuple):
    """The changes of other choices to fit another network."""

    wanted: Scenario
    """The scenario with all choices as requested. The next network is combined with them, so that nothing is lost."""
    drawn: Mapping | None
    """The mapping of its job on the previous network."""
    changes: tuple[FitChange, ...]

    @property
    def sentence(self) -> str:
        """Return the changes as a sentence."""
        return in_words(self.changes)


@dataclass(frozen=True, eq=False)
class ChoiceStep:
    """Another network, job, mapping strategy, routing or faults."""

    name: str
    reached: Performance
    before: Scenario
    after: Scenario
    topic: str
    """The fields concerned; later changes of the same topic continue this step. Empty if none can."""
    time: float
    """Time of the last continuation, in seconds."""
    scene: Scene | None = None
    """The scene of a tour that the step showed."""
    adaptation: Adaptation | None = None
    """The adaptation to the network, until the user accepts it."""

    @property
    def nbytes(self) -> int:
        """Return the approximate memory of the step in bytes."""
        drawn = (self.before.mapping, self.after.mapping)
        kept = self.adaptation.drawn if self.adaptation is not None else None
        former = kept.slots.nbytes if kept is not None else 0
        return OVERHEAD + former + sum(spec.slots.array.nbytes for spec in drawn if isinstance(spec, Explicit))

    def back(self, after: HistoryState) -> HistoryState:
        """Return the state before the step."""
        return HistoryState.of(self.before)

    def forth(self, before: HistoryState) -> HistoryState:
        """Return the state after the step."""
        return HistoryState.of(self.after)

    def continues(self, last: "ChoiceStep") -> bool:
        """Return whether the step continues the last one: same topic, shortly after or while choices are adapted."""
        soon = self.time - last.time <= MERGE_SECONDS or last.adaptation is not None
        return bool(self.topic) and last.topic == self.topic and soon


Step = EditStep | ChoiceStep
"""A user action that can be undone and redone."""


@dataclass(frozen=True, eq=False)
class History:
    """The steps done and undone."""

    first: Performance = field(default_factory=Performance)
    """The performance before the first step."""
    steps: tuple[Step, ...] = ()
    done: int = 0
    """Number of steps that lead to the state on screen."""
    forgotten: int = 0
    """Steps dropped to save memory."""
    memory: int = MAX_BYTES
    """Maximum bytes of steps."""

    def with_step(self, step: Step) -> "History":
        """Return the history with another step done; undone steps are dropped."""
        steps = self.steps[: self.done]
        last = steps[-1] if steps else None
        if isinstance(step, ChoiceStep) and isinstance(last, ChoiceStep) and step.continues(last):
            joined = replace(step, name=change_between(last.before, step.after)[0], before=last.before)
            steps = (*steps[:-1], joined)
        else:
            steps = (*steps, step)
        return replace(self, steps=steps, done=len(steps))._within_memory()

    @property
    def adaptation(self) -> Adaptation | None:
        """Return the adaptation of the last step, or None."""
        last = self.steps[self.done - 1] if self.done else None
        return last.adaptation if isinstance(last, ChoiceStep) else None

    def accepted(self) -> "History":
        """Return the history with the adaptation of the last step accepted as the user's choice."""
        last = self.steps[self.done - 1] if self.done else None
        if not isinstance(last, ChoiceStep):
            return self
        accepted = replace(last, adaptation=None)
        return replace(self, steps=(*self.steps[: self.done - 1], accepted, *self.steps[self.done :]))

    @property
    def undo_name(self) -> str:
        """Return the name of the step that undo would undo; empty for none."""
        return self.steps[self.done - 1].name if self.done else ""

    @property
    def redo_name(self) -> str:
        """Return the name of the step that redo restores; empty for none."""
        return self.steps[self.done].name if self.done < len(self.steps) else ""

    @property
    def states(self) -> list[Performance]:
        """Return the performance at the beginning and after each step."""
        return [self.first, *(step.reached for step in self.steps)]

    def crosses_scene(self, done: int) -> bool:
        """Return whether any step between the current step and step `done` showed a scene of a tour."""
        first, last = sorted((self.done, done))
        return any(step.scene for step in self.steps[first:last])

    def scene_at(self, done: int) -> Scene | None:
        """Return the last scene of a tour shown in the first `done` steps, or None."""
        return next((step.scene for step in reversed(self.steps[:done]) if step.scene), None)

    def at(self, done: int, now: Case) -> HistoryState:
        """Return the state after `done` steps; `now` is the scenario on screen."""
        moment = HistoryState(now.scenario, now.mapping.slots)
        for step in reversed(self.steps[done : self.done]):
            moment = step.back(moment)
        for step in self.steps[self.done : done]:
            moment = step.forth(moment)
        return moment

    def _within_memory(self) -> "History":
        used, dropped = sum(step.nbytes for step in self.steps), 0
        while used > self.memory and dropped < len(self.steps) - 1:
            used -= self.steps[dropped].nbytes
            dropped += 1
        if not dropped:
            return self
        return replace(
            self,
            first=self.steps[dropped - 1].reached,
            steps=self.steps[dropped:],
            done=self.done - dropped,
            forgotten=self.forgotten + dropped,
        )
