"""Which of the jobs on the machine is looked at, and jobs from files."""

from pathlib import Path

from app.model.beside import looking_at
from app.session.session import Session
from core.files import SUFFIX, read_scenario
from core.load.scenario import Scenario


def look_at(session: Session, number: int) -> None:
    """Take a neighbour, by its number from 0, into focus: it and the job change places, as one step of the history."""
    case = session.state.evaluation.case
    name = case.scenario.job_names[number + 1]
    session.propose(looking_at(case, number), f"Look at {name}")


def job_in(path: Path) -> tuple[Scenario, str]:
    """Return the scenario in a file, and what its job is called beside others.

    Raises SpecError: naming what is wrong with it.
    """
    return read_scenario(path), path.name.removesuffix(SUFFIX)
