"""The loads of one step of a job, or of one of its rounds."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from app.model.evaluation import Evaluation, Moment
from core.load.evaluate import LoadReport, evaluate
from core.load.live import LiveLoads
from core.load.phases import Loads, Phases
from core.load.scenario import Case
from core.spec import Progress, no_progress
from core.timing.round_steps import RoundSteps


def moment_of(
    evaluation: Evaluation, step: int, rounds: RoundSteps | None = None, progress: Progress = no_progress
) -> Moment:
    """Return the loads of one step of a job, or of one of its `rounds`.

    Raises Cancelled: when `progress` does.
    """
    if rounds is not None:
        report = rounds.report(step)
        alone = replace(evaluation, case=report.case, report=report, bounds=(), predictions=())
        return Moment(step, evaluation, alone, rounds)
    if len(evaluation.case.job.phases) == 1:
        return Moment(step, evaluation, evaluation)
    report = evaluate(_alone(evaluation.case, step), progress)
    report.prepare()
    return Moment(step, evaluation, replace(evaluation, case=report.case, report=report, bounds=(), predictions=()))


def live_moment(evaluation: Evaluation, step: int, live: LiveLoads) -> Moment:
    """Return the loads of one step from live loads of the same mapping, without failures."""
    if len(evaluation.case.job.phases) == 1:
        return Moment(step, evaluation, evaluation)
    return loaded_moment(evaluation, step, live.phase(step), live.busy[step].copy())


def loaded_moment(evaluation: Evaluation, step: int, load: Loads, busy: NDArray[np.float64]) -> Moment:
    """Return one of several steps from its known loads, without the disconnected flows.

    `load`, ``(links,)``, is the job's own load of every link, and `busy`, ``(classes,)``, the seconds that the busiest
    link of each class needs.
    """
    case = _alone(evaluation.case, step)
    report = LoadReport(case, Phases(case, load), load, busy[None])
    return Moment(step, evaluation, replace(evaluation, case=case, report=report, bounds=(), predictions=()))


def _alone(case: Case, step: int) -> Case:
    # The throughput of a step counts its own volume, and a proportional share of the background load
    # (`core.load.neighbours`).
    alone = replace(case, job=replace(case.job, phases=(case.job.phases[step],), unit=False))
    if not case.neighbours:
        return alone
    return replace(alone, neighbours=replace(case.neighbours, part=case.job.run_shares[case.job.run_of[step]]))
