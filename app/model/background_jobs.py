"""Background jobs: adding, removing and bringing them into focus, without moving any task."""

from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
from msgspec import structs

from core.job import AnyJob
from core.load.evaluate import LoadReport
from core.load.job_reports import job_reports, slowed_by
from core.load.neighbours import Neighbour
from core.load.scenario import Case, Scenario
from core.mapping import AnyMapping, Sequential
from core.mapping.allocation import Allocation, same_nodes
from core.mapping.explicit import Explicit
from core.mapping.node_choice import nodes_text
from core.network.network import Ints
from core.spec import Progress, Spec, SpecError, files_in, is_shipped, no_progress, with_parts
from core.text import plural

FIELD = "neighbours"
JOB_FIELDS = (FIELD, "job_name", "job_colour")
"""Fields of a scenario on the jobs of the machine."""
MAX_LOADS = 1_000_000
"""Maximum links times jobs for which computing all slowdowns takes a few milliseconds."""


def switched_to(case: Case, number: int) -> Scenario:
    """Return the scenario with a background job, by its number from 0, in focus instead of the current job.

    No task moves: if several jobs have no allocation, each is allocated the nodes that it uses. Jobs keep their names
    and colours.
    """
    return _settled(case).with_identities().exchanged(number)


def following_job(scenario: Scenario) -> int:
    """Return the number, from 0, of the background job that follows the job in focus in the order of the jobs."""
    order = scenario.jobs_in_order
    return order[(order.index(0) + 1) % len(order)] - 1


def renamed(scenario: Scenario, number: int, name: str) -> Scenario:
    """Return the scenario with job `number`, 0 for the job in focus, renamed.

    With an empty name the job is named after its pattern.

    Raises SpecError: if another job has the name.
    """
    scenario = scenario.with_identities()
    others = [other_name for k, other_name in enumerate(scenario.job_names) if k != number]
    if name in others:
        raise SpecError(FIELD, f"another job is named {name}; job names must be unique")
    if not number:
        return replace(scenario, job_name=name).with_identities()
    jobs = list(scenario.neighbours)
    jobs[number - 1] = structs.replace(jobs[number - 1], name=name)
    return replace(scenario, neighbours=tuple(jobs)).with_identities()


def with_copy(case: Case) -> Scenario:
    """Return the scenario with a copy of the job as a background job, on nodes without tasks.

    Raises SpecError: if there are too few such nodes.
    """
    wanted = case.scenario
    mapping = Sequential() if isinstance(wanted.mapping, Explicit) else cast(AnyMapping, wanted.mapping)
    neighbour = Neighbour(job=cast(AnyJob, wanted.job), mapping=mapping)
    return _with(case, neighbour, case.job.tasks)


def with_job_of(case: Case, other: Scenario, name: str) -> Scenario:
    """Return the scenario with the job of another as a background job, on its allocation or on nodes without tasks.

    Raises SpecError: if there are too few such nodes, or if the job reads files from another folder.
    """
    if other.folder != case.scenario.folder:
        _check_without_files(other.job, other.folder)
        _check_without_files(other.mapping, other.folder)
    job, mapping = cast(AnyJob, other.job), cast(AnyMapping, other.mapping)
    neighbour = Neighbour(name=name, job=job, mapping=mapping, allocation=other.allocation)
    return _with(case, neighbour, job.build(other.folder).tasks)


def without(case: Case, number: int) -> Scenario:
    """Return the scenario without a background job, by its number from 0; other jobs keep their names and colours."""
    scenario = case.scenario.with_identities()
    jobs = scenario.neighbours
    return replace(scenario, neighbours=(*jobs[:number], *jobs[number + 1 :]))


def slowdowns_are_quick(report: LoadReport) -> bool:
    """Return whether `slowdowns` takes at most a few milliseconds."""
    cases = (report.case, *report.case.neighbours.cases)
    several = any(len(case.job.phases) > 1 for case in cases) or report.case.router.plans
    return not several and report.case.faults is None and len(cases) * report.load.size <= MAX_LOADS


def slowdowns(report: LoadReport, progress: Progress = no_progress) -> list[tuple[float, float]]:
    """Return the slowdown of each background job, and the slowdown of the job in focus that it causes alone.

    Raises Cancelled: when `progress` does.
    """
    _, *others = job_reports(report, progress)
    return [(job_report.slowdown, slowed_by(report, number, progress)) for number, (_, job_report) in enumerate(others)]


def _with(case: Case, neighbour: Neighbour, tasks: int) -> Scenario:
    settled = _settled(case)
    if not neighbour.allocation:
        hosts, word = case.network.host_slots, case.network.host_word
        needed, free = -(-tasks // int(hosts.room.min())), hosts.hosts_of(_free(case))
        if needed > free.size:
            shortage = f"the job needs {plural(needed, word)}, but {free.size:,} are free"
            raise SpecError(FIELD, f"{shortage}; choose a larger network, or give this job fewer {word}s")
        neighbour = structs.replace(neighbour, allocation=nodes_text(hosts.nodes_of(free[:needed]), case.network))
    scenario = replace(settled, neighbours=(*settled.neighbours, neighbour)).with_identities()
    # A job without an allocation loses the nodes that the new job is allocated, but none of its tasks moves.
    counts = [*(each.job.tasks for each in (case, *case.neighbours.cases)), tasks]
    own = scenario.allocations(case.network, counts)[0]
    return scenario if _stays(case, own) else replace(scenario, mapping=Explicit.of(case.mapping))


def _stays(case: Case, allocation: Allocation | None) -> bool:
    # Whether the job's strategy gives the same slots on other nodes; the answer needs no search, which takes seconds.
    strategy = case.scenario.mapping
    if strategy.searches and strategy.sees == "machine" and case.allocation is None:
        return allocation is None or bool(allocation.is_open[case.mapping.slots].all())
    if strategy.searches:
        return same_nodes(allocation, case.allocation)
    mapping = strategy.build(case.job, case.network, allocation, case.scenario.folder)
    return np.array_equal(mapping.slots, case.mapping.slots)


def _settled(case: Case) -> Scenario:
    # If several jobs have no allocation, each is allocated the nodes that it uses.
    scenario, network = case.scenario, case.network
    if [scenario.allocation, *(neighbour.allocation for neighbour in scenario.neighbours)].count("") < 2:
        return scenario
    texts = [nodes_text(each.nodes, network) if each is not None else "" for each in case.allocations]
    allocated = zip(scenario.neighbours, texts[1:], strict=True)
    named = [structs.replace(neighbour, allocation=text) for neighbour, text in allocated]
    return replace(scenario, allocation=texts[0], neighbours=tuple(named))


def _free(case: Case) -> Ints:
    # Nodes without tasks that are neither allocated nor down, ascending.
    taken = np.zeros(case.network.nodes, np.bool_)
    cases: tuple[Case, ...] = (case, *case.neighbours.cases)
    for job_case in cases:
        taken[job_case.mapping.nodes] = True
        if job_case.scenario.allocation and job_case.allocation is not None:
            taken[job_case.allocation.nodes] = True
    running = replace(case.scenario, allocation="", neighbours=()).allocations(case.network, [1])[0]
    if running is not None:
        taken |= ~np.isin(np.arange(taken.size), running.nodes)
    return np.flatnonzero(~taken).astype(np.int32)


def _check_without_files(spec: Spec, folder: Path | None) -> None:
    for _, part in with_parts(spec):
        for field, name in files_in(part):
            if not is_shipped(name):
                where = f"in {folder}" if folder is not None else "in that scenario's folder"
                raise SpecError(FIELD, f"its {field} is {where}; save this scenario there first")
