"""Traffic of other jobs by counters, as constant background loads of links: added and removed in one step each."""

from dataclasses import replace

from app.session.session import Session
from core.counters.reading import FIELD
from core.load.measured import unknown_background
from core.spec import SpecError
from core.text import plural

NOTHING = "has no link with more than predicted, so that there is no background load to add"


def add_unknown_background(session: Session) -> None:
    """Add the measured bandwidth beyond the tolerance of each link as background load; nothing without counters."""
    measurement = session.state.measurement
    if measurement is None:
        return
    try:
        background = unknown_background(measurement.comparison)
        if not measurement.comparison.hot.size:
            raise SpecError(FIELD, NOTHING)
    except SpecError as error:
        session.report_error(error)
        return
    session.propose(replace(session.state.wanted, background=background), f"Add {measurement.excess_text}")


def remove_unknown_background(session: Session) -> None:
    """Remove the constant background loads of all links."""
    wanted = session.state.wanted
    if wanted.background:
        loads = plural(len(wanted.background), "link")
        session.propose(replace(wanted, background=()), f"Remove unknown background of {loads}")
