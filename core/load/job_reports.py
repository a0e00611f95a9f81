"""All jobs of a machine, each with the others as background jobs: times, slowdowns, and shares of a link."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from core.load.evaluate import LoadReport, evaluate
from core.load.link_load import UNKNOWN
from core.load.phases import Loads, Phases, busiest, keep_neighbours_loads, whole_load
from core.load.scenario import NO_NEIGHBOURS, Case, Neighbours
from core.spec import Progress, no_progress


class Share(NamedTuple):
    """Load that one of the jobs puts on a link, or on all links of a class."""

    name: str
    load: float


def job_reports(report: LoadReport, progress: Progress = no_progress) -> Iterator[tuple[str, LoadReport]]:
    """Yield each job's name and its loads, with all others as background jobs; the main job first.

    Raises Cancelled: when `progress` does.
    """
    called, cases, loads = report.case.scenario.job_names, report.case.neighbours.cases, _loads(report)
    constant = report.case.neighbours.constant
    yield called[0], report
    alone = replace(report.case, neighbours=NO_NEIGHBOURS)
    for number, case in enumerate(cases, start=1):
        others = [load for k, load in enumerate(loads) if k != number]
        neighbours = Neighbours((alone, *(other_case for other_case in cases if other_case is not case)), 1.0, constant)
        others += [report.case.neighbours.part * constant] if constant.size else []
        keep_neighbours_loads(neighbours, np.sum(others, axis=0))
        yield called[number], _report(replace(case, neighbours=neighbours), loads[number], progress)


def slowed_by(report: LoadReport, number: int, progress: Progress = no_progress) -> float:
    """Return the job's time over its time alone if only one background job (by number from 0) is present.

    Raises Cancelled: when `progress` does.
    """
    neighbours = report.case.neighbours
    case = replace(report.case, neighbours=Neighbours((neighbours.cases[number],), neighbours.part))
    return _report(case, report.load, progress).time / report.time_alone if report.time_alone > 0 else 1.0


def shares_of(report: LoadReport, link: int) -> tuple[Share, ...]:
    """Return the load that each job puts on a link, the main job first, and the load of unknown origin at the end.

    Jobs without load are omitted.
    """
    neighbours = report.case.neighbours
    unknown = [(UNKNOWN, neighbours.part * neighbours.constant)] if neighbours.constant.size else []
    both = [*zip(report.case.scenario.job_names, _loads(report), strict=True), *unknown]
    return tuple(Share(name, float(load[link])) for name, load in both if load[link] > 0)


def _loads(report: LoadReport) -> list[Loads]:
    neighbours = report.case.neighbours
    return [report.load, *(neighbours.part * whole_load(case) for case in neighbours.cases)]


def _report(case: Case, load: Loads, progress: Progress) -> LoadReport:
    if len(case.job.phases) > 1 or case.router.plans or case.faults is not None:
        return evaluate(case, progress)
    phases = Phases(case, load)
    report = LoadReport(case, phases, load, np.zeros((1, len(case.network.classes))))
    return replace(report, busy=np.array([busiest(case, load, report.others)]))
