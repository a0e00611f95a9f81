"""The one owner of state. Everything that changes goes through the session, and is told once, by one signal."""

import enum
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from app.colour import ColourScale
from app.runner import Runner
from app.theme import DARK, Theme
from core.load.bounds import Bound, bounds
from core.load.evaluate import LoadReport, evaluate
from core.load.explain import Explanation, explain
from core.load.fit import fitted
from core.load.scenario import CHOICES, Case, Scenario
from core.spec import Progress, SpecError
from core.study.predictions import Prediction, predictions

FILE = "file"
"""Field of errors that are about a file, not about what is on screen."""


class ChangeSet(enum.Flag):
    """What changed, so that a view does the least."""

    NONE = 0
    TOPOLOGY = enum.auto()
    """Another network: geometry must be rebuilt."""
    MAPPING = enum.auto()
    """Other tasks in the slots, or another job."""
    LOADS = enum.auto()
    """Other loads: colours only."""
    STYLE = enum.auto()
    """Theme, colour scale or filter."""
    SELECTION = enum.auto()
    HOVER = enum.auto()
    EXPLANATION = enum.auto()
    """Who causes the chosen link's load has become known."""
    STATUS = enum.auto()
    """Busy, or refused: `State.busy`, `State.error`."""
    FILE = enum.auto()
    """Path or unsaved changes."""
    ALL = TOPOLOGY | MAPPING | LOADS | STYLE | SELECTION | HOVER | EXPLANATION | STATUS | FILE


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that can be pointed at, in whichever view: ``kind`` is link, node, group, task or bundle.

    A group is one of the network's coarsest level. A bundle is the links between two groups: index = a * groups + b.
    """

    kind: str
    index: int


LAST = "the last change"


@dataclass(frozen=True, slots=True)
class Before:
    """What a throughput is compared with."""

    gbs: float | None
    name: str
    """The choice that differs, or `LAST`."""


@dataclass(frozen=True, eq=False)
class Answer:
    """What an evaluation gives."""

    case: Case
    report: LoadReport
    bounds: tuple[Bound, ...]
    predictions: tuple[Prediction, ...]
    seconds: float
    """Wall time of building and evaluating."""
    against: Before | None = None
    """What the first answer is compared with."""


@dataclass(frozen=True, eq=False)
class State:
    """All that the window shows. `answer` is the last good one; `wanted` may be ahead of it."""

    wanted: Scenario
    answer: Answer | None = None
    before: Before | None = None
    """Throughput before the last change."""
    error: SpecError | None = None
    """Why `wanted` cannot be built; the answer is then still that of the last good scenario."""
    busy: float | None = None
    """Fraction done of an evaluation that takes long."""
    scale: ColourScale = field(default_factory=ColourScale)
    theme: Theme = DARK
    hottest_percent: float = 100.0
    """Links and bundles shown in the machine view: the hottest so many percent."""
    selection: Item | None = None
    hover: Item | None = None
    explanation: Explanation | None = None
    path: Path | None = None
    saved: Scenario | None = None
    """What stands in the file, or was there when the program started."""

    @property
    def dirty(self) -> bool:
        """Return whether something unsaved would be lost."""
        return self.wanted != self.saved

    @property
    def previous_gbs(self) -> float | None:
        """Return the throughput before the last change, if it had one."""
        return self.before.gbs if self.before is not None else None

    @property
    def report(self) -> LoadReport | None:
        """Return the last good report."""
        return self.answer.report if self.answer is not None else None

    @property
    def relative(self) -> NDArray[np.float64]:
        """Return the load of every link relative to the top of the colour scale, shape ``(links,)``."""
        report = self.report
        if report is None:
            return np.zeros(0)
        frozen = self.scale.frozen_time
        return report.relative if frozen is None else report.relative * (report.time / frozen)

    @property
    def reference_time(self) -> float:
        """Return the t, seconds per unit, at the top of the colour scale."""
        report = self.report
        return self.scale.frozen_time or (report.time if report is not None else 0.0)


def earlier(report: LoadReport, scenario: Scenario) -> Before:
    """Return what a scenario's throughput is compared with: an earlier report."""
    old = report.case.scenario
    changed = [choice for choice in CHOICES if getattr(old, choice) != getattr(scenario, choice)]
    name = LAST
    if len(changed) == 1 and getattr(old, changed[0]).title != getattr(scenario, changed[0]).title:
        name = getattr(old, changed[0]).title.lower()
    return Before(report.throughput_gbs, name)


def compared(first: Answer, against: Scenario | None) -> Answer:
    """Return the answer with the throughput of another scenario to compare it with.

    Raises SpecError: if that one cannot be built.
    """
    if against is None:
        return first
    report = evaluate(against.build(first.case))
    return replace(first, against=earlier(report, first.case.scenario))


def answer(scenario: Scenario, before: Case | None, progress: Progress) -> Answer:
    """Return the evaluated scenario with its bounds and predictions.

    Raises SpecError: if it cannot be built. Raises Cancelled: when `progress` does.
    """
    started = time.perf_counter()
    case = scenario.build(before)
    report = evaluate(case, progress)
    # What the views ask for first is worked out here, off the GUI thread.
    _ = report.relative, report.classes, case.network.layout, case.network.class_of, report.hottest(1)
    seconds = time.perf_counter() - started
    return Answer(case, report, bounds(case), predictions(case), seconds)


def unopened(path: Path | None, error: SpecError) -> SpecError:
    """Return the message that a file holds no scenario that could be shown."""
    name, detail = path.name if path is not None else "this", error.message if error.field == FILE else error
    return SpecError(FILE, f"{name} cannot be opened: {detail}")


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
        theme: Theme = DARK,
        sync: bool = False,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = State(scenario, theme=theme, saved=scenario)
        self._loads = Runner("loads", sync=sync, parent=self)
        self._loads.done.connect(self._on_answer)
        self._loads.failed.connect(self._on_refused)
        self._loads.progressed.connect(self._on_progress)
        self._causes = Runner("causes", sync=sync, parent=self)
        self._causes.done.connect(self._on_explanation)
        self._opening: tuple[Scenario, Path | None] | None = None
        """A file's scenario that is being evaluated, and its path."""
        self._loads.request(lambda progress: compared(answer(scenario, None, progress), against))

    @property
    def state(self) -> State:
        """Return what is shown now."""
        return self._state

    def choose(self, choice: str, spec: Any, initiator: object = None) -> None:
        """Replace one of the four choices; the answer follows through `changed`."""
        self.propose(self._state.wanted.with_choice(choice, spec), initiator)

    def propose(self, scenario: Scenario, initiator: object = None) -> None:
        """Ask for another scenario. What is on screen stays until it is answered, or for good if it is refused."""
        if scenario == self._state.wanted and self._state.error is None:
            return
        self._opening = None
        self._commit(ChangeSet.STATUS | ChangeSet.FILE, initiator, wanted=scenario)
        self._evaluate(scenario)

    def fit(self, scenario: Scenario, initiator: object = None) -> None:
        """Ask for a scenario, changing whatever does not go with its network (`fitted`)."""
        self._opening = None
        self._commit(ChangeSet.STATUS | ChangeSet.FILE, initiator, wanted=scenario)
        before = self._state.answer.case if self._state.answer is not None else None
        self._loads.request(lambda progress: answer(fitted(scenario), before, progress))

    def open(self, scenario: Scenario, path: Path | None) -> None:
        """Show another scenario, as read from `path`; if it is refused, everything stays as it was."""
        self._opening = scenario, path
        self._evaluate(scenario)

    def opened(self, path: Path) -> None:
        """Note that what is wanted came from `path`."""
        self._commit(ChangeSet.FILE, None, path=path, saved=self._state.wanted)

    def saved(self, path: Path) -> None:
        """Note that what is wanted now stands in `path`."""
        written = replace(self._state.wanted, folder=path.parent)
        self._commit(ChangeSet.FILE, None, path=path, wanted=written, saved=written)

    def refuse(self, error: SpecError) -> None:
        """Show why something the user asked for cannot be; nothing else changes."""
        self._commit(ChangeSet.STATUS, None, error=error)

    def forgive(self) -> None:
        """Drop a message about a file, because a later command with a file went well."""
        if self._state.error is not None and self._state.error.field == FILE:
            self._commit(ChangeSet.STATUS, None, error=None)

    def cancel(self) -> None:
        """Stop a long evaluation and go back to the last good scenario."""
        self._loads.cancel()
        self._opening = None
        good = self._state.answer
        wanted = good.case.scenario if good is not None else self._state.wanted
        self._commit(ChangeSet.STATUS | ChangeSet.FILE, None, busy=None, error=None, wanted=wanted)

    def select(self, item: Item | None, initiator: object = None) -> None:
        """Choose one thing, or nothing; a link is then taken apart."""
        if item == self._state.selection:
            return
        self._causes.cancel()
        self._commit(ChangeSet.SELECTION | ChangeSet.EXPLANATION, initiator, selection=item, explanation=None)
        self._explain()

    def hover(self, item: Item | None, initiator: object = None) -> None:
        """Point at one thing, or at nothing."""
        if item != self._state.hover:
            self._commit(ChangeSet.HOVER, initiator, hover=item)

    def set_scale(self, scale: ColourScale, initiator: object = None) -> None:
        """Change how loads become colours."""
        if scale != self._state.scale:
            self._commit(ChangeSet.STYLE, initiator, scale=scale)

    def set_theme(self, theme: Theme) -> None:
        """Change the look."""
        if theme != self._state.theme:
            self._commit(ChangeSet.STYLE, None, theme=theme)

    def set_hottest_percent(self, percent: float, initiator: object = None) -> None:
        """Show only the hottest so many percent of the links in the machine view."""
        percent = min(max(percent, 0.01), 100.0)
        if percent != self._state.hottest_percent:
            self._commit(ChangeSet.STYLE, initiator, hottest_percent=percent)

    def wait_idle(self) -> None:
        """Block until nothing is being computed (for tests and for closing)."""
        self._loads.wait()
        self._causes.wait()

    def close(self) -> None:
        """Stop all work and its threads."""
        self._loads.close()
        self._causes.close()

    def _evaluate(self, scenario: Scenario) -> None:
        before = self._state.answer.case if self._state.answer is not None else None
        self._loads.request(lambda progress: answer(scenario, before, progress))

    def _explain(self) -> None:
        item, report = self._state.selection, self._state.report
        if item is not None and item.kind == "link" and report is not None:
            self._causes.request(lambda progress: explain(report, item.index, progress))

    def _on_answer(self, result: Answer) -> None:
        opening = self._opening is not None
        if self._opening is not None:
            (scenario, path), self._opening = self._opening, None
            self._commit(ChangeSet.FILE, None, wanted=scenario, path=path, saved=scenario)
        old = self._state.answer
        changes = ChangeSet.LOADS | ChangeSet.STATUS | ChangeSet.EXPLANATION | ChangeSet.FILE
        selection, hover, percent = self._state.selection, self._state.hover, self._state.hottest_percent
        if old is None or old.case.network is not result.case.network:
            # What was chosen does not exist in the new machine.
            changes |= ChangeSet.TOPOLOGY | ChangeSet.MAPPING | ChangeSet.SELECTION | ChangeSet.HOVER | ChangeSet.STYLE
            selection = hover = None
        elif old.case.mapping is not result.case.mapping or old.case.job is not result.case.job:
            changes |= ChangeSet.MAPPING
            if gone(selection, result.case):
                changes, selection = changes | ChangeSet.SELECTION, None
            if gone(hover, result.case):
                changes, hover = changes | ChangeSet.HOVER, None
        self._commit(
            changes,
            None,
            # What was fitted differs from what was asked for; note and folder may have changed meanwhile.
            wanted=replace(result.case.scenario, note=self._state.wanted.note, folder=self._state.wanted.folder),
            answer=result,
            # Between two files there is no change that a difference could be due to.
            before=result.against if old is None else None if opening else earlier(old.report, result.case.scenario),
            error=None,
            busy=None,
            selection=selection,
            hover=hover,
            hottest_percent=percent,
            explanation=None,
        )
        self._explain()

    def _on_refused(self, error: Exception) -> None:
        if not isinstance(error, SpecError):
            raise error
        if self._opening is not None:
            # The fields on screen are another scenario's: the message must not stand under one of them.
            error, self._opening = unopened(self._opening[1], error), None
        self._commit(ChangeSet.STATUS, None, error=error, busy=None)

    def _on_progress(self, fraction: float) -> None:
        self._commit(ChangeSet.STATUS, None, busy=fraction)

    def _on_explanation(self, found: Explanation) -> None:
        item = self._state.selection
        if item == Item("link", found.link):
            self._commit(ChangeSet.EXPLANATION, None, explanation=found)

    def _commit(self, changes: ChangeSet, initiator: object, **values: Any) -> None:
        self._state = replace(self._state, **values)
        self.changed.emit(changes, initiator)
