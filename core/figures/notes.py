"""Remarks on evaluated scenarios: warnings of files, faults, disconnected flows, and what times are taken as."""

from core.job.job import Job
from core.job.measure import UNITS, UNTIMED
from core.load.disconnected import DisconnectedFlows, find_disconnected
from core.load.evaluate import LoadReport
from core.load.scenario import Case
from core.timing.timeline import Timeline


def notes_of(report: LoadReport) -> list[str]:
    """Return remarks on a report: what `case_notes` has, and what was planned."""
    return case_notes(report.case, report.disconnected, report.plan_words)


def case_notes(case: Case, disconnected: DisconnectedFlows, planned: str = "") -> list[str]:
    """Return remarks on a case: warnings of network, job and mapping, faults, disconnected flows."""
    sentences = (planned, "" if case.faults is None else case.faults.words(), disconnected.sentence)
    cut = zip(
        case.scenario.job_names[1:],
        (find_disconnected(job_case).brief for job_case in case.neighbours.cases),
        strict=True,
    )
    beside = [f"of job {name} {words}, and load nothing" for name, words in cut if words]
    neighbours = zip(case.scenario.job_names[1:], case.neighbours.cases, strict=True)
    beside += [f"job {name}: {warning}" for name, job_case in neighbours for warning in job_case.job.warnings]
    warnings = [*case.network.warnings, *job_notes(case.job), *case.mapping.warnings]
    return [*warnings, *filter(None, sentences), *beside]


def job_notes(job: Job) -> list[str]:
    """Return remarks on a job: the warnings of its file, and that message counts have no time."""
    return [*job.warnings, *([] if job.measure.timed else [UNTIMED])]


def timeline_notes(timeline: Timeline) -> list[str]:
    """Return remarks on a timeline: those on its case, and what a volume is taken as."""
    measure = timeline.case.job.measure
    notes = case_notes(timeline.case, find_disconnected(timeline.case))
    return [*notes, f"a {measure.singular} is taken as 1 GB"] if measure == UNITS else notes
