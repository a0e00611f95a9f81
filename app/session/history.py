"""What was done, step by step, so that it can be undone: differences, not copies, in bounded memory.

QUndoStack is not used: a step whose evaluation is refused must never get onto the stack, a jump over many steps is one
evaluation, not one each, and memory is bounded in bytes, not in steps.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from app.model.scenario_diff import change
from core.job.measure import UNITS, Measure
from core.load.evaluate import LoadReport
from core.load.scenario import Case, Scenario
from core.mapping.edit import Edit
from core.mapping.explicit import Explicit, SlotList
from core.mapping.mapping import MappingSpec

MEMORY = 256 << 20
"""Bytes of steps kept; beyond it the oldest are forgotten."""
OVERHEAD = 1000
"""Bytes of a step besides its arrays, about."""
ONE_STEP = 1.0
"""Seconds within which changes of one field are one step: a spin box that is held down is not twenty."""


@dataclass(frozen=True, slots=True)
class Moment:
    """A state on the way through the history."""

    scenario: Scenario
    strategy: MappingSpec | None
    """How the tasks were placed; None: by hand, as `slots` say."""
    slots: NDArray[np.int32] | None
    """Slot of every task; None where only the strategy knows them."""

    @classmethod
    def of(cls, scenario: Scenario, slots: NDArray[np.int32] | None = None) -> "Moment":
        """Return the moment of a scenario; `slots` where they are known and its mapping does not say them."""
        if isinstance(scenario.mapping, Explicit):
            return cls(scenario, None, scenario.mapping.slots.array)
        return cls(scenario, scenario.mapping, slots)

    def arrived(self) -> Scenario:
        """Return the scenario of this moment."""
        if self.strategy is not None:
            return replace(self.scenario, mapping=self.strategy)
        assert self.slots is not None
        return replace(self.scenario, mapping=Explicit(SlotList(self.slots)))


class Reached(NamedTuple):
    """What a state comes to."""

    gbs: float | None = None
    """Throughput per node; None where nothing is loaded."""
    seconds: float | None = None
    """The time beside it, of traced flows (`LoadReport.seconds`)."""
    measure: Measure = UNITS
    """In what the job's volumes are told, and its throughput (`Measure.rate`)."""

    @classmethod
    def of(cls, report: LoadReport) -> "Reached":
        """Return what a state with these loads comes to."""
        return cls(report.throughput_gbs, report.seconds, report.case.job.measure)


class Step(Protocol):
    """Something the user did."""

    @property
    def name(self) -> str:
        """Return what it did, as the history shows it."""

    @property
    def reached(self) -> Reached:
        """Return what the state after it comes to."""

    @property
    def nbytes(self) -> int:
        """Return about how much memory it takes."""

    def back(self, after: Moment) -> Moment:
        """Return the moment before it."""

    def forth(self, before: Moment) -> Moment:
        """Return the moment after it."""


@dataclass(frozen=True, eq=False)
class EditStep:
    """Tasks moved by hand: 12 bytes for each."""

    name: str
    reached: Reached
    edit: Edit
    drawn_over: MappingSpec | None = None
    """The strategy of the mapping before, unless that was drawn by hand too."""
    drawn_from: SlotList | None = None
    """The slots which that strategy gave."""

    @classmethod
    def over(cls, name: str, reached: Reached, edit: Edit, before: Case) -> "EditStep":
        """Return the step of an edit of a case's mapping."""
        strategy = before.scenario.mapping
        if isinstance(strategy, Explicit):
            return cls(name, reached, edit)
        return cls(name, reached, edit, strategy, SlotList(before.mapping.slots))

    @property
    def nbytes(self) -> int:
        """Return about how much memory it takes."""
        base = self.drawn_from.array.nbytes if self.drawn_from is not None else 0
        return OVERHEAD + self.edit.nbytes + base

    def back(self, after: Moment) -> Moment:
        """Return the moment before it."""
        assert after.slots is not None
        return Moment(after.scenario, self.drawn_over, _with(after.slots, self.edit.tasks, self.edit.old))

    def forth(self, before: Moment) -> Moment:
        """Return the moment after it."""
        slots = self.drawn_from.array if self.drawn_from is not None else before.slots
        assert slots is not None
        return Moment(before.scenario, None, _with(slots, self.edit.tasks, self.edit.new))


@dataclass(frozen=True, eq=False)
class ChoiceStep:
    """Another choice of network, job, mapping strategy, routing or faults."""

    name: str
    reached: Reached
    before: Scenario
    after: Scenario
    topic: str
    """What was chosen: later changes of the same continue this step. Empty: none does."""
    time: float
    """Seconds on some clock when it was last continued."""

    @property
    def nbytes(self) -> int:
        """Return about how much memory it takes."""
        drawn = (self.before.mapping, self.after.mapping)
        return OVERHEAD + sum(spec.slots.array.nbytes for spec in drawn if isinstance(spec, Explicit))

    def back(self, after: Moment) -> Moment:
        """Return the moment before it."""
        return Moment.of(self.before)

    def forth(self, before: Moment) -> Moment:
        """Return the moment after it."""
        return Moment.of(self.after)

    def continues(self, last: "ChoiceStep") -> bool:
        """Return whether it goes on with what the last step did."""
        return bool(self.topic) and last.topic == self.topic and self.time - last.time <= ONE_STEP


class History:
    """The steps done and undone. `done` is how many of `steps` lead to the state on screen."""

    def __init__(self, memory: int = MEMORY) -> None:
        self.steps: list[Step] = []
        self.done = 0
        self.first = Reached()
        """What the state before the first step kept comes to."""
        self.forgotten = 0
        """Steps dropped to save memory."""
        self._memory = memory

    def start(self, first: Reached) -> None:
        """Forget everything: this is where it begins."""
        self.steps, self.done, self.first, self.forgotten = [], 0, first, 0

    def push(self, step: Step) -> None:
        """Add a step that was done; what had been undone is gone."""
        del self.steps[self.done :]
        last = self.steps[-1] if self.steps else None
        if isinstance(step, ChoiceStep) and isinstance(last, ChoiceStep) and step.continues(last):
            self.steps[-1] = replace(step, name=change(last.before, step.after)[0], before=last.before)
        else:
            self.steps.append(step)
        self.done = len(self.steps)
        self._forget()

    @property
    def undo_name(self) -> str:
        """Return what would be undone; empty: nothing."""
        return self.steps[self.done - 1].name if self.done else ""

    @property
    def redo_name(self) -> str:
        """Return what would be done again; empty: nothing."""
        return self.steps[self.done].name if self.done < len(self.steps) else ""

    @property
    def states(self) -> list[Reached]:
        """Return what the beginning, and the state after each step, come to."""
        return [self.first, *(step.reached for step in self.steps)]

    def at(self, done: int, now: Case) -> Moment:
        """Return the moment after so many steps; `now` is what the state on screen was built to."""
        moment = Moment.of(now.scenario, now.mapping.slots)
        for step in reversed(self.steps[done : self.done]):
            moment = step.back(moment)
        for step in self.steps[self.done : done]:
            moment = step.forth(moment)
        return moment

    def _forget(self) -> None:
        used = sum(step.nbytes for step in self.steps)
        while used > self._memory and self.done > 1:
            oldest = self.steps.pop(0)
            used -= oldest.nbytes
            self.first = oldest.reached
            self.done -= 1
            self.forgotten += 1


def _with(slots: NDArray[np.int32], tasks: NDArray[np.int32], wanted: NDArray[np.int32]) -> NDArray[np.int32]:
    changed = slots.copy()
    changed[tasks] = wanted
    return changed
