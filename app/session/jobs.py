"""The jobs on the machine: the job in focus, and the background jobs. Each change is one step of the history."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from app.model.beside import following_job, looking_at, renamed, with_copy, with_job_of, without
from app.session.session import Session
from core.files import SUFFIX, read_scenario
from core.files.regular import regular
from core.load.scenario import Scenario
from core.spec import SpecError


def look_at(session: Session, number: int) -> None:
    """Bring a background job, by its number from 0, into focus: it swaps places with the job."""
    case = session.state.evaluation.case
    _propose(session, lambda: looking_at(case, number), f"Look at {case.scenario.job_names[number + 1]}")


def look_at_next(session: Session) -> None:
    """Bring the job into focus that follows in the order of the jobs; repeating it visits all."""
    look_at(session, following_job(session.state.evaluation.case.scenario))


def rename(session: Session, number: int, name: str) -> None:
    """Rename a job, by number, 0 for the job in focus; an empty name stands for the pattern's."""
    scenario, name = session.state.evaluation.case.scenario, name.strip()
    old = scenario.job_names[number]
    if name != old:
        step = f"Rename {old} to {name}" if name else f"Name {old} by its pattern"
        _propose(session, lambda: renamed(scenario, number, name), step)


def add_copy(session: Session) -> None:
    """Add a copy of this job as a background job."""
    _propose(session, lambda: with_copy(session.state.evaluation.case), "A copy of this job beside it")


def add_job_of(session: Session, path: Path) -> None:
    """Add the job of a scenario file as a background job."""
    name = path.name.removesuffix(SUFFIX)

    def add(scenario: Scenario) -> None:
        _propose(session, lambda: with_job_of(session.state.evaluation.case, scenario, name), f"{name} beside")

    session.evaluator.read(path.name, lambda: read_scenario(regular(path)), add)


def remove(session: Session, number: int) -> None:
    """Remove a background job, by its number from 0."""
    case = session.state.evaluation.case
    _propose(session, lambda: without(case, number), f"Remove {case.scenario.job_names[number + 1]}")


def remove_all(session: Session) -> None:
    """Remove all background jobs."""
    scenario = session.state.evaluation.case.scenario
    _propose(session, lambda: replace(scenario, neighbours=()), "Remove the other jobs")


def _propose(session: Session, make: Callable[[], Scenario], name: str) -> None:
    try:
        scenario = make()
    except SpecError as error:
        session.report_error(error)
    else:
        session.propose(scenario, name)
