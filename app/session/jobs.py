"""The jobs on the machine: the job in focus, and the background jobs. Each change is one step of the history."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.model.background_jobs import following_job, renamed, switched_to, with_copy, with_job_of, without
from app.session.session import Session
from core.files import SUFFIX, read_scenario
from core.files.regular import regular
from core.load.scenario import Scenario
from core.spec import SpecError


def switch_to_job(session: Session, number: int) -> None:
    """Bring a background job, by its number from 0, into focus; the current job becomes a background job."""
    case = session.state.evaluation.case
    _propose(session, lambda: switched_to(case, number), f"Switch to {case.scenario.job_names[number + 1]}")


def switch_to_next_job(session: Session) -> None:
    """Bring the next job, in the order of the jobs, into focus; repeated calls cycle through all jobs."""
    switch_to_job(session, following_job(session.state.evaluation.case.scenario))


def rename(session: Session, number: int, name: str) -> None:
    """Rename a job, by number, 0 for the job in focus; with an empty name, name it after its pattern."""
    scenario, name = session.state.evaluation.case.scenario, name.strip()
    old = scenario.job_names[number]
    if name != old:
        step = f"Rename {old} to {name}" if name else f"Name {old} after its pattern"
        _propose(session, lambda: renamed(scenario, number, name), step)


def add_copy(session: Session) -> None:
    """Add a copy of this job as a background job."""
    _propose(session, lambda: with_copy(session.state.evaluation.case), "Add copy of this job")


def add_job_of(session: Session, path: Path) -> None:
    """Add the job of a scenario file as a background job."""
    name = path.name.removesuffix(SUFFIX)

    def add(scenario: Scenario) -> None:
        _propose(session, lambda: with_job_of(session.state.evaluation.case, scenario, name), f"Add job {name}")

    session.evaluator.read(path.name, lambda: read_scenario(regular(path)), add)


def remove(session: Session, number: int) -> None:
    """Remove a background job, by its number from 0."""
    case = session.state.evaluation.case
    _propose(session, lambda: without(case, number), f"Remove {case.scenario.job_names[number + 1]}")


def remove_all(session: Session) -> None:
    """Remove all background jobs."""
    scenario = session.state.evaluation.case.scenario
    _propose(session, lambda: replace(scenario, neighbours=()), "Remove all background jobs")


def _propose(session: Session, make: Callable[[], Scenario], name: str) -> None:
    try:
        scenario = make()
    except SpecError as error:
        session.report_error(error)
    else:
        session.propose(scenario, name)
