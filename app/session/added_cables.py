"""Cables added to the network, as edits."""

from dataclasses import replace

import numpy as np

from app.session.session import Session
from core.network import AddedCable
from core.network.added_cables import cable_links
from core.text import plural


def add_cables(session: Session, *cables: AddedCable) -> None:
    """Add cables to the network in one step, which can be undone; refused under a routing that cannot use them."""
    network, wanted = session.state.evaluation.case.network, session.state.wanted
    what = f"cable {cables[0].what(network)}" if len(cables) == 1 else plural(len(cables), "cable")
    session.propose(replace(wanted, cables=(*wanted.cables, *cables)), name=f"Add {what}")


def cable_of(session: Session, link: int) -> AddedCable | None:
    """Return the added cable that a link on screen belongs to, or None if it is a link of the plain network."""
    case = session.state.evaluation.case
    if link < case.network.without_cables.links:
        return None
    links = cable_links(case.network, case.scenario.cables)
    return case.scenario.cables[int(np.flatnonzero((links == link).any(axis=1))[0])]


def remove_cable(session: Session, cable: AddedCable) -> None:
    """Remove an added cable in one step, which can be undone, with faults of it."""
    rest, name = list(session.state.wanted.cables), cable.what(session.state.evaluation.case.network)
    if cable in rest:
        rest.remove(cable)
        _keep(session, *rest, name=f"Remove cable {name}")


def remove_cables(session: Session) -> None:
    """Remove all added cables in one step, which can be undone, with faults of them."""
    _keep(session, name="Remove added cables")


def _keep(session: Session, *cables: AddedCable, name: str) -> None:
    session.editing.ask(replace(session.state.wanted, cables=cables), name=name, fitting=True)
