"""The loads of one step of a job, or of one of its rounds."""

from dataclasses import replace

from app.model.evaluation import Evaluation, Moment
from core.load.evaluate import LoadReport, evaluate
from core.load.live import LiveLoads
from core.load.phases import Phases
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
    case, load = _alone(evaluation.case, step), live.phase(step)
    report = LoadReport(case, Phases(case, load), load, live.busy[step : step + 1].copy())
    return Moment(step, evaluation, replace(evaluation, case=case, report=report, bounds=(), predictions=()))


def _alone(case: Case, step: int) -> Case:
    # The throughput of a step counts its own volume, and a proportional share of the background load
    # (`core.load.neighbours`).
    alone = replace(case, job=replace(case.job, phases=(case.job.phases[step],), unit=False))
    if not case.neighbours:
        return alone
    return replace(alone, neighbours=replace(case.neighbours, part=case.job.run_shares[case.job.run_of[step]]))
