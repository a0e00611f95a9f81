"""The findings of a report in addition to the loads: their causes, swaps that help, and the timeline."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from app.background.patience import TAKES
from app.model.evaluation import Evaluation
from app.storage.record import Record, record_of
from core.load.evaluate import LoadReport
from core.load.explain import Explanation, explain
from core.load.job_reports import job_reports, slowed_by
from core.load.swap_suggestions import Suggestions, suggest_swaps
from core.spec import Progress, SpecError, TooLarge, no_progress, subprogress
from core.timing import Timeline, timeline

Finding = TypeVar("Finding")
Stage = Callable[[str], Progress]
"""Returns the progress function of a named stage, which may raise SpecError if the stage takes long."""
MAX_STAGE_SECONDS = 10.0
"""Maximum seconds of a stage without --patient; after it the page has a remark instead."""
MAX_EXPLAINED = 3
"""Maximum number of links that are explained."""


@dataclass(frozen=True)
class JobSlowdown:
    """One of several jobs on the machine."""

    name: str
    report: LoadReport
    slows: float | None
    """Slowdown of the first job if this is the only other job; None for the first job itself."""


@dataclass(frozen=True)
class Findings:
    """The findings on an evaluation; a missing finding is a text with the reason."""

    evaluation: Evaluation
    causes: tuple[Explanation, ...] | str
    suggestions: Suggestions | str
    timeline: Timeline | str
    jobs: tuple[JobSlowdown, ...] = ()
    """All jobs if several share the machine, else empty."""
    record: Record | None = None
    """The scenario and its figures, for a document."""


def no_stage(name: str) -> Progress:
    """Return a progress function that ignores the progress."""
    return no_progress


def findings_of(evaluation: Evaluation, stage: Stage = no_stage) -> Findings:
    """Return the findings on an evaluation.

    Raises Cancelled: when a progress function does.
    """
    report = evaluation.report
    return Findings(
        evaluation,
        _unless_refused(lambda: _causes(report, stage("causes"))),
        _unless_refused(lambda: suggest_swaps(report, stage("what to move"))),
        _unless_refused(lambda: timeline(evaluation.case, stage("steps"))),
        jobs_slowed(report, stage("jobs")),
        record_of(report, evaluation.bounds),
    )


def _unless_refused(work: Callable[[], Finding]) -> Finding | str:
    try:
        return work()
    except TooLarge as error:
        return f"it {error.message}" if error.message.startswith(TAKES) else str(error)
    except SpecError as error:
        return str(error)


def _causes(report: LoadReport, progress: Progress) -> tuple[Explanation, ...]:
    links = worth_explaining(report)
    numbered = enumerate(links)
    return tuple(explain(report, link, subprogress(progress, k, k + 1, len(links))) for k, link in numbered)


def worth_explaining(report: LoadReport) -> list[int]:
    """Return the hottest link of each limiting class, then of other loaded classes, at most `MAX_EXPLAINED`."""
    own = np.where(report.load > 0, report.utilisation, 0.0)
    hottest = [c.links.start + int(own[c.links].argmax()) for c in report.case.network.classes if c.count]
    loaded = [link for link in hottest if own[link] > 0]
    return sorted(loaded, key=lambda link: -round(float(own[link]), 9))[:MAX_EXPLAINED]


def jobs_slowed(report: LoadReport, progress: Progress) -> tuple[JobSlowdown, ...]:
    """Return all jobs on the machine and how they slow each other; empty for a job that runs alone."""
    if not report.others.size:
        return ()
    return tuple(
        JobSlowdown(name, job_report, slowed_by(report, number - 1) if number else None)
        for number, (name, job_report) in enumerate(job_reports(report, progress))
    )
