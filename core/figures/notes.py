"""Notes on evaluated scenarios: warnings of files, faults, disconnected flows, and assumptions about units."""

import numpy as np

from core.job.job import Job
from core.job.measure import UNITS, UNTIMED
from core.load.disconnected import DisconnectedFlows, find_disconnected
from core.load.evaluate import LoadReport
from core.load.link_load import UNKNOWN
from core.load.scenario import Case
from core.mapping.logged import note_on_logged
from core.mapping.mapping import crowded_hosts
from core.routing import Minimal
from core.text import plural
from core.timing.timeline import Timeline


def notes_of(report: LoadReport) -> list[str]:
    """Return the notes on a report: `case_notes`, with the outcome of the planning."""
    return case_notes(report.case, report.disconnected, report.plan_words)


def case_notes(case: Case, disconnected: DisconnectedFlows, planned: str = "") -> list[str]:
    """Return the notes on a case: warnings of network, job and mapping, faults, and disconnected flows."""
    sentences = (
        planned,
        unknown_loads(case),
        "" if case.faults is None else case.faults.named_words(),
        disconnected.sentence,
    )
    disconnected_jobs = zip(
        case.scenario.job_names[1:],
        (find_disconnected(job_case).brief for job_case in case.neighbours.cases),
        strict=True,
    )
    background = [f"job {name}: {words}, without load on any link" for name, words in disconnected_jobs if words]
    neighbours = zip(case.scenario.job_names[1:], case.neighbours.cases, strict=True)
    background += [f"job {name}: {warning}" for name, job_case in neighbours for warning in job_case.job.warnings]
    warnings = [*case.network.warnings, *job_notes(case.job), *case.mapping.warnings]
    return [*warnings, *filter(None, (*sentences, _crowded(case), _logged(case), _single_paths(case))), *background]


def unknown_loads(case: Case) -> str:
    """Return the background loads of unknown origin: their sum and links; empty without any."""
    constant, measure = case.neighbours.constant, case.job.measure
    links = int(np.count_nonzero(constant))
    return f"{UNKNOWN}: {measure.suited_amount(float(constant.sum()))} on {plural(links, 'link')}" if links else ""


def _crowded(case: Case) -> str:
    mapping = case.mapping
    if mapping.cores_per_rank == 1 or mapping.core_sets:
        return ""
    host, _ = case.network.host_slots.place_of(mapping.slots)
    return crowded_hosts(host, case.network, mapping.cores_per_rank)


def _logged(case: Case) -> str:
    return note_on_logged(case.job, case.network, case.mapping)


def _single_paths(case: Case) -> str:
    routing, network = case.scenario.routing, case.network
    if not (isinstance(routing, Minimal) and routing.spread == "single" and network.source):
        return ""
    if network.vertices == network.nodes:
        return ""
    better = "minimal with equal shares" if network.tree is None else "d-mod-k, or minimal with equal shares"
    return f"no InfiniBand fabric routes by minimal with a single path, with ties to the lowest ID; choose {better}"


def job_notes(job: Job) -> list[str]:
    """Return the notes on a job: the warnings of its file, and the note on message counts."""
    return [*job.warnings, *([] if job.measure.timed else [UNTIMED])]


def timeline_notes(timeline: Timeline) -> list[str]:
    """Return the notes on a timeline: the notes on its case, and the assumed size of a unit."""
    measure = timeline.case.job.measure
    notes = case_notes(timeline.case, find_disconnected(timeline.case))
    return [*notes, f"a {measure.singular} is taken as 1 GB"] if measure == UNITS else notes
