"""Work off the GUI thread: from a scenario to everything that the window shows of it."""

import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from app.model.evaluation import Evaluation
from app.model.state import FILE
from app.session.internal_error import refusal_of
from core.figures.predictions import predictions
from core.kernels import compile_events
from core.load.bounds import bounds
from core.load.compare import comparable, difference
from core.load.compatibility import fitted, unroutable
from core.load.evaluate import LoadReport, evaluate
from core.load.fit_changes import FitChange
from core.load.live import LiveLoads
from core.load.scenario import MAPPING_PART, Case, Scenario
from core.mapping.edit import Edit
from core.mapping.explicit import Explicit
from core.mapping.mapping import Slots
from core.spec import Cancelled, Progress, SharedProgress, SpecError

MAX_UPDATES = 3_000_000
"""Maximum link updates of an edit on live loads, about 20 ms of work; larger edits are evaluated in full."""


@dataclass(frozen=True, eq=False)
class EditableEvaluation:
    """An evaluation, and the live loads for edits of its mapping."""

    evaluation: Evaluation
    live: LiveLoads
    changes: tuple[FitChange, ...] = ()
    """The changes made to fit the requested scenario to its network."""


def evaluate_for_editing(scenario: Scenario, before: Case | None, progress: Progress) -> EditableEvaluation:
    """Return the evaluated scenario with its bounds and predictions, ready to be edited.

    Raises SpecError: if it cannot be built. Raises Cancelled: when `progress` does.
    """
    compiled_before = compile_events.compiled()
    evaluation = evaluate_scenario(scenario, before, progress)
    live = LiveLoads(evaluation.report)
    if compile_events.compiled() > compiled_before:
        rehearse(live)
    return EditableEvaluation(evaluation, live)


def rehearse(live: LiveLoads) -> None:
    """Swap two tasks and swap them back, to compile kernels before the GUI thread applies edits."""
    slots = live.mapping.slots
    if slots.size < 2:
        return
    step = Edit(np.arange(2, dtype=np.int32), slots[:2].copy(), slots[1::-1].copy())
    if live.cost(step) <= MAX_UPDATES:
        live.apply(step)
        live.report()
        live.apply(step.inverse())


def evaluate_scenario(scenario: Scenario, before: Case | None, progress: Progress) -> Evaluation:
    """Return the evaluated scenario with its bounds and predictions, without live loads.

    Raises SpecError: if it cannot be built. Raises Cancelled: when `progress` does.
    """
    started, shared = time.perf_counter(), SharedProgress(progress)
    case = scenario.build(before, shared.part(MAPPING_PART))
    report = evaluate(case, shared.part())
    # Views read these first.
    report.prepare()
    _ = case.network.layout, case.network.class_of
    seconds = time.perf_counter() - started
    unroutable(case.network)
    return Evaluation(case, report, bounds(case, report), predictions(case), seconds)


def evaluate_reference(scenario: Scenario, shown: Evaluation, progress: Progress) -> Evaluation:
    """Return the evaluated scenario to compare with `shown`.

    Raises SpecError: if it cannot be built. Raises Cancelled: when `progress` does.
    """
    return as_reference(evaluate_scenario(scenario, shown.case, progress), shown)


def as_reference(evaluation: Evaluation, shown: Evaluation) -> Evaluation:
    """Return an evaluation, ready to be compared with `shown`."""
    if comparable(evaluation.case, shown.case):
        difference(evaluation.report, shown.report)  # cached for the views
    return evaluation


def updated_evaluation(before: Evaluation, report: LoadReport, seconds: float) -> Evaluation:
    """Return the evaluation after an edit of the mapping, given the report of its loads.

    The bounds hold for every mapping and are kept, unless flows are disconnected only before or only after the edit.
    """
    case, still = report.case, bool(report.disconnected) == bool(before.report.disconnected)
    limits = before.bounds if still else bounds(case, report)
    return replace(
        before,
        case=case,
        report=report,
        bounds=limits,
        predictions=predictions(case),
        seconds=seconds,
    )


def evaluate_remapped(before: Evaluation, slots: Slots, progress: Progress) -> EditableEvaluation:
    """Return the evaluation of the same case with its tasks in other slots, ready to be edited.

    Parameters
    ----------
    slots
        ``(tasks,)`` slot of every task, all different.

    Raises Cancelled: when `progress` does.
    """
    started = time.perf_counter()
    choice = Explicit.of(before.case.mapping.moved(slots))
    mapping = before.case.mapping.moved(choice.slots.array)
    scenario = replace(before.case.scenario, mapping=choice)
    report = evaluate(replace(before.case, mapping=mapping, scenario=scenario), progress)
    evaluation = updated_evaluation(before, report, time.perf_counter() - started)
    evaluation.report.prepare()
    return EditableEvaluation(evaluation, LiveLoads(evaluation.report))


@dataclass(frozen=True, eq=False)
class Opened:
    """The displayable parts of a scenario that is opened."""

    result: EditableEvaluation | None
    """Evaluation of the scenario, or of the scenario fitted to its network; None if neither can be evaluated."""
    error: SpecError | None = None
    """Why it cannot be evaluated, or None if it can."""


def evaluate_opened(scenario: Scenario, before: Case | None, progress: Progress) -> Opened:
    """Return the evaluated scenario, or a substitute for it.

    Raises Cancelled: when `progress` does.
    """
    shared = SharedProgress(progress)
    try:
        return Opened(evaluate_for_editing(scenario, before, shared.part()))
    except Cancelled:
        raise
    except Exception as error:
        refusal = refusal_of(error, scenario)
    try:
        substitute = fitted(scenario, progress=shared.part(MAPPING_PART))
        return Opened(evaluate_for_editing(substitute, before, shared.part()), refusal)
    except Cancelled:
        raise
    except Exception as error:
        refusal_of(error, scenario)  # prints an unexpected error; the user corrects the first error
        return Opened(None, refusal)


def unopened(path: Path | None, error: SpecError) -> SpecError:
    """Return the error for a file whose scenario cannot be shown."""
    name, detail = path.name if path is not None else "this", error.message if error.field == FILE else error
    return SpecError(FILE, f"{name} cannot be opened: {detail}")
